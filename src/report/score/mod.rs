//! The score for people and programs: `ls`, `show`, `impact`. Formats the results of `app::query`.
//!
//! Machine forms: `yatsu-hook/score/v1` (`ls`, `impact`) and `yatsu-hook/timeline/v1` (`show`), one JSON object each,
//! published as schema/score.v1.schema.json and schema/timeline.v1.schema.json; `yatsu-hook/unowned/v1` (`ls --unowned`).

mod table;

use super::human::moved_words;
use super::receipt::amount;
use super::view::Style;
use super::view::measures::MeasuresRow;
use super::view::score::{EnvironmentRow, EvidenceRow, GovernedPart, ReadingRow, RedactedRow, ScenarioRow};
use super::view::tally::{GovernedSources, ScoreTally};
use super::view::terms::{HowRow, PolicyRow, SignerRow, TermsRow};
use super::view::verdict::ShownVerdict;
use crate::finding::{Axis, NodeRef};
use crate::text::escape::terminal;
use crate::text::markers::FindingCounts;
use crate::text::number::Finite;
use crate::text::plural;
use serde::Serialize;
use std::io::{self, Write};

/// The name of the machine form of `ls` and `impact`. If the meaning of any key changes, the name changes.
const SCORE: &str = "yatsu-hook/score/v1";
/// The name of the machine form of `ls --unowned`.
const UNOWNED: &str = "yatsu-hook/unowned/v1";
/// The name of the machine form of `show`.
const TIMELINE: &str = "yatsu-hook/timeline/v1";

/// `ls`: a table, or with `-v` one long line per scenario; then the score of the listed scenarios. `now` is in milliseconds.
pub(crate) fn write_score(
    rows: &[ScenarioRow],
    governed: Option<GovernedSources>,
    now: i64,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match style.verbose {
        true => write_list(rows, style, out)?,
        false => table::write(rows, now, style, out)?,
    }
    write_tally(rows, governed, style, out)
}

/// `ls --unowned`: the paths, then how many files are governed.
pub(crate) fn write_unowned(paths: &[String], governed: GovernedSources, out: &mut dyn Write) -> io::Result<()> {
    paths.iter().try_for_each(|path| writeln!(out, "{path}"))?;
    writeln!(out, "{governed}")
}

/// The score of `rows` in one line. Without rows it prints nothing.
pub(crate) fn write_tally(
    rows: &[ScenarioRow],
    governed: Option<GovernedSources>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tally = ScoreTally { governed, ..rows.iter().collect() };
    match tally.line() {
        Some(score) if !style.quiet => writeln!(out, "{}", style.in_its_characters(&score)),
        _ => Ok(()),
    }
}

/// `impact`, and `ls -v`: one line per scenario with the details of its latest reading; with `-v` also the measures. An
/// empty list prints nothing.
pub(crate) fn write_list(rows: &[ScenarioRow], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let width = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0);
    for row in rows {
        let verdict = row.verdict().map_or("-", ShownVerdict::as_str);
        let state = table::painted_state(&row.state, style, &format!("{:<10}", row.state.as_str()));
        let verdict = table::painted_verdict(row, style, &format!("{verdict:<6}"));
        let gap = " ".repeat(width - name(row).chars().count());
        write!(out, "{state} {verdict} {}{gap}  {}", name(row), tags(row))?;
        for detail in details(row) {
            write!(out, "  {detail}")?;
        }
        writeln!(out)?;
        for line in row.counting().into_iter().filter(|_| style.verbose).flat_map(|reading| measures(&reading.measures))
        {
            writeln!(out, "      {line}")?;
        }
    }
    Ok(())
}

