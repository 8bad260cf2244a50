//! Goals for people, one block per node: the criteria with what was found, each lack of evidence with the command that
//! mends it, the action of the decision matrix, and the next steps. Only commands may be wider than a terminal, because
//! they are pasted whole.

use super::lines::{WIDTH, broken, columns, padded, wrapped};
use crate::features::goals::model::rows::{
    ActualValue, Completion, CriterionRow, DecisionRow, GatesRow, GoalRow, NextStep,
};
use crate::features::goals::model::trust_gate::TrustDeduction;
use crate::report::shown;
use crate::report::view::Style;
use crate::text::escape::{clip, terminal};
use crate::text::shell;
use owo_colors::OwoColorize;
use std::io::{self, Write};

/// The indent of the lines below a criterion.
const BELOW: &str = "             ";
/// The ids of criteria have a column of up to this width.
const ID_COLUMN: usize = 16;
/// How much of a text for people is shown, in characters: five lines.
const PROSE: usize = 400;

/// The decision that was made, and the next command.
pub(crate) fn write_decision(row: &DecisionRow, out: &mut dyn Write) -> io::Result<()> {
    let (node, score) = (shown(&row.node.id), row.score.map(|score| format!(" {score}")).unwrap_or_default());
    match row.is_new {
        true => {
            writeln!(out, "recorded {}{score} of {node} at {}", row.decision, row.ts)?;
            writeln!(out, "  git add {}", shell::place(&row.ledger))
        }
        false => writeln!(out, "already recorded {}{score} of {node} at {}; nothing was written", row.decision, row.ts),
    }
}

/// Goals, one block each. An empty list prints nothing.
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
        wrapped(&format!("\"{}\"", prose(text)), ["  ", "   "], out)?;
    }
    match &row.gates {
        Some(gates) => write_gates(gates, style, out)?,
        None => row.blockers.iter().try_for_each(|blocker| wrapped(&terminal(blocker), ["  ", "    "], out))?,
    }
    if let Some(Completion { by, ts }) = &row.completed {
        wrapped(&format!("claimed complete by {} at {ts}", shown(by)), ["  ", "    "], out)?;
    }
    if let Some(gates) = &row.gates {
        writeln!(out, "  next   {}   (trust {}, goal {})", gates.action, trust_word(gates), gates.goal)?;
    }
    row.next.iter().try_for_each(|next| write_next(next, out))
}

fn write_gates(gates: &GatesRow, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  goal   {}", painted(gates.goal, gates.goal == "MET", style))?;
    let widths = gates.criteria.iter().map(|row| columns(&shown(&row.id))).filter(|width| *width <= ID_COLUMN);
    let width = widths.max().unwrap_or(0);
    gates.criteria.iter().try_for_each(|row| write_criterion(row, width, style, out))?;
    let word = painted(trust_word(gates), gates.trust.passed, style);
    writeln!(out, "  trust  {word} {} of 100 ({} is enough)", gates.trust.score, gates.trust.threshold)?;
    gates.trust.deductions.iter().try_for_each(|row| write_deduction(row, out))
}

fn trust_word(gates: &GatesRow) -> &'static str {
    if gates.trust.passed { "PASS" } else { "FAIL" }
}

/// A sentence, and its command on a line of its own.
fn write_next(next: &NextStep, out: &mut dyn Write) -> io::Result<()> {
    wrapped(&terminal(&next.said), ["    ", "    "], out)?;
    next.command.as_ref().map_or(Ok(()), |command| writeln!(out, "      {}", terminal(command)))
}

fn write_criterion(row: &CriterionRow, width: usize, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mark = painted(&format!("{:8}", row.status), row.status == "MET", style);
    let asks = format!("{}  {}", padded(&shown(&row.id), width), shown(&row.asks));
    for (index, line) in broken(&asks, WIDTH - BELOW.len()).iter().enumerate() {
        match index {
            0 => writeln!(out, "    {mark} {line}")?,
            _ => writeln!(out, "{BELOW}{line}")?,
        }
    }
    if let Some(text) = &row.description {
        wrapped(&prose(text), [BELOW, BELOW], out)?;
    }
    let found = found(row);
    if found.is_empty() { Ok(()) } else { wrapped(&found, [BELOW, BELOW], out) }
}

/// What was found for a criterion, why that is not enough, and the reading it comes from.
fn found(row: &CriterionRow) -> String {
    let mut said: Vec<String> = row.actual.iter().map(|actual| value(actual, row.unit.as_deref())).collect();
    said.extend(Some(terminal(&row.reason).into_owned()).filter(|reason| !reason.is_empty()));
    said.extend(row.is_unverified.then(|| "unverified: its bytes are not here".to_owned()));
    let place = row.scenario.as_ref().zip(row.reading.as_ref());
    let place = place.map(|(scenario, ts)| format!(" ({} of {ts})", shown(scenario)));
    said.join(", ") + &place.unwrap_or_default()
}

