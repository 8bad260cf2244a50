//! What claims add to `clean` and `doctor`.

use super::{history, replayed, state};
use crate::app::setup::doctor::broken;
use crate::engine::effective::Effective;
use crate::error::Result;
use crate::model::ids::same_name;
use crate::model::ledger::EvidenceHash;
use crate::model::node::Node;
use crate::repo::Repo;
use crate::report::view::Diagnosis;
use crate::store::Store;
use std::collections::BTreeSet;
use std::path::Path;

/// A journal of claims that cannot be replayed stops every command that needs it. A sound one gives no diagnosis.
pub(crate) fn examined(repo: &Repo, _: &Path) -> Vec<Diagnosis> {
    let common = &repo.common_dir;
    let error = history(common).and_then(|events| replayed(common, &events)).err();
    let found = error.map(|error| broken(error.message.clone(), error.hints.first().cloned().unwrap_or_default()));
    found.into_iter().collect()
}

/// The evidence that readings of currently claimed scenarios name.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn claimed(store: &Store, nodes: &[Node]) -> Result<BTreeSet<EvidenceHash>> {
    let claims = state(store.common_dir())?;
    let mut names = BTreeSet::new();
    for on in claims.held().filter_map(|claim| claim.series.scenario()) {
        for node in nodes.iter().filter(|node| node.dir == *on.node()) {
            let readings = Effective::of(node);
            let own = readings.readings().filter(|reading| same_name(&reading.scenario, on.name()));
            names.extend(own.flat_map(|reading| reading.bytes().collect::<Vec<_>>()));
        }
    }
    Ok(names)
}
