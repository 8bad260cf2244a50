//! Where CI shows a finding: what moved under a reading is shown on a file that the change touches, where a reviewer looks, and
//! not on the scenario file, which nobody touched. Findings and the judged snapshot in, findings with their places out. A place
//! decides nothing: one that cannot be found out is left out.

use super::snapshot::Snapshot;
use crate::finding::{Axis, DriftPath, Finding, Location};
use crate::tree::Kind;
use crate::tree::path::RepoPath;
use std::collections::{BTreeSet, HashMap};

/// Gives every finding about code that moved its place.
pub(crate) fn find(findings: &mut [Finding], snapshot: &Snapshot) {
    let mut files = BlamedFiles { snapshot, changed: snapshot.changed_paths(), known: HashMap::new() };
    for finding in findings.iter_mut().filter(|finding| finding.axes.contains(&Axis::Code)) {
        let at = files.blamed(&finding.drift);
        finding.place = at.map(|path| Location { path: path.to_bstring(), line: Some(1), column: None });
    }
}

/// The files of the judged state, as far as they were asked about.
struct BlamedFiles<'a> {
    snapshot: &'a Snapshot,
    changed: BTreeSet<RepoPath>,
    known: HashMap<RepoPath, bool>,
}

impl BlamedFiles<'_> {
    /// The first file that the change touches among what moved, else the first one that is there.
    fn blamed(&mut self, moved: &[DriftPath]) -> Option<RepoPath> {
        let moved: Vec<RepoPath> = moved.iter().map(|one| RepoPath::from_git(one.path.clone())).collect();
        let touched: Vec<RepoPath> = moved.iter().flat_map(|path| below(&self.changed, path)).cloned().collect();
        touched.into_iter().chain(moved).find(|path| self.has(path))
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
