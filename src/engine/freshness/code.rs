//! The code axis: compares the measured content with the view, one governed entry at a time. The stamp decides for an entry
//! that it covers, the commit's tree for any other. What the stamp has and the list lacks is compared in [`super::left`]. The
//! test of a scenario is compared in the same way, as a list of one entry.

use super::narrow::{Against, ListedUnit, Narrowed, Origins, UnitClaims, UnitTestimony};
use super::renames::{self, Arrival, Claims, Gone, Measured};
use super::stamped::StampTree;
use super::{Judge, MeasuredContent, MovedContent};
use crate::engine::anchors::{AnchorTree, Testimony};
use crate::engine::content::{Compared, TreePlace};
use crate::error::Result;
use crate::finding::DriftWhy;
use crate::model::governed::Governed;
use crate::model::ledger::Stamped;
use crate::model::node::Declared;
use crate::model::resolve;
use crate::model::stamp::{self, Expansion};
use crate::tree::Kind;
use crate::tree::path::RepoPath;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The result of the code axis for a whole governed list.
#[derive(Default)]
pub(super) struct Code {
    pub(super) moved: BTreeSet<MovedContent>,
    /// Whether some measured content is unknown, because neither stamp nor commit records it.
    pub(super) unknown: bool,
    /// Whether renames were searched for.
    pub(super) appeared: bool,
    /// Whether the stamp proves that something moved: then every clone gives this answer, whatever commits it has.
    pub(super) is_proved: bool,
    /// Whether a unit was compared by its stamped id alone and is the same.
    pub(super) by_stamped_id: bool,
}

#[derive(Clone, Copy)]
struct UsableEntry<'m> {
    governed: &'m Governed,
    path: &'m RepoPath,
}

/// A usable entry with its expansion in the view.
struct Asked<'m> {
    governed: &'m Governed,
    path: &'m RepoPath,
    now: Rc<Expansion>,
}

/// A stamp, and the measurement that it belongs to.
#[derive(Clone, Copy)]
struct StampOf<'r> {
    stamp: &'r BTreeMap<RepoPath, Stamped>,
    measured: MeasuredContent<'r>,
}

/// The comparison of one list with one measurement.
pub(super) struct ListComparison<'c, 'a> {
    pub(super) judge: &'c Judge<'a>,
    pub(super) measured: MeasuredContent<'c>,
    pub(super) testifies: UnitTestimony,
    pub(super) found: Code,
    pub(super) units: UnitClaims,
    pub(super) files: Claims,
    /// The stamped paths that an entry of the list compares.
    pub(super) covered: CoveredPaths<'c>,
}

/// The stamped paths that entries of the list compare.
#[derive(Default)]
pub(super) struct CoveredPaths<'s> {
    pub(super) whole: BTreeSet<&'s RepoPath>,
    /// Compared by one unit of the file.
    in_part: BTreeSet<&'s RepoPath>,
}

impl<'s> CoveredPaths<'s> {
    /// Adds the paths that one entry compares, which means one unit of its file if `is_narrowed`.
    fn add(&mut self, paths: Vec<&'s RepoPath>, is_narrowed: bool) {
        let set = if is_narrowed { &mut self.in_part } else { &mut self.whole };
        set.extend(paths);
    }

    pub(super) fn has(&self, path: &RepoPath) -> bool {
        self.whole.contains(path) || self.in_part.contains(path)
    }
}

impl Asked<'_> {
    /// The paths to report if the whole entry differs from the measured content.
    fn all(&self) -> Vec<RepoPath> {
        if self.now.glob { self.now.files.keys().cloned().collect() } else { vec![self.path.clone()] }
    }
}

/// The comparison of one entry, without renames.
enum EntryStanding<'m> {
    /// The paths that moved; none if the entry is unchanged.
    Moved(Vec<RepoPath>),
    /// Like `Moved`, proved by the stamp: a stamped path now holds other content, or a path is missing from the stamp and
    /// from the commit, which was measured clean. Without that commit an older, narrower list could explain the path.
    Disproved(Vec<RepoPath>),
    /// Neither stamp nor commit records the measured content.
    Unknown,
    /// The list gained the entry after the measurement; it may have come by a rename.
    Appeared(NewEntry<'m>),
}

