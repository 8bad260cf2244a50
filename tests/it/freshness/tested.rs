//! The test of a scenario is an evaluator, and its content is the version (freshness.md, case 68), through the whole program.

use super::*;
use crate::support::validate_published;
use serde_json::{Value, json};

const FILE: &str = ".spec/n/yatsu.md";
const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const TEST: &str = "tests/test_a.py";

/// The source of two tests with these asserts.
fn source(a: &str, b: &str) -> String {
    format!("class TestA:\n    def test_a(self):\n        assert {a}\n\n    def test_b(self):\n        assert {b}\n")
}

fn declare_test(s: &Scratch, test: &str) {
    let file = crate::support::scenarios(&[("s", "src/a.rs")]);
    let test = if test.is_empty() { String::new() } else { format!("    test: {test}\n") };
    s.write(FILE, file.replace("    code:", &format!("{test}    code:")));
}

/// A repository with a scenario, its test and a committed pass.
fn measured(test: &str) -> Scratch {
    let s = repo("src/a.rs");
    s.write(TEST, source("a() == 1", "b() == 2"));
    declare_test(&s, test);
    s.commit("a test");
    pass(&s);
    s
}

fn pass(s: &Scratch) {
    s.yatsu(&["eval", "n", "--scenario", "s", "--pass"]).expect(0);
    s.commit("measured");
}

fn last_line(s: &Scratch) -> Value {
    serde_json::from_str(s.read(LEDGER).lines().last().unwrap()).unwrap()
}

