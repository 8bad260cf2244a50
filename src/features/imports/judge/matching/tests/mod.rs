mod oracle;

use super::*;
use crate::features::imports::model::test_report::{CaseState, TestSuite, ctrf, junit};
use crate::model::ledger::Status;
use crate::model::source::Position;

const FILES: [&str; 12] = [
    "Cargo.toml",
    "go.mod",
    "greet/greet_test.go",
    "src/bin/hello.rs",
    "src/greet.rs",
    "src/lib.rs",
    "src/test/java/com/acme/GreeterTest.java",
    "test/greet.test.js",
    "test/other.test.js",
    "tests/outside.rs",
    "tests/test_greet.py",
    "tests/unit/test_greet.py",
];

fn ground() -> TestGround {
    let top = RepoPath::root();
    TestGround {
        top: "/home/me/sample".into(),
        files: FILES.iter().chain(&["vi/greet.spec.mjs"]).map(|file| RepoPath::from_git(*file)).collect(),
        modules: vec![(top.clone(), "example.org/sample".into())],
        crates: vec![(top, "sample-greet".into())],
    }
}

/// A scenario with a test, or with an empty `path` one without a test.
fn target(path: &str, name: &str) -> ImportTarget {
    let test = (!path.is_empty()).then(|| {
        let governed = Governed { found: Found::Path, ..Governed::parse(path, Position::default(), None) };
        (governed, Some(name.to_owned()).filter(|name| !name.is_empty()))
    });
    ImportTarget {
        name: if test.is_none() { name.to_owned() } else { "s".into() },
        test,
        skips: false,
        runs: false,
        place: None,
        wanted: true,
    }
}

/// The fate of one scenario, in a word and the number of its cases.
fn fate_of(report: &TestReport, target: ImportTarget, flaky: Option<FlakyMeans>) -> String {
    fate_on(&ground(), report, target, flaky)
}

fn fate_on(ground: &TestGround, report: &TestReport, target: ImportTarget, flaky: Option<FlakyMeans>) -> String {
    let found = matched(report, ground, &[target], &[], flaky);
    match &found.fates[&0] {
        ImportFate::Reading { status: Status::Pass, cases } => format!("pass {}", cases.len()),
        ImportFate::Reading { status: Status::Fail, cases } => format!("fail {}", cases.len()),
        ImportFate::Runs { rounds, .. } => {
            rounds.iter().map(|one| format!("{}/{}", one.pass, one.of)).collect::<Vec<_>>().join(" ")
        }
        ImportFate::Skipped { why, .. } => why.split(':').next().unwrap_or_default().to_owned(),
        ImportFate::Ambiguous { why, .. } => format!("ambiguous: {why}"),
        ImportFate::Unmatched => "none".into(),
    }
}

#[track_caller]
fn expect(report: &[u8], wanted: &[(&str, &str, &str)]) {
    let report = parsed(report);
    for (path, name, expected) in wanted {
        assert_eq!(fate_of(&report, target(path, name), None), *expected, "{path} {name}");
    }
}

fn parsed(report: &[u8]) -> TestReport {
    if report.starts_with(b"{") { ctrf::parse(report) } else { junit::parse(report) }.unwrap()
}

/// A ground with these files and nothing else.
fn files(files: &[&str]) -> TestGround {
    let mut files: Vec<RepoPath> = files.iter().map(|file| RepoPath::from_git(*file)).collect();
    files.sort();
    TestGround { top: "/repo".into(), files, ..TestGround::default() }
}

/// The fates of scenarios in the report of a real runner.
#[track_caller]
fn expect_on(ground: &TestGround, report: &[u8], wanted: &[(&str, &str, &str)]) {
    let report = parsed(report);
    for (path, name, expected) in wanted {
        let said = fate_on(ground, &report, target(path, name), None);
        assert_eq!(said, *expected, "{path} {name}");
    }
}