fn details(row: &ScenarioRow) -> Vec<String> {
    let mut details = Vec::new();
    if !row.state.axes().is_empty() {
        details.push(format!("on {}", listed(row.state.axes())));
    }
    if let Some(reason) = row.state.reason() {
        details.push(terminal(reason).into_owned());
    }
    if let Some(reading) = row.counting() {
        details.push(format!("{} @ {}{}", reading.ts, short(reading), reading.terms.grade_word()));
        details.extend(over(reading).map(|over| format!("filed as {}, {over}", reading.verdict.as_str())));
    }
    details.extend(row.answers().iter().map(|answer| terminal(answer).into_owned()));
    let because: Vec<_> = row.because.iter().map(part).collect();
    if !because.is_empty() {
        details.push(format!("governs {}", because.join(", ")));
    }
    details
}

/// A path, with its unit as a selector names it, for example `src/a.rs#parse`.
fn part(part: &GovernedPart) -> String {
    let path = terminal(&part.path);
    part.symbol.as_ref().map_or(path.to_string(), |symbol| format!("{path}#{}", terminal(symbol)))
}

fn listed(axes: &[Axis]) -> String {
    axes.iter().map(|axis| axis.as_str()).collect::<Vec<_>>().join(", ")
}

/// `show`: every scenario of `node` with its timeline, newest reading first.
pub(crate) fn write_timeline(
    node: &NodeRef,
    rows: &[ScenarioRow],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if rows.is_empty() {
        return writeln!(out, "{}  declares no scenario", terminal(&node.id));
    }
    for (number, row) in rows.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        let state = table::painted_state(&row.state, style, row.state.as_str());
        writeln!(out, "{}  {state}  {}", name(row), tags(row))?;
        let expected = row.expected.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(out, "  expected: {}", terminal(&expected))?;
        if let Some(lack) = row.trust.as_ref().and_then(PolicyRow::lack) {
            writeln!(out, "  trust: {}", terminal(&lack))?;
        }
        for answer in row.environments.iter().filter_map(EnvironmentRow::phrase) {
            writeln!(out, "  {}", terminal(&answer))?;
        }
        for blocked in &row.blocked {
            let by = blocked.by.as_ref().map_or(String::new(), |by| format!(" by {}", terminal(by)));
            writeln!(out, "  {}  ({}{by})", terminal(&blocked.phrase()), blocked.ts)?;
        }
        let mut gone = row.redacted.iter().peekable();
        for reading in &row.readings {
            while let Some(redacted) = gone.next_if(|redacted| redacted.ts > reading.ts) {
                write_redacted(redacted, out)?;
            }
            write_reading(reading, row.readings.len() > 1, style, out)?;
        }
        gone.try_for_each(|redacted| write_redacted(redacted, out))?;
    }
    Ok(())
}

/// The state of a reading, and why. A withdrawn reading is shown as retracted.
fn standing(reading: &ReadingRow, style: &Style) -> String {
    if let Some(retracted) = &reading.retracted {
        let why = retracted.note.as_ref().map_or(String::new(), |note| format!(": {}", terminal(note)));
        return format!("retracted {}{why}", retracted.ts);
    }
    let why = match reading.state.reason() {
        Some(reason) => format!(" ({})", terminal(reason)),
        None if reading.state.axes().is_empty() => String::new(),
        None => format!(" on {}", listed(reading.state.axes())),
    };
    format!("{}{why}", table::painted_state(&reading.state, style, reading.state.as_str()))
}

fn write_redacted(redacted: &RedactedRow, out: &mut dyn Write) -> io::Result<()> {
    let by = redacted.by.as_ref().map_or(String::new(), |by| format!(" by {}", terminal(by)));
    writeln!(out, "  {} redacted{by}: {}", redacted.ts, terminal(&redacted.reason))
}

