//! `goal-unmet`: a contract with a goal that is not reached yet.

use crate::engine::facts::Facts;
use crate::features::goals::judge::engine::goals_of;
use crate::features::goals::judge::engine::matrix::GoalStatus;
use crate::features::goals::rules::goal_lowered;
use crate::finding::{Finding, RuleId};
use crate::rules::wording::of_node;
use crate::rules::{Check, Door, Explanation, Rule, plain_rule};
use crate::text::shell;

pub(crate) const RULE: Rule = plain_rule(
    RuleId::GoalUnmet,
    &Explanation::of(
        "A node has a goal contract, and its goal is not reached yet.",
        "Unfinished work looks like finished work unless a contract says what would be enough.",
        "Nothing must be done. `yatsu-hook goal check NODE` names the next step: another approach, better evidence, or a decision.",
    ),
    // a score checks goals, also a score of changed nodes; the hook before a commit does not
    &[Door::State, Door::Commit],
    &[Check::View(check), Check::Change(goal_lowered::check)],
);

fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for goal in goals_of(&facts.parts) {
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
    use crate::features::goals::rules::tests::{completed, told, with_goal};
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, LEDGER, reading};

    #[test]
    fn a_goal_that_is_not_reached_is_told_until_somebody_claims_that_it_is() {
        let case = Case::new().with(FILE, with_goal()).with(LEDGER, reading("pass", 1));
        insta::assert_snapshot!(told(&case, RuleId::GoalUnmet), @"
        .spec/n/yatsu.md: info[goal-unmet] n: PARTIAL, PIVOT: accuracy: not found
            help: yatsu-hook goal check n
        ");
        assert_eq!(told(&case.with(LEDGER, reading("pass", 1) + &completed()), RuleId::GoalUnmet), "");
        assert_eq!(told(&Case::new(), RuleId::GoalUnmet), "", "no contract");
    }
}
