//! Java: types with their constants, methods, constructors and fields.

use super::names::name;
use crate::text::units::table::{Node, Place, Role, Table, always};

pub(super) static JAVA: Table = Table {
    grammar: tree_sitter_java::LANGUAGE,
    rows: &[
        ("class_declaration", Node::Unit("class", Role::Type, name)),
        ("interface_declaration", Node::Unit("interface", Role::Type, name)),
        ("enum_declaration", Node::Unit("enum", Role::Type, name)),
        ("enum_constant", Node::Unit("constant", Role::Type, name)),
        ("record_declaration", Node::Unit("record", Role::Type, name)),
        ("annotation_type_declaration", Node::Unit("annotation", Role::Type, name)),
        ("annotation_type_element_declaration", Node::Unit("method", Role::Function, name)),
        ("method_declaration", Node::Unit("method", Role::Function, name)),
        ("constructor_declaration", Node::Unit("constructor", Role::Function, constructor)),
        ("compact_constructor_declaration", Node::Unit("constructor", Role::Function, constructor)),
        ("field_declaration", Node::Statement(always)),
        ("constant_declaration", Node::Statement(always)),
        ("variable_declarator", Node::Unit("field", Role::Variable, member)),
        ("lambda_expression", Node::Body),
        ("static_initializer", Node::Body),
        ("block", Node::Body),
    ],
};

/// Every constructor is called so, however its class is.
fn constructor(_: &Place<'_, '_>) -> Vec<String> {
    vec!["constructor".into()]
}

/// The name of a field; a variable of a method is declared in the same way, and is none.
fn member(place: &Place<'_, '_>) -> Vec<String> {
    let is_member =
        place.above(0).is_some_and(|node| matches!(node.kind(), "field_declaration" | "constant_declaration"));
    if is_member { name(place) } else { Vec::new() }
}