#[test]
fn scenarios_find_their_cases_in_a_report_of_pytest() {
    let wanted = [
        ("tests/test_greet.py", "test_greets", "pass 1"),
        ("tests/unit/test_greet.py", "test_greets", "pass 1"),
        ("tests/test_greet.py", "test_refuses_nobody", "fail 1"),
        ("tests/test_greet.py", "test_names", "pass 3"),
        ("tests/test_greet.py", "test_names[b c]", "pass 1"),
        ("tests/test_greet.py", "test_names[x::y]", "pass 1"),
        ("tests/test_greet.py", "test_names[", "none"),
        ("tests/test_greet.py", "test_later", "skipped"),
        ("tests/test_greet.py", "test_known", "pass 1"),
        ("tests/test_greet.py", "test_teardown", "fail 1"),
        ("tests/test_greet.py", "TestGreeter::test_polite", "pass 1"),
        ("tests/test_greet.py", "TestGreeter.test_polite", "pass 1"),
        ("tests/test_greet.py", "test_shouts", "fail 1"),
        ("tests/test_greet.py", "", "fail 10"),
        ("tests/unit", "", "pass 1"),
        ("src/greet.rs", "test_greets", "none"),
        ("", "test_teardown", "fail 1"),
        ("", "test_greets", "ambiguous: 2 cases are called so; give the scenario its `test: {path, name}`"),
        ("", "test_names", "none"),
    ];
    expect(include_bytes!("../../../../../../tests/data/reports/pytest.xml"), &wanted);
    expect(include_bytes!("../../../../../../tests/data/reports/pytest-xunit1.xml"), &wanted);
}

#[test]
fn scenarios_find_their_cases_in_reports_of_jest() {
    expect(
        include_bytes!("../../../../../../tests/data/reports/jest-file.xml"),
        &[
            ("test/greet.test.js", "says hello", "pass 1"),
            ("test/greet.test.js", "greet > says hello", "pass 1"),
            ("test/greet.test.js", "greet › refuses nobody", "fail 1"),
            ("test/other.test.js", "", "pass 1"),
            ("test/other.test.js", "says hello", "none"),
        ],
    );
    // without files: a name matches if it is unique, and a file alone matches nothing
    expect(
        include_bytes!("../../../../../../tests/data/reports/jest.xml"),
        &[
            ("test/greet.test.js", "greet says hello", "pass 1"),
            ("test/greet.test.js", "greet > refuses nobody", "fail 1"),
            ("test/other.test.js", "stands alone", "pass 1"),
            ("test/other.test.js", "", "none"),
            ("", "greet says hello", "pass 1"),
        ],
    );
    expect(
        include_bytes!("../../../../../../tests/data/reports/jest-ctrf.json"),
        &[
            ("test/greet.test.js", "greet says hello", "pass 1"),
            ("test/greet.test.js", "greet is planned", "skipped"),
            ("test/greet.test.js", "", "fail 6"),
            ("test/other.test.js", "stands alone", "pass 1"),
        ],
    );
}

#[test]
fn scenarios_find_their_cases_in_reports_of_vitest_nextest_go_and_surefire() {
    expect(
        include_bytes!("../../../../../../tests/data/reports/vitest.xml"),
        &[
            ("vi/greet.spec.mjs", "greet > says hello", "pass 1"),
            ("vi/greet.spec.mjs", "greet::refuses nobody", "fail 1"),
            ("vi/greet.spec.mjs", "greet > is planned", "skipped"),
            ("test/greet.test.js", "greet > says hello", "none"),
        ],
    );
    expect(
        include_bytes!("../../../../../../tests/data/reports/nextest.xml"),
        &[
            ("src/greet.rs", "greet::tests::says_hello", "pass 1"),
            ("src/greet.rs", "", "fail 2"),
            ("src/lib.rs", "greet::tests::says_hello", "none"),
            ("tests/outside.rs", "greets", "pass 1"),
            ("tests/outside.rs", "is_flaky", "flaky"),
            ("src/bin/hello.rs", "runs", "pass 1"),
        ],
    );
    expect(
        include_bytes!("../../../../../../tests/data/reports/go.xml"),
        &[
            ("greet/greet_test.go", "TestGreets", "pass 3"),
            ("greet/greet_test.go", "TestGreets/you", "pass 1"),
            ("greet/greet_test.go", "TestRefusesNobody", "fail 1"),
            ("greet/greet_test.go", "TestLater", "skipped"),
            ("greet/greet_test.go", "", "fail 5"),
        ],
    );
    let java = "src/test/java/com/acme/GreeterTest.java";
    expect(
        include_bytes!("../../../../../../tests/data/reports/surefire.xml"),
        &[
            (java, "greets", "pass 1"),
            (java, "names", "pass 2"),
            (java, "names{String}[2]", "pass 1"),
            (java, "Polite.bows", "pass 1"),
            (java, "bows", "pass 1"),
            (java, "later", "skipped"),
            (java, "", "fail 7"),
        ],
    );
}

