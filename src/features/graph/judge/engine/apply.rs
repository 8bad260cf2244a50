//! Applies state ops to a graph. A batch of ops in; out comes the graph one version further per op, or a refusal and the
//! unchanged graph, because half a batch is not a valid state. Every op is validated against the graph.

use super::names::Names;
use crate::features::graph::model::op::StateOp;
use crate::features::graph::model::shape;
use crate::features::graph::model::value::{PropValue, Props};
use crate::text::escape::echo;
use foldhash::HashMap;
use std::collections::hash_map::Entry;

/// Whether relations are checked against the shape table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shapes {
    /// Checked: the ops were derived by this program.
    Derived,
    /// Not checked: another program has kinds and relations of its own.
    Foreign,
}

/// A receiver of every applied op, as a line with its end.
pub type OpSink<'s> = &'s mut dyn FnMut(&[u8]);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    pub kind: Box<str>,
    pub props: Props,
    /// The reasons why it is stale; sorted, each once.
    pub stale: Vec<Box<str>>,
    /// Whether it was withdrawn and does not count.
    pub tombstoned: bool,
    /// Its artifacts, in the order of arrival.
    pub artifacts: Vec<PropValue>,
}

/// A relation, with the numbers of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RelationKey {
    pub(super) from: u32,
    pub(super) rel: u32,
    pub(super) to: u32,
}

/// The graph after all applied ops.
#[derive(Debug, Default)]
pub struct Graph {
    pub(super) ids: Names,
    pub(super) rels: Names,
    /// By the number of the id; `None` for an id that only relations name.
    pub(super) nodes: Vec<Option<GraphNode>>,
    /// With the properties of each relation, which are mostly empty.
    pub(super) relations: HashMap<RelationKey, Option<Box<Props>>>,
    version: u64,
}

enum Undo {
    Nothing,
    Node(u32, Option<Box<GraphNode>>),
    Added(RelationKey),
    Removed(RelationKey, Option<Box<Props>>),
}

impl Graph {
    /// An empty graph with room for this many nodes.
    pub fn with_capacity(nodes: usize) -> Self {
        Self { ids: Names::with_capacity(nodes), ..Self::default() }
    }

    /// The number of applied ops.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The node with this id; `None` if there is none, or only relations name the id.
    pub fn node(&self, id: &str) -> Option<&GraphNode> {
        self.nodes.get(self.ids.find(id)? as usize)?.as_ref()
    }

    pub fn has_relation(&self, from: &str, rel: &str, to: &str) -> bool {
        self.find(from, rel, to).is_some_and(|key| self.relations.contains_key(&key))
    }

    /// Applies all of `ops` in order, or none.
    ///
    /// # Errors
    /// The defect of the first bad op, in a sentence.
    pub fn apply(&mut self, ops: Vec<StateOp>, shapes: Shapes) -> Result<(), String> {
        let is_one = ops.len() == 1;
        let mut done = Vec::new();
        for op in ops {
            match self.step(op, shapes, is_one) {
                Ok(undo) => done.push(undo),
                Err(wrong) => {
                    done.into_iter().rev().for_each(|undo| self.take_back(undo));
                    return Err(wrong);
                }
            }
        }
        self.version += done.len() as u64;
        Ok(())
    }

