//! The digest of a graph: sha256 of its canonical JSON, so that two machines can compare what they see. For a derived
//! graph, facts that are local to a clone are left out: nodes marked as local (branches, work trees, and what only they
//! name), their relations, and the stale reason of a missing commit.

use super::apply::{Graph, Shapes};
use super::canonical;
use super::part::{Buried, GraphPart, NamedNode};
use crate::model::ledger::EvidenceHash;
use foldhash::HashSet;
use sha2::{Digest, Sha256};

/// The property that marks a derived node as local to this clone.
pub const LOCAL: &str = "local";

/// The stale reason of a commit that is missing in this clone.
pub const ANCHOR: &str = "anchor";

/// The digest of `graph`; `shapes` is the origin of its ops.
pub fn digest(graph: &Graph, shapes: Shapes) -> EvidenceHash {
    let is_meant = |reason: &str| shapes == Shapes::Foreign || reason != ANCHOR;
    let mut hash = Sha256::new();
    let shared = shared(graph.whole(Buried::In), shapes);
    canonical::tell(&shared, &is_meant, &mut |piece| hash.update(piece));
    EvidenceHash(hash.finalize().into())
}

/// The part that is the same in every clone: of a derived graph, everything that is not local.
pub(super) fn shared(mut part: GraphPart<'_>, shapes: Shapes) -> GraphPart<'_> {
    if shapes == Shapes::Foreign {
        return part;
    }
    let is_local = |node: &&NamedNode<'_>| node.node.props.is_true(LOCAL);
    let local: HashSet<&str> = part.nodes.iter().filter(is_local).map(|node| node.id).collect();
    part.nodes.retain(|node| !local.contains(node.id));
    part.relations.retain(|relation| !local.contains(relation.from) && !local.contains(relation.to));
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::model::op::StateOp;
    use crate::features::graph::model::op::tests::any_op;
    use crate::features::graph::model::value::Props;
    use proptest::prelude::*;

    #[test]
    fn nothing_has_version_zero_and_a_constant_digest() {
        let nothing = Graph::default();
        assert_eq!(nothing.version(), 0);
        for shapes in [Shapes::Derived, Shapes::Foreign] {
            let told = digest(&nothing, shapes).to_string();
            assert_eq!(told, "ebb777111f2ca6a4f76c3655e00652b64a008bd92e606b70f0520dc639270ffe");
        }
    }

    fn graph(ops: &[StateOp]) -> Graph {
        let mut graph = Graph::default();
        ops.iter().for_each(|op| graph.apply(vec![op.clone()], Shapes::Foreign).unwrap());
        graph
    }

    #[test]
    fn what_is_local_is_in_no_digest_of_a_derived_graph_and_in_that_of_a_log() {
        let shared = [
            StateOp::create("file:a", "file", Props::new()),
            StateOp::create("reading:a", "observation", Props::new()),
        ];
        let stale = |reason: &str| StateOp::MarkStale { id: "reading:a".into(), reason: reason.into() };
        let local = [
            StateOp::create("patch:b", "patch", Props::new().with(LOCAL, true)),
            StateOp::relate("patch:b", "modifies", "file:a"),
            StateOp::relate("patch:b", "forked_from", "commit:absent"),
            stale(ANCHOR),
        ];
        let (less, more) = (graph(&shared), graph(&[&shared[..], &local].concat()));
        assert_eq!(digest(&less, Shapes::Derived), digest(&more, Shapes::Derived));
        assert_ne!(digest(&less, Shapes::Foreign), digest(&more, Shapes::Foreign));
        assert_ne!(
            digest(&less, Shapes::Derived),
            digest(&graph(&[&shared[..], &[stale("code")]].concat()), Shapes::Derived)
        );
    }

    proptest! {
        #[test]
        fn independent_ops_in_any_order_make_one_digest(
            names in prop::collection::btree_set("[a-z]{1,3}", 1..20), seed in any::<u64>()
        ) {
            let mut ops: Vec<StateOp> = names.iter().map(|name| StateOp::create(name, "x", Props::new())).collect();
            ops.extend(names.iter().map(|name| StateOp::relate(name, "r", "other")));
            let first = digest(&graph(&ops), Shapes::Foreign);
            // Fisher and Yates, with the bits of one number
            let mut state = seed | 1;
            for at in (1..ops.len()).rev() {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                ops.swap(at, usize::try_from(state % (at as u64 + 1)).unwrap());
            }
            prop_assert_eq!(digest(&graph(&ops), Shapes::Foreign), first);
        }

        #[test]
        fn whoever_applies_the_same_ops_has_the_same_digest(ops in prop::collection::vec(any_op(), 0..20)) {
            let build = || {
                let mut graph = Graph::default();
                ops.iter().for_each(|op| drop(graph.apply(vec![op.clone()], Shapes::Foreign)));
                digest(&graph, Shapes::Foreign)
            };
            prop_assert_eq!(build(), build());
        }
    }
}
