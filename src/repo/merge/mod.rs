//! A trial merge: predicts the result of `git merge` without merging. In: the trees of our commit, of their commit and
//! of the common ancestor. Out: the conflicting paths, and whether the merge would change our side. "We" are the branch
//! that takes the merge. For example, `yatsu-hook patch` asks whether a branch (they) still merges into main (we).
//!
//! Writes no object, index or file. Runs no merge driver and reads no attributes. Reads content only of files that both
//! sides changed, and of files that may be renames.
//!
//! git may merge otherwise in three cases: renamed directories, files with merge attributes, and several common
//! ancestors. [`MergeOutcome`] names the paths of the first two cases; the caller knows how many common ancestors there
//! are.

mod renames;
#[cfg(test)]
mod tests;

use super::Repo;
use super::change::PathChange;
use super::mode::Mode;
use super::native::objects::ObjectStore;
use super::native::text_merge::merge_text;
use super::views::{blob_size, read_blob};
use crate::error::Result;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use renames::Renames;
use std::collections::{BTreeMap, BTreeSet};

/// The largest file that is merged, in bytes. This limits the memory. A larger file with content changes on both sides
/// is reported as a conflict, although git may merge it.
const MAX_MERGED: u64 = 64 << 20;

/// The predicted result of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MergeOutcome {
    /// The conflicting paths, sorted.
    pub(crate) conflicts: Vec<RepoPath>,
    /// Whether the merge would change our side; also true if there is a conflict.
    pub(crate) changes: bool,
    /// The files that both sides changed and that were merged as text. An attribute such as `merge=union` or `binary`
    /// may let git merge them otherwise.
    pub(crate) texts: Vec<RepoPath>,
    /// Directories that one side may have renamed while the other side added files to them. For example, we moved
    /// `old/a` to `new/a`, and they added `old/b`: git may put `b` into `new`.
    pub(crate) emptied: Vec<RepoPath>,
}

/// The result for a file that is not merged as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileMerge {
    /// The merged content.
    Clean(Vec<u8>),
    /// The two versions cannot be combined.
    Conflict,
}

/// Merges a file that is not merged as text, e.g. a ledger. The arguments: its path, and its base, our and their
/// content. Returns `None` for a file that is to be merged as text.
pub(crate) type OwnMerge<'m> = &'m dyn Fn(&RepoPath, &[u8], &[u8], &[u8]) -> Option<FileMerge>;

/// The mode and content of a path in a tree.
type Item = (Mode, Oid);

/// The differences between the common ancestor and one side, by path.
type Changes = BTreeMap<RepoPath, PathChange>;

impl Repo {
    /// The result of merging the tree `theirs` into the tree `ours`. `base` is the tree of the common ancestor, if
    /// there is one. `own` merges the files that are not merged as text.
    ///
    /// # Errors
    /// Unchecked, if an object that must be compared is missing.
    pub(crate) fn merge_outcome(
        &self,
        base: Option<Oid>,
        ours: Oid,
        theirs: Oid,
        own: OwnMerge<'_>,
    ) -> Result<MergeOutcome> {
        let changes = |tree| -> Result<Changes> {
            let list = self.tree_diff(base, Some(tree))?;
            Ok(list.into_iter().map(|change| (change.path.clone(), change)).collect())
        };
        merge(&*self.objects, changes(ours)?, changes(theirs)?, own)
    }
}

fn merge(store: &dyn ObjectStore, ours: Changes, theirs: Changes, own: OwnMerge<'_>) -> Result<MergeOutcome> {
    let mut emptied = emptied(&ours, &theirs);
    emptied.extend(self::emptied(&theirs, &ours));
    let renamed_by_us = Renames::of(store, &ours, &theirs)?;
    let renamed_by_them = Renames::of(store, &theirs, &ours)?;
    let outcome = MergeOutcome { emptied, ..MergeOutcome::default() };
    let mut merge = Merge { store, own, ours, theirs, settled: BTreeSet::new(), outcome };
    merge.both_renamed(&renamed_by_us, &renamed_by_them)?;
    merge.renamed(&renamed_by_us, Who::We)?;
    merge.renamed(&renamed_by_them, Who::They)?;
    merge.rest()?;
    merge.outcome.conflicts.sort();
    merge.outcome.conflicts.dedup();
    Ok(merge.outcome)
}

