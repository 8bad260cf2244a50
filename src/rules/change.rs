//! What the rules that look at more than one state are given: what lies between the bases and the judged view, what the
//! commits between them bring one by one, and what a push does to refs. Plain data, found out by `app`.

use super::Door;
use crate::engine::facts::Facts;
use crate::engine::goal::NodeGoal;
use crate::engine::history::{Edited, Lost};
use crate::engine::runlog::artifacts::Unmet;
use crate::engine::runlog::moves::LogFate;
use crate::finding::NodeRef;
use crate::model::config::{Config, GoalGateMode};
use crate::model::ledger::{EvidenceHash, Line, Timestamp};
use crate::tree::path::RepoPath;
use bstr::BString;
use std::collections::{BTreeMap, BTreeSet};

/// What lies between the bases and the judged view.
pub struct Change<'a> {
    /// Where it is judged.
    pub door: Door,
    /// The judged view.
    pub view: &'a Facts,
    /// The configuration in the view, which need not be the one that it is judged by.
    pub own: &'a Config,
    /// What it is compared with: none, HEAD, or every parent of a merge.
    pub bases: &'a [Facts],
    /// Ledger lines that no base has at the place where the view has them.
    pub added: Vec<AddedLine>,
    /// Whether a line may be replaced by its redaction: by the gate of today and by every one that was there before, so
    /// that no change allows itself what it does.
    pub redact: bool,
    /// Ledger lines that are in a base and not in the view.
    pub lost: Vec<LostLine>,
    /// Ledgers of a base that the view holds out of sight.
    pub hidden: Vec<HiddenLedger>,
    /// Added ledger lines that are lines of a base with other bytes.
    pub edited: Vec<EditedLine>,
    /// Added blobs that are evidence.
    pub strays: Vec<Stray>,
    /// Hashes named by added readings that the evidence cache does not hold.
    pub absent_evidence: BTreeSet<EvidenceHash>,
    /// Whether that is because it holds nothing at all.
    pub no_evidence: bool,
    /// What became of run logs.
    pub logs: LogChange,
    /// What both gates say of the nodes whose goals are asked after here.
    pub(crate) goals: Vec<NodeGoal>,
    /// What must hold of goals.
    pub(crate) demands: GoalDemands,
    /// Now, for time stamps from the future.
    pub now: Timestamp,
    /// What comes into the main branch without proof.
    pub unproven: Vec<UnprovenScenario>,
    /// What failing scenarios govern and the change renames: old paths with the paths that have their content now.
    pub renamed: BTreeMap<RepoPath, BTreeSet<RepoPath>>,
}

/// A scenario that comes into the main branch without proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnprovenScenario {
    /// The directory of its node.
    pub dir: RepoPath,
    /// Its name, as declared.
    pub name: String,
    /// What it lacks, in a word or two.
    pub why: &'static str,
}

/// What must hold of the goals of a row of commits.
#[derive(Debug)]
pub(crate) struct GoalDemands {
    /// Where goals are asked after.
    pub(crate) gate: GoalGateMode,
    /// The lines by which the branch takes a claim that a goal is reached.
    pub(crate) claims: Vec<AddedLine>,
    /// The directories of the nodes that the branch takes only with their goals reached.
    pub(crate) must_hold: BTreeSet<RepoPath>,
    /// The nodes that are gone, and with them a contract that such a branch had.
    pub(crate) gone: Vec<NodeRef>,
    /// The directories of the nodes that need a contract and have none.
    pub(crate) without: BTreeSet<RepoPath>,
}

impl Default for GoalDemands {
    fn default() -> Self {
        let (claims, gone) = (Vec::new(), Vec::new());
        Self { gate: GoalGateMode::Off, claims, must_hold: BTreeSet::new(), gone, without: BTreeSet::new() }
    }
}

/// What a change does to run logs, beside what they say.
#[derive(Clone, Debug, Default)]
pub struct LogChange {
    /// Logs of a base that the view does not keep.
    pub lost: Vec<LostLog>,
    /// Ends that the change adds, and that lack what they ask for.
    pub unmet: Vec<UnmetEnd>,
    /// What profiles of the project no longer ask for.
    pub weaker: Vec<WeakerProfile>,
}

/// Something that a profile of the project asked for and no longer does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakerProfile {
    /// The file.
    pub file: RepoPath,
    /// What it is, as a sentence.
    pub what: String,
}

/// A run log that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostLog {
    /// Where it was.
    pub path: RepoPath,
    /// What became of it.
    pub fate: LogFate,
    /// Where it lies out of sight, with the key that hides it.
    pub hidden: Option<(RepoPath, &'static str)>,
    /// Where it still is, at the same path.
    pub from: LostFrom,
    /// Whether two branches that are merged both wrote to it.
    pub merged: bool,
}

