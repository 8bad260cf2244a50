//! Goals for people and programs. Machine form: `yatsu-hook/goals/v1` (schema/goals.v1.schema.json), one JSON object for every
//! verb. For people one block a node: what is asked and what was found, what evidence lacks and the command that mends it,
//! what follows. No line is wider than a terminal but for commands, which are pasted whole.

use super::view::Style;
use super::view::goal::{ActualValue, CriterionRow, DecisionRow, DeductionRow, GatesRow, GoalRow};
use crate::text::escape::{echo, terminal};
use crate::text::number::Finite;
use owo_colors::OwoColorize;
use serde::Serialize;
use std::io::{self, Write};

/// The name of the format.
const SCHEMA: &str = "yatsu-hook/goals/v1";
/// How wide text may be.
const WIDTH: usize = 80;
/// What stands before what is said of a criterion.
const BELOW: &str = "             ";

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
    next: &'a [String],
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

/// The machine form of goals, and of the decision that was made about one.
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
            next: &row.next,
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

/// What was decided, in one line.
pub(crate) fn write_decision(row: &DecisionRow, out: &mut dyn Write) -> io::Result<()> {
    let (node, score) = (shown(&row.node.id), row.score.map(|score| format!(" {score}")).unwrap_or_default());
    match row.is_new {
        true => {
            writeln!(out, "recorded {}{score} of {node} at {}; git add {}", row.decision, row.ts, shown(&row.ledger))
        }
        false => writeln!(out, "already recorded {}{score} of {node} at {}; nothing was written", row.decision, row.ts),
    }
}

/// Goals, one block each. Nothing at all for none.
pub(crate) fn write(rows: &[GoalRow], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write_goal(row, style, out)?;
    }
    Ok(())
}

fn write_goal(row: &GoalRow, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let attempt = row.gates.as_ref().map(|gates| {
        let anew = if gates.restarted { ", begun anew" } else { "" };
        format!("   attempt {} of {}{anew}", gates.attempt, gates.max_attempts)
    });
    let status = painted(row.status, row.is_fine, style);
    writeln!(out, "{}   {status}{}", shown(&row.node.id), attempt.unwrap_or_default())?;
    if let Some(text) = &row.text {
        wrapped(&format!("\"{}\"", shown(text)), ["  ", "   "], out)?;
    }
    if let Some(gates) = &row.gates {
        writeln!(out, "  goal   {}", painted(gates.goal, gates.goal == "MET", style))?;
        gates.criteria.iter().try_for_each(|row| write_criterion(row, style, out))?;
        let word = if gates.is_trusted { "PASS" } else { "FAIL" };
        let word = painted(word, gates.is_trusted, style);
        writeln!(out, "  trust  {word} {} of 100 ({} is enough)", gates.score, gates.threshold)?;
        gates.deductions.iter().try_for_each(|row| write_deduction(row, out))?;
    } else {
        row.blockers.iter().try_for_each(|blocker| wrapped(&terminal(blocker), ["  ", "    "], out))?;
    }
    if let Some([by, ts]) = &row.completed {
        wrapped(&format!("claimed complete by {} at {ts}", shown(by)), ["  ", "    "], out)?;
    }
    if let Some(gates) = &row.gates {
        writeln!(out, "  next   {}", gates.action)?;
    }
    row.next.iter().try_for_each(|next| write_next(next, out))
}

/// A sentence, and the command at its end on a line of its own.
fn write_next(next: &str, out: &mut dyn Write) -> io::Result<()> {
    let (said, command) = next.find("yatsu-hook ").map_or((next, None), |at| (&next[..at], Some(&next[at..])));
    if !said.trim().is_empty() {
        wrapped(terminal(said).trim_end(), ["    ", "    "], out)?;
    }
    command.map_or(Ok(()), |command| writeln!(out, "      {}", terminal(command)))
}

fn write_criterion(row: &CriterionRow, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mark = painted(&format!("{:8}", row.status), row.status == "MET", style);
    for (index, line) in broken(&format!("{}  {}", shown(&row.id), shown(&row.asks)), WIDTH - 13).iter().enumerate() {
        match index {
            0 => writeln!(out, "    {mark} {line}")?,
            _ => writeln!(out, "{BELOW}{line}")?,
        }
    }
    if let Some(text) = &row.description {
        wrapped(&shown(text), [BELOW, BELOW], out)?;
    }
    let found = found(row);
    if found.is_empty() { Ok(()) } else { wrapped(&found, [BELOW, BELOW], out) }
}

/// What was found for a criterion, why it is not enough, and where.
fn found(row: &CriterionRow) -> String {
    let mut said: Vec<String> = row.actual.iter().map(value).collect();
    said.extend(Some(terminal(&row.reason).into_owned()).filter(|reason| !reason.is_empty()));
    said.extend(row.is_unverified.then(|| "unverified: its bytes are not here".to_owned()));
    let place = row.scenario.as_ref().zip(row.reading.as_ref());
    let place = place.map(|(scenario, ts)| format!(" ({} of {ts})", shown(scenario)));
    said.join(", ") + &place.unwrap_or_default()
}

fn write_deduction(row: &DeductionRow, out: &mut dyn Write) -> io::Result<()> {
    let points = row.points.map_or("hard".to_owned(), |points| format!("-{points}"));
    let scenario = row.scenario.as_ref().map(|name| format!("{}: ", shown(name))).unwrap_or_default();
    wrapped(&format!("{points:>4}  {scenario}{}", terminal(&row.what)), ["    ", "          "], out)?;
    if let Some(first) = &row.first {
        wrapped(&terminal(first), ["          ", "          "], out)?;
    }
    // a command that is broken in two cannot be pasted
    writeln!(out, "          {}", terminal(&row.command))
}

