//! The gaps of an event graph, as the graph rules get them.

use crate::features::graph::judge::engine::apply::Graph;
use crate::features::graph::judge::engine::replay::{Missed, PartialNote};

#[derive(Clone, Debug, Default)]
pub struct GraphGaps {
    /// The lines and events that are not in the graph.
    pub partial: Vec<PartialNote>,
    /// The number of further ones that are not listed.
    pub unlisted: u64,
    /// Ids that relations name and that no node has.
    pub dangling: Vec<Dangling>,
    /// The branches that came into the main branch without proof.
    pub unproven: Vec<UnprovenPatch>,
}

/// A branch that came into the main branch without proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnprovenPatch {
    pub branch: String,
    /// The scenarios that it touches, for people; at least one.
    pub touches: Vec<String>,
}

/// An id that relations name and that no node has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dangling {
    pub id: String,
    /// The first relation that names it: from, relation, to.
    pub first: [String; 3],
    /// The number of further relations that name it.
    pub others: usize,
}

impl GraphGaps {
    /// The gaps of `graph`; `missed` are the lines and events that were left out of it.
    pub fn of(graph: &Graph, missed: &Missed) -> Self {
        let mut dangling: Vec<Dangling> = Vec::new();
        let mut all = graph.dangling();
        all.sort_by_key(|(_, absent)| *absent);
        for (relation, id) in all {
            match dangling.last_mut() {
                Some(last) if last.id == *id => last.others += 1,
                _ => {
                    let first = [relation.from, relation.rel, relation.to].map(str::to_owned);
                    dangling.push(Dangling { id: id.to_owned(), first, others: 0 });
                }
            }
        }
        Self { partial: missed.notes.clone(), unlisted: missed.unlisted, dangling, unproven: Vec::new() }
    }
}
