//! Counts the commits that touched a changed path since its reading was measured. For display only: a path that cannot be
//! counted (cut history, a missing commit, more than the limits) gets no count and no error.

use crate::finding::DriftPath;
use crate::repo::Repo;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Counting stops here, because a larger number would be no better advice.
const MAX_COMMITS: usize = 1000;
/// Most anchors from which history is walked.
const MAX_WALKS: usize = 200;
/// Most paths of one walk, because they are arguments of a command.
const MAX_PATHS: usize = 500;

/// Fills [`DriftPath::commits`] with the number of commits between the anchor of the reading and `tip` that touched the
/// path. One walk per anchor.
pub(crate) fn count(repo: &Repo, tip: Option<Oid>, drifts: Vec<(Oid, &mut Vec<DriftPath>)>) {
    let Some(tip) = tip else { return };
    let mut by_anchor: BTreeMap<Oid, Vec<&mut DriftPath>> = BTreeMap::new();
    for (anchor, drift) in drifts {
        by_anchor.entry(anchor).or_default().extend(drift);
    }
    by_anchor.retain(|_, drift| !drift.is_empty());
    for (anchor, drift) in by_anchor.into_iter().take(MAX_WALKS) {
        count_since(repo, (&anchor, &tip), drift);
    }
}

fn count_since(repo: &Repo, range: (&Oid, &Oid), drift: Vec<&mut DriftPath>) {
    let paths: BTreeSet<RepoPath> = drift.iter().map(|moved| RepoPath::from_git(moved.path.clone())).collect();
    let paths: Vec<RepoPath> = paths.into_iter().collect();
    if paths.len() > MAX_PATHS || !matches!(repo.tree_of(range.0), Ok(Some(_))) {
        return;
    }
    let Ok(Some(commits)) = repo.touching(range, &paths, MAX_COMMITS) else { return };
    for moved in drift {
        let path = RepoPath::from_git(moved.path.clone());
        let touched = commits.iter().filter(|files| files.iter().any(|file| file.is_within(&path))).count();
        moved.commits = u32::try_from(touched).ok();
    }
}
