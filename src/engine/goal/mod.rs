//! Goals: whether the work of a node is enough, as its contract said before the work began. Purpose: both gates of a node,
//! and what follows of them. Input: the contract and the facts of one view, the same for the working tree, the index and a
//! pushed tip; output: an [`Evaluation`]. Pure. What must not be done here: read a tree or a cache, and take what nobody can
//! tell for reached.

pub(crate) mod collect;
pub(crate) mod criteria;
pub(crate) mod decisions;
pub(crate) mod facts;
pub(crate) mod matrix;
pub(crate) mod trust;

#[cfg(test)]
mod tests;

use crate::model::contract::{Contract, Goal};
use crate::model::ledger::EvidenceHash;
use crate::tree::path::RepoPath;
use criteria::{CriterionResult, CriterionStatus, Unmet};
use decisions::{DecidedOn, GoalDecision};
use facts::GoalFacts;
use matrix::{GoalAction, GoalStanding, GoalStatus};
use trust::{TrustDeduction, TrustGate, TrustTerms};

/// How many reasons a sentence has.
const REASONS_SAID: usize = 4;

/// A node with its goal, and what both gates say of it.
#[derive(Clone, Debug)]
pub(crate) struct NodeGoal {
    /// The node's directory.
    pub(crate) dir: RepoPath,
    /// The node's id.
    pub(crate) id: String,
    /// What its scenario file says.
    pub(crate) goal: Goal,
    /// What was judged.
    pub(crate) facts: GoalFacts,
    /// What both gates say.
    pub(crate) evaluation: Evaluation,
}

/// What both gates say of a node.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation {
    /// What both say together.
    pub(crate) status: GoalStatus,
    /// What they said one by one; nothing where there is no usable contract.
    pub(crate) gates: Option<Gates>,
    /// What stands in the way, one sentence each.
    pub(crate) blockers: Vec<String>,
}

/// Both gates of a contract that can be judged.
#[derive(Clone, Debug)]
pub(crate) struct Gates {
    /// Whether the evidence is sound.
    pub(crate) trust: TrustGate,
    /// Whether the criteria are met.
    pub(crate) goal: GoalStanding,
    /// Each criterion, in the order of the contract.
    pub(crate) results: Vec<CriterionResult>,
    /// Whether every criterion that is not met asks for something that no reading ever showed: what was tried may be good
    /// enough, and another approach would spend an attempt.
    pub(crate) is_unprinted: bool,
    /// What follows.
    pub(crate) action: GoalAction,
    /// Which attempt this is, from 1.
    pub(crate) attempt: u32,
    /// So many are allowed.
    pub(crate) max_attempts: u32,
    /// Whether attempts were counted under another content of the contract before.
    pub(crate) restarted: bool,
    /// The contract's content, and the readings that counted.
    pub(crate) on: DecidedOn,
}

impl Evaluation {
    /// Status, action and why, in one line.
    pub(crate) fn sentence(&self) -> String {
        let action = self.gates.as_ref().map(|gates| format!(", {}", gates.action.as_str())).unwrap_or_default();
        let mut why = self.blockers.clone();
        // what only costs points matters where there are too few
        let soft = self.gates.iter().filter(|gates| !gates.trust.passed).flat_map(|gates| &gates.trust.deductions);
        let soft = soft.filter(|one| one.points.is_some());
        why.extend(soft.map(TrustDeduction::sentence));
        let more = why.len().saturating_sub(REASONS_SAID);
        why.truncate(REASONS_SAID);
        let why = why.join("; ") + &if more > 0 { format!("; and {more} more") } else { String::new() };
        format!("{}{action}{}{why}", self.status.as_str(), if why.is_empty() { "" } else { ": " })
    }

    /// What is said where there is no contract.
    fn of_nothing() -> Self {
        Self { status: GoalStatus::NoContract, gates: None, blockers: Vec::new() }
    }

    /// What is said of a contract that cannot be read: it fails.
    fn of_invalid(blockers: Vec<String>) -> Self {
        Self { status: GoalStatus::Invalid, gates: None, blockers }
    }
}

/// What both gates say of a node with this goal.
pub(crate) fn evaluate(goal: &Goal, facts: &GoalFacts, terms: TrustTerms) -> Evaluation {
    match goal {
        Goal::Unset => Evaluation::of_nothing(),
        Goal::Invalid(faults) => Evaluation::of_invalid(invalid(faults.iter().map(|fault| fault.message.clone()))),
        Goal::Set(contract) => judged(contract, facts, terms),
    }
}

fn invalid(faults: impl Iterator<Item = String>) -> Vec<String> {
    let mut said: Vec<String> = faults.collect();
    if said.is_empty() {
        said.push("the scenario file cannot be read, and with it the contract".to_owned());
    }
    said
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

/// Which attempt it is, and whether another may follow.
struct Attempt {
    number: u32,
    /// It is the last one, and it was made: a reading that counts is newer than what began it.
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

/// What the goal gate says.
fn standing(facts: &GoalFacts, results: &[CriterionResult], attempt: &Attempt, is_trusted: bool) -> GoalStanding {
    if facts.decisions.block().is_some() {
        return GoalStanding::Blocked;
    }
    let all = !results.is_empty() && results.iter().all(|result| result.status == CriterionStatus::Met);
    if all && facts.is_measured() {
        return GoalStanding::Met;
    }
    // a last attempt whose evidence is not sound may still be reworked
    if is_trusted && attempt.is_spent { GoalStanding::Blocked } else { GoalStanding::NotMet }
}

impl GoalFacts {
    /// Whether anything that was measured still speaks: nothing is reached by nobody.
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
