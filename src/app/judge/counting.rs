//! The reading that counts for each scenario of a view, for commands that ask about evidence.

use crate::app::judge::{remember, snapshot};
use crate::engine::facts::{self, Facts};
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
    let readings = facts.scores.iter().flatten().filter_map(|score| score.reading.as_ref());
    Ok(readings.flat_map(Reading::bytes).collect())
}
