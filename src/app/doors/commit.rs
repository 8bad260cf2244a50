//! The gate before a commit: the index against HEAD, and against the other parents of a merge in progress. Stores the memo
//! for the next commit.

use super::{Commit, check, fast_commit};
use crate::app::judge::snapshot::{self, IndexDiff, Snapshot};
use crate::app::judge::{Options, absent, remember};
use crate::error::Result;
use crate::repo::{Backend, Repo};
use crate::report::view::Report;

/// Judges the staged changes.
///
/// # Errors
/// As [`judge`](crate::app::judge::judge), and when a path is not merged yet.
pub fn judge(repo: &Repo, options: Options, commit: Commit<'_>) -> Result<Report> {
    if repo.backend == Backend::Program {
        (commit.busy)();
    }
    let compared = snapshot::compare(repo)?;
    if commit.briefly {
        let report = fast_commit::report(repo, &compared, options, commit);
        if let Some(report) = report.or_else(|| fast_commit::afresh(repo, &compared, options, commit)) {
            return Ok(report);
        }
    }
    (commit.busy)();
    let judged = in_full(repo, &compared, options, commit);
    let promised = judged.as_ref().err().is_some_and(|error| absent::is_promised(repo, error));
    match promised.then(|| fast_commit::beside_absent(repo, &compared, options, commit)).flatten() {
        Some(report) => Ok(report),
        None => judged,
    }
}

/// Judges all nodes.
fn in_full(repo: &Repo, compared: &[IndexDiff], options: Options, commit: Commit<'_>) -> Result<Report> {
    let snapshot = Snapshot { made_by: commit.made_by, ..snapshot::of_staged(repo, compared)? };
    let judged = check::everything(repo, &snapshot, options)?;
    let notes = remember::of_head(repo, &snapshot, judged.as_ref());
    let note = judged.as_ref().and_then(|judged| check::unstaged_note(repo, judged, &snapshot));
    let mut report = check::report(repo, &snapshot, judged, options);
    report.notes.extend(note);
    remember::leave(repo, notes);
    Ok(report)
}
