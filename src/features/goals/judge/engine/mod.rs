//! Goals: decides whether the work of a node is enough, by the contract written before the work began. Purpose: both gates
//! of a node, and the next action. Input: the contract and the facts of one view, the same for the working tree, the index
//! and a pushed tip. Output: an [`Evaluation`]. Pure. This module must not read a tree or a cache, and must not count a
//! criterion as met if it cannot be judged.

pub(crate) mod collect;
pub(crate) mod criteria;
pub(crate) mod decisions;
pub(crate) mod facts;
pub(crate) mod matrix;
pub(crate) mod trust;

#[cfg(test)]
mod tests;

use crate::features::goals::model::trust_gate::{TrustDeduction, TrustGate};
use crate::model::contract::{Contract, Goal};
use crate::model::ledger::EvidenceHash;
use crate::model::parts::Parts;
use crate::model::source::Fault;
use crate::tree::path::RepoPath;
use criteria::{CriterionResult, CriterionStatus, Unmet};
use decisions::{DecidedOn, GoalDecision};
use facts::GoalFacts;
use matrix::{GoalAction, GoalStanding, GoalStatus};
use trust::TrustTerms;

/// The number of reasons in a sentence.
const REASONS_SAID: usize = 4;

/// The goals of a state, if a score asks for them, or the goals to judge in a change.
#[derive(PartialEq)]
pub(crate) struct AllGoals(pub(crate) Vec<NodeGoal>);

/// The goals that were judged in a state or a change.
pub(crate) fn goals_of(parts: &Parts) -> &[NodeGoal] {
    parts.get::<AllGoals>().map_or(&[], |all| &all.0)
}

/// A node with its goal and the result of both gates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodeGoal {
    pub(crate) dir: RepoPath,
    pub(crate) id: String,
    pub(crate) goal: Goal,
    pub(crate) facts: GoalFacts,
    /// The result of both gates.
    pub(crate) evaluation: Evaluation,
}

/// The result of both gates for a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Evaluation {
    pub(crate) status: GoalStatus,
    /// The results of each gate; `None` without a usable contract.
    pub(crate) gates: Option<Gates>,
    /// The obstacles, one sentence each.
    pub(crate) blockers: Vec<String>,
}

/// The results of both gates for a valid contract.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gates {
    /// The trust gate: whether the evidence is sound.
    pub(crate) trust: TrustGate,
    /// The goal gate: whether the criteria are met.
    pub(crate) goal: GoalStanding,
    /// Each criterion, in the order of the contract.
    pub(crate) results: Vec<CriterionResult>,
    /// Whether no reading ever showed a value for any unmet criterion. Then the work may be good enough, and another
    /// approach would waste an attempt.
    pub(crate) is_unprinted: bool,
    pub(crate) action: GoalAction,
    /// The number of the current attempt, from 1.
    pub(crate) attempt: u32,
    pub(crate) max_attempts: u32,
    /// Whether there were attempts at an earlier content of the contract.
    pub(crate) restarted: bool,
    /// The contract and the readings that were judged.
    pub(crate) on: DecidedOn,
}

impl Evaluation {
    /// Status, action and reasons, in one line.
    pub(crate) fn sentence(&self) -> String {
        let action = self.gates.as_ref().map(|gates| format!(", {}", gates.action.as_str())).unwrap_or_default();
        let mut why = self.blockers.clone();
        // soft deductions matter only if the score is too low
        let soft = self.gates.iter().filter(|gates| !gates.trust.passed).flat_map(|gates| &gates.trust.deductions);
        let soft = soft.filter(|one| one.points.is_some());
        why.extend(soft.map(TrustDeduction::sentence));
        let more = why.len().saturating_sub(REASONS_SAID);
        why.truncate(REASONS_SAID);
        let why = why.join("; ") + &if more > 0 { format!("; and {more} more") } else { String::new() };
        format!("{}{action}{}{why}", self.status.as_str(), if why.is_empty() { "" } else { ": " })
    }
}

pub(crate) fn evaluate(goal: &Goal, facts: &GoalFacts, terms: TrustTerms) -> Evaluation {
    match goal {
        Goal::Unset => Evaluation { status: GoalStatus::NoContract, gates: None, blockers: Vec::new() },
        // a contract that cannot be read fails
        Goal::Invalid(faults) => Evaluation { status: GoalStatus::Invalid, gates: None, blockers: invalid(faults) },
        Goal::Set(contract) => judged(contract, facts, terms),
    }
}

