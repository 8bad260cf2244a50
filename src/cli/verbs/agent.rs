//! `agent`: the doors of the harnesses that run coding agents.

use super::{agent_event, agent_setup};
use crate::cli::Exit;
use crate::cli::args::agent::AgentArgs;
use crate::cli::call::Call;
use crate::error::Result;

pub(super) fn agent(call: Call<'_>, args: AgentArgs) -> Result<Exit> {
    match args {
        AgentArgs::Install(args) => agent_setup::install(call, args),
        AgentArgs::Uninstall(args) => agent_setup::uninstall(call, args),
        AgentArgs::Ls => agent_setup::ls(call),
        AgentArgs::Event(args) => agent_event::event(call, args),
    }
}