/// How much of a file was measured, where the list now names one unit of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MeasuredScope {
    /// Only units: the stamp has one, or the list of the commit named this one and not the whole file.
    Listed,
    /// The whole file, by the list of the commit.
    Wider,
    /// The commit is not here.
    Unknown,
}

/// The moved content of an entry with changed files.
struct MovedEntry {
    moved: Vec<MovedContent>,
    /// Whether every clone finds the same: the comparison used the stamp and the view, not objects that may be missing.
    is_proof: bool,
    /// Whether nothing moved according to the stamped id of the unit alone.
    by_stamped_id: bool,
}

/// An entry that was absent at the measurement and did not come by a rename.
struct NotRenamed {
    moved: Vec<MovedContent>,
    /// Whether the earlier content of the entry is unknown.
    is_unknown: bool,
}

/// The files of an entry that differ from the stamp or are missing from it.
#[derive(Default)]
struct Added {
    moved: Vec<RepoPath>,
    /// Whether one of them moved for certain, in every clone.
    is_proof: bool,
}

/// An entry that was absent at the measurement.
struct NewEntry<'m> {
    asked: Asked<'m>,
    /// The paths that moved, unless the entry came by a rename.
    moved: Vec<RepoPath>,
    /// The commit's tree, if it holds nothing of the entry.
    anchor: Option<Rc<AnchorTree>>,
}

impl Judge<'_> {
    /// Compares the content that `list`, a list of `asked`, governs in the view with what was measured.
    pub(super) fn code(
        &self,
        asked: Declared<'_>,
        list: &[Governed],
        measured: MeasuredContent<'_>,
        testifies: UnitTestimony,
    ) -> Result<Code> {
        let (found, units, files, covered) = Default::default();
        let mut comparison = ListComparison { judge: self, measured, testifies, found, units, files, covered };
        comparison.compare(asked, list)?;
        Ok(comparison.found)
    }
}

