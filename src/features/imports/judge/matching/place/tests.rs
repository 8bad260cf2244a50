use super::*;
use crate::features::imports::model::test_report::{CaseState, TestCase, TestReport, TestSuite};

fn ground(files: &[&str]) -> TestGround {
    let path = |text: &&str| RepoPath::parse(text.as_bytes()).unwrap();
    let mut files: Vec<RepoPath> = files.iter().map(path).collect();
    files.sort();
    TestGround { top: "/srv/repo".into(), files, modules: Vec::new(), crates: Vec::new() }
}

/// A report with one case; the nearest of its suites is the first.
fn case(file: Option<&str>, suites: &[&str], classname: &str, name: &str) -> TestReport {
    let mut report = TestReport { cases: Vec::new(), suites: vec![TestSuite::default()] };
    for (around, name) in suites.iter().rev().enumerate() {
        report.suites.push(TestSuite { name: (*name).into(), around: Some(around), ..TestSuite::default() });
    }
    report.cases.push(TestCase {
        file: file.map(str::to_owned),
        suite: suites.len(),
        classname: classname.into(),
        name: name.into(),
        state: CaseState::Passed,
        told: Vec::new(),
        tries: Vec::new(),
    });
    report
}

/// The place of a case, files separated by blanks, and its class after a bar.
fn of(ground: &TestGround, report: &TestReport) -> String {
    let placed = Places::new(ground).of(report, &report.cases[0]);
    let place = match placed.place {
        CasePlace::Files(files) => files.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        CasePlace::Package(dir) => format!("package {dir}"),
        CasePlace::Unsaid => "unsaid".into(),
        CasePlace::Elsewhere => "elsewhere".into(),
    };
    if placed.class.is_empty() { place } else { format!("{place}|{}", placed.class) }
}

#[test]
fn a_file_is_told_by_its_path_wherever_the_tests_ran() {
    let ground = ground(&["a/tests/x.py", "b/tests/x.py", "tests/y.py", "y.py", "c.test.js"]);
    for (file, expected) in [
        ("tests/y.py", "tests/y.py"),
        ("./tests/y.py", "tests/y.py"),
        ("tests\\y.py", "tests/y.py"),
        ("/srv/repo/tests/y.py", "tests/y.py"),
        ("/srv/repo/gone/y.py", "elsewhere"),
        // from another machine
        ("/home/ci/build/tests/y.py", "tests/y.py"),
        ("C:/build/tests/y.py", "tests/y.py"),
        ("/home/ci/y.py", "y.py"),
        // one of two, and it is unknown which
        ("tests/x.py", "a/tests/x.py b/tests/x.py"),
        ("../b/tests/x.py", "b/tests/x.py"),
        ("z.py", "elsewhere"),
        ("ests/y.py", "elsewhere"),
    ] {
        assert_eq!(of(&ground, &case(Some(file), &[], "", "n")), expected, "{file}");
    }
}

#[test]
fn a_class_or_a_suite_may_be_called_as_its_file() {
    let ground = ground(&["vi/greet.spec.mjs", "test/greet.test.js"]);
    assert_eq!(of(&ground, &case(None, &["x"], "vi/greet.spec.mjs", "n")), "vi/greet.spec.mjs");
    assert_eq!(of(&ground, &case(None, &["in", "test/greet.test.js"], "greet", "n")), "test/greet.test.js|greet");
}

#[test]
fn a_dotted_class_begins_with_its_file() {
    let ground = ground(&[
        "tests/test_greet.py",
        "tests/unit/test_greet.py",
        "src/test/java/com/acme/GreeterTest.java",
        "app/tests/test_far.py",
        "test/greet.test.js",
    ]);
    for (classname, expected) in [
        ("tests.test_greet", "tests/test_greet.py"),
        ("tests.test_greet.TestGreeter", "tests/test_greet.py|TestGreeter"),
        ("tests.unit.test_greet", "tests/unit/test_greet.py"),
        ("com.acme.GreeterTest", "src/test/java/com/acme/GreeterTest.java"),
        ("com.acme.GreeterTest$Polite", "src/test/java/com/acme/GreeterTest.java|Polite"),
        ("tests.test_far.TestFar", "app/tests/test_far.py|TestFar"),
        // node:test writes this word for every case
        ("test", "unsaid"),
        ("greet", "elsewhere|greet"),
        ("other.tests.test_greet", "elsewhere|other.tests.test_greet"),
    ] {
        assert_eq!(of(&ground, &case(None, &["pytest"], classname, "n")), expected, "{classname}");
    }
    let older = case(Some("tests/test_greet.py"), &[], "tests.test_greet.TestGreeter", "n");
    assert_eq!(of(&ground, &older), "tests/test_greet.py|TestGreeter");
    // pytest could not import the file
    assert_eq!(of(&ground, &case(None, &["pytest"], "", "tests.unit.test_greet")), "tests/unit/test_greet.py");
}

#[test]
fn the_same_ending_in_two_directories_leaves_both_open() {
    let ground = ground(&["a/tests/test_x.py", "b/tests/test_x.py"]);
    assert_eq!(of(&ground, &case(None, &[], "tests.test_x", "n")), "a/tests/test_x.py b/tests/test_x.py");
    assert_eq!(of(&ground, &case(None, &[], "b.tests.test_x", "n")), "b/tests/test_x.py");
}

