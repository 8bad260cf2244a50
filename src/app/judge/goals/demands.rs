//! Which goals a state is asked after: all of them in a score, and in what it is compared with; in a row of commits those that it claims to be reached, and
//! where the configuration says so those that it touches. Where nobody asks nothing is read.

use super::{GoalState, goal_of, is_scored, terms};
use crate::app::judge::Question;
use crate::app::judge::branch::TouchedPaths;
use crate::app::judge::states::States;
use crate::engine::budget::FiledAt;
use crate::engine::facts;
use crate::engine::facts::Facts;
use crate::engine::goal::NodeGoal;
use crate::engine::goal::matrix::GoalStatus;
use crate::error::Result;
use crate::finding::NodeRef;
use crate::model::config::{Config, GoalGateMode, GoalSettings};
use crate::model::contract::Goal;
use crate::model::ledger::{Event, GoalDecisionKind};
use crate::model::node::Node;
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
    let settings = settings(states);
    if question.snapshot.door != Door::Commits || settings.gate == GoalGateMode::Off {
        return Ok(AskedGoals::default());
    }
    let demands = demands(question, states, settings)?;
    let claimed = claimed(&change.added);
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

/// The nodes whose goal an added line claims to be reached.
fn claimed(added: &[AddedLine]) -> BTreeSet<RepoPath> {
    let claims = added.iter().filter(|added| match &added.line.event {
        Event::Decision(decision) => !added.moved && decision.kind == GoalDecisionKind::Complete.as_str(),
        _ => false,
    });
    claims.map(|added| RepoPath::from_git(added.node.dir.clone())).collect()
}

fn demands(question: &Question<'_>, states: &States, settings: GoalSettings) -> Result<GoalDemands> {
    let mut demands = GoalDemands { gate: settings.gate, ..GoalDemands::default() };
    let mut configs = states.gates.iter().chain([&states.view.workspace.config, &states.own]);
    let protects =
        |config: &Config| question.snapshot.target.as_ref().is_some_and(|target| target.is_protected(config));
    let is_protected = settings.gate == GoalGateMode::Protected && configs.any(protects);
    if !is_protected && !settings.require {
        return Ok(demands);
    }
    let changed = question.snapshot.changed_paths();
    let paths = TouchedPaths::of(&changed);
    let had = |dir: &RepoPath| {
        let mut nodes = states.bases.iter().filter_map(|base| base.workspace.node(dir));
        nodes.any(|node| *goal_of(node) != Goal::Unset)
    };
    for node in states.view.workspace.nodes.iter().filter(|node| paths.touch(node)) {
        let has = *goal_of(node) != Goal::Unset;
        if is_protected && (has || had(&node.dir)) {
            demands.must_hold.insert(node.dir.clone());
        } else if settings.require && !has && facts::governs_source(&*question.snapshot.view, node, &states.own)? {
            demands.without.insert(node.dir.clone());
        }
    }
    if is_protected {
        demands.gone = gone(states);
    }
    Ok(demands)
}

/// The nodes that had a contract in a base and are gone with it: nobody has it now.
fn gone(states: &States) -> Vec<NodeRef> {
    let contents = |nodes: &[Node]| -> Vec<_> {
        nodes.iter().filter_map(|node| Some(goal_of(node).contract()?.content_hash())).collect()
    };
    let now = contents(&states.view.workspace.nodes);
    let before = states.bases.first().into_iter().flat_map(|base| &base.workspace.nodes);
    let is_gone = |node: &&Node| {
        let contract = goal_of(node).contract();
        states.view.workspace.node(&node.dir).is_none()
            && contract.is_some_and(|contract| !now.contains(&contract.content_hash()))
    };
    before.filter(is_gone).map(|node| NodeRef { dir: node.dir.to_bstring(), id: node.id.clone() }).collect()
}
