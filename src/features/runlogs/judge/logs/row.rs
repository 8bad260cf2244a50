//! A run log in the first-parent row of commits that a push or a range brings: which commit has it whole, and which ones broke
//! it in between. A tip that keeps the lines of its base lost nothing, so the commits in between are named for a range alone.

use super::{Content, content};
use crate::app::judge::Question;
use crate::app::judge::snapshot::known_tree;
use crate::error::Result;
use crate::features::runlogs::judge::change::MendedLog;
use crate::features::runlogs::judge::engine::appended::broken;
use crate::features::runlogs::model::place::{begins_like_a_log, place};
use crate::model::config::Config;
use crate::report::view::ScopeMode;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, HashSet};

/// The history of one log in a row of commits.
pub(super) struct LogRow {
    /// The newest commit with every line that was committed before it; `None` if only the state before the row has them.
    pub(super) whole: Option<Oid>,
    /// The commit that broke the log and the later one that has it whole again, if nothing broke it since.
    mended: Option<(Oid, Oid)>,
}

/// The log at `path` in `commits`, oldest first; `before` is its content before them.
///
/// # Errors
/// When a version of the log cannot be read.
pub(super) fn log_in(question: &Question<'_>, path: &RepoPath, before: &[u8], commits: &[Oid]) -> Result<LogRow> {
    let mut last = before.to_vec();
    let (mut whole, mut broke, mut mended) = (None, None, None);
    for commit in commits {
        // a log that is not there may have moved, which breaks nothing
        let Some(Content::Bytes(then)) = content(&*question.repo.commit_view(commit)?, path)? else { continue };
        if broken(&last, &then).is_some() {
            broke.get_or_insert(*commit);
            continue;
        }
        mended = broke.take().map(|broke| (broke, *commit)).or(mended);
        (whole, last) = (Some(*commit), then);
    }
    Ok(LogRow { whole, mended: mended.filter(|_| broke.is_none()) })
}

/// The new commits on the first-parent line to the tip, oldest first.
///
/// # Errors
/// When a commit cannot be read.
pub(super) fn commits(question: &Question<'_>) -> Result<Vec<Oid>> {
    let new: HashSet<&Oid> = question.snapshot.new_commits.iter().collect();
    let mut row = Vec::new();
    let mut next = question.snapshot.tip;
    while let Some(commit) = next.filter(|commit| new.contains(commit)) {
        row.push(commit);
        next = question.repo.parents(&commit)?.first().copied();
    }
    row.reverse();
    Ok(row)
}

/// The logs that a range breaks and mends again.
///
/// # Errors
/// When a commit of the range cannot be read.
pub(super) fn mended(question: &Question<'_>, config: &Config) -> Result<Vec<MendedLog>> {
    if question.snapshot.mode != ScopeMode::Range {
        return Ok(Vec::new());
    }
    let row = commits(question)?;
    let Some(first) = row.first() else { return Ok(Vec::new()) };
    let start = question.repo.parents(first)?.first().copied();
    let mut touched: BTreeMap<RepoPath, Vec<Oid>> = BTreeMap::new();
    let mut tree = start.as_ref().map(|start| known_tree(question.repo, start)).transpose()?;
    for commit in &row {
        let next = Some(known_tree(question.repo, commit)?);
        let changes = question.repo.tree_diff(tree, next)?;
        for change in changes.into_iter().filter(|change| place(&change.path, config).is_some()) {
            touched.entry(change.path).or_default().push(*commit);
        }
        tree = next;
    }
    let mut found = Vec::new();
    // breaking and mending are two changes
    for (path, commits) in touched.into_iter().filter(|(_, commits)| commits.len() > 1) {
        let before = match start {
            Some(start) => content(&*question.repo.commit_view(&start)?, &path)?,
            None => None,
        };
        let before = before.as_ref().and_then(Content::bytes).unwrap_or_default();
        let Some((broke, whole)) = log_in(question, &path, before, &commits)?.mended else { continue };
        let now = content(&*question.snapshot.view, &path)?;
        let is_log = |bytes: &[u8]| place(&path, config).is_some_and(|place| place.sure) || begins_like_a_log(bytes);
        if now.as_ref().and_then(Content::bytes).is_some_and(is_log) {
            found.push(MendedLog { path, broke: broke.short(), whole: whole.short() });
        }
    }
    Ok(found)
}
