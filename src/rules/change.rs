//! The input of the rules that look at more than one state: the difference between the bases and the judged view, the
//! single commits between them, and the ref updates of a push. Plain data, gathered by `app`.

use super::Door;
use crate::engine::facts::Facts;
use crate::engine::history::{Edited, Lost};
use crate::engine::redaction::redacted_since;
use crate::engine::successors::Successors;
use crate::finding::{NodeRef, RuleId};
use crate::model::config::Config;
use crate::model::ledger::{EvidenceHash, Line, Timestamp};
use crate::model::node::Declared;
use crate::model::parts::Parts;
use crate::tree::path::RepoPath;
use bstr::BString;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The difference between the bases and the judged view.
pub struct Change<'a> {
    /// The door at which the change is judged.
    pub door: Door,
    /// The judged view.
    pub view: &'a Facts,
    /// The configuration in the view. The change may be judged by another configuration.
    pub own: &'a Config,
    /// The states that the view is compared with: none, HEAD, or every parent of a merge.
    pub bases: &'a [Facts],
    /// Ledger lines of the view that no base has at the same place.
    pub added: Vec<AddedLine>,
    /// Whether a line may be replaced by its redaction. The gate of the view and the gate of every base must allow
    /// redactions, so that no change allows its own.
    pub redact: bool,
    /// Ledger lines that are in a base and not in the view.
    pub lost: Vec<LostLine>,
    /// Ledgers of a base that the configuration of the view hides.
    pub hidden: Vec<HiddenLedger>,
    /// Added ledger lines that are edited copies of base lines.
    pub edited: Vec<EditedLine>,
    /// Added blobs that are evidence.
    pub strays: Vec<Stray>,
    /// Hashes named by added readings that the evidence cache does not hold.
    pub absent_evidence: BTreeSet<EvidenceHash>,
    /// Whether the evidence cache is empty, which explains `absent_evidence`.
    pub no_evidence: bool,
    /// How the change weakens the gate by files that features compare.
    pub(crate) lowered: Vec<Lowering>,
    /// What features found in the change.
    pub(crate) parts: Parts,
    /// The source files that the change adds, and that no scenario governs although the configuration asks for it.
    pub(crate) unowned: Vec<RepoPath>,
    /// Renames of files that failing scenarios govern: each old path with the paths that have its content now.
    pub renamed: BTreeMap<RepoPath, BTreeSet<RepoPath>>,
    /// The scenarios, by directory and name, that the first base declares and the view does not, in the same node, if the change
    /// also edits a file that they govern.
    pub(crate) edited_and_gone: BTreeSet<(RepoPath, String)>,
    /// For each base the scenarios of the view that its scenarios became, once a rule asks.
    pub(crate) successors: OnceCell<Vec<Successors<'a>>>,
    /// The lines of the bases that the change redacts, each with the directory of its node, once a rule asks.
    pub(crate) redacted: OnceCell<Vec<(&'a RepoPath, &'a Line)>>,
}

impl<'a> Change<'a> {
    /// The scenario of the view that a scenario of the base with this place in `bases` became; `None` if it is gone.
    pub(crate) fn successor(&self, base: usize, was: Declared<'a>) -> Option<Declared<'a>> {
        let of_all = || self.bases.iter().map(|base| Successors::of(base, self.view)).collect();
        self.successors.get_or_init(of_all)[base].find(was)
    }

    /// The lines of the bases that the change redacts, each with the directory of its node. No finding may repeat a word of
    /// them: the reports of a public repository would publish the words that had to go.
    pub(crate) fn redacted(&self) -> &[(&'a RepoPath, &'a Line)] {
        let since = |base: &'a Facts| redacted_since(&base.workspace, &self.view.workspace);
        self.redacted.get_or_init(|| self.bases.iter().flat_map(since).collect())
    }
}

/// A file by which a change weakens the gate.
pub(crate) struct Lowering {
    pub(crate) file: RepoPath,
    /// What is weaker, as a sentence.
    pub(crate) what: String,
    /// The command that takes it back.
    pub(crate) instead: &'static str,
}

/// The revision that still has a lost line or log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostFrom {
    pub revision: String,
    /// Whether it was lost because this push rewrites an unprotected branch.
    pub rewritten: bool,
}