/// The stale axes, and what moved.
#[track_caller]
fn stale(s: &Scratch) -> (String, Vec<String>) {
    let json = validate_published(&s.yatsu(&["show", "n", "--format", "json"]).expect(0).out);
    let row = &json["scenarios"][0];
    let axes: Vec<&str> = row["axes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let counting = row["readings"].as_array().unwrap().iter().find(|reading| reading["counts"] == true).unwrap();
    let named = |moved: &Value| {
        let why = moved["why"].as_str().unwrap_or("governed");
        format!("{} {why}", moved["path"].as_str().unwrap())
    };
    (axes.join(" "), counting["drift"].as_array().unwrap().iter().map(named).collect())
}

fn fresh() -> (String, Vec<String>) {
    Default::default()
}

fn changed(path: &str) -> (String, Vec<String>) {
    ("evaluator".to_owned(), vec![format!("{path} the test changed")])
}

#[test]
fn case_68_an_edited_test_is_stale_on_the_evaluator() {
    let s = measured(TEST);
    assert_eq!(last_line(&s)["test"], json!({TEST: s.git(&["hash-object", TEST])}));
    assert_eq!(stale(&s), fresh());
    s.write(TEST, source("a() == 1", "True"));
    assert_eq!(stale(&s), changed(TEST));
    let finding = staged(&s, "yatsu-drift");
    assert!(only(&finding)["message"].as_str().unwrap().ends_with("is stale: the test changed"), "{finding:#?}");
    let by_memo = s.yatsu(&["pre-commit"]).expect(0).err;
    assert!(by_memo.contains("is stale: the test changed") && by_memo.contains(TEST), "{by_memo}");
    let base = s.head();
    s.commit("weakened");
    let review = s.yatsu(&["report", "--pr", "--from", &base, "--to", "HEAD"]).out;
    assert!(review.contains("evaluator: the test changed"), "{review}");
    let listed = s.yatsu(&["ls"]).expect(0).out;
    assert!(listed.contains("evaluator: the test changed"), "{listed}");
    let page = s.yatsu(&["report", "--html", "-"]).expect(0).out;
    assert!(page.contains("the test changed"), "{page}");
    let impact = s.yatsu(&["impact", TEST]).expect(0).out;
    assert!(impact.contains("n/s"), "{impact}");
    // what the test said before counts again with the test
    s.git(&["revert", "-n", "HEAD"]);
    assert_eq!(stale(&s), fresh());
}

#[test]
fn case_68_another_test_of_the_file_does_not_matter_to_a_named_one() {
    for name in ["TestA::test_a", "TestA.test_a", "test_a"] {
        let s = measured(&format!("{{path: {TEST}, name: '{name}'}}"));
        let stamped = last_line(&s)["test"].clone();
        let keys: Vec<&String> = stamped.as_object().unwrap().keys().collect();
        assert_eq!(keys, [TEST, &format!("{TEST}#{}", name.replace("::", "."))], "{stamped}");
        s.write(TEST, source("a() == 1", "True"));
        assert_eq!(stale(&s), fresh(), "{name}");
        s.write(TEST, source("True", "b() == 2"));
        assert_eq!(stale(&s), changed(TEST), "{name}");
    }
    // a name that is no unit: the file
    let s = measured(&format!("{{path: {TEST}, name: adds two numbers}}"));
    assert_eq!(last_line(&s)["test"].as_object().unwrap().len(), 1);
    s.write(TEST, source("a() == 1", "True"));
    assert_eq!(stale(&s), changed(TEST));
}

#[test]
fn case_68_renamed_with_the_declaration_corrected_is_fresh() {
    for test in [TEST.to_owned(), format!("{{path: {TEST}, name: test_a}}")] {
        let s = measured(&test);
        s.git(&["mv", TEST, "tests/test_z.py"]);
        declare_test(&s, &test.replace("test_a.py", "test_z.py"));
        s.commit("renamed");
        assert_eq!(stale(&s), fresh(), "{test}");
        s.write("tests/test_z.py", source("True", "b() == 2"));
        assert_eq!(stale(&s).0, "evaluator", "{test}");
    }
}

#[test]
fn case_68_an_old_line_without_the_field_is_not_asked() {
    let s = measured(TEST);
    let mut line = last_line(&s);
    line.as_object_mut().unwrap().remove("test");
    s.write(LEDGER, format!("{line}\n"));
    s.write(TEST, "pass\n");
    assert_eq!(stale(&s), fresh());
    // filing the same again adds the test
    s.yatsu(&["eval", "n", "--scenario", "s", "--pass"]).expect(0);
    assert_eq!(s.read(LEDGER).lines().count(), 2);
    assert!(last_line(&s)["test"].is_object());
}

#[test]
fn a_dropped_test_is_compared_where_it_was_measured_and_another_one_did_not_measure() {
    let s = measured(TEST);
    declare_test(&s, "");
    s.commit("no test");
    assert_eq!(stale(&s), fresh(), "what measured is here");
    s.write(TEST, "pass\n");
    assert_eq!(stale(&s), changed(TEST));
    // another test: it stood at the commit, is a copy, or is new
    for (other, is_new) in [("pass\n", false), (&*source("a() == 1", "b() == 2"), false), ("pass\n", true)] {
        let s = repo("src/a.rs");
        s.write(TEST, source("a() == 1", "b() == 2"));
        let add = || s.write("tests/other.py", other);
        if !is_new {
            add();
        }
        declare_test(&s, TEST);
        s.commit("a test");
        pass(&s);
        add();
        declare_test(&s, "tests/other.py");
        s.commit("another test");
        assert_eq!(stale(&s), changed("tests/other.py"), "{other} new: {is_new}");
        pass(&s);
        assert_eq!(stale(&s), fresh());
    }
    // a test that was declared later did not measure
    let s = measured("");
    declare_test(&s, TEST);
    s.commit("a test for the future");
    assert_eq!(stale(&s), fresh());
}

#[test]
fn another_name_in_the_same_file_is_another_test() {
    let named = |path: &str, name: &str| format!("{{path: {path}, name: '{name}'}}");
    let whole = || TEST.to_owned();
    for (was, is, is_fresh) in [
        (named(TEST, "test_a"), named(TEST, "test_b"), false),
        (named(TEST, "TestA::test_a"), named(TEST, "TestA::test_b"), false),
        // the whole file has more tests than the one that ran
        (named(TEST, "test_a"), whole(), false),
        (whole(), named(TEST, "test_a"), true),
        (named(TEST, "TestA::test_a"), named(TEST, "TestA.test_a"), true),
    ] {
        let s = measured(&was);
        declare_test(&s, &is);
        s.commit("another test");
        assert_eq!(stale(&s), if is_fresh { fresh() } else { changed(TEST) }, "{was} to {is}");
        s.write("other.txt", "x");
        s.commit("beside it");
        pass(&s);
        assert_eq!(stale(&s), fresh(), "{was} to {is}");
    }
    // a later reading of the other test hides none of this one
    let s = measured(&named(TEST, "test_a"));
    declare_test(&s, &named(TEST, "test_b"));
    s.commit("another test");
    s.yatsu(&["eval", "n", "--scenario", "s", "--fail"]).expect(0);
    declare_test(&s, &named(TEST, "test_a"));
    s.commit("this one again");
    assert_eq!(stale(&s), fresh());
    // the file is renamed, and another test of it named
    let s = measured(&named(TEST, "test_a"));
    s.git(&["mv", TEST, "tests/test_z.py"]);
    declare_test(&s, &named("tests/test_z.py", "test_b"));
    s.commit("renamed, and another test");
    assert_eq!(stale(&s), changed("tests/test_z.py"));
}

#[test]
fn the_reading_that_counts_is_one_of_this_test() {
    let s = measured(TEST);
    let strong = s.read(TEST);
    s.write(TEST, "pass\n");
    s.commit("weakened");
    s.yatsu(&["eval", "n", "--scenario", "s", "--fail"]).expect(0);
    s.commit("measured with the weak one");
    assert_eq!(stale(&s), fresh());
    s.write(TEST, strong);
    s.commit("strong again");
    let json = validate_published(&s.yatsu(&["show", "n", "--format", "json"]).expect(0).out);
    let readings = json["scenarios"][0]["readings"].as_array().unwrap();
    let counts: Vec<&str> =
        readings.iter().filter(|one| one["counts"] == true).filter_map(|one| one["verdict"].as_str()).collect();
    assert_eq!(counts, ["pass"], "the earlier one, of the strong test");
    assert_eq!(stale(&s), fresh());
}

#[test]
fn a_wrong_stamp_of_a_test_is_refused_when_it_is_added() {
    let s = measured(TEST);
    let line = s.read(LEDGER);
    let forged = line.trim_end().replacen("\"ts\":\"2", "\"note\":\"\",\"ts\":\"3", 1);
    for (test, said) in [
        ("7", "must be an object"),
        ("{\"a\":\"7\"}", "must have an id"),
        ("{\"a\":\"1111111111111111111111111111111111111111111111111111111111111111\"}", "is no id of this repository"),
    ] {
        let mut added: Value = serde_json::from_str(&forged).unwrap();
        added["test"] = serde_json::from_str(test).unwrap();
        added["ts"] = json!("2026-01-01T00:00:00.000Z");
        s.write(LEDGER, format!("{line}{added}\n"));
        let found = staged(&s, "ledger-schema");
        assert!(only(&found)["message"].as_str().unwrap().contains(said), "{test}: {found:#?}");
    }
}

#[test]
fn begin_covers_the_test() {
    let s = measured(TEST);
    let token = s.yatsu(&["begin", "n"]).expect(0).out.trim().to_owned();
    s.write(TEST, source("True", "True"));
    let said = s.yatsu(&["eval", "n", "--scenario", "s", "--pass", "--began", &token]).expect(1);
    assert!(said.err.contains(TEST), "{}", said.err);
}

/// 257 test files, and a path with a `#`: the commit testifies.
#[test]
fn a_test_without_a_stamp_is_compared_with_the_commit() {
    let many = |s: &Scratch| (0..257).for_each(|n| s.write(&format!("tests/t{n}.py"), format!("assert {n}\n")));
    let hash = |s: &Scratch| s.write("c#/t.py", "assert 1\n");
    for (test, file, write) in [
        ("tests", "tests/t7.py", &many as &dyn Fn(&Scratch)),
        ("tests/*.py", "tests/t7.py", &many),
        ("\"c#/t.py\"", "c#/t.py", &hash),
    ] {
        let s = repo("src/a.rs");
        write(&s);
        declare_test(&s, test);
        s.commit("a test");
        let said = s.yatsu(&["eval", "n", "--pass"]).expect(0).err;
        assert!(said.contains("has no stamp") && said.contains("compared with the commit"), "{test}: {said}");
        s.commit("measured");
        assert_eq!(last_line(&s)["test"], json!({test.trim_matches('"'): "commit"}));
        assert_eq!(stale(&s), fresh(), "{test}");
        let before = s.read(file);
        s.write(file, "pass\n");
        assert_eq!(stale(&s).0, "evaluator", "{test}");
        let impact = s.yatsu(&["impact", file]).expect(0).out;
        assert!(impact.contains("n/s"), "{test}: {impact}");
        let base = s.head();
        s.commit("weakened");
        let review = s.yatsu(&["check", "--from", &base, "--to", "HEAD"]).out;
        assert!(review.contains("the test changed"), "{test}: {review}");
        let comment = s.yatsu(&["report", "--pr", "--from", &base, "--to", "HEAD"]).out;
        assert!(comment.contains("evaluator: the test changed"), "{test}: {comment}");
        s.write(file, before);
        s.commit("as measured");
        assert_eq!(stale(&s), fresh(), "{test}");
        // the reading is of this test alone
        declare_test(&s, "src/b.rs");
        assert_eq!(stale(&s), changed("src/b.rs"), "{test}");
        declare_test(&s, "");
        assert_eq!(stale(&s).0, "evaluator", "{test}");
    }
}

#[test]
fn a_test_that_is_neither_stamped_nor_committed_is_never_fresh() {
    let s = repo("src/a.rs");
    s.write("c#/t.py", "assert 1\n");
    declare_test(&s, "\"c#/t.py\"");
    s.commit("a test");
    s.write("c#/t.py", "pass\n");
    let refused = s.yatsu(&["eval", "n", "--pass", "--strict"]).expect(1).err;
    assert!(refused.contains("this reading is never fresh"), "{refused}");
    assert!(!s.root.join(LEDGER).exists(), "nothing is written");
    let said = s.yatsu(&["eval", "n", "--pass"]).expect(0).err;
    assert!(said.contains("this reading is never fresh; commit the test, then measure"), "{said}");
    assert_eq!(last_line(&s)["test"], json!({"c#/t.py": "uncommitted"}));
    s.git(&["checkout", "-q", "c#/t.py"]);
    s.commit("measured with an emptied test, which was put back");
    assert_eq!(stale(&s).0, "anchor");
    s.write("c#/t.py", "pass\n");
    s.commit("emptied");
    assert_eq!(stale(&s).0, "anchor");
}

#[test]
fn a_branch_touches_the_scenarios_whose_unstamped_test_it_edits() {
    let s = repo("src/a.rs");
    s.write("c#/t.py", "assert 1\n");
    declare_test(&s, "\"c#/t.py\"");
    s.commit("a test");
    pass(&s);
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("c#/t.py", "pass\n");
    s.commit("weakened");
    let json = validate_published(&s.yatsu(&["scan", "--changed", "--format", "json"]).out);
    assert_eq!(json["scope"]["nodes"], 1, "{json}");
    let impact = s.yatsu(&["impact", "--base", "main"]).expect(0).out;
    assert!(impact.contains("n/s"), "{impact}");
}

/// The tests of a node move with it, however many they are.
#[test]
fn a_test_without_a_stamp_may_move_whole() {
    let s = repo("src/a.rs");
    (0..300).for_each(|number| s.write(&format!(".spec/n/tests/t{number:03}.py"), "assert 1\n"));
    declare_test(&s, "tests");
    s.commit("many tests");
    pass(&s);
    assert_eq!(last_line(&s)["test"], json!({".spec/n/tests": "commit"}));
    let axes = |node: &str| {
        let json = validate_published(&s.yatsu(&["show", node, "--format", "json"]).expect(0).out);
        json["scenarios"][0]["axes"].to_string()
    };
    s.git(&["mv", ".spec/n", ".spec/m"]);
    assert_eq!(axes("m"), "[]");
    s.write(".spec/m/tests/t299.py", "pass\n");
    assert_eq!(axes("m"), "[\"evaluator\"]");
    s.write(".spec/m/tests/t299.py", "assert 1\n");
    s.write(".spec/m/tests/one_more.py", "pass\n");
    assert_eq!(axes("m"), "[\"evaluator\"]");
    std::fs::remove_file(s.root.join(".spec/m/tests/one_more.py")).expect("a file");
    s.commit("moved");
    assert_eq!(axes("m"), "[]");
    // another test is no move of this one
    s.write(".spec/n/tests/t000.py", "assert 1\n");
    assert_eq!(axes("m"), "[\"evaluator\"]");
}

/// One rule for all doors that are asked about a path.
#[test]
fn what_is_asked_about_an_unstamped_test_knows_its_scenario() {
    let s = repo("src/a.rs");
    s.write("c#/t.py", "assert 1\n");
    declare_test(&s, "\"c#/t.py\"");
    s.commit("a test");
    pass(&s);
    s.commit("measured");
    let asked = |args: &[&str]| {
        let said = s.yatsu(args);
        said.out + &said.err
    };
    let json = asked(&["check", "--all", "--format", "json", "--", "c#/t.py"]);
    assert_eq!(validate_published(&json)["summary"]["score"]["scenarios"], 1, "{json}");
    assert!(asked(&["impact", "c#/t.py"]).contains("n/s"));
    s.write("c#/t.py", "pass\n");
    let text = asked(&["check", "--all", "--", "c#/t.py"]);
    assert!(text.contains("n/s"), "{text}");
}

/// A submodule with uncommitted changes is measured at no commit.
#[test]
fn an_edited_submodule_of_a_test_is_never_fresh() {
    let s = repo("src/a.rs");
    let sub = Scratch::new();
    sub.write("t.py", "assert 1\n");
    sub.commit("a test");
    s.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", sub.root.to_str().unwrap(), "tests/sub"]);
    declare_test(&s, "tests");
    s.commit("a test");
    s.write("tests/sub/t.py", "pass\n");
    s.yatsu(&["eval", "n", "--pass", "--strict"]).expect(1);
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    assert_eq!(last_line(&s)["test"], json!({"tests": "uncommitted"}));
    s.git(&["-C", "tests/sub", "checkout", "-q", "t.py"]);
    assert_eq!(stale(&s).0, "anchor");
    pass(&s);
    assert_eq!(stale(&s), fresh());
}
