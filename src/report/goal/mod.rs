//! Goals for people (`human`) and programs. Machine form: `yatsu-hook/goals/v1` (schema/goals.v1.schema.json), one JSON object
//! for every verb.

mod human;
mod lines;

pub(crate) use human::{write, write_decision};

use super::view::goal::{ActualValue, CriterionRow, DecisionRow, DeductionRow, GatesRow, GoalRow, NextStep};
use crate::text::number::Finite;
use serde::Serialize;
use std::io::{self, Write};

/// The name of the format.
const SCHEMA: &str = "yatsu-hook/goals/v1";

#[derive(Serialize)]
struct GoalsJson<'a> {
    schema: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<DecisionDto<'a>>,
    goals: Vec<GoalDto<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GoalDto<'a> {
    node: String,
    id: &'a str,
    contract: Option<&'a str>,
    readings: Option<&'a str>,
    status: &'static str,
    trust_gate: Option<TrustDto<'a>>,
    goal_gate: GoalGateDto<'a>,
    action: Option<&'static str>,
    attempt_number: Option<u32>,
    max_attempts: Option<u32>,
    attempts_restarted: bool,
    blockers: &'a [String],
    next: Vec<String>,
    completed: Option<CompletedDto<'a>>,
}

#[derive(Serialize)]
struct CompletedDto<'a> {
    by: &'a str,
    ts: &'a str,
}

#[derive(Serialize)]
struct TrustDto<'a> {
    passed: bool,
    score: u32,
    threshold: u32,
    deductions: Vec<DeductionDto<'a>>,
}

#[derive(Serialize)]
struct DeductionDto<'a> {
    reason: &'static str,
    hard: bool,
    points: u32,
    scenario: Option<&'a str>,
    message: &'a str,
    first: Option<&'a str>,
    command: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GoalGateDto<'a> {
    status: &'static str,
    criteria_results: Vec<CriterionDto<'a>>,
}

#[derive(Serialize)]
struct CriterionDto<'a> {
    id: &'a str,
    passed: bool,
    status: &'static str,
    asks: &'a str,
    actual: Option<ValueDto<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a str>,
    target: Option<ValueDto<'a>>,
    gap: Option<Finite>,
    reason: Option<&'a str>,
    scenario: Option<&'a str>,
    reading: Option<&'a str>,
    unverified: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ValueDto<'a> {
    Number(Finite),
    Count(u64),
    Named(&'a str),
}

#[derive(Serialize)]
struct DecisionDto<'a> {
    decision: &'static str,
    outcome: &'static str,
    node: String,
    ledger: &'a str,
    contract: &'a str,
    readings: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    by: &'a str,
    ts: &'a str,
}

/// The machine form of goals, and of the decision that was just made about one.
pub(crate) fn write_json(rows: &[GoalRow], made: Option<&DecisionRow>, out: &mut dyn Write) -> io::Result<()> {
    let goals = rows.iter().map(GoalDto::of).collect();
    let json = GoalsJson { schema: SCHEMA, decision: made.map(DecisionDto::of), goals };
    let json = serde_json::to_string(&json).map_err(io::Error::from)?;
    writeln!(out, "{}", super::inert_json(json))
}

impl<'a> GoalDto<'a> {
    fn of(row: &'a GoalRow) -> Self {
        let gates = row.gates.as_ref();
        let criteria = gates.iter().flat_map(|gates| &gates.criteria).map(CriterionDto::of).collect();
        Self {
            node: row.node.dir.to_string(),
            id: &row.node.id,
            contract: gates.map(|gates| &*gates.contract),
            readings: gates.map(|gates| &*gates.readings),
            status: row.status,
            trust_gate: gates.map(TrustDto::of),
            goal_gate: GoalGateDto { status: gates.map_or(row.status, |gates| gates.goal), criteria_results: criteria },
            action: gates.map(|gates| gates.action),
            attempt_number: gates.map(|gates| gates.attempt),
            max_attempts: gates.map(|gates| gates.max_attempts),
            attempts_restarted: gates.is_some_and(|gates| gates.restarted),
            blockers: &row.blockers,
            next: row.next.iter().map(NextStep::sentence).collect(),
            completed: row.completed.as_ref().map(|[by, ts]| CompletedDto { by, ts }),
        }
    }
}

impl<'a> TrustDto<'a> {
    fn of(gates: &'a GatesRow) -> Self {
        let deductions = gates.deductions.iter().map(DeductionDto::of).collect();
        Self { passed: gates.is_trusted, score: gates.score, threshold: gates.threshold, deductions }
    }
}

impl<'a> DeductionDto<'a> {
    fn of(row: &'a DeductionRow) -> Self {
        Self {
            reason: row.reason,
            hard: row.points.is_none(),
            points: row.points.unwrap_or(0),
            scenario: row.scenario.as_deref(),
            message: &row.what,
            first: row.first.as_deref(),
            command: &row.command,
        }
    }
}

impl<'a> CriterionDto<'a> {
    fn of(row: &'a CriterionRow) -> Self {
        let unit = match &row.actual {
            Some(ActualValue::Number(_, unit)) => unit.as_deref(),
            _ => None,
        };
        Self {
            id: &row.id,
            passed: row.status == "MET",
            status: row.status,
            asks: &row.asks,
            actual: row.actual.as_ref().map(ValueDto::of),
            unit,
            target: row.target.as_ref().map(ValueDto::of),
            gap: row.gap,
            reason: Some(&*row.reason).filter(|reason| !reason.is_empty()),
            scenario: row.scenario.as_deref(),
            reading: row.reading.as_deref(),
            unverified: row.is_unverified,
        }
    }
}

impl<'a> ValueDto<'a> {
    fn of(value: &'a ActualValue) -> Self {
        match value {
            ActualValue::Number(number, _) => Self::Number(*number),
            ActualValue::Count(count) => Self::Count(*count),
            ActualValue::Named(name) => Self::Named(name),
        }
    }
}

impl<'a> DecisionDto<'a> {
    fn of(row: &'a DecisionRow) -> Self {
        Self {
            decision: row.decision,
            outcome: if row.is_new { "recorded" } else { "already-recorded" },
            node: row.node.dir.to_string(),
            ledger: &row.ledger,
            contract: &row.contract,
            readings: &row.readings,
            score: row.score,
            reason: row.reason.as_deref(),
            by: &row.by,
            ts: &row.ts,
        }
    }
}
