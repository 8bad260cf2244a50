//! JavaScript and TypeScript: the one table, TypeScript's kinds are unknown to the grammar of JavaScript.

use super::names::{leaves, name};
use crate::text::units::table::{Grammar, NodeMeaning, NodePlace, Parting, UnitRole, always, never};
use tree_sitter::Node as SyntaxNode;

const ROWS: &[(&str, NodeMeaning)] = &[
    ("function_declaration", NodeMeaning::Unit("function", UnitRole::Function, name)),
    ("generator_function_declaration", NodeMeaning::Unit("function", UnitRole::Function, name)),
    ("function_signature", NodeMeaning::Unit("function", UnitRole::Function, name)),
    ("class_declaration", NodeMeaning::Unit("class", UnitRole::Type, name)),
    ("abstract_class_declaration", NodeMeaning::Unit("class", UnitRole::Type, name)),
    ("method_definition", NodeMeaning::Unit("method", UnitRole::Function, method)),
    ("method_signature", NodeMeaning::Unit("method", UnitRole::Function, method)),
    ("abstract_method_signature", NodeMeaning::Unit("method", UnitRole::Function, method)),
    ("public_field_definition", NodeMeaning::Unit("field", UnitRole::Variable, method)),
    ("field_definition", NodeMeaning::Unit("field", UnitRole::Variable, property)),
    ("property_signature", NodeMeaning::Unit("field", UnitRole::Variable, method)),
    ("interface_declaration", NodeMeaning::Unit("interface", UnitRole::Type, name)),
    ("type_alias_declaration", NodeMeaning::Unit("type", UnitRole::Type, name)),
    ("enum_declaration", NodeMeaning::Unit("enum", UnitRole::Type, name)),
    ("internal_module", NodeMeaning::Unit("namespace", UnitRole::Type, namespace)),
    ("module", NodeMeaning::Unit("namespace", UnitRole::Type, namespace)),
    ("lexical_declaration", NodeMeaning::Statement(always)),
    ("variable_declaration", NodeMeaning::Statement(always)),
    ("variable_declarator", NodeMeaning::Unit("variable", UnitRole::Variable, bound)),
    ("pair", NodeMeaning::Unit("function", UnitRole::Variable, held_function)),
    ("expression_statement", NodeMeaning::Statement(always)),
    ("assignment_expression", NodeMeaning::Unit("variable", UnitRole::Variable, exported)),
    ("export_statement", NodeMeaning::Unit("default", UnitRole::Alias, default)),
    ("ambient_declaration", NodeMeaning::Statement(always)),
    ("function_expression", NodeMeaning::Body),
    ("generator_function", NodeMeaning::Body),
    ("arrow_function", NodeMeaning::Body),
    ("class_static_block", NodeMeaning::Body),
    ("statement_block", NodeMeaning::Statement(never)),
    ("decorator", NodeMeaning::Leading(always, Parting::Nothing)),
];

pub(super) static TYPESCRIPT: Grammar = Grammar { parser: tree_sitter_typescript::LANGUAGE_TYPESCRIPT, rows: ROWS };
pub(super) static TSX: Grammar = Grammar { parser: tree_sitter_typescript::LANGUAGE_TSX, rows: ROWS };
pub(super) static JAVASCRIPT: Grammar = Grammar { parser: tree_sitter_javascript::LANGUAGE, rows: ROWS };

/// A name without the quotes that it may stand in; none for one that is computed.
fn plain(place: &NodePlace<'_, '_>, field: &str) -> Vec<String> {
    let Some(node) = place.node.child_by_field_name(field) else { return Vec::new() };
    let text = place.text(node);
    match node.kind() {
        "computed_property_name" => Vec::new(),
        "string" => vec![text.trim_matches(['"', '\'']).to_owned()],
        _ => vec![text.to_owned()],
    }
}

/// A member of a class or an interface, or a method of an object that a name holds.
fn method(place: &NodePlace<'_, '_>) -> Vec<String> {
    let is_in_object = place.above(0).is_some_and(|node| node.kind() == "object");
    let is_in_type = place.above(0).is_some_and(|node| node.kind() == "object_type");
    let is_nameless = (is_in_object && !is_held(place)) || is_in_type;
    if is_nameless { Vec::new() } else { plain(place, "name") }
}

fn property(place: &NodePlace<'_, '_>) -> Vec<String> {
    plain(place, "property")
}

/// `namespace A.B`, `declare module 'a'`.
fn namespace(place: &NodePlace<'_, '_>) -> Vec<String> {
    plain(place, "name")
}

/// The names that a variable is declared with, taken apart or not; what the head of a loop counts with has none.
fn bound(place: &NodePlace<'_, '_>) -> Vec<String> {
    if place.above(1).is_some_and(|node| node.kind() == "for_statement") {
        return Vec::new();
    }
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
fn held_function(place: &NodePlace<'_, '_>) -> Vec<String> {
    let value = place.node.child_by_field_name("value").map(|node| node.kind());
    let is_function = matches!(value, Some("function_expression" | "generator_function" | "arrow_function"));
    if is_function && is_held(place) { plain(place, "key") } else { Vec::new() }
}

/// Whether the object around is the value of a name, directly: not an argument, not an element.
fn is_held(place: &NodePlace<'_, '_>) -> bool {
    (1..).map_while(|steps| place.above(steps)).find_map(|node| match node.kind() {
        "parenthesized_expression" | "as_expression" | "satisfies_expression" => None,
        "variable_declarator" | "public_field_definition" | "field_definition" | "export_statement" => Some(true),
        "assignment_expression" => Some(is_export(place, node)),
        _ => Some(false),
    }) == Some(true)
}

/// Whether an assignment sets what the module gives: `module.exports = …`, `exports.x = …`.
fn is_export<'t>(place: &NodePlace<'_, 't>, assignment: SyntaxNode<'t>) -> bool {
    let left = assignment.child_by_field_name("left").map(|node| place.text(node)).unwrap_or_default();
    left.starts_with("module.exports") || left.starts_with("exports.")
}

/// The name in `exports.x = …` and `module.exports.x = …`.
fn exported(place: &NodePlace<'_, '_>) -> Vec<String> {
    let left = place.node.child_by_field_name("left").filter(|left| left.kind() == "member_expression");
    let of = left.and_then(|left| left.child_by_field_name("object")).map(|node| place.text(node));
    let name = left.and_then(|left| left.child_by_field_name("property")).map(|node| place.text(node).to_owned());
    if matches!(of, Some("exports" | "module.exports")) { name.into_iter().collect() } else { Vec::new() }
}

/// `export default …`.
fn default(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut cursor = place.node.walk();
    let is_default = place.node.children(&mut cursor).any(|child| child.kind() == "default");
    if is_default { vec!["default".into()] } else { Vec::new() }
}
