use super::*;
use proptest::prelude::*;

/// Each case by its name, with its result.
fn told(report: &[u8]) -> Vec<(String, CaseState)> {
    let cases = parse(report).unwrap_or_else(|fault| panic!("{fault:?}"));
    cases.into_iter().map(|case| (case.name, case.state)).collect()
}

fn state(parts: &str) -> CaseState {
    told(format!("<testsuite><testcase name='a'>{parts}</testcase></testsuite>").as_bytes())[0].1
}

fn fault(report: &str) -> String {
    match parse(report.as_bytes()) {
        Err(fault) => fault.message,
        Ok(cases) => panic!("{report}: {cases:?}"),
    }
}

fn of(names: &[(&str, CaseState)]) -> Vec<(String, CaseState)> {
    names.iter().map(|(name, state)| ((*name).to_owned(), *state)).collect()
}

use CaseState::{Failed, Flaky, Passed, Skipped};

#[test]
fn a_report_of_pytest_is_read_with_its_teardown_error_and_expected_failure() {
    let report = include_bytes!("../../../../tests/data/reports/pytest.xml");
    let expected = of(&[
        ("test_greets", Passed),
        ("test_refuses_nobody", Failed),
        ("test_names[a]", Passed),
        ("test_names[b c]", Passed),
        ("test_names[x::y]", Passed),
        ("test_later", Skipped),
        ("test_known", Skipped),
        ("test_teardown", Failed),
        ("test_polite", Passed),
        ("test_shouts", Failed),
        ("test_greets", Passed),
    ]);
    assert_eq!(told(report), expected);
    let cases = parse(report).unwrap();
    assert_eq!((cases[8].classname.as_str(), cases[8].file.as_deref()), ("tests.test_greet.TestGreeter", None));
    let failed = &cases[1].told;
    assert!(failed[0].1.starts_with("AssertionError: assert 'Hello, ' == 'Hello, somebody'\n"), "{failed:?}");
    assert!(failed[1].1.contains(">       assert greet(\"\")") && failed[2].1.contains("about to fail"), "{failed:?}");
    let older = parse(include_bytes!("../../../../tests/data/reports/pytest-xunit1.xml")).unwrap();
    assert!(older.iter().all(|case| case.file.as_deref().is_some_and(|file| file.ends_with("test_greet.py"))));
}

#[test]
fn reports_of_jest_are_read_with_and_without_files() {
    let expected = of(&[
        ("says hello", Passed),
        ("refuses nobody", Failed),
        ("comes later", Skipped),
        // the file does not show that this test did not run
        ("is planned", Passed),
        ("greets a", Passed),
        ("greets b", Passed),
        ("stands alone", Passed),
    ]);
    let report = include_bytes!("../../../../tests/data/reports/jest-file.xml");
    assert_eq!(told(report), expected);
    assert_eq!(parse(report).unwrap()[0].file.as_deref(), Some("test/greet.test.js"));
    let plain = parse(include_bytes!("../../../../tests/data/reports/jest.xml")).unwrap();
    assert_eq!((plain[0].name.as_str(), plain[0].classname.as_str()), ("greet says hello", "greet says hello"));
}

#[test]
fn a_report_of_vitest_is_read() {
    let report = include_bytes!("../../../../tests/data/reports/vitest.xml");
    let expected = of(&[
        ("greet > says hello", Passed),
        ("greet > refuses nobody", Failed),
        ("greet > comes later", Skipped),
        ("greet > is planned", Skipped),
        // a retry leaves no trace in this format
        ("greet > is flaky", Passed),
    ]);
    assert_eq!(told(report), expected);
    assert_eq!(parse(report).unwrap()[0].suites, ["vi/greet.spec.mjs"]);
}

#[test]
fn a_report_of_nextest_is_read_with_the_tries_of_a_flaky_test() {
    let report = include_bytes!("../../../../tests/data/reports/nextest.xml");
    let expected = of(&[
        ("greet::tests::says_hello", Passed),
        ("greet::tests::refuses_nobody", Failed),
        ("greets", Passed),
        ("is_flaky", Flaky),
        ("runs", Passed),
    ]);
    assert_eq!(told(report), expected);
    let flaky = &parse(report).unwrap()[3].told;
    assert!(flaky.iter().any(|(kind, text)| *kind == ToldKind::Err && text.contains("first try")), "{flaky:?}");
}

#[test]
fn a_report_of_gotestsum_is_read() {
    let expected = of(&[
        ("TestRefusesNobody", Failed),
        ("TestLater", Skipped),
        ("TestGreets/you", Passed),
        ("TestGreets/b_c", Passed),
        ("TestGreets", Passed),
    ]);
    assert_eq!(told(include_bytes!("../../../../tests/data/reports/go.xml")), expected);
}

#[test]
fn a_report_of_surefire_is_read_without_the_environment_that_it_holds() {
    let report = include_bytes!("../../../../tests/data/reports/surefire.xml");
    let cases = parse(report).unwrap();
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["greets", "later", "names{String}[1]", "names{String}[2]", "refusesNobody", "isFlaky", "bows"]);
    assert_eq!(cases[6].classname, "com.acme.GreeterTest$Polite");
    assert!(String::from_utf8_lossy(report).contains("a-word-of-the-environment"));
    assert!(!format!("{cases:?}").contains("a-word-of-the-environment"));
}

