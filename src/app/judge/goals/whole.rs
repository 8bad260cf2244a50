//! Everything that the gates ask of one state, whichever nodes a change touches: its facts and what it lost of its bases.

use super::{GoalState, goal_of, terms};
use crate::app::judge::snapshot::Snapshot;
use crate::engine::anchors::Anchors;
use crate::engine::facts::{self, Facts};
use crate::engine::goal::NodeGoal;
use crate::engine::goal::matrix::GoalStatus;
use crate::engine::history;
use crate::engine::history::Missing;
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

/// A state with all of its nodes.
pub(crate) struct WholeState {
    /// What is known of it.
    pub(crate) facts: Facts,
    /// What it lost since its bases.
    lost: Vec<LostLine>,
}

impl WholeState {
    /// What is known of `snapshot`, all of whose nodes `workspace` has.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn of(repo: &Repo, snapshot: &Snapshot, workspace: Workspace) -> Result<Self> {
        let facts = facts::collect_unowned(&*snapshot.view, &Anchors::new(repo.history()), workspace)?;
        let lost = lost(snapshot, &facts)?;
        Ok(Self { facts, lost })
    }

    /// What both gates say by these settings of the nodes that `wanted` chooses.
    ///
    /// # Errors
    /// Where something that is here cannot be read.
    pub(crate) fn judged(
        &self,
        repo: &Repo,
        snapshot: &Snapshot,
        settings: &GoalSettings,
        wanted: &dyn Fn(&Node) -> bool,
    ) -> Result<Vec<NodeGoal>> {
        let state = GoalState {
            tree: &*snapshot.view,
            facts: &self.facts,
            cache: &Cache::new(&repo.common_dir),
            lost: &self.lost,
            pushed: BTreeSet::new(),
            terms: terms(settings),
        };
        state.judged(wanted)
    }
}

/// The nodes that `wanted` chooses and whose goal is reached in `snapshot`, of which `facts` are known, by these settings.
///
/// # Errors
/// Where something that is here cannot be read.
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
    let tree = &*snapshot.view;
    let state = GoalState { tree, facts, cache: &cache, lost: &lost, pushed: BTreeSet::new(), terms: terms(settings) };
    let goals = state.judged(&wanted)?.into_iter();
    let reached = goals.filter(|goal| goal.evaluation.status == GoalStatus::Success);
    Ok(reached.map(|goal| NodeRef { dir: goal.dir.to_bstring(), id: goal.id }).collect())
}

/// The ledger lines that the state lost of its bases. Only what changed can have lost any.
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
        // of the changed directories alone what did not change would seem to be new, and heir to what left
        let workspace = of_base(&Select::All)?;
        let revision = base.commit.filter(|_| snapshot.tip.is_some());
        let revision = revision.map_or("HEAD".to_owned(), |commit| commit.short());
        for line in history::missing(&facts.workspace, &workspace).lost {
            found.push(LostLine { line, from: LostFrom { revision: revision.clone(), rewritten: false } });
        }
    }
    Ok(found)
}
