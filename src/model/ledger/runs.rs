//! The runs of a reading: `runs` (formats.md, "A reading"). One reading may say how many runs there were and how many of them
//! passed. As for the other terms, a wrong value never makes a line unreadable: it counts for nothing, and is reported if a
//! change adds it.

use super::EvidenceHash;
use super::fields::{Field, bad, hash_value, present, wrong_type};
use crate::text::json::{Json, JsonValue};
use serde::Serialize;

/// The key in the line of a reading.
pub(super) const KEY: &str = "runs";
/// The most runs that one reading may say.
pub(crate) const MAX_RUNS: u32 = 100_000;

/// How many runs there were, and how many passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCounts {
    /// How many passed, at most `of`.
    pub pass: u32,
    /// How many there were, from 1.
    pub of: u32,
    /// sha256 of the report that says them: the same report is never filed twice.
    pub report: Option<EvidenceHash>,
}

impl RunCounts {
    /// The words for a form that is wrong.
    pub(crate) const FORM: &'static str =
        "\"pass\" and \"of\", whole numbers with 0 <= pass <= of and 1 <= of <= 100000";

    /// The counts; `None` if they cannot stand together.
    pub(crate) fn new(pass: u32, of: u32) -> Option<Self> {
        (pass <= of && (1..=MAX_RUNS).contains(&of)).then_some(Self { pass, of, report: None })
    }
}

/// The value of `runs`.
pub(super) fn read(object: &Json<'_>) -> Field<Option<RunCounts>> {
    let Some(runs) = present(object, KEY) else { return Ok(None) };
    let JsonValue::Object(members) = &runs.value else { return Err(wrong_type(KEY, "an object", runs)) };
    let wrong = || bad("runs", runs, format!("\"{KEY}\" needs {}", RunCounts::FORM));
    if members.iter().any(|(key, _)| !["pass", "of", "report"].contains(&&**key)) {
        return Err(bad("runs", runs, format!("\"{KEY}\" has another key than \"pass\", \"of\" and \"report\"")));
    }
    let number = |key: &str| runs.get(key).and_then(Json::number);
    let counts = number("pass").zip(number("of")).and_then(|(pass, of)| RunCounts::new(pass, of)).ok_or_else(wrong)?;
    let report = present(runs, "report").map(|value| hash_value("report", value)).transpose()?;
    Ok(Some(RunCounts { report, ..counts }))
}

/// The value as written in a line.
#[derive(Serialize)]
pub(super) struct RunsValue {
    pass: u32,
    of: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<String>,
}

/// The written form of `runs`.
pub(super) fn value(runs: &RunCounts) -> RunsValue {
    RunsValue { pass: runs.pass, of: runs.of, report: runs.report.map(|hash| hash.to_string()) }
}
