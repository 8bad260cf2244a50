//! What somebody filed and did not stage, told before a commit. Looks only at nodes that the commit is about.

use crate::app::judge::Judged;
use crate::app::judge::snapshot::{MadeBy, Snapshot};
use crate::app::query::unstaged;
use crate::repo::Repo;
use crate::tree::path::RepoPath;

/// What was filed about the nodes that the change is about and is not staged with it. Advice: where it cannot be found out
/// nothing is said. A clean merge is nobody's to add to.
pub(super) fn note(repo: &Repo, judged: &Judged, snapshot: &Snapshot) -> Option<String> {
    if snapshot.made_by == MadeBy::CleanMerge {
        return None;
    }
    let staged: Vec<&RepoPath> = snapshot.bases.iter().flat_map(|base| &base.changed).collect();
    let found = unstaged::of_concerned(repo, &judged.states.view.workspace.nodes, &staged).ok()?;
    found.sentence().map(|(what, command)| format!("{what}: {command}"))
}