fn case(classname: &str, name: &str, state: CaseState) -> TestCase {
    TestCase {
        file: None,
        suite: 1,
        classname: classname.into(),
        name: name.into(),
        state,
        told: Vec::new(),
        tries: Vec::new(),
    }
}

/// A report of one suite with these cases.
fn report(cases: &[TestCase]) -> TestReport {
    let suite = TestSuite { around: Some(0), ..TestSuite::default() };
    TestReport { cases: cases.to_vec(), suites: vec![TestSuite::default(), suite] }
}

const HERE: &str = "tests.test_greet";

#[test]
fn all_cases_of_a_scenario_must_have_passed_at_the_first_try() {
    use CaseState::{Failed, Flaky, Passed, Skipped, Unknown};
    let pass = Some(FlakyMeans::Pass);
    let fail = Some(FlakyMeans::Fail);
    for (states, flaky, expected) in [
        (&[Passed, Passed][..], None, "pass 2"),
        (&[Passed, Skipped], None, "partly skipped"),
        (&[Skipped, Skipped], None, "skipped"),
        (&[Passed, Failed, Skipped, Flaky], None, "fail 4"),
        (&[Passed, Flaky], None, "flaky"),
        (&[Passed, Flaky, Skipped], None, "flaky"),
        (&[Passed, Flaky], pass, "pass 2"),
        (&[Passed, Flaky, Skipped], pass, "partly skipped"),
        (&[Passed, Flaky], fail, "fail 2"),
        (&[Passed, Unknown, Skipped], pass, "unknown"),
        (&[], None, "none"),
    ] {
        let cases: Vec<_> = states.iter().map(|state| case(HERE, "a", *state)).collect();
        let report = report(&cases);
        assert_eq!(fate_of(&report, target("tests/test_greet.py", "a"), flaky), expected, "{states:?} {flaky:?}");
    }
}

#[test]
fn a_scenario_that_allows_skips_needs_one_case_with_a_result() {
    use CaseState::{Failed, Flaky, Passed, Skipped, Unknown};
    for (states, expected) in [
        (&[Passed, Skipped][..], "pass 2"),
        (&[Skipped, Skipped], "skipped"),
        (&[Passed, Skipped, Failed], "fail 3"),
        (&[Passed, Skipped, Flaky], "flaky"),
        // a word that is not known here is no skip
        (&[Passed, Skipped, Unknown], "unknown"),
    ] {
        let cases: Vec<_> = states.iter().map(|state| case(HERE, "a", *state)).collect();
        let target = ImportTarget { skips: true, ..target("tests/test_greet.py", "a") };
        assert_eq!(fate_of(&report(&cases), target, None), expected, "{states:?}");
    }
}

#[test]
fn a_rerun_in_a_second_report_washes_no_failure_out() {
    let cases = [case(HERE, "a", CaseState::Failed), case(HERE, "a", CaseState::Passed)];
    assert_eq!(fate_of(&report(&cases), target("tests/test_greet.py", "a"), None), "fail 2");
}

#[test]
fn a_name_without_a_place_counts_only_while_it_is_the_only_one() {
    let one = case("a b", "a b", CaseState::Passed);
    let target = || target("test/greet.test.js", "a > b");
    assert_eq!(fate_of(&report(std::slice::from_ref(&one)), target(), None), "pass 1");
    let said = fate_of(&report(&[one.clone(), one]), target(), None);
    assert_eq!(said, "ambiguous: 2 cases are called `a b`, and the report does not say where they lie");
}

