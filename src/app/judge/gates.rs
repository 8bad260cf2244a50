//! The configuration that a state is judged by: its own roots, exclude and run-log places; for every key that can loosen
//! the gate, the stricter value of before and after the change.

use super::snapshot::Snapshot;
use crate::engine::facts::Facts;
use crate::model::config::Config;
use crate::model::glob::Globs;
use crate::tree::path::RepoPath;

/// The configuration that judges a state with the configuration `own`. A server passes its own as `judge`, but `own` still
/// says where to look.
pub(crate) fn judging(judge: Option<&Config>, own: &Config) -> Config {
    judge.map_or_else(|| own.clone(), |judge| with_sight_of(own, judge))
}

/// `judge` with the search places of `own` for nodes, ledgers and files of features.
pub(super) fn with_sight_of(own: &Config, judge: &Config) -> Config {
    let mut seen = Config { roots: own.roots.clone(), exclude: own.exclude.clone(), ..judge.clone() };
    seen.look_as(own);
    seen
}

/// Whether both configurations look for nodes in the same places.
pub(super) fn same_sight(one: &Config, other: &Config) -> bool {
    one.roots == other.roots && one.exclude == other.exclude
}

/// `now`, with the search places of `then` added.
pub(super) fn with_both_sights(now: &Config, then: &Config) -> Config {
    let more = then.roots.iter().filter(|root| !now.roots.contains(root));
    let roots = now.roots.iter().chain(more).cloned().collect();
    let both = now.exclude.text().iter().filter(|text| then.exclude.text().contains(text)).cloned().collect();
    // each glob was compiled before, so this cannot fail
    let exclude = Globs::compile(both).unwrap_or_default();
    Config { roots, exclude, ..now.clone() }
}

/// The other configurations that must also allow a change. On a server, which judges by its default branch, this is the
/// configuration in the pushed state; elsewhere the configurations of the bases. A base with nothing to judge had no gate.
pub(crate) fn others(snapshot: &Snapshot, own: &Config, bases: &[Facts]) -> Vec<Config> {
    if snapshot.config.is_some() {
        return vec![own.clone()];
    }
    bases.iter().filter(|base| !base.is_empty()).map(|base| base.workspace.config.clone()).collect()
}

/// Whether evidence may be tracked at `path`. Every earlier configuration must allow the path too, so that no change
/// permits its own evidence.
pub(super) fn allow(now: &Config, gates: &[Config], path: &RepoPath) -> bool {
    gates.iter().chain([now]).all(|config| config.allow_in_tree.is_match(path))
}