/// A reading of the timeline with its details. If `is_marked`, the line of the reading that counts gets a mark; it is set
/// when there are several readings.
fn write_reading(reading: &ReadingRow, is_marked: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let evaluator = terminal(reading.evaluator.as_deref().unwrap_or("-")).into_owned();
    let by = reading.by.as_ref().map_or(String::new(), |by| format!(" by {}", terminal(by)));
    let dirty = if reading.dirty { ", on uncommitted content" } else { "" };
    let commit = short(reading);
    let counts = if over(reading).is_some() { ", counts as fail," } else { "" };
    let verdict = table::painted_reading(reading, style, reading.verdict.as_str()) + &reading.terms.grade_word();
    let stands = standing(reading, style);
    let mark = if is_marked && reading.counts { "  (counts)" } else { "" };
    writeln!(out, "  {} {verdict}{counts} {stands}  {evaluator}{by} @ {commit}{dirty}{mark}", reading.ts)?;
    if let Some(note) = &reading.note {
        writeln!(out, "      note: {}", terminal(note))?;
    }
    for moved in &reading.drift {
        writeln!(out, "      moved: {}", terminal(&moved_words(moved)))?;
    }
    for line in told(reading) {
        writeln!(out, "      {line}")?;
    }
    writeln!(out, "      {}", evidence(reading))
}

/// The breach that makes the reading count as a fail, if there is one.
fn over(reading: &ReadingRow) -> Option<String> {
    reading.budget.as_ref()?.words(&reading.ts)
}

/// The budgets of a reading: its breaches, whether they were waived, and the totals of its run up to it.
fn budget(reading: &ReadingRow) -> Vec<String> {
    let Some(row) = &reading.budget else { return Vec::new() };
    let limits: Vec<String> = row.breaches.iter().map(ToString::to_string).collect();
    let waived = (!row.is_over() && !limits.is_empty()).then(|| format!("waived: {}", limits.join("; ")));
    let totals = row.run_totals.as_ref().filter(|totals| !totals.is_empty()).map(|totals| {
        let all: Vec<String> = totals.iter().map(|(name, amount)| format!("{name} {amount}")).collect();
        format!("run so far: {}", all.join(", "))
    });
    over(reading).into_iter().chain(waived).chain(totals).collect()
}

/// The details of a reading beside its verdict: how it was filed, its cost, its measures, its budgets.
pub(crate) fn told(reading: &ReadingRow) -> Vec<String> {
    [signers(reading), terms(&reading.terms), measures(&reading.measures), budget(reading)].concat()
}

/// Who signed it, for example: signed by ann@example.org (person) with SHA256:…, who wrote none of it.
fn signers(reading: &ReadingRow) -> Vec<String> {
    let line = |one: &SignerRow| {
        let role = one.role.map_or(String::new(), |role| format!(" ({role})"));
        let wrote = match one.independent {
            Some(true) => ", who wrote none of it",
            Some(false) => ", who wrote some of it",
            None => "",
        };
        format!("signed by {}{role} with {}{wrote}", terminal(&one.principal), one.key)
    };
    reading.signers.iter().map(line).collect()
}

/// How the reading was filed, and its cost.
fn terms(terms: &TermsRow) -> Vec<String> {
    let key = terms.key.as_ref().map(|key| format!("key {}", terminal(key)));
    let attempt = terms.attempt.map(|attempt| format!("attempt {attempt}"));
    let run = terms.run.as_ref().map(|run| format!("run {}", terminal(run)));
    let filed: Vec<String> = [key, attempt, run].into_iter().flatten().collect();
    let mut lines = Vec::new();
    let env = terms.env.as_ref().map(|env| format!("in {}", terminal(env)));
    let runs = terms.runs.as_ref().map(|runs| format!("{} of {} passed", runs.pass, plural(runs.of as usize, "run")));
    let counted: Vec<String> = [env, runs].into_iter().flatten().collect();
    lines.extend((!counted.is_empty()).then(|| counted.join(": ")));
    if !filed.is_empty() {
        lines.push(format!("filed with {}", filed.join(", ")));
    }
    if let Some(usage) = &terms.usage {
        let amounts: Vec<String> = usage.amounts.iter().map(|(name, amount)| format!("{name} {amount}")).collect();
        let source =
            usage.source.as_ref().map_or(String::new(), |source| format!(" as counted by {}", terminal(source)));
        lines.push(format!("usage: {}{source}", amounts.join(", ")));
    }
    lines.extend(terms.how.as_ref().map(how));
    lines
}