#[test]
fn the_worst_of_what_is_said_of_a_case_is_what_became_of_it() {
    for (parts, expected) in [
        ("", Passed),
        ("<skipped/>", Skipped),
        ("<failure/>", Failed),
        ("<error message='x'/>", Failed),
        ("<flakyFailure/>", Flaky),
        ("<flakyError/>", Flaky),
        ("<rerunFailure/>", Flaky),
        ("<failure/><rerunFailure/>", Failed),
        ("<skipped/><failure/>", Failed),
        ("<flakyFailure/><skipped/>", Flaky),
        ("<system-out>x</system-out>", Passed),
        ("<properties><property name='failure'/></properties>", Passed),
    ] {
        assert_eq!(state(parts), expected, "{parts}");
    }
}

#[test]
fn a_status_that_nobody_knows_is_no_pass() {
    for (status, expected) in [
        ("run", Passed),
        ("", Passed),
        ("notrun", Skipped),
        ("disabled", Skipped),
        ("inconclusive", Skipped),
        ("FAILED", Failed),
    ] {
        let report = format!("<testsuites><testsuite><testcase name='a' status='{status}'/></testsuite></testsuites>");
        assert_eq!(told(report.as_bytes())[0].1, expected, "{status}");
    }
}

#[test]
fn a_case_lies_in_the_file_of_its_nearest_suite_unless_it_names_one() {
    let report = "<testsuites><testsuite name='o' file='o.py'><testsuite name='i' filepath='i.py'><testcase name='a'/>\
                  <testcase name='b' file='b.py'/></testsuite><testcase name='c'/></testsuite></testsuites>";
    let cases = parse(report.as_bytes()).unwrap();
    let files: Vec<_> = cases.iter().map(|case| case.file.as_deref().unwrap()).collect();
    assert_eq!(files, ["i.py", "b.py", "o.py"]);
    assert_eq!(cases[0].suites, ["i", "o"]);
}

#[test]
fn references_and_sections_are_text_and_other_entities_are_refused() {
    let cases = parse("<testsuite><testcase name='a&amp;b&#10;c'><failure>&lt;x&gt;<![CDATA[<y>&z;]]>&#x41;</failure></testcase></testsuite>".as_bytes()).unwrap();
    assert_eq!((cases[0].name.as_str(), cases[0].told[0].1.as_str()), ("a&b\nc", "<x><y>&z;A"));
    let unknown = fault("<testsuite><testcase name='a'><failure>&xxe;</failure></testcase></testsuite>");
    assert!(unknown.contains("`xxe` is not declared"), "{unknown}");
    assert!(fault("<testsuite><testcase name='&xxe;'/></testsuite>").contains("xxe"));
}

#[test]
fn a_bomb_and_an_external_entity_are_refused_where_they_are_declared() {
    let bomb = "<!DOCTYPE l [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><testsuite name='&b;'/>";
    let outside =
        "<!DOCTYPE x [<!ENTITY xxe SYSTEM \"file:///etc/passwd\">]><testsuite><testcase name='&xxe;'/></testsuite>";
    for report in [bomb, outside, "<!DOCTYPE testsuites SYSTEM \"http://example.org/x.dtd\"><testsuites/>"] {
        assert_eq!(fault(report), "the report declares a document type; entities are not read");
    }
}

#[test]
fn what_is_no_report_is_refused_with_its_place() {
    for (report, part) in [
        ("", "is empty"),
        ("<!-- nothing -->", "is empty"),
        ("<html/>", "`html` is no report of tests"),
        ("<testsuites name='yatsu-hook'><testsuite/></testsuites>", "own report"),
        ("<testsuite>", "ends in the middle"),
        ("<testsuite/><testsuite/>", "goes on after its end"),
        ("<testsuite/>more", "text stands outside"),
        ("<testsuite><testcase name='a'></testsuite>", "is no XML"),
        ("<testsuite a='1' a='2'/>", "is no XML"),
        ("<testsuite><testcase name='a'><testcase name='b'/></testcase></testsuite>", "within another"),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><testsuite/>", "only UTF-8 is read"),
        ("{}", "outside"),
    ] {
        let said = fault(report);
        assert!(said.contains(part), "{report}: {said}");
    }
    let at = parse(b"<testsuites>\n <testsuite>\n  <testcase name='a' name='b'/>").unwrap_err();
    assert_eq!((at.line, at.column), (3, 3), "{at:?}");
    assert!(parse(b"<testsuite name='\xe9'/>").unwrap_err().message.contains("not UTF-8"));
    assert_eq!(parse("\u{feff}<testsuite/>".as_bytes()), Ok(vec![]));
}

#[test]
fn every_limit_is_said() {
    let deep = "<testsuite>".repeat(MAX_DEPTH + 1);
    assert!(fault(&deep).contains("deeper than 64"), "{}", fault(&deep));
    let wide: String = (0..=MAX_ATTRIBUTES).map(|n| format!(" a{n}=''")).collect();
    assert!(fault(&format!("<testsuite{wide}/>")).contains("more than 64 attributes"));
    let many = format!("<testsuite>{}</testsuite>", "<testcase name=''/>".repeat(MAX_CASES + 1));
    assert!(fault(&many).contains("more than 200000 cases"));
    let large = vec![b' '; crate::text::test_report::MAX_REPORT + 1];
    assert!(parse(&large).unwrap_err().message.contains("larger than 64 MiB"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(<testsuites>|<testsuite name='a'>|<testcase name='b'>|<failure>|</testcase>|</testsuite>|&lt;|&#10;|<!\\[CDATA\\[|\\]\\]>|.){0,30}") {
        if let Ok(cases) = parse(text.as_bytes()) {
            prop_assert!(cases.len() <= text.len());
        }
    }
}
