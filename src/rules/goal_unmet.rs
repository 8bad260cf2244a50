//! `goal-unmet`: a contract with a goal that is not reached yet.

use super::wording::of_node;
use crate::engine::facts::Facts;
use crate::engine::goal::matrix::GoalStatus;
use crate::finding::{Finding, RuleId};
use crate::text::shell;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for goal in &facts.goals {
        // `goal-regressed` reports a claimed goal that no longer holds
        let is_claimed = goal.facts.decisions.completion().is_some();
        // `yatsu-schema` reports a malformed contract
        if goal.evaluation.status.is_fine() || goal.evaluation.status == GoalStatus::Invalid || is_claimed {
            continue;
        }
        let Some(node) = facts.workspace.node(&goal.dir) else { continue };
        let mut finding = of_node(RuleId::GoalUnmet, node, goal.evaluation.sentence());
        finding.help = format!("yatsu-hook goal check {}", shell::word(&goal.facts.node));
        found.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, LEDGER, completed, reading, with_goal};

    #[test]
    fn a_goal_that_is_not_reached_is_told_until_somebody_claims_that_it_is() {
        let case = Case::new().with(FILE, with_goal()).with(LEDGER, reading("pass", 1));
        insta::assert_snapshot!(case.told_of_goals(RuleId::GoalUnmet), @"
        .spec/n/yatsu.md: info[goal-unmet] n: PARTIAL, PIVOT: accuracy: not found
            help: yatsu-hook goal check n
        ");
        assert_eq!(case.with(LEDGER, reading("pass", 1) + &completed()).told_of_goals(RuleId::GoalUnmet), "");
        assert_eq!(Case::new().told_of_goals(RuleId::GoalUnmet), "", "no contract");
    }
}
