//! Which commits are new, and which of several lead to others, asked of a repository: whether our own reader of commits may
//! tell, and what it is told is known. What it does not tell the git program does.

use super::ancestry;
use super::ancestry::Fresh;
use super::native::objects::ObjectStore;
use super::program::{NewCommit, NewCommits, is_remote_name};
use super::{Backend, Repo};
use crate::error::Result;
use crate::tree::oid::Oid;
use std::fs;
use std::rc::Rc;

/// The commits of a push that the other side does not have yet, parents before children; `None` where only git can tell.
///
/// # Errors
/// When a commit or a ref cannot be read.
pub(super) fn new_commits(repo: &Repo, wanted: &NewCommits) -> Result<Option<Vec<NewCommit>>> {
    if !reads_history(repo) {
        return Ok(None);
    }
    let kept = if wanted.all_refs { repo.kept_objects()? } else { None };
    let came = |id: &Oid| came(kept.as_ref(), id);
    let others = || others(repo, wanted);
    ancestry::new_commits(
        &*repo.objects,
        &Fresh { tips: &wanted.tips, known: &wanted.known, others: &others, came: &came },
    )
}

/// Those of `commits` that no other one of them leads to; `None` where only git can tell.
///
/// # Errors
/// When a commit cannot be read.
pub(super) fn independent(repo: &Repo, commits: &[Oid]) -> Result<Option<Vec<Oid>>> {
    if reads_history(repo) { ancestry::independent(&*repo.objects, commits) } else { Ok(None) }
}

/// Whether what commits say of their parents is what git goes by: nothing is cut off. (Grafts and replace refs are shown to
/// nobody here, nor to the git that is asked.)
fn reads_history(repo: &Repo) -> bool {
    repo.backend == Backend::Native && !repo.shallow
}

/// Whether an object waits in quarantine and is nowhere else: no ref of the repository that receives can lead to it. One that
/// is there besides may be anybody's.
fn came(kept: Option<&Rc<dyn ObjectStore>>, id: &Oid) -> Result<bool> {
    kept.map_or(Ok(false), |kept| Ok(kept.header(id)?.is_none()))
}

/// What the other side has beside what was named; `None` where only git knows it all.
fn others(repo: &Repo, wanted: &NewCommits) -> Result<Option<Vec<Oid>>> {
    let mut known = Vec::new();
    if wanted.all_refs {
        // each work tree has a HEAD and refs of its own
        if fs::read_dir(repo.common_dir.join("worktrees")).is_ok_and(|mut trees| trees.next().is_some()) {
            return Ok(None);
        }
        // a ref that cannot be read git passes over, and says so
        // what a ref beside the code leads to nobody has judged
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
