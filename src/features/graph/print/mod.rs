//! The event graph for people, programs, Graphviz and Mermaid. Input: a graph, or an answer about one. Output: bytes.
//! Nothing is selected or counted here. Machine form: `yatsu-hook/graph/v1` (schema/graph.v1.schema.json).

mod dot;
mod human;
mod json;
mod mermaid;
mod short_name;

pub(crate) use dot::write as write_dot;
pub(crate) use human::{write_detail, write_diff, write_digest, write_lines, write_summary, write_trees};
pub(crate) use json::{
    write as write_json, write_diff as write_diff_json, write_digest as write_digest_json, write_ops,
};
pub(crate) use mermaid::write as write_mermaid;

use crate::features::graph::model::answer::{EachNode, EachRelation, GraphContent, GraphNodeRow, NodeLook};
use short_name::ShortNames;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The number that a drawing uses for each id, counted in the order of first use. A relation may lead to an id that is no
/// node.
#[derive(Default)]
struct Drawn(BTreeMap<String, usize>);

impl Drawn {
    fn number(&mut self, id: &str) -> (usize, bool) {
        let next = self.0.len();
        match self.0.get(id) {
            Some(number) => (*number, false),
            None => {
                self.0.insert(id.to_owned(), next);
                (next, true)
            }
        }
    }
}

/// The line above a drawing, in plain ASCII: the meaning of its borders, and how many nodes it leaves out. For example:
/// `red border: open failure; left out: 12 commit (--nodes 0 draws all)`.
fn legend(content: &dyn GraphContent) -> io::Result<String> {
    let (mut marks, mut nodes) = (BTreeSet::new(), BTreeSet::new());
    content.nodes(&mut |row| {
        nodes.insert(row.id.to_owned());
        marks.extend(match row.look {
            NodeLook::Plain => None,
            NodeLook::Stale => Some("dashed: stale"),
            NodeLook::Open => Some("red border: open failure"),
            NodeLook::Buried => Some("dotted: withdrawn"),
        });
        Ok(())
    })?;
    content.relations(&mut |row| {
        marks.extend([row.from, row.to].iter().any(|end| !nodes.contains(*end)).then_some("no border: absent"));
        Ok(())
    })?;
    let mut parts: Vec<String> = marks.into_iter().map(str::to_owned).collect();
    let left: Vec<String> = content.left_out().iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    if !left.is_empty() {
        parts.push(format!("left out: {} (--nodes 0 draws all)", left.join(", ")));
    }
    Ok(parts.join("; "))
}

/// Draws every node, then the relations, each with its short name. An id that is no node is drawn before the first relation
/// to it.
fn drawn(
    content: &dyn GraphContent,
    node: &mut dyn FnMut(usize, &GraphNodeRow<'_>, &str) -> io::Result<()>,
    absent: &mut dyn FnMut(usize, &str) -> io::Result<()>,
    relation: &mut dyn FnMut([usize; 2], &str) -> io::Result<()>,
) -> io::Result<()> {
    let (mut numbers, mut names) = (Drawn::default(), ShortNames::default());
    content.nodes(&mut |row| {
        names.add(row.id);
        Ok(())
    })?;
    let each: EachNode<'_> = &mut |row| node(numbers.number(row.id).0, row, &names.name(row.id));
    content.nodes(each)?;
    let each: EachRelation<'_> = &mut |row| {
        let ends = [row.from, row.to].map(|id| (id, numbers.number(id)));
        for (id, (number, is_new)) in ends {
            if is_new {
                absent(number, &names.name(id))?;
            }
        }
        relation(ends.map(|(_, (number, _))| number), row.rel)
    };
    content.relations(each)
}
