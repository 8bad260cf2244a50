//! The verb of a feature, as a row of the table says it.

use super::Exit;
use super::args::formats::ANSWER;
use super::args::groups::Heading;
use super::call::Call;
use crate::error::{Error, Result};
use crate::report::{Format, ScopeMode};
use clap::{ArgMatches, Command, Parser};

/// The words by which the harness of a coding agent calls a verb. They are known before clap describes the command line, and
/// such a call exits 0 whatever happens.
#[derive(Clone, Copy)]
pub(crate) struct CallOfHarness {
    pub(crate) words: [&'static str; 2],
    /// Carries out the words alone, without a flag.
    pub(crate) run: fn(Call<'_>) -> Result<Exit>,
}

/// The arguments of a feature's verb. The type itself carries their about line and their examples.
pub(crate) trait FeatureArgs: Parser {
    /// The word that is typed; the type's `name` is the same.
    const NAME: &'static str;
    /// The verb behind which completions and the manual page list it.
    const AFTER: &'static str;
    /// Where help lists it: the heading, and the rank below it.
    const LISTED: (Heading, u16);
    /// How a harness calls it.
    const CALL_OF_HARNESS: Option<CallOfHarness> = None;

    /// The formats of the verb with the subverbs `below`, the human one first.
    fn formats(below: &[&str]) -> &'static [Format] {
        let _ = below;
        ANSWER
    }

    /// The content that it judges; `None` if it judges nothing.
    fn mode(&self) -> Option<ScopeMode> {
        None
    }

    /// Whether it files something, and so must say at the end whether it did.
    fn files(&self) -> bool {
        false
    }

    /// Carries it out.
    ///
    /// # Errors
    /// As for every verb.
    fn run(self, call: Call<'_>) -> Result<Exit>;
}

/// [`FeatureArgs`], without their type: the core names no feature.
pub(crate) struct FeatureVerb {
    pub(crate) name: &'static str,
    pub(crate) after: &'static str,
    pub(crate) listed: (Heading, u16),
    pub(crate) call_of_harness: Option<CallOfHarness>,
    /// Makes its part of the command line.
    pub(crate) command: fn() -> Command,
    pub(crate) formats: fn(&[&str]) -> &'static [Format],
    /// The content that is judged by what was typed.
    pub(crate) mode: fn(&ArgMatches) -> Option<ScopeMode>,
    /// Whether what was typed files something.
    pub(crate) files: fn(&ArgMatches) -> bool,
    /// Carries out what was typed.
    pub(crate) run: fn(Call<'_>, &ArgMatches) -> Result<Exit>,
}

impl FeatureVerb {
    pub(crate) const fn of<A: FeatureArgs>() -> Self {
        Self {
            name: A::NAME,
            after: A::AFTER,
            listed: A::LISTED,
            call_of_harness: A::CALL_OF_HARNESS,
            command: A::command,
            formats: A::formats,
            mode: |typed| A::from_arg_matches(typed).ok()?.mode(),
            files: |typed| A::from_arg_matches(typed).is_ok_and(|args| args.files()),
            run: |call, typed| {
                let typed = A::from_arg_matches(typed).map_err(|error| Error::fault(error.to_string()))?;
                typed.run(call)
            },
        }
    }
}
