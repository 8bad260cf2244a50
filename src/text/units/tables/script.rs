//! JavaScript and TypeScript: the one table, TypeScript's kinds are unknown to the grammar of JavaScript.

use super::names::{leaves, name};
use crate::text::units::table::{Node, Parting, Place, Role, Table, always};
use tree_sitter::Node as SyntaxNode;

const ROWS: &[(&str, Node)] = &[
    ("function_declaration", Node::Unit("function", Role::Function, name)),
    ("generator_function_declaration", Node::Unit("function", Role::Function, name)),
    ("function_signature", Node::Unit("function", Role::Function, name)),
    ("class_declaration", Node::Unit("class", Role::Type, name)),
    ("abstract_class_declaration", Node::Unit("class", Role::Type, name)),
    ("method_definition", Node::Unit("method", Role::Function, method)),
    ("method_signature", Node::Unit("method", Role::Function, method)),
    ("abstract_method_signature", Node::Unit("method", Role::Function, method)),
    ("public_field_definition", Node::Unit("field", Role::Variable, method)),
    ("field_definition", Node::Unit("field", Role::Variable, property)),
    ("property_signature", Node::Unit("field", Role::Variable, method)),
    ("interface_declaration", Node::Unit("interface", Role::Type, name)),
    ("type_alias_declaration", Node::Unit("type", Role::Type, name)),
    ("enum_declaration", Node::Unit("enum", Role::Type, name)),
    ("internal_module", Node::Unit("namespace", Role::Type, namespace)),
    ("module", Node::Unit("namespace", Role::Type, namespace)),
    ("lexical_declaration", Node::Statement(always)),
    ("variable_declaration", Node::Statement(always)),
    ("variable_declarator", Node::Unit("variable", Role::Variable, bound)),
    ("pair", Node::Unit("function", Role::Variable, held_function)),
    ("expression_statement", Node::Statement(always)),
    ("assignment_expression", Node::Unit("variable", Role::Variable, exported)),
    ("export_statement", Node::Unit("default", Role::Alias, default)),
    ("ambient_declaration", Node::Statement(always)),
    ("function_expression", Node::Body),
    ("generator_function", Node::Body),
    ("arrow_function", Node::Body),
    ("class_static_block", Node::Body),
    ("decorator", Node::Leading(always, Parting::Nothing)),
];

pub(super) static TYPESCRIPT: Table = Table { grammar: tree_sitter_typescript::LANGUAGE_TYPESCRIPT, rows: ROWS };
pub(super) static TSX: Table = Table { grammar: tree_sitter_typescript::LANGUAGE_TSX, rows: ROWS };
pub(super) static JAVASCRIPT: Table = Table { grammar: tree_sitter_javascript::LANGUAGE, rows: ROWS };

/// A name without the quotes that it may stand in; none for one that is computed.
fn plain(place: &Place<'_, '_>, field: &str) -> Vec<String> {
    let Some(node) = place.node.child_by_field_name(field) else { return Vec::new() };
    let text = place.text(node);
    match node.kind() {
        "computed_property_name" => Vec::new(),
        "string" => vec![text.trim_matches(['"', '\'']).to_owned()],
        _ => vec![text.to_owned()],
    }
}

/// A member of a class or an interface, or a method of an object that a name holds.
fn method(place: &Place<'_, '_>) -> Vec<String> {
    let is_in_object = place.above(0).is_some_and(|node| node.kind() == "object");
    let is_in_type = place.above(0).is_some_and(|node| node.kind() == "object_type");
    let is_nameless = (is_in_object && !is_held(place)) || is_in_type;
    if is_nameless { Vec::new() } else { plain(place, "name") }
}

fn property(place: &Place<'_, '_>) -> Vec<String> {
    plain(place, "property")
}

/// `namespace A.B`, `declare module 'a'`.
fn namespace(place: &Place<'_, '_>) -> Vec<String> {
    plain(place, "name")
}

/// The names that a variable is declared with, taken apart or not.
fn bound(place: &Place<'_, '_>) -> Vec<String> {
    let Some(left) = place.node.child_by_field_name("name") else { return Vec::new() };
    let is_pattern = |node: tree_sitter::Node<'_>| {
        matches!(
            node.kind(),
            "object_pattern"
                | "array_pattern"
                | "pair_pattern"
                | "rest_pattern"
                | "assignment_pattern"
                | "object_assignment_pattern"
        )
    };
    leaves(place, left, &["identifier", "shorthand_property_identifier_pattern"], is_pattern)
}

/// The key of a function, or of an object with functions, in an object that a name holds.
fn held_function(place: &Place<'_, '_>) -> Vec<String> {
    let value = place.node.child_by_field_name("value").map(|node| node.kind());
    let is_function = matches!(value, Some("function_expression" | "generator_function" | "arrow_function"));
    if is_function && is_held(place) { plain(place, "key") } else { Vec::new() }
}

/// Whether the object around is the value of a name, directly: not an argument, not an element.
fn is_held(place: &Place<'_, '_>) -> bool {
    (1..).map_while(|steps| place.above(steps)).find_map(|node| match node.kind() {
        "parenthesized_expression" | "as_expression" | "satisfies_expression" => None,
        "variable_declarator" | "public_field_definition" | "field_definition" | "export_statement" => Some(true),
        "assignment_expression" => Some(is_export(place, node)),
        _ => Some(false),
    }) == Some(true)
}

/// Whether an assignment sets what the module gives: `module.exports = …`, `exports.x = …`.
fn is_export<'t>(place: &Place<'_, 't>, assignment: SyntaxNode<'t>) -> bool {
    let left = assignment.child_by_field_name("left").map(|node| place.text(node)).unwrap_or_default();
    left.starts_with("module.exports") || left.starts_with("exports.")
}

/// The name in `exports.x = …` and `module.exports.x = …`.
fn exported(place: &Place<'_, '_>) -> Vec<String> {
    let left = place.node.child_by_field_name("left").filter(|left| left.kind() == "member_expression");
    let of = left.and_then(|left| left.child_by_field_name("object")).map(|node| place.text(node));
    let name = left.and_then(|left| left.child_by_field_name("property")).map(|node| place.text(node).to_owned());
    if matches!(of, Some("exports" | "module.exports")) { name.into_iter().collect() } else { Vec::new() }
}

/// `export default …`.
fn default(place: &Place<'_, '_>) -> Vec<String> {
    let mut cursor = place.node.walk();
    let is_default = place.node.children(&mut cursor).any(|child| child.kind() == "default");
    if is_default { vec!["default".into()] } else { Vec::new() }
}
