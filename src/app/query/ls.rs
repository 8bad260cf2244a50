//! `ls`: the scenarios with their latest reading.

use super::settings::refuse_unknown_tags;
use super::view::ScoreView;
use crate::error::Result;
use crate::repo::Repo;
use crate::report::view::score::{ReadingState, ScenarioRow};
use crate::report::view::verdict::ShownVerdict;

/// Which scenarios are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListFilter {
    /// All of them.
    Any,
    /// Those without an effective reading.
    Unmeasured,
    /// Those whose latest reading is stale.
    Stale,
    /// Those whose latest reading failed.
    Failing,
}

/// The scenarios with their latest reading, in the order of their nodes and files; `tags` narrows to those with one of
/// them, where there are any.
pub(crate) fn ls(repo: &Repo, wanted: ListFilter, tags: &[String]) -> Result<Vec<ScenarioRow>> {
    let score = ScoreView::load(repo)?;
    refuse_unknown_tags(&score.workspace.config, tags)?;
    let mut rows = score.counting(|_, scenario| {
        Ok((tags.is_empty() || scenario.tags.iter().any(|tag| tags.contains(tag))).then(Vec::new))
    })?;
    rows.retain(|row| is_wanted(row, wanted));
    Ok(rows)
}

fn is_wanted(row: &ScenarioRow, wanted: ListFilter) -> bool {
    match wanted {
        ListFilter::Any => true,
        ListFilter::Unmeasured => row.state == ReadingState::Unmeasured,
        ListFilter::Stale => matches!(row.state, ReadingState::Stale(_)),
        ListFilter::Failing => row.counting().is_some_and(|reading| reading.effective() == ShownVerdict::Fail),
    }
}
