//! The arguments of the checking verbs.

use crate::app::judge::verdict::Older;
use crate::report::{SINGLES_LISTED, ScopeMode};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// `pre-commit`, `pre-merge-commit`, `pre-receive`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HookArgs {
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PushArgs {
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// The remote's name, as git gives it
    #[arg(value_name = "REMOTE")]
    pub(crate) remote: Option<OsString>,
    /// The remote's URL, as git gives it
    #[arg(value_name = "URL")]
    pub(crate) url: Option<OsString>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunArgs {
    /// The stage, where the framework can tell; otherwise it is found in the environment
    #[arg(long, value_enum, value_name = "STAGE")]
    pub(crate) stage: Option<Stage>,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
}

/// The stages that hook frameworks run us at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    PreCommit,
    PreMergeCommit,
    PrePush,
    Manual,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CheckArgs {
    /// Judge the index against HEAD
    #[arg(long, group = "scope")]
    pub(crate) staged: bool,
    /// Judge the whole working tree, or HEAD in a bare repository, and list every finding. `check` alone prints the score, as
    /// `scan` does, and compares tracked files with the evidence by content
    #[arg(long, group = "scope")]
    pub(crate) all: bool,
    /// Judge what the range from A to B changes
    #[arg(long, value_name = "A", group = "scope")]
    pub(crate) from: Option<String>,
    /// The end of the range [default: HEAD]
    #[arg(long, value_name = "B", requires = "from", conflicts_with_all = ["staged", "all", "rev"])]
    pub(crate) to: Option<String>,
    /// What to say of findings that were there before the range; one line with their count by default
    #[arg(long, value_enum, value_name = "HOW", requires = "from", conflicts_with_all = ["staged", "all", "rev"])]
    pub(crate) inherited: Option<Older>,
    /// Fail unless the content of the range was approved, for example with `patch approve`
    #[arg(long, requires = "from", conflicts_with_all = ["staged", "all", "rev", "paths"])]
    pub(crate) require_approval: bool,
    /// Judge the tree of one commit
    #[arg(long, value_name = "REV", group = "scope")]
    pub(crate) rev: Option<String>,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Report on these paths only
    #[arg(last = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScanArgs {
    /// Only the nodes that this branch touched
    #[arg(long)]
    pub(crate) changed: bool,
    /// What the branch is compared with; by default the main branch, or HEAD where there is none
    #[arg(long, value_name = "REF", requires = "changed")]
    pub(crate) base: Option<String>,
    /// Judge the index
    #[arg(long, group = "view")]
    pub(crate) staged: bool,
    /// Judge the tree of one commit
    #[arg(long, value_name = "REV", group = "view")]
    pub(crate) rev: Option<String>,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// List at most N findings of a level, with half as many groups of what moved together and a quarter of each group; 0
    /// lists all. Errors and machine formats are never cut, and what the branch introduced is cut inside a group alone
    #[arg(long, value_name = "N", default_value_t = SINGLES_LISTED)]
    pub(crate) limit: usize,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Only these nodes, by directory, id or last name, or scenarios, as NODE/SCENARIO; `.` is the node of the current
    /// directory, else the only one that the branch touches
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValidateArgs {
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Scenario files and ledgers
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
}

impl CheckArgs {
    /// The content that it judges.
    pub(crate) fn mode(&self) -> ScopeMode {
        match self {
            Self { staged: true, .. } => ScopeMode::Staged,
            Self { rev: Some(_), .. } => ScopeMode::Rev,
            Self { from: Some(_), .. } => ScopeMode::Range,
            _ => ScopeMode::All,
        }
    }
}

impl ScanArgs {
    /// The content that it judges.
    pub(crate) fn mode(&self) -> ScopeMode {
        match self {
            Self { staged: true, .. } => ScopeMode::Staged,
            Self { rev: Some(_), .. } => ScopeMode::Rev,
            _ => ScopeMode::All,
        }
    }
}