/// The end of a phase or of a run that lacks what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetEnd {
    /// The run log that the end stands in.
    pub path: RepoPath,
    /// The physical line of the end.
    pub line: u32,
    /// What ended, for a sentence.
    pub what: String,
    /// What it lacks; never empty.
    pub unmet: Vec<Unmet>,
}

/// Where something that was lost still is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostFrom {
    /// A revision that has it.
    pub revision: String,
    /// Whether it went with the rewriting of a branch that nobody protects.
    pub rewritten: bool,
}

/// A ledger line that the change lost.
#[derive(Clone, Debug)]
pub struct LostLine {
    /// The line, and where it was.
    pub line: Lost,
    /// Where it still is.
    pub from: LostFrom,
}

/// A ledger that lies in the tree and that the configuration keeps out of sight.
#[derive(Clone, Debug)]
pub struct HiddenLedger {
    /// Where it was in the base.
    pub ledger: RepoPath,
    /// Where it lies now.
    pub path: RepoPath,
    /// Whether `yatsu.exclude` covers it; else no entry of `yatsu.roots` does.
    pub excluded: bool,
    /// Where it is in sight.
    pub from: LostFrom,
}

/// An added ledger line that is a line of a base with other bytes.
#[derive(Clone, Debug)]
pub struct EditedLine {
    /// Both lines.
    pub edited: Edited,
    /// Where the true line is.
    pub from: LostFrom,
}

/// A ledger line that the change adds.
#[derive(Clone, Debug)]
pub struct AddedLine {
    /// The node whose ledger it is.
    pub node: NodeRef,
    /// The ledger it stands in.
    pub ledger: RepoPath,
    /// The line where it stands now.
    pub line: Line,
    /// Whether it stood elsewhere in a base and moved here.
    pub moved: bool,
    /// Whether the scenario file beside it is new in this change: a revert or an import brings the lines along.
    pub imported: bool,
    /// Whether the commit it names is an object of another kind.
    pub not_a_commit: bool,
    /// Which of its ids is of another hash than the repository's, and how many digits that has.
    pub foreign_id: Option<(String, usize)>,
    /// Governed paths whose stamp differs from the tree of the commit that the line names although it is not `dirty`.
    pub contradicted: Vec<RepoPath>,
    /// An earlier reading of the same scenario that carries the same bytes although the governed content differs.
    pub reuses: Option<Timestamp>,
}

/// What the commits of a row bring one by one.
#[derive(Debug, Default)]
pub struct Between {
    /// Evidence that a commit adds.
    pub strays: Vec<Stray>,
}

/// An added blob that is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Where it would lie in the tree.
    pub path: RepoPath,
    /// How it was recognised.
    pub because: Because,
    /// What brings it.
    pub brings: BroughtBy,
}

/// What brings a blob that is evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BroughtBy {
    /// The judged change itself.
    Change,
    /// One of many commits that are judged together, with its subject.
    Commit(String),
    /// A ref that leads to no commit, by its name on the other side.
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
    /// It is an LFS pointer to such bytes.
    LfsPointer(EvidenceHash),
}

/// With which line ends a text is known as evidence: git changes them between the work tree and the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// As they are in the blob.
    Own,
    /// Each CR LF.
    CrLf,
    /// Each LF.
    Lf,
}

/// What a push does to refs of the other side, beside bringing commits.
#[derive(Debug, Default)]
pub struct RefUpdates {
    /// Evidence that a ref leads to.
    pub strays: Vec<Stray>,
    /// Branches that are deleted together with ledger lines.
    pub deleted: Vec<Deleted>,
    /// Branches that are deleted together with run logs.
    pub deleted_logs: Vec<Deleted>,
    /// Refs that put objects in the place of others.
    pub replaced: Vec<BString>,
    /// Refs beside the code that hold something else than what belongs there.
    pub misshapen: Vec<Misshapen>,
}

/// A ref beside the code that holds something else than what belongs there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misshapen {
    /// Its full name.
    pub name: BString,
    /// What it holds, for a sentence; names in it are escaped.
    pub what: String,
}

/// A protected branch whose deletion loses ledger lines or run logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Its full name.
    pub name: BString,
    /// What it held.
    pub commit: String,
    /// How many of them no other protected branch holds.
    pub count: usize,
    /// The file of the first of them.
    pub first: RepoPath,
    /// Whether all other branches are known.
    pub sure: bool,
}