/// The directories from which `side` moved files and to which `other` added files. A file counts as moved if `side`
/// deleted it and added a file with the same name or content in another directory.
fn emptied(side: &Changes, other: &Changes) -> Vec<RepoPath> {
    let came: Vec<&PathChange> = side.values().filter(|change| change.old.is_none()).collect();
    let is_same = |gone: &PathChange, came: &PathChange| {
        gone.path.name() == came.path.name() || gone.old.map(|(_, id)| id) == came.new.map(|(_, id)| id)
    };
    let moved = side.values().filter(|gone| {
        let elsewhere = |came: &PathChange| came.path.parent() != gone.path.parent() && is_same(gone, came);
        gone.new.is_none() && came.iter().any(|came| elsewhere(came))
    });
    let left: BTreeSet<RepoPath> = moved.filter_map(|gone| gone.path.parent()).filter(|dir| !dir.is_root()).collect();
    let added = other.values().filter(|change| change.old.is_none());
    let into: BTreeSet<RepoPath> = added.filter_map(|change| change.path.parent()).collect();
    left.into_iter().filter(|dir| into.contains(dir)).collect()
}

/// A side of a merge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    We,
    They,
}

struct Merge<'m> {
    store: &'m dyn ObjectStore,
    own: OwnMerge<'m>,
    ours: Changes,
    theirs: Changes,
    /// The paths that need no further comparison: both paths of each handled rename, and each conflicting path.
    settled: BTreeSet<RepoPath>,
    outcome: MergeOutcome,
}

