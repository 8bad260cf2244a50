use super::*;
use crate::model::ledger::Status;
use crate::model::source::Position;
use crate::text::test_report::{CaseState, ctrf, junit};

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
    ImportTarget { name: if test.is_none() { name.to_owned() } else { "s".into() }, test, wanted: true }
}

/// The fate of one scenario, in a word and the number of its cases.
fn fate_of(cases: &[TestCase], target: ImportTarget, flaky: Option<FlakyMeans>) -> String {
    let found = matched(cases, &ground(), &[target], &[], flaky);
    match &found.fates[&0] {
        ImportFate::Reading { status: Status::Pass, cases } => format!("pass {}", cases.len()),
        ImportFate::Reading { status: Status::Fail, cases } => format!("fail {}", cases.len()),
        ImportFate::Skipped { why, .. } => why.split(':').next().unwrap_or_default().to_owned(),
        ImportFate::Ambiguous { why, .. } => format!("ambiguous: {why}"),
        ImportFate::Unmatched => "none".into(),
    }
}

#[track_caller]
fn expect(report: &[u8], wanted: &[(&str, &str, &str)]) {
    let cases = if report.starts_with(b"{") { ctrf::parse(report) } else { junit::parse(report) }.unwrap();
    for (path, name, expected) in wanted {
        assert_eq!(fate_of(&cases, target(path, name), None), *expected, "{path} {name}");
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
        ("tests/test_greet.py", "test_known", "skipped"),
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
    expect(include_bytes!("../../../tests/data/reports/pytest.xml"), &wanted);
    expect(include_bytes!("../../../tests/data/reports/pytest-xunit1.xml"), &wanted);
}

#[test]
fn scenarios_find_their_cases_in_reports_of_jest() {
    expect(
        include_bytes!("../../../tests/data/reports/jest-file.xml"),
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
        include_bytes!("../../../tests/data/reports/jest.xml"),
        &[
            ("test/greet.test.js", "greet says hello", "pass 1"),
            ("test/greet.test.js", "greet > refuses nobody", "fail 1"),
            ("test/other.test.js", "stands alone", "pass 1"),
            ("test/other.test.js", "", "none"),
            ("", "greet says hello", "pass 1"),
        ],
    );
    expect(
        include_bytes!("../../../tests/data/reports/jest-ctrf.json"),
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
        include_bytes!("../../../tests/data/reports/vitest.xml"),
        &[
            ("vi/greet.spec.mjs", "greet > says hello", "pass 1"),
            ("vi/greet.spec.mjs", "greet::refuses nobody", "fail 1"),
            ("vi/greet.spec.mjs", "greet > is planned", "skipped"),
            ("test/greet.test.js", "greet > says hello", "none"),
        ],
    );
    expect(
        include_bytes!("../../../tests/data/reports/nextest.xml"),
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
        include_bytes!("../../../tests/data/reports/go.xml"),
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
        include_bytes!("../../../tests/data/reports/surefire.xml"),
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
    let classname = classname.to_owned();
    TestCase { file: None, suites: Vec::new(), classname, name: name.into(), state, told: Vec::new() }
}

const HERE: &str = "tests.test_greet";

#[test]
fn all_cases_of_a_scenario_must_have_passed_at_the_first_try() {
    use CaseState::{Failed, Flaky, Passed, Skipped};
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
        (&[], None, "none"),
    ] {
        let cases: Vec<_> = states.iter().map(|state| case(HERE, "a", *state)).collect();
        assert_eq!(fate_of(&cases, target("tests/test_greet.py", "a"), flaky), expected, "{states:?} {flaky:?}");
    }
}

#[test]
fn a_rerun_in_a_second_report_washes_no_failure_out() {
    let cases = [case(HERE, "a", CaseState::Failed), case(HERE, "a", CaseState::Passed)];
    assert_eq!(fate_of(&cases, target("tests/test_greet.py", "a"), None), "fail 2");
}

#[test]
fn a_name_without_a_place_counts_only_while_it_is_the_only_one() {
    let one = case("a b", "a b", CaseState::Passed);
    let target = || target("test/greet.test.js", "a > b");
    assert_eq!(fate_of(std::slice::from_ref(&one), target(), None), "pass 1");
    let said = fate_of(&[one.clone(), one], target(), None);
    assert_eq!(said, "ambiguous: 2 cases are called `a b`, and the report does not say where they lie");
}

#[test]
fn a_namesake_elsewhere_says_nothing() {
    let mut ground = ground();
    ground.files = vec![RepoPath::from_git("a/tests/test_x.py"), RepoPath::from_git("b/tests/test_x.py")];
    let cases = [case("tests.test_x", "t", CaseState::Passed)];
    for wanted in [target("a/tests/test_x.py", "t"), target("a/tests/test_x.py", "")] {
        let found = matched(&cases, &ground, &[wanted], &[], None);
        let ImportFate::Ambiguous { why, .. } = &found.fates[&0] else { panic!("{:?}", found.fates) };
        assert_eq!(why, "`tests.test_x` may be a/tests/test_x.py or b/tests/test_x.py");
    }
}

#[test]
fn one_name_of_two_scenarios_is_nobodys() {
    let cases = [case(HERE, "works", CaseState::Passed)];
    let both = [target("", "works"), ImportTarget { wanted: false, ..target("", "works") }];
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
        let found = matched(&cases, &ground(), &[target("tests/test_greet.py", "gone")], map, None);
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
    let found = matched(&cases, &ground(), &targets, &[], None);
    assert_eq!((found.unmatched, found.fates[&0].cases().len()), (vec![0, 1], 0));
    let near = |cases: &[TestCase], path: &str, name: &str| {
        let targets = [target(path, name)];
        let matched = matched(cases, &ground(), &targets, &[], None);
        near_names(cases, &ground(), &targets, &matched, 5).first().map(|pair| pair.join(" -> "))
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
