use super::attributes::MAX_ATTRIBUTES;
use super::*;
use proptest::prelude::*;

fn cases(report: &[u8]) -> Vec<TestCase> {
    parse(report).unwrap_or_else(|fault| panic!("{fault:?}")).cases
}

/// Each case by its name, with its result.
fn told(report: &[u8]) -> Vec<(String, CaseState)> {
    let cases = cases(report);
    cases.into_iter().map(|case| (case.name, case.state)).collect()
}

fn state(parts: &str) -> CaseState {
    told(format!("<testsuite><testcase name='a'>{parts}</testcase></testsuite>").as_bytes())[0].1
}

fn fault(report: &str) -> String {
    match parse(report.as_bytes()) {
        Err(fault) => fault.message,
        Ok(read) => panic!("{report}: {read:?}"),
    }
}

fn of(names: &[(&str, CaseState)]) -> Vec<(String, CaseState)> {
    names.iter().map(|(name, state)| ((*name).to_owned(), *state)).collect()
}

use CaseState::{Failed, Flaky, Passed, Skipped, Unknown};

#[test]
fn a_report_of_pytest_is_read_with_its_teardown_error_and_expected_failure() {
    let report = include_bytes!("../../../../../../tests/data/reports/pytest.xml");
    let expected = of(&[
        ("test_greets", Passed),
        ("test_refuses_nobody", Failed),
        ("test_names[a]", Passed),
        ("test_names[b c]", Passed),
        ("test_names[x::y]", Passed),
        ("test_later", Skipped),
        // it failed as expected
        ("test_known", Passed),
        ("test_teardown", Failed),
        ("test_polite", Passed),
        ("test_shouts", Failed),
        ("test_greets", Passed),
    ]);
    assert_eq!(told(report), expected);
    let cases = cases(report);
    assert_eq!((cases[8].classname.as_str(), cases[8].file.as_deref()), ("tests.test_greet.TestGreeter", None));
    let failed = &cases[1].told;
    assert!(failed[0].1.starts_with("AssertionError: assert 'Hello, ' == 'Hello, somebody'\n"), "{failed:?}");
    assert!(failed[1].1.contains(">       assert greet(\"\")") && failed[2].1.contains("about to fail"), "{failed:?}");
    let older = self::cases(include_bytes!("../../../../../../tests/data/reports/pytest-xunit1.xml"));
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
    let report = include_bytes!("../../../../../../tests/data/reports/jest-file.xml");
    assert_eq!(told(report), expected);
    assert_eq!(cases(report)[0].file.as_deref(), Some("test/greet.test.js"));
    let plain = cases(include_bytes!("../../../../../../tests/data/reports/jest.xml"));
    assert_eq!((plain[0].name.as_str(), plain[0].classname.as_str()), ("greet says hello", "greet says hello"));
}

#[test]
fn a_report_of_vitest_is_read() {
    let report = include_bytes!("../../../../../../tests/data/reports/vitest.xml");
    let expected = of(&[
        ("greet > says hello", Passed),
        ("greet > refuses nobody", Failed),
        ("greet > comes later", Skipped),
        ("greet > is planned", Skipped),
        // a retry leaves no trace in this format
        ("greet > is flaky", Passed),
    ]);
    assert_eq!(told(report), expected);
    let read = parse(report).unwrap();
    assert_eq!(read.suite_names(read.cases[0].suite).collect::<Vec<_>>(), ["vi/greet.spec.mjs"]);
}

#[test]
fn a_report_of_nextest_is_read_with_the_tries_of_a_flaky_test() {
    let report = include_bytes!("../../../../../../tests/data/reports/nextest.xml");
    let expected = of(&[
        ("greet::tests::says_hello", Passed),
        ("greet::tests::refuses_nobody", Failed),
        ("greets", Passed),
        ("is_flaky", Flaky),
        ("runs", Passed),
    ]);
    assert_eq!(told(report), expected);
    let flaky = &cases(report)[3].told;
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
    assert_eq!(told(include_bytes!("../../../../../../tests/data/reports/go.xml")), expected);
}

#[test]
fn a_report_of_surefire_is_read_without_the_environment_that_it_holds() {
    let report = include_bytes!("../../../../../../tests/data/reports/surefire.xml");
    let cases = cases(report);
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
        ("inconclusive", Unknown),
        ("FAILED", Failed),
    ] {
        let report = format!("<testsuites><testsuite><testcase name='a' status='{status}'/></testsuite></testsuites>");
        assert_eq!(told(report.as_bytes())[0].1, expected, "{status}");
    }
}

