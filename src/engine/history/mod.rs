//! The append-only rule: what was filed stays filed (durability.md, "History rule"). Two workspaces in, the lines that are
//! not where they belong out. Pure; who may lose what at which level is for the rules.
//!
//! A line is filed at its *home*, a directory; all ledgers of a directory are one. For each line of a base, its home A and
//! its scenario S, one of these holds in the new state N, or the line is lost:
//!
//! 1. it is there: a ledger of A holds its bytes, and S did not move. S moved beyond doubt where A declares it no more and
//!    another directory does newly, with A's text; a line that it leaves behind counts for nothing;
//! 2. it moved with its scenario: A declares S no more, and an *heir* of A holds the line. The heirs are the other
//!    directories of N that declare S and are nearest: those that did not declare it in the base and have A's text; else
//!    those that did not declare it in the base; else those that have A's text. A decoy is therefore no heir beside the
//!    scenario's new place, and no heir loses a line that it took over without passing it on;
//! 3. it left with its scenario: A declared S in the base and does not in N, and there is no heir;
//! 4. A did not declare S in the base and does not in N (S left in an earlier step), or the line names no scenario and A
//!    has no scenario file in N: then a ledger that did not hold it in the base has it, or one whose directory declares
//!    S; or A's scenario file leaves in this step and nothing that it declared has an heir.
//!
//! Whatever cannot be read declares everything, so that no line leaves behind a broken file. Order and repetition mean
//! nothing. What never was an event does not count, so that conflict markers and torn tails can be repaired; a glued line
//! may become the lines that it was glued from.

mod state;

use crate::model::ids::nfc;
use crate::model::ledger::{Ledger, Line};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::text::json::{self, Json};
use crate::text::ndjson;
use crate::tree::path::RepoPath;
use state::{IndexedWorkspace, may_declare};
use std::collections::HashSet;

/// A line of a base that is no longer where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The node's directory.
    pub dir: RepoPath,
    /// The ledger that held it.
    pub ledger: RepoPath,
    /// Its bytes, without the line end.
    pub line: Vec<u8>,
    /// The scenario it speaks of, where that is readable.
    pub scenario: Option<String>,
    /// The directory that must hold it now: its own, or where its scenario moved.
    pub belongs: RepoPath,
}

/// The lines of a base that are neither where they were nor where they moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Those that must be there.
    pub lost: Vec<Lost>,
    /// Those that left together with their scenario.
    pub left: Vec<Lost>,
}

/// A line that no base has at this place.
#[derive(Clone, Copy, Debug)]
pub struct Arrived<'w> {
    /// The node that holds it.
    pub node: &'w Node,
    /// The ledger that holds it.
    pub ledger: &'w Ledger,
    /// The line.
    pub line: &'w Line,
    /// Whether it stood elsewhere in a base and no longer does. One that was copied still stands where it was filed, and
    /// is another node's measurement.
    pub moved: bool,
}

/// What became of a line.
enum Fate<'w> {
    Kept,
    Left,
    /// It belongs there.
    Lost(&'w RepoPath),
}

/// Every ledger line of `base` that `new` lacks, in the order of `base`. `base` may be a part of a view (the directories
/// that changed); `new` must hold every directory that its lines may have moved to, or nothing of `left` can be trusted.
pub fn missing(new: &Workspace, base: &Workspace) -> Missing {
    let step = HistoryStep { new: IndexedWorkspace::of(new), base: IndexedWorkspace::of(base) };
    let mut found = Missing::default();
    base.nodes.iter().for_each(|node| step.node(node, &mut found));
    found
}

