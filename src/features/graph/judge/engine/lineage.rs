//! Finds causes and consequences: walks along the relations of a graph, and the neighbourhood of a node. A graph and an id
//! in, the reached nodes out. Each walk visits every node once, so that circles end.

use super::apply::{Graph, RelationKey};
use foldhash::{HashMap, HashSet};
use std::collections::VecDeque;

/// The direction of a walk. It never turns round, because two effects of one cause are unrelated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Along the relations.
    Down,
    /// Against them.
    Up,
}

/// A node that a walk reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkStep<'g> {
    /// The number of relations from the start, which has 0.
    pub depth: usize,
    /// The relation that leads to it; `None` at the start.
    pub rel: Option<&'g str>,
    /// The id of the node that the walk reached.
    pub id: &'g str,
}

/// The relations of a graph by one of their ends.
pub struct Neighbours<'g> {
    graph: &'g Graph,
    /// By one end; each list is sorted by the names of the relation and of the other end.
    known: HashMap<u32, Vec<(u32, u32)>>,
}

impl<'g> Neighbours<'g> {
    /// The relations in this direction. Withdrawn nodes are included only if `buried` is set.
    pub fn of(graph: &'g Graph, way: Way, buried: bool) -> Self {
        let mut known: HashMap<u32, Vec<(u32, u32)>> = HashMap::default();
        let is_buried = |number: u32| graph.nodes[number as usize].as_ref().is_some_and(|node| node.tombstoned);
        for RelationKey { from, rel, to } in graph.relations.keys() {
            if !buried && (is_buried(*from) || is_buried(*to)) {
                continue;
            }
            let (at, other) = if way == Way::Down { (from, to) } else { (to, from) };
            known.entry(*at).or_default().push((*rel, *other));
        }
        let name = |(rel, other): &(u32, u32)| (graph.rels.name(*rel), graph.ids.name(*other));
        known.values_mut().for_each(|list| list.sort_unstable_by(|one, other| name(one).cmp(&name(other))));
        Self { graph, known }
    }

    /// The nodes one relation away from `id`, each with the relation.
    pub fn next(&self, id: &str) -> impl Iterator<Item = (&'g str, &'g str)> {
        let graph = self.graph;
        let found = graph.ids.find(id).and_then(|number| self.known.get(&number));
        found.into_iter().flatten().map(|(rel, other)| (graph.rels.name(*rel), graph.ids.name(*other)))
    }

    /// The nodes that this relation reaches.
    pub fn by(&self, id: &str, rel: &str) -> Vec<&'g str> {
        self.next(id).filter(|(known, _)| *known == rel).map(|(_, other)| other).collect()
    }

    /// Walks from `id` at most `depth` relations. Every node is reached by a shortest way and follows the node it is
    /// reached from, as in a tree.
    pub fn walk(&self, id: &str, depth: Option<usize>) -> Vec<WalkStep<'g>> {
        let graph = self.graph;
        let Some(start) = graph.ids.find(id) else { return Vec::new() };
        let mut children: HashMap<u32, Vec<(u32, u32)>> = HashMap::default();
        let mut seen: HashSet<u32> = HashSet::default();
        seen.insert(start);
        let mut open = VecDeque::from([(start, 0)]);
        while let Some((at, far)) = open.pop_front() {
            if depth.is_some_and(|depth| far >= depth) {
                continue;
            }
            for (rel, other) in self.known.get(&at).into_iter().flatten() {
                if seen.insert(*other) {
                    children.entry(at).or_default().push((*rel, *other));
                    open.push_back((*other, far + 1));
                }
            }
        }
        let mut steps = Vec::with_capacity(seen.len());
        let mut stack = vec![(start, None, 0)];
        while let Some((at, rel, depth)) = stack.pop() {
            let rel: Option<u32> = rel;
            steps.push(WalkStep { depth, rel: rel.map(|rel| graph.rels.name(rel)), id: graph.ids.name(at) });
            let below = children.get(&at).into_iter().flatten().rev();
            stack.extend(below.map(|(rel, other)| (*other, Some(*rel), depth + 1)));
        }
        steps
    }
}