fn write_deduction(row: &TrustDeduction, out: &mut dyn Write) -> io::Result<()> {
    let points = row.points.map_or_else(|| "hard".to_owned(), |points| format!("-{points}"));
    let scenario = row.scenario.as_ref().map(|name| format!("{}: ", shown(name))).unwrap_or_default();
    wrapped(&format!("{points:>4}  {scenario}{}", terminal(&row.what)), ["    ", "          "], out)?;
    if let Some(first) = &row.first {
        wrapped(&terminal(first), ["          ", "          "], out)?;
    }
    // a command that is broken in two cannot be pasted
    writeln!(out, "          {}", terminal(&row.command))
}

fn value(value: &ActualValue, unit: Option<&str>) -> String {
    match value {
        ActualValue::Number(number) => unit.map_or(number.to_string(), |unit| format!("{number} {}", shown(unit))),
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

/// Text that a person wrote for readers, for example a description; clipped to [`PROSE`].
fn prose(text: &str) -> String {
    terminal(&*clip(text, PROSE)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::goals::model::trust_gate::{Deduction, TrustGate};
    use crate::finding::NodeRef;
    use crate::report::view::RuleText;
    use crate::text::number::Finite;

    fn finite(number: f64) -> Finite {
        Finite::new(number).expect("a finite number")
    }

    fn criterion(id: &str, status: &'static str, reason: &str) -> CriterionRow {
        CriterionRow {
            id: id.into(),
            passed: status == "MET",
            status,
            asks: "accuracy >= 0.9".into(),
            description: None,
            actual: Some(ActualValue::Number(finite(0.85))),
            unit: None,
            target: Some(ActualValue::Number(finite(0.9))),
            gap: None,
            reason: reason.into(),
            scenario: Some("learns".into()),
            reading: Some("2026-01-01T00:00:00.000Z".into()),
            is_unverified: false,
        }
    }

    fn row() -> GoalRow {
        let deduction = TrustDeduction {
            kind: Deduction::NoInterpretation,
            points: Some(15),
            scenario: None,
            what: "nothing says what the model does".into(),
            first: Some("print for example [METRIC:feature_importance], where it is measured".into()),
            command: "yatsu-hook eval classifier/learns --pass --result FILE".into(),
        };
        let gates = GatesRow {
            contract: "c".repeat(64),
            readings: "d".repeat(64),
            trust: TrustGate { passed: true, score: 85, threshold: 80, deductions: vec![deduction] },
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
            next: vec![NextStep {
                said: "another approach to AC1: below target by 0.05; then:".into(),
                command: Some("yatsu-hook goal pivot classifier --reason TEXT".into()),
            }],
            completed: None,
        }
    }

    fn style(color: bool) -> Style {
        Style {
            color,
            verbose: false,
            quiet: false,
            ascii: false,
            width: None,
            describe: |_| RuleText { summary: "", why: "", mend: "" },
        }
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
                  print for example [METRIC:feature_importance], where it is measured
                  yatsu-hook eval classifier/learns --pass --result FILE
          next   PIVOT   (trust PASS, goal NOT_MET)
            another approach to AC1: below target by 0.05; then:
              yatsu-hook goal pivot classifier --reason TEXT
        "#);
    }

    #[test]
    fn nothing_but_a_command_is_wider_than_a_terminal() {
        let mut long = row();
        long.text = Some("petal ".repeat(60));
        long.next[0].said = "\u{82b1}\u{3092} ".repeat(30);
        let gates = long.gates.as_mut().expect("gates");
        gates.criteria[0].asks = "an_uncommonly_long_name_of_a_metric_that_somebody_gave >= 0.9".into();
        gates.trust.deductions[0].what = "some words about it ".repeat(8);
        gates.criteria[1].description = Some("\u{82b1}".repeat(300));
        gates.criteria[1].id = "\u{82b1}".repeat(10);
        let shown = text(&[long], false);
        for line in shown.lines().filter(|line| !line.contains("yatsu-hook ")) {
            assert!(columns(line) <= WIDTH, "{line}");
        }
        assert_eq!(shown.matches("petal").count(), 60, "what is there to be read is shown whole: {shown}");
        assert!(shown.lines().filter(|line| line.trim_start().starts_with('\u{82b1}')).count() > 8, "{shown}");
    }

    #[test]
    fn colours_are_asked_for_and_nothing_from_a_repository_is_one() {
        assert!(!text(&[row()], false).contains('\u{1b}') && text(&[row()], true).contains("\u{1b}["));
        let mut hostile = row();
        hostile.text = Some("\u{1b}[31mred".into());
        hostile.gates.as_mut().expect("gates").criteria[0].id = "\u{1b}]0;x\u{7}".into();
        assert!(!text(&[hostile], false).contains('\u{1b}'));
    }

    #[test]
    fn a_name_that_looks_like_a_command_is_not_shown_as_one() {
        let mut hostile = row();
        hostile.next[0].said = "another approach to yatsu-hook clean: not found; then:".into();
        let shown = text(&[hostile], false);
        let commands: Vec<&str> = shown.lines().filter(|line| line.trim_start().starts_with("yatsu-hook")).collect();
        assert_eq!(commands.len(), 2, "{commands:?}");
    }
}
