//! Ruby: classes, modules, methods and constants; `A::B` is `A.B`.

use super::names::{changed, leaf_nodes, leaves, name};
use crate::text::units::table::{Grammar, NameReach, NodeMeaning, NodePlace, UnitRole, always, as_written};
use tree_sitter::Node;

pub(super) static RUBY: Grammar = Grammar {
    parser: tree_sitter_ruby::LANGUAGE,
    rows: &[
        ("class", NodeMeaning::Unit("class", UnitRole::Type, scoped)),
        ("module", NodeMeaning::Unit("module", UnitRole::Type, scoped)),
        ("method", NodeMeaning::Unit("method", UnitRole::Function, name)),
        ("singleton_method", NodeMeaning::Unit("method", UnitRole::Function, name)),
        ("assignment", NodeMeaning::Unit("constant", UnitRole::Variable, constants)),
        ("assignment", NodeMeaning::Extends(NameReach::Around, changed_targets)),
        ("operator_assignment", NodeMeaning::Unit("constant", UnitRole::Variable, constants)),
        ("operator_assignment", NodeMeaning::Extends(NameReach::Around, changed_targets)),
        ("alias", NodeMeaning::Unit("method", UnitRole::Beside, aliased)),
        ("undef", NodeMeaning::Extends(NameReach::Here, undefined)),
        ("binary", NodeMeaning::Extends(NameReach::Around, appended)),
        // `private def a`: the modifier belongs to the method
        ("call", NodeMeaning::Statement(always)),
        ("call", NodeMeaning::Extends(NameReach::Around, called)),
        ("argument_list", NodeMeaning::Statement(always)),
        ("heredoc_beginning", NodeMeaning::Below),
        ("heredoc_body", NodeMeaning::Text),
        ("lambda", NodeMeaning::Body),
    ],
    spelled: as_written,
};

/// The name of a class or a module, which may include its scope.
fn scoped(place: &NodePlace<'_, '_>) -> Vec<String> {
    name(place).into_iter().map(|name| dotted(&name)).collect()
}

/// The constants that an assignment sets. A name that begins with a small letter or a sign is no constant.
fn constants(place: &NodePlace<'_, '_>) -> Vec<String> {
    let Some(left) = place.node.child_by_field_name("left") else { return Vec::new() };
    leaves(place, left, &["constant", "scope_resolution"], is_list).iter().map(|name| dotted(name)).collect()
}

/// The left side of several assignments at once.
fn is_list(node: Node<'_>) -> bool {
    matches!(node.kind(), "left_assignment_list" | "rest_assignment" | "destructured_left_assignment")
}

/// The constants that are set in part: `A` for `A[0] = 1` and `A.b ||= 1`.
fn changed_targets(place: &NodePlace<'_, '_>) -> Vec<String> {
    let left = place.node.child_by_field_name("left");
    let targets = left.map(|left| leaf_nodes(left, &["element_reference", "call"], is_list)).unwrap_or_default();
    targets.into_iter().flat_map(|target| changed(place, target)).collect()
}

/// The constant before the dot, if a statement calls a method: `A` for `A.push 1`.
fn called(place: &NodePlace<'_, '_>) -> Vec<String> {
    if is_statement(place) && place.node.child_by_field_name("receiver").is_some() {
        changed(place, place.node)
    } else {
        Vec::new()
    }
}

/// The constant that a statement appends to: `A << 1`.
fn appended(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut left = Some(place.node).filter(|_| is_statement(place));
    let is_shift = |node: Node<'_>| node.child_by_field_name("operator").is_some_and(|sign| sign.kind() == "<<");
    while let Some(node) = left.filter(|node| node.kind() == "binary") {
        left = node.child_by_field_name("left").filter(|_| is_shift(node));
    }
    left.map(|left| changed(place, left)).unwrap_or_default()
}

/// Whether the surrounding code ignores the value of an expression.
fn is_statement(place: &NodePlace<'_, '_>) -> bool {
    let around = place.above(0).map(|node| node.kind());
    matches!(
        around,
        Some("program" | "body_statement" | "then" | "else" | "do" | "begin" | "if_modifier" | "unless_modifier")
    )
}

/// The kinds of node that name a method in `alias` and `undef`.
const METHOD_NAMES: [&str; 5] = ["identifier", "constant", "setter", "operator", "simple_symbol"];

/// `:a` names the method `a`.
fn unsigned(name: &str) -> String {
    name.trim_start_matches(':').to_owned()
}

/// The method that `alias` binds; `$a` is no method.
fn aliased(place: &NodePlace<'_, '_>) -> Vec<String> {
    let name = place.node.child_by_field_name("name").filter(|name| METHOD_NAMES.contains(&name.kind()));
    name.map(|name| unsigned(place.text(name))).into_iter().collect()
}

/// The methods that `undef` removes.
fn undefined(place: &NodePlace<'_, '_>) -> Vec<String> {
    leaves(place, place.node, &METHOD_NAMES, |node| node.kind() == "undef").iter().map(|name| unsigned(name)).collect()
}

fn dotted(name: &str) -> String {
    name.trim_start_matches("::").split("::").map(str::trim).collect::<Vec<_>>().join(".")
}
