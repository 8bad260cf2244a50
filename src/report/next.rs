//! The scenarios to measure now, for people and programs. Machine form: `yatsu-hook/next/v1`
//! (schema/next.v1.schema.json).

use super::view::next::{NextAnswer, NextRow, NextWhy, PassedRow};
use crate::text::escape::{echo, terminal};
use crate::text::plural;
use bstr::ByteSlice;
use serde::Serialize;
use std::io::{self, Write};

/// The name of the format.
const SCHEMA: &str = "yatsu-hook/next/v1";
/// How many moved paths of a scenario people are shown.
const PATHS: usize = 3;

/// The scenarios to measure, one paragraph each, and how many more there are.
pub(crate) fn write_human(answer: &NextAnswer, out: &mut dyn Write) -> io::Result<()> {
    for (at, row) in answer.rows.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        write_row(row, out)?;
    }
    let passed = match answer.passed.len() {
        0 => String::new(),
        count => format!("{count} passed over (`yatsu-hook next -v` says why)"),
    };
    match (answer.rows.is_empty(), answer.remaining) {
        (true, _) if passed.is_empty() => writeln!(out, "nothing needs measuring{}", failing(answer)),
        (true, _) => writeln!(out, "nothing needs measuring that could be taken now; {passed}"),
        (false, 0) if passed.is_empty() => Ok(()),
        (false, 0) => writeln!(out, "\n{passed}"),
        (false, more) => {
            let passed = if passed.is_empty() { passed } else { format!("; {passed}") };
            writeln!(out, "\nand {more} more: yatsu-hook next --limit 0{passed}")
        }
    }
}

/// The number of fresh fails that were not asked for. Without it "nothing needs measuring" would read as "everything
/// passes".
fn failing(answer: &NextAnswer) -> String {
    match answer.failing {
        0 => String::new(),
        count => format!("; {}: yatsu-hook next --failing", still_failing(count)),
    }
}

/// The sentence for scenarios that failed and did not change since.
pub(crate) fn still_failing(count: usize) -> String {
    format!("{} failed, and nothing has changed since", plural(count, "scenario"))
}

/// One scenario, a paragraph.
pub(super) fn write_row(row: &NextRow, out: &mut dyn Write) -> io::Result<()> {
    // "failing" already says the verdict of a fresh fail
    let verdict = row.verdict.filter(|_| row.why != NextWhy::Failing);
    let verdict = verdict.map(|verdict| format!(", was {}", verdict.as_str())).unwrap_or_default();
    let named = format!("{}/{}", row.node, row.scenario);
    let claimed = row.claimed.as_ref();
    let claimed = claimed.map(|[owner, until]| format!(", claimed by {} until {until}", terminal(&*echo(owner))));
    let claimed = claimed.unwrap_or_default();
    writeln!(out, "{}  {}{verdict}{claimed}", terminal(&*echo(&named)), row.why.as_str())?;
    let mut line = |key: &str, value: &str| writeln!(out, "  {key:<9} {}", terminal(&folded(value)));
    line("do", &row.description)?;
    line("expected", &row.expected)?;
    line("tags", &row.tags.join(", "))?;
    if let Some(test) = &row.test {
        line("test", test)?;
    }
    if !row.moved.is_empty() {
        line("moved", &moved(row))?;
    } else if !row.state.axes().is_empty() {
        line("moved", &row.state.axes().iter().map(|axis| axis.as_str()).collect::<Vec<_>>().join(", "))?;
    }
    if !row.evidence.is_empty() {
        let kinds: Vec<_> = row.evidence.iter().map(|(kind, flag)| format!("{kind} ({flag} FILE)")).collect();
        line("evidence", &format!("a pass needs {}", kinds.join(" or ")))?;
    }
    writeln!(out, "  {:<9} {} --pass   (or --fail)", "then", terminal(&row.command))
}

fn moved(row: &NextRow) -> String {
    let shown: Vec<_> = row.moved.iter().take(PATHS).map(|path| path.to_str_lossy()).collect();
    let more = row.moved.len().saturating_sub(PATHS);
    shown.join(", ") + &if more > 0 { format!(" +{more}") } else { String::new() }
}

/// A text of several lines as one line.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why scenarios were left out, one line each.
pub(crate) fn passed_over(passed: &[PassedRow]) -> String {
    passed.iter().map(|row| format!("passed over {}: {}\n", terminal(&row.called), terminal(&row.reason))).collect()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NextJson<'a> {
    schema: &'static str,
    remaining: usize,
    next: Vec<NextDto<'a>>,
    passed_over: Vec<PassedDto<'a>>,
}

/// A scenario to measure, in the form that all documents share.
#[derive(Serialize)]
pub(super) struct NextDto<'a> {
    node: &'a str,
    path: String,
    scenario: &'a str,
    description: &'a str,
    expected: &'a str,
    tags: &'a [String],
    test: Option<&'a str>,
    why: &'static str,
    verdict: Option<&'static str>,
    ts: Option<&'a str>,
    axes: Vec<&'static str>,
    drift: Vec<String>,
    since: Option<&'a str>,
    evidence: Vec<&'static str>,
    argv: &'a [String],
    append: [[&'static str; 1]; 2],
    file: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed: Option<ClaimedDto<'a>>,
}

#[derive(Serialize)]
struct ClaimedDto<'a> {
    owner: &'a str,
    until: &'a str,
}

#[derive(Serialize)]
struct PassedDto<'a> {
    node: String,
    scenario: &'a str,
    reason: &'a str,
}

/// The document and a newline.
pub(crate) fn write_json(answer: &NextAnswer, out: &mut dyn Write) -> io::Result<()> {
    let passed_over = answer.passed.iter().map(|row| PassedDto {
        node: row.node.to_str_lossy().into_owned(),
        scenario: &row.scenario,
        reason: &row.reason,
    });
    let document = NextJson {
        schema: SCHEMA,
        remaining: answer.remaining,
        next: answer.rows.iter().map(NextDto::of).collect(),
        passed_over: passed_over.collect(),
    };
    let json = serde_json::to_string(&document).map_err(io::Error::other)?;
    writeln!(out, "{}", super::inert_json(json))
}

impl<'a> NextDto<'a> {
    pub(super) fn of(row: &'a NextRow) -> Self {
        Self {
            node: &row.node,
            path: row.path.to_str_lossy().into_owned(),
            scenario: &row.scenario,
            description: &row.description,
            expected: &row.expected,
            tags: &row.tags,
            test: row.test.as_deref(),
            why: row.why.as_str(),
            verdict: row.verdict.map(super::view::verdict::ShownVerdict::as_str),
            ts: row.ts.as_deref(),
            axes: row.state.axes().iter().map(|axis| axis.as_str()).collect(),
            drift: row.moved.iter().map(|path| path.to_str_lossy().into_owned()).collect(),
            since: row.since.as_deref(),
            evidence: row.evidence.iter().map(|(kind, _)| *kind).collect(),
            argv: &row.argv,
            append: [["--pass"], ["--fail"]],
            file: row.evidence.iter().map(|(_, flag)| *flag).collect(),
            claimed: row.claimed.as_ref().map(|[owner, until]| ClaimedDto { owner, until }),
        }
    }
}
