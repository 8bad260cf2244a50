//! Evaluates the gates of a whole state, whichever nodes a change touches.

use super::{evaluated, goal_of};
use crate::app::judge::snapshot::Snapshot;
use crate::engine::anchors::Anchors;
use crate::engine::facts::{self, Facts};
use crate::engine::goal::NodeGoal;
use crate::engine::goal::matrix::GoalStatus;
use crate::engine::history::{self, Missing};
use crate::error::Result;
use crate::finding::NodeRef;
use crate::model::config::GoalSettings;
use crate::model::contract::Goal;
use crate::model::node::Node;
use crate::model::workspace::{self, Select, Workspace, has_our_name};
use crate::repo::Repo;
use crate::rules::{LostFrom, LostLine};
use crate::store::evidence::Cache;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

pub(crate) struct WholeState {
    pub(crate) facts: Facts,
    /// The lines lost since its bases.
    lost: Vec<LostLine>,
}

impl WholeState {
    /// Collects the facts of `snapshot`; `workspace` has all of its nodes.
    ///
    /// # Errors
    /// When the state cannot be read.
    pub(crate) fn of(repo: &Repo, snapshot: &Snapshot, workspace: Workspace) -> Result<Self> {
        let facts = facts::collect_unowned(&*snapshot.view, &Anchors::new(repo.history()), workspace)?;
        let lost = lost(snapshot, &facts)?;
        Ok(Self { facts, lost })
    }

    /// The results of both gates by these settings, for the nodes that `wanted` accepts.
    ///
    /// # Errors
    /// When local content cannot be read.
    pub(crate) fn judged(
        &self,
        repo: &Repo,
        snapshot: &Snapshot,
        settings: &GoalSettings,
        wanted: &dyn Fn(&Node) -> bool,
    ) -> Result<Vec<NodeGoal>> {
        let cache = Cache::new(&repo.common_dir);
        evaluated(&*snapshot.view, &self.facts, &cache, &self.lost, &BTreeSet::new(), *settings, wanted)
    }
}

/// The nodes that `wanted` accepts and that have a reached goal in `snapshot` with its `facts`, by these settings.
///
/// # Errors
/// When local content cannot be read.
pub(crate) fn reached(
    repo: &Repo,
    snapshot: &Snapshot,
    facts: &Facts,
    settings: &GoalSettings,
    wanted: &dyn Fn(&Node) -> bool,
) -> Result<Vec<NodeRef>> {
    let wanted = |node: &Node| *goal_of(node) != Goal::Unset && wanted(node);
    if !facts.workspace.nodes.iter().any(wanted) {
        return Ok(Vec::new());
    }
    let (cache, lost) = (Cache::new(&repo.common_dir), lost(snapshot, facts)?);
    let goals = evaluated(&*snapshot.view, facts, &cache, &lost, &BTreeSet::new(), *settings, &wanted)?;
    let reached = goals.into_iter().filter(|goal| goal.evaluation.status == GoalStatus::Success);
    Ok(reached.map(|goal| NodeRef { dir: goal.dir.to_bstring(), id: goal.id }).collect())
}

/// The ledger lines that the state lost since its bases. Only changed directories can have lost any.
fn lost(snapshot: &Snapshot, facts: &Facts) -> Result<Vec<LostLine>> {
    let mut found = Vec::new();
    for base in &snapshot.bases {
        let ours = base.changed.iter().filter(|path| has_our_name(path));
        let dirs: BTreeSet<RepoPath> = ours.map(|path| path.parent().unwrap_or_default()).collect();
        if dirs.is_empty() {
            continue;
        }
        let of_base = |select: &Select| workspace::load(&*base.tree, facts.workspace.config.clone(), select);
        if history::missing(&facts.workspace, &of_base(&Select::Dirs(dirs))?) == Missing::default() {
            continue;
        }
        // All nodes are loaded here. With changed directories only, unchanged nodes would look like new heirs of lost
        // lines.
        let workspace = of_base(&Select::All)?;
        let revision = base.commit.filter(|_| snapshot.tip.is_some());
        let revision = revision.map_or("HEAD".to_owned(), |commit| commit.short());
        for line in history::missing(&facts.workspace, &workspace).lost {
            found.push(LostLine { line, from: LostFrom { revision: revision.clone(), rewritten: false } });
        }
    }
    Ok(found)
}