#[test]
fn a_namesake_elsewhere_says_nothing() {
    let mut ground = ground();
    ground.files = vec![RepoPath::from_git("a/tests/test_x.py"), RepoPath::from_git("b/tests/test_x.py")];
    let cases = [case("tests.test_x", "t", CaseState::Passed)];
    for wanted in [target("a/tests/test_x.py", "t"), target("a/tests/test_x.py", "")] {
        let found = matched(&report(&cases), &ground, &[wanted], &[], None);
        let ImportFate::Ambiguous { why, .. } = &found.fates[&0] else { panic!("{:?}", found.fates) };
        assert_eq!(why, "`tests.test_x` may be a/tests/test_x.py or b/tests/test_x.py");
    }
}

#[test]
fn one_name_of_two_scenarios_is_nobodys() {
    let cases = [case(HERE, "works", CaseState::Passed)];
    let both = [target("", "works"), ImportTarget { wanted: false, ..target("", "works") }];
    let cases = report(&cases);
    let found = matched(&cases, &ground(), &both, &[], None);
    assert!(
        matches!(&found.fates[&0], ImportFate::Ambiguous { why, .. } if why.starts_with("2 scenarios")),
        "{found:?}"
    );
    assert_eq!(found.fates.len(), 1);
    let alone = matched(&cases, &ground(), &both[..1], &[], None);
    assert!(matches!(alone.fates[&0], ImportFate::Reading { .. }));
}

#[test]
fn a_map_says_what_measures_what_and_which_of_its_lines_are_like_nothing() {
    let cases = [
        case(HERE, "adds[1]", CaseState::Passed),
        case(HERE, "adds[2]", CaseState::Passed),
        case("x", "adds[3]", CaseState::Failed),
    ];
    let line = |file: Option<&str>, classname: Option<&str>, name: &str| MappedCase {
        file: file.map(str::to_owned),
        classname: classname.map(str::to_owned),
        name: name.into(),
        target: 0,
    };
    let fate = |map: &[MappedCase]| {
        let found = matched(&report(&cases), &ground(), &[target("tests/test_greet.py", "gone")], map, None);
        (found.fates[&0].cases().to_vec(), found.idle)
    };
    assert_eq!(fate(&[line(None, None, "adds*")]), (vec![0, 1, 2], vec![]));
    assert_eq!(fate(&[line(Some("tests/*.py"), None, "adds*")]), (vec![0, 1], vec![]));
    assert_eq!(fate(&[line(None, Some("x"), "*"), line(None, None, "subtracts")]), (vec![2], vec![1]));
}

#[test]
fn what_measures_nothing_is_counted_and_what_is_called_almost_so_is_named() {
    let cases = [case(HERE, "test_greets", CaseState::Passed), case(HERE, "test_more", CaseState::Passed)];
    let targets = [target("tests/test_greet.py", "test_gretes")];
    let found = matched(&report(&cases), &ground(), &targets, &[], None);
    assert_eq!((found.unmatched, found.fates[&0].cases().len()), (vec![0, 1], 0));
    let near = |cases: &[TestCase], path: &str, name: &str| {
        let targets = [target(path, name)];
        let cases = report(cases);
        let matched = matched(&cases, &ground(), &targets, &[], None);
        near_names(&cases, &ground(), &targets, &matched, 5).first().map(|pair| pair.join(" -> "))
    };
    let said = |words: &str| Some(words.to_owned());
    assert_eq!(near(&cases, "tests/test_greet.py", "test_gretes"), said("`test_gretes` -> `test_greets`"));
    assert_eq!(
        near(&cases, "tests/unit/test_greet.py", "test_greets"),
        said("`test_greets` in tests/unit/test_greet.py -> it in tests/test_greet.py"),
        "the name is there, and the place is another"
    );
    let rust = [case("sample-greet", "greet::tests::says_hello", CaseState::Passed)];
    assert_eq!(near(&rust, "src/greet.rs", "says_hello"), said("`says_hello` -> `greet::tests::says_hello`"));
    assert_eq!(
        near(&rust, "tests/outside.rs", ""),
        said("cases of tests/outside.rs -> cases of src/greet.rs"),
        "a whole file is asked for"
    );
    let flaky = [case(HERE, "test_greets", CaseState::Flaky)];
    assert_eq!(near(&flaky, "tests/test_greet.py", "test_greets"), None, "it is there, and says nothing");
}

