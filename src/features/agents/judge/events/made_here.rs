//! The commits that were made in the work trees of a session since it came there: a commit, a merge, a step of a rebase. Content
//! that came by a pull, a fast-forward or a checkout was made elsewhere or before, and is not the session's.

use super::Visit;
use super::head_log::HeadLog;
use super::memory::Memory;
use super::short_hash::ShortHash;
use super::worktrees::made_at;
use crate::error::Result;
use crate::repo::Repo;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

/// How many commits are looked at, the newest of each work tree.
const MOST_COMMITS: usize = 1000;

/// The last entry of HEAD's log, for a work tree to which the session comes; `None` if the whole log is of the session.
pub(super) fn end_of_log(repo: &Repo, memory: &Memory) -> Result<Option<ShortHash>> {
    let is_made = memory.since > 0 && made_at(&repo.git_dir).is_some_and(|at| at >= memory.since);
    let end = if is_made { Vec::new() } else { HeadLog::end_of(repo)? };
    Ok((!end.is_empty()).then(|| ShortHash::of(&[&end])))
}

/// Whether a state has the looked-for content.
pub(super) type Has<'h> = &'h dyn Fn(&dyn Tree) -> Result<bool>;

/// A commit, with the states that it came from.
struct MadeCommit {
    tree: Rc<dyn Tree>,
    parents: Vec<Rc<dyn Tree>>,
}

/// The commits of a session, read when they are first asked for.
pub(super) struct MadeHere<'v> {
    trees: &'v [(Visit<'v>, Memory)],
    commits: OnceCell<Vec<MadeCommit>>,
}

impl<'v> MadeHere<'v> {
    pub(super) fn new(trees: &'v [(Visit<'v>, Memory)]) -> Self {
        Self { trees, commits: OnceCell::new() }
    }

    /// Whether a commit of the session has this content and none of its parents does.
    pub(super) fn introduces(&self, has: Has<'_>) -> Result<bool> {
        for commit in self.commits()? {
            if has(&*commit.tree)? && !any(&commit.parents, has)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn commits(&self) -> Result<&[MadeCommit]> {
        if let Some(commits) = self.commits.get() {
            return Ok(commits);
        }
        let (mut seen, mut found) = (HashSet::new(), Vec::new());
        for (visit, memory) in self.trees {
            let is_mark = |entry: &[u8]| memory.here.logged == Some(ShortHash::of(&[entry]));
            let made = HeadLog::of(visit.repo)?.map(|log| log.made_since(is_mark)).unwrap_or_default();
            for id in made.into_iter().take(MOST_COMMITS).filter(|id| seen.insert(*id)) {
                found.extend(read(visit.repo, &id)?);
            }
        }
        Ok(self.commits.get_or_init(|| found))
    }
}

/// The commit; `None` if it is gone, for example after an amendment and a `git gc`.
fn read(repo: &Repo, id: &Oid) -> Result<Option<MadeCommit>> {
    let Some(tree) = repo.tree_of(id)? else { return Ok(None) };
    let mut parents = Vec::new();
    for parent in repo.parents(id)? {
        parents.push(repo.commit_view(&parent)?);
    }
    Ok(Some(MadeCommit { tree: repo.tree_view(tree), parents }))
}

/// Whether one of `trees` has the content.
pub(super) fn any(trees: &[Rc<dyn Tree>], has: Has<'_>) -> Result<bool> {
    for tree in trees {
        if has(&**tree)? {
            return Ok(true);
        }
    }
    Ok(false)
}
