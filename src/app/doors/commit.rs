//! The gate before a commit: the index against HEAD, and against the other parents of a merge in progress.

use super::{Commit, check, quiet};
use crate::app::judge::{Options, snapshot};
use crate::error::Result;
use crate::repo::{Backend, Repo};
use crate::report::view::Report;

/// Judges what is staged.
///
/// # Errors
/// As [`judge`](crate::app::judge::judge), and when a path is not merged yet.
pub fn judge(repo: &Repo, options: Options, commit: Commit<'_>) -> Result<Report> {
    if repo.backend == Backend::Program {
        (commit.busy)();
    }
    let compared = snapshot::compare(repo)?;
    if let ([only], true) = (compared.as_slice(), commit.silently)
        && let Some(report) = quiet::silence(repo, only, options, commit)
    {
        return Ok(report);
    }
    (commit.busy)();
    check::check(repo, &snapshot::of_staged(repo, &compared, commit.clean_merge)?, options)
}
