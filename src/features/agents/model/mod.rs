//! The events, settings and files of harnesses, and what is said about them.

pub mod agent_event;
pub(super) mod harness;
pub(super) mod json_edit;
pub(super) mod observation;
pub(super) mod reply;
pub(super) mod setup;
