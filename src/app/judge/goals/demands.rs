//! Which goals a state is asked after: all of them in a score, and in what it is compared with; in a row of commits those that it claims to be reached, and
//! where the configuration says so those that it touches. Where nobody asks nothing is read.

use super::{GoalState, goal_of, is_scored, terms};
use crate::app::judge::Question;
use crate::app::judge::added;
use crate::app::judge::branch::TouchedPaths;
use crate::app::judge::snapshot::changed_in_all;
use crate::app::judge::states::{States, TakenFrom};
use crate::engine::budget::FiledAt;
use crate::engine::facts;
use crate::engine::facts::Facts;
use crate::engine::goal::NodeGoal;
use crate::engine::goal::matrix::GoalStatus;
use crate::error::Result;
use crate::finding::NodeRef;
use crate::model::config::{GoalGateMode, GoalSettings};
use crate::model::contract::Goal;
use crate::model::ledger::{Event, GoalDecisionKind};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::report::view::ScopeMode;
use crate::rules::{AddedLine, Change, Door, GoalDemands, LostLine};
use crate::store::evidence::Cache;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// What rules are told of the goals of a change.
#[derive(Default)]
pub(crate) struct AskedGoals {
    /// What both gates say of the nodes that are asked after.
    pub(crate) goals: Vec<NodeGoal>,
    /// What must hold of them.
    pub(crate) demands: GoalDemands,
}

/// Asks both gates of every goal of the judged state and of its bases, where a score is wanted.
///
/// # Errors
/// When a gate cannot be asked: then nobody may guess.
pub(crate) fn score(question: &Question<'_>, states: &mut States, lost: &[LostLine]) -> Result<()> {
    let snapshot = question.snapshot;
    if snapshot.door != Door::State && !question.options.scores_goals {
        return Ok(());
    }
    let (terms, cache) = (terms(&settings(states)), Cache::new(&question.repo.common_dir));
    let of = |tree: &dyn Tree, facts: &Facts, lost: &[LostLine]| {
        let state = GoalState { tree, facts, cache: &cache, lost, pushed: BTreeSet::new(), terms };
        state.judged(&is_scored)
    };
    states.view.goals = of(&*snapshot.view, &states.view, lost)?;
    for (base, facts) in snapshot.bases.iter().zip(&mut states.bases) {
        facts.goals = of(&*base.tree, facts, &[])?;
    }
    Ok(())
}

/// The goals that a row of commits is asked after.
///
/// # Errors
/// When a gate cannot be asked: then nothing passes.
pub(crate) fn asked(question: &Question<'_>, states: &States, change: &Change<'_>) -> Result<AskedGoals> {
    let taken = states.taken_from(question.snapshot);
    let gates = taken.iter().filter(|_| question.snapshot.config.is_none());
    let settings = gates.fold(settings(states), |settings, from| settings.stricter(from.workspace.config.goals));
    if question.snapshot.door != Door::Commits || settings.gate == GoalGateMode::Off {
        return Ok(AskedGoals::default());
    }
    let demands = demands(question, states, &taken, settings)?;
    let claimed: BTreeSet<_> = demands.claims.iter().map(|claim| RepoPath::from_git(claim.node.dir.clone())).collect();
    let wanted = |node: &Node| claimed.contains(&node.dir) || demands.must_hold.contains(&node.dir);
    Ok(AskedGoals { goals: judged(question, states, change, &wanted)?, demands })
}

/// Whether the goal of a node that `wanted` chooses is reached in the judged state.
///
/// # Errors
/// When a gate cannot be asked.
pub(crate) fn reached_of(
    question: &Question<'_>,
    states: &States,
    change: &Change<'_>,
    wanted: &dyn Fn(&Node) -> bool,
) -> Result<bool> {
    let wanted = |node: &Node| *goal_of(node) != Goal::Unset && wanted(node);
    let goals = judged(question, states, change, &wanted)?;
    Ok(goals.iter().any(|goal| goal.evaluation.status == GoalStatus::Success))
}

