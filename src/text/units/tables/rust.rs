//! Rust: items, and the members of an `impl` under its type.

use super::names::name;
use crate::text::units::table::{Grammar, NameReach, NodeMeaning, NodePlace, Parting, UnitRole, attached};
use tree_sitter::Node;

pub(super) static RUST: Grammar = Grammar {
    parser: tree_sitter_rust::LANGUAGE,
    rows: &[
        ("function_item", NodeMeaning::Unit("fn", UnitRole::Function, name)),
        ("function_signature_item", NodeMeaning::Unit("fn", UnitRole::Function, name)),
        ("struct_item", NodeMeaning::Unit("struct", UnitRole::Type, name)),
        ("enum_item", NodeMeaning::Unit("enum", UnitRole::Type, name)),
        ("union_item", NodeMeaning::Unit("union", UnitRole::Type, name)),
        ("trait_item", NodeMeaning::Unit("trait", UnitRole::Type, name)),
        ("const_item", NodeMeaning::Unit("const", UnitRole::Variable, constant)),
        ("static_item", NodeMeaning::Unit("static", UnitRole::Variable, name)),
        ("type_item", NodeMeaning::Unit("type", UnitRole::Type, name)),
        ("associated_type", NodeMeaning::Unit("type", UnitRole::Type, name)),
        ("macro_definition", NodeMeaning::Unit("macro_rules", UnitRole::Type, name)),
        ("mod_item", NodeMeaning::Unit("mod", UnitRole::Type, name)),
        // before `Scope`, because the names of the head belong to the surrounding scope
        ("impl_item", NodeMeaning::HeadExtends(implemented)),
        ("impl_item", NodeMeaning::Scope(implemented)),
        ("use_declaration", NodeMeaning::Extends(NameReach::Here, used)),
        ("closure_expression", NodeMeaning::Body),
        ("const_block", NodeMeaning::Body),
        ("attribute_item", NodeMeaning::Leading(attached)),
        ("line_comment", NodeMeaning::Leading(documentation)),
        ("block_comment", NodeMeaning::Leading(documentation)),
    ],
    spelled: without_raw,
};

/// `r#type` is the name `type`.
fn without_raw(name: &str) -> String {
    name.strip_prefix("r#").unwrap_or(name).to_owned()
}

/// A constant; `const _: () = …` has no name.
fn constant(place: &NodePlace<'_, '_>) -> Vec<String> {
    name(place).into_iter().filter(|name| name != "_").collect()
}

/// The type of an `impl`, without its path, its arguments, references and pointers. A type without a name, such as `[T]` or
/// `(A, B)`, gives no name.
fn implemented(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut of = place.node.child_by_field_name("type");
    while let Some(node) = of {
        of = match node.kind() {
            "type_identifier" | "primitive_type" => return vec![place.text(node).to_owned()],
            "generic_type" | "reference_type" | "pointer_type" | "higher_ranked_trait_bound" => {
                node.child_by_field_name("type")
            }
            "scoped_type_identifier" => node.child_by_field_name("name"),
            "dynamic_type" | "function_type" => node.child_by_field_name("trait"),
            "bounded_type" => first_type(node),
            // the grammar parses `(dyn A + Send)` as a tuple
            "tuple_type" if node.child_count() == 3 => first_type(node),
            _ => None,
        };
    }
    Vec::new()
}

/// The first type directly in a node.
fn first_type(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !child.is_extra() && child.kind() != "lifetime")
}

/// A comment that documents the following item: `///` and `/** */`, not `//!`, `////` or `/***`.
fn documentation(place: &NodePlace<'_, '_>) -> Option<Parting> {
    place.node.child_by_field_name("outer").map(|_| Parting::Nothing)
}

/// The names that a `use` binds.
fn used(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<Node<'_>> = place.node.child_by_field_name("argument").into_iter().collect();
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" => found.push(place.text(node).to_owned()),
            "scoped_identifier" => open.extend(node.child_by_field_name("name")),
            "use_as_clause" => open.extend(node.child_by_field_name("alias")),
            "scoped_use_list" => open.extend(node.child_by_field_name("list")),
            "use_list" => open.extend(node.named_children(&mut node.walk())),
            _ => {}
        }
    }
    found
}
