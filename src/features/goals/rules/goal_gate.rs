//! `goal-gate`: a goal that is pushed as complete is complete.

use crate::features::goals::judge::engine::collect::decided;
use crate::features::goals::judge::engine::decisions::GoalDecision;
use crate::features::goals::judge::engine::matrix::GoalStatus;
use crate::features::goals::judge::engine::{NodeGoal, goals_of};
use crate::features::goals::judge::goal_demands::GoalDemands;
use crate::features::goals::rules::goal_lowered;
use crate::finding::{Finding, NodeRef, RuleId};
use crate::model::ledger::{Event, GoalDecisionKind};
use crate::rules::wording::of_node;
use crate::rules::{AddedLine, Change, Check, Door, Explanation, Rule, plain_rule};
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::path::RepoPath;

pub(crate) const RULE: Rule = plain_rule(
    RuleId::GoalGate,
    &Explanation::of(
        "A push claims that a node's goal is reached, and the gates do not hold for the pushed content; or its branch requires reached goals.",
        "A claim of completion is only worth something if it can be refused.",
        "`yatsu-hook goal check NODE` names the missing criterion or evidence, and the command that brings it. Take back a claim that was too early: \
         yatsu-hook goal rework NODE --reason TEXT. yatsu.goals says on which branches goals are required (docs/goals.md).",
    ),
    // a commit is a draft, a push is a claim
    &[Door::Commits],
    &[Check::Change(check), Check::Change(goal_lowered::check)],
);

fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    let Some(demands) = change.parts.get::<GoalDemands>() else { return };
    let claims = demands.claims.iter().filter_map(|added| Some((added, completion(added)?)));
    found.extend(claims.filter_map(|(added, claim)| against(change, added, &claim)));
    for dir in &demands.must_hold {
        let said = found.iter().any(|finding| is_about(finding, dir));
        if let Some(goal) = goals_of(&change.parts).iter().find(|goal| goal.dir == *dir && !said)
            && goal.evaluation.status != GoalStatus::Success
        {
            let message =
                format!("a protected branch only takes the node with its goal reached: {}", goal.evaluation.sentence());
            found.extend(of_goal(change, goal, message));
        }
    }
    found.extend(demands.gone.iter().map(of_gone));
    for dir in &demands.without {
        if let Some(node) = change.view.workspace.node(dir) {
            let mut finding = of_node(RuleId::GoalGate, node, "it governs source and has no goal contract".into());
            finding.help = format!(
                "say in {} what would be enough: goal_contract (docs/goals.md)",
                node.scenario_file(&change.view.workspace.nodes)
            );
            finding.key = "without".into();
            found.push(finding);
        }
    }
}

/// The decision about a goal in this line.
fn settled(added: &AddedLine) -> Option<GoalDecision> {
    let Event::Decision(decision) = &added.line.event else { return None };
    decided(decision, &added.ledger, added.line.number)
}

fn completion(added: &AddedLine) -> Option<GoalDecision> {
    settled(added).filter(|decision| decision.kind == GoalDecisionKind::Complete)
}

fn is_about(finding: &Finding, dir: &RepoPath) -> bool {
    finding.rule == RuleId::GoalGate && finding.node.as_ref().is_some_and(|node| *dir.as_bstr() == node.dir)
}

/// The reason why a claim may not be pushed; `None` if the claim holds or was taken back.
fn against(change: &Change<'_>, added: &AddedLine, claim: &GoalDecision) -> Option<Finding> {
    let goal = goals_of(&change.parts).iter().find(|goal| *goal.dir.as_bstr() == added.node.dir);
    let why = match goal {
        // a goal that could not be judged does not pass
        None => "and it could not be judged".to_owned(),
        Some(goal) if !goal.facts.decisions.stands(&claim.at) => return None,
        Some(goal) => objection(goal, claim)?,
    };
    Some(claimed(added, claim, &why))
}

fn claimed(added: &AddedLine, claim: &GoalDecision, why: &str) -> Finding {
    let mut finding =
        added.finding(RuleId::GoalGate, format!("its goal is claimed complete by {}, {why}", echo(&claim.by)));
    finding.help = help(&added.node);
    finding.key = String::from_utf8_lossy(&added.line.bytes).into_owned();
    finding
}

fn objection(goal: &NodeGoal, claim: &GoalDecision) -> Option<String> {
    let Some(gates) = &goal.evaluation.gates else {
        return Some(match goal.evaluation.status {
            GoalStatus::Invalid => "and its contract cannot be read".to_owned(),
            _ => "and there is no contract".to_owned(),
        });
    };
    if gates.on.contract != claim.on.contract {
        return Some("and the contract is another one now".to_owned());
    }
    (goal.evaluation.status != GoalStatus::Success).then(|| format!("and it is {}", goal.evaluation.sentence()))
}

fn help(node: &NodeRef) -> String {
    let node = shell::word(&node.id);
    format!("yatsu-hook goal check {node}; or take the claim back: yatsu-hook goal rework {node} --reason TEXT")
}

fn of_goal(change: &Change<'_>, goal: &NodeGoal, message: String) -> Option<Finding> {
    let mut finding = of_node(RuleId::GoalGate, change.view.workspace.node(&goal.dir)?, message);
    finding.help = format!("yatsu-hook goal check {}", shell::word(&goal.facts.node));
    finding.key = "protected".into();
    Some(finding)
}

fn of_gone(node: &NodeRef) -> Finding {
    let mut finding = Finding::new(RuleId::GoalGate, "it had a goal contract and is gone, so its goal is not reached");
    finding.node = Some(node.clone());
    finding.help = "remove the contract in a change to another branch first, where gate-lowered reports it".into();
    finding.key = "gone".into();
    finding
}

#[cfg(test)]
mod tests {
    use crate::features::goals::rules::tests::{completed, told, with_goal};
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, LEDGER, reading};

    #[test]
    fn a_claim_that_a_push_adds_must_hold() {
        let case = Case::new().with(FILE, with_goal()).with(LEDGER, reading("pass", 1)).committed();
        let claimed = case.with(LEDGER, reading("pass", 1) + &completed());
        insta::assert_snapshot!(told(&claimed, RuleId::GoalGate), @"
        .spec/n/yatsu.evals.ndjson:2:1: error[goal-gate] n: its goal is claimed complete by Ann, and the contract is another one now
            help: yatsu-hook goal check n; or take the claim back: yatsu-hook goal rework n --reason TEXT
        ");
        assert_eq!(told(&claimed.committed(), RuleId::GoalGate), "", "it is there already");
    }
}
