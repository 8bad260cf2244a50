//! The code axis: what was measured against what the view holds, one governed entry at a time. The stamp testifies
//! where it speaks of an entry, the commit's tree elsewhere.

use super::narrow::{Against, ListedUnit, Narrowed, Origins, UnitClaims, UnitTestimony};
use super::renames::{self, Arrival, Claims, Gone, Measured};
use super::stamped::StampTree;
use super::{Judge, JudgedScenario, MovedContent};
use crate::engine::anchors::{AnchorTree, Testimony};
use crate::engine::content::{Compared, TreePlace};
use crate::error::Result;
use crate::model::governed::Governed;
use crate::model::ledger::{Reading, Stamped};
use crate::model::resolve;
use crate::model::stamp::{self, Expansion};
use crate::tree::Kind;
use crate::tree::path::RepoPath;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What the code axis says of a whole governed list.
#[derive(Default)]
pub(super) struct Code {
    /// What moved.
    pub(super) moved: BTreeSet<MovedContent>,
    /// Whether nothing is left that testifies to what was measured.
    pub(super) unknown: bool,
    /// Whether a rename was looked for.
    pub(super) appeared: bool,
    /// Whether the stamp proves that something moved: then every clone says so, whatever commits it has.
    pub(super) is_proved: bool,
    /// Whether a unit was compared by its stamped id alone, and is the same by that.
    pub(super) by_stamped_id: bool,
}

/// A governed entry with a usable path.
#[derive(Clone, Copy)]
struct UsableEntry<'m> {
    governed: &'m Governed,
    path: &'m RepoPath,
}

/// The same with what it stands for in the view.
struct Asked<'m> {
    governed: &'m Governed,
    path: &'m RepoPath,
    now: Rc<Expansion>,
}

/// A reading that carries a stamp.
#[derive(Clone, Copy)]
struct StampedReading<'r> {
    stamp: &'r BTreeMap<RepoPath, Stamped>,
    reading: &'r Reading,
}

impl Asked<'_> {
    /// The paths to name when the whole entry is not what was measured.
    fn all(&self) -> Vec<RepoPath> {
        if self.now.glob { self.now.files.keys().cloned().collect() } else { vec![self.path.clone()] }
    }
}

/// How one entry stands, renames aside.
enum EntryStanding<'m> {
    /// The paths that moved; none when it is what was measured.
    Moved(Vec<RepoPath>),
    /// The same where the stamp proves it: a stamped path holds something else now, or the commit that was measured as it is
    /// had nothing at a path that the stamp does not have. Without that commit an older, narrower list could explain the path.
    Disproved(Vec<RepoPath>),
    /// Nothing testifies to what was measured.
    Unknown,
    /// The list gained it and it was not there: perhaps it came by a rename.
    Appeared(NewEntry<'m>),
}

/// What moved of an entry whose files are not what was measured.
struct MovedEntry {
    moved: Vec<MovedContent>,
    /// Whether every clone finds the same: what was compared is in the stamp or the view, not in objects that may be missing.
    is_proof: bool,
    /// Whether nothing moved by the stamped id of the unit alone.
    by_stamped_id: bool,
}

/// An entry that was not there when it was measured, and did not come by a rename.
struct NotRenamed {
    moved: Vec<MovedContent>,
    /// Whether nothing testifies to what stood there.
    is_unknown: bool,
}

/// What the view has of an entry beside what was stamped.
#[derive(Default)]
struct Added {
    moved: Vec<RepoPath>,
    /// Whether one of them moved for certain, in every clone.
    is_proof: bool,
}

/// An entry that was not there when it was measured.
struct NewEntry<'m> {
    asked: Asked<'m>,
    /// What moved, unless it came by a rename.
    moved: Vec<RepoPath>,
    /// The commit's tree, where that has nothing of it.
    anchor: Option<Rc<AnchorTree>>,
}

