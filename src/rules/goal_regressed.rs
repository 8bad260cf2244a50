//! `goal-regressed`: a goal was claimed complete and is not any more.

use super::Change;
use super::wording::of_node;
use crate::engine::goal::matrix::GoalStatus;
use crate::finding::{Finding, RuleId};
use crate::text::escape::echo;
use crate::text::shell;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    for goal in &change.goals {
        let Some(claim) = goal.facts.decisions.completion() else { continue };
        if goal.evaluation.status == GoalStatus::Success {
            continue;
        }
        let Some(node) = change.view.workspace.node(&goal.dir) else { continue };
        let (by, ts, now) = (echo(&claim.by), claim.at.ts, goal.evaluation.sentence());
        let message = format!("its goal was claimed complete by {by} at {ts}, and now: {now}");
        let mut finding = of_node(RuleId::GoalRegressed, node, message);
        let node = shell::word(&goal.facts.node);
        finding.help = format!(
            "yatsu-hook goal check {node}; or take the claim back: yatsu-hook goal rework {node} --reason TEXT"
        );
        found.push(finding);
    }
}
