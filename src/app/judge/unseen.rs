//! Reports yatsu-hook files that git ignores, in two cases: before a commit, and when a user names an unknown path.
//! Checks that read only git's content cannot see such files.

use super::{Options, levels, suggestion};
use crate::engine::facts::Facts;
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::model::config::Config;
use crate::model::workspace;
use crate::repo::Repo;
use crate::rules::{self, Door};
use crate::sys;
use crate::text::shell;
use crate::tree::path::RepoPath;
use crate::tree::{Ignored, Tree};
use std::fs;

/// Whether a root directory exists on disk. This cheap test is the only one in a commit without yatsu-hook files.
pub(crate) fn is_possible(repo: &Repo, config: &Config) -> bool {
    let Some(top) = &repo.work_dir else { return false };
    let is_dir = |root: &RepoPath| {
        let found = fs::symlink_metadata(top.join(sys::in_tree(root.as_bstr())));
        !root.is_root() && found.is_ok_and(|about| about.is_dir())
    };
    config.roots.iter().any(is_dir)
}

/// Findings for an index `view` without yatsu-hook files: ignored files on disk that may be such files. A repository
/// that has tracked ones is left to `scan`, `check` and `doctor`, because a hook need not search the disk.
pub(crate) fn beside_nothing(repo: &Repo, view: &dyn Tree, options: Options) -> Vec<Finding> {
    let config = workspace::read_config(view).unwrap_or_default();
    // an unreadable place must not stop a commit that brings no yatsu-hook file
    let is_nothing = || workspace::catalog(view, &config).is_ok_and(|found| found.is_empty());
    if !is_possible(repo, &config) || !is_nothing() {
        return Vec::new();
    }
    let hidden = repo.worktree_view().and_then(|disk| workspace::hidden(&*disk, &config)).unwrap_or_default();
    levels::apply(
        rules::of_view(&Facts { hidden, ..Facts::of_nothing(config.clone()) }, Door::State),
        &config,
        options.strict,
    )
}

/// Adds hints about hidden files to `error`, which is about an unknown name: the name may be in one of them.
pub(crate) fn hinted(error: Error, view: &dyn Tree, config: &Config) -> Error {
    let hidden = workspace::hidden(view, config).unwrap_or_default();
    hidden.iter().fold(error, |error, hidden| error.hint(hidden.sentence()).hint(hidden.repair()))
}

/// Refuses `paths` that are in none of `trees` (the judged one first), because a check of an absent path would look
/// clean. An untracked file on disk gets its own message.
pub(crate) fn refuse(repo: &Repo, trees: &[&dyn Tree], paths: &[RepoPath]) -> Result<()> {
    for path in paths.iter().filter(|path| !path.is_root()) {
        let mut known = false;
        for tree in trees {
            known = known || tree.entry(path)?.is_some() && !is_ignored(*tree, path)?;
        }
        if !known {
            return Err(unknown(repo, trees, path)?);
        }
    }
    Ok(())
}

/// Whether the path is untracked and ignored. The working-tree view shows ignored files that are asked for by name.
fn is_ignored(tree: &dyn Tree, path: &RepoPath) -> Result<bool> {
    Ok(tree.is_untracked(path)? && !tree.ignored(std::slice::from_ref(path))?.is_empty())
}

fn unknown(repo: &Repo, trees: &[&dyn Tree], path: &RepoPath) -> Result<Error> {
    if repo.work_dir.is_some() {
        let disk = repo.worktree_view()?;
        if disk.is_untracked(path)? {
            let ignored = disk.ignored(std::slice::from_ref(path))?;
            return Ok(ignored.first().map_or_else(|| untracked(path), ignored_by));
        }
    }
    let error = Error::usage(format!("there is no {path} in what is judged"));
    let meant = trees.first().map_or(Ok(None), |view| suggestion::nearest_path(*view, path))?;
    Ok(match meant {
        Some(meant) => error.hint(format!("did you mean {}?", shell::place(meant))),
        None => error.hint("paths are relative to the current directory"),
    })
}

fn untracked(path: &RepoPath) -> Error {
    Error::usage(format!("{path} is not tracked by git, so it is not in what is judged"))
        .hint(format!("git add -- {}", shell::place(path)))
        .hint(format!("as it lies there: yatsu-hook check -- {}", shell::place(path)))
}

fn ignored_by(ignored: &Ignored) -> Error {
    let (path, rule) = (&ignored.path, ignored.rule.words());
    Error::usage(format!("{path} is ignored by {rule}, so it is not in what is judged"))
        .hint("narrow that rule, then git add it")
        .hint(format!("a file as it lies there: yatsu-hook validate -- {}", shell::place(path)))
}
