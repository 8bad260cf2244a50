//! The arguments of `agent`.

use crate::cli::args::values::typed_by_spelling;
use crate::features::agents::model::harness::Harness;
use crate::features::agents::model::observation::ID_DIGITS;
use clap::{Args, Parser};
use std::path::PathBuf;

typed_by_spelling!(Harness);

/// Answer the events of a coding agent's harness
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(name = "agent", after_help = "Examples:\n  yatsu-hook agent event < event.json")]
pub(crate) enum AgentArgs {
    /// Let harnesses call this program at a session's start, after an edit and at its stop
    #[command(
        after_help = "Examples:\n  yatsu-hook agent install\n  yatsu-hook agent install --for claude,codex --dry-run\n  \
                            yatsu-hook agent install --user\n\n\
                            Inserts text and leaves every other byte of their files as it is; docs/agents.md has a section \
                            for each harness."
    )]
    Install(AgentInstallArgs),
    /// Undo agent install
    #[command(
        after_help = "Examples:\n  yatsu-hook agent uninstall\n  yatsu-hook agent uninstall --for codex --user\n\n\
                            A file that was edited since loses the entries of this program and nothing else."
    )]
    Uninstall(AgentUninstallArgs),
    /// Where harnesses call this program, in the project and for the user
    #[command(after_help = "Examples:\n  yatsu-hook agent ls\n  yatsu-hook agent ls --format json")]
    Ls,
    /// Answer one event of a harness; reads it from standard input
    #[command(
        after_help = "Examples:\n  yatsu-hook agent event < event.json\n  yatsu-hook agent event --for codex < event.json\n\n\
                      Always exits 0, also with wrong arguments: to most harnesses exit code 2 means to block."
    )]
    Event(EventArgs),
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentInstallArgs {
    #[command(flatten)]
    pub(crate) place: AgentPlaceArgs,
    /// Write a plugin directory instead, which Claude Code and Codex install by one command; it must not exist
    #[arg(long, value_name = "DIR", conflicts_with_all = ["harnesses", "user", "project"])]
    pub(crate) plugin: Option<PathBuf>,
    /// Say what would be changed and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentUninstallArgs {
    #[command(flatten)]
    pub(crate) place: AgentPlaceArgs,
    /// Say what would be changed and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentPlaceArgs {
    /// The harnesses, separated by commas; by default those whose folder is there
    #[arg(long = "for", value_enum, value_name = "LIST", value_delimiter = ',')]
    pub(crate) harnesses: Option<Vec<Harness>>,
    /// In the files of this user, for every project
    #[arg(long, conflicts_with = "project")]
    pub(crate) user: bool,
    /// In the files of this project; the default
    #[arg(long)]
    pub(crate) project: bool,
}

#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventArgs {
    /// The harness, where the event of one looks like the event of another [default: claude]
    #[arg(long = "for", value_enum, value_name = "NAME")]
    pub(crate) harness: Option<Harness>,
    /// The entry is of the user's files or of a plugin and runs in every repository: show no name with a blank
    #[arg(long)]
    pub(crate) user: bool,
}

/// The flag of `eval`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[group(skip)]
pub(crate) struct ObservedFlag {
    /// As the harness of a coding agent observed it: exit code 0 of the scenario's command is a pass. Without ID the latest
    /// observation; the node stands before it
    #[arg(long, value_name = "ID", num_args = 0..=1, value_parser = observation, groups = ["verdict", "said"])]
    pub(crate) observed: Option<Option<String>>,
}

fn observation(text: &str) -> Result<String, &'static str> {
    let is_id =
        text.len() == ID_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    is_id.then(|| text.to_owned()).ok_or("an observation has an id of 12 hex digits; a node stands before --observed")
}
