//! The arguments of `patch`.

use crate::cli::args::filing::WrittenArgs;
use clap::{Args, Parser};

/// How far branches have come, and decisions about them
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(
    name = "patch",
    after_help = "Examples:\n  yatsu-hook patch ls\n  yatsu-hook patch show feature\n  \
                      yatsu-hook patch approve feature --reason 'read and measured'\n\ndocs/patches.md explains the states."
)]
pub(crate) enum PatchArgs {
    /// Every branch with commits that the main branch lacks or lacked, with its state
    #[command(after_help = "Examples:\n  yatsu-hook patch ls\n  yatsu-hook patch ls --format json")]
    Ls,
    /// One branch: the nodes that it touches, their readings and decisions, and the next step
    #[command(after_help = "Examples:\n  yatsu-hook patch show\n  yatsu-hook patch show feature --format json")]
    Show {
        /// The branch, as `git branch` calls it; without it the one that is checked out
        #[arg(value_name = "BRANCH")]
        branch: Option<String>,
    },
    /// Approve the content of a branch, if everything that it touches was measured
    #[command(after_help = "Examples:\n  yatsu-hook patch approve feature --reason 'read and measured'\n\n\
                            It is recorded in the ledger of every node that the branch touches: commit them. It counts while \
                            the branch holds what was approved.")]
    Approve(PatchDecisionArgs),
    /// Reject the content of a branch; new content on it needs a new decision
    #[command(after_help = "Examples:\n  yatsu-hook patch reject feature --reason 'too slow on a phone'")]
    Reject(PatchDecisionArgs),
}

/// `patch approve` and `patch reject`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PatchDecisionArgs {
    /// The branch, as `git branch` calls it; without it the one that is checked out
    #[arg(value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// One line about why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Who decides [default: the author that git names]
    #[arg(long, value_name = "WHO")]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) written: WrittenArgs,
}
