//! The git program as a way of reading: its answers against git's own, what a hostile repository or PATH can do, and what
//! becomes of a question that it does not answer.

mod failing;
mod history;
mod hostile;
mod index;
mod objects;

use crate::support::{Scratch, executable, hermetic};
use std::ffi::OsString;
use std::path::Path;
use yatsu_hook::repo::program::Git;
use yatsu_hook::tree::oid::Oid;
use yatsu_hook::tree::path::RepoPath;

/// The hermetic environment as data.
pub(crate) fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    let command = hermetic("git", home);
    command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect()
}

/// The door to git for a scratch repository.
pub(crate) fn door(scratch: &Scratch) -> Git {
    Git::locate(&environment(&scratch.home()), &scratch.root).expect("git")
}

pub(crate) fn oid(hex: &str) -> Oid {
    Oid::from_hex(hex.as_bytes()).expect("an id")
}

pub(crate) fn path(text: &str) -> RepoPath {
    RepoPath::parse(text.as_bytes()).expect("a path")
}

fn script(file: &Path, text: &str) {
    executable(file, &format!("#!/bin/sh\n{text}\n"));
}

/// A door to a program that only claims to be git.
fn fake(scratch: &Scratch, text: &str) -> Git {
    let bin = scratch.base.join("bin");
    script(&bin.join("git"), text);
    let mut environment = environment(&scratch.home());
    environment.retain(|(name, _)| name != "PATH");
    environment.push(("PATH".into(), format!("{}:/usr/bin:/bin", bin.display()).into()));
    Git::locate(&environment, &scratch.root).expect("a fake git")
}
