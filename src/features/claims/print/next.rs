//! The scenarios to measure now, for people and programs. Machine form: `yatsu-hook/next/v1`
//! (schema/next.v1.schema.json).

use crate::features::claims::model::next_rows::{NextAnswer, NextRow, NextWhy, PassedRow};
use crate::report::shown;
use crate::text::escape::terminal;
use crate::text::plural;
use bstr::ByteSlice;
use std::io::{self, Write};

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
    for row in &answer.blocked {
        let env = row.env.as_ref().map_or(String::new(), |env| format!(" in {}", shown(env)));
        let gap = if answer.rows.is_empty() { "" } else { "\n" };
        writeln!(out, "{gap}{}{env}  waits for a person: {}", shown(&row.called), terminal(&row.reason))?;
    }
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
pub(crate) fn write_row(row: &NextRow, out: &mut dyn Write) -> io::Result<()> {
    // "failing" already says the verdict of a fresh fail
    let verdict = row.verdict.filter(|_| row.why != NextWhy::Failing);
    let verdict = verdict.map(|verdict| format!(", was {}", verdict.as_str())).unwrap_or_default();
    let env = row.env.as_ref().map_or(String::new(), |env| format!(" in {env}"));
    let named = format!("{}/{}{env}", row.node, row.scenario);
    let claimed = row.claimed.as_ref();
    let claimed = claimed.map(|by| format!(", claimed by {} until {}", shown(&by.owner), by.until));
    let claimed = claimed.unwrap_or_default();
    writeln!(out, "{}  {}{verdict}{claimed}", shown(&named), row.why.as_str())?;
    let mut line = |key: &str, value: &str| writeln!(out, "  {key:<9} {}", terminal(&folded(value)));
    line("do", &row.description)?;
    line("expected", &row.expected)?;
    line("tags", &row.tags.join(", "))?;
    if let Some(test) = &row.test {
        line("test", test)?;
    }
    if let Some(command) = &row.test_command {
        line("run", command)?;
    }
    if let Some(runs) = row.runs {
        line("runs", &format!("{} of {} must pass; of this content: {}", runs.need, runs.of, runs.phrase()))?;
    }
    if !row.moved.is_empty() {
        line("moved", &moved(row))?;
    } else if !row.state.axes().is_empty() {
        line("moved", &row.state.axes().iter().map(|axis| axis.as_str()).collect::<Vec<_>>().join(", "))?;
    }
    if !row.evidence.is_empty() {
        let kinds: Vec<_> =
            row.evidence.iter().zip(&row.file).map(|(kind, flag)| format!("{kind} ({flag} FILE)")).collect();
        line("evidence", &format!("a pass needs {}", kinds.join(" or ")))?;
    }
    writeln!(out, "  {:<9} {} {}", "then", terminal(&row.command), row.verdict_words)
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