    /// The same; `each_op` gets the lines of all ops after the whole batch is applied.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub fn apply_told(
        &mut self,
        ops: Vec<StateOp>,
        shapes: Shapes,
        each_op: &mut Option<OpSink<'_>>,
    ) -> Result<(), String> {
        let mut lines = Vec::new();
        if each_op.is_some() {
            for op in &ops {
                op.write(&mut lines);
                lines.push(b'\n');
            }
        }
        self.apply(ops, shapes)?;
        each_op.iter_mut().for_each(|each_op| each_op(&lines));
        Ok(())
    }

    fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Nothing => {}
            Undo::Node(number, before) => self.nodes[number as usize] = before.map(|node| *node),
            Undo::Added(key) => drop(self.relations.remove(&key)),
            Undo::Removed(key, props) => drop(self.relations.insert(key, props)),
        }
    }

    /// Applies one op. With `alone` no op follows that could fail, so no reversal is kept.
    fn step(&mut self, op: StateOp, shapes: Shapes, alone: bool) -> Result<Undo, String> {
        match op {
            StateOp::CreateNode { id, kind, props } => self.create(&id, &kind, props, shapes),
            StateOp::UpdateNode { id, props } => self.change(&id, alone, |node| node.props.merge(props)),
            StateOp::TombstoneNode { id } => self.change(&id, alone, |node| node.tombstoned = true),
            StateOp::MarkStale { id, reason } => self.change(&id, alone, |node| {
                if let Err(at) = node.stale.binary_search_by(|known| (**known).cmp(&reason)) {
                    node.stale.insert(at, reason.into());
                }
            }),
            StateOp::AttachArtifact { id, artifact } => self.change(&id, alone, |node| node.artifacts.push(artifact)),
            StateOp::CreateRelation { from, rel, to, props } => {
                if shapes == Shapes::Derived {
                    self.refuse_shape(&from, &rel, &to)?;
                }
                let key = self.key(&from, &rel, &to);
                self.relate(key, props)
            }
            StateOp::DeleteRelation { from, rel, to } => {
                let found = self.find(&from, &rel, &to);
                let removed = found.and_then(|key| Some((key, self.relations.remove(&key)?)));
                let (key, props) = removed.ok_or_else(|| {
                    format!("deletes a relation that is not there: {} {} {}", echo(&from), echo(&rel), echo(&to))
                })?;
                Ok(Undo::Removed(key, props))
            }
        }
    }

    fn create(&mut self, id: &str, kind: &str, props: Props, shapes: Shapes) -> Result<Undo, String> {
        if shapes == Shapes::Derived && !shape::is_kind(kind) {
            return Err(format!("creates {} of an unknown kind: {}", echo(id), echo(kind)));
        }
        let number = self.number(id);
        match &self.nodes[number as usize] {
            Some(known) if *known.kind == *kind && known.props == props => Ok(Undo::Nothing),
            Some(known) if *known.kind != *kind => {
                Err(format!("creates {} as {}, and it is {}", echo(id), echo(kind), echo(&known.kind)))
            }
            Some(_) => Err(format!("creates {}, which exists with other props", echo(id))),
            None => {
                let node =
                    GraphNode { kind: kind.into(), props, stale: Vec::new(), tombstoned: false, artifacts: Vec::new() };
                self.nodes[number as usize] = Some(node);
                Ok(Undo::Node(number, None))
            }
        }
    }

    fn change(&mut self, id: &str, alone: bool, change: impl FnOnce(&mut GraphNode)) -> Result<Undo, String> {
        let absent = || format!("touches {}, which does not exist", echo(id));
        let number = self.ids.find(id).ok_or_else(absent)?;
        let node = self.nodes[number as usize].as_mut().ok_or_else(absent)?;
        let undo = if alone { Undo::Nothing } else { Undo::Node(number, Some(Box::new(node.clone()))) };
        change(node);
        Ok(undo)
    }

    fn relate(&mut self, key: RelationKey, props: Props) -> Result<Undo, String> {
        let props = (!props.is_empty()).then(|| Box::new(props));
        match self.relations.entry(key) {
            Entry::Vacant(place) => {
                place.insert(props);
                Ok(Undo::Added(key))
            }
            Entry::Occupied(known) if *known.get() == props => Ok(Undo::Nothing),
            Entry::Occupied(_) => Err(format!(
                "creates a relation that exists with other props: {} {} {}",
                echo(self.ids.name(key.from)),
                echo(self.rels.name(key.rel)),
                echo(self.ids.name(key.to))
            )),
        }
    }

    /// Refuses a relation that the shape table lacks. For an absent end, the id gives the kind.
    fn refuse_shape(&self, from: &str, rel: &str, to: &str) -> Result<(), String> {
        let kind =
            |id: &str| self.node(id).map(|node| &*node.kind).or_else(|| shape::kind_of_id(id)).unwrap_or_default();
        let (one, other) = (kind(from), kind(to));
        if shape::is_allowed(one, rel, other) {
            return Ok(());
        }
        let rel = echo(rel);
        Err(format!("relates {} {rel} {}: the graph has no {rel} from a {one} to a {other}", echo(from), echo(to)))
    }

    fn number(&mut self, id: &str) -> u32 {
        let number = self.ids.number(id);
        if self.nodes.len() < self.ids.len() {
            self.nodes.resize(self.ids.len(), None);
        }
        number
    }

    fn key(&mut self, from: &str, rel: &str, to: &str) -> RelationKey {
        RelationKey { from: self.number(from), rel: self.rels.number(rel), to: self.number(to) }
    }

    fn find(&self, from: &str, rel: &str, to: &str) -> Option<RelationKey> {
        Some(RelationKey { from: self.ids.find(from)?, rel: self.rels.find(rel)?, to: self.ids.find(to)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::judge::engine::canonical;
    use crate::features::graph::model::op::tests::any_op;
    use crate::text::json;
    use proptest::prelude::*;

    fn props(text: &str) -> Props {
        Props::of(&json::parse(text).unwrap()).unwrap()
    }

    fn create(id: &str, kind: &str, text: &str) -> StateOp {
        StateOp::create(id, kind, props(text))
    }

    fn update(id: &str, text: &str) -> StateOp {
        StateOp::UpdateNode { id: id.into(), props: props(text) }
    }

    fn told(graph: &Graph) -> String {
        String::from_utf8(canonical::bytes(graph)).unwrap()
    }

    #[test]
    fn created_then_updated_holds_both_props_at_version_two() {
        let mut graph = Graph::default();
        graph.apply(vec![create("goal:n", "goal", "{\"a\":1}")], Shapes::Derived).unwrap();
        graph.apply(vec![update("goal:n", "{\"b\":2}")], Shapes::Derived).unwrap();
        assert_eq!(graph.version(), 2);
        assert_eq!(graph.node("goal:n").unwrap().props, props("{\"a\":1,\"b\":2}"));
    }

    #[test]
    fn updates_merge_objects_replace_scalars_and_set_null() {
        let mut graph = Graph::default();
        let ops = vec![
            create("n", "x", "{\"a\":{\"x\":1},\"s\":1,\"n\":1}"),
            update("n", "{\"a\":{\"y\":2},\"s\":\"t\",\"n\":null}"),
        ];
        graph.apply(ops, Shapes::Foreign).unwrap();
        assert_eq!(graph.node("n").unwrap().props, props("{\"a\":{\"x\":1,\"y\":2},\"n\":null,\"s\":\"t\"}"));
    }

    #[test]
    fn creating_again_is_refused_with_other_props_and_nothing_with_the_same() {
        let mut graph = Graph::default();
        let apply = |graph: &mut Graph, op: StateOp| graph.apply(vec![op], Shapes::Foreign);
        apply(&mut graph, create("n", "x", "{\"a\":1}")).unwrap();
        apply(&mut graph, create("n", "x", "{\"a\":1.0}")).unwrap();
        assert!(apply(&mut graph, create("n", "x", "{\"a\":2}")).unwrap_err().contains("with other props"));
        assert!(apply(&mut graph, create("n", "y", "{\"a\":1}")).unwrap_err().contains("and it is x"));
        let relation = |text: &str| StateOp::CreateRelation {
            from: "n".into(),
            rel: "r".into(),
            to: "gone".into(),
            props: props(text),
        };
        apply(&mut graph, relation("{}")).unwrap();
        apply(&mut graph, relation("{}")).unwrap();
        assert!(apply(&mut graph, relation("{\"a\":1}")).unwrap_err().contains("with other props"));
        assert_eq!(graph.version(), 4);
    }

    #[test]
    fn what_does_not_exist_cannot_be_touched_and_what_is_absent_can_be_named() {
        let mut graph = Graph::default();
        for op in [
            update("n", "{}"),
            StateOp::TombstoneNode { id: "n".into() },
            StateOp::MarkStale { id: "n".into(), reason: "r".into() },
            StateOp::AttachArtifact { id: "n".into(), artifact: PropValue::Null },
            StateOp::DeleteRelation { from: "n".into(), rel: "r".into(), to: "m".into() },
        ] {
            assert!(graph.apply(vec![op.clone()], Shapes::Foreign).is_err(), "{op:?}");
        }
        graph.apply(vec![StateOp::relate("n", "r", "m")], Shapes::Foreign).unwrap();
        assert!(graph.apply(vec![update("n", "{}")], Shapes::Foreign).is_err(), "a name is no node");
        assert_eq!(graph.version(), 1);
    }

    #[test]
    fn a_batch_with_one_wrong_op_leaves_nothing_behind() {
        let mut graph = Graph::default();
        let first = vec![create("a", "x", "{\"p\":1}"), create("b", "x", "{}"), StateOp::relate("a", "r", "b")];
        graph.apply(first, Shapes::Foreign).unwrap();
        let before = told(&graph);
        let batch = vec![
            update("a", "{\"p\":2}"),
            create("c", "x", "{}"),
            StateOp::MarkStale { id: "b".into(), reason: "r".into() },
            StateOp::DeleteRelation { from: "a".into(), rel: "r".into(), to: "b".into() },
            StateOp::relate("a", "s", "c"),
            StateOp::TombstoneNode { id: "nobody".into() },
        ];
        assert!(graph.apply(batch, Shapes::Foreign).is_err());
        assert_eq!((told(&graph), graph.version()), (before, 3));
    }

    #[test]
    fn what_is_derived_keeps_to_the_table_and_what_others_wrote_need_not() {
        let ops = [
            create("x:1", "invention", "{}"),
            StateOp::relate("goal:a", "blocks", "failure:b"),
            StateOp::relate("a", "blocks", "b"),
        ];
        for op in ops {
            assert!(Graph::default().apply(vec![op.clone()], Shapes::Derived).is_err(), "{op:?}");
            assert!(Graph::default().apply(vec![op.clone()], Shapes::Foreign).is_ok(), "{op:?}");
        }
        assert!(
            Graph::default().apply(vec![StateOp::relate("failure:b", "blocks", "goal:a")], Shapes::Derived).is_ok()
        );
    }

    proptest! {
        #[test]
        fn a_refused_batch_changes_nothing_and_an_accepted_one_is_its_ops_one_by_one(
            ops in prop::collection::vec(any_op(), 0..12)
        ) {
            let (mut batch, mut single) = (Graph::default(), Graph::default());
            let (start, middle) = ops.split_at(ops.len() / 2);
            start.iter().for_each(|op| drop(batch.apply(vec![op.clone()], Shapes::Foreign)));
            start.iter().for_each(|op| drop(single.apply(vec![op.clone()], Shapes::Foreign)));
            let before = told(&batch);
            let is_fine = middle.iter().all(|op| single.apply(vec![op.clone()], Shapes::Foreign).is_ok());
            prop_assert_eq!(batch.apply(middle.to_vec(), Shapes::Foreign).is_ok(), is_fine);
            prop_assert_eq!(told(&batch), if is_fine { told(&single) } else { before });
        }
    }
}
