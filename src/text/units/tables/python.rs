//! Python: functions and classes, and at the level of modules and classes assignments and `type`.

use super::names::{leaves, name};
use crate::text::units::table::{Grammar, NodeMeaning, NodePlace, UnitRole, always};

pub(super) static PYTHON: Grammar = Grammar {
    parser: tree_sitter_python::LANGUAGE,
    rows: &[
        ("function_definition", NodeMeaning::Unit("function", UnitRole::Function, name)),
        ("class_definition", NodeMeaning::Unit("class", UnitRole::Type, name)),
        ("decorated_definition", NodeMeaning::Statement(always)),
        ("expression_statement", NodeMeaning::Statement(always)),
        ("assignment", NodeMeaning::Unit("variable", UnitRole::Variable, targets)),
        ("type_alias_statement", NodeMeaning::Unit("type", UnitRole::Variable, alias)),
        ("lambda", NodeMeaning::Body),
    ],
};

/// The names that an assignment binds: `a`, `a, b`, and all of `a = b = 1`.
fn targets(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut node = Some(place.node);
    while let Some(assignment) = node.filter(|node| node.kind() == "assignment") {
        let is_pattern = |node: tree_sitter::Node<'_>| {
            matches!(node.kind(), "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern")
        };
        if let Some(left) = assignment.child_by_field_name("left") {
            found.extend(leaves(place, left, &["identifier"], is_pattern));
        }
        node = assignment.child_by_field_name("right");
    }
    // the inner assignment of `a = b = 1` is met again, inside the statement that was noted already
    if place.above(0).is_some_and(|node| node.kind() == "assignment") { Vec::new() } else { found }
}

/// The name of `type A[T] = …`.
fn alias(place: &NodePlace<'_, '_>) -> Vec<String> {
    let left = place.node.child_by_field_name("left").map(|node| place.text(node));
    left.map(|text| text.split('[').next().unwrap_or(text).trim().to_owned()).into_iter().collect()
}
