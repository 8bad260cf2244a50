//! The reading that counts for each scenario of a view, for commands that ask about evidence.

use crate::app::judge::{remember, snapshot};
use crate::engine::facts::{self, Facts};
use crate::engine::score::{Score, reading_at};
use crate::error::Result;
use crate::model::ledger::{EvidenceHash, Reading};
use crate::model::workspace::{self, Select};
use crate::repo::Repo;
use crate::tree::oid::Oid;
use std::collections::BTreeSet;

/// The view that is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CountingView {
    /// The tree of a commit.
    Commit(Oid),
    /// The index of this work tree.
    Index,
    /// The files of this work tree, or HEAD in a bare repository.
    WorkTree,
}

/// Judges every scenario of a view.
///
/// # Errors
/// When the view or its configuration cannot be read.
pub(crate) fn facts(repo: &Repo, of: CountingView) -> Result<Facts> {
    let view = match of {
        CountingView::Commit(commit) => repo.commit_view(&commit)?,
        CountingView::Index => repo.index_view()?,
        CountingView::WorkTree => snapshot::all(repo)?.view,
    };
    let config = workspace::read_config(&*view)?;
    let workspace = workspace::load(&*view, config, &Select::All)?;
    facts::collect_unowned(&*view, &remember::anchors(repo), workspace)
}

/// The evidence that the counting readings of a view name.
///
/// # Errors
/// As [`facts`].
pub(crate) fn names(repo: &Repo, of: CountingView) -> Result<BTreeSet<EvidenceHash>> {
    let facts = facts(repo, of)?;
    // of runs and environments every reading that is counted, beside the one that stands for the scenario
    let counted = facts.scenarios().flat_map(|(node, _, score)| {
        score.environments.iter().flat_map(|one| &one.counted).filter_map(move |at| reading_at(node, at))
    });
    let parts = facts.scores.iter().flatten().flat_map(Score::parts).filter_map(|(_, score)| score.reading.as_ref());
    Ok(parts.chain(counted).flat_map(Reading::bytes).collect())
}
