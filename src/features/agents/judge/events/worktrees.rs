//! The work trees of a session. An agent that works on a branch in a linked work tree often stays in the directory in which its
//! session began, so the events of a session come from one work tree and concern another one.

use super::edit::plain;
use super::memory::{Memory, SessionPlace, worktree_key};
use super::{Visit, changed_at};
use crate::error::Result;
use crate::repo::Repo;
use crate::repo::work_trees::{WorkTree, work_trees};
use crate::sys;
use bstr::BString;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Edited paths in another work tree, opened.
type ElsewherePaths = Vec<(Repo, Vec<String>)>;

/// The paths that are not in another work tree, and the others with their work trees.
pub(super) fn of_paths(visit: &Visit<'_>, paths: &[String]) -> Result<(Vec<String>, ElsewherePaths)> {
    if !visit.repo.has_linked() {
        return Ok((paths.to_vec(), Vec::new()));
    }
    let (all, own) = (work_trees(&visit.repo.common_dir), key(visit.repo));
    let (mut here, mut elsewhere) = (Vec::new(), BTreeMap::new());
    for path in paths {
        match holder(visit, path, &all).filter(|tree| worktree_key(&tree.git_dir) != own) {
            Some(tree) => elsewhere.entry(&tree.git_dir).or_insert_with(|| (tree, Vec::new())).1.push(path.clone()),
            None => here.push(path.clone()),
        }
    }
    let opened = elsewhere.into_values().map(|(tree, paths)| Ok((visit.repo.open_at(tree)?, paths)));
    Ok((here, opened.collect::<Result<_>>()?))
}

/// The work tree with the file: the nearest directory above with a `.git` decides. A work tree may lie inside another one.
fn holder<'t>(visit: &Visit<'_>, named: &str, all: &'t [WorkTree]) -> Option<&'t WorkTree> {
    let from = visit.event.cwd.as_deref().or(visit.repo.work_dir.as_deref())?;
    let whole = plain(&from.join(named));
    let top = whole.ancestors().skip(1).find(|dir| dir.join(".git").symlink_metadata().is_ok())?;
    let top = sys::canonical(top).ok()?;
    all.iter().find(|tree| tree.top == top)
}

/// The other work trees that the session worked in: those where it had an event, and those that a command of the session made
/// and no other session works in.
pub(super) fn of_session(visit: &Visit<'_>, memory: &Memory) -> Result<Vec<Repo>> {
    if !visit.repo.has_linked() {
        return Ok(Vec::new());
    }
    let Some(place) = visit.place() else { return Ok(Vec::new()) };
    let (own, known) = (key(visit.repo), place.worktrees()?);
    let mut found = Vec::new();
    for tree in work_trees(&visit.repo.common_dir) {
        let key = worktree_key(&tree.git_dir);
        if key != own && tree.top.is_dir() && (known.contains(&key) || is_made_by(&place, &tree.git_dir, memory)?) {
            found.push(visit.repo.open_at(&tree)?);
        }
    }
    Ok(found)
}

/// The path from the top of the work tree `here` to the top of `there`, for example `../side`; `None` if it is the same one.
pub(super) fn beside(here: &Repo, there: &Repo) -> Option<BString> {
    let (here, there) = (here.work_dir.as_deref()?, there.work_dir.as_deref()?);
    let shared = here.components().zip(there.components()).take_while(|(one, other)| one == other).count();
    let ups = here.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = ups.chain(there.components().skip(shared)).collect();
    (here != there).then(|| sys::git_bytes(&path).as_ref().into())
}

/// The name of this work tree in a memory.
pub(super) fn key(repo: &Repo) -> String {
    // the directory of the main work tree is found from a directory without links
    let linked = (repo.git_dir != repo.common_dir).then(|| sys::canonical(&repo.git_dir).ok()).flatten();
    worktree_key(linked.as_ref().unwrap_or(&repo.git_dir))
}

/// Whether a command of the session made the work tree. Another session may have made one while the command ran, and works there.
fn is_made_by(place: &SessionPlace<'_>, git_dir: &Path, memory: &Memory) -> Result<bool> {
    let made = made_at(git_dir).filter(|at| *at >= memory.since && memory.ran_at(*at));
    made.map_or(Ok(false), |at| Ok(!place.is_of_another(&worktree_key(git_dir), at)?))
}

/// When git made a linked work tree, in milliseconds: it writes this file once. `None` for the main one.
pub(super) fn made_at(git_dir: &Path) -> Option<i64> {
    changed_at(&git_dir.join("commondir"))
}
