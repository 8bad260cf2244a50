use super::*;
use CaseState::{Failed, Flaky, Passed, Skipped, Unknown};

fn cases(text: &[u8]) -> Vec<TestCase> {
    parse(text).unwrap_or_else(|fault| panic!("{fault:?}")).cases
}

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
    let read = parse(include_bytes!("../../../../../../tests/data/reports/jest-ctrf.json")).unwrap();
    let cases = &read.cases;
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
    assert_eq!(read.suite_names(cases[0].suite).collect::<Vec<_>>(), ["greet.test.js > greet"]);
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
        (r#"{"name":"a","status":"other"}"#, Unknown),
        (r#"{"name":"a","status":"Passed"}"#, Unknown),
        (r#"{"name":"a","status":"skipped","rawStatus":"xfailed","message":"known"}"#, Passed),
        (r#"{"name":"a","status":"skipped","rawStatus":"xfailed","message":"known","flaky":true}"#, Flaky),
        (r#"{"name":"a","status":"skipped","rawStatus":"xfailed","message":"[NOTRUN] known"}"#, Skipped),
    ] {
        assert_eq!(cases(report(test).as_bytes())[0].state, expected, "{test}");
    }
}

#[test]
fn output_and_suites_are_texts_or_lists_of_them() {
    let test = r#"{"name":"a","status":"failed","suite":["o","i"],"stdout":["x","y"],"stderr":"z","attachments":[{"path":"/etc/passwd"}]}"#;
    let read = parse(report(test).as_bytes()).unwrap();
    let case = &read.cases[0];
    assert_eq!(read.suite_names(case.suite).collect::<Vec<_>>(), ["o i"]);
    assert_eq!(case.told, [(ToldKind::Out, "x\ny".to_owned()), (ToldKind::Err, "z".to_owned())]);
}

#[test]
fn what_is_no_such_report_is_refused() {
    for (text, part) in [
        ("", "is empty"),
        ("<testsuites/>", "--from-junit"),
        (r#"{"numTotalTests":1}"#, "jest-ctrf-json-reporter"),
        ("{\"Action\":\"run\"}\n{\"Action\":\"pass\"}", "gotestsum --junitfile"),
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
    assert_eq!(cases(deep.as_bytes()).len(), 1);
}

#[test]
fn what_the_summary_counts_and_no_test_carries_is_a_fault_of_the_whole_report() {
    let with = |failed: &str| {
        report(r#"{"name":"a","status":"failed"},{"name":"b","status":"passed"}"#)
            .replace(r#""summary":{}"#, &format!(r#""summary":{{"failed":{failed}}}"#))
    };
    let fault = |failed: &str| parse(with(failed).as_bytes()).unwrap().suites[0].fault.clone();
    assert_eq!(fault("2").as_deref(), Some("it counts 2 failures, and its tests lack 1 of them"));
    for failed in ["0", "1", "null"] {
        assert_eq!(fault(failed), None, "{failed}");
    }
    for failed in ["\"2\"", "2.5", "-1", "[]"] {
        assert_eq!(fault(failed).as_deref(), Some("its count of failed tests is no number"), "{failed}");
    }
}

#[test]
fn half_a_character_in_an_output_refuses_no_report() {
    let test =
        r#"{"name":"a","status":"failed","stdout":"\ud83d\ude00 \ud800 \\ud800 \udc00\ud83d","stderr":"\u0000"}"#;
    let cases = cases(report(test).as_bytes());
    assert_eq!(cases[0].told[0].1, "\u{1f600} \u{fffd} \\ud800 \u{fffd}\u{fffd}");
    for text in ["\\", "{\"a\":\"\\u\u{e9}", "{\"a\":\"\\\u{e9}\\ud800"] {
        parse(text.as_bytes()).unwrap_err();
    }
}
