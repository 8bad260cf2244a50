//! JavaScript and TypeScript share one table. The JavaScript grammar does not have TypeScript's kinds.

use super::names::{name, parts, prefixes};
use crate::text::units::table::{
    Grammar, NameReach, NodeMeaning, NodePlace, NodeRow, UnitRole, always, attached, never,
};
use tree_sitter::Node as SyntaxNode;

const ROWS: &[NodeRow] = &[
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
    ("expression_statement", NodeMeaning::Extends(NameReach::Around, called)),
    ("assignment_expression", NodeMeaning::Unit("variable", UnitRole::Variable, exported)),
    ("assignment_expression", NodeMeaning::Extends(NameReach::Around, assigned)),
    ("augmented_assignment_expression", NodeMeaning::Extends(NameReach::Around, assigned)),
    ("update_expression", NodeMeaning::Extends(NameReach::Around, assigned)),
    ("unary_expression", NodeMeaning::Extends(NameReach::Around, deleted)),
    ("for_statement", NodeMeaning::Extends(NameReach::Around, counted)),
    ("for_in_statement", NodeMeaning::Extends(NameReach::Around, looped)),
    ("export_statement", NodeMeaning::Unit("default", UnitRole::Alias, default)),
    ("ambient_declaration", NodeMeaning::Statement(always)),
    ("function_expression", NodeMeaning::Body),
    ("generator_function", NodeMeaning::Body),
    ("arrow_function", NodeMeaning::Body),
    ("class_static_block", NodeMeaning::Initializer),
    ("statement_block", NodeMeaning::Statement(never)),
    ("decorator", NodeMeaning::Leading(attached)),
];

pub(super) static TYPESCRIPT: Grammar =
    Grammar { parser: tree_sitter_typescript::LANGUAGE_TYPESCRIPT, rows: ROWS, spelled: unescaped };
pub(super) static TSX: Grammar =
    Grammar { parser: tree_sitter_typescript::LANGUAGE_TSX, rows: ROWS, spelled: unescaped };
pub(super) static JAVASCRIPT: Grammar =
    Grammar { parser: tree_sitter_javascript::LANGUAGE, rows: ROWS, spelled: unescaped };

/// A name with its escapes decoded: `\u0061`, `\u{61}` and, in quotes, `\x61` are `a`.
pub(super) fn unescaped(name: &str) -> String {
    let mut pieces = name.split('\\');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    while let Some(piece) = pieces.next() {
        let escaped = match piece.as_bytes().first() {
            Some(b'u') if piece.starts_with("u{") => piece[2..].split_once('}'),
            Some(b'u') => piece.trim_start_matches('u').split_at_checked(4),
            Some(b'x') => piece[1..].split_at_checked(2),
            // an escaped backslash
            None => {
                out.push('\\');
                pieces.next().iter().for_each(|rest| out += rest);
                continue;
            }
            Some(_) => None,
        };
        let meant =
            escaped.and_then(|(digits, rest)| Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, rest)));
        match meant {
            Some((character, rest)) => {
                out.push(character);
                out += rest;
            }
            None => {
                out.push('\\');
                out += piece;
            }
        }
    }
    out
}

/// A name without its quotes; none for a computed name, unless it is a constant text or a number.
fn plain(place: &NodePlace<'_, '_>, field: &str) -> Vec<String> {
    let Some(node) = place.node.child_by_field_name(field) else { return Vec::new() };
    let said = if node.kind() == "computed_property_name" { node.named_child(0) } else { Some(node) };
    let Some(said) = said else { return Vec::new() };
    let is_computed = said.id() != node.id() && said.kind() != "number" && !is_text(said);
    if is_computed { Vec::new() } else { vec![unquoted(place, said).to_owned()] }
}

/// Whether a node is a text without substitutions.
fn is_text(node: SyntaxNode<'_>) -> bool {
    let mut cursor = node.walk();
    node.kind() == "string"
        || node.kind() == "template_string"
            && node.named_children(&mut cursor).all(|child| child.kind() != "template_substitution")
}

fn unquoted<'t>(place: &NodePlace<'_, 't>, node: SyntaxNode<'t>) -> &'t str {
    let text = place.text(node);
    if is_text(node) { text.get(1..text.len().saturating_sub(1)).unwrap_or_default() } else { text }
}

/// A member of a class or an interface, or a method of a named object.
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

/// The names that a variable is declared with, destructured or not; none for the counter of a `for` loop.
fn bound(place: &NodePlace<'_, '_>) -> Vec<String> {
    if place.above(1).is_some_and(|node| node.kind() == "for_statement") {
        return Vec::new();
    }
    place.node.child_by_field_name("name").map(|left| changed_targets(place, left)).unwrap_or_default()
}

/// The nodes that `target` sets: `a`, `b` and `c.d` of `[a, { x: b = 1, ...c.d }]`.
fn targets(target: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    let mut found = Vec::new();
    let mut open = vec![target];
    while let Some(node) = open.pop() {
        match node.kind() {
            "assignment_pattern" | "object_assignment_pattern" => open.extend(node.child_by_field_name("left")),
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            "object_pattern" | "array_pattern" | "rest_pattern" => {
                let children: Vec<SyntaxNode<'_>> = node.named_children(&mut node.walk()).collect();
                open.extend(children.into_iter().rev());
            }
            _ => found.push(node),
        }
    }
    found
}

