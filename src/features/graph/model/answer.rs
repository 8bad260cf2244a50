//! A graph and answers about it, as rows to print.

use serde::Serialize;
use std::io;

/// The head of every answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphHead {
    /// The number of ops that made the graph.
    pub version: u64,
    /// The digest of the part of the graph that is the same in every clone.
    pub digest: String,
    /// Places in files that could not be read into the graph.
    pub partial: Vec<PartialRow>,
    /// The command that lists them all.
    pub check: String,
    /// How many more such places there are.
    pub unlisted: u64,
}

/// A place in a file that could not be read into the graph.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PartialRow {
    pub path: String,
    pub line: u32,
    /// The reason, in one sentence.
    pub message: String,
}

/// The way in which a drawing shows a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeLook {
    /// Nothing special.
    Plain,
    Stale,
    /// A failure that nothing has resolved.
    Open,
    /// It counts no more.
    Buried,
}

#[derive(Clone, Debug)]
pub(crate) struct GraphNodeRow<'g> {
    pub id: &'g str,
    pub kind: &'g str,
    /// A few words about it; may be empty.
    pub about: String,
    /// How it is drawn.
    pub look: NodeLook,
    /// The whole node as JSON.
    pub json: String,
}

#[derive(Clone, Debug)]
pub(crate) struct GraphRelationRow<'g> {
    /// The node at which the relation begins.
    pub from: &'g str,
    /// The name of the relation.
    pub rel: &'g str,
    /// The node at which it ends.
    pub to: &'g str,
    /// The whole relation as JSON.
    pub json: String,
}

/// A function that receives the nodes of a graph one by one.
pub(crate) type EachNode<'e> = &'e mut dyn FnMut(&GraphNodeRow<'_>) -> io::Result<()>;

/// A function that receives the relations of a graph one by one.
pub(crate) type EachRelation<'e> = &'e mut dyn FnMut(&GraphRelationRow<'_>) -> io::Result<()>;

/// A graph to print, or a part of one. Its rows are made one by one, because a graph may be large.
pub(crate) trait GraphContent {
    fn head(&self) -> &GraphHead;

    /// Its nodes, sorted by id.
    fn nodes(&self, each: EachNode<'_>) -> io::Result<()>;

    /// Its relations, sorted.
    fn relations(&self, each: EachRelation<'_>) -> io::Result<()>;

    /// How many nodes of each kind a drawing leaves out.
    fn left_out(&self) -> &[(&'static str, usize)];
}

/// A graph in a few lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphSummary {
    /// How many nodes there are of each kind.
    pub kinds: Vec<(String, usize)>,
    pub relations: usize,
    /// The failures that nothing has resolved.
    pub open: Vec<GraphLine>,
}

#[derive(Clone, Debug)]
pub(crate) struct GraphLine {
    /// The depth of its indent.
    pub depth: usize,
    /// The relation that leads to it.
    pub rel: Option<String>,
    pub id: String,
    /// A few words about it.
    pub about: String,
}

/// One node with all its props and relations.
#[derive(Clone, Debug)]
pub(crate) struct GraphDetail {
    pub node: GraphLine,
    pub kind: String,
    /// Each prop with its value.
    pub props: Vec<(String, String)>,
    /// The relations that begin at it.
    pub out: Vec<GraphLine>,
    /// The relations that end at it.
    pub into: Vec<GraphLine>,
}

/// A tree of nodes with a title.
#[derive(Clone, Debug)]
pub(crate) struct GraphTree {
    /// The title; `None` if the first line is enough.
    pub title: Option<&'static str>,
    /// The nodes, each below its parent and indented by depth.
    pub lines: Vec<GraphLine>,
}

/// A difference in one node or relation.
#[derive(Clone, Debug)]
pub(crate) struct DiffRow {
    /// `+`, `-` or `~`.
    pub mark: char,
    pub is_relation: bool,
    /// The node or relation in one line.
    pub text: String,
    /// The whole node or relation as JSON.
    pub json: String,
    /// If it changed: the JSON from before.
    pub before: Option<String>,
}
