//! `goal-regressed`: a goal was claimed complete and is not any more.

use crate::engine::facts::Facts;
use crate::features::goals::judge::engine::goals_of;
use crate::features::goals::judge::engine::matrix::GoalStatus;
use crate::finding::{Finding, RuleId};
use crate::rules::wording::of_node;
use crate::rules::{Check, Door, Explanation, Rule, plain_rule};
use crate::text::escape::echo;
use crate::text::shell;

pub(crate) const RULE: Rule = plain_rule(
    RuleId::GoalRegressed,
    &Explanation::of(
        "A goal was claimed complete and the claim stands, but the gates no longer hold.",
        "A reached goal is lost in silence when the code changes and no new reading is filed.",
        "Measure again what is stale or failing; `yatsu-hook goal check NODE` names it. If the goal is open again, record it: \
         yatsu-hook goal rework NODE --reason TEXT.",
    ),
    &[Door::State, Door::Commit],
    &[Check::View(check)],
);

fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for goal in goals_of(&facts.parts) {
        let Some(claim) = goal.facts.decisions.completion() else { continue };
        if goal.evaluation.status == GoalStatus::Success {
            continue;
        }
        let Some(node) = facts.workspace.node(&goal.dir) else { continue };
        let (by, ts) = (echo(&claim.by), claim.at.ts);
        let is_gone = goal.evaluation.status == GoalStatus::NoContract;
        let now = if is_gone { "its contract is gone".to_owned() } else { goal.evaluation.sentence() };
        let message = format!("its goal was claimed complete by {by} at {ts}, and now: {now}");
        let mut finding = of_node(RuleId::GoalRegressed, node, message);
        let word = shell::word(&goal.facts.node);
        let first = match is_gone {
            true => format!("put goal_contract back into {}", node.scenario_file(&facts.workspace.nodes)),
            false => format!("yatsu-hook goal check {word}"),
        };
        finding.help = format!("{first}; or take the claim back: yatsu-hook goal rework {word} --reason TEXT");
        found.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use crate::features::goals::rules::tests::{completed, told, with_goal};
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, LEDGER, reading};

    #[test]
    fn a_claim_that_does_not_hold_any_more_is_told() {
        let case = Case::new().with(FILE, with_goal()).with(LEDGER, reading("pass", 1) + &completed());
        insta::assert_snapshot!(told(&case, RuleId::GoalRegressed), @"
        .spec/n/yatsu.md: warning[goal-regressed] n: its goal was claimed complete by Ann at 2026-01-01T00:30:00.000Z, and now: PARTIAL, PIVOT: accuracy: not found
            help: yatsu-hook goal check n; or take the claim back: yatsu-hook goal rework n --reason TEXT
        ");
        assert_eq!(told(&case.with(LEDGER, reading("pass", 1)), RuleId::GoalRegressed), "", "nobody claimed it");
    }

    #[test]
    fn a_claim_whose_contract_is_gone_is_told() {
        let case = Case::new().with(LEDGER, reading("pass", 1) + &completed());
        insta::assert_snapshot!(told(&case, RuleId::GoalRegressed), @"
        .spec/n/yatsu.md: warning[goal-regressed] n: its goal was claimed complete by Ann at 2026-01-01T00:30:00.000Z, and now: its contract is gone
            help: put goal_contract back into .spec/n/yatsu.md; or take the claim back: yatsu-hook goal rework n --reason TEXT
        ");
        assert_eq!(told(&case, RuleId::GoalUnmet), "", "one finding for one fault");
    }
}