#[test]
fn a_failure_outside_of_any_test_goes_with_no_pass_of_its_place() {
    let mut go = files(&["go.mod", "pkg/a/a_test.go", "pkg/b/b_test.go"]);
    go.modules = vec![(RepoPath::root(), "example.org/c".into())];
    let main = include_bytes!("../../../../../../tests/data/reports/go-testmain.xml");
    let passed = String::from_utf8(main.to_vec()).unwrap().replace(
        "<testcase classname=\"\" name=\"TestMain\"",
        "<testcase classname=\"example.org/c/pkg/b\" name=\"TestB\"/><testcase classname=\"\" name=\"TestMain\"",
    );
    for report in [&main[..], passed.as_bytes()] {
        expect_on(
            &go,
            report,
            &[("pkg/a", "", "pass 1"), ("pkg/a/a_test.go", "TestA", "pass 1"), ("pkg/b", "TestMain", "fail 1")],
        );
    }
    expect_on(
        &go,
        passed.as_bytes(),
        &[
            ("pkg/b", "", "fail 2"),
            ("pkg", "", "fail 3"),
            ("pkg/b/b_test.go", "", "fail 2"),
            ("pkg/b/b_test.go", "TestB", "broken"),
            ("", "TestB", "broken"),
            ("", "TestA", "pass 1"),
        ],
    );
    // where the module is not known, the suite is the only place
    expect_on(&files(&["x.go"]), passed.as_bytes(), &[("", "TestB", "broken"), ("", "TestA", "pass 1")]);
    expect_on(&files(&["x.go"]), main, &[("", "TestA", "broken")]);
    expect_on(
        &files(&["jt/hook.test.js", "jt/load.test.js", "jt/other.test.js"]),
        include_bytes!("../../../../../../tests/data/reports/jest-hooks.xml"),
        &[("jt/hook.test.js", "k y", "broken"), ("jt/load.test.js", "", "fail 2"), ("jt/hook.test.js", "", "fail 4")],
    );
    expect_on(
        &files(&["vt/hook.test.mjs", "vt/load.test.mjs"]),
        include_bytes!("../../../../../../tests/data/reports/vitest-hooks.xml"),
        &[
            ("vt/hook.test.mjs", "k > y", "broken"),
            ("vt/hook.test.mjs", "top", "pass 1"),
            ("vt/load.test.mjs", "", "fail 1"),
        ],
    );
    expect_on(
        &files(&["nt.test.js", "nt2.test.js"]),
        include_bytes!("../../../../../../tests/data/reports/node.xml"),
        &[("nt.test.js", "y", "pass 1"), ("nt2.test.js", "y", "broken"), ("nt2.test.js", "", "fail 1")],
    );
    expect_on(
        &files(&["u.py", "other.py"]),
        include_bytes!("../../../../../../tests/data/reports/unittest.xml"),
        &[("u.py", "A.test_a", "broken"), ("u.py", "", "fail 5"), ("u.py", "test_s", "fail 1")],
    );
    // a failure of the whole run
    expect_on(
        &files(&["sums_test.cc"]),
        include_bytes!("../../../../../../tests/data/reports/googletest.xml"),
        &[("", "Sums.Adds", "broken"), ("", "Skips", "skipped")],
    );
}

