//! Rust: items, and the members of an `impl` under its type.

use super::names::name;
use crate::text::units::table::{Node, Parting, Place, Role, Table, always};

pub(super) static RUST: Table = Table {
    grammar: tree_sitter_rust::LANGUAGE,
    rows: &[
        ("function_item", Node::Unit("fn", Role::Function, name)),
        ("function_signature_item", Node::Unit("fn", Role::Function, name)),
        ("struct_item", Node::Unit("struct", Role::Type, name)),
        ("enum_item", Node::Unit("enum", Role::Type, name)),
        ("union_item", Node::Unit("union", Role::Type, name)),
        ("trait_item", Node::Unit("trait", Role::Type, name)),
        ("const_item", Node::Unit("const", Role::Variable, constant)),
        ("static_item", Node::Unit("static", Role::Variable, name)),
        ("type_item", Node::Unit("type", Role::Type, name)),
        ("associated_type", Node::Unit("type", Role::Type, name)),
        ("macro_definition", Node::Unit("macro_rules", Role::Type, name)),
        ("mod_item", Node::Unit("mod", Role::Type, name)),
        ("impl_item", Node::Scope(implemented)),
        ("closure_expression", Node::Body),
        ("const_block", Node::Body),
        ("attribute_item", Node::Leading(always, Parting::Nothing)),
        ("line_comment", Node::Leading(is_documentation, Parting::Nothing)),
        ("block_comment", Node::Leading(is_documentation, Parting::Nothing)),
    ],
};

/// A constant; `const _: () = …` has no name.
fn constant(place: &Place<'_, '_>) -> Vec<String> {
    name(place).into_iter().filter(|name| name != "_").collect()
}

/// The type that an `impl` is of, without its path, its arguments and what refers to it. One that has no name, `[T]` or
/// `(A, B)`, names nothing.
fn implemented(place: &Place<'_, '_>) -> Vec<String> {
    let mut of = place.node.child_by_field_name("type");
    while let Some(node) = of {
        of = match node.kind() {
            "type_identifier" | "primitive_type" => return vec![place.text(node).to_owned()],
            "generic_type" | "reference_type" | "pointer_type" => node.child_by_field_name("type"),
            "scoped_type_identifier" => node.child_by_field_name("name"),
            "dynamic_type" => node.child_by_field_name("trait"),
            _ => None,
        };
    }
    Vec::new()
}

/// A comment that documents what follows: `///` and `/** */`, not `//!`, `////` or `/***`.
fn is_documentation(place: &Place<'_, '_>) -> bool {
    place.node.child_by_field_name("outer").is_some()
}
