//! `completions`: a script for a shell. bash, zsh and fish ask the program, which knows what the repository has; the others
//! get the verbs and flags as they are in this version.

use crate::cli::args::command;
use crate::cli::complete;
use crate::cli::{Exit, stdio};
use crate::error::Result;

/// Prints a completion script.
pub(super) fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    if let Some(script) = complete::script(&shell.to_string()) {
        return stdio::print(script.as_bytes()).map(|()| Exit::CLEAN);
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "yatsu-hook", &mut script);
    stdio::print(&script).map(|()| Exit::CLEAN)
}