#[test]
fn a_go_package_is_its_directory_in_the_nearest_module() {
    let mut ground = ground(&["go.mod", "greet/greet_test.go", "inner/go.mod", "inner/x/x_test.go"]);
    let dir = |text: &str| RepoPath::from_git(text);
    ground.modules = vec![(dir(""), "example.org/sample".into()), (dir("inner"), "example.org/sample/inner".into())];
    for (classname, expected) in [
        ("example.org/sample/greet", "package greet"),
        ("example.org/sample", "package "),
        ("example.org/sample/inner/x", "package inner/x"),
        ("example.org/other/greet", "elsewhere|example.org/other/greet"),
        ("example.org/sampler", "elsewhere|example.org/sampler"),
    ] {
        assert_eq!(of(&ground, &case(None, &[], classname, "TestX")), expected, "{classname}");
    }
}

#[test]
fn a_rust_test_lies_in_the_deepest_module_that_has_a_file() {
    let mut ground = ground(&[
        "one/src/lib.rs",
        "one/src/greet.rs",
        "one/src/deep/mod.rs",
        "one/src/deep/er.rs",
        "one/src/bin/hello.rs",
        "one/tests/outside.rs",
        "one/tests/it/main.rs",
        "one/tests/it/part.rs",
        "two/src/lib.rs",
        "two/src/main.rs",
    ]);
    let package = |dir: &str, name: &str| (RepoPath::from_git(dir), name.to_owned());
    ground.crates = vec![package("one", "first"), package("two", "second")];
    for (classname, name, expected) in [
        ("first", "greet::tests::says", "one/src/greet.rs"),
        ("first", "tests::says", "one/src/lib.rs"),
        ("first", "deep::tests::says", "one/src/deep/mod.rs"),
        ("first", "deep::er::tests::says", "one/src/deep/er.rs"),
        ("first::outside", "says", "one/tests/outside.rs"),
        ("first::it", "part::says", "one/tests/it/part.rs"),
        ("first::it", "says", "one/tests/it/main.rs"),
        ("first::bin/hello", "runs", "one/src/bin/hello.rs"),
        ("second", "greet::tests::says", "two/src/lib.rs"),
        ("second::bin/second", "tests::runs", "two/src/main.rs"),
        ("second::outside", "says", "two/src/main.rs"),
        ("third", "tests::says", "elsewhere|third"),
    ] {
        assert_eq!(of(&ground, &case(None, &[classname], classname, name)), expected, "{classname} {name}");
    }
}

#[test]
fn a_class_that_is_a_sentence_or_the_name_itself_is_no_place() {
    let ground = ground(&["test/greet.test.js"]);
    for (classname, name) in
        [("", "n"), ("greet says hello", "greet says hello"), ("n", "n"), (" stands alone", " stands alone")]
    {
        assert_eq!(of(&ground, &case(None, &["greet"], classname, name)), "unsaid", "{classname}");
    }
}

#[test]
fn a_class_that_its_runner_writes_for_no_place_is_none() {
    let ground = ground(&["features/pay.feature", "src/sums.cpp", "test.js", "lib/top.js", "tests/test.py"]);
    for (suite, classname, name, expected) in [
        // node:test
        ("k", "test", "top", "unsaid"),
        ("k", "test", "/srv/repo/lib/top.js", "lib/top.js"),
        // Catch2
        ("prog", "prog.global", "adds", "unsaid"),
        ("prog", "prog.Fixture", "adds", "unsaid"),
        ("sums", "sums.global", "adds", "src/sums.cpp|global"),
        // cucumber-js
        ("Cucumber", "Pay", "by card", "unsaid"),
        ("com.acme.Sums", "com.acme.Sums.Inner", "adds", "elsewhere|com.acme.Sums.Inner"),
        // jest-junit
        ("lib/top.js", "Test suite failed to run", "lib/top.js", "lib/top.js|Test suite failed to run"),
    ] {
        assert_eq!(of(&ground, &case(None, &[suite], classname, name)), expected, "{suite} {classname} {name}");
    }
    let mut python = self::ground(&["test.py"]);
    assert_eq!(of(&python, &case(None, &["pytest"], "test", "test_a")), "test.py");
    python.files.push(RepoPath::from_git("top.js"));
    assert_eq!(of(&python, &case(None, &[], "", "top")), "unsaid", "only Python names a file by one word");
}

#[test]
fn a_node_id_says_file_class_and_name() {
    let ground = ground(&["tests/test_calc.py"]);
    let id = case(None, &[], "", "tests/test_calc.py::TestIn::TestDeep::test_add[a::b]");
    let placed = Places::new(&ground).of(&id, &id.cases[0]);
    assert_eq!((placed.class.as_str(), placed.name.as_str()), ("TestIn.TestDeep", "test_add[a::b]"));
    assert_eq!(of(&ground, &id), "tests/test_calc.py|TestIn.TestDeep");
    assert_eq!(of(&ground, &case(None, &[], "", "tests/gone.py::test_add")), "unsaid");
    assert_eq!(of(&ground, &case(Some("tests/gone.py"), &[], "", "tests/test_calc.py::test_add")), "elsewhere");
}

#[test]
fn a_failed_test_main_lies_in_the_package_of_its_suite() {
    let mut ground = ground(&["go.mod", "pkg/b/b_test.go"]);
    ground.modules = vec![(RepoPath::root(), "example.org/c".into())];
    assert_eq!(of(&ground, &case(None, &["example.org/c/pkg/b"], "", "TestMain")), "package pkg/b");
}

#[test]
fn a_package_is_told_by_what_declares_it() {
    assert_eq!(cargo_package("[package]\nname = \"a\" # b\n").as_deref(), Some("a"));
    assert_eq!(cargo_package("[workspace]\nname = \"a\"\n[package]\nversion = \"1\"\n[lib]\nname = \"b\"\n"), None);
}
