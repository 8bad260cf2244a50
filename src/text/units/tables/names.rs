//! The names that most grammars give in the same way.

use crate::text::units::table::NodePlace;
use tree_sitter::Node;

/// The text of the field `name`.
pub(super) fn name(place: &NodePlace<'_, '_>) -> Vec<String> {
    field(place, "name")
}

/// The text of the field `name`, beside that of every other child in such a field: `a, b` of one declaration.
pub(super) fn names(place: &NodePlace<'_, '_>) -> Vec<String> {
    let mut cursor = place.node.walk();
    place.node.children_by_field_name("name", &mut cursor).map(|node| place.text(node).to_owned()).collect()
}

/// The text of a field.
pub(super) fn field(place: &NodePlace<'_, '_>, name: &str) -> Vec<String> {
    place.node.child_by_field_name(name).map(|node| place.text(node).to_owned()).into_iter().collect()
}

/// The text of every node of one of these kinds at `node` or below it, as far as `enters` lets.
pub(super) fn leaves<'t>(
    place: &NodePlace<'_, 't>,
    node: Node<'t>,
    kinds: &[&str],
    enters: fn(Node<'t>) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if kinds.contains(&node.kind()) {
            found.push(place.text(node).to_owned());
        } else if enters(node) {
            let mut cursor = node.walk();
            let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
            open.extend(children.into_iter().rev());
        }
    }
    found
}
