//! `agent`: the doors of the harnesses that run coding agents.

use super::{agent_event, agent_setup};
use crate::cli::Exit;
use crate::cli::args::agent::{AgentArgs, EventArgs};
use crate::cli::args::formats::{ANSWER, HUMAN};
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::{CallOfHarness, FeatureArgs};
use crate::error::Result;
use crate::report::Format;

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
