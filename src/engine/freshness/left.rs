//! What the stamp has and no entry of the list compares: files and units that left the list since the measurement
//! (freshness.md, "A shorter list"). They are compared, too. Otherwise one change could edit a file and take it out of the
//! list, and the reading would stay fresh.

use super::code::ListComparison;
use super::narrow::{Against, ListedUnit, Narrowed, Origins, UnitTestimony};
use super::{Judge, MovedContent};
use crate::error::Result;
use crate::finding::DriftWhy;
use crate::model::governed::Governed;
use crate::model::ledger::{Stamped, StampedUnit};
use crate::model::links::{LinkEnd, Trace};
use crate::model::stamp;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind};
use std::collections::{BTreeMap, BTreeSet};

/// The comparison of content that left the list.
struct LeftStanding {
    is_same: bool,
    /// Whether every clone finds that it moved.
    is_proof: bool,
}

impl ListComparison<'_, '_> {
    /// Compares what the stamp has and no entry of `list` compared. Comes after the entries: a file may have left because a
    /// listed path is its new name.
    pub(super) fn compare_left(&mut self, list: &[Governed]) -> Result<()> {
        let Some(stamp) = self.measured.files else { return Ok(()) };
        let mut by_units = BTreeSet::new();
        for unit in self.measured.units.keys().filter(|_| self.judge.narrows) {
            if self.covered.whole.contains(&unit.path) || list.iter().any(|entry| names(entry, unit)) {
                continue;
            }
            let way = self.judge.contents.way(&unit.path)?;
            by_units.extend(paths_of(&way));
            let standing = self.unit_standing(stamp, unit, &way)?;
            self.add_left(&unit.path, Some(&unit.symbol), standing);
            if self.is_decided() {
                return Ok(());
            }
        }
        for (path, content) in stamp {
            if !self.covered.has(path) && !by_units.contains(path) {
                let standing = self.file_standing(path, *content)?;
                self.add_left(path, None, standing);
            }
        }
        Ok(())
    }

    fn add_left(&mut self, path: &RepoPath, symbol: Option<&str>, LeftStanding { is_same, is_proof }: LeftStanding) {
        if !is_same {
            self.found.is_proved |= is_proof;
            let (symbol, why) = (symbol.map(str::to_owned), Some(DriftWhy::LeftTheList));
            self.found.moved.insert(MovedContent { path: path.clone(), symbol, why });
        }
    }

    fn unit_standing(
        &mut self,
        stamp: &BTreeMap<RepoPath, Stamped>,
        unit: &StampedUnit,
        way: &Trace,
    ) -> Result<LeftStanding> {
        let same = LeftStanding { is_same: true, is_proof: false };
        // a unit whose file was not stamped proves nothing, as in a comparison of a listed unit
        let Some(content) = stamp.get(&unit.path).copied() else { return Ok(same) };
        if self.units.has(unit) || self.judge.is_same_way(stamp, way)? {
            return Ok(same);
        }
        // the unit may be the origin of a listed one, which only the measured file can tell
        let is_final = self.testifies == UnitTestimony::File;
        if self.judge.contents.view.kind(&unit.path)?.is_none() {
            let LeftStanding { is_same, is_proof } = self.gone_standing(&unit.path, content)?;
            return Ok(LeftStanding { is_same, is_proof: is_proof && is_final });
        }
        let against = Against { measured: self.measured, origins: Origins::OfOldFile, testifies: self.testifies };
        let listed = ListedUnit { path: &unit.path, symbol: &unit.symbol };
        Ok(match self.judge.narrowed(listed, against, &mut self.units)? {
            Narrowed::Same => same,
            Narrowed::SameById => {
                self.found.by_stamped_id = true;
                same
            }
            Narrowed::Moved => LeftStanding { is_same: false, is_proof: true },
            Narrowed::Whole { is_lasting, .. } => LeftStanding { is_same: false, is_proof: is_lasting && is_final },
        })
    }