fn invalid(faults: &[Fault]) -> Vec<String> {
    match faults {
        [] => vec!["the scenario file cannot be read, and with it the contract".to_owned()],
        faults => faults.iter().map(|fault| fault.message.clone()).collect(),
    }
}

fn judged(contract: &Contract, facts: &GoalFacts, terms: TrustTerms) -> Evaluation {
    let results: Vec<CriterionResult> =
        contract.criteria.iter().map(|criterion| criteria::judge(criterion, facts)).collect();
    let on = DecidedOn { contract: contract.content_hash(), readings: facts.readings };
    let trust = trust::judge(facts, contract, &results, terms, &on);
    let attempt = Attempt::of(contract, facts, &on.contract);
    let goal = standing(facts, &results, &attempt, trust.passed);
    let row = matrix::decide(trust.passed, goal);
    let blockers = blockers(facts, contract, &results, &trust, goal);
    let gates = Gates {
        trust,
        goal,
        is_unprinted: is_unprinted(facts, &results),
        results,
        action: row.action,
        attempt: attempt.number,
        max_attempts: contract.max_goal_attempts,
        restarted: facts.decisions.restarted(&on.contract),
        on,
    };
    Evaluation { status: row.status, gates: Some(gates), blockers }
}

fn is_unprinted(facts: &GoalFacts, results: &[CriterionResult]) -> bool {
    let never = |result: &CriterionResult| {
        result.why.as_ref().is_some_and(Unmet::is_unprinted) && !facts.shown.contains(&result.id)
    };
    let mut unmet = results.iter().filter(|result| result.status != CriterionStatus::Met).peekable();
    unmet.peek().is_some() && unmet.all(never)
}

/// The current attempt, and whether another may follow.
struct Attempt {
    number: u32,
    /// Whether it is the last attempt and was made: a reading that counts is newer than the decision that began it.
    is_spent: bool,
}

impl Attempt {
    fn of(contract: &Contract, facts: &GoalFacts, content: &EvidenceHash) -> Self {
        let attempt = facts.decisions.attempt(content);
        let newer = |since: &crate::engine::budget::FiledAt| {
            let mut readings = facts.scenarios.iter().filter_map(|scenario| scenario.reading.as_ref());
            readings.any(|reading| reading.is_fresh() && reading.at > *since)
        };
        let was_made = attempt.since.as_ref().map_or_else(|| facts.is_measured(), newer);
        Self { number: attempt.number, is_spent: attempt.number >= contract.max_goal_attempts && was_made }
    }
}

fn standing(facts: &GoalFacts, results: &[CriterionResult], attempt: &Attempt, is_trusted: bool) -> GoalStanding {
    if facts.decisions.block().is_some() {
        return GoalStanding::Blocked;
    }
    let all = !results.is_empty() && results.iter().all(|result| result.status == CriterionStatus::Met);
    if all && facts.is_measured() {
        return GoalStanding::Met;
    }
    // a last attempt with unsound evidence may still be reworked
    if is_trusted && attempt.is_spent { GoalStanding::Blocked } else { GoalStanding::NotMet }
}

impl GoalFacts {
    /// Whether any reading is fresh: without one the goal is not reached.
    fn is_measured(&self) -> bool {
        self.scenarios.iter().filter_map(|scenario| scenario.reading.as_ref()).any(facts::GoalReading::is_fresh)
    }
}

fn blockers(
    facts: &GoalFacts,
    contract: &Contract,
    results: &[CriterionResult],
    trust: &TrustGate,
    goal: GoalStanding,
) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(GoalDecision { by, reason, .. }) = facts.decisions.block() {
        said.push(format!("blocked by {by}: {}", reason.as_deref().unwrap_or_default()));
    } else if goal == GoalStanding::Blocked {
        said.push(format!("no attempt is left: {} were made", contract.max_goal_attempts));
    }
    if !facts.is_measured() {
        said.push("no reading speaks for this content".to_owned());
    }
    let unmet = results.iter().filter(|result| result.status != CriterionStatus::Met);
    said.extend(unmet.map(|result| format!("{}: {}", result.id, result.reason())));
    said.extend(trust.deductions.iter().filter(|one| one.points.is_none()).map(|one| one.what.clone()));
    said
}