/// The key of a function, or of an object with functions, in a named object.
fn held_function(place: &NodePlace<'_, '_>) -> Vec<String> {
    let value = place.node.child_by_field_name("value").map(|node| node.kind());
    let is_function = matches!(value, Some("function_expression" | "generator_function" | "arrow_function"));
    if is_function && is_held(place) { plain(place, "key") } else { Vec::new() }
}

/// Whether the surrounding object is directly the value of a name: not an argument, not an element.
fn is_held(place: &NodePlace<'_, '_>) -> bool {
    (1..).map_while(|steps| place.above(steps)).find_map(|node| match node.kind() {
        "parenthesized_expression" | "as_expression" | "satisfies_expression" => None,
        "variable_declarator" | "public_field_definition" | "field_definition" | "export_statement" => Some(true),
        "assignment_expression" => Some(is_export(place, node)),
        _ => Some(false),
    }) == Some(true)
}

/// Whether an assignment sets the export of the module: `module.exports = …`, `exports.x = …`.
fn is_export<'t>(place: &NodePlace<'_, 't>, assignment: SyntaxNode<'t>) -> bool {
    let left = assignment.child_by_field_name("left").map(|left| said(place, left)).unwrap_or_default();
    left.len() > 1 && of_module(&left).is_some()
}

/// The name in `exports.x = …`, `module.exports.x = …` and `exports["x"] = …`.
fn exported(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut found = Vec::new();
    // the inner assignment of `exports.a = exports.b = 1` is walked again, but the outer one has recorded it already
    let is_inner = place.above(0).is_some_and(|node| node.kind() == "assignment_expression");
    let mut node = Some(place.node).filter(|_| !is_inner);
    while let Some(assignment) = node.filter(|node| node.kind() == "assignment_expression") {
        let left = assignment.child_by_field_name("left");
        let is_whole = |left: &SyntaxNode<'_>| matches!(left.kind(), "member_expression" | "subscript_expression");
        let parts = left.filter(is_whole).map(|left| said(place, left)).unwrap_or_default();
        if let Some([name]) = of_module(&parts) {
            found.push((*name).to_owned());
        }
        node = assignment.child_by_field_name("right");
    }
    found
}

/// The parts of an expression as texts, without quotes.
fn said<'t>(place: &NodePlace<'_, 't>, node: SyntaxNode<'t>) -> Vec<&'t str> {
    parts(node).into_iter().map(|part| unquoted(place, part)).collect()
}

/// The parts after `exports` or `module.exports`.
fn of_module<'p, 't>(parts: &'p [&'t str]) -> Option<&'p [&'t str]> {
    match parts {
        ["module", "exports", rest @ ..] | ["exports", rest @ ..] => Some(rest),
        _ => None,
    }
}

/// The names that an expression changes in whole or in part.
fn changed(place: &NodePlace<'_, '_>, node: SyntaxNode<'_>) -> Vec<String> {
    let parts = said(place, node);
    match (of_module(&parts), &parts[..]) {
        (Some(rest), _) | (None, ["this", rest @ ..]) => prefixes(rest),
        (None, all) => prefixes(all),
    }
}

/// The names that an assignment changes: all names of `[a, b.c] = …`.
fn assigned(place: &NodePlace<'_, '_>) -> Vec<String> {
    let target = place.node.child_by_field_name("left").or_else(|| place.node.child_by_field_name("argument"));
    target.map(|target| changed_targets(place, target)).unwrap_or_default()
}

/// The names that are changed when `target` is set.
fn changed_targets(place: &NodePlace<'_, '_>, target: SyntaxNode<'_>) -> Vec<String> {
    targets(target).into_iter().flat_map(|target| changed(place, target)).collect()
}

/// The names that `delete` removes.
fn deleted(place: &NodePlace<'_, '_>) -> Vec<String> {
    let is_delete = place.node.child_by_field_name("operator").is_some_and(|sign| sign.kind() == "delete");
    let argument = place.node.child_by_field_name("argument").filter(|_| is_delete);
    argument.map(|argument| changed(place, argument)).unwrap_or_default()
}

/// The name before the dot, if a statement calls a method: `app` for `app.use(…)`.
fn called(place: &NodePlace<'_, '_>) -> Vec<String> {
    let is_call = |node: &SyntaxNode<'_>| {
        let called = node.child_by_field_name("function").map(|called| called.kind());
        node.kind() == "await_expression" || node.kind() == "call_expression" && called != Some("identifier")
    };
    place.node.named_child(0).filter(is_call).map(|call| changed(place, call)).unwrap_or_default()
}

/// The names that the head of a loop declares with `var`, which stay visible after the loop.
fn counted(place: &NodePlace<'_, '_>) -> Vec<String> {
    let first = place.node.child_by_field_name("initializer").filter(|first| first.kind() == "variable_declaration");
    let Some(first) = first else { return Vec::new() };
    let mut cursor = first.walk();
    let declared = first.named_children(&mut cursor).filter_map(|node| node.child_by_field_name("name"));
    declared.flat_map(|name| changed_targets(place, name)).collect()
}

/// The names that a loop sets and that stay visible after it.
fn looped(place: &NodePlace<'_, '_>) -> Vec<String> {
    let is_of_loop = place.node.child_by_field_name("kind").is_some_and(|kind| kind.kind() != "var");
    let left = place.node.child_by_field_name("left").filter(|_| !is_of_loop);
    left.map(|left| changed_targets(place, left)).unwrap_or_default()
}

/// `export default …`.
fn default(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut cursor = place.node.walk();
    let is_default = place.node.children(&mut cursor).any(|child| child.kind() == "default");
    if is_default { vec!["default".into()] } else { Vec::new() }
}
