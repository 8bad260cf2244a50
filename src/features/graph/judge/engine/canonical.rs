//! The canonical JSON of nodes and relations: keys sorted, no blanks. It is hashed and printed.

#[cfg(test)]
use super::apply::Graph;
#[cfg(test)]
use super::part::Buried;
use super::part::{GraphPart, NamedNode, NamedRelation};
use crate::features::graph::model::value::{Props, write_text};

/// Writes `part` as one object, piece by piece. Of a node's stale reasons it writes the ones that `meant` accepts.
pub(super) fn tell(part: &GraphPart<'_>, meant: &dyn Fn(&str) -> bool, each: &mut dyn FnMut(&[u8])) {
    let mut piece = Vec::new();
    each(b"{\"nodes\":[");
    for (at, node) in part.nodes.iter().enumerate() {
        piece.clear();
        separate(at, &mut piece);
        write_node(*node, meant, &mut piece);
        each(&piece);
    }
    each(b"],\"relations\":[");
    for (at, relation) in part.relations.iter().enumerate() {
        piece.clear();
        separate(at, &mut piece);
        write_relation(*relation, &mut piece);
        each(&piece);
    }
    each(b"]}");
}

fn write_node(NamedNode { id, node }: NamedNode<'_>, meant: &dyn Fn(&str) -> bool, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"artifacts\":[");
    for (at, artifact) in node.artifacts.iter().enumerate() {
        separate(at, out);
        artifact.write(out);
    }
    out.extend_from_slice(b"],\"id\":");
    write_text(id, out);
    out.extend_from_slice(b",\"kind\":");
    write_text(&node.kind, out);
    out.extend_from_slice(b",\"props\":");
    node.props.write(out);
    out.extend_from_slice(b",\"stale\":[");
    for (at, reason) in node.stale.iter().filter(|reason| meant(reason)).enumerate() {
        separate(at, out);
        write_text(reason, out);
    }
    out.extend_from_slice(b"],\"tombstoned\":");
    out.extend_from_slice(if node.tombstoned { b"true}" } else { b"false}" });
}

fn write_relation(relation: NamedRelation<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"from\":");
    write_text(relation.from, out);
    out.extend_from_slice(b",\"props\":");
    relation.props.write(out);
    out.extend_from_slice(b",\"rel\":");
    write_text(relation.rel, out);
    out.extend_from_slice(b",\"to\":");
    write_text(relation.to, out);
    out.push(b'}');
}

pub fn node_json(node: NamedNode<'_>) -> String {
    text(|out| write_node(node, &|_| true, out))
}

pub fn relation_json(relation: NamedRelation<'_>) -> String {
    text(|out| write_relation(relation, out))
}

pub fn props_json(props: &Props) -> String {
    text(|out| props.write(out))
}

fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    // JSON is text
    String::from_utf8(out).unwrap_or_default()
}

fn separate(at: usize, out: &mut Vec<u8>) {
    if at > 0 {
        out.push(b',');
    }
}

/// The canonical JSON of a whole graph, for comparisons.
#[cfg(test)]
pub(super) fn bytes(graph: &Graph) -> Vec<u8> {
    let mut out = Vec::new();
    tell(&graph.whole(Buried::In), &|_| true, &mut |piece| out.extend_from_slice(piece));
    out
}