#[test]
fn an_aborted_run_measures_no_scenario() {
    let ground = files(&["tests/test_x.py", "tests/test_y.py"]);
    let passed = "<testcase classname='tests.test_x' name='test_one'/>";
    let one = |cases: &str| format!("<testsuites><testsuite name='pytest' tests='1'>{cases}</testsuite></testsuites>");
    let two = |cases: &str| {
        format!(
            "<testsuites><testsuite name='a'>{passed}</testsuite><testsuite name='b'>{cases}</testsuite></testsuites>"
        )
    };
    for report in [
        one(&format!("{passed}<testcase time='0.000' />")),
        one(&format!("{passed}<testcase name=' ' classname='' time='0.000'><system-out>x</system-out></testcase>")),
        two("<testcase time='0.000' />"),
    ] {
        let wanted = [("tests/test_x.py", "", "broken"), ("tests/test_x.py", "test_one", "broken")];
        expect_on(&ground, report.as_bytes(), &wanted);
    }
    let report = parsed(one(&format!("{passed}<testcase time='0.000' />")).as_bytes());
    let found = matched(&report, &ground, &[target("tests/test_x.py", "")], &[], None);
    let why = "broken: `pytest`: the run ended within a test, so the report may lack others";
    assert!(matches!(&found.fates[&0], ImportFate::Skipped { why: said, .. } if said == why), "{:?}", found.fates);
    // a test may have an empty name if the report says how it ended
    let said = one(&format!("{passed}<testcase status='run' time='0.000' />"));
    expect_on(&ground, said.as_bytes(), &[("tests/test_x.py", "", "pass 1")]);
    let ctrf = |last: &str| {
        format!(
            r#"{{"reportFormat": "CTRF", "results": {{"summary": {{"failed": 0}}, "tests": [
                {{"name": "tests/test_x.py::test_one", "status": "passed", "start": 1795957465198, "stop": 1795957465199,
                  "suite": ["tests/test_x.py"], "filePath": "tests/test_x.py"}}, {last}]}}}}"#
        )
    };
    for last in [
        r#"{"name": "tests/test_y.py::test_two", "status": "passed", "duration": -1795957465199, "start": 1795957465199,
            "stop": 0, "suite": ["tests/test_y.py"], "filePath": "tests/test_y.py"}"#,
        r#"{"name": " ", "status": "passed"}"#,
    ] {
        let wanted = [("tests/test_x.py", "test_one", "broken"), ("tests/test_x.py", "", "broken")];
        expect_on(&ground, ctrf(last).as_bytes(), &wanted);
    }
    let whole = r#"{"name": "tests/test_y.py::test_two", "status": "passed", "start": 0, "stop": 0}"#;
    expect_on(&ground, ctrf(whole).as_bytes(), &[("tests/test_x.py", "", "pass 1")]);
}

/// A test that fails in a file that is not known, for example because git ignores it, beside tests that pass.
#[test]
fn a_failure_in_an_unknown_file_goes_with_no_pass_of_a_directory_that_may_hold_it() {
    let ground = files(&["src/test/java/acme/ATest.java", "tests/test_a.py", "web/tests/a.test.js"]);
    let held = |failed: &str, test: &str, name: &str| {
        let cases = "<testcase file='tests/test_a.py' name='t'/><testcase file='web/tests/a.test.js' name='u'/>\
                     <testcase classname='acme.ATest' name='v'/>";
        let xml = format!("<testsuites><testsuite>{cases}</testsuite><testsuite>{failed}</testsuite></testsuites>");
        let said = fate_on(&ground, &parsed(xml.as_bytes()), target(test, name), None);
        assert!(said == "broken" || said.starts_with("pass"), "{failed} {test}: {said}");
        said == "broken"
    };
    for (place, holding) in [
        ("classname='a class' file='tests/test_new.py'", &["tests", "tests/**/*.py", "web"][..]),
        ("classname='a class' file='tests/new/test_new.py'", &["tests", "tests/**/*.py", "web"]),
        ("classname='a class' file='/repo/tests/test_new.py'", &["tests", "tests/**/*.py"]),
        ("classname='a class' file='/home/ci/build/tests/test_new.py'", &["tests", "tests/**/*.py"]),
        ("classname='a class' file='C:\\build\\web\\tests\\new.test.js'", &["web", "tests"]),
        ("classname='a class' file='other/test_new.py'", &[]),
        ("classname='a class' file='test_new.py'", &["tests", "tests/**/*.py", "web", "src"]),
        ("classname='tests.test_new.TestNew'", &["tests", "tests/**/*.py", "web"]),
        ("classname='acme.NewTest'", &["src"]),
        ("classname='com.other.NewTest'", &[]),
        ("classname='web/tests/new.test.js'", &["web"]),
    ] {
        for test in ["tests", "tests/**/*.py", "web", "src"] {
            let failed = format!("<testcase {place} name='x'><failure/></testcase>");
            assert_eq!(held(&failed, test, ""), holding.contains(&test), "{place} {test}");
        }
        let failed = format!("<testcase {place} name='x'><failure/></testcase>");
        assert!(!held(&failed, "tests", "t"), "another test of the directory: {place}");
    }
    // what belongs to no test concerns each test of the directory
    let load = "<testcase file='tests/test_new.py' classname='c' name='setUpClass (C)'><error/></testcase>";
    assert!(held(load, "tests", "t") && held(load, "tests", "") && !held(load, "src", ""));
    let suite = "<testsuite file='tests/test_new.py' errors='1'><testcase name='x'/></testsuite>";
    assert!(held(suite, "tests", "t") && held(suite, "tests", "") && !held(suite, "src", ""));
    let ctrf = |place: &str| {
        format!(
            r#"{{"reportFormat": "CTRF", "results": {{"tests": [
                {{"name": "t", "status": "passed", "filePath": "tests/test_a.py", "suite": "a"}},
                {{"status": "failed", "suite": "b", {place}}}]}}}}"#
        )
    };
    for place in [r#""name": "x", "filePath": "tests/test_new.py""#, r#""name": "tests/test_new.py::x""#] {
        expect_on(&ground, ctrf(place).as_bytes(), &[("tests", "", "broken"), ("tests", "t", "pass 1")]);
    }
}

