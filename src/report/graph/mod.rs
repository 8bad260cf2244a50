//! The event graph for people, programs, Graphviz and Mermaid. Input: a graph, or an answer about one. Output: bytes.
//! Nothing is selected or counted here. Machine form: `yatsu-hook/graph/v1` (schema/graph.v1.schema.json).

mod dot;
mod human;
mod json;
mod mermaid;

pub(crate) use dot::write as write_dot;
pub(crate) use human::{write_detail, write_diff, write_digest, write_lines, write_summary, write_trees};
pub(crate) use json::{
    write as write_json, write_diff as write_diff_json, write_digest as write_digest_json, write_ops,
};
pub(crate) use mermaid::write as write_mermaid;

use super::view::graph::{EachNode, EachRelation, GraphContent, GraphNodeRow};
use std::collections::BTreeMap;
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

/// Draws every node, then the relations. An id that is no node is drawn before the first relation to it.
fn drawn(
    content: &dyn GraphContent,
    node: &mut dyn FnMut(usize, &GraphNodeRow<'_>) -> io::Result<()>,
    absent: &mut dyn FnMut(usize, &str) -> io::Result<()>,
    relation: &mut dyn FnMut([usize; 2], &str) -> io::Result<()>,
) -> io::Result<()> {
    let mut numbers = Drawn::default();
    let each: EachNode<'_> = &mut |row| node(numbers.number(row.id).0, row);
    content.nodes(each)?;
    let each: EachRelation<'_> = &mut |row| {
        let ends = [row.from, row.to].map(|id| (id, numbers.number(id)));
        for (id, (number, is_new)) in ends {
            if is_new {
                absent(number, id)?;
            }
        }
        relation(ends.map(|(_, (number, _))| number), row.rel)
    };
    content.relations(each)
}
