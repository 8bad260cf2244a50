//! Goals for people (`human`) and programs. Machine form: `yatsu-hook/goals/v1` (schema/goals.v1.schema.json), one JSON
//! object for every verb.

mod human;
mod lines;
mod markdown;

pub(crate) use human::{write, write_decision};
pub(crate) use markdown::write_goals;

use crate::features::goals::model::rows::{Completion, CriterionRow, DecisionRow, GoalRow, NextStep};
use crate::features::goals::model::trust_gate::TrustGate;
use crate::finding::NodeRef;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/goals/v1")]
struct GoalsJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'a DecisionRow>,
    goals: Vec<GoalJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GoalJson<'a> {
    #[serde(flatten)]
    node: &'a NodeRef,
    contract: Option<&'a str>,
    readings: Option<&'a str>,
    status: &'static str,
    trust_gate: Option<&'a TrustGate>,
    goal_gate: GoalGateJson<'a>,
    action: Option<&'static str>,
    attempt_number: Option<u32>,
    max_attempts: Option<u32>,
    attempts_restarted: bool,
    blockers: &'a [String],
    next: Vec<String>,
    completed: Option<&'a Completion>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GoalGateJson<'a> {
    status: &'static str,
    criteria_results: &'a [CriterionRow],
}

/// The machine form of goals, and of the decision that was just made about one.
pub(crate) fn write_json(rows: &[GoalRow], decision: Option<&DecisionRow>, out: &mut dyn Write) -> io::Result<()> {
    let goals = rows.iter().map(GoalJson::of).collect();
    crate::report::write_json(&GoalsJson { decision, goals }, out)
}

impl<'a> GoalJson<'a> {
    fn of(row: &'a GoalRow) -> Self {
        let gates = row.gates.as_ref();
        let goal_gate = GoalGateJson {
            status: gates.map_or(row.status, |gates| gates.goal),
            criteria_results: gates.map_or(&[], |gates| &gates.criteria),
        };
        Self {
            node: &row.node,
            contract: gates.map(|gates| &*gates.contract),
            readings: gates.map(|gates| &*gates.readings),
            status: row.status,
            trust_gate: gates.map(|gates| &gates.trust),
            goal_gate,
            action: gates.map(|gates| gates.action),
            attempt_number: gates.map(|gates| gates.attempt),
            max_attempts: gates.map(|gates| gates.max_attempts),
            attempts_restarted: gates.is_some_and(|gates| gates.restarted),
            blockers: &row.blockers,
            next: row.next.iter().map(NextStep::sentence).collect(),
            completed: row.completed.as_ref(),
        }
    }
}
