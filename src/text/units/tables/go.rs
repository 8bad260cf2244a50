//! Go: functions, methods under their receiver's type, types, constants and variables.

use super::names::{leaves, name, names};
use crate::text::units::table::{Grammar, NodeMeaning, NodePlace, Parting, UnitRole, as_written};
use tree_sitter::Node;

pub(super) static GO: Grammar = Grammar {
    parser: tree_sitter_go::LANGUAGE,
    rows: &[
        ("function_declaration", NodeMeaning::Unit("function", UnitRole::Function, named)),
        ("method_declaration", NodeMeaning::Unit("method", UnitRole::Function, method)),
        ("type_declaration", NodeMeaning::Statement(is_one)),
        ("const_declaration", NodeMeaning::Statement(is_one)),
        ("var_declaration", NodeMeaning::Statement(is_one)),
        ("type_spec", NodeMeaning::Unit("type", UnitRole::Type, name)),
        ("type_alias", NodeMeaning::Unit("type", UnitRole::Type, name)),
        ("const_spec", NodeMeaning::Unit("const", UnitRole::Variable, named)),
        ("var_spec", NodeMeaning::Unit("var", UnitRole::Variable, named)),
        ("func_literal", NodeMeaning::Body),
        ("comment", NodeMeaning::Leading(directive)),
    ],
    spelled: as_written,
};

/// The names of a declaration, without `_`.
fn named(place: &NodePlace<'_, '_>) -> Vec<String> {
    names(place).into_iter().filter(|name| name != "_").collect()
}

/// A method under the type of its receiver, without pointer and type arguments.
fn method(place: &NodePlace<'_, '_>) -> Vec<String> {
    let is_around = |node: Node<'_>| node.kind() != "type_arguments";
    let receiver = place.node.child_by_field_name("receiver");
    let types = receiver.map(|node| leaves(place, node, &["type_identifier"], is_around)).unwrap_or_default();
    match (types.first(), name(place).pop()) {
        (Some(receiver), Some(method)) => vec![format!("{receiver}.{method}")],
        (_, method) => method.into_iter().collect(),
    }
}

/// Whether the whole statement is one unit: a declaration without a list, or a list of constants in which lines depend on
/// each other, by `iota` or by repeating the previous value.
fn is_one(place: &NodePlace<'_, '_>) -> bool {
    let mut cursor = place.node.walk();
    let is_list = place.node.children(&mut cursor).any(|child| matches!(child.kind(), "(" | "var_spec_list"));
    let repeats = |spec: Node<'_>| spec.kind() == "const_spec" && spec.child_by_field_name("value").is_none();
    !is_list
        || place.node.named_children(&mut cursor).any(repeats)
        || (place.node.kind() == "const_declaration" && !leaves(place, place.node, &["iota"], |_| true).is_empty())
}

/// A comment that the compiler reads. It applies to the next declaration, across blank lines and comments. `//export`, and
/// directives that are not about a declaration, apply only to the line directly below.
fn directive(place: &NodePlace<'_, '_>) -> Option<Parting> {
    let text = place.text(place.node);
    let is_loose = ["//go:build", "//go:generate", "//export "].iter().any(|word| text.starts_with(word));
    let parting = if is_loose { Parting::BlankLine } else { Parting::Nothing };
    ((is_loose || text.starts_with("//go:")) && place.is_at_line_start()).then_some(parting)
}
