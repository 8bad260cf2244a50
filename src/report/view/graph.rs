//! A graph and answers about it, as rows for whoever prints them.

use std::io;

/// What is said with every answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphHead {
    /// How many ops made it.
    pub version: u64,
    /// The digest of what is the same for everybody.
    pub digest: String,
    /// What is not in it although it stands somewhere.
    pub partial: Vec<PartialRow>,
    /// How many more places there are.
    pub unlisted: u64,
}

/// A place that is not in a graph.
#[derive(Clone, Debug)]
pub(crate) struct PartialRow {
    /// The file.
    pub path: String,
    /// Its line.
    pub line: u32,
    /// Why, in a sentence.
    pub message: String,
}

/// What a drawing shows of a node beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeLook {
    /// Nothing.
    Plain,
    /// It does not speak for what is here any more.
    Stale,
    /// A failure that nothing has resolved.
    Open,
    /// It counts no more.
    Buried,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct GraphNodeRow<'g> {
    /// Its id.
    pub id: &'g str,
    /// What it is.
    pub kind: &'g str,
    /// A few words about it; empty where there are none.
    pub about: String,
    /// How it stands.
    pub look: NodeLook,
    /// All of it as JSON.
    pub json: String,
}

/// A relation.
#[derive(Clone, Debug)]
pub(crate) struct GraphRelationRow<'g> {
    /// The node that it goes out from.
    pub from: &'g str,
    /// Which relation.
    pub rel: &'g str,
    /// The other node.
    pub to: &'g str,
    /// All of it as JSON.
    pub json: String,
}

/// Who takes the nodes of a graph, one after the other.
pub(crate) type EachNode<'e> = &'e mut dyn FnMut(&GraphNodeRow<'_>) -> io::Result<()>;

/// Who takes the relations of a graph, one after the other.
pub(crate) type EachRelation<'e> = &'e mut dyn FnMut(&GraphRelationRow<'_>) -> io::Result<()>;

/// A graph, or a part of one, that is printed. Its rows are made one by one: a graph may be large.
pub(crate) trait GraphContent {
    /// What is said of all of it.
    fn head(&self) -> &GraphHead;

    /// Its nodes, by id.
    fn nodes(&self, each: EachNode<'_>) -> io::Result<()>;

    /// Its relations, sorted.
    fn relations(&self, each: EachRelation<'_>) -> io::Result<()>;
}

/// All of a graph in a few lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphSummary {
    /// How many nodes there are of each kind.
    pub kinds: Vec<(String, usize)>,
    /// How many relations.
    pub relations: usize,
    /// The failures that nothing has resolved.
    pub open: Vec<GraphLine>,
}

/// A node in one line.
#[derive(Clone, Debug)]
pub(crate) struct GraphLine {
    /// How far it is set in.
    pub depth: usize,
    /// How it comes to stand there.
    pub rel: Option<String>,
    /// Its id.
    pub id: String,
    /// A few words about it.
    pub about: String,
}

/// One node with everything that is known of it.
#[derive(Clone, Debug)]
pub(crate) struct GraphDetail {
    /// The node.
    pub node: GraphLine,
    /// What it is.
    pub kind: String,
    /// Each prop with its value.
    pub props: Vec<(String, String)>,
    /// What goes out from it, and what comes to it.
    pub out: Vec<GraphLine>,
    /// What comes to it.
    pub into: Vec<GraphLine>,
}

/// Trees with a line above each.
#[derive(Clone, Debug)]
pub(crate) struct GraphTree {
    /// What it shows; nothing where the first line says it.
    pub title: Option<&'static str>,
    /// The nodes, each set in below what it hangs on.
    pub lines: Vec<GraphLine>,
}

/// What a diff says of one node or relation.
#[derive(Clone, Debug)]
pub(crate) struct DiffRow {
    /// `+`, `-` or `~`.
    pub mark: char,
    /// Whether it is a relation.
    pub is_relation: bool,
    /// What it is, in one line.
    pub text: String,
    /// All of it as JSON.
    pub json: String,
    /// What it was, of what changed.
    pub before: Option<String>,
}