#[test]
fn of_two_states_the_worse_counts() {
    let expected = of(&[("Adds", Passed), ("Skips", Skipped), ("DISABLED_Later", Skipped)]);
    assert_eq!(told(include_bytes!("../../../../../../tests/data/reports/googletest.xml"))[..3], expected);
    for (attributes, expected) in [
        ("status='run' result='completed'", Passed),
        ("status='run' result='skipped'", Skipped),
        ("status='skipped' result='completed'", Skipped),
        ("status='notrun' result='suppressed'", Skipped),
        ("status='run' result='odd'", Unknown),
        ("status='failed' result='skipped'", Failed),
        ("status='hook_error'", Failed),
    ] {
        let report = format!("<testsuite><testcase name='a' {attributes}/></testsuite>");
        assert_eq!(told(report.as_bytes())[0].1, expected, "{attributes}");
    }
}

#[test]
fn a_test_that_failed_as_expected_ran() {
    for (parts, expected) in [
        ("<skipped type='pytest.xfail' message='known'/>", Passed),
        ("<skipped type='pytest.xfail' message='[NOTRUN] known'/>", Skipped),
        ("<skipped type='pytest.xfail' message=''/><error/>", Failed),
        ("<skipped type='XFAIL'/>", Passed),
        ("<skipped type='pytest.skip' message='no'/>", Skipped),
        ("<failure message='[XPASS(strict)] '/>", Failed),
    ] {
        assert_eq!(state(parts), expected, "{parts}");
    }
}

#[test]
fn the_tries_of_one_test_are_one_case() {
    let tries = |suite: &str, states: &[&str]| {
        let part = |state: &&str| format!("<testcase name='a'>{state}</testcase>");
        let cases: String = states.iter().map(part).collect();
        told(format!("<testsuites><testsuite {suite}{cases}</testsuite></testsuites>").as_bytes())
            .into_iter()
            .map(|(_, state)| state)
            .collect::<Vec<_>>()
    };
    let (pytest, go) = ("name='pytest'>", "><properties><property name='go.version'/></properties>");
    let (fail, skip) = ("<failure/>", "<skipped/>");
    for (suite, states, expected) in [
        // pytest-rerunfailures writes a failed try like a pass
        (pytest, &["", ""][..], &[Flaky][..]),
        (pytest, &["", "", fail], &[Failed]),
        (pytest, &["", "<error/>", ""], &[Flaky]),
        (pytest, &["", skip], &[Skipped]),
        (pytest, &[skip, ""], &[Skipped]),
        (pytest, &["", "", skip, ""], &[Flaky]),
        (go, &[skip, ""], &[Skipped]),
        (go, &["", ""], &[Passed]),
        (go, &[fail, ""], &[Flaky]),
        (go, &["", fail], &[Failed]),
        (go, &[fail, "", fail], &[Failed]),
        // two tests of one name
        (">", &[fail, ""], &[Failed, Passed]),
        (">", &["", ""], &[Passed, Passed]),
    ] {
        assert_eq!(tries(suite, states), expected, "{suite} {states:?}");
    }
    let expected = of(&[
        ("test_add", Passed),
        ("test_par[1-2]", Passed),
        ("test_par[3-x/y]", Passed),
        ("test_par[[z]-\\xe9\\x1b]", Passed),
        ("test_add", Passed),
        ("test_bad", Failed),
        ("test_skip", Skipped),
        ("test_xf", Passed),
        ("test_xp", Passed),
        ("test_xps", Failed),
        ("test_td", Failed),
    ]);
    assert_eq!(told(include_bytes!("../../../../../../tests/data/reports/pytest-reruns.xml")), expected);
}

/// The faults of the suites of a report, in their order.
fn faults(report: &str) -> Vec<Option<String>> {
    let suites = parse(report.as_bytes()).unwrap_or_else(|fault| panic!("{report}: {fault:?}")).suites;
    suites.into_iter().map(|suite| suite.fault).collect()
}

