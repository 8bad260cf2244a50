//! Finds and starts the desktop's program that shows a file. The content of a repository has no influence on the program or
//! its arguments: otherwise a repository with its own `xdg-open` could run code on the user's machine.

use super::search_path::SearchPath;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::sys;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program, if `PATH` in `environment` has one outside of the repository.
pub(crate) fn find(environment: &[(OsString, OsString)], repo: &Repo) -> Option<PathBuf> {
    let search = SearchPath::of(environment, repo);
    sys::VIEWERS.iter().find_map(|name| search.program(name))
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
