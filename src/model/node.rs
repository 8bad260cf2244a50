//! Nodes: directories that declare or govern something.

use super::governed::Governed;
use super::ledger::Ledger;
use super::scenario::ScenarioFile;
use crate::names::{NEWER_SCENARIOS, OLDER_SCENARIOS};
use crate::tree::path::RepoPath;

/// A `spec.md`, as far as the gate needs it.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Where it lies.
    pub path: RepoPath,
    /// `title`.
    pub title: Option<String>,
    /// `status`.
    pub status: Option<String>,
    /// `code`: the files this node governs.
    pub code: Vec<Governed>,
    /// `related`.
    pub related: Vec<Governed>,
}

/// Whether a repository with these nodes is of the newer generation: one of them declares its scenarios in an `eval.md`.
pub(crate) fn is_newer(nodes: &[Node]) -> bool {
    nodes.iter().any(Node::is_newer)
}

impl Node {
    /// Whether its scenario file is of the newer generation.
    pub(crate) fn is_newer(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.path.name() == NEWER_SCENARIOS.as_bytes())
    }

    /// The node as an argument of a command: its id, or its directory where the id is not its own or reads as a flag.
    pub(crate) fn argument(&self) -> String {
        let is_its_own = self.same_id.is_empty() && !self.id.is_empty() && !self.id.starts_with('-');
        if is_its_own { self.id.clone() } else { self.dir.to_string() }
    }

    /// Where its scenario file lies, or would lie in a repository with these `nodes`.
    pub(crate) fn scenario_file(&self, nodes: &[Node]) -> RepoPath {
        let name = if is_newer(nodes) { NEWER_SCENARIOS } else { OLDER_SCENARIOS };
        self.file.as_ref().map_or_else(|| self.dir.child(name.as_bytes()), |file| file.path.clone())
    }
}

/// One node with everything that lies in its directory.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Its directory: the key of everything.
    pub dir: RepoPath,
    /// Its name for people: the shortest unique suffix of `dir`, joined with `_`.
    pub id: String,
    /// The other directories that ended with the same id.
    pub same_id: Vec<RepoPath>,
    /// Its `spec.md`, where there is one.
    pub spec: Option<Spec>,
    /// Its scenario file. With two in one directory, `yatsu.md`; the other is in `second_file`.
    pub file: Option<ScenarioFile>,
    /// A second scenario file in the same directory: a finding.
    pub second_file: Option<RepoPath>,
    /// Its ledgers, the older name first; read as one.
    pub ledgers: Vec<Ledger>,
    /// Files beside it whose names are almost ones of ours, and which nobody therefore reads: findings.
    pub look_alikes: Vec<RepoPath>,
}