impl<'c> ListComparison<'c, '_> {
    fn compare(&mut self, asked: Declared<'_>, list: &[Governed]) -> Result<()> {
        let mut appeared = Vec::new();
        for governed in list {
            let Ok(path) = &governed.path else { continue };
            let entry = UsableEntry { governed, path };
            let (standing, held) = match self.measured.files {
                Some(stamp) => self.judge.since_stamp(entry, StampOf { stamp, measured: self.measured })?,
                None => (self.judge.since_anchor(entry, asked, self.measured)?, Vec::new()),
            };
            // The loop goes on after an unknown entry, so that moved paths of other entries are reported too.
            let is_disproved = matches!(standing, EntryStanding::Disproved(_));
            match standing {
                EntryStanding::Moved(moved) | EntryStanding::Disproved(moved) => {
                    self.compare_moved(asked, entry, moved, held, is_disproved)?;
                }
                EntryStanding::Unknown => self.found.unknown = true,
                EntryStanding::Appeared(entry) => appeared.push(entry),
            }
            // finding the reading that counts needs only the proof
            if self.is_decided() {
                return Ok(());
            }
        }
        // Kept apart from `moved`: a memo may keep such an answer only while other paths stay unchanged, because a file may
        // have come from one of them.
        self.found.appeared = !appeared.is_empty();
        for NotRenamed { moved, is_unknown } in self.not_renamed(appeared)? {
            self.found.unknown |= is_unknown;
            self.found.moved.extend(moved);
        }
        self.compare_left(list)
    }

    /// Compares an entry with the changed files `moved`; `held` are its stamped paths.
    fn compare_moved(
        &mut self,
        asked: Declared<'_>,
        entry: UsableEntry<'_>,
        moved: Vec<RepoPath>,
        held: Vec<&'c RepoPath>,
        is_disproved: bool,
    ) -> Result<()> {
        let is_asked = self.judge.is_narrowed(entry.governed) && self.measured.files.is_some() && !moved.is_empty();
        let scope = if is_asked { self.measured_scope(asked, entry)? } else { MeasuredScope::Listed };
        // The rest of the file left the list and is compared with it. So no unit need be read: a server may not.
        if scope == MeasuredScope::Wider {
            return Ok(());
        }
        let found = self.moved(entry, moved, Origins::OfOldFile)?;
        if scope == MeasuredScope::Listed || !found.moved.is_empty() {
            self.covered.add(held, self.judge.is_narrowed(entry.governed));
        }
        self.found.is_proved |= is_disproved && found.is_proof && !found.moved.is_empty();
        self.found.by_stamped_id |= found.by_stamped_id;
        self.found.moved.extend(found.moved);
        Ok(())
    }

    /// How much of the file of a narrowed entry was measured.
    fn measured_scope(&self, asked: Declared<'_>, entry: UsableEntry<'_>) -> Result<MeasuredScope> {
        let UsableEntry { governed, path } = entry;
        if self.measured.units.keys().any(|unit| unit.path == *path) {
            return Ok(MeasuredScope::Listed);
        }
        // a unit that could not be read has no id in the line
        let Testimony::Tree(anchor) = self.judge.measured(self.measured.commit)? else {
            return Ok(MeasuredScope::Unknown);
        };
        let listed = self.judge.old.scenarios.governed(&anchor, asked)?.unwrap_or_default();
        // a directory or a glob beside it, which governs the whole file
        let is_wider = |other: &RepoPath| {
            let is_path = other != path && !other.as_bstr().contains(&b'#');
            is_path && Governed::parse(&other.to_string(), governed.at, None).covers(path)
        };
        // a unit of the file that left the list: without its id only the whole file can show that it moved
        let is_unit = |other: &RepoPath| {
            other.as_bstr().strip_prefix(&**path.as_bstr()).is_some_and(|rest| rest.starts_with(b"#"))
        };
        let now = super::governed(asked.node, asked.scenario);
        let is_listed_now = |other: &RepoPath| now.iter().flat_map(Governed::wholes).any(|whole| whole == other);
        let has_left = |other: &RepoPath| is_unit(other) && !is_listed_now(other);
        let was_listed = governed.wholes().any(|whole| listed.contains(whole));
        let is_listed = was_listed && !listed.iter().any(|other| is_wider(other) || has_left(other));
        Ok(if is_listed { MeasuredScope::Listed } else { MeasuredScope::Wider })
    }

    /// Whether the rest of the stamp cannot change the answer.
    pub(super) fn is_decided(&self) -> bool {
        self.found.is_proved && self.testifies == UnitTestimony::StampedId
    }

    /// The moved content to report for an entry with the changed files `moved`. Empty if the entry means one unit and the
    /// unit is unchanged.
    fn moved(&mut self, entry: UsableEntry<'_>, moved: Vec<RepoPath>, origins: Origins) -> Result<MovedEntry> {
        let is_narrowed = self.judge.is_narrowed(entry.governed) && !moved.is_empty();
        let Some(symbol) = entry.governed.symbol().filter(|_| is_narrowed) else {
            let moved = moved.into_iter().map(MovedContent::whole).collect();
            return Ok(MovedEntry { moved, is_proof: true, by_stamped_id: false });
        };
        let named = |why| vec![MovedContent { path: entry.path.clone(), symbol: Some(symbol.to_owned()), why }];
        let against = Against { measured: self.measured, origins, testifies: self.testifies };
        let found = self.judge.narrowed(ListedUnit { path: entry.path, symbol }, against, &mut self.units)?;
        let (is_proof, by_stamped_id) =
            (matches!(found, Narrowed::Moved | Narrowed::Whole { is_lasting: true, .. }), found == Narrowed::SameById);
        let moved = match found {
            Narrowed::Same | Narrowed::SameById => Vec::new(),
            Narrowed::Moved => named(None),
            Narrowed::Whole { why, .. } => named(Some(DriftWhy::WholeFile(why))),
        };
        Ok(MovedEntry { moved, is_proof, by_stamped_id })
    }

    /// The appeared entries that did not come by a rename, with their moved content.
    fn not_renamed(&mut self, mut appeared: Vec<NewEntry<'_>>) -> Result<Vec<NotRenamed>> {
        // largest first: a large entry can have come from few places, a single file from anywhere
        appeared.sort_by_key(|entry| Reverse(entry.asked.now.files.len()));
        let mut found = Vec::new();
        for entry in appeared {
            if !self.judge.came(&entry, self.measured, &mut self.files)? {
                let Asked { governed, path, .. } = entry.asked;
                let moved = self.moved(UsableEntry { governed, path }, entry.moved, Origins::OfNewFile)?.moved;
                // Neither stamp nor commit records the earlier content, so a move would be a guess.
                let is_unknown = self.measured.dirty && !moved.is_empty();
                found.push(NotRenamed { moved: if is_unknown { Vec::new() } else { moved }, is_unknown });
            }
        }
        Ok(found)
    }
}

