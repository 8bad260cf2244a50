use super::*;
use CaseState::{Failed, Flaky, Passed, Skipped};

fn report(test: &str) -> String {
    format!(
        r#"{{"reportFormat":"CTRF","specVersion":"0.0.0","results":{{"tool":{{"name":"t"}},"summary":{{}},"tests":[{test}]}}}}"#
    )
}

fn fault(text: &str) -> String {
    parse(text.as_bytes()).expect_err(text).message
}

#[test]
fn a_report_of_jest_says_what_was_planned_and_in_which_file() {
    let cases = parse(include_bytes!("../../../../tests/data/reports/jest-ctrf.json")).unwrap();
    let told: Vec<_> = cases.iter().map(|case| (case.name.as_str(), case.state)).collect();
    assert_eq!(
        told,
        [
            ("greet says hello", Passed),
            ("greet refuses nobody", Failed),
            ("greet comes later", Skipped),
            ("greet is planned", Skipped),
            ("greet greets a", Passed),
            ("greet greets b", Passed),
            ("stands alone", Passed),
        ]
    );
    assert_eq!(cases[0].file.as_deref(), Some("/home/runner/sample/test/greet.test.js"));
    assert_eq!(cases[0].suites, ["greet.test.js > greet"]);
    assert_eq!(cases[1].told.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [ToldKind::Message, ToldKind::Details]);
}

#[test]
fn a_pass_that_took_more_than_one_try_is_flaky_and_an_unknown_word_is_no_pass() {
    for (test, expected) in [
        (r#"{"name":"a","status":"passed"}"#, Passed),
        (r#"{"name":"a","status":"passed","retries":0,"flaky":false}"#, Passed),
        (r#"{"name":"a","status":"passed","retries":1}"#, Flaky),
        (r#"{"name":"a","status":"passed","flaky":true}"#, Flaky),
        (r#"{"name":"a","status":"failed","flaky":true,"retries":2}"#, Failed),
        (r#"{"name":"a","status":"skipped"}"#, Skipped),
        (r#"{"name":"a","status":"pending"}"#, Skipped),
        (r#"{"name":"a","status":"other"}"#, Skipped),
        (r#"{"name":"a","status":"Passed"}"#, Skipped),
    ] {
        assert_eq!(parse(report(test).as_bytes()).unwrap()[0].state, expected, "{test}");
    }
}

#[test]
fn output_and_suites_are_texts_or_lists_of_them() {
    let test = r#"{"name":"a","status":"failed","suite":["o","i"],"stdout":["x","y"],"stderr":"z","attachments":[{"path":"/etc/passwd"}]}"#;
    let case = &parse(report(test).as_bytes()).unwrap()[0];
    assert_eq!(case.suites, ["o i"]);
    assert_eq!(case.told, [(ToldKind::Out, "x\ny".to_owned()), (ToldKind::Err, "z".to_owned())]);
}

#[test]
fn what_is_no_such_report_is_refused() {
    for (text, part) in [
        ("", "is empty"),
        ("{}", "`reportFormat` is not CTRF"),
        (r#"{"reportFormat":"ctrf","results":{"tests":[]}}"#, "`reportFormat` is not CTRF"),
        (r#"{"reportFormat":"CTRF","reportFormat":"CTRF"}"#, "twice"),
        (r#"{"reportFormat":"CTRF","results":{}}"#, "`results.tests` is no list"),
        (&report(r#"{"status":"passed"}"#), "no `name`"),
        (&report(r#"{"name":"a"}"#), "no `status`"),
        (&report(r#"{"name":"a","status":"failed","status":"passed"}"#), "twice"),
        (&report(&"[".repeat(80)), "deeper than 64"),
    ] {
        let said = fault(text);
        assert!(said.contains(part), "{text}: {said}");
    }
    let deep = report(&format!(r#"{{"name":"a","status":"passed","extra":{}{}}}"#, "[".repeat(40), "]".repeat(40)));
    assert_eq!(parse(deep.as_bytes()).unwrap().len(), 1);
}
