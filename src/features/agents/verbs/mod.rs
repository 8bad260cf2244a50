//! The verb `agent`, and `eval --observed`.

pub(super) mod agent;
pub(super) mod agent_args;
mod agent_event;
pub(super) mod agent_setup;
