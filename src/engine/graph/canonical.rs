//! The canonical JSON of nodes and relations: keys sorted, no blanks. What is hashed, and what is printed of each.

#[cfg(test)]
use super::apply::Graph;
#[cfg(test)]
use super::part::Buried;
use super::part::{GraphPart, NamedNode, NamedRelation};
use crate::model::graph::value::{Props, write_text};
use std::io::{self, Write};

/// Writes `part` as one object; of the reasons why a node is stale those that are `meant`.
pub(super) fn write(part: &GraphPart<'_>, meant: &dyn Fn(&str) -> bool, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"nodes\":[")?;
    for (at, node) in part.nodes.iter().enumerate() {
        separate(at, out)?;
        write_node(*node, meant, out)?;
    }
    out.write_all(b"],\"relations\":[")?;
    for (at, relation) in part.relations.iter().enumerate() {
        separate(at, out)?;
        write_relation(*relation, out)?;
    }
    out.write_all(b"]}")
}

fn write_node(
    NamedNode { id, node }: NamedNode<'_>,
    meant: &dyn Fn(&str) -> bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"{\"artifacts\":[")?;
    for (at, artifact) in node.artifacts.iter().enumerate() {
        separate(at, out)?;
        artifact.write(out)?;
    }
    out.write_all(b"],\"id\":")?;
    write_text(id, out)?;
    out.write_all(b",\"kind\":")?;
    write_text(&node.kind, out)?;
    out.write_all(b",\"props\":")?;
    node.props.write(out)?;
    out.write_all(b",\"stale\":[")?;
    for (at, reason) in node.stale.iter().filter(|reason| meant(reason)).enumerate() {
        separate(at, out)?;
        write_text(reason, out)?;
    }
    write!(out, "],\"tombstoned\":{}}}", node.tombstoned)
}

fn write_relation(relation: NamedRelation<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"from\":")?;
    write_text(relation.from, out)?;
    out.write_all(b",\"props\":")?;
    relation.props.write(out)?;
    out.write_all(b",\"rel\":")?;
    write_text(relation.rel, out)?;
    out.write_all(b",\"to\":")?;
    write_text(relation.to, out)?;
    out.write_all(b"}")
}

/// The JSON of a node.
pub fn node_json(node: NamedNode<'_>) -> String {
    text(|out| write_node(node, &|_| true, out))
}

/// The JSON of a relation.
pub fn relation_json(relation: NamedRelation<'_>) -> String {
    text(|out| write_relation(relation, out))
}

/// The JSON of an object.
pub fn props_json(props: &Props) -> String {
    text(|out| props.write(out))
}

fn text(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    // memory takes everything, and JSON is text
    let _ = write(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

fn separate(at: usize, out: &mut dyn Write) -> io::Result<()> {
    if at > 0 { out.write_all(b",") } else { Ok(()) }
}

/// All of a graph as it is told, for comparisons.
#[cfg(test)]
pub(super) fn bytes(graph: &Graph) -> Vec<u8> {
    let mut out = Vec::new();
    write(&graph.whole(Buried::In), &|_| true, &mut out).expect("memory");
    out
}