#[derive(Clone, Debug)]
pub struct LostLine {
    /// The line and its former place.
    pub line: Lost,
    /// The revision that still has it.
    pub from: LostFrom,
}

/// A ledger that lies in the tree and that the configuration hides.
#[derive(Clone, Debug)]
pub struct HiddenLedger {
    pub ledger: RepoPath,
    pub path: RepoPath,
    /// Whether `yatsu.exclude` covers it. Otherwise no entry of `yatsu.roots` covers it.
    pub excluded: bool,
    /// The revision in which it is visible.
    pub from: LostFrom,
}

/// An added ledger line that is an edited copy of a base line.
#[derive(Clone, Debug)]
pub struct EditedLine {
    pub edited: Edited,
    /// The revision with the true line.
    pub from: LostFrom,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedLine {
    pub node: NodeRef,
    pub ledger: RepoPath,
    /// The line at its place in the view.
    pub line: Line,
    /// Whether a base has the line at another place and it moved here.
    pub moved: bool,
    /// Whether the change also adds the scenario file beside it: a revert or an import brings the lines along.
    pub imported: bool,
    /// Whether its `codeSha` names an object that is not a commit.
    pub not_a_commit: bool,
    /// The field with an id of another hash than the repository's, and the digits of the repository's ids.
    pub foreign_id: Option<(String, usize)>,
    /// Governed paths with a stamp that differs from the tree of the named commit although the line is not `dirty`.
    pub contradicted: Vec<RepoPath>,
    /// The time of an earlier reading of the same scenario with the same bytes and other governed content.
    pub reuses: Option<Timestamp>,
}

/// The content of the single commits of a row.
#[derive(Debug, Default)]
pub struct Between {
    /// Evidence that a commit adds.
    pub strays: Vec<Stray>,
}

/// An added blob that is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    pub path: RepoPath,
    /// How it was recognised.
    pub because: Because,
    /// The change, commit or ref that brings it.
    pub brings: BroughtBy,
}

/// The origin of a blob that is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BroughtBy {
    Change,
    /// One of many commits that are judged together; holds its subject.
    Commit(String),
    /// A ref that leads to no commit; holds its name on the other side.
    Ref(BString),
}

/// How a stray blob was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// The evidence cache holds these bytes.
    InCache(EvidenceHash, Ends),
    /// A reading names these bytes.
    Named(EvidenceHash, Ends),
    /// It lies in a directory called `yatsu-blobs`.
    InBlobsDirectory,
    /// Its name is the sha256 of its content.
    NamedByContent(Ends),
    LfsPointer(EvidenceHash),
}

/// The line ends under which a text is recognised as evidence: git changes them between the work tree and the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    Own,
    /// Every line end written as CR LF.
    CrLf,
    /// Every line end written as LF.
    Lf,
}

/// The ref updates of a push, apart from the commits it brings.
#[derive(Debug, Default)]
pub struct RefUpdates {
    pub strays: Vec<Stray>,
    /// Branches that are deleted together with ledger lines.
    pub deleted: Vec<Deleted>,
    /// Branches that are deleted together with files of a feature, each with the rule that keeps them.
    pub deleted_files: Vec<(RuleId, Deleted)>,
    pub replaced: Vec<BString>,
    /// Refs for evidence or claims with other content.
    pub misshapen: Vec<Misshapen>,
}

/// A ref for evidence or claims with other content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misshapen {
    pub name: BString,
    /// Its content, for a sentence; names in it are escaped.
    pub what: String,
}

/// A protected branch; its deletion loses ledger lines or files of a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    pub name: BString,
    pub commit: String,
    /// The number of lines or files that no other protected branch holds.
    pub count: usize,
    /// The file of the first lost line, or the first lost file.
    pub first: RepoPath,
    /// Whether all other branches are known.
    pub sure: bool,
}
