//! Turns the engine's result for a goal into printed rows.

use crate::engine::freshness::governed;
use crate::features::goals::judge::engine::criteria::{Actual, CriterionResult, CriterionStatus};
use crate::features::goals::judge::engine::matrix::GoalAction;
use crate::features::goals::judge::engine::{Gates, NodeGoal};
use crate::features::goals::model::rows::{ActualValue, Completion, CriterionRow, GatesRow, GoalRow, NextStep};
use crate::finding::NodeRef;
use crate::model::contract::{Contract, Criterion, CriterionKind};
use crate::model::node::Node;
use crate::text::escape::echo;
use crate::text::first_of;
use crate::text::shell;

/// Most governed files that a step names.
const FILES_NAMED: usize = 5;

pub(crate) fn row(goal: &NodeGoal, node: Option<&Node>) -> GoalRow {
    let contract = goal.goal.contract();
    let evaluation = &goal.evaluation;
    let gates = evaluation.gates.as_ref().zip(contract);
    GoalRow {
        node: NodeRef { dir: goal.dir.to_bstring(), id: goal.id.clone() },
        text: contract.map(|contract| contract.goal_text.clone()),
        status: evaluation.status.as_str(),
        is_fine: evaluation.status.is_fine(),
        next: gates.map(|(gates, _)| next(goal, gates, node)).unwrap_or_default(),
        gates: gates.map(|(gates, contract)| gates_row(gates, contract)),
        blockers: evaluation.blockers.clone(),
        completed: goal
            .facts
            .decisions
            .completion()
            .map(|claim| Completion { by: claim.by.clone(), ts: claim.at.ts.to_string() }),
    }
}

fn gates_row(gates: &Gates, contract: &Contract) -> GatesRow {
    GatesRow {
        contract: gates.on.contract.to_string(),
        readings: gates.on.readings.to_string(),
        trust: gates.trust.clone(),
        goal: gates.goal.as_str(),
        criteria: contract.criteria.iter().zip(&gates.results).map(|(one, result)| criterion(one, result)).collect(),
        action: gates.action.as_str(),
        attempt: gates.attempt,
        max_attempts: gates.max_attempts,
        restarted: gates.restarted,
    }
}

fn criterion(criterion: &Criterion, result: &CriterionResult) -> CriterionRow {
    let (asks, target) = asked(&criterion.kind);
    let value = |actual: &Actual| match actual {
        Actual::Number(number) => ActualValue::Number(number.value),
        Actual::Count(count) => ActualValue::Count(*count),
        Actual::Named(name) => ActualValue::Named(name.clone()),
    };
    CriterionRow {
        id: criterion.id.clone(),
        passed: result.status == CriterionStatus::Met,
        status: result.status.as_str(),
        asks,
        description: criterion.description.clone(),
        actual: result.actual.as_ref().map(value),
        unit: match &result.actual {
            Some(Actual::Number(number)) => number.unit.clone(),
            _ => None,
        },
        target: Some(target),
        gap: result.gap,
        reason: result.reason(),
        scenario: result.reading.as_ref().map(|(scenario, _)| scenario.clone()),
        reading: result.reading.as_ref().map(|(_, at)| at.ts.to_string()),
        is_unverified: result.is_unverified,
    }
}

/// What a criterion asks for, in words and as a value.
fn asked(kind: &CriterionKind) -> (String, ActualValue) {
    match kind {
        CriterionKind::MetricThreshold { metric, op, target, unit } => {
            let of_unit = unit.as_ref().map(|unit| format!(" {unit}")).unwrap_or_default();
            let asks = format!("{metric} {} {target}{of_unit}", op.as_str());
            (asks, ActualValue::Number(*target))
        }
        CriterionKind::MarkerRequired { marker } => (format!("[{marker}]"), ActualValue::Named(marker.to_string())),
        CriterionKind::ArtifactExists { pattern } => {
            (format!("a file {}", pattern.as_str()), ActualValue::Named(pattern.as_str().to_owned()))
        }
        CriterionKind::FindingCount { min_count } => {
            let findings = if *min_count == 1 { "finding" } else { "findings" };
            (format!("{min_count} verified {findings}"), ActualValue::Count(*min_count))
        }
    }
}

