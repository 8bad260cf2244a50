//! `agent`: the doors of the harnesses that run coding agents; `eval --observed`.

use crate::app::record::filing::FilingStep;
use crate::cli::Exit;
use crate::cli::args::formats::{ANSWER, HUMAN};
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::{CallOfHarness, FeatureArgs};
use crate::cli::filing::Filing;
use crate::error::{Error, Result};
use crate::features::agents::judge::observed::GivenObservation;
use crate::features::agents::verbs::agent_args::{AgentArgs, EventArgs, ObservedFlag};
use crate::features::agents::verbs::agent_event;
use crate::features::agents::verbs::agent_setup;
use crate::report::Format;
use clap::{ArgMatches, Args, FromArgMatches};

impl FeatureArgs for AgentArgs {
    const NAME: &'static str = "agent";
    const AFTER: &'static str = "uninstall";
    const LISTED: (Heading, u16) = (Heading::More, 150);
    const CALL_OF_HARNESS: Option<CallOfHarness> = Some(CallOfHarness {
        words: ["agent", "event"],
        run: |call| agent_event::event(call, EventArgs { harness: None, user: false }),
    });

    fn formats(below: &[&str]) -> &'static [Format] {
        if below == ["event"] { HUMAN } else { ANSWER }
    }

    fn run(self, call: Call<'_>) -> Result<Exit> {
        match self {
            Self::Install(args) => agent_setup::install(call, args),
            Self::Uninstall(args) => agent_setup::uninstall(call, args),
            Self::Ls => agent_setup::ls(call),
            Self::Event(args) => agent_event::event(call, args),
        }
    }
}

/// `eval --observed`.
pub(crate) const FILING: Filing = Filing {
    usage: Some("yatsu-hook eval [OPTIONS] [NODE] --observed"),
    flags: ObservedFlag::augment_args,
    step,
    ..Filing::NONE
};

fn step(_: Call<'_>, arguments: &ArgMatches) -> Result<Option<Box<dyn FilingStep>>> {
    let flag = ObservedFlag::from_arg_matches(arguments).map_err(|error| Error::fault(error.to_string()))?;
    Ok(flag.observed.map(|id| Box::new(GivenObservation(id)) as Box<dyn FilingStep>))
}
