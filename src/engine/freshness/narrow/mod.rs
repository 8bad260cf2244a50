//! Narrows the code axis to one unit of a file (docs/selectors.md, "What judging does"). Used only if the whole file
//! changed, so it can remove staleness and never add it: a unit with unchanged bytes has not moved. If either side cannot
//! be read, the whole file is compared and the answer says why.

use super::{Judge, MeasuredContent};
use crate::engine::anchors::Testimony;
use crate::engine::units::SymbolFound;
use crate::error::Result;
use crate::model::ledger::{Stamped, StampedUnit};
use crate::model::links::{LinkEnd, Trace, trace};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind};
use std::collections::BTreeSet;

/// The side that could not be read, appended to the reason.
const MEASURED: &str = " where it was measured";
/// The number of files of one name that are searched for the origin of a unit.
const MAX_SOURCES: usize = 8;

/// The comparison of one listed unit with the measured content.
#[derive(PartialEq, Eq)]
pub(super) enum Narrowed {
    /// Its bytes are unchanged.
    Same,
    /// Its id is the one in the stamp; the measured file was not read.
    SameById,
    /// Its bytes changed, or there is no file to narrow.
    Moved,
    /// The whole file has to be compared.
    Whole {
        /// The reason, as the end of a sentence.
        why: String,
        /// Whether the reason follows from the content alone, so that every clone compares the whole file.
        is_lasting: bool,
    },
}

/// The source of a unit's measured id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitTestimony {
    /// The measured file, parsed, if it is here.
    File,
    /// The id in the stamp: no measured file is parsed.
    StampedId,
}

/// Units that already are the origin of an entry's unit: one lost unit cannot have become two.
#[derive(Default)]
pub(super) struct UnitClaims(BTreeSet<StampedUnit>);

impl UnitClaims {
    /// Whether the unit is the origin of an entry's unit.
    pub(super) fn has(&self, unit: &StampedUnit) -> bool {
        self.0.contains(unit)
    }
}

/// The allowed origins of a unit that the measured file lacks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origins {
    /// The list gained the file: any origin, under the conditions of a rename.
    OfNewFile,
    /// The file was measured: only a unit that it lacked may have an origin elsewhere.
    OfOldFile,
}

#[derive(Clone, Copy)]
pub(super) struct ListedUnit<'m> {
    pub(super) path: &'m RepoPath,
    pub(super) symbol: &'m str,
}

/// The measurement to compare with, and the rules of the comparison.
#[derive(Clone, Copy)]
pub(super) struct Against<'r> {
    pub(super) measured: MeasuredContent<'r>,
    pub(super) origins: Origins,
    pub(super) testifies: UnitTestimony,
}

/// The measured content of the file that an entry leads to.
enum FileThen {
    Content(Oid),
    Absent,
    /// Another kind or mode, or a path through other links.
    Other,
}

struct UnitNow<'n> {
    file: &'n RepoPath,
    kind: Kind,
    symbol: &'n str,
    id: Oid,
}