/// The nodes within `depth` relations of `id`, in both directions.
pub fn around<'g>(graph: &'g Graph, id: &'g str, depth: usize, buried: bool) -> HashSet<&'g str> {
    let ways = [Neighbours::of(graph, Way::Down, buried), Neighbours::of(graph, Way::Up, buried)];
    let mut seen: HashSet<&str> = HashSet::default();
    seen.insert(id);
    let mut edge = vec![id];
    for _ in 0..depth {
        let next = edge.iter().flat_map(|at| ways.iter().flat_map(move |way| way.next(at).map(|(_, other)| other)));
        let next: Vec<&str> = next.collect();
        edge = next.into_iter().filter(|other| seen.insert(other)).collect();
        if edge.is_empty() {
            break;
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::judge::engine::apply::Shapes;
    use crate::features::graph::model::op::StateOp;
    use proptest::prelude::*;

    fn graph(relations: &[(&str, &str, &str)]) -> Graph {
        let mut graph = Graph::default();
        for (from, rel, to) in relations {
            graph.apply(vec![StateOp::relate(*from, rel, *to)], Shapes::Foreign).unwrap();
        }
        graph
    }

    fn told(graph: &Graph, way: Way, id: &str, depth: Option<usize>) -> String {
        let steps = Neighbours::of(graph, way, false).walk(id, depth);
        steps.iter().map(|step| format!("{}{} ", step.depth, step.id)).collect()
    }

    #[test]
    fn a_walk_is_transitive_and_never_turns_round() {
        let graph = graph(&[("a", "r", "b"), ("b", "s", "c"), ("x", "r", "b"), ("a", "q", "d"), ("d", "r", "c")]);
        assert_eq!(told(&graph, Way::Down, "a", None), "0a 1d 2c 1b ", "x has b in common and is none of its causes");
        assert_eq!(told(&graph, Way::Up, "c", None), "0c 1d 2a 1b 2x ");
        assert_eq!(told(&graph, Way::Down, "a", Some(1)), "0a 1d 1b ");
        assert_eq!(told(&graph, Way::Down, "nobody", None), "");
        assert_eq!(around(&graph, "b", 1, false).len(), 4);
        assert_eq!(around(&graph, "b", 2, false).len(), 5, "a neighbourhood turns round");
    }

    #[test]
    fn a_circle_ends_and_each_node_stands_there_once() {
        let graph = graph(&[("a", "r", "b"), ("b", "r", "c"), ("c", "r", "a"), ("c", "r", "c")]);
        assert_eq!(told(&graph, Way::Down, "a", None), "0a 1b 2c ");
        assert_eq!(told(&graph, Way::Up, "a", None), "0a 1c 2b ");
    }

    proptest! {
        #[test]
        fn what_is_reached_down_reaches_back_up(
            pairs in prop::collection::vec(("[a-f]", "[a-f]"), 0..14), start in "[a-f]", end in "[a-f]"
        ) {
            let mut graph = Graph::default();
            for (from, to) in &pairs {
                graph.apply(vec![StateOp::relate(from, "r", to)], Shapes::Foreign).unwrap();
            }
            let reaches = |way: Way, from: &str, to: &str| {
                Neighbours::of(&graph, way, false).walk(from, None).iter().any(|step| step.id == to)
            };
            prop_assert_eq!(reaches(Way::Down, &start, &end), reaches(Way::Up, &end, &start));
            let steps = Neighbours::of(&graph, Way::Down, false).walk(&start, None);
            let names: HashSet<&str> = steps.iter().map(|step| step.id).collect();
            prop_assert_eq!(names.len(), steps.len());
        }
    }
}
