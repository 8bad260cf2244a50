//! A part of a graph, or all of it, in the order for printing and hashing: nodes by id, relations by names.

use super::apply::{Graph, GraphNode, RelationKey};
use crate::features::graph::model::value::Props;
use foldhash::HashSet;
use std::sync::LazyLock;

/// The properties of a relation without properties.
static NOTHING: LazyLock<Props> = LazyLock::new(Props::new);

/// A node with its id.
#[derive(Clone, Copy, Debug)]
pub struct NamedNode<'g> {
    /// Its id, for example `scenario:.spec/a#works`.
    pub id: &'g str,
    /// Its kind and content.
    pub node: &'g GraphNode,
}

/// A relation with its names.
#[derive(Clone, Copy, Debug)]
pub struct NamedRelation<'g> {
    pub(crate) from: &'g str,
    pub(crate) rel: &'g str,
    pub(crate) to: &'g str,
    pub(crate) props: &'g Props,
}

/// Some nodes and relations, both sorted.
#[derive(Clone, Debug, Default)]
pub struct GraphPart<'g> {
    /// By id.
    pub nodes: Vec<NamedNode<'g>>,
    /// By source node, then relation, then target node.
    pub relations: Vec<NamedRelation<'g>>,
}

/// Whether a part includes withdrawn nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buried {
    /// Without withdrawn nodes and their relations.
    Out,
    /// With withdrawn nodes.
    In,
}

impl Graph {
    pub fn whole(&self, buried: Buried) -> GraphPart<'_> {
        self.part(|_| true, buried)
    }

    /// The nodes among `chosen` and the relations between them.
    pub fn among(&self, chosen: &HashSet<&str>, buried: Buried) -> GraphPart<'_> {
        self.part(|id| chosen.contains(id), buried)
    }

    /// The relations with an end that is no node, sorted, each with that end.
    pub fn dangling(&self) -> Vec<(NamedRelation<'_>, &str)> {
        let whole = self.whole(Buried::In);
        let absent = |relation: &NamedRelation<'_>| {
            let end = if self.node(relation.from).is_none() { relation.from } else { relation.to };
            self.ids.find(end).map(|number| self.ids.name(number)).filter(|end| self.node(end).is_none())
        };
        whole.relations.into_iter().filter_map(|relation| Some((relation, absent(&relation)?))).collect()
    }

    fn part(&self, wanted: impl Fn(&str) -> bool, buried: Buried) -> GraphPart<'_> {
        let is_in = |number: u32| {
            let node = self.nodes.get(number as usize).and_then(Option::as_ref);
            let counts = buried == Buried::In || node.is_none_or(|node| !node.tombstoned);
            counts && wanted(self.ids.name(number))
        };
        let (ids, rels) = (self.ids.ranks(), self.rels.ranks());
        let mut numbers: Vec<u32> = (0..ids.len()).filter_map(|at| u32::try_from(at).ok()).collect();
        numbers.retain(|number| is_in(*number));
        numbers.sort_unstable_by_key(|number| ids[*number as usize]);
        let node = |number: &u32| {
            let node = self.nodes.get(*number as usize)?.as_ref()?;
            Some(NamedNode { id: self.ids.name(*number), node })
        };
        let mut keys: Vec<&RelationKey> =
            self.relations.keys().filter(|key| is_in(key.from) && is_in(key.to)).collect();
        keys.sort_unstable_by_key(|key| (ids[key.from as usize], rels[key.rel as usize], ids[key.to as usize]));
        let relation = |key: &RelationKey| NamedRelation {
            from: self.ids.name(key.from),
            rel: self.rels.name(key.rel),
            to: self.ids.name(key.to),
            props: self.relations.get(key).and_then(Option::as_deref).unwrap_or(&NOTHING),
        };
        GraphPart {
            nodes: numbers.iter().filter_map(node).collect(),
            relations: keys.into_iter().map(relation).collect(),
        }
    }
}