/// The events of `new` whose lines their own node has in no base, in the order of `new`.
pub fn added<'w>(new: &'w Workspace, bases: &[&'w Workspace]) -> Vec<Arrived<'w>> {
    let new_state = IndexedWorkspace::of(new);
    let bases: Vec<IndexedWorkspace<'w>> = bases.iter().map(|base| IndexedWorkspace::of(base)).collect();
    let ledgers = new.nodes.iter().flat_map(|node| node.ledgers.iter().map(move |ledger| (node, ledger)));
    let lines = ledgers.flat_map(|(node, ledger)| ledger.lines.iter().map(move |line| (node, ledger, line)));
    let mut found = Vec::new();
    for (node, ledger, line) in lines {
        let before = || bases.iter().flat_map(|base| base.homes(&line.bytes));
        if before().all(|home| home.dir != node.dir) {
            let stays = |dir: &RepoPath| new_state.homes(&line.bytes).iter().any(|home| home.dir == *dir);
            found.push(Arrived { node, ledger, line, moved: before().any(|home| !stays(&home.dir)) });
        }
    }
    found
}

/// Where a scenario is that left its directory.
struct Heirs<'w> {
    /// The nearest directories only.
    nearest: Vec<&'w Node>,
    /// Whether they are new to it and have its text: then it moved, beyond doubt.
    is_same: bool,
}

/// A base and what came after it.
struct HistoryStep<'w> {
    new: IndexedWorkspace<'w>,
    base: IndexedWorkspace<'w>,
}

impl<'w> HistoryStep<'w> {
    fn node(&self, home: &'w Node, found: &mut Missing) {
        let now = self.new.node(&home.dir);
        let sheds = sheds(home, now);
        let ledgers: Vec<&Ledger> = home.ledgers.iter().filter(|ledger| sheds || !is_prefix(now, ledger)).collect();
        if ledgers.is_empty() {
            return;
        }
        let here: HashSet<&[u8]> = now.map(raw_lines).into_iter().flatten().collect();
        for ledger in ledgers {
            for line in ledger.raw.iter().filter(|line| sheds || !here.contains(line.as_slice())) {
                self.line((home, ledger), line, &here, found);
            }
        }
    }

