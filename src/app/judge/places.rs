//! Where CI shows a finding: what moved under a reading is shown on a file that the change touches, where a reviewer looks, and
//! not on the scenario file, which nobody touched. Findings and the judged snapshot in, findings with their places out. A place
//! decides nothing: one that cannot be found out is left out.

use super::snapshot::Snapshot;
use crate::engine::units::UnitBook;
use crate::finding::{Axis, DriftPath, Finding, Location, RuleId};
use crate::tree::Kind;
use crate::tree::path::RepoPath;
use bstr::BString;
use std::collections::{BTreeSet, HashMap};

/// So many files are read for the lines of their units; forges show fewer annotations.
const READ_FOR_LINES: usize = 32;

/// Gives every finding about code that moved its place, and the same to what follows for a scenario of which it moved.
pub(crate) fn find(findings: &mut [Finding], snapshot: &Snapshot, units: &UnitBook) {
    let changed = snapshot.changed_paths();
    let mut files = BlamedFiles { snapshot, units, changed, known: HashMap::new(), read: BTreeSet::new() };
    for finding in findings.iter_mut().filter(|finding| finding.axes.contains(&Axis::Code)) {
        finding.place = files.blamed(&finding.drift);
    }
    let of_drift = findings.iter().filter(|finding| finding.rule == RuleId::YatsuDrift);
    let moved: HashMap<(BString, String), Location> =
        of_drift.filter_map(|drift| Some((scenario_of(drift)?, drift.place.clone()?))).collect();
    for finding in findings.iter_mut().filter(|finding| finding.rule == RuleId::PromotedUnproven) {
        finding.place = scenario_of(finding).and_then(|scenario| moved.get(&scenario)).cloned();
    }
}

/// Whose finding it is.
fn scenario_of(finding: &Finding) -> Option<(BString, String)> {
    Some((finding.node.as_ref()?.dir.clone(), finding.scenario.clone()?))
}

/// The files of the judged state, as far as they were asked about.
struct BlamedFiles<'a> {
    snapshot: &'a Snapshot,
    units: &'a UnitBook,
    changed: BTreeSet<RepoPath>,
    known: HashMap<RepoPath, bool>,
    /// Those that were read for the lines of their units.
    read: BTreeSet<RepoPath>,
}

impl BlamedFiles<'_> {
    /// The first file that the change touches among what moved, else the first one that is there: its first line, or that of
    /// the unit that moved in it.
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

    /// Where the unit begins that moved; none where the whole file is compared, or nobody can tell.
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

/// Those of `paths` that are `dir` or lie below it: they begin with its bytes, and so stand in a row.
fn below<'p>(paths: &'p BTreeSet<RepoPath>, dir: &RepoPath) -> Vec<&'p RepoPath> {
    let row = paths.range(dir.clone()..).take_while(|path| path.as_bstr().starts_with(dir.as_bstr()));
    row.filter(|path| path.is_within(dir)).collect()
}
