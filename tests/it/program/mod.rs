//! The git program as a backend: its answers compared with git's own, the effects of a hostile repository or PATH, and
//! questions that it does not answer.

mod failing;
mod history;
mod hostile;
mod index;
mod network;
mod objects;
mod order;

use crate::support::real::environment;
use crate::support::{Scratch, executable};
use std::path::Path;
use yatsu_hook::repo::program::Git;

fn script(file: &Path, text: &str) {
    executable(file, &format!("#!/bin/sh\n{text}\n"));
}

/// A door to a program that only pretends to be git.
fn fake(scratch: &Scratch, text: &str) -> Git {
    let bin = scratch.base.join("bin");
    script(&bin.join("git"), text);
    let mut environment = environment(&scratch.home());
    environment.retain(|(name, _)| name != "PATH");
    environment.push(("PATH".into(), format!("{}:/usr/bin:/bin", bin.display()).into()));
    Git::locate(&environment, &scratch.root).expect("a fake git")
}