impl Judge<'_> {
    /// Compares a unit with the measured content.
    ///
    /// # Errors
    /// The view or history cannot be read, or a file may not be parsed here or not in time. The reading is then not judged.
    pub(super) fn narrowed(
        &self,
        ListedUnit { path, symbol }: ListedUnit<'_>,
        Against { measured, origins, testifies }: Against<'_>,
        claims: &mut UnitClaims,
    ) -> Result<Narrowed> {
        let way = self.contents.way(path)?;
        let LinkEnd::At(file, Entry { kind: kind @ (Kind::File | Kind::Exec), .. }) = &way.end else {
            return Ok(Narrowed::Moved);
        };
        let then = self.file_then(path, &way, measured)?;
        if matches!(then, FileThen::Other) || matches!(then, FileThen::Absent) && origins == Origins::OfOldFile {
            return Ok(Narrowed::Moved);
        }
        let Some(here) = self.anchors.units().in_view(self.contents.view, file, symbol)? else {
            return Ok(Narrowed::Moved);
        };
        let SymbolFound::Unit(id) = here else { return Ok(whole(&here, "", here.is_lasting())) };
        if testifies == UnitTestimony::StampedId {
            return Ok(match stamped(measured, path, symbol) {
                Some(was) if was == id => Narrowed::SameById,
                Some(_) => Narrowed::Moved,
                None => Narrowed::Whole { why: "the stamp has no id of the unit".into(), is_lasting: false },
            });
        }
        let now = UnitNow { file, kind: *kind, symbol, id };
        let unit_then = match then {
            FileThen::Content(content) => self.anchors.units().in_content(file, content, symbol)?,
            _ => Some(SymbolFound::Dead),
        };
        Ok(match unit_then {
            Some(SymbolFound::Unit(was)) => same(was == id),
            None => match stamped(measured, path, symbol) {
                Some(was) => same(was == id),
                None => Narrowed::Whole { why: "the measured content is not here any more".into(), is_lasting: false },
            },
            Some(SymbolFound::Dead) if self.came_from_elsewhere(&now, measured, claims)? => Narrowed::Same,
            Some(SymbolFound::Dead) if matches!(then, FileThen::Absent) => Narrowed::Moved,
            // the unit may have come from content that only another clone has
            Some(SymbolFound::Dead) => whole(&SymbolFound::Dead, MEASURED, false),
            Some(found) => whole(&found, MEASURED, found.is_lasting()),
        })
    }

    /// Asks the stamp if it covers the file or a link to it, otherwise the commit's tree.
    fn file_then(&self, listed: &RepoPath, way: &Trace, measured: MeasuredContent<'_>) -> Result<FileThen> {
        let LinkEnd::At(file, now) = &way.end else { return Ok(FileThen::Other) };
        if let Some(stamp) = measured.files {
            let speaks = stamp.contains_key(file) || way.links.iter().any(|(link, _)| stamp.contains_key(link));
            if speaks {
                let same_way = way.links.iter().all(|(link, id)| stamp.get(link) == Some(&Stamped::Link(*id)));
                return Ok(match stamp.get(file) {
                    Some(Stamped::File(id)) if same_way && now.kind == Kind::File => FileThen::Content(*id),
                    Some(Stamped::Exec(id)) if same_way && now.kind == Kind::Exec => FileThen::Content(*id),
                    _ => FileThen::Other,
                });
            }
        }
        let Testimony::Tree(anchor) = self.measured(measured.commit)? else { return Ok(FileThen::Absent) };
        let then = trace(&*anchor, listed)?;
        let ids = |way: &Trace| way.links.iter().map(|(_, id)| *id).collect::<Vec<_>>();
        Ok(match then.end {
            LinkEnd::Absent(_) if then.links.is_empty() => FileThen::Absent,
            LinkEnd::At(_, Entry { kind, id: Some(id) }) if kind == now.kind && ids(&then) == ids(way) => {
                FileThen::Content(id)
            }
            _ => FileThen::Other,
        })
    }

    /// Whether the unit was measured elsewhere and is gone from there.
    ///
    /// The view is asked only for the content at the paths of the stamp's units and for the absence of files of this name.
    /// A memo for the hooks records only these two, so the hooks would miss a change that any further question here depends
    /// on.
    fn came_from_elsewhere(
        &self,
        now: &UnitNow<'_>,
        measured: MeasuredContent<'_>,
        claims: &mut UnitClaims,
    ) -> Result<bool> {
        let mut sources = self.stamped_sources(now, measured)?;
        sources.extend(self.renamed_sources(now, measured)?);
        for (unit, content) in sources {
            let had = match self.anchors.units().in_content(&unit.path, content, &unit.symbol)? {
                Some(SymbolFound::Unit(id)) => Some(id),
                Some(_) => None,
                None => measured.units.get(&unit).copied(),
            };
            if had == Some(now.id) && claims.0.insert(unit) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The stamped units with the same last part that the view lacks, each with the content of its file.
    fn stamped_sources(&self, now: &UnitNow<'_>, measured: MeasuredContent<'_>) -> Result<Vec<(StampedUnit, Oid)>> {
        let mut found = Vec::new();
        for unit in measured.units.keys().filter(|unit| last(&unit.symbol) == last(now.symbol)) {
            let Some((kind, content)) = measured.files.and_then(|stamp| file(stamp.get(&unit.path)?)) else {
                continue;
            };
            let gone = match self.contents.view.kind(&unit.path)? {
                // a moved file keeps its mode
                None => kind == now.kind,
                Some(_) => {
                    let there = self.anchors.units().in_view(self.contents.view, &unit.path, &unit.symbol)?;
                    there == Some(SymbolFound::Dead)
                }
            };
            if gone {
                found.push((unit.clone(), content));
            }
        }
        Ok(found)
    }

    /// The same unit in measured files of this name that the view lacks.
    fn renamed_sources(&self, now: &UnitNow<'_>, measured: MeasuredContent<'_>) -> Result<Vec<(StampedUnit, Oid)>> {
        let named = |path: &RepoPath| path.name() == now.file.name();
        let mut files: Vec<(RepoPath, Stamped)> = Vec::new();
        if let Some(stamp) = measured.files {
            for (path, stamped) in stamp.iter().filter(|(path, _)| named(path)) {
                if self.contents.view.kind(path)?.is_none() {
                    files.push((path.clone(), *stamped));
                }
            }
        } else if let Testimony::Tree(anchor) = self.measured(measured.commit)? {
            files = self.old.gone.since(&*anchor, &self.contents)?.named(&named);
        }
        files.sort_by(|one, other| one.0.cmp(&other.0));
        let of_kind = |(path, stamped): (RepoPath, Stamped)| {
            let (kind, content) = file(&stamped)?;
            (kind == now.kind).then(|| (StampedUnit { path, symbol: now.symbol.to_owned() }, content))
        };
        Ok(files.into_iter().filter_map(of_kind).take(MAX_SOURCES).collect())
    }
}

fn same(is_same: bool) -> Narrowed {
    if is_same { Narrowed::Same } else { Narrowed::Moved }
}

fn whole(found: &SymbolFound, place: &str, is_lasting: bool) -> Narrowed {
    found.why().map_or(Narrowed::Moved, |why| Narrowed::Whole { why: format!("{why}{place}"), is_lasting })
}

/// The id of a unit in the stamp, if the stamp also names its file.
fn stamped(measured: MeasuredContent<'_>, path: &RepoPath, symbol: &str) -> Option<Oid> {
    // without the content of its file the id could not be checked
    measured.files.filter(|stamp| stamp.contains_key(path))?;
    measured.units.get(&StampedUnit { path: path.clone(), symbol: symbol.to_owned() }).copied()
}

fn file(stamped: &Stamped) -> Option<(Kind, Oid)> {
    match stamped {
        Stamped::File(id) => Some((Kind::File, *id)),
        Stamped::Exec(id) => Some((Kind::Exec, *id)),
        Stamped::Link(_) | Stamped::Submodule(_) | Stamped::Absent => None,
    }
}

/// The innermost name of a symbol.
fn last(symbol: &str) -> &str {
    symbol.rsplit('.').next().unwrap_or(symbol)
}

#[cfg(all(test, feature = "units"))]
mod tests;
