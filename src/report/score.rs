//! The score for people and programs: `ls`, `show`, `impact`. Formats what `app::score` found.
//!
//! Machine forms: `yatsu-hook/score/v1` (`ls`, `impact`) and `yatsu-hook/timeline/v1` (`show`), one JSON object each.

use super::view::Style;
use crate::finding::{Axis, DriftPath, NodeRef};
use crate::text::escape::terminal;
use serde::Serialize;
use std::io::{self, Write};

/// Whether a reading speaks for the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody has measured it.
    Unmeasured,
    /// The latest reading speaks.
    Fresh,
    /// It does not, on these axes.
    Stale(Vec<Axis>),
    /// Git cannot tell: the reason.
    NotJudged(String),
}

impl State {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Unmeasured => "unmeasured",
            Self::Fresh => "fresh",
            Self::Stale(_) => "stale",
            Self::NotJudged(_) => "not judged",
        }
    }

    fn axes(&self) -> Vec<&'static str> {
        match self {
            Self::Stale(axes) => axes.iter().map(|axis| axis.as_str()).collect(),
            _ => Vec::new(),
        }
    }
}

/// One piece of evidence of a reading.
#[derive(Clone, Debug, Serialize)]
pub struct EvidenceRow {
    /// `image`, `transcript`, `video`, `data` or `timeline`.
    pub kind: &'static str,
    /// Its sha256.
    pub hash: String,
    /// Whether this cache holds it.
    pub held: bool,
}

/// One reading.
#[derive(Clone, Debug)]
pub struct ReadingRow {
    /// `pass`, `fail` or `legacy`.
    pub verdict: &'static str,
    /// Its annotation.
    pub note: Option<String>,
    /// Whether it speaks.
    pub state: State,
    /// The governed paths that moved, with counts where they were asked for.
    pub drift: Vec<DriftPath>,
    /// `name@version`.
    pub evaluator: Option<String>,
    /// Who.
    pub by: Option<String>,
    /// The commit, full hex.
    pub commit: Option<String>,
    /// Whether it was filed on uncommitted content.
    pub dirty: bool,
    /// When.
    pub ts: String,
    /// What it shows.
    pub evidence: Vec<EvidenceRow>,
}

/// One scenario with the readings that were asked for, newest first.
#[derive(Clone, Debug)]
pub struct ScenarioRow {
    /// Its node.
    pub node: NodeRef,
    /// Its name.
    pub scenario: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// What zero loss looks like.
    pub expected: String,
    /// How it stands.
    pub state: State,
    /// Readings, newest first; for `ls` and `impact` the latest only.
    pub readings: Vec<ReadingRow>,
    /// For `impact`: the asked paths that it governs.
    pub because: Vec<bstr::BString>,
}

