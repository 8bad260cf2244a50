//! What is being measured: the governed files of a scenario as they lie in the work tree, and which of them differ from
//! the commit that the reading will name.

use crate::app::site::Site;
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::node::Node;
use crate::model::reading::Stamped;
use crate::model::scenario::Scenario;
use crate::model::stamp::{expand, stamp};
use crate::model::tree::Tree;
use crate::repo::oid::Oid;
use crate::repo::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The governed content at the moment of filing.
pub(super) struct Measured {
    /// What goes into the line; `None` when the configuration or the number of files leaves it out.
    pub(super) stamp: Option<BTreeMap<RepoPath, Stamped>>,
    /// The files that differ from the commit, sorted.
    pub(super) dirty: Vec<RepoPath>,
}

/// Looks at the governed files of `scenario` in the work tree and in `head`.
pub(super) fn measure(
    site: &dyn Site,
    head: &Oid,
    node: &Node,
    scenario: &Scenario,
    config: &Config,
) -> Result<Measured> {
    let list = governed(node, scenario);
    let (view, commit) = (site.worktree()?, site.commit(head)?);
    let (now, then) = (files(&*view, list)?, files(&*commit, list)?);
    let paths: BTreeSet<_> = now.keys().chain(then.keys()).collect();
    let absent = |found: Option<&Stamped>| found.copied().unwrap_or(Stamped::Absent);
    let moved = |path: &&RepoPath| absent(now.get(*path)) != absent(then.get(*path));
    let dirty = paths.into_iter().filter(moved).cloned().collect();
    let stamp = if config.stamp_content { stamp(&*view, list)? } else { None };
    Ok(Measured { stamp, dirty })
}

/// All files that a governed list stands for, however many.
fn files(tree: &dyn Tree, list: &[Governed]) -> Result<BTreeMap<RepoPath, Stamped>> {
    let mut all = BTreeMap::new();
    for entry in list {
        all.extend(expand(tree, entry)?.files);
    }
    Ok(all)
}
