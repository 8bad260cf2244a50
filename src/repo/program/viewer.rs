//! Finds and starts the desktop's program that shows a file. The content of a repository has no influence on the program or
//! its arguments: otherwise a repository with its own `xdg-open` could run code on the user's machine.

use super::{absolute_entries, is_program};
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::sys;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program, in an absolute directory of `search` outside every worktree of the repository. The target of a link must be
/// outside, too. `None` if there is no such program.
pub(crate) fn find(search: &OsStr, repo: &Repo) -> Option<PathBuf> {
    let tops = tops(repo);
    let entries = absolute_entries(search);
    let dirs = || entries.iter().filter(|dir| is_outside(dir, &tops));
    let mut found = sys::VIEWERS.iter().flat_map(|name| dirs().map(move |dir| dir.join(name)));
    found.find(|file| is_program(file) && is_outside(file, &tops))
}

/// Whether `path` exists outside all of `tops`, with links resolved.
pub(super) fn is_outside(path: &Path, tops: &[PathBuf]) -> bool {
    sys::canonical(path).is_ok_and(|path| !tops.iter().any(|top| path.starts_with(top)))
}

/// The tops of all worktrees, and the git directory, with links resolved.
pub(super) fn tops(repo: &Repo) -> Vec<PathBuf> {
    let main = repo.common_dir.parent().filter(|_| repo.common_dir.file_name() == Some(OsStr::new(".git")));
    let linked = fs::read_dir(repo.common_dir.join("worktrees")).into_iter().flatten().flatten();
    let linked = linked.filter_map(|entry| {
        let text = fs::read_to_string(entry.path().join("gitdir")).ok()?;
        Some(Path::new(text.trim_end()).parent()?.to_owned())
    });
    let all =
        repo.work_dir.iter().cloned().chain(main.map(Path::to_owned)).chain([repo.common_dir.clone()]).chain(linked);
    all.map(|top| sys::canonical(&top).unwrap_or(top)).collect()
}

/// Starts the program with the path of a page, without waiting for it.
///
/// # Errors
/// Unchecked if it cannot be started.
pub(crate) fn start(program: &Path, page: &Path) -> Result<()> {
    let mut command = Command::new(program);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    sys::detach(&mut command);
    let started = command.spawn();
    started.map(drop).map_err(|error| {
        Error::unchecked(format!("cannot start {}: {error}", program.display())).hint("open the page by its path")
    })
}
