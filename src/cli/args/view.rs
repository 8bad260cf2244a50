//! The arguments of the verbs that only read.

use super::values::run;
use crate::model::labels::RunId;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShowArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches; or NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// Show readings that were withdrawn, too, with their notes
    #[arg(long)]
    pub(crate) all: bool,
    /// Write the node's page into the git directory, print its path, and have the desktop open it where there is one
    #[arg(long, conflicts_with = "all")]
    pub(crate) open: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListArgs {
    /// Only scenarios without an effective reading
    #[arg(long, group = "state")]
    pub(crate) unmeasured: bool,
    /// Only scenarios with a stale reading
    #[arg(long, group = "state")]
    pub(crate) stale: bool,
    /// Only scenarios with a fail as the reading that counts
    #[arg(long, group = "state")]
    pub(crate) failing: bool,
    /// The source files below lint.governedRoots that no scenario governs
    #[arg(long, group = "state", conflicts_with_all = ["tags", "nodes"])]
    pub(crate) unowned: bool,
    /// What was spent, as `usage` prints it; of one node at most
    #[arg(long, group = "state", conflicts_with = "tags")]
    pub(crate) cost: bool,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only these nodes, by directory, id or last name, or scenarios, as NODE/SCENARIO; `.` is the node of the current
    /// directory, else the only one that the branch touches
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImpactArgs {
    /// What is going to be edited: a file, a directory, or one unit of a file, PATH#SYMBOL
    #[arg(value_name = "PATH", required_unless_present_any = ["staged", "base"], conflicts_with_all = ["staged", "base"])]
    pub(crate) paths: Vec<PathBuf>,
    /// What is staged, compared with HEAD
    #[arg(long, conflicts_with = "base")]
    pub(crate) staged: bool,
    /// The working tree, compared with the commit where the branch left REF
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitsArgs {
    /// The source file
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// Read the index
    #[arg(long, group = "content")]
    pub(crate) staged: bool,
    /// Read a commit
    #[arg(long, value_name = "REV", group = "content")]
    pub(crate) rev: Option<String>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsageArgs {
    /// Only this node, and the runs that its readings belong to: its directory, its id or its last name; `.` is the one of
    /// the current directory, else the only one that the branch touches; or NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// Only this run
    #[arg(long, value_name = "ID", value_parser = run)]
    pub(crate) run: Option<RunId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum ConfigArgs {
    /// Print the configuration that is judged by, defaults filled in, and where each value comes from
    #[command(after_help = "Examples:\n  yatsu-hook config show --format json")]
    Show,
    /// Say what is wrong with spexcode.json (exit 2) and what in it is probably not meant (advice)
    #[command(after_help = "Examples:\n  yatsu-hook config check")]
    Check,
}
