//! Names that most grammars represent in the same way.

use crate::text::units::table::NodePlace;
use tree_sitter::Node;

/// How many names of a chain like `a.b.c` are followed; later ones are no units.
const MAX_PARTS: usize = 32;

pub(super) fn name(place: &NodePlace<'_, '_>) -> Vec<String> {
    field(place, "name")
}

/// The texts of all children in a field `name`, for example `a` and `b` of one declaration.
pub(super) fn names(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut cursor = place.node.walk();
    place.node.children_by_field_name("name", &mut cursor).map(|node| place.text(node).to_owned()).collect()
}

pub(super) fn field(place: &NodePlace<'_, '_>, name: &str) -> Vec<String> {
    place.node.child_by_field_name(name).map(|node| place.text(node).to_owned()).into_iter().collect()
}

/// The text of every node of one of these kinds at `node` or below it; `enters` limits the search.
pub(super) fn leaves<'t>(
    place: &NodePlace<'_, 't>,
    node: Node<'t>,
    kinds: &[&str],
    enters: fn(Node<'t>) -> bool,
) -> Vec<String> {
    leaf_nodes(node, kinds, enters).into_iter().map(|node| place.text(node).to_owned()).collect()
}

/// Every node of one of these kinds at `node` or below it; `enters` limits the search.
pub(super) fn leaf_nodes<'t>(node: Node<'t>, kinds: &[&str], enters: fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if kinds.contains(&node.kind()) {
            found.push(node);
        } else if enters(node) {
            let mut cursor = node.walk();
            let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
            open.extend(children.into_iter().rev());
        }
    }
    found
}

/// The names that an assignment to `node`, its deletion or its call changes: `A` and `A.b` for `A.b`, `A.b[0]` and
/// `A.b.c()`. None if the expression does not begin with a name.
pub(super) fn changed(place: &NodePlace<'_, '_>, node: Node<'_>) -> Vec<String> {
    let parts: Vec<&str> = parts(node).into_iter().map(|part| place.text(part)).collect();
    prefixes(if matches!(parts.first(), Some(&"self" | &"this")) { &parts[1..] } else { &parts })
}

/// `A`, `A.b` and `A.b.c` for three parts.
pub(super) fn prefixes(parts: &[&str]) -> Vec<String> {
    (1..=parts.len()).map(|length| parts[..length].join(".")).collect()
}

/// The nodes of the names in a chain, the outermost first, up to the first part that is no name: `A` and `b` of `A.b[0].c`.
pub(super) fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut parts = Vec::new();
    let (mut of, mut is_called) = (Some(node), false);
    while let Some(node) = of {
        let (inner, part) = match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" | "constant" | "self" | "this" => (None, Some(node)),
            "attribute" => (field_of(node, "object"), field_of(node, "attribute")),
            "member_expression" => (field_of(node, "object"), field_of(node, "property")),
            "field_access" => (field_of(node, "object"), field_of(node, "field")),
            "scope_resolution" => (field_of(node, "scope"), field_of(node, "name")),
            "subscript_expression" => {
                (field_of(node, "object"), field_of(node, "index").filter(|index| index.kind() == "string"))
            }
            "call" | "call_expression" | "method_invocation" => (callee(node), None),
            "subscript" => (field_of(node, "value"), None),
            "element_reference" => (field_of(node, "object"), None),
            "array_access" => (field_of(node, "array"), None),
            // wrappers that change neither the value nor its name
            "parenthesized_expression"
            | "non_null_expression"
            | "as_expression"
            | "satisfies_expression"
            | "await"
            | "await_expression" => {
                of = node.named_child(0);
                continue;
            }
            "type_assertion" => {
                of = node.named_child(1);
                continue;
            }
            _ => return Vec::new(),
        };
        // a call changes the object, not its method
        parts.push(part.filter(|_| !is_called || inner.is_none()));
        is_called = matches!(node.kind(), "call" | "call_expression") && field_of(node, "function").is_some();
        of = inner;
    }
    parts.into_iter().rev().map_while(|part| part).take(MAX_PARTS).collect()
}

/// The called function, or the object of the called method.
fn callee(node: Node<'_>) -> Option<Node<'_>> {
    ["function", "receiver", "object"].into_iter().find_map(|field| field_of(node, field))
}

fn field_of<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}
