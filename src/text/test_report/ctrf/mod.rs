//! Reports in the Common Test Report Format: one JSON object with `reportFormat` CTRF. It names the file of a case, states
//! the number of retries, and has words for tests that did not run. So it is more reliable than the older format.

use super::{CaseState, MAX_CASES, MAX_DEPTH, ReportFault, TestCase, ToldKind, text_of};
use crate::text::json::{self, Json, JsonValue};

/// Reads a report.
///
/// # Errors
/// The first fault: not JSON, a repeated key, a limit exceeded, or another format.
pub fn parse(bytes: &[u8]) -> Result<Vec<TestCase>, ReportFault> {
    let text = text_of(bytes)?;
    let report = json::parse_within(text, MAX_DEPTH)
        .map_err(|fault| ReportFault::at(text, fault.offset, format!("the report {}", fault.message)))?;
    let wrong = |at: &Json<'_>, message: &str| ReportFault::at(text, at.offset, message);
    if report.get("reportFormat").and_then(Json::as_str) != Some("CTRF") {
        return Err(wrong(&report, "`reportFormat` is not CTRF"));
    }
    let tests = report.get("results").and_then(|results| results.get("tests"));
    let Some(Json { value: JsonValue::Array(tests), .. }) = tests else {
        return Err(wrong(&report, "`results.tests` is no list"));
    };
    if tests.len() > MAX_CASES {
        return Err(wrong(&report, &format!("the report has more than {MAX_CASES} cases")));
    }
    let read = |test: &Json<'_>| case(test).map_err(|message| wrong(test, &message));
    tests.iter().map(read).collect()
}

fn case(test: &Json<'_>) -> Result<TestCase, String> {
    let text = |key: &str| test.get(key).and_then(Json::as_str).map(str::to_owned);
    let name = text("name").ok_or("a test has no `name`")?;
    let status = text("status").ok_or("a test has no `status`")?;
    let mut told = Vec::new();
    for (key, kind) in [
        ("message", ToldKind::Message),
        ("trace", ToldKind::Details),
        ("stdout", ToldKind::Out),
        ("stderr", ToldKind::Err),
    ] {
        let said = test.get(key).map(words).unwrap_or_default().join("\n");
        if !said.trim().is_empty() {
            told.push((kind, said));
        }
    }
    let suites = test.get("suite").map(words).unwrap_or_default();
    Ok(TestCase {
        file: text("filePath").filter(|file| !file.trim().is_empty()),
        suites: if suites.is_empty() { Vec::new() } else { vec![suites.join(" ")] },
        classname: String::new(),
        name,
        state: state(test, &status),
        told,
    })
}

/// A text, or the texts of a list.
fn words(value: &Json<'_>) -> Vec<String> {
    match &value.value {
        JsonValue::String(text) => vec![text.to_string()],
        JsonValue::Array(items) => items.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// A failure stays a failure, however often it was retried. A pass after more than one try is flaky.
fn state(test: &Json<'_>, status: &str) -> CaseState {
    let is_flaky = matches!(test.get("flaky"), Some(Json { value: JsonValue::Bool(true), .. }))
        || match test.get("retries").map(|retries| &retries.value) {
            Some(JsonValue::Number(count)) => count.parse::<f64>().is_ok_and(|count| count > 0.0),
            _ => false,
        };
    match status {
        "failed" => CaseState::Failed,
        "passed" if is_flaky => CaseState::Flaky,
        "passed" => CaseState::Passed,
        _ => CaseState::Skipped,
    }
}

#[cfg(test)]
mod tests;
