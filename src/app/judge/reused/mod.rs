//! Earlier readings whose evidence a new one carries again although what they measured was something else. The readings
//! of a view in, for each new one the first such reading out.
//!
//! Thousands of lines may come in one commit and share one piece of evidence, so nothing here is done once for every pair
//! of them: readings that the answer cannot tell apart are looked at once, and each question about what was measured is
//! answered once and goes on where the last one stopped.

use crate::engine::freshness::{Judge, governed};
use crate::error::Result;
use crate::finding::Axis;
use crate::model::governed::Governed;
use crate::model::ids::{composed, same_name};
use crate::model::ledger::{Event, EvidenceHash, Reading, Stamped, StampedUnit, Timestamp};
use crate::model::node::Node;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A stamp: its files, and the units that selectors named of them.
type Stamp<'w> = (&'w BTreeMap<RepoPath, Stamped>, &'w BTreeMap<StampedUnit, Oid>);

/// What an added reading measured.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredContent<'j> {
    /// The commit that it names.
    pub commit: Oid,
    /// The tree of that commit.
    pub tree: &'j dyn Tree,
    /// Judges against that tree.
    pub judge: &'j Judge<'j>,
}

/// The readings that were filed before, by what they carry. Nodes are taken in as they are asked about.
#[derive(Default)]
pub(crate) struct Carriers<'w> {
    nodes: HashMap<&'w RepoPath, HashMap<Carried<'w>, [List<'w>; 2]>>,
}

/// Whether an earlier reading measured something else.
type Differs<'d> = dyn Fn(&Reading) -> Result<bool> + 'd;

/// How that is found out.
struct Questions<'d> {
    /// Whether two stamps name other content.
    of_stamps: &'d dyn Fn(Stamp<'_>, Stamp<'_>) -> bool,
    /// Whether it is not what the commit holds.
    of_commit: &'d Differs<'d>,
}

/// A scenario, its name in NFC, and bytes that its readings name, evidence or artifact.
type Carried<'w> = (Cow<'w, str>, EvidenceHash);

impl<'w> Carriers<'w> {
    /// The time of the first reading of `node`, in the order of the lines, that is older than `reading`, of the same
    /// scenario, names some of the same bytes, and whose governed content is not what `reading` measured.
    ///
    /// # Errors
    /// What judging an earlier reading fails with, when no line before it answers.
    pub(crate) fn reused(
        &mut self,
        node: &'w Node,
        reading: &'w Reading,
        measured: MeasuredContent<'_>,
    ) -> Result<Option<Timestamp>> {
        let mut declared = node.file.iter().flat_map(|file| &file.scenarios);
        let Some(scenario) = declared.find(|scenario| same_name(&scenario.name, &reading.scenario)) else {
            return Ok(None);
        };
        let list = governed(node, scenario);
        let questions = Questions {
            of_stamps: &|one, other| differ(list, one, other),
            of_commit: &|earlier| Ok(measured.judge.freshness(node, scenario, earlier)?.axes.contains(&Axis::Code)),
        };
        let carriers = self.nodes.entry(&node.dir).or_insert_with(|| carriers(node));
        let mut first: Option<OtherReading> = None;
        for hash in reading.bytes() {
            for list in carriers.get_mut(&(composed(&reading.scenario), hash)).into_iter().flatten() {
                let step = list.first(reading, measured.commit, &questions);
                first = first.into_iter().chain(step).min_by_key(|step| step.line);
            }
        }
        first.map(|step| step.judged.map(|()| step.ts)).transpose()
    }
}

/// Readings of one node with or without a stamp that carry the same bytes, in the order of their lines.
#[derive(Default)]
struct List<'w> {
    readings: Vec<(usize, &'w Reading)>,
    scans: HashMap<Against<'w>, Scan>,
}

/// What the readings of a list are compared with: a stamp with its like, all else with a commit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Against<'w> {
    Stamp(Stamp<'w>),
    Commit(Oid),
}

/// How far a list was compared with something, and the readings that differ: each is older than all before it, because
/// no other can be the first one for any question.
#[derive(Default)]
struct Scan {
    next: usize,
    steps: Vec<OtherReading>,
}

/// A reading that measured something else, or of which that cannot be said.
#[derive(Clone)]
struct OtherReading {
    line: usize,
    ts: Timestamp,
    judged: Result<()>,
}

