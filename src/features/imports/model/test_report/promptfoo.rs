//! Results of promptfoo, in the JSON that `promptfoo eval --output results.json` writes: an object with 3 as `results.version`.
//! Each result is a case. It says the scenario itself (`testCase.metadata.yatsu`), or has the name of its test as description.

use super::ctrf::with_whole_characters;
use super::{Asked, CaseState, MAX_CASES, MAX_DEPTH, ReportFault, TestCase, TestReport, TestSuite, ToldKind};
use super::{refusal, text_of};
use crate::text::json::{self, Json, JsonValue};
use crate::text::plural;
use std::collections::HashMap;

/// Reads a file of results.
///
/// # Errors
/// The first fault: not JSON, a repeated key, a limit exceeded, another version, or a value of another type.
pub fn parse(bytes: &[u8]) -> Result<TestReport, ReportFault> {
    let text = &*with_whole_characters(text_of(bytes)?);
    if text.trim_start().starts_with('<') {
        return Err(ReportFault::at(text, 0, "this is XML: write --from-junit"));
    }
    let foreign = || refusal::of_text(text).filter(|_| !text.contains("\"evalId\""));
    let file = json::parse_within(text, MAX_DEPTH)
        .map_err(|fault| ReportFault::at(text, fault.offset, format!("the report {}", fault.message)))?;
    let wrong = |at: &Json<'_>, message: &str| ReportFault::at(text, at.offset, message);
    let results = file.get("results");
    let version = results.and_then(|results| results.get("version"));
    if version.and_then(Json::number::<u32>) != Some(3) {
        let message = foreign().filter(|_| version.is_none()).unwrap_or("`results.version` is not 3");
        return Err(wrong(&file, message));
    }
    let Some(Json { value: JsonValue::Array(results), .. }) = results.and_then(|results| results.get("results")) else {
        return Err(wrong(&file, "`results.results` is no list"));
    };
    if results.len() > MAX_CASES {
        return Err(wrong(&file, &format!("the report has more than {MAX_CASES} cases")));
    }
    let mut reader = ResultReader { report: TestReport::of_file(), suites: HashMap::new(), silent: 0, cached: 0 };
    reader.report.suites[0].repeats = true;
    results.iter().try_for_each(|result| reader.result(result).map_err(|message| wrong(result, &message)))?;
    reader.report.suites[0].aside = reader.aside(results.len());
    Ok(reader.report)
}

struct ResultReader {
    report: TestReport,
    /// The index of each suite, by its environment and by who was asked what.
    suites: HashMap<(Option<String>, Asked), usize>,
    /// The results without an answer.
    silent: usize,
    /// The results with an answer from the cache.
    cached: usize,
}

impl ResultReader {
    fn result(&mut self, result: &Json<'_>) -> Result<(), String> {
        if !matches!(result.value, JsonValue::Object(_)) {
            return Err(format!("a result is {}, not an object", result.type_name()));
        }
        let test = object(Some(result), "testCase")?;
        let (description, scenario) = (text(test, "description")?, text(object(test, "metadata")?, "yatsu")?);
        let provider = object(Some(result), "provider")?;
        let (label, id) = (text(provider, "label")?, text(provider, "id")?);
        let (env, prompt) = (label.clone().or_else(|| id.clone()), text(Some(result), "promptId")?);
        let name = description.or_else(|| scenario.clone()).unwrap_or_default();
        let suite = self.suite(env, Asked { scenario, provider: (label, id), prompt, target: None });
        let (state, told) = (self.state(result)?, told(result)?);
        let (file, classname, tries) = (None, String::new(), Vec::new());
        self.report.cases.push(TestCase { file, suite, classname, name, state, told, tries });
        Ok(())
    }

    fn suite(&mut self, env: Option<String>, asked: Asked) -> usize {
        let suites = &mut self.report.suites;
        *self.suites.entry((env, asked)).or_insert_with_key(|(env, asked)| {
            let (name, host) = (env.clone().unwrap_or_default(), env.clone());
            suites.push(TestSuite { name, host, around: Some(0), asked: Some(asked.clone()), ..TestSuite::default() });
            suites.len() - 1
        })
    }

