//! The installing verbs: what may be typed, and the requests that are made of it.

use crate::app::request::{Event, InstallRequest};
use clap::{Args, ValueEnum};

/// `install`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(super) struct InstallArgs {
    /// The hooks to install, separated by commas
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "pre-commit,pre-merge-commit,pre-push"
    )]
    hooks: Vec<EventArg>,
    /// Offer the merge driver for ledgers too
    #[arg(long)]
    merge_driver: bool,
    /// Install for every repository of this user; needs git 2.54
    #[arg(long)]
    global: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EventArg {
    #[value(name = "pre-commit")]
    Commit,
    #[value(name = "pre-merge-commit")]
    MergeCommit,
    #[value(name = "pre-push")]
    Push,
}

impl InstallArgs {
    /// The request.
    pub(super) fn request(self) -> InstallRequest {
        let mut events: Vec<Event> = self.hooks.into_iter().map(Event::from).collect();
        events.sort_unstable();
        events.dedup();
        InstallRequest { events, merge_driver: self.merge_driver, global: self.global }
    }
}

impl From<EventArg> for Event {
    fn from(event: EventArg) -> Self {
        match event {
            EventArg::Commit => Self::PreCommit,
            EventArg::MergeCommit => Self::PreMergeCommit,
            EventArg::Push => Self::PrePush,
        }
    }
}
