//! Finds new readings that repeat a picture or a recording of an earlier reading although the measured content was
//! different. Input: the readings of a view. Output: for each new reading the first such earlier one.
//!
//! Thousands of lines may come in one commit and share one piece of evidence, so no work is done for every pair. Readings
//! with the same answer are examined once, and each scan continues where the last one stopped.

use crate::engine::freshness::{Judge, governed};
use crate::error::Result;
use crate::finding::Axis;
use crate::model::governed::Governed;
use crate::model::ids::composed;
use crate::model::ledger::{EvidenceHash, Reading, Stamped, StampedUnit, Timestamp};
use crate::model::node::Node;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A stamp: its files, and the units of them that selectors named.
type Stamp<'w> = (&'w BTreeMap<RepoPath, Stamped>, &'w BTreeMap<StampedUnit, Oid>);

/// The earlier readings by the bytes that they carry. Each node is loaded at the first query for it.
#[derive(Default)]
pub(crate) struct Carriers<'w> {
    nodes: HashMap<&'w RepoPath, HashMap<Carried<'w>, [List<'w>; 2]>>,
}

/// Whether an earlier reading measured something else.
type Differs<'d> = dyn Fn(&Reading) -> Result<bool> + 'd;

/// A scenario (its name in NFC), and a picture or recording of its readings.
type Carried<'w> = (Cow<'w, str>, EvidenceHash);

impl<'w> Carriers<'w> {
    /// The time of the first reused reading of `node`, in line order: older than `reading`, of the same scenario, with the
    /// same picture or recording, but with different governed content. `judge` compares readings with the tree of `commit`,
    /// which the reading names.
    ///
    /// # Errors
    /// When judging an earlier reading fails and no line before it is an answer.
    pub(crate) fn reused(
        &mut self,
        node: &'w Node,
        reading: &'w Reading,
        commit: Oid,
        judge: &Judge<'_>,
    ) -> Result<Option<Timestamp>> {
        let Some(scenario) = node.scenario(&reading.scenario) else { return Ok(None) };
        let list = governed(node, scenario);
        let of_stamps = |one: Stamp<'_>, other: Stamp<'_>| differ(list, one, other);
        let of_commit = |earlier: &Reading| Ok(judge.freshness(node, scenario, earlier)?.axes.contains(&Axis::Code));
        let carriers = self.nodes.entry(&node.dir).or_insert_with(|| carriers(node));
        let mut first: Option<OtherReading> = None;
        for hash in reading.recorded_by_hand() {
            for list in carriers.get_mut(&(composed(&reading.scenario), hash)).into_iter().flatten() {
                let step = list.first(reading, commit, &of_stamps, &of_commit);
                first = first.into_iter().chain(step).min_by_key(|step| step.line);
            }
        }
        first.map(|step| step.judged.map(|()| step.ts)).transpose()
    }
}

/// The readings of one node that carry the same bytes, in line order; either all have a stamp or none has.
#[derive(Default)]
struct List<'w> {
    readings: Vec<(usize, &'w Reading)>,
    scans: HashMap<Against<'w>, Scan>,
}

/// The key of a comparison: two stamps are compared directly, all other readings with a commit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Against<'w> {
    Stamp(Stamp<'w>),
    Commit(Oid),
}

/// The progress of one comparison: the next reading to compare, and the readings that differ. Each of them is older than
/// all before it; no other reading can be the first answer to a query.
#[derive(Default)]
struct Scan {
    next: usize,
    steps: Vec<OtherReading>,
}

/// A reading that measured something else, or that could not be judged.
#[derive(Clone)]
struct OtherReading {
    line: usize,
    ts: Timestamp,
    judged: Result<()>,
}

impl<'w> List<'w> {
    /// The first reading that measured something else than `reading`: another content of the stamps by `of_stamps`, or
    /// another code than `commit` has by `of_commit`.
    fn first(
        &mut self,
        reading: &'w Reading,
        commit: Oid,
        of_stamps: &dyn Fn(Stamp<'_>, Stamp<'_>) -> bool,
        of_commit: &Differs<'_>,
    ) -> Option<OtherReading> {
        let is_stamped = self.readings.first().is_some_and(|(_, earlier)| earlier.governed.is_some());
        let before = reading.ts;
        match stamp(reading) {
            Some(now) if is_stamped => {
                let scan = self.scans.entry(Against::Stamp(now)).or_default();
                let differs = |earlier: &Reading| Ok(stamp(earlier).is_none_or(|then| of_stamps(then, now)));
                scan.first(&self.readings, before, &differs)
            }
            _ => {
                let scan = self.scans.entry(Against::Commit(commit)).or_default();
                scan.first(&self.readings, before, of_commit)
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

/// The parts of a reading that decide the comparison: commit, stamp, `dirty`, and whether it has a scenario hash.
type Class<'w> = (Option<Oid>, Option<Stamp<'w>>, bool, bool);

fn stamp(reading: &Reading) -> Option<Stamp<'_>> {
    reading.governed.as_ref().map(|files| (files, &reading.units))
}

/// Whether two stamps differ for this list: in a file, or, for a file governed only by units, in one of those units.
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

/// Whether only units of the file at `path` are governed, and both stamps have the same ids for them.
fn has_same_units(list: &[Governed], path: &RepoPath, [one, other]: [&BTreeMap<StampedUnit, Oid>; 2]) -> bool {
    let mut of_path = list.iter().filter(|entry| entry.covers(path)).peekable();
    of_path.peek().is_some()
        && of_path.all(|entry| {
            let unit = entry.symbol().map(|symbol| StampedUnit { path: path.clone(), symbol: symbol.to_owned() });
            unit.is_some_and(|unit| one.get(&unit).is_some_and(|id| other.get(&unit) == Some(id)))
        })
}

fn carriers(node: &Node) -> HashMap<Carried<'_>, [List<'_>; 2]> {
    let readings = node.ledgers.iter().flat_map(|ledger| ledger.readings());
    let mut carriers: HashMap<_, [List<'_>; 2]> = HashMap::new();
    let mut oldest: HashMap<(Carried<'_>, Class<'_>), Timestamp> = HashMap::new();
    for (line, reading) in readings.enumerate() {
        let class = (reading.code_sha, stamp(reading), reading.dirty, reading.scenario_hash.is_some());
        for hash in reading.recorded() {
            let carried = (composed(&reading.scenario), hash);
            // An older reading of the same class on an earlier line gives the same answers.
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