#[test]
fn the_reason_names_what_is_broken() {
    let why = |ground: &TestGround, report: &[u8], path: &str, name: &str| {
        let found = matched(&parsed(report), ground, &[target(path, name)], &[], None);
        match &found.fates[&0] {
            ImportFate::Skipped { why, .. } => why.clone(),
            other => panic!("{other:?}"),
        }
    };
    let python = files(&["tests/test_a.py", "tests/test_b.py"]);
    for (report, name, expected) in [
        (
            "<testsuite name='pytest'><testcase classname='tests.test_a' name='t'/><testcase classname='pytest' \
             name='internal'><error/></testcase></testsuite>",
            "t",
            "broken: `internal` failed outside of any test, and the report does not say where",
        ),
        (
            "<testsuite name='pytest'><testcase classname='tests.test_a' name='t'/><testcase classname='' \
             name='tests.test_a'><error/></testcase></testsuite>",
            "t",
            "broken: `tests.test_a` failed in tests/test_a.py, outside of any test",
        ),
        (
            "<testsuites><testsuite name='s' errors='1'><testcase classname='tests.test_a' name='t'/></testsuite></testsuites>",
            "t",
            "broken: `s`: it counts 1 failure, and its cases lack 1 of them",
        ),
        (
            "<testsuites errors='1'><testsuite name='s'><testcase classname='tests.test_a' name='t'/></testsuite></testsuites>",
            "t",
            "broken: the report: it counts 1 failure, and its cases lack 1 of them",
        ),
        (
            "<testsuites><testsuite name='s'><error message='no browser'/><testcase classname='tests.test_a' \
             name='t'/></testsuite></testsuites>",
            "t",
            "broken: `s`: no browser",
        ),
        (
            "<testsuite name='s'><testcase file='tests/test_a.py' name='k > t'/><testcase file='tests/test_a.py' \
             name='k'><failure/></testcase></testsuite>",
            "k > t",
            "broken: `k` failed, and the test is a part of it",
        ),
        (
            "<testsuite name='s'><testcase file='tests/test_a.py' name='t'/><testcase name='u'><failure/></testcase></testsuite>",
            "",
            "broken: `u` failed in its suite, and the report does not say in which file",
        ),
        (
            "<testsuite name='s'><testcase file='tests/test_a.py' name='t'/><testcase file='tests/test_a.py/new' \
             name='u'><failure/></testcase></testsuite>",
            "",
            "broken: `u` failed in `tests/test_a.py/new`, which may lie in the test's path and is no known file",
        ),
    ] {
        assert_eq!(why(&python, report.as_bytes(), "tests/test_a.py", name), expected, "{report}");
    }
}

