//! Reports in the Common Test Report Format: one JSON object with `reportFormat` CTRF. It names the file of a case, states
//! the number of retries, and has words for tests that did not run. So it is more reliable than the older format.

use super::{
    ABORTED, CaseState, MAX_CASES, MAX_DEPTH, ReportFault, TestCase, TestReport, TestSuite, ToldKind, refusal, text_of,
};
use crate::text::json::{self, Json, JsonValue};
use crate::text::plural;
use std::borrow::Cow;
use std::collections::HashMap;

/// Reads a report.
///
/// # Errors
/// The first fault: not JSON, a repeated key, a limit exceeded, or another format.
pub fn parse(bytes: &[u8]) -> Result<TestReport, ReportFault> {
    let text = &*with_whole_characters(text_of(bytes)?);
    if text.trim_start().starts_with('<') {
        return Err(ReportFault::at(text, 0, "this is XML: write --from-junit"));
    }
    let foreign = || refusal::of_text(text).filter(|_| !text.contains("\"reportFormat\""));
    let report = json::parse_within(text, MAX_DEPTH).map_err(|fault| {
        let message = foreign().map_or_else(|| format!("the report {}", fault.message), str::to_owned);
        ReportFault::at(text, fault.offset, message)
    })?;
    let wrong = |at: &Json<'_>, message: &str| ReportFault::at(text, at.offset, message);
    if report.get("reportFormat").and_then(Json::as_str) != Some("CTRF") {
        return Err(wrong(&report, foreign().unwrap_or("`reportFormat` is not CTRF")));
    }
    let results = report.get("results");
    let Some(Json { value: JsonValue::Array(tests), .. }) = results.and_then(|results| results.get("tests")) else {
        return Err(wrong(&report, "`results.tests` is no list"));
    };
    if tests.len() > MAX_CASES {
        return Err(wrong(&report, &format!("the report has more than {MAX_CASES} cases")));
    }
    let mut read = CtrfReader { report: TestReport::of_file(), suites: HashMap::new(), is_aborted: false };
    tests.iter().try_for_each(|test| read.case(test).map_err(|message| wrong(test, &message)))?;
    let tool = results.and_then(|results| results.get("tool")?.get("name")).and_then(Json::as_str);
    read.report.suites[0].repeats = tool.is_some_and(|tool| tool.eq_ignore_ascii_case("playwright"));
    let counted = results.and_then(|results| results.get("summary")?.get("failed"));
    let uncarried = counted.and_then(|counted| uncarried(counted, &read.report.cases));
    read.report.suites[0].fault = uncarried.or_else(|| read.is_aborted.then(|| ABORTED.to_owned()));
    Ok(read.report)
}

/// What the summary counts as failed and no test carries, or that the count is no number.
fn uncarried(counted: &Json<'_>, cases: &[TestCase]) -> Option<String> {
    if matches!(counted.value, JsonValue::Null) {
        return None;
    }
    let Some(counted) = counted.number::<usize>() else {
        return Some("its count of failed tests is no number".to_owned());
    };
    let carried = cases.iter().filter(|case| case.state == CaseState::Failed).count();
    let missing = counted.checked_sub(carried).filter(|missing| *missing > 0)?;
    Some(format!("it counts {}, and its tests lack {missing} of them", plural(counted, "failure")))
}

/// The text with U+FFFD for each half of a character: JavaScript writes `\ud800` for an output that was cut within one.
pub(super) fn with_whole_characters(text: &str) -> Cow<'_, str> {
    let mut whole = Cow::Borrowed(text);
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut at = 0;
    while let Some(next) = text[at..].find('\\') {
        at += next;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                whole.to_mut().replace_range(at..at + 6, "\\ufffd");
                6
            }
            // an escaped backslash, for example
            _ => 2,
        };
        if !text.is_char_boundary(at) {
            break;
        }
    }
    whole
}

struct CtrfReader {
    report: TestReport,
    /// The index of each suite by its name.
    suites: HashMap<String, usize>,
    /// Whether the run ended within a test.
    is_aborted: bool,
}

impl CtrfReader {
    fn case(&mut self, test: &Json<'_>) -> Result<(), String> {
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
        let suite = self.suite(test.get("suite").map(words).unwrap_or_default());
        let file = text("filePath").filter(|file| !file.trim().is_empty());
        let state = state(test, &status);
        let (classname, tries) = (String::new(), Vec::new());
        let mut case = TestCase { file, suite, classname, name, state, told, tries };
        if case.state != CaseState::Failed && (case.is_nameless() || has_no_end(test)) {
            case.state = case.state.worse(CaseState::Unknown);
            self.is_aborted = true;
        }
        self.report.cases.push(case);
        Ok(())
    }

    fn suite(&mut self, parts: Vec<String>) -> usize {
        let name = parts.join(" ");
        if name.is_empty() {
            return 0;
        }
        // a text joins its parts with ` > `; the first one is the project
        let project = parts.first().and_then(|first| first.split(" > ").next()).map(|first| first.trim().to_owned());
        let suites = &mut self.report.suites;
        *self.suites.entry(name).or_insert_with_key(|name| {
            suites.push(TestSuite { name: name.clone(), around: Some(0), project, ..TestSuite::default() });
            suites.len() - 1
        })
    }
}

/// Whether a test began and has no end. If a run of pytest is aborted, pytest-json-ctrf calls the test `passed` with the
/// `stop` 0.
fn has_no_end(test: &Json<'_>) -> bool {
    let time = |key: &str| test.get(key).and_then(Json::number::<i64>);
    time("stop") == Some(0) && time("start").is_some_and(|start| start > 0)
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
        "skipped" if !is_expected_failure(test) => CaseState::Skipped,
        "passed" | "skipped" if is_flaky => CaseState::Flaky,
        "passed" | "skipped" => CaseState::Passed,
        "pending" => CaseState::Skipped,
        // jest-ctrf-json-reporter has no better word for a planned test
        "other" if test.get("rawStatus").and_then(Json::as_str) == Some("todo") => CaseState::Skipped,
        _ => CaseState::Unknown,
    }
}

/// Whether a test ran and failed as expected; pytest calls that skipped. Its word `[NOTRUN]` is for `xfail(run=False)`.
fn is_expected_failure(test: &Json<'_>) -> bool {
    let text = |key: &str| test.get(key).and_then(Json::as_str);
    text("rawStatus") == Some("xfailed") && !text("message").is_some_and(|message| message.starts_with("[NOTRUN]"))
}

#[cfg(test)]
mod tests;
