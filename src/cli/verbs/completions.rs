//! `completions`: a script for a shell.

use crate::cli::args::command;
use crate::cli::{Exit, stdio};
use crate::error::Result;

/// Prints a completion script.
pub(super) fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "yatsu-hook", &mut script);
    stdio::print(&script).map(|()| Exit::CLEAN)
}
