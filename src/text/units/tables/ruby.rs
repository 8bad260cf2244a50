//! Ruby: classes, modules, methods and constants; `A::B` is `A.B`.

use super::names::{leaves, name};
use crate::text::units::table::{Node, Place, Role, Table, always};

pub(super) static RUBY: Table = Table {
    grammar: tree_sitter_ruby::LANGUAGE,
    rows: &[
        ("class", Node::Unit("class", Role::Type, scoped)),
        ("module", Node::Unit("module", Role::Type, scoped)),
        ("method", Node::Unit("method", Role::Function, name)),
        ("singleton_method", Node::Unit("method", Role::Function, name)),
        ("assignment", Node::Unit("constant", Role::Variable, constants)),
        ("operator_assignment", Node::Unit("constant", Role::Variable, constants)),
        // `private def a`: what is said of a method is its own
        ("call", Node::Statement(always)),
        ("argument_list", Node::Statement(always)),
        ("heredoc_beginning", Node::Below),
        ("heredoc_body", Node::Text),
        ("lambda", Node::Body),
    ],
};

/// The name of a class or a module, which may say where it lies.
fn scoped(place: &Place<'_, '_>) -> Vec<String> {
    name(place).into_iter().map(|name| dotted(&name)).collect()
}

/// The constants that an assignment sets; anything else that begins with a small letter or a sign is none.
fn constants(place: &Place<'_, '_>) -> Vec<String> {
    let Some(left) = place.node.child_by_field_name("left") else { return Vec::new() };
    let is_list = |node: tree_sitter::Node<'_>| matches!(node.kind(), "left_assignment_list" | "rest_assignment");
    leaves(place, left, &["constant", "scope_resolution"], is_list).iter().map(|name| dotted(name)).collect()
}

fn dotted(name: &str) -> String {
    name.trim_start_matches("::").split("::").map(str::trim).collect::<Vec<_>>().join(".")
}