/// Who reported which command, for example: observed: claude ran `make test`, exit 0, at 2026-01-01T00:00:00.000Z.
fn how(how: &HowRow) -> String {
    let (kind, harness, command) = (how.kind, terminal(&how.harness), terminal(&how.command));
    format!("{kind}: {harness} ran `{command}`, exit {}, at {}", how.exit, how.at)
}

/// The measures of the reading, one line for each sort.
fn measures(measures: &MeasuresRow) -> Vec<String> {
    let metric = |(name, value): (&String, &Finite)| {
        let unit = measures.units.get(name).map_or(String::new(), |unit| format!(" {}", terminal(unit)));
        format!("{} {value}{unit}", terminal(name))
    };
    let metrics: Vec<String> = measures.metrics.iter().map(metric).collect();
    let markers: Vec<_> = measures.markers.iter().map(|marker| terminal(marker)).collect();
    let mut lines = Vec::new();
    lines.extend((!metrics.is_empty()).then(|| format!("metrics: {}", metrics.join(", "))));
    lines.extend((!markers.is_empty()).then(|| format!("markers: {}", markers.join(", "))));
    if let Some(FindingCounts { total, verified, shared, without_ci, without_effect }) = measures.findings {
        let lacks = [
            (shared, "on shared statistics"),
            (without_ci, "without STAT:ci"),
            (without_effect, "without STAT:effect_size"),
        ];
        let lacks = lacks.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
        lines.push(format!("findings: {total}, {verified} verified{}", lacks.collect::<String>()));
    }
    lines.extend(measures.artifacts.keys().map(|name| format!("artifact: {}", terminal(name))));
    lines
}

fn evidence(reading: &ReadingRow) -> String {
    if reading.evidence.is_empty() {
        return "no evidence".into();
    }
    let one = |row: &EvidenceRow| {
        let bytes = match row.size {
            Some(size) => format!("{}… {}", &row.hash[..12], amount(size)),
            None => row.absent.as_ref().map_or("miss original file".into(), |away| terminal(&away.said)).into_owned(),
        };
        format!("{} {bytes}", row.kind)
    };
    reading.evidence.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn name(row: &ScenarioRow) -> String {
    terminal(&format!("{}/{}", row.node.id, row.scenario)).into_owned()
}

fn tags(row: &ScenarioRow) -> String {
    terminal(&row.tags.join(",")).into_owned()
}

fn short(reading: &ReadingRow) -> String {
    reading.commit.as_ref().map_or_else(|| "-".into(), |commit| commit.chars().take(12).collect())
}

#[derive(Serialize)]
struct ScoreJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<ScoreTally>,
    scenarios: &'a [ScenarioRow],
}

#[derive(Serialize)]
struct UnownedJson<'a> {
    governed: GovernedSources,
    unowned: &'a [String],
}

/// The machine form of `ls` and `impact`: the latest reading of each scenario.
pub(crate) fn write_score_json(
    rows: &[ScenarioRow],
    governed: Option<GovernedSources>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let score = ScoreTally { governed, ..rows.iter().collect() };
    super::write_document(SCORE, &ScoreJson { score: Some(score), scenarios: rows }, out)
}

/// The machine form of `ls --unowned`.
pub(crate) fn write_unowned_json(unowned: &[String], governed: GovernedSources, out: &mut dyn Write) -> io::Result<()> {
    super::write_document(UNOWNED, &UnownedJson { governed, unowned }, out)
}

/// The machine form of `show`: all readings.
pub(crate) fn write_timeline_json(rows: &[ScenarioRow], out: &mut dyn Write) -> io::Result<()> {
    super::write_document(TIMELINE, &ScoreJson { score: None, scenarios: rows }, out)
}
