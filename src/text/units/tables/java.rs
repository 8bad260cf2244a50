//! Java: types with their constants, methods, constructors and fields.

use super::names::{changed, name};
use crate::text::units::table::{Grammar, NameReach, NodeMeaning, NodePlace, UnitRole, always, as_written};

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
        ("block", NodeMeaning::Initializer),
        ("expression_statement", NodeMeaning::Statement(always)),
        ("expression_statement", NodeMeaning::Extends(NameReach::Around, called)),
        ("assignment_expression", NodeMeaning::Extends(NameReach::Around, assigned)),
        ("update_expression", NodeMeaning::Extends(NameReach::Around, assigned)),
    ],
    spelled: as_written,
};

fn assigned(place: &NodePlace<'_, '_>) -> Vec<String> {
    let target = place.node.child_by_field_name("left").or(place.node.named_child(0));
    target.map(|target| changed(place, target)).unwrap_or_default()
}

/// The name before the dot, if an initializer calls a method.
fn called(place: &NodePlace<'_, '_>) -> Vec<String> {
    let call = place.node.named_child(0).filter(|node| node.kind() == "method_invocation");
    call.map(|call| changed(place, call)).unwrap_or_default()
}

/// The selector name of every constructor, independent of its class.
fn constructor(_: &NodePlace<'_, '_>) -> Vec<String> {
    vec!["constructor".into()]
}

/// The name of a field. A local variable has the same kind of node, and is no field.
fn member(place: &NodePlace<'_, '_>) -> Vec<String> {
    let is_member =
        place.above(0).is_some_and(|node| matches!(node.kind(), "field_declaration" | "constant_declaration"));
    if is_member { name(place) } else { Vec::new() }
}