fn value(value: &ActualValue) -> String {
    match value {
        ActualValue::Number(number, None) => number.to_string(),
        ActualValue::Number(number, Some(unit)) => format!("{number} {}", shown(unit)),
        ActualValue::Count(count) => count.to_string(),
        ActualValue::Named(name) => shown(name),
    }
}

fn painted(text: &str, is_good: bool, style: &Style) -> String {
    match (style.color, is_good) {
        (false, _) => text.to_owned(),
        (true, true) => text.green().bold().to_string(),
        (true, false) => text.red().bold().to_string(),
    }
}

fn shown(text: &str) -> String {
    terminal(&*echo(text)).into_owned()
}

/// Writes `text` in lines of at most [`WIDTH`], the first one and the others behind these blanks.
fn wrapped(text: &str, [first, rest]: [&str; 2], out: &mut dyn Write) -> io::Result<()> {
    for (index, line) in broken(text, WIDTH - rest.len().max(first.len())).iter().enumerate() {
        writeln!(out, "{}{line}", if index == 0 { first } else { rest })?;
    }
    Ok(())
}

/// `text` in lines of at most `width` characters, broken at blanks; a word that is longer has a line of its own.
fn broken(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if last == 0 => line.push_str(word),
            Some(line) if last + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::NodeRef;
    use crate::report::view::RuleText;

    fn finite(number: f64) -> Finite {
        Finite::new(number).expect("a finite number")
    }

    fn criterion(id: &str, status: &'static str, reason: &str) -> CriterionRow {
        CriterionRow {
            id: id.into(),
            asks: "accuracy >= 0.9".into(),
            description: None,
            status,
            actual: Some(ActualValue::Number(finite(0.85), None)),
            target: Some(ActualValue::Number(finite(0.9), None)),
            gap: None,
            reason: reason.into(),
            scenario: Some("learns".into()),
            reading: Some("2026-01-01T00:00:00.000Z".into()),
            is_unverified: false,
        }
    }

    fn row() -> GoalRow {
        let deduction = DeductionRow {
            reason: "no-interpretation",
            points: Some(15),
            scenario: None,
            what: "nothing says what the model does".into(),
            first: Some("print [METRIC:feature_importance] say, where it is measured".into()),
            command: "yatsu-hook eval classifier --scenario learns --pass --result FILE".into(),
        };
        let gates = GatesRow {
            contract: "c".repeat(64),
            readings: "d".repeat(64),
            is_trusted: true,
            score: 85,
            threshold: 80,
            deductions: vec![deduction],
            goal: "NOT_MET",
            criteria: vec![criterion("AC1", "NOT_MET", "below target by 0.05"), criterion("AC2", "MET", "")],
            action: "PIVOT",
            attempt: 1,
            max_attempts: 3,
            restarted: false,
        };
        GoalRow {
            node: NodeRef { dir: ".spec/classifier".into(), id: "classifier".into() },
            text: Some("Tell flowers apart, nine times of ten".into()),
            status: "PARTIAL",
            is_fine: false,
            gates: Some(gates),
            blockers: vec!["AC1: below target by 0.05".into()],
            next: vec!["try another approach in src/model.py: AC1 is below target by 0.05".into()],
            completed: None,
        }
    }

    fn style(color: bool) -> Style {
        Style { color, verbose: false, describe: |_| RuleText { summary: "", why: "", mend: "" } }
    }

    fn text(rows: &[GoalRow], color: bool) -> String {
        let mut out = Vec::new();
        write(rows, &style(color), &mut out).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_block_says_what_is_asked_what_was_found_what_is_missing_and_what_follows() {
        insta::assert_snapshot!(text(&[row()], false), @r#"
        classifier   PARTIAL   attempt 1 of 3
          "Tell flowers apart, nine times of ten"
          goal   NOT_MET
            NOT_MET  AC1  accuracy >= 0.9
                     0.85, below target by 0.05 (learns of 2026-01-01T00:00:00.000Z)
            MET      AC2  accuracy >= 0.9
                     0.85 (learns of 2026-01-01T00:00:00.000Z)
          trust  PASS 85 of 100 (80 is enough)
            -15  nothing says what the model does
                  print [METRIC:feature_importance] say, where it is measured
                  yatsu-hook eval classifier --scenario learns --pass --result FILE
          next   PIVOT
            try another approach in src/model.py: AC1 is below target by 0.05
        "#);
    }

    #[test]
    fn nothing_but_a_command_is_wider_than_a_terminal() {
        let mut long = row();
        long.text = Some("word ".repeat(16));
        let gates = long.gates.as_mut().expect("gates");
        gates.criteria[0].asks = "an_uncommonly_long_name_of_a_metric_that_somebody_gave >= 0.9".into();
        gates.deductions[0].what = "some words about it ".repeat(8);
        for line in text(&[long], false).lines().filter(|line| !line.contains("yatsu-hook ")) {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
    }

    #[test]
    fn colours_are_asked_for_and_nothing_from_a_repository_is_one() {
        assert!(!text(&[row()], false).contains('\u{1b}') && text(&[row()], true).contains("\u{1b}["));
        let mut hostile = row();
        hostile.text = Some("\u{1b}[31mred".into());
        hostile.gates.as_mut().expect("gates").criteria[0].id = "\u{1b}]0;x\u{7}".into();
        assert!(!text(&[hostile], false).contains('\u{1b}'));
    }
}