    fn line(&self, (home, ledger): (&'w Node, &Ledger), line: &[u8], here: &HashSet<&[u8]>, found: &mut Missing) {
        let Some(objects) = ndjson::objects(line) else { return };
        let fate = |line: &[u8]| self.fate_or_redaction(home, line, here);
        let mut whole = fate(line);
        if objects.len() > 1 && !matches!(whole, Fate::Kept) {
            whole = objects.iter().map(|object| fate(object.as_bytes())).fold(Fate::Kept, Fate::worse);
        }
        let (list, belongs) = match whole {
            Fate::Kept => return,
            Fate::Left => (&mut found.left, &home.dir),
            Fate::Lost(belongs) => (&mut found.lost, belongs),
        };
        list.push(Lost {
            dir: home.dir.clone(),
            ledger: ledger.path.clone(),
            line: line.to_vec(),
            scenario: scenario_of(line),
            belongs: belongs.clone(),
        });
    }

    /// The fate of a line of `home`, where `here` are the lines of its directory now. What stands for a line must stand
    /// where the line must.
    fn fate_or_redaction(&self, home: &'w Node, line: &[u8], here: &HashSet<&[u8]>) -> Fate<'w> {
        let fate = |line: &[u8]| self.fate(home, line, here.contains(line));
        let redactions = || self.new.redactions().in_place_of(line);
        match fate(line) {
            Fate::Lost(_) if redactions().into_iter().any(|line| matches!(fate(line), Fate::Kept)) => Fate::Kept,
            fate => fate,
        }
    }

    /// The fate of a line of `home`, which is still `here` or is not.
    fn fate(&self, home: &'w Node, line: &[u8], here: bool) -> Fate<'w> {
        let scenario = scenario_of(line);
        let now = self.new.node(&home.dir);
        let claims = |now: &Node| scenario.as_deref().map_or(now.file.is_some(), |name| may_declare(now, name));
        if now.is_some_and(claims) {
            return if here { Fate::Kept } else { Fate::Lost(&home.dir) };
        }
        let Some(scenario) = scenario.as_deref().filter(|name| may_declare(home, name)) else {
            return if here { Fate::Kept } else { self.fate_of_undeclared(home, line, scenario.as_deref()) };
        };
        let heirs = self.heirs(home, scenario);
        match heirs.nearest.as_slice() {
            [first, ..] if !self.is_held(line, &heirs.nearest) => {
                if here && !heirs.is_same {
                    Fate::Kept
                } else {
                    Fate::Lost(&first.dir)
                }
            }
            [] if !here => Fate::Left,
            _ => Fate::Kept,
        }
    }

    /// The fate of a line that is not here and that nothing declared in the base, or that names no scenario.
    fn fate_of_undeclared(&self, home: &'w Node, line: &[u8], scenario: Option<&str>) -> Fate<'w> {
        let held = |at: &Node| self.base.homes(line).iter().any(|before| before.dir == at.dir);
        let counts = |at: &Node| scenario.is_some_and(|name| may_declare(at, name));
        if self.new.homes(line).iter().any(|at| !held(at) || counts(at)) {
            return Fate::Kept;
        }
        let stays = self.new.node(&home.dir).is_some_and(|now| now.file.is_some());
        let Some(file) = home.file.as_ref().filter(|_| !stays) else { return Fate::Lost(&home.dir) };
        let heir = |name: &str| self.heirs(home, name).nearest.first().copied();
        let heir = file.scenarios.iter().find_map(|scenario| heir(&scenario.name));
        heir.map_or(Fate::Left, |heir| Fate::Lost(&heir.dir))
    }

    fn is_held(&self, line: &[u8], by: &[&Node]) -> bool {
        self.new.homes(line).iter().any(|at| by.iter().any(|node| node.dir == at.dir))
    }

    /// Where `scenario`, which left `home`, is now.
    fn heirs(&self, home: &Node, scenario: &str) -> Heirs<'w> {
        let text = self.base.text(home, scenario);
        let others = self.new.declaring(scenario).iter().filter(|(node, _)| node.dir != home.dir);
        let (mut nearest, mut best) = (Vec::new(), 1);
        for (node, declared) in others {
            let is_new = self.base.declaring(scenario).iter().all(|(before, _)| before.dir != node.dir);
            let closeness = 2 * u8::from(is_new) + u8::from(Some(declared.text_hash) == text);
            if closeness > best {
                nearest.clear();
                best = closeness;
            }
            if closeness == best {
                nearest.push(*node);
            }
        }
        Heirs { nearest, is_same: best == 3 }
    }
}

impl<'w> Fate<'w> {
    /// That of a whole whose parts had these.
    fn worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::Lost(belongs), _) | (_, Self::Lost(belongs)) => Self::Lost(belongs),
            (Self::Left, _) | (_, Self::Left) => Self::Left,
            (Self::Kept, Self::Kept) => Self::Kept,
        }
    }
}

/// Whether a scenario that `home` names may have left it.
fn sheds(home: &Node, now: Option<&Node>) -> bool {
    let names = |node: &'_ Node| -> Vec<String> {
        node.file.iter().flat_map(|file| &file.scenarios).map(|scenario| nfc(&scenario.name)).collect()
    };
    let now: HashSet<String> = now.map(names).into_iter().flatten().collect();
    names(home).iter().any(|name| !now.contains(name))
}

/// The fast path: lines were only appended.
fn is_prefix(now: Option<&Node>, ledger: &Ledger) -> bool {
    let same = now.and_then(|now| now.ledgers.iter().find(|other| other.path == ledger.path));
    same.is_some_and(|same| same.raw.starts_with(&ledger.raw))
}

/// Read from the bytes, so that a line that breaks the schema elsewhere still says whose it is.
fn scenario_of(line: &[u8]) -> Option<String> {
    let json = json::parse(std::str::from_utf8(line).ok()?).ok()?;
    json.get("scenario").and_then(Json::as_str).map(str::to_owned)
}

fn raw_lines(node: &Node) -> impl Iterator<Item = &[u8]> {
    node.ledgers.iter().flat_map(|ledger| ledger.raw.iter().map(Vec::as_slice))
}

impl Arrived<'_> {
    /// The scenario that the line speaks of; `None` for kinds that are only kept.
    pub fn scenario(&self) -> Option<&str> {
        self.line.event.scenario()
    }
}

#[cfg(test)]
mod tests;