    /// The state of a result. One without an answer of its own is no run, whatever it says of its success.
    fn state(&mut self, result: &Json<'_>) -> Result<CaseState, String> {
        let passed = flag(Some(result), "success")?.ok_or("a result has no `success`")?;
        let reason = match result.get("failureReason") {
            None | Some(Json { value: JsonValue::Null, .. }) => 0,
            Some(reason) => reason.number::<i64>().ok_or("`failureReason` is no whole number")?,
        };
        let is_cached = flag(object(Some(result), "response")?, "cached")? == Some(true);
        if reason == 2 || is_cached {
            let count = if reason == 2 { &mut self.silent } else { &mut self.cached };
            *count += 1;
            return Ok(CaseState::Skipped);
        }
        Ok(match (passed, reason) {
            (true, 0) => CaseState::Passed,
            // a reason of failure beside a success: the worse of the two
            (false, _) | (true, 1) => CaseState::Failed,
            (true, _) => CaseState::Unknown,
        })
    }

    /// What is said of the results that are no runs.
    fn aside(&self, all: usize) -> Option<String> {
        let counts = [(self.silent, "without an answer"), (self.cached, "from the cache")];
        let said: Vec<String> =
            counts.iter().filter(|one| one.0 > 0).map(|(count, of)| format!("{count} {of}")).collect();
        let none = self.silent + self.cached;
        (none > 0).then(|| format!("{none} of {} no runs: {}", are(all), said.join(", ")))
    }
}

/// For example `5 results are`.
fn are(all: usize) -> String {
    format!("{} {}", plural(all, "result"), if all == 1 { "is" } else { "are" })
}

/// Why a result failed, and its answer if that is a text.
fn told(result: &Json<'_>) -> Result<Vec<(ToldKind, String)>, String> {
    let (error, reason) = (text(Some(result), "error")?, text(object(Some(result), "gradingResult")?, "reason")?);
    let said = if flag(Some(result), "success")? == Some(true) { None } else { error.or(reason) };
    let answer = object(Some(result), "response")?.and_then(|response| response.get("output")?.as_str());
    let answer = answer.filter(|answer| !answer.trim().is_empty()).map(str::to_owned);
    let both = [said.map(|said| (ToldKind::Message, said)), answer.map(|answer| (ToldKind::Out, answer))];
    Ok(both.into_iter().flatten().collect())
}

/// The value of a key that is there and not null.
fn value<'j, 't>(of: Option<&'j Json<'t>>, key: &str) -> Option<&'j Json<'t>> {
    of?.get(key).filter(|value| !matches!(value.value, JsonValue::Null))
}

fn object<'j, 't>(of: Option<&'j Json<'t>>, key: &str) -> Result<Option<&'j Json<'t>>, String> {
    match value(of, key) {
        Some(value) if !matches!(value.value, JsonValue::Object(_)) => {
            Err(format!("`{key}` is {}, not an object", value.type_name()))
        }
        found => Ok(found),
    }
}

fn flag(of: Option<&Json<'_>>, key: &str) -> Result<Option<bool>, String> {
    match value(of, key) {
        None => Ok(None),
        Some(Json { value: JsonValue::Bool(flag), .. }) => Ok(Some(*flag)),
        Some(other) => Err(format!("`{key}` is {}, not a boolean", other.type_name())),
    }
}

