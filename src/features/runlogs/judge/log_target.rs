//! The target directory of a run in a judged view: the rules of the log's profile look things up here.

use crate::app::judge::snapshot::Snapshot;
use crate::engine::budget::BudgetOverlay;
use crate::engine::effective::Effective;
use crate::error::Result;
use crate::features::goals::{self, GoalSettings, WholeState, goal_of};
use crate::features::runlogs::judge::engine::artifacts::{NodeGoal, Target, Unmet};
use crate::model::budgets::Budgets;
use crate::model::config::Config;
use crate::model::contract::Goal;
use crate::model::labels::RunId;
use crate::model::node::Node;
use crate::model::workspace::{self, Select, Workspace};
use crate::repo::Repo;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;
use std::cell::OnceCell;
use std::path::Path;

/// The judged state for the rules of run logs. Its nodes and goals are loaded at the first query, once for all logs.
pub(crate) struct TargetState<'a> {
    /// The repository with the evidence cache.
    repo: &'a Repo,
    /// The judged state, in which paths are looked up.
    snapshot: &'a Snapshot,
    /// The configuration that the view is judged by.
    config: &'a Config,
    workspace: OnceCell<Workspace>,
    whole: OnceCell<WholeState>,
}

impl<'a> TargetState<'a> {
    /// Reads nothing yet.
    pub(crate) fn of(repo: &'a Repo, snapshot: &'a Snapshot, config: &'a Config) -> Self {
        Self { repo, snapshot, config, workspace: OnceCell::new(), whole: OnceCell::new() }
    }

    fn workspace(&self) -> Result<&Workspace> {
        if let Some(known) = self.workspace.get() {
            return Ok(known);
        }
        let loaded = workspace::load(&*self.snapshot.view, self.config.clone(), &Select::All)?;
        Ok(self.workspace.get_or_init(|| loaded))
    }

    fn whole(&self) -> Result<&WholeState> {
        if let Some(known) = self.whole.get() {
            return Ok(known);
        }
        let loaded = WholeState::of(self.repo, self.snapshot, self.workspace()?.clone())?;
        Ok(self.whole.get_or_init(|| loaded))
    }
}

/// The target directory of one log in a view.
pub(crate) struct ViewTarget<'a> {
    /// The state that contains the directory.
    pub(crate) state: &'a TargetState<'a>,
    /// The directory, from the top of the repository.
    pub(crate) dir: RepoPath,
    /// The id of the run in its readings.
    pub(crate) run: String,
    pub(crate) settings: GoalSettings,
    /// The root of the work tree, if the view is the state that the next commit would have.
    pub(crate) disk: Option<&'a Path>,
}

impl ViewTarget<'_> {
    /// The path from the top of the repository; `None` for one that leaves the directory.
    fn at(&self, path: &RepoPath) -> Option<RepoPath> {
        self.dir.join(path.as_bstr()).ok().filter(|at| at.is_within(&self.dir))
    }

    fn tree(&self) -> &dyn Tree {
        &*self.state.snapshot.view
    }

    /// The reasons why the run may not end with success, whatever its files are.
    pub(crate) fn refusals(&self) -> Result<Vec<Unmet>> {
        let budgets = &self.state.config.budgets;
        if budgets.is_unlimited() {
            return Ok(Vec::new());
        }
        let over = over_budget(&self.state.workspace()?.nodes, budgets, &self.run);
        Ok(over.map(Unmet::of).into_iter().collect())
    }

    fn is_file(kind: Option<Kind>) -> bool {
        matches!(kind, Some(Kind::File | Kind::Exec))
    }
}

impl Target for ViewTarget<'_> {
    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        let Some(at) = self.at(path) else { return Ok(None) };
        let tree = self.tree();
        if Self::is_file(tree.kind(&at)?) { tree.size(&at) } else { Ok(None) }
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        let Some(at) = self.at(path) else { return Ok(None) };
        let tree = self.tree();
        if Self::is_file(tree.kind(&at)?) { tree.read(&at) } else { Ok(None) }
    }

    fn below(&self, dir: &RepoPath) -> Result<Vec<RepoPath>> {
        let Some(at) = self.at(dir) else { return Ok(Vec::new()) };
        let files = self.tree().files(&at, &|_| true)?;
        let files = files.into_iter().filter(|(_, entry)| Self::is_file(Some(entry.kind)));
        Ok(files.filter_map(|(path, _)| Some(RepoPath::from_git(path.below(&self.dir)?.to_owned()))).collect())
    }

    fn is_untracked(&self, path: &RepoPath) -> Result<bool> {
        let (Some(disk), Some(at)) = (self.disk, self.at(path)) else { return Ok(false) };
        let found = std::fs::symlink_metadata(disk.join(at.as_bstr().to_path_lossy()));
        Ok(found.is_ok_and(|about| about.is_file()))
    }

    fn readings(&self) -> Result<u64> {
        Ok(self.state.workspace()?.nodes.iter().map(|node| readings_of(node, &self.run)).sum())
    }

    fn goals(&self) -> Result<Vec<NodeGoal>> {
        let wanted = |node: &Node| has_goal_of(node, &self.run);
        // Judging the whole state is expensive, and most runs have no goal.
        if !self.state.workspace()?.nodes.iter().any(wanted) {
            return Ok(Vec::new());
        }
        let TargetState { repo, snapshot, .. } = self.state;
        Ok(standing(self.state.whole()?.judged(repo, snapshot, &self.settings, &wanted)?))
    }
}

/// The message that a run is over its budget, with the remedy; `None` within the budget. `nodes` are all of a view.
pub(crate) fn over_budget(nodes: &[Node], budgets: &Budgets, run: &str) -> Option<String> {
    let run = RunId::parse(run)?;
    let is_breached = BudgetOverlay::of_nodes(nodes, budgets).is_run_breached(&run);
    is_breached.then(|| format!("run {run} is over its budget: raise the limit in yatsu.budgets, or have it waived"))
}

/// The number of readings of `node` that belong to the run.
pub(crate) fn readings_of(node: &Node, run: &str) -> u64 {
    let effective = Effective::of(node);
    let of_run = effective.readings().filter(|reading| reading.terms.run.as_ref().is_some_and(|id| id.as_str() == run));
    of_run.count() as u64
}

/// Whether the run measured `node` and the node has a goal, readable or not.
pub(crate) fn has_goal_of(node: &Node, run: &str) -> bool {
    *goal_of(node) != Goal::Unset && readings_of(node, run) > 0
}

/// The status of each goal.
pub(crate) fn standing(goals: Vec<goals::NodeGoal>) -> Vec<NodeGoal> {
    let standing =
        |goal: goals::NodeGoal| NodeGoal { status: goal.evaluation.status.as_str().to_owned(), node: goal.facts.node };
    goals.into_iter().map(standing).collect()
}
