//! Which commits are new, and which of several lead to others, for a repository. Decides whether the native walk may answer,
//! and gives it the known commits. Otherwise the git program answers.

use super::ancestry;
use super::program::{NewCommit, NewCommits, is_remote_name};
use super::{Backend, Repo};
use crate::error::Result;
use crate::tree::oid::Oid;
use std::fs;

/// The commits of a push that the other side does not have yet, parents before children; `None` if only git can answer.
///
/// # Errors
/// When a commit or a ref cannot be read.
pub(super) fn new_commits(repo: &Repo, wanted: &NewCommits) -> Result<Option<Vec<NewCommit>>> {
    if !reads_history(repo) {
        return Ok(None);
    }
    let kept = if wanted.all_refs { repo.kept_objects()? } else { None };
    // An object that is in quarantine only: no ref of the receiving repository can lead to it. An object that was here before
    // may belong to any branch.
    let came = |id: &Oid| kept.as_ref().map_or(Ok(false), |kept| Ok(kept.header(id)?.is_none()));
    ancestry::new_commits(&*repo.objects, &wanted.tips, &wanted.known, &|| others(repo, wanted), &came)
}

/// The ones of `commits` that no other one leads to; `None` if only git can answer.
///
/// # Errors
/// When a commit cannot be read.
pub(super) fn independent(repo: &Repo, commits: &[Oid]) -> Result<Option<Vec<Oid>>> {
    if reads_history(repo) { ancestry::independent(&*repo.objects, commits) } else { Ok(None) }
}

/// Whether the native walk sees the same history as git: nothing is cut off. (Grafts and replace refs are ignored here, and
/// the git program is started without them.)
fn reads_history(repo: &Repo) -> bool {
    repo.backend == Backend::Native && !repo.shallow
}

/// The other side's commits beyond the named ones; `None` if only git knows them all.
fn others(repo: &Repo, wanted: &NewCommits) -> Result<Option<Vec<Oid>>> {
    let mut known = Vec::new();
    if wanted.all_refs {
        // each work tree has a HEAD and refs of its own
        if fs::read_dir(repo.common_dir.join("worktrees")).is_ok_and(|mut trees| trees.next().is_some()) {
            return Ok(None);
        }
        // git skips a ref that it cannot read and reports that
        // refs without code are left out: their content was never judged
        let (Ok(head), Ok(refs)) = (repo.judged_head(), repo.judged_refs(b"refs/")) else { return Ok(None) };
        known.extend(head);
        known.extend(refs.into_iter().map(|(_, id)| id));
    }
    if let Some(remote) = wanted.remote.as_deref().filter(|remote| is_remote_name(remote)) {
        let prefix = format!("refs/remotes/{remote}/");
        let Ok(refs) = repo.judged_refs(prefix.as_bytes()) else { return Ok(None) };
        known.extend(refs.into_iter().map(|(_, id)| id));
    }
    known.sort_unstable();
    known.dedup();
    Ok(Some(known))
}
