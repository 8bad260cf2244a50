//! Finds renamed files on one side of a merge, limited to files that the other side touched, because only these matter. A
//! deleted and an added file count as a rename if at least half of their content is equal.

use super::{Changes, Item, Mode};
use crate::error::Result;
use crate::repo::change::PathChange;
use crate::repo::native::objects::{ObjectKind, ObjectStore};
use crate::repo::views::read_blob;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use foldhash::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How many pairs are compared by content. With more pairs only equal content counts as a rename, as in git.
const MAX_PAIRS: usize = 20_000;

/// Larger files are compared only by their ids.
const MAX_COMPARED: u64 = 8 << 20;

/// The renames of one side: old path to new path.
#[derive(Debug, Default)]
pub(super) struct Renames(BTreeMap<RepoPath, RepoPath>);

impl Renames {
    /// The renames of `side` that concern files `other` touched, too.
    pub(super) fn of(store: &dyn ObjectStore, side: &Changes, other: &Changes) -> Result<Self> {
        let gone: Vec<&PathChange> =
            side.values().filter(|change| change.new.is_none() && is_file(change.old)).collect();
        if !gone.iter().any(|change| other.contains_key(&change.path)) {
            return Ok(Self::default());
        }
        let came: Vec<&PathChange> =
            side.values().filter(|change| change.old.is_none() && is_file(change.new)).collect();
        let mut search = Search { store, taken: BTreeSet::new(), found: BTreeMap::new(), lines: HashMap::default() };
        search.exact(&gone, &came)?;
        search.similar(&gone, &came)?;
        search.found.retain(|from, _| other.contains_key(from));
        Ok(Self(search.found))
    }

    pub(super) fn target(&self, from: &RepoPath) -> Option<&RepoPath> {
        self.0.get(from)
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (&RepoPath, &RepoPath)> {
        self.0.iter()
    }
}

fn is_file(item: Option<Item>) -> bool {
    item.is_some_and(|(mode, _)| matches!(mode, Mode::FILE | Mode::EXEC))
}

/// How often each line occurs in a file.
type LineCounts = HashMap<Vec<u8>, usize>;

struct Search<'s> {
    store: &'s dyn ObjectStore,
    taken: BTreeSet<RepoPath>,
    found: BTreeMap<RepoPath, RepoPath>,
    lines: HashMap<Oid, LineCounts>,
}

/// A deleted and an added file that may be a rename.
struct Candidate<'c> {
    from: &'c PathChange,
    to: &'c PathChange,
    /// The common part of both files, in thousandths.
    score: u64,
}

impl Search<'_> {
    /// Renames with equal content. Of several candidates the one with the same file name wins. Empty files are skipped.
    fn exact(&mut self, gone: &[&PathChange], came: &[&PathChange]) -> Result<()> {
        for from in gone {
            let Some((_, id)) = from.old else { continue };
            let same: Vec<_> = came.iter().filter(|to| to.new.is_some_and(|(_, made)| made == id)).collect();
            let free = || same.iter().filter(|to| !self.taken.contains(&to.path));
            let best = free().find(|to| to.path.name() == from.path.name()).or_else(|| free().next()).copied();
            if let Some(to) = best.copied()
                && self.size(&id)? > 0
            {
                self.take(from, to);
            }
        }
        Ok(())
    }

    fn take(&mut self, from: &PathChange, to: &PathChange) {
        self.taken.insert(to.path.clone());
        self.found.insert(from.path.clone(), to.path.clone());
    }

    fn similar(&mut self, gone: &[&PathChange], came: &[&PathChange]) -> Result<()> {
        let gone: Vec<_> = gone.iter().filter(|change| !self.found.contains_key(&change.path)).collect();
        let came: Vec<_> = came.iter().filter(|change| !self.taken.contains(&change.path)).collect();
        if gone.len().saturating_mul(came.len()) > MAX_PAIRS {
            return Ok(());
        }
        let mut candidates = Vec::new();
        for from in &gone {
            for to in &came {
                let score = self.score(from, to)?;
                if score >= 500 {
                    candidates.push(Candidate { from, to, score });
                }
            }
        }
        candidates.sort_by_key(|one| (std::cmp::Reverse(one.score), one.from.path.name() != one.to.path.name()));
        for Candidate { from, to, .. } in candidates {
            if !self.found.contains_key(&from.path) && !self.taken.contains(&to.path) {
                self.take(from, to);
            }
        }
        Ok(())
    }

    /// The common part in thousandths of the larger file.
    fn score(&mut self, from: &PathChange, to: &PathChange) -> Result<u64> {
        let (Some((_, old)), Some((_, new))) = (from.old, to.new) else { return Ok(0) };
        let (was, is) = (self.size(&old)?, self.size(&new)?);
        let (least, most) = (was.min(is), was.max(is));
        if least == 0 || least * 2 < most || most > MAX_COMPARED {
            return Ok(0);
        }
        self.count(&old, &from.path)?;
        self.count(&new, &to.path)?;
        let (before, after) = (&self.lines[&old], &self.lines[&new]);
        let common = before.iter().map(|(line, count)| {
            let both = after.get(line).map_or(0, |other| *count.min(other));
            (line.len() * both) as u64
        });
        Ok(common.sum::<u64>() * 1000 / most)
    }

    fn count(&mut self, id: &Oid, path: &RepoPath) -> Result<()> {
        if self.lines.contains_key(id) {
            return Ok(());
        }
        let bytes = read_blob(self.store, id, path, MAX_COMPARED)?;
        let mut counts = LineCounts::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            *counts.entry(line.to_vec()).or_default() += 1;
        }
        self.lines.insert(*id, counts);
        Ok(())
    }

    fn size(&self, id: &Oid) -> Result<u64> {
        let header = self.store.header(id)?;
        Ok(header.filter(|(kind, _)| *kind == ObjectKind::Blob).map_or(0, |(_, size)| size))
    }
}
