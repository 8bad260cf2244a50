//! What the rules that look at more than one state are given: what lies between the bases and the judged view, what the
//! commits between them bring one by one, and what a push does to refs. Plain data, found out by `app`.

use super::Door;
use crate::engine::facts::Facts;
use crate::engine::goal::NodeGoal;
use crate::engine::history::Lost;
use crate::engine::runlog::artifacts::Unmet;
use crate::engine::runlog::moves::LogFate;
use crate::finding::NodeRef;
use crate::model::config::{Config, GoalGateMode};
use crate::model::ledger::{EvidenceHash, Line, Timestamp};
use crate::tree::path::RepoPath;
use bstr::BString;
use std::collections::BTreeSet;

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
    /// A revision that still has it.
    pub from: String,
    /// Where it lies there.
    pub at: RepoPath,
    /// Whether it went with the rewriting of a branch that nobody protects.
    pub rewritten: bool,
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

/// A run log that one of many commits did not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogBreak {
    /// The log, and what became of it.
    pub lost: LostLog,
    /// The commit, with its subject.
    pub commit: String,
    /// The commit alone.
    pub id: String,
    /// Whether the end has it whole again, or the commit is the one that brought it back.
    pub healed: bool,
    /// Where it lies whole at the end, where nobody looks for a log.
    pub hidden: Option<RepoPath>,
}

/// A ledger line that the change lost.
#[derive(Clone, Debug)]
pub struct LostLine {
    /// The line, and where it was.
    pub line: Lost,
    /// What became of it.
    pub how: Absence,
    /// A revision that still has it.
    pub from: String,
    /// Whether it went with the rewriting of a branch that nobody protects.
    pub rewritten: bool,
}

/// What became of a line that is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It is gone, or was edited.
    Gone,
    /// It lies in this ledger, where none of our files is looked for.
    OutOfSight(RepoPath),
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
    /// Ledger lines that a commit loses although the end has them, or never had to.
    pub losses: Vec<InnerLoss>,
    /// Ledger lines that come back as other ones than they were.
    pub returned: Vec<Returned>,
    /// What comes into view again.
    pub resurfaced: Option<Resurfaced>,
    /// Run logs that a commit did not keep.
    pub logs: Vec<LogBreak>,
    /// Run logs that come back as other ones, or went while they were out of sight.
    pub logs_back: Vec<LostLog>,
}

/// How what a changed configuration shows differs from what it was when it went out of sight.
#[derive(Debug)]
pub struct Resurfaced {
    /// Ledger lines that are gone.
    pub lost: Vec<LostLine>,
    /// Ledger lines that nobody has judged.
    pub added: Vec<AddedLine>,
    /// The nodes that are shown.
    pub nodes: Vec<NodeRef>,
    /// Whether the gate takes redactions.
    pub redact: bool,
    /// Now, for time stamps from the future.
    pub now: Timestamp,
    /// The configuration of the state itself.
    pub own: Config,
}

impl Resurfaced {
    /// Nothing found so far, with the gate that will judge it: whether it takes redactions, the clock, the configuration.
    pub(crate) fn new(redact: bool, now: Timestamp, own: Config) -> Self {
        Self { lost: Vec::new(), added: Vec::new(), nodes: Vec::new(), redact, now, own }
    }
}

/// Ledger lines that one of many commits lost, although nothing is missing between their start and their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerLoss {
    /// The ledger that held them.
    pub ledger: RepoPath,
    /// The commit, with its subject.
    pub commit: String,
    /// How many of its lines are back at the end.
    pub healed: usize,
    /// How many were filed within the same commits, and are not there at the end.
    pub unfiled: usize,
}

/// A ledger line in place of which the history holds another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The ledger that it came back in.
    pub ledger: RepoPath,
    /// The line that came back.
    pub line: Line,
    /// The scenario that both lines speak of.
    pub scenario: String,
    /// The line of the same scenario and time that was filed.
    pub filed: Vec<u8>,
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
