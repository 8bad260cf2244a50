//! Finds what still blocks a scenario: the decisions that it could not be measured, as long as the content that was there
//! stands and nothing newer was measured (docs/evals.md, "Blocked"). They change no state, no score and no gate.

use super::effective::{Effective, FiledEvent};
use super::freshness::Judge;
use super::redaction::Redactions;
use crate::model::ids::same_name;
use crate::model::ledger::{Event, Reading};
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;

/// A scenario that could not be measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocked<'n> {
    /// What was there, as a reading without a verdict.
    pub(crate) attempt: &'n Reading,
    pub(crate) reason: &'n str,
    /// The name of the person who said so; it is not verified.
    pub(crate) by: Option<&'n str>,
}

/// What blocks a scenario now: for each environment the latest decision, if it holds. An answer that cannot be judged here
/// holds nothing up.
pub(crate) fn now<'n>(judge: &Judge<'_>, asked: Declared<'n>, effective: &Effective<'_>) -> Vec<Blocked<'n>> {
    let mut latest: Vec<Blocked<'n>> = Vec::new();
    for one in said(asked.node, asked.scenario) {
        let is_same = |other: &Blocked<'_>| other.attempt.terms.env == one.attempt.terms.env;
        match latest.iter_mut().find(|other| is_same(other)) {
            Some(other) if other.attempt.ts <= one.attempt.ts => *other = one,
            Some(_) => {}
            None => latest.push(one),
        }
    }
    latest.retain(|one| is_open(asked.scenario, one.attempt, effective) && stands(judge, asked, one.attempt));
    latest
}

fn stands(judge: &Judge<'_>, asked: Declared<'_>, attempt: &Reading) -> bool {
    judge.freshness(asked.node, asked.scenario, attempt).is_ok_and(|found| found.is_fresh())
}

/// Whether nothing newer was measured in its environment, which the scenario still has.
fn is_open(scenario: &Scenario, attempt: &Reading, effective: &Effective<'_>) -> bool {
    let env = attempt.terms.env.as_ref();
    let is_asked = env.map_or(scenario.env.is_empty(), |env| scenario.env.contains(env));
    let is_newer = |filed: &&FiledEvent<'_, Reading>| {
        filed.event.ts > attempt.ts && (env.is_none() || filed.event.terms.env.as_ref() == env)
    };
    is_asked && !effective.newest_first(&scenario.name).any(|filed| is_newer(&filed))
}

/// Every decision that this scenario could not be measured, in the order of lines. A redacted line says nothing any more.
fn said<'n>(node: &'n Node, scenario: &Scenario) -> Vec<Blocked<'n>> {
    let lines = || node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    let is_any = lines().any(|line| matches!(&line.event, Event::Decision(decision) if decision.attempt.is_some()));
    if !is_any {
        return Vec::new();
    }
    let redactions = Redactions::of(&node.ledgers);
    let of_line = |line: &'n crate::model::ledger::Line| {
        let Event::Decision(decision) = &line.event else { return None };
        let (attempt, reason) = decision.attempt()?;
        let is_it = same_name(&attempt.scenario, &scenario.name) && !redactions.cover(&line.bytes);
        is_it.then_some(Blocked { attempt, reason, by: decision.by.as_deref() })
    };
    lines().filter_map(of_line).collect()
}