fn next(goal: &NodeGoal, gates: &Gates, node: Option<&Node>) -> Vec<NextStep> {
    let argument = shell::word(&goal.facts.node);
    let unprinted = if gates.is_unprinted { print_first(goal, gates) } else { Vec::new() };
    match gates.action {
        GoalAction::Pivot if gates.is_unprinted => unprinted,
        GoalAction::Accept if goal.facts.decisions.completion().is_some() => Vec::new(),
        GoalAction::Accept => vec![step("say so:", Some(format!("yatsu-hook goal complete {argument}")))],
        GoalAction::Pivot => pivot(goal, gates, node),
        GoalAction::Rework => vec![step("better evidence of the same approach: remove the deductions above", None)],
        GoalAction::Escalate => {
            let command = format!("yatsu-hook goal unblock {argument} --reason TEXT");
            let asked = step("ask for a decision; to go on:", Some(command));
            // measuring again with a printed number may be enough, unless the goal was blocked
            let unprinted = unprinted.into_iter().filter(|_| goal.facts.decisions.block().is_none());
            unprinted.chain([asked]).collect()
        }
    }
}

fn step(said: impl Into<String>, command: Option<String>) -> NextStep {
    NextStep { said: said.into(), command }
}

/// Steps for the unmet criteria, if no reading ever showed them: the measurement must print them first, because until
/// then their result is unknown.
fn print_first(goal: &NodeGoal, gates: &Gates) -> Vec<NextStep> {
    let criteria = goal.goal.contract().into_iter().flat_map(|contract| &contract.criteria);
    let unmet = criteria.zip(&gates.results).filter(|(_, result)| result.status != CriterionStatus::Met);
    unmet.map(|(criterion, _)| print_step(goal, criterion)).collect()
}

fn print_step(goal: &NodeGoal, criterion: &Criterion) -> NextStep {
    let print = match &criterion.kind {
        CriterionKind::MetricThreshold { metric, unit, .. } => {
            let unit = unit.as_ref().map(|unit| format!(" {unit}")).unwrap_or_default();
            format!("print [METRIC:{metric}] NUMBER{unit} at the start of a line")
        }
        CriterionKind::MarkerRequired { marker } => format!("print [{marker}] at the start of a line"),
        CriterionKind::ArtifactExists { pattern } => {
            format!("produce {}, and track it or file it with --artifact", echo(pattern.as_str()))
        }
        CriterionKind::FindingCount { .. } => "print each [FINDING] at the start of a line".to_owned(),
    };
    let first = goal.facts.scenarios.first().map(|scenario| scenario.name.as_str());
    let scenario = criterion.scenario.as_deref().or(first).unwrap_or("NAME");
    let (node, scenario) = (shell::word(&goal.facts.node), shell::word(scenario));
    let said = format!("{}: no reading ever showed it; {print}, commit, measure again, and file:", echo(&criterion.id));
    step(said, Some(format!("yatsu-hook eval {node} --scenario {scenario} --pass --result FILE")))
}

/// Steps for a pivot: the missed criteria, the readings that showed them, and the governed files.
fn pivot(goal: &NodeGoal, gates: &Gates, node: Option<&Node>) -> Vec<NextStep> {
    let unmet = gates.results.iter().filter(|result| result.status != CriterionStatus::Met);
    let mut said: Vec<NextStep> = unmet
        .map(|result| {
            let shown = result.reading.as_ref().map(|(scenario, at)| format!(", as {scenario} showed at {}", at.ts));
            let (id, why) = (echo(&result.id), result.reason());
            step(format!("another approach to {id}: {why}{}", shown.unwrap_or_default()), None)
        })
        .collect();
    let files = node.map(files).unwrap_or_default();
    if !files.is_empty() {
        let named = first_of(files.iter().map(|file| echo(file)), FILES_NAMED);
        said.push(step(format!("it is made in {named}"), None));
    }
    let command = format!("yatsu-hook goal pivot {} --reason TEXT", shell::word(&goal.facts.node));
    said.push(step("then:", Some(command)));
    said
}

/// The governed entries of a node's scenarios as written, each once.
fn files(node: &Node) -> Vec<String> {
    let scenarios = node.scenarios().iter();
    let mut found = Vec::new();
    for governed in scenarios.flat_map(|scenario| governed(node, scenario)) {
        let shown = governed.shown();
        if !found.contains(&shown) {
            found.push(shown);
        }
    }
    found
}
