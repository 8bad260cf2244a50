//! Finds the place where CI shows a finding. A finding about drifted code is shown on a file that the change touches,
//! because a reviewer looks there, not at the untouched scenario file. Input: findings and the judged snapshot. A place
//! decides nothing: an unknown one is left out.

use super::snapshot::Snapshot;
use crate::engine::units::UnitBook;
use crate::finding::{DriftPath, Finding, Location, RuleId};
use crate::tree::Kind;
use crate::tree::path::RepoPath;
use bstr::BString;
use std::collections::{BTreeSet, HashMap};

/// At most this many files are parsed for the lines of their units, because forges show fewer annotations.
const READ_FOR_LINES: usize = 32;

/// Sets the place of every finding about drifted code, and of promotion findings for the same scenario.
pub(crate) fn find(findings: &mut [Finding], snapshot: &Snapshot, units: &UnitBook) {
    let changed = snapshot.changed_paths();
    let mut files = BlamedFiles { snapshot, units, changed, known: HashMap::new(), read: BTreeSet::new() };
    for finding in findings.iter_mut().filter(|finding| !finding.drift.is_empty()) {
        finding.place = files.blamed(&finding.drift);
    }
    let of_drift = findings.iter().filter(|finding| finding.rule == RuleId::YatsuDrift);
    let moved: HashMap<(BString, String), Location> =
        of_drift.filter_map(|drift| Some((scenario_of(drift)?, drift.place.clone()?))).collect();
    for finding in findings.iter_mut().filter(|finding| finding.rule == RuleId::PromotedUnproven) {
        finding.place = scenario_of(finding).and_then(|scenario| moved.get(&scenario)).cloned();
    }
}

/// The node directory and the scenario of a finding.
fn scenario_of(finding: &Finding) -> Option<(BString, String)> {
    Some((finding.node.as_ref()?.dir.clone(), finding.scenario.clone()?))
}

/// The files of the judged state that were looked up so far.
struct BlamedFiles<'a> {
    snapshot: &'a Snapshot,
    units: &'a UnitBook,
    changed: BTreeSet<RepoPath>,
    known: HashMap<RepoPath, bool>,
    /// The files that were parsed for the lines of their units.
    read: BTreeSet<RepoPath>,
}

impl BlamedFiles<'_> {
    /// The first drifted file that the change touches, else the first drifted file that exists. The line is the start of
    /// the drifted unit, else 1.
    fn blamed(&mut self, moved: &[DriftPath]) -> Option<Location> {
        let all: Vec<(RepoPath, &DriftPath)> =
            moved.iter().map(|one| (RepoPath::from_git(one.path.clone()), one)).collect();
        let touched: Vec<(RepoPath, &DriftPath)> = all
            .iter()
            .flat_map(|(path, one)| below(&self.changed, path).into_iter().map(|file| (file.clone(), *one)))
            .collect();
        let (path, one) = touched.into_iter().chain(all).find(|(path, _)| self.has(path))?;
        let line = self.unit_line(&path, one).unwrap_or(1);
        Some(Location { path: path.to_bstring(), line: Some(line), column: None })
    }

    /// The line where the drifted unit begins; `None` if the whole file is compared or the line is unknown.
    fn unit_line(&mut self, path: &RepoPath, moved: &DriftPath) -> Option<u32> {
        let symbol = moved.symbol.as_deref().filter(|_| moved.why.is_none())?;
        if !self.read.contains(path) {
            if self.read.len() == READ_FOR_LINES {
                return None;
            }
            self.read.insert(path.clone());
        }
        self.units.line(&*self.snapshot.view, path, symbol).ok()?
    }

    fn has(&mut self, path: &RepoPath) -> bool {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let is_file = matches!(self.snapshot.view.kind(path), Ok(Some(kind)) if kind != Kind::Dir);
        self.known.insert(path.clone(), is_file);
        is_file
    }
}

/// The paths that are `dir` or lie below it. They share its bytes as a prefix, so they are adjacent in the sorted set.
fn below<'p>(paths: &'p BTreeSet<RepoPath>, dir: &RepoPath) -> Vec<&'p RepoPath> {
    let row = paths.range(dir.clone()..).take_while(|path| path.as_bstr().starts_with(dir.as_bstr()));
    row.filter(|path| path.is_within(dir)).collect()
}
