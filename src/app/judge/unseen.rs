//! What of ours git passes over, where somebody must hear of it: before a commit, and behind a name that means nothing
//! here. Nobody who judges what git has can see it otherwise.

use super::Options;
use super::levels;
use super::named;
use crate::engine::facts::Facts;
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::model::config::Config;
use crate::model::workspace;
use crate::repo::Repo;
use crate::rules;
use crate::rules::Door;
use crate::text::shell;
use crate::tree::path::RepoPath;
use crate::tree::{Ignored, Tree};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// Whether a root lies on disk: one look at each, and all that a commit with nothing of ours is asked.
pub(crate) fn is_possible(repo: &Repo, config: &Config) -> bool {
    let Some(top) = &repo.work_dir else { return false };
    let is_dir = |root: &RepoPath| {
        let found = fs::symlink_metadata(top.join(OsStr::from_bytes(root.as_bstr())));
        !root.is_root() && found.is_ok_and(|about| about.is_dir())
    };
    config.roots.iter().any(is_dir)
}

/// What to say of the index `view` in which nothing is ours: that something on disk might be, and git ignores it. A
/// repository that has something of ours is left to `scan`, `check` and `doctor`: a hook need not search the disk.
pub(crate) fn beside_nothing(repo: &Repo, view: &dyn Tree, options: Options) -> Vec<Finding> {
    let config = workspace::read_config(view).unwrap_or_default();
    // what cannot be looked at here is no reason to stop a commit that brings nothing of ours
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

/// `error`, about a name that nobody has, with what is hidden: the name may be there.
pub(crate) fn hinted(error: Error, view: &dyn Tree, config: &Config) -> Error {
    let hidden = workspace::hidden(view, config).unwrap_or_default();
    hidden.iter().fold(error, |error, hidden| error.hint(hidden.sentence()).hint(hidden.repair()))
}

/// Refuses `paths` that none of `trees`, the judged one first, has: what was named and is not there would look like a
/// clean answer. What lies on disk and git does not have is called that.
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

/// The working tree shows what git ignores to whoever asks for it by name.
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
    let meant = trees.first().map_or(Ok(None), |view| named::nearest_path(*view, path))?;
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
