//! The flags by which a feature adds to `eval`.

use super::call::Call;
use crate::app::record::filing::FilingStep;
use crate::error::Result;
use clap::{ArgMatches, Command};

pub(crate) struct Filing {
    /// How `eval` is typed with them, if they stand in place of `--pass` and `--fail`.
    pub(crate) usage: Option<&'static str>,
    /// Adds its flags.
    pub(crate) flags: fn(Command) -> Command,
    /// How many of the typed ones read standard input.
    pub(crate) streams: fn(&ArgMatches) -> usize,
    pub(crate) step: ReadStep,
}

/// Reads what was typed; `None` if nothing was.
pub(crate) type ReadStep = fn(Call<'_>, &ArgMatches) -> Result<Option<Box<dyn FilingStep>>>;