impl Judge<'_> {
    pub(super) fn code(&self, asked: JudgedScenario<'_>, reading: &Reading, testifies: UnitTestimony) -> Result<Code> {
        let mut code = Code::default();
        let (mut appeared, mut units) = (Vec::new(), UnitClaims::default());
        for governed in super::governed(asked.node, asked.scenario) {
            let Ok(path) = &governed.path else { continue };
            let entry = UsableEntry { governed, path };
            let standing = match &reading.governed {
                Some(stamp) => self.since_stamp(entry, StampedReading { stamp, reading })?,
                None => self.since_anchor(entry, asked, reading)?,
            };
            // No entry ends the loop: what moved is named also where another entry has nothing that testifies to it.
            let is_disproved = matches!(standing, EntryStanding::Disproved(_));
            match standing {
                EntryStanding::Moved(moved) | EntryStanding::Disproved(moved) => {
                    let against = Against { reading, origins: Origins::OfOldFile, testifies };
                    let found = self.moved(entry, moved, against, &mut units)?;
                    code.is_proved |= is_disproved && found.is_proof && !found.moved.is_empty();
                    code.by_stamped_id |= found.by_stamped_id;
                    code.moved.extend(found.moved);
                }
                EntryStanding::Unknown => code.unknown = true,
                EntryStanding::Appeared(entry) => appeared.push(entry),
            }
            // which reading counts asks for no more than the proof
            if code.is_proved && testifies == UnitTestimony::StampedId {
                return Ok(code);
            }
        }
        // Told apart from what moved: a memo may keep an answer only while nothing happened at other paths, from which a
        // file may have come.
        code.appeared = !appeared.is_empty();
        for NotRenamed { moved, is_unknown } in self.not_renamed(appeared, reading, testifies, &mut units)? {
            code.unknown |= is_unknown;
            code.moved.extend(moved);
        }
        Ok(code)
    }

    /// What is to be named of an entry whose files `moved` are not what was measured: nothing where the one unit that it
    /// means is.
    fn moved(
        &self,
        entry: UsableEntry<'_>,
        moved: Vec<RepoPath>,
        against: Against<'_>,
        units: &mut UnitClaims,
    ) -> Result<MovedEntry> {
        let Some(symbol) = entry.governed.symbol().filter(|_| self.narrows && !moved.is_empty()) else {
            let moved = moved.into_iter().map(MovedContent::whole).collect();
            return Ok(MovedEntry { moved, is_proof: true, by_stamped_id: false });
        };
        let named = |why| vec![MovedContent { path: entry.path.clone(), symbol: Some(symbol.to_owned()), why }];
        let found = self.narrowed(ListedUnit { path: entry.path, symbol }, against, units)?;
        let (is_proof, by_stamped_id) =
            (matches!(found, Narrowed::Moved | Narrowed::Whole { is_lasting: true, .. }), found == Narrowed::SameById);
        let moved = match found {
            Narrowed::Same | Narrowed::SameById => Vec::new(),
            Narrowed::Moved => named(None),
            Narrowed::Whole { why, .. } => named(Some(why)),
        };
        Ok(MovedEntry { moved, is_proof, by_stamped_id })
    }

    fn expanded<'m>(&self, UsableEntry { governed, path }: UsableEntry<'m>) -> Result<Asked<'m>> {
        Ok(Asked { governed, path, now: self.contents.expansion(governed, path)? })
    }

    /// How an entry stands to the reading's commit.
    fn since_anchor<'m>(
        &self,
        entry: UsableEntry<'m>,
        scenario: JudgedScenario<'_>,
        reading: &Reading,
    ) -> Result<EntryStanding<'m>> {
        // A dirty reading was not measured on its commit's files. Judged by them it would be fresh once the edit is thrown away.
        if reading.dirty {
            return Ok(EntryStanding::Unknown);
        }
        let Testimony::Tree(anchor) = self.measured(reading)? else { return Ok(EntryStanding::Unknown) };
        Ok(match self.contents.compare(&*anchor, entry.governed, entry.path)? {
            Compared::Same => EntryStanding::Moved(Vec::new()),
            Compared::Moved(moved) => EntryStanding::Moved(moved),
            Compared::Appeared => {
                let asked = self.expanded(entry)?;
                let moved = asked.all();
                // what was governed already and was not there has come, and not by a rename that the list followed
                match self.texts.governed(&anchor, scenario)? {
                    Some(listed) if !listed.contains(entry.path) => {
                        EntryStanding::Appeared(NewEntry { asked, moved, anchor: Some(anchor) })
                    }
                    _ => EntryStanding::Moved(moved),
                }
            }
        })
    }

    /// How an entry stands to the reading's stamp, and to the commit where the stamp is silent.
    fn since_stamp<'m>(&self, entry: UsableEntry<'m>, measured: StampedReading<'_>) -> Result<EntryStanding<'m>> {
        let asked = self.expanded(entry)?;
        if asked.now.files.is_empty() {
            return Ok(EntryStanding::Moved(Vec::new()));
        }
        // Without a word of the stamp about the entry, absence from it proves nothing: the list was another one then.
        let held = held(measured.stamp, &asked)?;
        if held.is_empty() {
            return self.since_list(asked, measured.reading);
        }
        let Added { mut moved, mut is_proof } = self.added(&asked, measured)?;
        for (path, stamped) in held {
            // A stamped file that the entry does not reach any more has not moved while its bytes stand where they were.
            if !asked.now.files.contains_key(path) && !self.view_holds(path, *stamped)? {
                moved.push(path.clone());
                is_proof = true;
            }
        }
        // Of a file or a directory the entry is named as it is listed; the entry of a glob is no path that could be named.
        let named = if moved.is_empty() || asked.now.glob { moved } else { vec![entry.path.clone()] };
        Ok(if is_proof { EntryStanding::Disproved(named) } else { EntryStanding::Moved(named) })
    }

    /// The stamp says nothing of this entry: the list gained it since, or nothing could be stamped of it, as of a submodule
    /// with uncommitted changes.
    fn since_list<'m>(&self, asked: Asked<'m>, reading: &Reading) -> Result<EntryStanding<'m>> {
        let all = asked.all();
        let testimony = if reading.dirty { Testimony::Missing(None) } else { self.measured(reading)? };
        let Testimony::Tree(anchor) = testimony else {
            return Ok(EntryStanding::Appeared(NewEntry { asked, moved: all, anchor: None }));
        };
        let (moved, anchor) = match self.contents.compare(&*anchor, asked.governed, asked.path)? {
            Compared::Same => return Ok(EntryStanding::Moved(Vec::new())),
            Compared::Moved(moved) => (moved, None),
            Compared::Appeared => (all, Some(anchor)),
        };
        Ok(EntryStanding::Appeared(NewEntry { asked, moved, anchor }))
    }

    /// What moved of the entries that appeared, but for those that came by a rename.
    fn not_renamed(
        &self,
        mut appeared: Vec<NewEntry<'_>>,
        reading: &Reading,
        testifies: UnitTestimony,
        units: &mut UnitClaims,
    ) -> Result<Vec<NotRenamed>> {
        // many files together can have come from few places only, one alone from anywhere
        appeared.sort_by_key(|entry| Reverse(entry.asked.now.files.len()));
        let (mut found, mut claims) = (Vec::new(), Claims::default());
        for entry in appeared {
            if !self.came(&entry, reading, &mut claims)? {
                let Asked { governed, path, .. } = entry.asked;
                let against = Against { reading, origins: Origins::OfNewFile, testifies };
                let moved = self.moved(UsableEntry { governed, path }, entry.moved, against, units)?.moved;
                // Neither stamp nor commit says what stood there: that it moved would be a guess.
                let is_unknown = reading.dirty && !moved.is_empty();
                found.push(NotRenamed { moved: if is_unknown { Vec::new() } else { moved }, is_unknown });
            }
        }
        Ok(found)
    }

    fn came(&self, entry: &NewEntry<'_>, reading: &Reading, claims: &mut Claims) -> Result<bool> {
        let (contents, view) = (&self.contents, self.contents.view);
        let arrival = Arrival { path: entry.asked.path, now: &entry.asked.now };
        // The stamp first: it holds what was measured also where that was not committed, which the commit's tree does not.
        if let Some(stamp) = &reading.governed {
            let tree = StampTree::with_links(stamp, view, &*contents.way(arrival.path)?)?;
            let gone = Gone::from_stamp(stamp, view)?;
            if renames::came(contents, Measured { tree: &tree, gone: &gone }, arrival, claims)? {
                return Ok(true);
            }
        }
        let Some(anchor) = &entry.anchor else { return Ok(false) };
        let gone = self.gone.since(&**anchor, contents)?;
        renames::came(contents, Measured { tree: &**anchor, gone: &gone }, arrival, claims)
    }

    /// What the view has of the entry and the stamp has not, or has otherwise.
    fn added(&self, asked: &Asked<'_>, StampedReading { stamp, reading }: StampedReading<'_>) -> Result<Added> {
        let mut added = Added::default();
        for (path, content) in &asked.now.files {
            let (same, is_proof) = match stamp.get(path) {
                Some(stamped) => (stamped == content, true),
                None if *content == Stamped::Absent => continue,
                // where a file or a link was stamped, a directory of today held nothing
                None if stamp.contains_key(asked.path) && path.is_within(asked.path) => (false, true),
                None => self.stood_in_anchor(path, *content, reading)?,
            };
            if !same {
                added.moved.push(path.clone());
                added.is_proof |= is_proof;
            }
        }
        Ok(added)
    }

    /// Whether an entry that was widened since the stamp covers a file that the commit already had, and whether the commit is
    /// here and testifies. A reading on a dirty tree was not measured on the commit's files, so there the commit does not
    /// testify to their absence.
    fn stood_in_anchor(&self, path: &RepoPath, content: Stamped, reading: &Reading) -> Result<(bool, bool)> {
        if reading.dirty {
            return Ok((false, false));
        }
        match self.measured(reading)? {
            Testimony::Tree(anchor) => {
                let same = self.contents.same(TreePlace { tree: &*anchor, path }, path)?;
                Ok((same && content != Stamped::Absent, true))
            }
            Testimony::Missing(_) => Ok((false, false)),
        }
    }

    fn view_holds(&self, path: &RepoPath, stamped: Stamped) -> Result<bool> {
        Ok(match self.contents.view.entry(path)? {
            None => stamped == Stamped::Absent,
            // what was absent may be a directory by now: what lies in it is asked entry by entry
            Some(entry) if entry.kind == Kind::Dir => stamped == Stamped::Absent,
            Some(entry) => stamp::stamped_entry(self.contents.view, path, entry)? == stamped,
        })
    }
}

/// What the stamp says of a governed entry: the files below it, below the end of its links, a file that stood where
/// one of its directories stands, and what its glob matches.
fn held<'s>(stamp: &'s BTreeMap<RepoPath, Stamped>, asked: &Asked<'_>) -> Result<BTreeMap<&'s RepoPath, &'s Stamped>> {
    let mut matched = BTreeSet::new();
    if asked.now.glob {
        let files = resolve::matches(&StampTree::new(stamp), asked.governed)?;
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
