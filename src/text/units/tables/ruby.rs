//! Ruby: classes, modules, methods and constants; `A::B` is `A.B`.

use super::names::{leaves, name};
use crate::text::units::table::{Grammar, NodeMeaning, NodePlace, UnitRole, always};

pub(super) static RUBY: Grammar = Grammar {
    parser: tree_sitter_ruby::LANGUAGE,
    rows: &[
        ("class", NodeMeaning::Unit("class", UnitRole::Type, scoped)),
        ("module", NodeMeaning::Unit("module", UnitRole::Type, scoped)),
        ("method", NodeMeaning::Unit("method", UnitRole::Function, name)),
        ("singleton_method", NodeMeaning::Unit("method", UnitRole::Function, name)),
        ("assignment", NodeMeaning::Unit("constant", UnitRole::Variable, constants)),
        ("operator_assignment", NodeMeaning::Unit("constant", UnitRole::Variable, constants)),
        // `private def a`: what is said of a method is its own
        ("call", NodeMeaning::Statement(always)),
        ("argument_list", NodeMeaning::Statement(always)),
        ("heredoc_beginning", NodeMeaning::Below),
        ("heredoc_body", NodeMeaning::Text),
        ("lambda", NodeMeaning::Body),
    ],
};

/// The name of a class or a module, which may say where it lies.
fn scoped(place: &NodePlace<'_, '_>) -> Vec<String> {
    name(place).into_iter().map(|name| dotted(&name)).collect()
}

/// The constants that an assignment sets; anything else that begins with a small letter or a sign is none.
fn constants(place: &NodePlace<'_, '_>) -> Vec<String> {
    let Some(left) = place.node.child_by_field_name("left") else { return Vec::new() };
    let is_list = |node: tree_sitter::Node<'_>| matches!(node.kind(), "left_assignment_list" | "rest_assignment");
    leaves(place, left, &["constant", "scope_resolution"], is_list).iter().map(|name| dotted(name)).collect()
}

fn dotted(name: &str) -> String {
    name.trim_start_matches("::").split("::").map(str::trim).collect::<Vec<_>>().join(".")
}
