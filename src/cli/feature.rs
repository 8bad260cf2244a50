//! The verb of a feature, as a row of the table says it.

use super::Exit;
use super::args::groups::Heading;
use super::call::Call;
use crate::error::{Error, Result};
use clap::{ArgMatches, Args, Command};

/// The arguments of a feature's verb. The type itself carries their about line, their examples and their `display_order` among
/// all verbs.
pub(crate) trait FeatureArgs: Args {
    /// The word that is typed.
    const NAME: &'static str;
    /// Where help lists it. The verbs of the core have the ranks 10, 20 and so on below their heading.
    const LISTED: (Heading, u16);

    /// Carries it out.
    ///
    /// # Errors
    /// As for every verb.
    fn run(self, call: Call<'_>) -> Result<Exit>;
}

/// [`FeatureArgs`], without their type: the core names no feature.
pub(crate) struct FeatureVerb {
    pub(crate) name: &'static str,
    pub(crate) listed: (Heading, u16),
    /// Makes its part of the command line.
    pub(crate) command: fn() -> Command,
    /// Carries out what was typed.
    pub(crate) run: fn(Call<'_>, &ArgMatches) -> Result<Exit>,
}

impl FeatureVerb {
    pub(crate) const fn of<A: FeatureArgs>() -> Self {
        Self {
            name: A::NAME,
            listed: A::LISTED,
            command: || A::augment_args(Command::new(A::NAME)),
            run: |call, typed| {
                let typed = A::from_arg_matches(typed).map_err(|error| Error::fault(error.to_string()))?;
                typed.run(call)
            },
        }
    }
}
