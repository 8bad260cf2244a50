//! The flags of features on `eval` and on the verbs that write lines, in the order of the rows.

use crate::features;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::iter;

/// Adds the flags that stand in place of `--pass` and `--fail`, or the other ones.
fn with_flags(command: Command, are_verdicts: bool) -> Command {
    let all = features::filing().filter(|filing| filing.usage.is_some() == are_verdicts);
    all.fold(command, |command, filing| (filing.flags)(command))
}

/// The flags that stand in place of `--pass` and `--fail`. What was typed is in [`FilingArgs`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VerdictFlags;

impl Args for VerdictFlags {
    fn augment_args(command: Command) -> Command {
        let by_hand = "yatsu-hook eval [OPTIONS] <--pass|--fail> [NODE]";
        let of_features = features::filing().filter_map(|filing| filing.usage);
        let usage: Vec<&str> = iter::once(by_hand).chain(of_features).collect();
        with_flags(command.override_usage(usage.join("\n       ")), true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for VerdictFlags {
    fn from_arg_matches(_: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self)
    }

    fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }
}

/// The flags that say on what terms a reading is filed. What was typed is in [`FilingArgs`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TermsFlags;

impl Args for TermsFlags {
    fn augment_args(command: Command) -> Command {
        features::filing().fold(command, |command, filing| (filing.terms)(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TermsFlags {
    fn from_arg_matches(_: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self)
    }

    fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }
}

/// What was typed. Each feature takes its own flags out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FilingArgs(pub(crate) ArgMatches);

impl Args for FilingArgs {
    fn augment_args(command: Command) -> Command {
        with_flags(command, false)
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

/// What was typed on a verb that writes lines. Each feature takes its own flags out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenArgs(pub(crate) ArgMatches);

impl Args for WrittenArgs {
    fn augment_args(command: Command) -> Command {
        let all = features::filing().filter_map(|filing| filing.written.as_ref());
        all.fold(command, |command, written| (written.flags)(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for WrittenArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = matches.clone();
        Ok(())
    }
}
