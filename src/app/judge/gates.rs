//! What a state is judged by: its own roots, exclude and run-log places, and the stricter of the configurations before and
//! after the change for every key that can loosen the gate.

use super::snapshot::Snapshot;
use crate::engine::facts::Facts;
use crate::model::config::Config;
use crate::model::glob::Globs;
use crate::tree::path::RepoPath;

/// What a state is judged by whose own configuration is `own`: a server has a `judge`, which does not say where to look.
pub(crate) fn judging(judge: Option<&Config>, own: &Config) -> Config {
    judge.map_or_else(|| own.clone(), |judge| with_sight_of(own, judge))
}

/// `judge` with the sight of `own`: where nodes, ledgers and run logs are looked for.
pub(super) fn with_sight_of(own: &Config, judge: &Config) -> Config {
    let (roots, exclude, runlogs) = (own.roots.clone(), own.exclude.clone(), own.runlogs.clone());
    Config { roots, exclude, runlogs, ..judge.clone() }
}

/// Whether both configurations look for nodes in the same places.
pub(super) fn same_sight(one: &Config, other: &Config) -> bool {
    one.roots == other.roots && one.exclude == other.exclude
}

/// `now`, looking wherever `then` looked, too.
pub(super) fn with_both_sights(now: &Config, then: &Config) -> Config {
    let more = then.roots.iter().filter(|root| !now.roots.contains(root));
    let roots = now.roots.iter().chain(more).cloned().collect();
    let both = now.exclude.text().iter().filter(|text| then.exclude.text().contains(text)).cloned().collect();
    // every one of them was compiled before
    let exclude = Globs::compile(both).unwrap_or_default();
    Config { roots, exclude, ..now.clone() }
}

/// The configurations that count beside the one that is judged by. A server judges by its default branch, and `own`, which the
/// pushed state brings, counts too; elsewhere the states before count. Where nothing was ours before there was no gate.
pub(super) fn others(snapshot: &Snapshot, own: &Config, bases: &[Facts]) -> Vec<Config> {
    if snapshot.config.is_some() {
        return vec![own.clone()];
    }
    let is_ours = |base: &&Facts| !base.workspace.nodes.is_empty() || !base.runlogs.is_empty();
    bases.iter().filter(is_ours).map(|base| base.workspace.config.clone()).collect()
}

/// Whether evidence may be tracked at `path`: only where it could be before, so that no change allows itself what it
/// brings.
pub(super) fn allow(now: &Config, gates: &[Config], path: &RepoPath) -> bool {
    gates.iter().chain([now]).all(|config| config.allow_in_tree.is_match(path))
}
