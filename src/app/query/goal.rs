//! `goal check`: judges the goals of nodes by both gates, in the working tree, the index or a commit.

use crate::app::judge::branch;
use crate::app::judge::goals::goal_of;
use crate::app::judge::goals::state::{GoalContent, JudgedState};
use crate::app::judge::unseen;
use crate::app::site::{Selection, pick_named};
use crate::error::Result;
use crate::model::contract::Goal;
use crate::model::node::Node;
use crate::repo::Repo;
use crate::report::view::goal::GoalRow;
use crate::tree::path::RepoPath;

#[derive(Clone, Debug, Default)]
pub(crate) struct GoalRequest {
    /// Which content.
    pub(crate) of: GoalContent,
    /// References of nodes, e.g. `board`; empty means every node that has or needs a contract.
    pub(crate) nodes: Vec<String>,
    /// The user's current directory, for `.` among the nodes.
    pub(crate) here: RepoPath,
}

/// The results of both gates for the requested nodes, in the order of the nodes.
///
/// # Errors
/// Usage if a node does not exist; unchecked if existing content cannot be read.
pub(crate) fn check(repo: &Repo, request: &GoalRequest) -> Result<Vec<GoalRow>> {
    let state = JudgedState::load(repo, &request.of)?;
    let nodes = &state.workspace().nodes;
    let named = Selection::of(&request.nodes, |text| {
        pick_named(nodes, Some(text), &request.here, || branch::touched(repo, nodes))
            .map_err(|error| unseen::hinted(error, &*state.snapshot.view, &state.workspace().config))
    })?;
    let required = state.required()?;
    let wanted = |node: &Node| match named.is_everything() {
        true => *goal_of(node) != Goal::Unset || required.contains(&node.dir),
        false => named.has_node(&node.dir),
    };
    let judged = state.judged(&wanted)?;
    Ok(judged.iter().map(|goal| state.row(goal, &required)).collect())
}