#[test]
fn what_a_suite_reports_and_no_case_carries_is_its_fault() {
    let lack = |counted: &str, missing: u64| Some(format!("it counts {counted}, and its cases lack {missing} of them"));
    let (case, bad) = ("<testcase name='a'/>", "<testcase name='b'><failure/></testcase>");
    for (report, expected) in [
        (format!("<testsuite errors='1'>{case}</testsuite>"), vec![None, lack("1 failure", 1)]),
        (format!("<testsuite errors='1' failures='1'>{bad}</testsuite>"), vec![None, lack("2 failures", 1)]),
        (format!("<testsuite failures='1'>{bad}</testsuite>"), vec![None, None]),
        (format!("<testsuite failures='0'>{bad}</testsuite>"), vec![None, None]),
        // only the inner suite lacks it
        (
            format!("<testsuites failures='1'><testsuite failures='1'>{case}</testsuite></testsuites>"),
            vec![None, lack("1 failure", 1)],
        ),
        (
            format!("<testsuites failures='2'><testsuite failures='1'>{bad}</testsuite></testsuites>"),
            vec![lack("2 failures", 1), None],
        ),
        // the outer suite counts the inner one, or it does not
        (
            format!("<testsuite tests='2' failures='1'>{case}<testsuite failures='1'>{bad}</testsuite></testsuite>"),
            vec![None, None, None],
        ),
        (
            format!("<testsuite tests='1' failures='1'>{case}<testsuite failures='1'>{bad}</testsuite></testsuite>"),
            vec![None, lack("1 failure", 1), None],
        ),
        (
            format!("<testsuite errors='1'><error message=''>\n boom \n at x</error>{case}</testsuite>"),
            vec![None, Some("boom".into())],
        ),
        (
            format!(
                "<testsuites><failure message='late'/><error message='more'/><testsuite>{case}</testsuite></testsuites>"
            ),
            vec![Some("late".into()), None],
        ),
        (format!("<testsuite><error/>{case}</testsuite>"), vec![None, Some("a failure without a message".into())]),
        (format!("<testsuite status='failed'>{case}</testsuite>"), vec![None, Some("its status is a failure".into())]),
        (format!("<testsuite status='failed'>{bad}</testsuite>"), vec![None, None]),
    ] {
        assert_eq!(faults(&report), expected, "{report}");
    }
}

/// What a suite says of itself and cannot be read, and tests that it counts and does not hold.
#[test]
fn a_suite_that_is_not_understood_is_broken() {
    let lack = |counted: &str, missing: u64| Some(format!("it counts {counted}, and its cases lack {missing} of them"));
    let case = "<testcase name='a'/>";
    let said = |attributes: &str| format!("<testsuite {attributes}>{case}</testsuite>");
    for (report, expected) in [
        (said("status='interrupted'"), vec![None, Some("its status `interrupted` is not known here".into())]),
        (said("result='crash'"), vec![None, Some("its status `crash` is not known here".into())]),
        (said("status='ok' result='skipped'"), vec![None, None]),
        (said("errors='1.0'"), vec![None, Some("its count of errors, `1.0`, is no number".into())]),
        (said("failures='-1'"), vec![None, Some("its count of failures, `-1`, is no number".into())]),
        (said("tests='many'"), vec![None, Some("its count of tests, `many`, is no number".into())]),
        (said("errors='1.0' failures='1'"), vec![None, lack("1 failure", 1)]),
        (
            format!("<testsuites status='crash'><testsuite>{case}</testsuite></testsuites>"),
            vec![Some("its status `crash` is not known here".into()), None],
        ),
        // more tests than cases: Catch2 counts assertions
        (said("tests='7'"), vec![None, None]),
        (
            format!("<testsuites>{case}<testsuite tests='2'/></testsuites>"),
            vec![None, Some("it counts 2 tests, and has no case".into())],
        ),
        (
            format!("<testsuites>{case}<testsuite tests='3' skipped='1' disabled='1'/></testsuites>"),
            vec![None, Some("it counts 1 test, and has no case".into())],
        ),
        (
            format!("<testsuites>{case}<testsuite tests='2' skipped='2'/><testsuite tests='0'/></testsuites>"),
            vec![None; 3],
        ),
    ] {
        assert_eq!(faults(&report), expected, "{report}");
    }
}

#[test]
fn no_report_of_a_real_runner_has_a_fault_by_mistake() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/reports");
    let mut read = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "xml") {
            let report = std::fs::read_to_string(&path).unwrap();
            assert!(faults(&report).iter().all(Option::is_none), "{}: {:?}", path.display(), faults(&report));
            read += 1;
        }
    }
    assert!(read >= 15, "{read}");
}