impl Merge<'_> {
    /// Handles the files that both sides renamed. If both chose the same new path, the two versions are merged; two
    /// different new paths are a conflict.
    fn both_renamed(&mut self, ours: &Renames, theirs: &Renames) -> Result<()> {
        for (from, to) in ours.pairs() {
            let Some(their) = theirs.target(from) else { continue };
            if their != to {
                self.conflict(&[from, to, their]);
                continue;
            }
            let [ours, theirs] = [&self.ours, &self.theirs].map(|side| side.get(to)?.new);
            let base = self.ours.get(from).and_then(|change| change.old);
            if let (Some(ours), Some(theirs)) = (ours, theirs) {
                self.settled.extend([from.clone(), to.clone()]);
                self.file(&to.clone(), base, ours, theirs)?;
            }
        }
        Ok(())
    }

    /// Handles the files that `who` renamed and that the other side changed under the old path.
    fn renamed(&mut self, renames: &Renames, who: Who) -> Result<()> {
        for (from, to) in renames.pairs() {
            if self.settled.contains(from) {
                continue;
            }
            let (renamer, other) = match who {
                Who::We => (&self.ours, &self.theirs),
                Who::They => (&self.theirs, &self.ours),
            };
            let made = renamer.get(to).and_then(|change| change.new);
            let changed = other.get(from).and_then(|change| change.new);
            let base = renamer.get(from).and_then(|change| change.old);
            let is_free = !other.contains_key(to) && !is_in_the_way(other, to);
            let (Some(made), Some(changed), true) = (made, changed, is_free) else {
                // the other side deleted the file, made it a directory, or has a change at the new path, too
                self.conflict(&[from, to]);
                continue;
            };
            let (ours, theirs) = if who == Who::We { (made, changed) } else { (changed, made) };
            self.settled.extend([from.clone(), to.clone()]);
            self.file(&to.clone(), base, ours, theirs)?;
            self.outcome.changes |= who == Who::They;
        }
        Ok(())
    }

    /// Handles all other paths that they changed. A path that only we changed stays as it is on our side.
    fn rest(&mut self) -> Result<()> {
        let theirs: Vec<PathChange> =
            self.theirs.values().filter(|change| !self.settled.contains(&change.path)).cloned().collect();
        for change in theirs {
            let path = &change.path;
            let Some(our) = self.ours.get(path) else {
                self.outcome.changes = true;
                if change.old.is_none() && is_in_the_way(&self.ours, path) {
                    self.outcome.conflicts.push(path.clone());
                }
                continue;
            };
            match (our.new, change.new) {
                (ours, theirs) if ours == theirs => {}
                (Some(ours), Some(theirs)) => self.file(path, change.old, ours, theirs)?,
                _ => self.conflict(&[path]),
            }
        }
        Ok(())
    }

    /// Merges the mode and the content of a file that both sides changed. `path` is its path after the merge.
    fn file(&mut self, path: &RepoPath, base: Option<Item>, ours: Item, theirs: Item) -> Result<()> {
        if ours == theirs {
            return Ok(());
        }
        let is_file = |(mode, _): Item| matches!(mode, Mode::FILE | Mode::EXEC);
        if ![Some(ours), Some(theirs), base].into_iter().flatten().all(is_file) {
            self.conflict(&[path]);
            return Ok(());
        }
        // if both sides added the file with different modes, git reports a conflict even for equal content
        if base.is_none() && ours.0 != theirs.0 {
            self.conflict(&[path]);
            return Ok(());
        }
        let was = |pick: fn(Item) -> Oid| base.map(pick);
        let is_same_mode = ours.0 == theirs.0 || base.is_some_and(|(mode, _)| mode == theirs.0);
        if ours.1 == theirs.1 || was(|(_, id)| id) == Some(theirs.1) {
            self.outcome.changes |= !is_same_mode;
            return Ok(());
        }
        if was(|(_, id)| id) == Some(ours.1) {
            self.outcome.changes = true;
            return Ok(());
        }
        self.content(path, base, ours, theirs)?;
        self.outcome.changes |= !is_same_mode;
        Ok(())
    }

    /// Merges a file with content changes on both sides.
    fn content(&mut self, path: &RepoPath, base: Option<Item>, ours: Item, theirs: Item) -> Result<()> {
        let mut items = [Some(ours), Some(theirs), base].into_iter().flatten();
        let is_large = items
            .try_fold(false, |large, (_, id)| blob_size(self.store, &id, path).map(|size| large || size > MAX_MERGED));
        if is_large? {
            self.conflict(&[path]);
            return Ok(());
        }
        let read = |(_, id): Item| read_blob(self.store, &id, path, MAX_MERGED);
        let (base, ours, theirs) = (base.map(read).transpose()?, read(ours)?, read(theirs)?);
        let base_text = base.as_deref().unwrap_or_default();
        let merged = match (self.own)(path, base_text, &ours, &theirs) {
            Some(FileMerge::Clean(bytes)) => Some(bytes),
            Some(FileMerge::Conflict) => None,
            // both sides added the file with different content: git merges such files only if one of them is empty
            None if base.is_none() && !ours.is_empty() && !theirs.is_empty() => None,
            None => {
                self.outcome.texts.push(path.clone());
                merge_text(base_text, &ours, &theirs)?
            }
        };
        match merged {
            Some(bytes) => self.outcome.changes |= bytes != ours,
            None => self.conflict(&[path]),
        }
        Ok(())
    }

    fn conflict(&mut self, paths: &[&RepoPath]) {
        self.settled.extend(paths.iter().map(|path| (*path).clone()));
        self.outcome.conflicts.extend(paths.iter().map(|path| (*path).clone()));
        self.outcome.changes = true;
    }
}

/// Whether `side` made a file where the new `path` of the other side needs a directory, or the other way round. For
/// example, `side` made `a/b`, and `path` is `a`.
fn is_in_the_way(side: &Changes, path: &RepoPath) -> bool {
    let made = |change: &PathChange| change.old.is_none() && change.new.is_some();
    let mut above = path.parent();
    while let Some(dir) = above.filter(|dir| !dir.is_root()) {
        if side.get(&dir).is_some_and(made) {
            return true;
        }
        above = dir.parent();
    }
    let below = path.child(b"");
    let mut within = side.range(&below..).take_while(|(inner, _)| inner.is_within(path));
    within.any(|(_, change)| made(change))
}