impl Judge<'_> {
    /// Whether the entry means one unit of its file.
    pub(super) fn is_narrowed(&self, entry: &Governed) -> bool {
        self.narrows && entry.symbol().is_some()
    }

    fn expanded<'m>(&self, UsableEntry { governed, path }: UsableEntry<'m>) -> Result<Asked<'m>> {
        Ok(Asked { governed, path, now: self.contents.expansion(governed, path)? })
    }

    /// Compares an entry with the reading's commit.
    fn since_anchor<'m>(
        &self,
        entry: UsableEntry<'m>,
        scenario: Declared<'_>,
        measured: MeasuredContent<'_>,
    ) -> Result<EntryStanding<'m>> {
        // A dirty reading was not measured on its commit's files. Compared with them it would become fresh once the edit is
        // discarded.
        if measured.dirty {
            return Ok(EntryStanding::Unknown);
        }
        let Testimony::Tree(anchor) = self.measured(measured.commit)? else { return Ok(EntryStanding::Unknown) };
        Ok(match self.contents.compare(&*anchor, entry.governed, entry.path)? {
            Compared::Same => EntryStanding::Moved(Vec::new()),
            Compared::Moved(moved) => EntryStanding::Moved(moved),
            Compared::Appeared => {
                let asked = self.expanded(entry)?;
                let moved = asked.all();
                // a path that the old list governed and that was absent is new content, not a rename that the list followed
                match self.old.scenarios.governed(&anchor, scenario)? {
                    Some(listed) if !listed.contains(entry.path) => {
                        EntryStanding::Appeared(NewEntry { asked, moved, anchor: Some(anchor) })
                    }
                    _ => EntryStanding::Moved(moved),
                }
            }
        })
    }

    /// Compares an entry with the stamp, or with the commit if the stamp does not cover the entry. Also returns the stamped
    /// paths that were compared.
    fn since_stamp<'m, 's>(
        &self,
        entry: UsableEntry<'m>,
        of: StampOf<'s>,
    ) -> Result<(EntryStanding<'m>, Vec<&'s RepoPath>)> {
        let asked = self.expanded(entry)?;
        if asked.now.files.is_empty() {
            return Ok((EntryStanding::Moved(Vec::new()), Vec::new()));
        }
        // If the stamp covers nothing of the entry, absence from it proves nothing: the list was another one then.
        let held = held(of.stamp, &asked)?;
        if held.is_empty() {
            return Ok((self.since_list(asked, of.measured)?, Vec::new()));
        }
        let Added { mut moved, mut is_proof } = self.added(&asked, of)?;
        for (path, stamped) in &held {
            // A stamped file that the entry no longer covers has not moved as long as its old path holds the same bytes.
            if !asked.now.files.contains_key(*path) && !self.view_holds(path, **stamped)? {
                moved.push((*path).clone());
                is_proof = true;
            }
        }
        let expanded = asked.now.files.keys().filter_map(|path| Some(of.stamp.get_key_value(path)?.0));
        let compared = held.into_keys().chain(expanded).collect();
        // A file or a directory is reported under its listed path. A glob is no path, so its files are reported.
        let named = if moved.is_empty() || asked.now.glob { moved } else { vec![entry.path.clone()] };
        Ok((if is_proof { EntryStanding::Disproved(named) } else { EntryStanding::Moved(named) }, compared))
    }

    /// Judges an entry that the stamp does not cover: the list gained it later, or it could not be stamped, for example a
    /// submodule with uncommitted changes.
    fn since_list<'m>(&self, asked: Asked<'m>, measured: MeasuredContent<'_>) -> Result<EntryStanding<'m>> {
        let all = asked.all();
        let Some(anchor) = self.clean_anchor(measured)? else {
            return Ok(EntryStanding::Appeared(NewEntry { asked, moved: all, anchor: None }));
        };
        let (moved, anchor) = match self.contents.compare(&*anchor, asked.governed, asked.path)? {
            Compared::Same => return Ok(EntryStanding::Moved(Vec::new())),
            Compared::Moved(moved) => (moved, None),
            Compared::Appeared => (all, Some(anchor)),
        };
        Ok(EntryStanding::Appeared(NewEntry { asked, moved, anchor }))
    }

    /// The tree of the commit, if exactly this tree was measured and is here.
    pub(super) fn clean_anchor(&self, measured: MeasuredContent<'_>) -> Result<Option<Rc<AnchorTree>>> {
        if measured.dirty {
            return Ok(None);
        }
        Ok(match self.measured(measured.commit)? {
            Testimony::Tree(anchor) => Some(anchor),
            Testimony::Missing(_) => None,
        })
    }

    fn came(&self, entry: &NewEntry<'_>, measured: MeasuredContent<'_>, claims: &mut Claims) -> Result<bool> {
        let (contents, view) = (&self.contents, self.contents.view);
        let arrival = Arrival { path: entry.asked.path, now: &entry.asked.now };
        // The stamp first: it also records measured content that was not committed and that the commit's tree lacks.
        if let Some(stamp) = measured.files {
            let tree = StampTree::with_links(stamp, view, &*contents.way(arrival.path)?)?;
            let gone = Gone::from_stamp(stamp, view)?;
            if renames::came(contents, Measured { tree: &tree, gone: &gone }, arrival, claims)? {
                return Ok(true);
            }
        }
        let Some(anchor) = &entry.anchor else { return Ok(false) };
        let gone = self.old.gone.since(&**anchor, contents)?;
        renames::came(contents, Measured { tree: &**anchor, gone: &gone }, arrival, claims)
    }

    /// The files of the entry in the view that the stamp lacks or records with other content.
    fn added(&self, asked: &Asked<'_>, StampOf { stamp, measured }: StampOf<'_>) -> Result<Added> {
        let mut added = Added::default();
        for (path, content) in &asked.now.files {
            let (same, is_proof) = match stamp.get(path) {
                Some(stamped) => (stamped == content, true),
                None if *content == Stamped::Absent => continue,
                // the stamp has a file or a link at the path of today's directory, so this file was not there
                None if stamp.contains_key(asked.path) && path.is_within(asked.path) => (false, true),
                None => self.stood_in_anchor(path, *content, measured)?,
            };
            if !same {
                added.moved.push(path.clone());
                added.is_proof |= is_proof;
            }
        }
        Ok(added)
    }

    /// Whether the commit already had this file of an entry that was widened since the stamp, and whether the commit is
    /// proof of that. A dirty reading was not measured on the commit's files, so for it the commit does not prove their
    /// absence.
    fn stood_in_anchor(
        &self,
        path: &RepoPath,
        content: Stamped,
        measured: MeasuredContent<'_>,
    ) -> Result<(bool, bool)> {
        let Some(anchor) = self.clean_anchor(measured)? else { return Ok((false, false)) };
        let same = self.contents.same(TreePlace { tree: &*anchor, path }, path)?;
        Ok((same && content != Stamped::Absent, true))
    }

    /// Whether the view has the stamped content at `path`.
    pub(super) fn view_holds(&self, path: &RepoPath, stamped: Stamped) -> Result<bool> {
        Ok(match self.contents.view.entry(path)? {
            None => stamped == Stamped::Absent,
            // an absent path may be a directory by now: its files are compared entry by entry
            Some(entry) if entry.kind == Kind::Dir => stamped == Stamped::Absent,
            Some(entry) => stamp::stamped_entry(self.contents.view, path, entry)? == stamped,
        })
    }
}

/// The part of the stamp that belongs to a governed entry: the files below its path, the files below the target of its
/// links, a file in the place of one of its directories, and the matches of its glob.
fn held<'s>(stamp: &'s BTreeMap<RepoPath, Stamped>, asked: &Asked<'_>) -> Result<BTreeMap<&'s RepoPath, &'s Stamped>> {
    let mut matched = BTreeSet::new();
    if asked.now.glob {
        let files = resolve::matches(&StampTree::new(stamp), asked.governed)?;
        matched.extend(files.into_iter().map(|(path, _)| path));
    }
    let is_named = |path: &RepoPath| path.is_within(asked.path) || asked.path.is_within(path) || matched.contains(path);
    // The target of a link may be stamped for another entry. It counts for this entry only together with the link itself.
    if !stamp.keys().any(is_named) {
        return Ok(BTreeMap::new());
    }
    let end = asked.now.end.as_ref().unwrap_or(asked.path);
    let is_held = |path: &RepoPath| is_named(path) || path.is_within(end);
    Ok(stamp.iter().filter(|(path, _)| is_held(path)).collect())
}
