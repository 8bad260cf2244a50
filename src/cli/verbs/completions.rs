//! `completions`: the script for a shell. The scripts for bash, zsh and fish call the program, which knows the names in the
//! repository. Other shells get a fixed list of this version's verbs and flags.

use crate::cli::args::command;
use crate::cli::complete;
use crate::cli::{Exit, stdio};
use crate::error::Result;

pub(super) fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    if let Some(script) = complete::script(&shell.to_string()) {
        return stdio::print(script.as_bytes()).map(|()| Exit::CLEAN);
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "yatsu-hook", &mut script);
    stdio::print(&script).map(|()| Exit::CLEAN)
}
