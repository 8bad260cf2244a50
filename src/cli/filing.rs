//! The flags by which a feature adds to `eval`, and to each verb that writes lines of ledgers.

use super::Exit;
use super::call::Call;
use crate::app::record::filing::FilingStep;
use crate::error::Result;
use crate::model::ledger::Timestamp;
use crate::repo::Repo;
use crate::tree::path::RepoPath;
use clap::{ArgMatches, Command};

pub(crate) struct Filing {
    /// How `eval` is typed with them, if they stand in place of `--pass` and `--fail`.
    pub(crate) usage: Option<&'static str>,
    /// Adds its flags.
    pub(crate) flags: fn(Command) -> Command,
    /// Adds its flags that say on what terms a reading is filed.
    pub(crate) terms: fn(Command) -> Command,
    /// How many of the typed ones read standard input.
    pub(crate) streams: fn(&ArgMatches) -> usize,
    pub(crate) step: ReadStep,
    /// What it adds to every verb that writes lines.
    pub(crate) written: Option<WrittenStep>,
}

impl Filing {
    /// Nothing is added to `eval`.
    pub(crate) const NONE: Self = Self {
        usage: None,
        flags: |command| command,
        terms: |command| command,
        streams: |_| 0,
        step: |_, _| Ok(None),
        written: None,
    };
}

/// Reads what was typed; `None` if nothing was.
pub(crate) type ReadStep = fn(Call<'_>, &ArgMatches) -> Result<Option<Box<dyn FilingStep>>>;

/// What a feature does with lines after they were written and their receipt was printed.
pub(crate) struct WrittenStep {
    /// Adds its flags, to `eval` too.
    pub(crate) flags: fn(Command) -> Command,
    /// Does what was typed. Returns the exit code, by default the one that is given.
    pub(crate) complete: fn(Call<'_>, &Repo, &ArgMatches, &[WrittenLine], Exit) -> Exit,
}

/// A line that was written.
pub(crate) struct WrittenLine {
    /// Its node, as a verb takes it.
    pub(crate) node: String,
    /// `None` for a line that is about no scenario.
    pub(crate) scenario: Option<String>,
    pub(crate) ts: Timestamp,
}

/// The node in the directory of a ledger, as a verb takes it.
pub(crate) fn node_at(dir: &RepoPath) -> String {
    if dir.is_root() { ".".to_owned() } else { dir.to_string() }
}
