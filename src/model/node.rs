//! Nodes: directories that declare or govern something.

use super::governed::Governed;
use super::ids::same_name;
use super::ledger::{Ledger, Reading};
use super::scenario::{Scenario, ScenarioFile};
use crate::names::{NEWER_SCENARIOS, OLDER_SCENARIOS};
use crate::tree::path::RepoPath;

/// A `spec.md`, reduced to the fields that the gate needs.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The path of the file.
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

/// Whether these nodes use the newer file names: at least one declares its scenarios in an `eval.md`.
pub(crate) fn is_newer(nodes: &[Node]) -> bool {
    nodes.iter().any(Node::is_newer)
}

impl Node {
    /// Whether its scenario file has the newer name.
    pub(crate) fn is_newer(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.path.name() == NEWER_SCENARIOS.as_bytes())
    }

    /// The node as an argument of a command: its id, or its directory if the id is not unique or looks like a flag.
    pub(crate) fn argument(&self) -> String {
        let is_its_own = self.same_id.is_empty() && !self.id.is_empty() && !self.id.starts_with('-');
        if is_its_own { self.id.clone() } else { self.dir.to_string() }
    }

    /// The scenarios that it declares, in the order of the file.
    pub(crate) fn scenarios(&self) -> &[Scenario] {
        self.file.as_ref().map_or(&[], |file| &file.scenarios)
    }

    /// The scenario of this name that it declares.
    pub(crate) fn scenario(&self, name: &str) -> Option<&Scenario> {
        self.scenarios().iter().find(|scenario| same_name(&scenario.name, name))
    }

    /// The readings in its ledgers, withdrawn ones too.
    pub(crate) fn readings(&self) -> impl Iterator<Item = &Reading> {
        self.ledgers.iter().flat_map(Ledger::readings)
    }

    /// The path of its scenario file, or the path for a new one in a repository with these `nodes`.
    pub(crate) fn scenario_file(&self, nodes: &[Node]) -> RepoPath {
        let name = if is_newer(nodes) { NEWER_SCENARIOS } else { OLDER_SCENARIOS };
        self.file.as_ref().map_or_else(|| self.dir.child(name.as_bytes()), |file| file.path.clone())
    }
}

/// A scenario with the node that declares it.
#[derive(Clone, Copy)]
pub(crate) struct Declared<'m> {
    pub(crate) node: &'m Node,
    pub(crate) scenario: &'m Scenario,
}

/// One node with all files of its directory.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Its directory: the key of the node.
    pub dir: RepoPath,
    /// Its display name: the shortest unique suffix of `dir`, joined with `_`.
    pub id: String,
    /// The other directories with the same id.
    pub same_id: Vec<RepoPath>,
    /// Its `spec.md`, if there is one.
    pub spec: Option<Spec>,
    /// Its scenario file. With two in one directory, `yatsu.md`; the other is in `second_file`.
    pub file: Option<ScenarioFile>,
    /// A second scenario file in the same directory: a finding.
    pub second_file: Option<RepoPath>,
    /// Its ledgers, the older name first; read like one file.
    pub ledgers: Vec<Ledger>,
    /// Files in the directory with names similar to the expected ones, which are therefore not read: findings.
    pub look_alikes: Vec<RepoPath>,
}