/// A text that says something.
fn text(of: Option<&Json<'_>>, key: &str) -> Result<Option<String>, String> {
    let Some(value) = value(of, key) else { return Ok(None) };
    let text = value.as_str().ok_or_else(|| format!("`{key}` is {}, not a text", value.type_name()))?.trim();
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use CaseState::{Failed, Passed, Skipped, Unknown};

    fn file(results: &str) -> String {
        format!(r#"{{"evalId":"e","results":{{"version":3,"results":[{results}]}}}}"#)
    }

    fn fault(text: &str) -> String {
        parse(text.as_bytes()).expect_err(text).message
    }

    #[test]
    fn a_result_says_its_scenario_its_environment_and_why_it_failed() {
        let one = r#"{"success":false,"failureReason":1,"promptId":"p","provider":{"id":"vendor:large","label":"large"},
            "testCase":{"description":"finds it","metadata":{"yatsu":"n/s"}},"response":{"output":"none","cached":false},
            "gradingResult":{"reason":"Expected a bug"}}"#;
        let two = r#"{"success":true,"provider":{"id":"small","label":""},"testCase":{"description":" finds it "},"response":{"output":{}}}"#;
        let read = parse(file(&format!("{one},{two},{two}")).as_bytes()).expect("a report");
        let host = |case: usize| read.host_of(read.cases[case].suite);
        assert_eq!((host(0), host(1), host(2), read.suites.len()), (Some("large"), Some("small"), Some("small"), 3));
        let asked = read.suites[1].asked.as_ref().expect("who was asked");
        assert_eq!((asked.scenario.as_deref(), asked.prompt.as_deref()), (Some("n/s"), Some("p")));
        let told = [(ToldKind::Message, "Expected a bug".to_owned()), (ToldKind::Out, "none".to_owned())];
        assert_eq!((read.cases[0].state, &read.cases[0].told[..]), (Failed, &told[..]));
        assert_eq!((read.cases[1].state, &*read.cases[1].name, read.cases[1].told.len()), (Passed, "finds it", 0));
        assert!(read.suites[0].aside.is_none());
    }

    #[test]
    fn a_result_without_an_answer_of_its_own_is_no_run() {
        let all = [
            (r#"{"success":true}"#, Passed),
            (r#"{"success":true,"failureReason":0}"#, Passed),
            (r#"{"success":true,"failureReason":1}"#, Failed),
            (r#"{"success":true,"failureReason":9}"#, Unknown),
            (r#"{"success":false,"failureReason":9}"#, Failed),
            (r#"{"success":false,"failureReason":2,"response":null}"#, Skipped),
            (r#"{"success":true,"response":{"cached":true}}"#, Skipped),
        ];
        let texts: Vec<&str> = all.iter().map(|(text, _)| *text).collect();
        let read = parse(file(&texts.join(",")).as_bytes()).expect("a report");
        let states: Vec<CaseState> = read.cases.iter().map(|case| case.state).collect();
        assert_eq!(states, all.map(|(_, state)| state));
        let aside = "2 of 7 results are no runs: 1 without an answer, 1 from the cache";
        assert_eq!(read.suites[0].aside.as_deref(), Some(aside));
    }

    #[test]
    fn what_is_no_file_of_results_is_refused() {
        for (text, part) in [
            ("", "is empty"),
            ("<testsuites/>", "--from-junit"),
            (r#"{"reportFormat":"CTRF"}"#, "--from-ctrf"),
            ("[]", "`results.version` is not 3"),
            (r#"{"results":{"version":2,"results":[]}}"#, "`results.version` is not 3"),
            (r#"{"results":{"version":"3","results":[]}}"#, "`results.version` is not 3"),
            (r#"{"results":{"version":3,"results":{}}}"#, "`results.results` is no list"),
            (r#"{"results":{"version":3},"results":{}}"#, "twice"),
            (&file("1"), "a result is a number, not an object"),
            (&file("{}"), "a result has no `success`"),
            (&file(r#"{"success":"true"}"#), "`success` is a string, not a boolean"),
            (&file(r#"{"success":true,"failureReason":"2"}"#), "`failureReason` is no whole number"),
            (&file(r#"{"success":true,"response":{"cached":1}}"#), "`cached` is a number, not a boolean"),
            (&file(r#"{"success":true,"provider":"p"}"#), "`provider` is a string, not an object"),
            (&file(r#"{"success":true,"testCase":{"metadata":{"yatsu":[]}}}"#), "`yatsu` is a list, not a text"),
            (&file("{\"success\":true,\"promptId\":\"\0\"}"), "is not JSON"),
        ] {
            let said = fault(text);
            assert!(said.contains(part), "{text}: {said}");
        }
        let deep = format!("{}{}", "[".repeat(MAX_DEPTH + 1), "]".repeat(MAX_DEPTH + 1));
        assert!(fault(&file(&deep)).contains("deeper than 64"));
        assert!(fault(&file(&vec!["0"; MAX_CASES + 1].join(","))).contains("more than 200000 cases"));
    }
}