impl<'w> List<'w> {
    fn first(&mut self, reading: &'w Reading, commit: Oid, questions: &Questions<'_>) -> Option<OtherReading> {
        let is_stamped = self.readings.first().is_some_and(|(_, earlier)| earlier.governed.is_some());
        let before = reading.ts;
        match stamp(reading) {
            Some(now) if is_stamped => {
                let scan = self.scans.entry(Against::Stamp(now)).or_default();
                let differs =
                    |earlier: &Reading| Ok(stamp(earlier).is_none_or(|then| (questions.of_stamps)(then, now)));
                scan.first(&self.readings, before, &differs)
            }
            _ => {
                let scan = self.scans.entry(Against::Commit(commit)).or_default();
                scan.first(&self.readings, before, questions.of_commit)
            }
        }
    }
}

impl Scan {
    fn first(
        &mut self,
        readings: &[(usize, &Reading)],
        before: Timestamp,
        differs: &Differs<'_>,
    ) -> Option<OtherReading> {
        while self.steps.last().is_none_or(|step| step.ts >= before) {
            let (line, reading) = *readings.get(self.next)?;
            self.next += 1;
            if self.steps.last().is_some_and(|step| step.ts <= reading.ts) {
                continue;
            }
            let judged = match differs(reading) {
                Ok(false) => continue,
                Ok(true) => Ok(()),
                Err(error) => Err(error),
            };
            self.steps.push(OtherReading { line, ts: reading.ts, judged });
        }
        self.steps.get(self.steps.partition_point(|step| step.ts >= before)).cloned()
    }
}

/// What a judgement of a reading's code depends on, and whether its text is read at all.
type Class<'w> = (Option<Oid>, Option<Stamp<'w>>, bool, bool);

fn stamp(reading: &Reading) -> Option<Stamp<'_>> {
    reading.governed.as_ref().map(|files| (files, &reading.units))
}

/// Whether two stamps name other content for this list: another file, or of a file of which it governs units alone another
/// unit.
fn differ(list: &[Governed], one: Stamp<'_>, other: Stamp<'_>) -> bool {
    let paths: BTreeSet<&RepoPath> = one.0.keys().chain(other.0.keys()).collect();
    paths.into_iter().any(|path| match (one.0.get(path), other.0.get(path)) {
        (then, now) if then == now => false,
        (Some(Stamped::File(_)), Some(Stamped::File(_))) | (Some(Stamped::Exec(_)), Some(Stamped::Exec(_))) => {
            !has_same_units(list, path, [one.1, other.1])
        }
        _ => true,
    })
}

/// Whether nothing but units of the file at `path` is governed, and both stamps have the same ones.
fn has_same_units(list: &[Governed], path: &RepoPath, [one, other]: [&BTreeMap<StampedUnit, Oid>; 2]) -> bool {
    let mut of_path = list.iter().filter(|entry| entry.covers(path)).peekable();
    of_path.peek().is_some()
        && of_path.all(|entry| {
            let unit = entry.symbol().map(|symbol| StampedUnit { path: path.clone(), symbol: symbol.to_owned() });
            unit.is_some_and(|unit| one.get(&unit).is_some_and(|id| other.get(&unit) == Some(id)))
        })
}

fn carriers(node: &Node) -> HashMap<Carried<'_>, [List<'_>; 2]> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let readings = lines.filter_map(|line| match &line.event {
        Event::Reading(reading) => Some(&**reading),
        Event::Retraction(_) | Event::Redaction(_) | Event::Decision(_) | Event::Other | Event::Unknown(_) => None,
    });
    let mut carriers: HashMap<_, [List<'_>; 2]> = HashMap::new();
    let mut oldest: HashMap<(Carried<'_>, Class<'_>), Timestamp> = HashMap::new();
    for (line, reading) in readings.enumerate() {
        let class = (reading.code_sha, stamp(reading), reading.dirty, reading.scenario_hash.is_some());
        for hash in reading.bytes() {
            let carried = (composed(&reading.scenario), hash);
            // Whatever holds for this one holds for an older one of its class on an earlier line.
            if oldest.get(&(carried.clone(), class)).is_none_or(|ts| *ts > reading.ts) {
                oldest.insert((carried.clone(), class), reading.ts);
                let list = usize::from(reading.governed.is_some());
                carriers.entry(carried).or_default()[list].readings.push((line, reading));
            }
        }
    }
    carriers
}

#[cfg(test)]
mod tests;
