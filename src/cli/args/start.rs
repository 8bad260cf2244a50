//! What may be typed to the verbs that begin something.

use clap::Args;
use std::path::PathBuf;

/// `new`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewArgs {
    /// The path of the new node below the first of yatsu.roots; without it the first PATH names it
    #[arg(value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// What the scenario is about: files, directories, globs, path#symbol; may be left out where spec.md has a list
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) code: Vec<PathBuf>,
    /// What the scenario is called
    #[arg(long, value_name = "NAME", default_value = "works")]
    pub(crate) scenario: String,
    /// One of lint.scenarioTags; may be repeated [default: cli, or the first one]
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// What the node is called [default: the name of its directory]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// What to do, so that somebody else measures the same [default: a placeholder]
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// What a perfect result looks like [default: a placeholder]
    #[arg(long, value_name = "TEXT")]
    pub(crate) expected: Option<String>,
    /// Judge it, show it and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
