//! `spexcode.json`: what the repository decided about its gate.

use super::reading::EvidenceKind;
use crate::finding::{Level, RuleId};
use crate::repo::path::RepoPath;
use std::collections::BTreeMap;

/// The configuration that is judged by, defaults filled in (formats.md, `spexcode.json`).
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `lint.scenarioTags`; empty switches the membership check off.
    pub scenario_tags: Vec<String>,
    /// `lint.maxOwners`.
    pub max_owners: usize,
    /// `lint.sourceExtensions`, without dots.
    pub source_extensions: Vec<String>,
    /// Whether `lint.sourceExtensions` was given.
    pub source_extensions_given: bool,
    /// `mainBranch`.
    pub main_branch: Option<String>,
    /// `yatsu.roots`, normalised; the top directory for `.`.
    pub roots: Vec<RepoPath>,
    /// `yatsu.rules`; `None` is `off`.
    pub rules: BTreeMap<RuleId, Option<Level>>,
    /// `yatsu.evaluators`: name to current version.
    pub evaluators: BTreeMap<String, String>,
    /// `yatsu.evidenceFor`: tag to accepted kinds.
    pub evidence_for: BTreeMap<String, Vec<EvidenceKind>>,
    /// `yatsu.stampContent`.
    pub stamp_content: bool,
    /// `yatsu.allowInTree`, as written.
    pub allow_in_tree: Vec<String>,
    /// `yatsu.protect`, as written.
    pub protect: Vec<String>,
    /// `yatsu.exclude`, as written.
    pub exclude: Vec<String>,
}
