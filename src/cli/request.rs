//! What was typed, as plain values that cannot contradict themselves: one type per verb, without clap, defaults filled
//! in, nothing looked up yet. The use cases of [`crate::app`] are called with what these say.

use crate::app::judge::verdict::Older;
use crate::app::setup::install::HookEvent;
use crate::model::ledger::{EvidenceHash, Status};
use std::ffi::OsString;
use std::path::PathBuf;

/// A hook that git called, or that a framework called for git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hook {
    /// The index, before a commit.
    PreCommit,
    /// The index, before a merge commit.
    PreMergeCommit,
    /// What git's standard input lists, before a push.
    PrePush {
        /// The remote's name, or its URL where it has no name.
        remote: Option<OsString>,
        /// The remote's URL.
        url: Option<OsString>,
    },
    /// What git's standard input lists, in quarantine.
    PreReceive,
    /// The range that a framework names in its environment, in place of standard input.
    PushedRange(PushedRange),
    /// The range that somebody typed and a framework passes on.
    Range {
        /// The base.
        from: String,
        /// The judged commit.
        to: String,
    },
    /// The framework does not tell: what is staged, or the whole index where nothing is.
    Untold,
}

/// What pre-commit and prek say about a push.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushedRange {
    /// `PRE_COMMIT_FROM_REF`; absent for a new branch.
    pub from: Option<String>,
    /// `PRE_COMMIT_TO_REF`.
    pub to: Option<String>,
    /// `PRE_COMMIT_LOCAL_BRANCH`.
    pub local_branch: Option<String>,
    /// `PRE_COMMIT_REMOTE_BRANCH`.
    pub remote_branch: Option<String>,
    /// `PRE_COMMIT_REMOTE_NAME`.
    pub remote: Option<String>,
}

/// Judge what a hook is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRequest {
    /// Which one.
    pub hook: Hook,
    /// Warnings count as errors.
    pub strict: bool,
}

/// Which content `check` judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckScope {
    /// The working tree; HEAD in a bare repository.
    All,
    /// The index against HEAD.
    Staged,
    /// One commit.
    Rev(String),
    /// What `to` adds to `from`.
    Range {
        /// The base.
        from: String,
        /// The judged commit.
        to: String,
        /// What to say of findings that were there before.
        older: Older,
    },
}

/// Judge by hand or in CI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRequest {
    /// Which content.
    pub scope: CheckScope,
    /// Report on these paths only, relative to the directory asked in; empty means all.
    pub paths: Vec<PathBuf>,
    /// Warnings count as errors.
    pub strict: bool,
}

/// Which content `scan` judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanView {
    /// The working tree; HEAD in a bare repository.
    WorkTree,
    /// The index.
    Staged,
    /// One commit.
    Rev(String),
}

/// What `scan` compares with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Nothing: all nodes.
    All,
    /// Where the branch left the main branch: the nodes it touched.
    SinceMain,
    /// Where the branch left this revision: the nodes it touched.
    Since(String),
}

/// The score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRequest {
    /// Which content.
    pub view: ScanView,
    /// Compared with what.
    pub changed: Changed,
    /// Only scenarios with one of these tags; empty means all.
    pub tags: Vec<String>,
    /// Only these nodes; empty means all.
    pub nodes: Vec<String>,
    /// Warnings count as errors.
    pub strict: bool,
}

/// Judge named files alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidateRequest {
    /// The files, at least one.
    pub paths: Vec<PathBuf>,
    /// Warnings count as errors.
    pub strict: bool,
}

/// Where bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// File one reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalRequest {
    /// The node; by default the one of the directory asked in.
    pub node: Option<String>,
    /// The scenario; by default the only one the node declares.
    pub scenario: Option<String>,
    /// The verdict.
    pub status: Status,
    /// The annotation.
    pub note: Option<String>,
    /// Pictures.
    pub images: Vec<PathBuf>,
    /// A transcript or JSON.
    pub result: Option<Source>,
    /// A recording.
    pub video: Option<PathBuf>,
    /// A step timeline.
    pub timeline: Option<PathBuf>,
    /// `NAME@VERSION`.
    pub evaluator: Option<String>,
    /// Who measured.
    pub by: Option<String>,
    /// Advice refuses the filing too.
    pub strict: bool,
    /// Say what would be filed, write nothing.
    pub dry_run: bool,
}

/// Which reading a retraction withdraws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// The latest effective one.
    Last,
    /// The one with this timestamp, as typed.
    At(String),
}

/// Withdraw one reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetractRequest {
    /// The node; by default the one of the directory asked in.
    pub node: Option<String>,
    /// The scenario.
    pub scenario: String,
    /// Which reading.
    pub which: Which,
    /// Why.
    pub note: Option<String>,
}

/// Take a line out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactRequest {
    /// The node; by default the one of the directory asked in.
    pub node: Option<String>,
    /// The scenario.
    pub scenario: String,
    /// The line's timestamp, as typed.
    pub ts: String,
    /// Why.
    pub reason: String,
    /// Who; by default whom git knows.
    pub by: Option<String>,
}

/// What a collection keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Everything that a reading names.
    Named,
    /// What the latest effective readings name.
    Latest,
    /// Nothing.
    Nothing,
}

/// Collect evidence, or undo the last collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CleanRequest {
    /// Move what is not kept to the trash.
    Collect {
        /// What is kept.
        keep: Keep,
        /// Days during which anything is kept.
        grace_days: u32,
        /// List, move nothing.
        dry_run: bool,
    },
    /// Bring back what the last run moved.
    Undo,
}

/// Repair the ledgers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairRequest {
    /// Say what would be written, write nothing.
    pub dry_run: bool,
    /// Add lines that this revision has and the working tree lost.
    pub restore: Option<String>,
}

/// Merge one ledger, as git's merge drivers are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeCall {
    /// `%O`: a file with the base.
    pub base: PathBuf,
    /// `%A`: a file with ours; the result is written there.
    pub ours: PathBuf,
    /// `%B`: a file with theirs.
    pub theirs: PathBuf,
    /// `%P`: the ledger's path in the repository.
    pub path: PathBuf,
}

/// Use the evidence store alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvidenceRequest {
    /// Store bytes and say their name.
    Put(Source),
    /// Hand out the bytes of a name.
    Get {
        /// The name.
        hash: EvidenceHash,
        /// A file; standard output without one.
        output: Option<PathBuf>,
    },
    /// Hash everything again.
    Check,
    /// List what there is.
    List,
}

/// Which scenarios to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// All of them.
    Any,
    /// Those without an effective reading.
    Unmeasured,
    /// Those whose latest reading is stale.
    Stale,
    /// Those whose latest reading failed.
    Failing,
}

/// List scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// Which.
    pub state: State,
    /// Only those with one of these tags; empty means all.
    pub tags: Vec<String>,
}

/// Make git call us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallCall {
    /// On which events, each once; `None` for all that such a repository has.
    pub events: Option<Vec<HookEvent>>,
    /// Offer the merge driver too.
    pub merge_driver: bool,
    /// For every repository of this user.
    pub global: bool,
    /// Say what would be changed, change nothing.
    pub dry_run: bool,
}

/// Make git forget us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UninstallRequest {
    /// What was installed for every repository of this user.
    pub global: bool,
    /// Say what would be changed, change nothing.
    pub dry_run: bool,
}
