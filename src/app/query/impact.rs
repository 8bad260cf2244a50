//! `impact`: which scenarios an edit would make stale.

use super::view::{ScoreView, shown};
use crate::app::judge::named;
use crate::engine::freshness::governed;
use crate::error::{Error, Result};
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::model::scenario::Scenario;
use crate::repo::Repo;
use crate::report::view::score::ScenarioRow;
use crate::tree::Tree;
use crate::tree::path::RepoPath;

/// The scenarios that govern something at or below one of `paths`, whether or not anything is there yet.
///
/// # Errors
/// Usage for a path that is not there and that nothing would match: a misspelt one would look like one that nobody governs.
pub(crate) fn impact(repo: &Repo, paths: &[RepoPath]) -> Result<Vec<ScenarioRow>> {
    let score = ScoreView::load(repo)?;
    let rows = score.latest(|node, scenario| {
        let because = touches(&*score.view, node, scenario, paths)?;
        Ok((!because.is_empty()).then_some(because))
    })?;
    let answered = |path: &&RepoPath| rows.iter().any(|row| row.because.iter().any(|because| *because == shown(path)));
    for path in paths.iter().filter(|path| !answered(path)) {
        refuse_unknown(&score, path)?;
    }
    Ok(rows)
}

/// Those of `paths` whose edit changes content that the scenario governs: the files that its list expands to, links
/// followed, and what would match when it appears.
fn touches(view: &dyn Tree, node: &Node, scenario: &Scenario, paths: &[RepoPath]) -> Result<Vec<RepoPath>> {
    let mut found = Vec::new();
    for entry in governed(node, scenario) {
        let files = matches(view, entry)?;
        let hit = |path: &RepoPath| entry.covers(path) || files.iter().any(|(file, _)| file.is_within(path));
        found.extend(paths.iter().filter(|path| hit(path)).cloned());
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Refuses a path that neither the judged state nor HEAD knows.
fn refuse_unknown(score: &ScoreView<'_>, path: &RepoPath) -> Result<()> {
    if path.is_root() || score.view.entry(path)?.is_some() {
        return Ok(());
    }
    if let Some(head) = score.repo.head()?
        && score.repo.commit_view(&head)?.entry(path)?.is_some()
    {
        return Ok(());
    }
    let error = Error::usage(format!("{path} is not here, and nothing governs such a path"));
    Err(match named::nearest_path(&*score.view, path)? {
        Some(meant) => error.hint(format!("did you mean {meant}?")),
        None => error.hint("paths are relative to the directory you stand in"),
    })
}
