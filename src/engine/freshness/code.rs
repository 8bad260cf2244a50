//! The code axis: what was measured against what the view holds, one governed entry at a time. The stamp testifies
//! where it speaks of an entry, the commit's tree elsewhere.

use super::Judge;
use super::renames::{self, Gone};
use super::stamped::StampTree;
use crate::engine::anchors::Measured;
use crate::engine::content::{Compared, Place};
use crate::error::Result;
use crate::model::governed::Governed;
use crate::model::reading::{Reading, Stamped};
use crate::model::resolve;
use crate::model::stamp::{self, Expansion};
use crate::model::tree::Kind;
use crate::repo::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// What the code axis says of a whole governed list.
#[derive(Default)]
pub(super) struct Code {
    /// The paths that moved.
    pub(super) moved: BTreeSet<RepoPath>,
    /// Whether nothing is left that testifies to what was measured.
    pub(super) unknown: bool,
    /// Whether a rename was looked for.
    pub(super) appeared: bool,
}

/// One usable governed entry with what it stands for in the view.
struct Asked<'m> {
    governed: &'m Governed,
    path: &'m RepoPath,
    now: &'m Expansion,
}

impl Asked<'_> {
    /// The paths to name when the whole entry is not what was measured.
    fn all(&self) -> Vec<RepoPath> {
        if self.now.glob { self.now.files.keys().cloned().collect() } else { vec![self.path.clone()] }
    }
}

impl Judge<'_> {
    pub(super) fn code(&self, list: &[Governed], reading: &Reading) -> Result<Code> {
        let mut code = Code::default();
        for governed in list {
            let Ok(path) = &governed.path else { continue };
            let moved = match &reading.governed {
                Some(stamp) => Some(self.moved_since_stamp(governed, path, (stamp, reading))?),
                None => self.moved_since_anchor(governed, path, reading)?,
            };
            code.unknown |= moved.is_none();
            code.moved.extend(moved.unwrap_or_default());
        }
        code.appeared = self.appeared.take();
        Ok(code)
    }

    /// The paths that moved since the reading's commit; `None` when that is gone.
    fn moved_since_anchor(
        &self,
        governed: &Governed,
        path: &RepoPath,
        reading: &Reading,
    ) -> Result<Option<Vec<RepoPath>>> {
        let Measured::Tree(anchor) = self.measured(reading)? else { return Ok(None) };
        Ok(Some(match self.contents.compare(&*anchor, governed, path)? {
            Compared::Same => Vec::new(),
            Compared::Moved(moved) => moved,
            Compared::Appeared => {
                self.appeared.set(true);
                let now = self.contents.expansion(governed, path)?;
                let gone = self.gone.since(&*anchor, &self.contents)?;
                let renamed = renames::came_from_tree(&self.contents, (&*anchor, &gone), path, &now)?;
                if renamed { Vec::new() } else { Asked { governed, path, now: &now }.all() }
            }
        }))
    }

    fn moved_since_stamp(
        &self,
        governed: &Governed,
        path: &RepoPath,
        (stamp, reading): (&BTreeMap<RepoPath, Stamped>, &Reading),
    ) -> Result<Vec<RepoPath>> {
        let now = self.contents.expansion(governed, path)?;
        let asked = Asked { governed, path, now: &now };
        if now.files.is_empty() {
            return Ok(Vec::new());
        }
        let held = held(stamp, &asked)?;
        if held.is_empty() {
            return self.moved_though_unstamped(&asked, (stamp, reading));
        }
        let mut moved = self.added(&asked, (stamp, reading))?;
        for (path, stamped) in held {
            if !now.files.contains_key(path) && !self.view_holds(path, *stamped)? {
                moved.push(path.clone());
            }
        }
        Ok(if moved.is_empty() || now.glob { moved } else { vec![path.clone()] })
    }

    /// The stamp says nothing of this entry: it was renamed with the list, or the list gained it since.
    fn moved_though_unstamped(
        &self,
        asked: &Asked<'_>,
        (stamp, reading): (&BTreeMap<RepoPath, Stamped>, &Reading),
    ) -> Result<Vec<RepoPath>> {
        self.appeared.set(true);
        let gone = Gone::from_stamp(stamp, self.contents.view)?;
        if renames::came_from_stamp(&self.contents, (stamp, &gone), asked.path, asked.now)? {
            return Ok(Vec::new());
        }
        let moved = self.moved_since_anchor(asked.governed, asked.path, reading)?;
        Ok(moved.unwrap_or_else(|| asked.all()))
    }

    /// What the view has of the entry and the stamp has not, or has otherwise.
    fn added(
        &self,
        asked: &Asked<'_>,
        (stamp, reading): (&BTreeMap<RepoPath, Stamped>, &Reading),
    ) -> Result<Vec<RepoPath>> {
        let mut moved = Vec::new();
        for (path, content) in &asked.now.files {
            let same = match stamp.get(path) {
                Some(stamped) => stamped == content,
                None if *content == Stamped::Absent => true,
                None if stamp.contains_key(asked.path) && path.is_within(asked.path) => false,
                None => self.stood_in_anchor(path, *content, reading)?,
            };
            if !same {
                moved.push(path.clone());
            }
        }
        Ok(moved)
    }

    /// Whether an entry that was widened since the stamp covers a file that the commit already had. A reading on a
    /// dirty tree was not measured on the commit's files, so there the commit does not testify to their absence.
    fn stood_in_anchor(&self, path: &RepoPath, content: Stamped, reading: &Reading) -> Result<bool> {
        if reading.dirty {
            return Ok(false);
        }
        match self.measured(reading)? {
            Measured::Tree(anchor) => {
                self.contents.same(Place { tree: &*anchor, path }, path).map(|same| same && content != Stamped::Absent)
            }
            Measured::Missing(_) => Ok(false),
        }
    }

    fn view_holds(&self, path: &RepoPath, stamped: Stamped) -> Result<bool> {
        Ok(match self.contents.view.entry(path)? {
            None => stamped == Stamped::Absent,
            Some(entry) if entry.kind == Kind::Dir => false,
            Some(entry) => stamp::stamped_entry(self.contents.view, path, entry)? == stamped,
        })
    }
}

/// What the stamp says of a governed entry: the files below it, below the end of its links, a file that stood where
/// one of its directories stands, and what its glob matches.
fn held<'s>(stamp: &'s BTreeMap<RepoPath, Stamped>, asked: &Asked<'_>) -> Result<BTreeMap<&'s RepoPath, &'s Stamped>> {
    let mut matched = BTreeSet::new();
    if asked.now.glob {
        let files = resolve::matches(&StampTree(stamp), asked.governed)?;
        matched.extend(files.into_iter().map(|(path, _)| path));
    }
    let is_named = |path: &RepoPath| path.is_within(asked.path) || asked.path.is_within(path) || matched.contains(path);
    // What a link leads to may be stamped for its own sake: only with the link itself does it say anything of the link.
    if !stamp.keys().any(is_named) {
        return Ok(BTreeMap::new());
    }
    let end = asked.now.end.as_ref().unwrap_or(asked.path);
    let is_held = |path: &RepoPath| is_named(path) || path.is_within(end);
    Ok(stamp.iter().filter(|(path, _)| is_held(path)).collect())
}
