//! Spent approvals: main held the approved content before and took it back. A reverted change needs a new approval, so an
//! old one must not bring it back.

use crate::app::judge::snapshot::known_tree;
use crate::error::{Error, Result};
use crate::model::ledger::{ContentMap, Stamped};
use crate::model::stamp::stamped_entry;
use crate::repo::{FETCH_ALL, Repo};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

/// How many commits of a first-parent history are searched.
const MOST_COMMITS: usize = 10_000;

/// Whether the first-parent history of `at` once held the newer versions of all paths of `content`, and `at` does not.
///
/// # Errors
/// Unchecked when the history is longer than is searched, or is cut off in this clone.
pub(crate) fn is_spent(repo: &Repo, at: &Oid, content: &ContentMap) -> Result<bool> {
    if content.is_empty() || holds(repo, at, content)? {
        return Ok(false);
    }
    let (mut commit, mut last_tree) = (*at, None);
    for _ in 0..MOST_COMMITS {
        let Some(parent) = repo.parents(&commit)?.first().copied() else {
            return if repo.shallow { Err(unknown(at, "this clone holds", FETCH_ALL)) } else { Ok(false) };
        };
        let tree = known_tree(repo, &parent)?;
        if last_tree != Some(tree) && holds(repo, &parent, content)? {
            return Ok(true);
        }
        (commit, last_tree) = (parent, Some(tree));
    }
    let longer = "approve the change anew: a decision that main does not have yet needs no search";
    Err(unknown(at, &format!("is searched, {MOST_COMMITS} commits"), longer))
}

fn unknown(at: &Oid, what: &str, hint: &str) -> Error {
    let at = at.short();
    Error::unchecked(format!("whether an approval is spent is unknown: the history of {at} is longer than {what}"))
        .hint(hint)
}

fn holds(repo: &Repo, commit: &Oid, content: &ContentMap) -> Result<bool> {
    let tree = repo.tree_view(known_tree(repo, commit)?);
    for (path, [_, newer]) in content {
        if version_at(&*tree, path)? != *newer {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The version of a path in a tree; a directory there is no file.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn version_at(tree: &dyn Tree, path: &RepoPath) -> Result<Stamped> {
    match tree.entry(path)? {
        Some(entry) if entry.kind != Kind::Dir => stamped_entry(tree, path, entry),
        _ => Ok(Stamped::Absent),
    }
}