#[test]
fn a_name_means_all_its_parameters_however_its_runner_spells_them() {
    expect_on(
        &files(&["phpunit/tests/CalcTest.php"]),
        include_bytes!("../../../../../../tests/data/reports/phpunit.xml"),
        &[
            ("phpunit/tests/CalcTest.php", "testData", "fail 3"),
            ("phpunit/tests/CalcTest.php", "testData with data set #0", "pass 1"),
            ("phpunit/tests/CalcTest.php", "testAdds", "pass 1"),
            ("phpunit/tests/CalcTest.php", "CalcTest::testData", "fail 3"),
        ],
    );
    expect_on(
        &files(&["features/pay.feature"]),
        include_bytes!("../../../../../../tests/data/reports/behave.xml"),
        &[
            ("features/pay.feature", "many", "pass 2"),
            ("features/pay.feature", "many -- @1.1", "pass 1"),
            ("features/pay.feature", "by card", "pass 1"),
            ("features/pay.feature", "undefined step", "fail 1"),
        ],
    );
    expect_on(
        &files(&["features/pay.feature"]),
        include_bytes!("../../../../../../tests/data/reports/cucumber-js.xml"),
        &[("features/pay.feature", "many", "fail 2"), ("features/pay.feature", "by card", "pass 1")],
    );
    for file in ["sections.cpp", "t.cpp"] {
        expect_on(
            &files(&[file]),
            include_bytes!("../../../../../../tests/data/reports/catch2.xml"),
            &[
                (file, "sections", "fail 2"),
                (file, "sections/good", "pass 1"),
                (file, "adds numbers", "pass 1"),
                (file, "fails", "fail 1"),
            ],
        );
    }
}

#[test]
fn names_of_pytest_are_read_in_both_formats_and_from_all_their_tries() {
    expect_on(
        &files(&["tests/test_calc.py"]),
        include_bytes!("../../../../../../tests/data/reports/pytest-ctrf.json"),
        &[
            ("tests/test_calc.py", "test_par", "pass 3"),
            ("tests/test_calc.py", "test_par[1-2]", "pass 1"),
            ("tests/test_calc.py", "TestIn::test_bad", "fail 1"),
            ("tests/test_calc.py", "test_bad", "fail 1"),
            ("tests/test_calc.py", "TestIn.TestDeep.test_add", "pass 1"),
            ("tests/test_calc.py", "test_xf", "pass 1"),
            ("tests/test_calc.py", "", "fail 11"),
            ("", "test_xf", "pass 1"),
            ("", "tests/test_calc.py::test_xf", "pass 1"),
        ],
    );
    expect_on(
        &files(&["tests/test_calc.py"]),
        include_bytes!("../../../../../../tests/data/reports/pytest-reruns.xml"),
        &[
            ("tests/test_calc.py", "test_bad", "fail 1"),
            ("", "test_bad", "fail 1"),
            ("tests/test_calc.py", "test_td", "fail 1"),
            ("tests/test_calc.py", "test_xf", "pass 1"),
            ("tests/test_calc.py", "test_xps", "fail 1"),
            ("tests/test_calc.py", "test_par", "pass 3"),
        ],
    );
    let flaky = "<testsuites name='pytest tests'><testsuite name='pytest'><testcase classname='tests.test_calc' name='a'/>\
                 <testcase classname='tests.test_calc' name='a'/></testsuite></testsuites>";
    expect_on(
        &files(&["tests/test_calc.py"]),
        flaky.as_bytes(),
        &[("tests/test_calc.py", "a", "flaky"), ("", "a", "flaky")],
    );
}

#[test]
fn names_of_googletest_are_read_with_and_without_files() {
    let mut google = include_str!("../../../../../../tests/data/reports/googletest.xml").to_owned();
    google
        .replace_range(google.find("  <testsuite name=\"NonTest").unwrap()..google.find("</testsuites>").unwrap(), "");
    expect_on(&files(&[]), google.as_bytes(), &[("", "Sums.Adds", "broken")]);
    let google = google.replace("failures=\"1\"", "failures=\"0\"");
    let mut ground = files(&["tests/params.cc"]);
    expect_on(&ground, google.as_bytes(), &[("", "Sums.Adds", "pass 1"), ("", "Skips", "skipped")]);
    ground.files.push(RepoPath::from_git("tests/sums_test.cc"));
    let google = google.replace("classname=\"Few/Params\"", "classname=\"Few/Params\" file=\"sums_test.cc\"");
    expect_on(&ground, google.as_bytes(), &[("tests/sums_test.cc", "Adds", "pass 2")]);
}
