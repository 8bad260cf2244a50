//! `ls`: the scenarios, each with the reading that counts.

use super::unstaged::{self, Unstaged};
use super::view::ScoreView;
use crate::app::site::{Selection, refuse_unknown_tags};
use crate::error::Result;
use crate::repo::Repo;
use crate::report::view::score::{ReadingState, ScenarioRow};
use crate::report::view::verdict::ShownVerdict;
use crate::tree::path::RepoPath;

/// Which scenarios are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListFilter {
    /// All of them.
    Any,
    /// Scenarios without an effective reading.
    Unmeasured,
    /// Scenarios with a stale reading.
    Stale,
    /// Scenarios with a failed reading.
    Failing,
}

/// The scenarios with the reading that counts, in the order of their nodes and files: in this state, with one of `tags`, among
/// the nodes and scenarios that `names` name. No tags or no names means any. `here` is the user's current directory, for the node
/// `.`. Also the readings that git does not have at all.
///
/// # Errors
/// Usage for an unknown node, scenario or tag.
pub(crate) fn ls(
    repo: &Repo,
    state: ListFilter,
    tags: &[String],
    names: &[String],
    here: &RepoPath,
) -> Result<(Vec<ScenarioRow>, Unstaged)> {
    let (score, named) = match names {
        [] => (ScoreView::latest_alone(repo)?, Selection::default()),
        names => ScoreView::about(repo, &names.iter().map(|name| Some(&**name)).collect::<Vec<_>>(), here)?,
    };
    refuse_unknown_tags(&score.workspace.config, tags)?;
    let mut rows = score.counting(|node, scenario| {
        let is_tagged = tags.is_empty() || scenario.tags.iter().any(|tag| tags.contains(tag));
        Ok((is_tagged && named.has(&node.dir, &scenario.name)).then(Vec::new))
    })?;
    rows.retain(|row| is_wanted(row, state));
    Ok((rows, unstaged::in_new_segments(repo, &score.workspace.nodes)?))
}

fn is_wanted(row: &ScenarioRow, wanted: ListFilter) -> bool {
    match wanted {
        ListFilter::Any => true,
        ListFilter::Unmeasured => row.state == ReadingState::Unmeasured,
        ListFilter::Stale => matches!(row.state, ReadingState::Stale(_)),
        ListFilter::Failing => row.counting().is_some_and(|reading| reading.effective() == ShownVerdict::Fail),
    }
}
