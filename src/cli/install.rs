//! The installing verbs: what may be typed, and the requests that are made of it.

use super::request::{Event, InstallRequest};
use clap::{Args, ValueEnum};

/// `install`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(super) struct InstallArgs {
    /// The hooks to install, separated by commas; by default all that such a repository has
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    hooks: Option<Vec<EventArg>>,
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
    #[value(name = "pre-receive")]
    Receive,
}

impl InstallArgs {
    /// The request.
    pub(super) fn request(self) -> InstallRequest {
        let events = self.hooks.map(|hooks| {
            let mut events: Vec<Event> = hooks.into_iter().map(Event::from).collect();
            events.sort_unstable();
            events.dedup();
            events
        });
        InstallRequest { events, merge_driver: self.merge_driver, global: self.global }
    }
}

impl From<EventArg> for Event {
    fn from(event: EventArg) -> Self {
        match event {
            EventArg::Commit => Self::PreCommit,
            EventArg::MergeCommit => Self::PreMergeCommit,
            EventArg::Push => Self::PrePush,
            EventArg::Receive => Self::PreReceive,
        }
    }
}