    fn file_standing(&mut self, path: &RepoPath, content: Stamped) -> Result<LeftStanding> {
        let view = self.judge.contents.view;
        let is_same = match view.entry(path)? {
            None if content == Stamped::Absent => true,
            None => return self.gone_standing(path, content),
            Some(entry) if entry.kind == Kind::Dir => {
                content == Stamped::Absent && view.files(path, &|_| true)?.is_empty()
            }
            Some(entry) => stamp::stamped_entry(view, path, entry)? == content,
        };
        Ok(LeftStanding { is_same, is_proof: true })
    }

    /// The standing of a measured file that the view lacks. It is the same if it came to another path by a rename: to a
    /// listed one, or to one with the same content that was absent when it was measured. One new path excuses one lost path.
    fn gone_standing(&mut self, path: &RepoPath, content: Stamped) -> Result<LeftStanding> {
        if self.files.has_become(path) {
            return Ok(LeftStanding { is_same: true, is_proof: false });
        }
        let Some(anchor) = self.judge.clean_anchor(self.measured)? else {
            // a clone with the commit may find the new name; for a dirty reading no clone can
            return Ok(LeftStanding { is_same: false, is_proof: self.measured.dirty });
        };
        let arrived = self.judge.arrived.since(&*anchor, &self.judge.contents)?;
        for (new, entry) in arrived.iter().filter(|(_, entry)| entry.kind == kind_of(content)) {
            if self.judge.has_content(new, *entry, content)? && self.files.take(vec![(path.clone(), new.clone())]) {
                return Ok(LeftStanding { is_same: true, is_proof: false });
            }
        }
        Ok(LeftStanding { is_same: false, is_proof: true })
    }
}

impl Judge<'_> {
    /// Whether the view has the stamped content on the whole way.
    fn is_same_way(&self, stamp: &BTreeMap<RepoPath, Stamped>, way: &Trace) -> Result<bool> {
        let LinkEnd::At(end, entry) = &way.end else { return Ok(false) };
        let mut links = way.links.iter();
        Ok(entry.kind != Kind::Dir
            && links.all(|(link, id)| stamp.get(link) == Some(&Stamped::Link(*id)))
            && stamp.get(end) == Some(&stamp::stamped_entry(self.contents.view, end, *entry)?))
    }

    /// Whether the file of the view at `path` has this content. A file of another size is not hashed.
    pub(super) fn has_content(&self, path: &RepoPath, entry: Entry, content: Stamped) -> Result<bool> {
        let (view, is_unhashed) = (self.contents.view, entry.id.is_none());
        if let Some(id) = content.id().filter(|_| is_unhashed && entry.kind != Kind::Submodule)
            && let Some(size) = self.anchors.content_size(&id)?
            && view.size_of(path, &entry)? != Some(size)
        {
            return Ok(false);
        }
        Ok(stamp::stamped_entry(view, path, entry)? == content)
    }
}

/// Whether the entry means this unit.
fn names(entry: &Governed, unit: &StampedUnit) -> bool {
    entry.path.as_ref() == Ok(&unit.path) && entry.symbol() == Some(&*unit.symbol)
}

/// Every path on a way, its end included.
fn paths_of(way: &Trace) -> Vec<RepoPath> {
    let end = match &way.end {
        LinkEnd::At(end, _) | LinkEnd::Absent(end) => Some(end),
        LinkEnd::Outside | LinkEnd::Circle => None,
    };
    way.links.iter().map(|(link, _)| link).chain(end).cloned().collect()
}

fn kind_of(content: Stamped) -> Kind {
    match content {
        Stamped::File(_) | Stamped::Absent => Kind::File,
        Stamped::Exec(_) => Kind::Exec,
        Stamped::Link(_) => Kind::Link,
        Stamped::Submodule(_) => Kind::Submodule,
    }
}
