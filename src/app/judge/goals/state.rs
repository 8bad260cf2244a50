//! One state of the repository with what both gates say of its nodes: `goal check` and `goal mark` ask it.

use super::rows::row;
use super::{WholeState, goal_of};
use crate::app::judge::snapshot::{self, ScoredContent, Snapshot};
use crate::engine::facts;
use crate::engine::goal::NodeGoal;
use crate::engine::goal::matrix::GoalStatus;
use crate::error::{Error, Result};
use crate::model::contract::Goal;
use crate::model::node::Node;
use crate::model::workspace::{self, Select, Workspace};
use crate::repo::Repo;
use crate::report::view::ScopeMode;
use crate::report::view::goal::GoalRow;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// A loaded state, compared with its base commits.
pub(crate) struct JudgedState<'r> {
    repo: &'r Repo,
    /// What was loaded, and what it is compared with.
    pub(crate) snapshot: Snapshot,
    whole: WholeState,
}

impl<'r> JudgedState<'r> {
    /// Loads a state and compares it with HEAD, or a commit with its parents.
    ///
    /// # Errors
    /// If the state cannot be read.
    pub(crate) fn load(repo: &'r Repo, of: &ScoredContent) -> Result<Self> {
        let snapshot = match of {
            ScoredContent::WorkTree if repo.work_dir.is_some() => snapshot::since(repo, repo.head()?)?,
            ScoredContent::WorkTree => of_commit(repo, repo.head()?.ok_or_else(no_commit)?)?,
            ScoredContent::Staged => snapshot::staged(repo)?,
            ScoredContent::Rev(rev) => of_commit(repo, repo.resolve(rev)?)?,
        };
        let config = workspace::read_config(&*snapshot.view)?;
        let workspace = workspace::load(&*snapshot.view, config, &Select::All)?;
        let whole = WholeState::of(repo, &snapshot, workspace)?;
        Ok(Self { repo, snapshot, whole })
    }

    /// The nodes of the state, and their configuration.
    pub(crate) fn workspace(&self) -> &Workspace {
        &self.whole.facts.workspace
    }

    /// The results of both gates for the nodes that `wanted` chooses.
    ///
    /// # Errors
    /// If existing content cannot be read.
    pub(crate) fn judged(&self, wanted: &dyn Fn(&Node) -> bool) -> Result<Vec<NodeGoal>> {
        self.whole.judged(self.repo, &self.snapshot, &self.workspace().config.goals, wanted)
    }

    pub(crate) fn row(&self, goal: &NodeGoal, required: &BTreeSet<RepoPath>) -> GoalRow {
        let node = self.workspace().node(&goal.dir);
        let row = row(goal, node, &self.workspace().config.goals);
        match goal.evaluation.status == GoalStatus::NoContract && required.contains(&goal.dir) {
            true => GoalRow {
                is_fine: false,
                blockers: vec![
                    "it governs source and has no goal contract, which yatsu.goals.require asks for".to_owned(),
                ],
                ..row
            },
            false => row,
        }
    }

    /// The nodes that govern source and have no contract, if `yatsu.goals.require` asks for one.
    pub(crate) fn required(&self) -> Result<BTreeSet<RepoPath>> {
        let workspace = self.workspace();
        let mut found = BTreeSet::new();
        if !workspace.config.goals.require {
            return Ok(found);
        }
        for node in workspace.nodes.iter().filter(|node| *goal_of(node) == Goal::Unset) {
            if facts::governs_source(&*self.snapshot.view, node, &workspace.config)? {
                found.insert(node.dir.clone());
            }
        }
        Ok(found)
    }
}

fn of_commit(repo: &Repo, tip: Oid) -> Result<Snapshot> {
    let parents: Vec<Option<Oid>> = repo.parents(&tip)?.into_iter().map(Some).collect();
    snapshot::commit(repo, ScopeMode::Rev, tip, &parents)
}

fn no_commit() -> Error {
    Error::usage("there is no commit yet")
        .hint("commit first, or ask of what is staged: yatsu-hook goal check --staged")
}
