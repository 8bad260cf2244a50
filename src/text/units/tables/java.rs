//! Java: types with their constants, methods, constructors and fields.

use super::names::name;
use crate::text::units::table::{Grammar, NodeMeaning, NodePlace, UnitRole, always};

pub(super) static JAVA: Grammar = Grammar {
    parser: tree_sitter_java::LANGUAGE,
    rows: &[
        ("class_declaration", NodeMeaning::Unit("class", UnitRole::Type, name)),
        ("interface_declaration", NodeMeaning::Unit("interface", UnitRole::Type, name)),
        ("enum_declaration", NodeMeaning::Unit("enum", UnitRole::Type, name)),
        ("enum_constant", NodeMeaning::Unit("constant", UnitRole::Type, name)),
        ("record_declaration", NodeMeaning::Unit("record", UnitRole::Type, name)),
        ("annotation_type_declaration", NodeMeaning::Unit("annotation", UnitRole::Type, name)),
        ("annotation_type_element_declaration", NodeMeaning::Unit("method", UnitRole::Function, name)),
        ("method_declaration", NodeMeaning::Unit("method", UnitRole::Function, name)),
        ("constructor_declaration", NodeMeaning::Unit("constructor", UnitRole::Function, constructor)),
        ("compact_constructor_declaration", NodeMeaning::Unit("constructor", UnitRole::Function, constructor)),
        ("field_declaration", NodeMeaning::Statement(always)),
        ("constant_declaration", NodeMeaning::Statement(always)),
        ("variable_declarator", NodeMeaning::Unit("field", UnitRole::Variable, member)),
        ("lambda_expression", NodeMeaning::Body),
        ("static_initializer", NodeMeaning::Body),
        ("block", NodeMeaning::Body),
    ],
};

/// Every constructor is called so, however its class is.
fn constructor(_: &NodePlace<'_, '_>) -> Vec<String> {
    vec!["constructor".into()]
}

/// The name of a field; a variable of a method is declared in the same way, and is none.
fn member(place: &NodePlace<'_, '_>) -> Vec<String> {
    let is_member =
        place.above(0).is_some_and(|node| matches!(node.kind(), "field_declaration" | "constant_declaration"));
    if is_member { name(place) } else { Vec::new() }
}
