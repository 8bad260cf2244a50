//! A small repository with a goal, for tests of one rule.

use crate::engine::anchors::Anchors;
use crate::engine::facts::Facts;
use crate::engine::freshness::Judge;
use crate::features::goals::judge::engine::{AllGoals, goals_of};
use crate::features::goals::judge::gates::{evaluated, is_scored};
use crate::features::goals::judge::goal_demands::GoalDemands;
use crate::features::goals::model::settings::{GoalGateMode, GoalSettings};
use crate::finding::RuleId;
use crate::model::config::FeatureConfig;
use crate::model::ledger::Event;
use crate::rules::tests::case::{Case, Past, WORKS};
use crate::rules::{AddedLine, Door};
use crate::store::evidence::Cache;
use crate::tree::memory::MemoryTree;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A scenario file with `works` and the goal that it passes with an accuracy of 0.9.
pub(crate) fn with_goal() -> String {
    let criterion = "{id: accuracy, kind: metric_threshold, metric: accuracy, op: '>=', target: 0.9}";
    let goal =
        format!("goal_contract:\n  version: 1\n  goal_text: enough\n  acceptance_criteria:\n    - {criterion}\n---\n");
    WORKS.replacen("---\n", "", 1).replacen("---\n", &goal, 1).replacen("scenarios", "---\nscenarios", 1)
}

/// A decision that the goal is reached. Its hashes are dummies, so use it only where the decision does not hold.
pub(crate) fn completed() -> String {
    let about = "0".repeat(64);
    format!(
        "{{\"decision\":\"complete\",\"contract\":\"{about}\",\"readings\":\"{about}\",\"by\":\"Ann\",\
         \"ts\":\"2026-01-01T00:30:00.000Z\"}}\n"
    )
}

/// The findings of `rule` with goals checked at every node with a contract, without any evidence.
pub(crate) fn told(case: &Case, rule: RuleId) -> String {
    let cache = Cache::new("no/such/place");
    let judged = |tree: &MemoryTree, facts: &Facts| {
        let (pushed, settings) = (BTreeSet::new(), *GoalSettings::DEFAULT);
        let anchors = Anchors::new(Rc::new(Past));
        let judge = Judge::new(tree, &anchors, &facts.workspace.config.evaluators);
        evaluated(&judge, facts, &cache, &[], &pushed, settings, &is_scored).expect("readable goals")
    };
    let scored = |tree: &MemoryTree, facts: &mut Facts| facts.parts.put(AllGoals(judged(tree, facts)));
    case.told_of(rule, scored, |change| {
        change.parts.put(AllGoals(goals_of(&change.view.parts).to_vec()));
        let is_decision = |added: &&AddedLine| matches!(added.line.event, Event::Decision(_));
        let claims = change.added.iter().filter(is_decision).cloned().collect();
        change.parts.put(GoalDemands { gate: GoalGateMode::Claimed, claims, ..GoalDemands::default() });
        if rule == RuleId::GoalGate {
            change.door = Door::Commits;
        }
    })
}
