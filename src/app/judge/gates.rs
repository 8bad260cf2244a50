//! What a state is judged by. A change is judged by the configuration that it brings and by the ones that were there
//! before: none allows itself what it brings, and none puts out of sight what it loses.

use super::snapshot::Snapshot;
use crate::engine::facts::Facts;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::glob::Globs;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::tree::path::RepoPath;

/// `now`, looking wherever `then` looked.
pub(crate) fn seen_by(now: &Config, then: &Config) -> Config {
    let more = then.roots.iter().filter(|root| !now.roots.contains(root));
    let roots = now.roots.iter().chain(more).cloned().collect();
    let both = now.exclude.text().iter().filter(|text| then.exclude.text().contains(text)).cloned().collect();
    // every one of them was compiled before
    let exclude = Globs::compile(both).unwrap_or_default();
    Config { roots, exclude, ..now.clone() }
}

/// What the bases were judged by, where the change itself says what it is judged by. Where nothing was ours before there
/// was no gate that could be lowered.
pub(super) fn before(snapshot: &Snapshot, bases: &[Facts]) -> Vec<Config> {
    let is_ours = |base: &&Facts| !base.workspace.nodes.is_empty() || !base.runlogs.is_empty();
    let ours = bases.iter().filter(is_ours).filter(|_| snapshot.config.is_none());
    ours.map(|base| base.workspace.config.clone()).collect()
}

/// The judged state `view` as the gates of all bases would have seen it, where they saw more: lines that this change puts
/// out of sight are not lost.
pub(super) fn under_old(snapshot: &Snapshot, view: &Workspace, gates: &[Config]) -> Result<Option<Workspace>> {
    let now = &view.config;
    let hides = |then: &Config| {
        now.exclude.text().iter().any(|text| !then.exclude.text().contains(text))
            || then.roots.iter().any(|root| !now.roots.contains(root))
    };
    if !gates.iter().any(hides) {
        return Ok(None);
    }
    let all = gates.iter().fold(now.clone(), |seen, then| seen_by(&seen, then));
    workspace::load(&*snapshot.view, all, &Select::All).map(Some)
}

/// Whether evidence may be tracked at `path`: only where it could be before, so that no change allows itself what it
/// brings.
pub(super) fn allow(now: &Config, gates: &[Config], path: &RepoPath) -> bool {
    gates.iter().chain([now]).all(|config| config.allow_in_tree.is_match(path))
}