/// `ls` and `impact`: one line per scenario.
pub fn write_list(rows: &[ScenarioRow], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let width = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0);
    for row in rows {
        let verdict = row.readings.first().map_or("-", |reading| reading.verdict);
        let state = paint(&row.state, style, &format!("{:<10}", row.state.as_str()));
        let gap = " ".repeat(width - name(row).chars().count());
        write!(out, "{state} {verdict:<6} {}{gap}  {}", name(row), terminal(row.tags.join(",").as_bytes()))?;
        for detail in details(row) {
            write!(out, "  {detail}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn details(row: &ScenarioRow) -> Vec<String> {
    let mut details = Vec::new();
    if !row.state.axes().is_empty() {
        details.push(row.state.axes().join("+"));
    }
    if let State::NotJudged(reason) = &row.state {
        details.push(terminal(reason.as_bytes()).into_owned());
    }
    if let Some(reading) = row.readings.first() {
        details.push(format!("{} @ {}", reading.ts, short(reading)));
    }
    let because: Vec<_> = row.because.iter().map(|path| terminal(path)).collect();
    if !because.is_empty() {
        details.push(format!("governs {}", because.join(", ")));
    }
    details
}

/// `show`: every scenario with its timeline.
pub fn write_timeline(rows: &[ScenarioRow], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for (number, row) in rows.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        let state = paint(&row.state, style, row.state.as_str());
        writeln!(out, "{}  {state}  {}", name(row), terminal(row.tags.join(",").as_bytes()))?;
        writeln!(out, "  expected: {}", terminal(row.expected.split_whitespace().collect::<Vec<_>>().join(" ").as_bytes()))?;
        for reading in &row.readings {
            write_reading(reading, style, out)?;
        }
    }
    Ok(())
}

fn write_reading(reading: &ReadingRow, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let why = match &reading.state {
        State::Stale(_) => format!(" ({})", reading.state.axes().join(", ")),
        State::NotJudged(reason) => format!(" ({})", terminal(reason.as_bytes())),
        State::Fresh | State::Unmeasured => String::new(),
    };
    let state = paint(&reading.state, style, reading.state.as_str());
    let evaluator = terminal(reading.evaluator.as_deref().unwrap_or("-").as_bytes()).into_owned();
    let dirty = if reading.dirty { " dirty" } else { "" };
    writeln!(out, "  {} {} {state}{why}  {evaluator} @ {}{dirty}", reading.ts, reading.verdict, short(reading))?;
    if let Some(note) = &reading.note {
        writeln!(out, "      note: {}", terminal(note.as_bytes()))?;
    }
    for path in &reading.drift {
        let count = path.commits.map_or(String::new(), |commits| format!(" +{commits}"));
        writeln!(out, "      moved: {}{count}", terminal(&path.path))?;
    }
    writeln!(out, "      {}", evidence(reading))
}

fn evidence(reading: &ReadingRow) -> String {
    if reading.evidence.is_empty() {
        return "no evidence".into();
    }
    let one = |row: &EvidenceRow| {
        let bytes = if row.held { format!("{}…", &row.hash[..12]) } else { "miss original file".into() };
        format!("{} {bytes}", row.kind)
    };
    reading.evidence.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn name(row: &ScenarioRow) -> String {
    terminal(format!("{}/{}", row.node.id, row.scenario).as_bytes()).into_owned()
}

fn short(reading: &ReadingRow) -> String {
    reading.commit.as_ref().map_or_else(|| "-".into(), |commit| commit.chars().take(12).collect())
}

fn paint(state: &State, style: &Style, text: &str) -> String {
    use owo_colors::OwoColorize;
    if !style.color {
        return text.to_owned();
    }
    match state {
        State::Fresh => text.green().to_string(),
        State::Stale(_) => text.yellow().to_string(),
        State::Unmeasured | State::NotJudged(_) => text.cyan().to_string(),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    scenarios: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    node: &'a str,
    dir: String,
    scenario: &'a str,
    tags: &'a [String],
    expected: &'a str,
    state: &'static str,
    axes: Vec<&'static str>,
    readings: Vec<Reading<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    governs: Vec<String>,
}

#[derive(Serialize)]
struct Reading<'a> {
    verdict: &'static str,
    note: Option<&'a str>,
    state: &'static str,
    axes: Vec<&'static str>,
    drift: Vec<Moved>,
    evaluator: Option<&'a str>,
    by: Option<&'a str>,
    #[serde(rename = "codeSha")]
    code_sha: Option<&'a str>,
    dirty: bool,
    ts: &'a str,
    evidence: &'a [EvidenceRow],
}

#[derive(Serialize)]
struct Moved {
    path: String,
    commits: Option<u32>,
}

/// The machine form; `schema` is `yatsu-hook/score/v1` or `yatsu-hook/timeline/v1`.
pub fn write_json(schema: &'static str, rows: &[ScenarioRow], out: &mut dyn Write) -> io::Result<()> {
    let document = Document { schema, scenarios: rows.iter().map(row).collect() };
    serde_json::to_writer(&mut *out, &document).map_err(io::Error::from)?;
    writeln!(out)
}

fn row(row: &ScenarioRow) -> Row<'_> {
    Row {
        node: &row.node.id,
        dir: row.node.dir.to_string(),
        scenario: &row.scenario,
        tags: &row.tags,
        expected: &row.expected,
        state: row.state.as_str(),
        axes: row.state.axes(),
        readings: row.readings.iter().map(reading).collect(),
        governs: row.because.iter().map(ToString::to_string).collect(),
    }
}

fn reading(row: &ReadingRow) -> Reading<'_> {
    let moved = |path: &DriftPath| Moved { path: path.path.to_string(), commits: path.commits };
    Reading {
        verdict: row.verdict,
        note: row.note.as_deref(),
        state: row.state.as_str(),
        axes: row.state.axes(),
        drift: row.drift.iter().map(moved).collect(),
        evaluator: row.evaluator.as_deref(),
        by: row.by.as_deref(),
        code_sha: row.commit.as_deref(),
        dirty: row.dirty,
        ts: &row.ts,
        evidence: &row.evidence,
    }
}
