//! The difference between two graphs: nodes and relations that were added, removed or changed. Facts that are local to a
//! clone are left out on both sides.

use super::apply::{Graph, GraphNode, Shapes};
use super::digest;
use super::part::{Buried, GraphPart, NamedNode, NamedRelation};
use crate::features::graph::model::value::Props;
use std::cmp::Ordering;

/// A changed node.
#[derive(Clone, Copy, Debug)]
pub struct ChangedNode<'g> {
    pub(crate) before: NamedNode<'g>,
    pub(crate) after: NamedNode<'g>,
}

/// A relation with changed properties.
#[derive(Clone, Copy, Debug)]
pub struct ChangedRelation<'g> {
    /// The properties before.
    pub before: &'g Props,
    pub(crate) after: NamedRelation<'g>,
}

/// The difference between two graphs.
#[derive(Debug, Default)]
pub struct GraphDiff<'g> {
    /// What only the second graph has.
    pub added: GraphPart<'g>,
    /// What only the first graph has.
    pub removed: GraphPart<'g>,
    /// Nodes of both graphs with different content.
    pub changed_nodes: Vec<ChangedNode<'g>>,
    pub(crate) changed_relations: Vec<ChangedRelation<'g>>,
}

/// The difference between two graphs; `shapes` is the origin of their ops.
pub fn diff<'g>(before: &'g Graph, after: &'g Graph, shapes: Shapes) -> GraphDiff<'g> {
    let mut found = GraphDiff::default();
    let [old, new] = [before, after].map(|graph| digest::shared(graph.whole(Buried::In), shapes));
    for step in merged(old.nodes, new.nodes, |one, other| one.id.cmp(other.id)) {
        match step {
            Merged::Gone(node) => found.removed.nodes.push(node),
            Merged::New(node) => found.added.nodes.push(node),
            Merged::Both(before, after) if is_same(before.node, after.node, shapes) => {}
            Merged::Both(before, after) => found.changed_nodes.push(ChangedNode { before, after }),
        }
    }
    let names = |relation: &NamedRelation<'g>| (relation.from, relation.rel, relation.to);
    for step in merged(old.relations, new.relations, |one, other| names(one).cmp(&names(other))) {
        match step {
            Merged::Gone(relation) => found.removed.relations.push(relation),
            Merged::New(relation) => found.added.relations.push(relation),
            Merged::Both(before, after) if before.props == after.props => {}
            Merged::Both(before, after) => {
                found.changed_relations.push(ChangedRelation { before: before.props, after });
            }
        }
    }
    found
}

/// Whether two nodes are equal apart from facts that are local to a clone.
fn is_same(one: &GraphNode, other: &GraphNode, shapes: Shapes) -> bool {
    let meant = |node: &GraphNode| -> Vec<String> {
        let reasons = node.stale.iter().map(|reason| reason.to_string());
        reasons.filter(|reason| shapes == Shapes::Foreign || reason != digest::ANCHOR).collect()
    };
    one.kind == other.kind
        && one.props == other.props
        && one.tombstoned == other.tombstoned
        && one.artifacts == other.artifacts
        && meant(one) == meant(other)
}

enum Merged<T> {
    Gone(T),
    New(T),
    Both(T, T),
}

/// Two sorted lists, merged.
fn merged<T>(old: Vec<T>, new: Vec<T>, order: impl Fn(&T, &T) -> Ordering) -> Vec<Merged<T>> {
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    let mut steps = Vec::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return steps,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => order(one, other),
        };
        let step = match order {
            Ordering::Less => old.next().map(Merged::Gone),
            Ordering::Greater => new.next().map(Merged::New),
            Ordering::Equal => old.next().zip(new.next()).map(|(one, other)| Merged::Both(one, other)),
        };
        steps.extend(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::model::op::StateOp;

    fn graph(ops: &[StateOp]) -> Graph {
        let mut graph = Graph::default();
        graph.apply(ops.to_vec(), Shapes::Foreign).unwrap();
        graph
    }

    #[test]
    fn what_came_went_and_changed_is_told_apart() {
        let node = |id: &str, value: &str| StateOp::create(id, "x", Props::new().with("v", value));
        let relation = |from: &str, value: &str| StateOp::CreateRelation {
            from: from.into(),
            rel: "r".into(),
            to: "z".into(),
            props: Props::new().with("v", value),
        };
        let stale = |reason: &str| StateOp::MarkStale { id: "same".into(), reason: reason.into() };
        let before = graph(&[
            node("gone", "1"),
            node("changed", "1"),
            node("same", "1"),
            relation("a", "1"),
            relation("b", "1"),
        ]);
        let local = StateOp::create("patch:p", "patch", Props::new().with(digest::LOCAL, true));
        let after = graph(&[
            node("new", "1"),
            node("changed", "2"),
            node("same", "1"),
            relation("b", "2"),
            relation("c", "1"),
            stale("anchor"),
            local,
        ]);
        let found = diff(&before, &after, Shapes::Derived);
        let ids = |part: &GraphPart<'_>| part.nodes.iter().map(|node| node.id.to_owned()).collect::<Vec<_>>();
        let froms = |part: &GraphPart<'_>| part.relations.iter().map(|of| of.from.to_owned()).collect::<Vec<_>>();
        assert_eq!((ids(&found.added), ids(&found.removed)), (vec!["new".into()], vec!["gone".into()]));
        assert_eq!((froms(&found.added), froms(&found.removed)), (vec!["c".into()], vec!["a".into()]));
        let changed: Vec<&str> = found.changed_nodes.iter().map(|node| node.after.id).collect();
        assert_eq!((changed, found.changed_relations.len()), (vec!["changed"], 1));
        assert_eq!(diff(&before, &after, Shapes::Foreign).changed_nodes.len(), 2);
        assert_eq!(diff(&after, &after, Shapes::Derived).added.nodes.len(), 0);
    }
}