/// What both gates say of the nodes that `wanted` chooses in the judged state.
fn judged(
    question: &Question<'_>,
    states: &States,
    change: &Change<'_>,
    wanted: &dyn Fn(&Node) -> bool,
) -> Result<Vec<NodeGoal>> {
    if !states.view.workspace.nodes.iter().any(wanted) {
        return Ok(Vec::new());
    }
    let state = GoalState {
        tree: &*question.snapshot.view,
        facts: &states.view,
        cache: &Cache::new(&question.repo.common_dir),
        lost: &change.lost,
        pushed: pushed(question.snapshot.mode, &change.added),
        terms: terms(&settings(states)),
    };
    state.judged(wanted)
}

/// What the gates of a state ask for: no change lowers the gate that it must pass.
pub(crate) fn settings(states: &States) -> GoalSettings {
    states.gates.iter().fold(states.view.workspace.config.goals, |goals, gate| goals.stricter(gate.goals))
}

/// The readings that a push adds; nothing at any other door.
fn pushed(mode: ScopeMode, added: &[AddedLine]) -> BTreeSet<FiledAt> {
    let added = added.iter().filter(|added| mode == ScopeMode::Push && !added.moved);
    let reading = |added: &AddedLine| match &added.line.event {
        Event::Reading(reading) => {
            Some(FiledAt { ts: reading.ts, ledger: added.ledger.clone(), line: added.line.number })
        }
        _ => None,
    };
    added.filter_map(reading).collect()
}

/// The lines that claim a goal to be reached and that the branch takes: a claim that moved with its contract was judged where
/// it was made.
fn claims(states: &States, taken: &[TakenFrom<'_>]) -> Vec<AddedLine> {
    let before: Vec<&Workspace> = taken.iter().map(|from| from.workspace).collect();
    let is_claim = |event: &Event| match event {
        Event::Decision(decision) => decision.kind == GoalDecisionKind::Complete.as_str(),
        _ => false,
    };
    added::of_kind(&states.view.workspace, &before, &is_claim).into_iter().filter(|added| !added.moved).collect()
}

fn demands(
    question: &Question<'_>,
    states: &States,
    taken: &[TakenFrom<'_>],
    settings: GoalSettings,
) -> Result<GoalDemands> {
    let claims = claims(states, taken);
    let mut demands = GoalDemands { gate: settings.gate, claims, ..GoalDemands::default() };
    let target =
        question.snapshot.target.filter(|target| settings.gate == GoalGateMode::Protected && target.is_protected);
    if target.is_none() && !settings.require {
        return Ok(demands);
    }
    let changed = changed_in_all(&taken.iter().map(|from| from.base).collect::<Vec<_>>());
    let paths = TouchedPaths::of(&changed);
    let had = |dir: &RepoPath| {
        let mut nodes = taken.iter().filter_map(|from| from.workspace.node(dir));
        nodes.any(|node| *goal_of(node) != Goal::Unset)
    };
    for node in &states.view.workspace.nodes {
        let (has, touched) = (*goal_of(node) != Goal::Unset, paths.touch(node));
        // nobody asked a new branch for anything before
        let is_asked = target.is_some_and(|target| touched || target.is_new);
        if is_asked && (has || touched && had(&node.dir)) {
            demands.must_hold.insert(node.dir.clone());
        } else if touched
            && settings.require
            && !has
            && facts::governs_source(&*question.snapshot.view, node, &states.own)?
        {
            demands.without.insert(node.dir.clone());
        }
    }
    if target.is_some() {
        demands.gone = gone(states, taken);
    }
    Ok(demands)
}

/// The nodes that had a contract in a base and are gone with it: nobody has it now.
fn gone(states: &States, taken: &[TakenFrom<'_>]) -> Vec<NodeRef> {
    let contents = |nodes: &[Node]| -> Vec<_> {
        nodes.iter().filter_map(|node| Some(goal_of(node).contract()?.content_hash())).collect()
    };
    let now = contents(&states.view.workspace.nodes);
    let before = taken.first().into_iter().flat_map(|from| &from.workspace.nodes);
    let is_gone = |node: &&Node| {
        let contract = goal_of(node).contract();
        states.view.workspace.node(&node.dir).is_none()
            && contract.is_some_and(|contract| !now.contains(&contract.content_hash()))
    };
    before.filter(is_gone).map(|node| NodeRef { dir: node.dir.to_bstring(), id: node.id.clone() }).collect()
}
