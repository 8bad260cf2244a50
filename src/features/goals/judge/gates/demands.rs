//! Decides which goals are evaluated. A score evaluates all goals of the state and of its bases. A row of commits evaluates
//! the goals that it claims to be reached, and, if the configuration says so, the goals that it touches. Otherwise nothing
//! is read.

use super::{evaluated, goal_of, is_scored};
use crate::app::judge::branch::TouchedPaths;
use crate::app::judge::snapshot::changed_in_all;
use crate::app::judge::states::{EarlierState, States};
use crate::app::judge::{Judging, Question, Ruling, added};
use crate::engine::budget::FiledAt;
use crate::engine::facts::{self, Facts};
use crate::engine::freshness::Judge;
use crate::error::Result;
use crate::features::goals::judge::engine::matrix::GoalStatus;
use crate::features::goals::judge::engine::{AllGoals, NodeGoal};
use crate::features::goals::judge::goal_demands::GoalDemands;
use crate::features::goals::model::settings::{GoalGateMode, GoalSettings};
use crate::finding::NodeRef;
use crate::model::contract::Goal;
use crate::model::ledger::{Event, GoalDecisionKind};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::report::view::ScopeMode;
use crate::rules::{AddedLine, Change, Door, LostLine};
use crate::store::evidence::Cache;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

pub(crate) const JUDGING: Judging = Judging { states: score, change: ask, ..Judging::NONE };

/// Evaluates every goal of the judged state and of its bases with both gates, if a score is wanted.
///
/// # Errors
/// When a gate cannot be evaluated; its result must not be guessed.
fn score(question: &Question<'_>, states: &mut States, lost: &[LostLine]) -> Result<()> {
    let snapshot = question.snapshot;
    if snapshot.door != Door::State && !question.options.scores_goals {
        return Ok(());
    }
    let (settings, cache) = (goal_settings(states), Cache::new(&question.repo.common_dir));
    let of = |tree: &dyn Tree, facts: &Facts, lost: &[LostLine]| {
        let judge = Judge::new(tree, question.anchors, &facts.workspace.config.evaluators);
        evaluated(&judge, facts, &cache, lost, &BTreeSet::new(), settings, &is_scored)
    };
    let goals = of(&*snapshot.view, &states.view, lost)?;
    states.view.parts.put(AllGoals(goals));
    for (base, facts) in snapshot.bases.iter().zip(&mut states.bases) {
        let goals = of(&*base.tree, facts, &[])?;
        facts.parts.put(AllGoals(goals));
    }
    Ok(())
}

/// Adds to the change the goals to judge in it, and what is required of them.
///
/// # Errors
/// When a gate cannot be evaluated; then nothing passes.
fn ask(question: &Question<'_>, states: &States, change: &mut Change<'_>) -> Result<Option<Ruling>> {
    if let Some((goals, demands)) = asked(question, states, change)? {
        change.parts.put(AllGoals(goals));
        change.parts.put(demands);
    }
    Ok(None)
}

/// Evaluates the goals that concern a row of commits. Returns the results of both gates for them, and the requirements on
/// them; `None` where goals are not checked.
fn asked(
    question: &Question<'_>,
    states: &States,
    change: &Change<'_>,
) -> Result<Option<(Vec<NodeGoal>, GoalDemands)>> {
    let taken = states.earlier(question.snapshot);
    let gates = taken.iter().filter(|_| question.snapshot.config.is_none());
    let settings = gates.fold(goal_settings(states), |settings, from| settings.stricter(*from.workspace.config.of()));
    if question.snapshot.door != Door::Commits || settings.gate == GoalGateMode::Off {
        return Ok(None);
    }
    let demands = demands(question, states, &taken, settings)?;
    let claimed: BTreeSet<_> = demands.claims.iter().map(|claim| RepoPath::from_git(claim.node.dir.clone())).collect();
    let wanted = |node: &Node| claimed.contains(&node.dir) || demands.must_hold.contains(&node.dir);
    Ok(Some((judged(question, states, change, &wanted)?, demands)))
}

/// Whether a goal of the nodes that `wanted` accepts is reached in the judged state.
///
/// # Errors
/// When a gate cannot be evaluated.
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

/// The results of both gates in the judged state, for the nodes that `wanted` accepts.
fn judged(
    question: &Question<'_>,
    states: &States,
    change: &Change<'_>,
    wanted: &dyn Fn(&Node) -> bool,
) -> Result<Vec<NodeGoal>> {
    if !states.view.workspace.nodes.iter().any(wanted) {
        return Ok(Vec::new());
    }
    let (cache, pushed) = (Cache::new(&question.repo.common_dir), pushed(question.snapshot.mode, &change.added));
    let (tree, facts) = (&*question.snapshot.view, &states.view);
    let judge = Judge::new(tree, question.anchors, &facts.workspace.config.evaluators);
    evaluated(&judge, facts, &cache, &change.lost, &pushed, goal_settings(states), wanted)
}

/// The strictest goal settings of all configurations that judge the change: no change lowers its own gate.
pub(crate) fn goal_settings(states: &States) -> GoalSettings {
    states
        .gates
        .iter()
        .fold(*states.view.workspace.config.of::<GoalSettings>(), |goals, gate| goals.stricter(*gate.of()))
}

/// The readings that a push adds; empty at any other door.
fn pushed(mode: ScopeMode, added: &[AddedLine]) -> BTreeSet<FiledAt> {
    let added = added.iter().filter(|added| mode == ScopeMode::Push && !added.moved);
    let reading = |added: &AddedLine| {
        let ts = added.line.event.reading()?.ts;
        Some(FiledAt { ts, ledger: added.ledger.clone(), line: added.line.number })
    };
    added.filter_map(reading).collect()
}

/// The new ledger lines that claim a goal reached. A claim that moved with its contract was judged at its old place.
fn claims(states: &States, taken: &[EarlierState<'_>]) -> Vec<AddedLine> {
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
    taken: &[EarlierState<'_>],
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
        // a new branch had no earlier requirements, so all of its goals are evaluated
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

/// The nodes that are gone since the first base and took a contract along that no other node has now.
fn gone(states: &States, taken: &[EarlierState<'_>]) -> Vec<NodeRef> {
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
