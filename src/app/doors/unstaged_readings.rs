//! Reminds the author of a commit of readings that are filed but not staged. Looks only at nodes that the commit concerns.

use crate::app::judge::Judged;
use crate::app::judge::snapshot::{MadeBy, Snapshot};
use crate::app::query::unstaged;
use crate::repo::Repo;
use crate::tree::path::RepoPath;

/// A note about unstaged readings of the concerned nodes. This is advice, so errors give no note. A clean merge gets none,
/// because git makes it without the user.
pub(super) fn note(repo: &Repo, judged: &Judged, snapshot: &Snapshot) -> Option<String> {
    if snapshot.made_by == MadeBy::CleanMerge {
        return None;
    }
    let staged: Vec<&RepoPath> = snapshot.bases.iter().flat_map(|base| &base.changed).collect();
    let found = unstaged::of_concerned(repo, &judged.states.view.workspace.nodes, &staged).ok()?;
    found.sentence().map(|(what, command)| format!("{what}: {command}"))
}
