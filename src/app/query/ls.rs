//! `ls`: the scenarios, each with the reading that counts.

use super::stands;
use super::unstaged::{self, Unstaged};
use super::view::ScoreView;
use crate::app::site::{Selection, refuse_unknown_tags};
use crate::engine::unowned;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::report::view::score::{ReadingState, ScenarioRow};
use crate::report::view::tally::GovernedSources;
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

/// What is listed.
pub(crate) struct Listed {
    pub(crate) rows: Vec<ScenarioRow>,
    /// The readings that git does not have at all.
    pub(crate) new: Unstaged,
    /// How many source files are governed, of a list of everything.
    pub(crate) governed: Option<GovernedSources>,
}

/// The source files that no scenario governs, and how many are governed.
///
/// # Errors
/// Usage if the configuration asks for no directory.
pub(crate) fn unowned(repo: &Repo) -> Result<(Vec<RepoPath>, GovernedSources)> {
    let score = ScoreView::latest_alone(repo)?;
    let Some(asked) = unowned::asked(&*score.view, &score.workspace)? else {
        return Err(Error::usage("lint.governedRoots names no directory, so no file has to be governed")
            .hint("name where every source file needs a scenario, in spexcode.json: {\"lint\": {\"governedRoots\": [\"src\"]}}"));
    };
    let governed = GovernedSources { files: asked.all - asked.unowned.len(), of: asked.all };
    Ok((asked.unowned, governed))
}

/// The scenarios with the reading that counts, in the order of their nodes and files: in this state, with one of `tags`, among
/// the nodes and scenarios that `names` name. No tags or no names means any. `here` is the user's current directory, for the node
/// `.`.
///
/// # Errors
/// Usage for an unknown node, scenario or tag.
pub(crate) fn ls(repo: &Repo, state: ListFilter, tags: &[String], names: &[String], here: &RepoPath) -> Result<Listed> {
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
    let is_whole = state == ListFilter::Any && tags.is_empty() && names.is_empty();
    let governed = if is_whole { stands::governed(&*score.view, &score.workspace)? } else { None };
    Ok(Listed { rows, new: unstaged::in_new_segments(repo, &score.workspace.nodes)?, governed })
}

fn is_wanted(row: &ScenarioRow, wanted: ListFilter) -> bool {
    match wanted {
        ListFilter::Any => true,
        ListFilter::Unmeasured => row.state == ReadingState::Unmeasured,
        ListFilter::Stale => matches!(row.state, ReadingState::Stale(_)),
        ListFilter::Failing => row.verdict() == Some(ShownVerdict::Fail),
    }
}
