//! The flags of features on `eval`, in the order of the rows.

use crate::features;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// What was typed. Each feature takes its own flags out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FilingArgs(pub(crate) ArgMatches);

impl Args for FilingArgs {
    fn augment_args(command: Command) -> Command {
        features::filing().fold(command, |command, filing| (filing.flags)(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FilingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = matches.clone();
        Ok(())
    }
}