#[test]
fn what_no_verdict_needs_refuses_no_report() {
    let case = |parts: &str| format!("<testsuite><testcase name='a'>{parts}</testcase></testsuite>");
    for (parts, text) in [
        ("<failure>x&#0;y</failure>", "x&#0;y"),
        ("<system-out>&#xD800;&#99999999999;</system-out>", "&#xD800;&#99999999999;"),
        ("<failure message='&#0;&amp;&#x0;'/>", "&#0;&&#x0;"),
        ("<properties><property name='&#0;' value='&#0;'>&unknown;</property></properties>", ""),
        ("<!-- a -- b --><system-err>&#27;[1m</system-err>", "\u{1b}[1m"),
    ] {
        let cases = cases(case(parts).as_bytes());
        assert_eq!(cases[0].told.first().map_or("", |(_, text)| text), text, "{parts}");
    }
    assert_eq!(cases(b"<testsuite><testcase name='&#0;a'/></testsuite>")[0].name, "&#0;a");
    let damaged = b"<testsuite><properties><property name='n' value='\xff'/></properties><testcase name='a'><failure \
                    message='\xe9'>\xe9</failure></testcase></testsuite>";
    assert_eq!(cases(damaged)[0].told[0].1, "\u{fffd}");
    for report in [&b"<testsuite><testcase name='\xe9'/></testsuite>"[..], b"\xff\xfe<testsuite/>"] {
        assert!(parse(report).unwrap_err().message.contains("not UTF-8"), "{report:?}");
    }
}

#[test]
fn a_case_lies_in_the_file_of_its_nearest_suite_unless_it_names_one() {
    let report = "<testsuites><testsuite name='o' file='o.py'><testsuite name='i' filepath='i.py'><testcase name='a'/>\
                  <testcase name='b' file='b.py'/></testsuite><testcase name='c'/></testsuite></testsuites>";
    let read = parse(report.as_bytes()).unwrap();
    let files: Vec<_> = read.cases.iter().map(|case| case.file.as_deref().unwrap()).collect();
    assert_eq!(files, ["i.py", "b.py", "o.py"]);
    assert_eq!(read.suite_names(read.cases[0].suite).collect::<Vec<_>>(), ["i", "o"]);
}

#[test]
fn references_and_sections_are_text_and_other_entities_are_refused() {
    let cases = cases("<testsuite><testcase name='a&amp;b&#10;c'><failure>&lt;x&gt;<![CDATA[<y>&z;]]>&#x41;</failure></testcase></testsuite>".as_bytes());
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
        ("<TestRun/>", "`--logger junit`"),
        ("<robot generator='x'/>", "`robot --xunit report.xml`"),
        ("<Site/>", "`ctest --output-junit report.xml`"),
        ("{\"reportFormat\":\"CTRF\"}", "--from-ctrf"),
        ("{\"numFailedTests\":0,\"numTotalTests\":1}", "jest-junit"),
        ("{\"Time\":\"x\",\"Action\":\"run\"}\n{}", "gotestsum --junitfile"),
        ("TAP version 13\n", "--test-reporter=junit"),
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
    assert_eq!(cases("\u{feff}<testsuite/>".as_bytes()), []);
}

#[test]
fn every_limit_is_said() {
    let deep = "<testsuite>".repeat(MAX_DEPTH + 1);
    assert!(fault(&deep).contains("deeper than 64"), "{}", fault(&deep));
    let wide: String = (0..=MAX_ATTRIBUTES).map(|n| format!(" a{n}=''")).collect();
    assert!(fault(&format!("<testsuite{wide}/>")).contains("more than 64 attributes"));
    let many = format!("<testsuite>{}</testsuite>", "<testcase name=''/>".repeat(MAX_CASES + 1));
    assert!(fault(&many).contains("more than 200000 cases"));
    let suites = format!("<testsuites>{}</testsuites>", "<testsuite/>".repeat(MAX_CASES + 1));
    assert!(fault(&suites).contains("more than 200000 suites"));
    let large = vec![b' '; crate::features::imports::model::test_report::MAX_REPORT + 1];
    assert!(parse(&large).unwrap_err().message.contains("larger than 64 MiB"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(<testsuites>|<testsuite name='a'>|<testcase name='b'>|<failure>|</testcase>|</testsuite>|&lt;|&#10;|<!\\[CDATA\\[|\\]\\]>|.){0,30}") {
        if let Ok(read) = parse(text.as_bytes()) {
            prop_assert!(read.cases.len() <= text.len());
        }
    }
}
