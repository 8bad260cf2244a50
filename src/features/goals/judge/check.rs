//! `goal check`: judges the goals of nodes by both gates, in the working tree, the index or a commit.

use crate::app::judge::branch;
use crate::app::judge::snapshot::ScoredContent;
use crate::app::judge::unseen;
use crate::app::site::{Selection, pick_alone, pick_named};
use crate::error::Result;
use crate::features::goals::judge::gates::goal_of;
use crate::features::goals::judge::gates::state::JudgedState;
use crate::features::goals::model::rows::GoalRow;
use crate::model::contract::Goal;
use crate::model::node::Node;
use crate::model::workspace::Outline;
use crate::repo::Repo;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// The results of both gates for the nodes that `names` name, in the order of the nodes; without names for every node that
/// has or needs a contract. `here` is the user's current directory, for `.` among the names.
///
/// # Errors
/// Usage if a node does not exist; unchecked if existing content cannot be read.
pub(crate) fn check(repo: &Repo, of: &ScoredContent, names: &[String], here: &RepoPath) -> Result<Vec<GoalRow>> {
    let pick = |outline: &Outline, tree: &dyn Tree| -> Option<BTreeSet<RepoPath>> {
        names.iter().map(|name| Some(pick_alone(outline, tree, Some(name.as_str()), here)?.0)).collect()
    };
    let (state, picked) = match names {
        [] => (JudgedState::load(repo, of)?, None),
        _ => JudgedState::about(repo, of, pick)?,
    };
    let nodes = &state.workspace().nodes;
    let find = |text: &str| {
        pick_named(nodes, Some(text), here, || branch::touched(repo, nodes))
            .map_err(|error| unseen::hinted(error, &*state.snapshot.view, &state.workspace().config))
    };
    let named = match picked {
        Some(dirs) => Selection::at(dirs.into_iter().map(|dir| (dir, None)).collect()),
        None => Selection::of(names, find)?,
    };
    let required = state.required()?;
    let wanted = |node: &Node| match named.is_everything() {
        true => *goal_of(node) != Goal::Unset || required.contains(&node.dir),
        false => named.has_node(&node.dir),
    };
    let judged = state.judged(&wanted)?;
    Ok(judged.iter().map(|goal| state.row(goal, &required)).collect())
}
