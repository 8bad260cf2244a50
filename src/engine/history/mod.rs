//! The append-only rule: what was filed stays filed (durability.md, "History rule"). Two workspaces in, the lost lines
//! out. Pure; who may lose what at which level is for the rules.

use super::redaction::Redactions;
use crate::model::ids::nfc;
use crate::model::node::Node;
use crate::model::reading::{Event, Ledger, Line};
use crate::model::workspace::Workspace;
use crate::repo::path::RepoPath;
use crate::text::json::{self, Json};
use crate::text::ndjson;
use std::collections::{HashMap, HashSet};

/// A line of a base that is no longer there.
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
}

/// A line that no base has.
#[derive(Clone, Copy, Debug)]
pub struct Added<'w> {
    /// The node that holds it.
    pub node: &'w Node,
    /// The ledger that holds it.
    pub ledger: &'w Ledger,
    /// The line.
    pub line: &'w Line,
}

/// Every ledger line of `base` that `new` lacks, in the order of `base`. `base` may be a part of a view (the directories
/// that changed); `new` must hold every directory that its lines may have moved to.
///
/// A line is there when `new` holds its bytes in a ledger of the same directory, or in another ledger whose scenario
/// file declares its scenario; order and repetition mean nothing. A ledger that is gone with its node (no scenario file
/// is left in the directory) takes its lines along. Lines that never were events do not count, so that conflict markers
/// and torn tails can be repaired; a glued line may become the lines it was glued from.
pub fn lost(new: &Workspace, base: &Workspace) -> Vec<Lost> {
    let mut places = None;
    base.nodes.iter().flat_map(|node| lost_of_node(new, node, &mut places)).collect()
}

/// The events of `new` whose lines their own node has in no base, in the order of `new`. A line that moved is none of
/// them; one that was copied is: it still stands where it was filed, and this is another node's measurement.
pub fn added<'w>(new: &'w Workspace, bases: &[&Workspace]) -> Vec<Added<'w>> {
    let mut old = Places::new();
    bases.iter().for_each(|base| add_places(base, &mut old));
    let mut now = None;
    let ledgers = new.nodes.iter().flat_map(|node| node.ledgers.iter().map(move |ledger| (node, ledger)));
    let lines = ledgers.flat_map(|(node, ledger)| ledger.lines.iter().map(move |line| Added { node, ledger, line }));
    lines.filter(|added| is_new(new, added, &old, &mut now)).collect()
}

/// Whether `old`, the places in the bases, says neither that the node had the line nor that it came from elsewhere.
fn is_new<'w>(new: &'w Workspace, added: &Added<'w>, old: &Places<'_>, now: &mut Option<Places<'w>>) -> bool {
    let bytes = added.line.bytes.as_slice();
    let Some(before) = old.get(bytes) else { return true };
    if before.iter().any(|node| node.dir == added.node.dir) {
        return false;
    }
    let now = now.get_or_insert_with(|| places_of(new)).get(bytes);
    let stays = |place: &&Node| now.is_some_and(|nodes| nodes.iter().any(|node| node.dir == place.dir));
    before.iter().all(stays)
}

/// Where lines stand in a state.
type Places<'w> = HashMap<&'w [u8], Vec<&'w Node>>;

fn lost_of_node<'w>(new: &'w Workspace, base: &Node, places: &mut Option<Places<'w>>) -> Vec<Lost> {
    let now = new.node(&base.dir);
    let ledgers = base.ledgers.iter().filter(|ledger| !left_with_its_node(now, ledger) && !is_prefix(now, ledger));
    let ledgers: Vec<&Ledger> = ledgers.collect();
    if ledgers.is_empty() {
        return Vec::new();
    }
    let here: HashSet<&[u8]> = now.map(raw_lines).into_iter().flatten().collect();
    let redactions = Redactions::of(new.nodes.iter().flat_map(|node| &node.ledgers));
    let mut found = Vec::new();
    for ledger in ledgers {
        for line in ledger.raw.iter().filter(|line| !here.contains(line.as_slice())) {
            let places = places.get_or_insert_with(|| places_of(new));
            // what stands for a line must stand where the line must
            let redacted = |now: &&[u8]| here.contains(now) || moved(now, places);
            if !redactions.in_place_of(line).iter().any(redacted) && gone(line, &here, places) {
                let scenario = scenario_of(line);
                found.push(Lost { dir: base.dir.clone(), ledger: ledger.path.clone(), line: line.clone(), scenario });
            }
        }
    }
    found
}

/// A ledger may go only together with its node.
fn left_with_its_node(now: Option<&Node>, ledger: &Ledger) -> bool {
    now.is_none_or(|now| now.file.is_none() && now.ledgers.iter().all(|other| other.path != ledger.path))
}

/// The fast path: lines were only appended.
fn is_prefix(now: Option<&Node>, ledger: &Ledger) -> bool {
    let same = now.and_then(|now| now.ledgers.iter().find(|other| other.path == ledger.path));
    same.is_some_and(|same| same.raw.starts_with(&ledger.raw))
}

fn places_of(new: &Workspace) -> Places<'_> {
    let mut places = Places::new();
    add_places(new, &mut places);
    places
}

fn add_places<'w>(workspace: &'w Workspace, places: &mut Places<'w>) {
    for node in &workspace.nodes {
        for line in raw_lines(node) {
            places.entry(line).or_default().push(node);
        }
    }
}

/// Whether an event of the base is nowhere it may be. Asked only of lines that are not in the same directory as such.
fn gone(line: &[u8], here: &HashSet<&[u8]>, places: &Places<'_>) -> bool {
    let Some(objects) = ndjson::objects(line) else { return false };
    if moved(line, places) {
        return false;
    }
    let single = objects.len() == 1;
    single || !objects.iter().all(|object| here.contains(object.as_bytes()) || moved(object.as_bytes(), places))
}

fn moved(line: &[u8], places: &Places<'_>) -> bool {
    let Some(nodes) = places.get(line) else { return false };
    let Some(scenario) = scenario_of(line) else { return true };
    nodes.iter().any(|node| declares(node, &scenario))
}

fn declares(node: &Node, scenario: &str) -> bool {
    let wanted = nfc(scenario);
    node.file.as_ref().is_some_and(|file| file.scenarios.iter().any(|declared| nfc(&declared.name) == wanted))
}

/// Read from the bytes, so that a line that breaks the schema elsewhere still says whose it is.
fn scenario_of(line: &[u8]) -> Option<String> {
    let json = json::parse(std::str::from_utf8(line).ok()?).ok()?;
    json.get("scenario").and_then(Json::as_str).map(str::to_owned)
}

fn raw_lines(node: &Node) -> impl Iterator<Item = &[u8]> {
    node.ledgers.iter().flat_map(|ledger| ledger.raw.iter().map(Vec::as_slice))
}

impl Added<'_> {
    /// The scenario that the line speaks of; `None` for kinds that are only kept.
    pub fn scenario(&self) -> Option<&str> {
        match &self.line.event {
            Event::Reading(reading) => Some(&reading.scenario),
            Event::Retraction(retraction) => Some(&retraction.scenario),
            Event::Redaction(redaction) => Some(&redaction.scenario),
            Event::Other | Event::Unknown(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
