//! What a change does to run logs, apart from their content.

use crate::features::runlogs::judge::engine::artifacts::Unmet;
use crate::features::runlogs::judge::engine::moves::LogFate;
use crate::rules::LostFrom;
use crate::tree::path::RepoPath;

/// Changes to run logs, apart from their content. They are found together with the logs, and are a part of the judged state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogChange {
    /// Logs of a base that the view lost or changed.
    pub lost: Vec<LostLog>,
    /// Added ends of phases or runs that lack required artifacts.
    pub unmet: Vec<UnmetEnd>,
    /// Requirements that profiles of the project dropped.
    pub weaker: Vec<WeakerProfile>,
    /// Logs that a commit of the range broke and a later one has whole again.
    pub mended: Vec<MendedLog>,
}

/// A run log that one commit broke and a later one has whole again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MendedLog {
    pub path: RepoPath,
    /// The commits, shortened: the one that broke the log, and the one that has it whole.
    pub broke: String,
    pub whole: String,
}

/// A requirement that a profile of the project dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakerProfile {
    pub file: RepoPath,
    /// The dropped requirement, as a sentence.
    pub what: String,
}

/// A run log that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostLog {
    pub path: RepoPath,
    pub fate: LogFate,
    /// The place where it lies hidden, and the configuration key that hides it.
    pub hidden: Option<(RepoPath, &'static str)>,
    /// The revision that still has it, at the same path.
    pub from: LostFrom,
    /// Whether two branches that are merged both wrote to it.
    pub merged: bool,
}

/// The end of a phase or of a run without its required artifacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetEnd {
    pub path: RepoPath,
    pub line: u32,
    /// The name of the phase or run, for a sentence.
    pub what: String,
    /// The missing artifacts; never empty.
    pub unmet: Vec<Unmet>,
}
