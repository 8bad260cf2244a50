//! The arguments of the verbs that begin something.

use super::record::{Input, input};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BeginArgs {
    /// The nodes that are measured, by directory, id or last name, or scenarios, as NODE/SCENARIO; by default all nodes, as
    /// for test reports; `.` is the node of the current directory, else the only one that the branch touched
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
    /// The one scenario of NODE that is measured
    #[arg(long, value_name = "NAME", conflicts_with = "tags")]
    pub(crate) scenario: Option<String>,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewArgs {
    /// The path of the new node below the first of yatsu.roots; without it the first PATH names it
    #[arg(value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// What the scenario is about: files, directories, globs, path#symbol; may be left out where spec.md has a list
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) code: Vec<PathBuf>,
    /// Every scenario in this file, as drafts: Gherkin, OpenSpec or spec-kit; FILE names the node
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "description", "expected"])]
    pub(crate) from: Option<PathBuf>,
    /// Also the files that a measured run went through: lcov, Cobertura, coverage.py JSON, Istanbul JSON or a Go profile;
    /// may be repeated; - reads standard input
    #[arg(long, value_name = "FILE", value_parser = input)]
    pub(crate) from_coverage: Vec<Input>,
    /// What the scenario is called [default: the name of the first PATH, or its symbol]
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// One of lint.scenarioTags; may be repeated [default: cli, or the first one]
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// The test that measures the scenario: a file, or one test in it, by its name
    #[arg(long, value_name = "FILE[::NAME]", conflicts_with = "from")]
    pub(crate) test: Option<PathBuf>,
    /// Add the scenario to the scenario file that is there
    #[arg(long)]
    pub(crate) append: bool,
    /// What the node is called, in a spec.md of its own [default: the name of its directory]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// What to do, so that others measure the same [default: a placeholder]
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// What a perfect result looks like [default: a placeholder]
    #[arg(long, value_name = "TEXT")]
    pub(crate) expected: Option<String>,
    /// Judge it, show it and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
