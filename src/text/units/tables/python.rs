//! Python: functions and classes; at the level of modules and classes also variables and `type`.

use super::names::{changed, leaf_nodes, leaves, name};
use crate::text::units::table::{Grammar, NameReach, NodeMeaning, NodePlace, UnitRole, always, as_written};
use tree_sitter::Node;

pub(super) static PYTHON: Grammar = Grammar {
    parser: tree_sitter_python::LANGUAGE,
    rows: &[
        ("function_definition", NodeMeaning::Unit("function", UnitRole::Function, name)),
        ("class_definition", NodeMeaning::Unit("class", UnitRole::Type, name)),
        ("decorated_definition", NodeMeaning::Statement(always)),
        ("expression_statement", NodeMeaning::Statement(always)),
        ("expression_statement", NodeMeaning::Extends(NameReach::Around, called)),
        ("assignment", NodeMeaning::Unit("variable", UnitRole::Beside, targets)),
        ("assignment", NodeMeaning::Extends(NameReach::Around, changed_targets)),
        ("augmented_assignment", NodeMeaning::Unit("variable", UnitRole::Beside, targets)),
        ("augmented_assignment", NodeMeaning::Extends(NameReach::Around, changed_targets)),
        ("named_expression", NodeMeaning::Unit("variable", UnitRole::Beside, name)),
        ("for_statement", NodeMeaning::Unit("variable", UnitRole::Beside, targets)),
        ("for_statement", NodeMeaning::Extends(NameReach::Around, changed_targets)),
        ("with_statement", NodeMeaning::Unit("variable", UnitRole::Beside, opened)),
        ("case_clause", NodeMeaning::Unit("variable", UnitRole::Beside, captured)),
        ("except_clause", NodeMeaning::Extends(NameReach::Here, caught)),
        ("import_statement", NodeMeaning::Extends(NameReach::Here, imported)),
        ("import_from_statement", NodeMeaning::Extends(NameReach::Here, imported)),
        ("delete_statement", NodeMeaning::Extends(NameReach::Around, deleted)),
        ("global_statement", NodeMeaning::Global(identifiers)),
        ("type_alias_statement", NodeMeaning::Unit("type", UnitRole::Beside, alias)),
        ("lambda", NodeMeaning::Body),
    ],
    spelled: as_written,
};

/// The kinds of node that a target can consist of.
fn is_pattern(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "list_splat"
            | "expression_list"
            | "tuple"
            | "list"
            | "parenthesized_expression"
            | "as_pattern_target"
    )
}

/// The left side of an assignment, all left sides of `a = b = 1`, or the left side of other bindings: `a += 1`, `for a, b
/// in c`.
fn lefts<'t>(place: &NodePlace<'_, 't>) -> Vec<Node<'t>> {
    // the inner assignment of `a = b = 1` is walked again, but the outer one has recorded it already
    let is_inner = place.above(0).is_some_and(|node| node.kind() == "assignment");
    let mut found = Vec::new();
    let mut binding = Some(place.node).filter(|_| !is_inner);
    while let Some(node) = binding {
        found.extend(node.child_by_field_name("left"));
        binding = node.child_by_field_name("right").filter(|right| right.kind() == "assignment");
    }
    found
}

fn targets(place: &NodePlace<'_, '_>) -> Vec<String> {
    lefts(place).into_iter().flat_map(|left| leaves(place, left, &["identifier"], is_pattern)).collect()
}

/// The names that are set in part: `a` for `a.b = 1` and `a["b"] += 1`.
fn changed_targets(place: &NodePlace<'_, '_>) -> Vec<String> {
    let targets = lefts(place).into_iter().flat_map(|left| leaf_nodes(left, &["attribute", "subscript"], is_pattern));
    targets.flat_map(|target| changed(place, target)).collect()
}

/// The name before the dot, if a statement calls a method: `a` for `a.append(1)`.
fn called(place: &NodePlace<'_, '_>) -> Vec<String> {
    let is_call = |node: &Node<'_>| {
        matches!(node.kind(), "call" | "await")
            && !matches!(node.named_child(0).map(|of| of.kind()), Some("identifier"))
    };
    place.node.named_child(0).filter(is_call).map(|call| changed(place, call)).unwrap_or_default()
}

/// The names in `with … as a`.
fn opened(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut cursor = place.node.walk();
    let clauses = place.node.named_children(&mut cursor).filter(|child| child.kind() == "with_clause");
    clauses.flat_map(|clause| aliases(place, clause)).collect()
}

/// The name in `except A as a`.
fn caught(place: &NodePlace<'_, '_>) -> Vec<String> {
    place.node.child_by_field_name("value").map(|value| aliases(place, value)).unwrap_or_default()
}

/// The names after `as` directly in a clause.
fn aliases(place: &NodePlace<'_, '_>, clause: Node<'_>) -> Vec<String> {
    let is_around = |node: Node<'_>| {
        matches!(node.kind(), "with_clause" | "with_item" | "as_pattern" | "tuple" | "parenthesized_expression")
    };
    let targets = leaf_nodes(clause, &["as_pattern_target"], is_around);
    targets.into_iter().flat_map(|target| leaves(place, target, &["identifier"], is_pattern)).collect()
}

/// The names that the pattern of a `case` binds. In it, `A.b` is a value, and `A` in `A(b)` is a class.
fn captured(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut cursor = place.node.walk();
    let patterns = place.node.named_children(&mut cursor).filter(|child| child.kind() == "case_pattern");
    let mut found = Vec::new();
    let mut open: Vec<Node<'_>> = patterns.collect();
    while let Some(node) = open.pop() {
        let is_class = node.kind() == "class_pattern";
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).skip(usize::from(is_class)) {
            let is_keyword = node.kind() == "keyword_pattern" && child.start_byte() == node.start_byte();
            match child.kind() {
                "identifier" if !is_keyword => found.push(place.text(child).to_owned()),
                "dotted_name" if child.named_child_count() == 1 => found.push(place.text(child).to_owned()),
                kind if kind.ends_with("_pattern") => open.push(child),
                _ => {}
            }
        }
    }
    found
}

/// The names that an import binds: `a` of `import a.b`, `c` of `import b as c`.
fn imported(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut cursor = place.node.walk();
    let names = place.node.children_by_field_name("name", &mut cursor);
    names
        .filter_map(|name| name.child_by_field_name("alias").or(name.named_child(0)))
        .map(|name| place.text(name).to_owned())
        .collect()
}

/// The names that `del` removes, as a whole or in part.
fn deleted(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut cursor = place.node.walk();
    let all: Vec<Node<'_>> = place.node.named_children(&mut cursor).collect();
    let targets =
        all.into_iter().flat_map(|node| leaf_nodes(node, &["identifier", "attribute", "subscript"], is_pattern));
    targets.flat_map(|target| changed(place, target)).collect()
}

fn identifiers(place: &NodePlace<'_, '_>) -> Vec<String> {
    leaves(place, place.node, &["identifier"], |node| node.kind() == "global_statement")
}

/// The name of `type A[T] = …`.
fn alias(place: &NodePlace<'_, '_>) -> Vec<String> {
    let left = place.node.child_by_field_name("left").map(|node| place.text(node));
    left.map(|text| text.split('[').next().unwrap_or(text).trim().to_owned()).into_iter().collect()
}
