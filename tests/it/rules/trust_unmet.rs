//! `trust-unmet`: scenarios without a fresh pass of the grade that `yatsu.trust` asks for.

use super::{only, silent};
use crate::support::{Said, Scratch, every_door, fed, findings, scenarios};
use serde_json::Value;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const POLICY: &str = r#"{"yatsu": {"trust": {"readings": {"cli": {"grade": "observed"}}}}}"#;

/// A repository with one scenario, which declares the command `make`.
fn one_node() -> Scratch {
    let s = crate::support::one_node();
    let file = s.read(".spec/n/yatsu.md");
    s.write(".spec/n/yatsu.md", file.replacen("    code:", "    test: {command: make}\n    code:", 1));
    s.commit("a command");
    s
}

/// A repository that asks for observed passes, with a claimed one.
fn claimed() -> Scratch {
    let s = one_node();
    s.write("spexcode.json", POLICY);
    s.commit("observed passes are asked for");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    s.commit("measured");
    s
}

/// Makes the last line of the ledger a reading that a harness observed as the result of `make`.
fn observe(s: &Scratch) {
    observe_command(s, "make");
}

fn observe_command(s: &Scratch, command: &str) {
    let how = r#""how":{"kind":"observed","harness":"claude","command":"COMMAND","exit":0,"at":"2026-01-01T00:00:00.000Z"},"ts""#;
    let how = &how.replace("COMMAND", command);
    let ledger = s.read(LEDGER);
    let (before, last) = ledger.trim_end().rsplit_once('\n').unwrap_or(("", ledger.trim_end()));
    let before = if before.is_empty() { String::new() } else { format!("{before}\n") };
    s.write(LEDGER, before + &last.replace("\"ts\"", how) + "\n");
}

fn since(s: &Scratch, base: &str) -> Vec<Value> {
    findings(s, "trust-unmet", &["--from", base, "--to", "HEAD"])
}

fn scored(s: &Scratch) -> Vec<Value> {
    findings(s, "trust-unmet", &["--all"])
}

fn pushed(s: &Scratch, old: &str, to: &str) -> Said {
    let [old, new] = [old, "HEAD"].map(|rev| s.git(&["rev-parse", rev]));
    fed(s.yatsu_command(&["pre-push", "origin", "url"]), format!("refs/heads/x {new} refs/heads/{to} {old}\n"))
}

#[test]
fn a_claimed_pass_is_named_in_a_score_and_an_observed_one_is_not() {
    let s = claimed();
    insta::assert_snapshot!(s.session("yatsu-hook scan"));
    let s = one_node();
    s.write("spexcode.json", POLICY);
    s.commit("observed passes are asked for");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    observe(&s);
    silent(scored(&s));
    s.write("spexcode.json", POLICY.replace("cli", "*"));
    silent(scored(&s));
    s.yatsu(&["eval", "n", "--fail"]).expect(0);
    s.yatsu(&["retract", "n"]).expect(0);
    silent(scored(&s));
}

/// The command `true` could be declared for the time of one observation.
#[test]
fn an_observation_of_another_command_than_the_declared_one_is_only_a_claim() {
    let s = one_node();
    s.write("spexcode.json", POLICY);
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    observe(&s);
    s.commit("observed");
    let base = s.git(&["rev-parse", "HEAD"]);
    silent(scored(&s));
    s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replace("command: make", "command: make all"));
    s.commit("the command is stronger");
    only(scored(&s));
    silent(since(&s, &base));
    s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replace("[cli]", "[cli, mobile]"));
    s.commit("from the next change on the new command counts");
    only(since(&s, "HEAD~1"));
}

const OBSERVED_OR_NOTHING: &str =
    r#"{"yatsu": {"rules": {"trust-unmet": "error"}, "trust": {"readings": {"*": {"grade": "observed"}}}}}"#;

/// A repository that blocks without an observed pass, with one. The scenario's test is `test`.
fn observed(test: &str, command: &str) -> Scratch {
    let s = crate::support::one_node();
    let file = s.read(".spec/n/yatsu.md");
    s.write(".spec/n/yatsu.md", file.replacen("    code:", &format!("    test: {test}\n    code:"), 1));
    s.write("tests/a.py", "def test_a(): pass\n");
    s.write("spexcode.json", OBSERVED_OR_NOTHING);
    s.commit("observed passes are asked for");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    observe_command(&s, command);
    s.commit("observed");
    s
}

/// The scenario is edited in its file and measured again by `command`, in one commit.
fn measured_by(s: &Scratch, from: &str, to: &str, command: &str) {
    let file = s.read(".spec/n/yatsu.md");
    assert!(file.contains(from), "{file}");
    s.write(".spec/n/yatsu.md", file.replace(from, to));
    s.commit("another test");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    observe_command(s, command);
}

#[test]
fn a_command_that_a_change_declares_counts_from_the_next_change_on() {
    let s = observed("{command: make}", "make");
    let base = s.git(&["rev-parse", "HEAD"]);
    s.write("src/a.rs", "fn a() { worse() }\n");
    measured_by(&s, "command: make", "command: 'true'", "true");
    s.git(&["add", "-A"]);
    s.commit("observed");
    let lowered = "warning[gate-lowered] n/works: the command of its test was `make` and is `true`";
    for (door, said) in every_door(&s, &base).into_iter().skip(2) {
        let text = said.out.clone() + &said.err;
        assert!(
            said.code == 1 && text.contains("error[trust-unmet] n/works: the pass is only claimed"),
            "{door}: {text}"
        );
        assert!(text.contains(lowered), "{door}: {text}");
    }
    // on another branch the main branch is the base
    s.git(&["checkout", "-q", "-b", "topic"]);
    s.git(&["branch", "-f", "main", &base]);
    only(scored(&s));
    let shown: Value = serde_json::from_str(&s.yatsu(&["ls", "--format", "json"]).expect(0).out).expect("JSON");
    assert_eq!(shown["scenarios"][0]["trust"]["met"], false, "{shown}");
    s.git(&["branch", "-f", "main", "HEAD"]);
    silent(scored(&s));
    s.write("src/a.rs", "fn a() { 3 }\n");
    s.commit("other code");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    observe_command(&s, "true");
    s.commit("observed again");
    silent(since(&s, "HEAD~2"));
    silent(findings(&s, "gate-lowered", &["--from", "HEAD~2", "--to", "HEAD"]));
}

/// A test could be emptied for the time of one observation.
#[test]
fn an_observed_pass_of_another_test_speaks_for_no_claim_and_an_observed_fail_does() {
    let test = "{path: tests/a.py, command: make}";
    for (status, is_emptied, lacks) in
        [("--pass", true, true), ("--pass", false, false), ("--fail", true, true), ("--fail", false, true)]
    {
        let s = observed(test, "make");
        let base = s.git(&["rev-parse", "HEAD"]);
        s.write("src/a.rs", "fn a() { worse() }\n");
        s.commit("worse");
        let strong = s.read("tests/a.py");
        if status == "--fail" {
            s.yatsu(&["eval", "n", "--pass", "--note", "first"]).expect(0);
            observe(&s);
        }
        if is_emptied {
            s.write("tests/a.py", "");
        }
        s.yatsu(&["eval", "n", status]).expect(0);
        observe(&s);
        if status == "--fail" {
            s.write(
                LEDGER,
                s.read(LEDGER).replacen("\"exit\":0", "\"exit\":1", 3).replacen("\"exit\":1", "\"exit\":0", 2),
            );
        }
        s.write("tests/a.py", strong);
        s.yatsu(&["eval", "n", "--pass", "--note", "a claim"]).expect(0);
        let case = format!("{status}, emptied: {is_emptied}");
        for (door, said) in every_door(&s, &base).into_iter().skip(2) {
            let text = said.out.clone() + &said.err;
            assert_eq!(said.code, i32::from(lacks), "{case}, {door}: {text}");
            let named = text.contains("error[trust-unmet] n/works: the pass is only claimed");
            assert_eq!(named, lacks, "{case}, {door}: {text}");
        }
    }
}

#[test]
fn a_new_scenario_brings_its_own_command_and_an_old_one_gets_its_first_command_in_a_change_of_its_own() {
    let s = observed("{command: make}", "make");
    let base = s.git(&["rev-parse", "HEAD"]);
    s.write("src/c.rs", "fn c() {}\n");
    s.write(
        ".spec/m/yatsu.md",
        scenarios(&[("draws", "src/c.rs")]).replacen("    code:", "    test: {command: 'true'}\n    code:", 1),
    );
    s.commit("new");
    s.yatsu(&["eval", "m", "--pass"]).expect(0);
    let ledger = ".spec/m/yatsu.evals.ndjson";
    let how = r#""how":{"kind":"observed","harness":"claude","command":"true","exit":0,"at":"2026-01-01T00:00:00.000Z"},"ts""#;
    s.write(ledger, s.read(ledger).replace("\"ts\"", how));
    s.commit("observed");
    silent(since(&s, &base));
    silent(findings(&s, "gate-lowered", &["--from", &base, "--to", "HEAD"]));
    let s = observed("tests/a.py", "make");
    let base = s.git(&["rev-parse", "HEAD"]);
    measured_by(&s, "test: tests/a.py", "test: {command: 'true'}", "true");
    s.commit("observed");
    only(since(&s, &base));
}

#[test]
fn a_pure_rename_of_the_test_is_no_other_command() {
    let test = "{path: tests/a.py, name: tests/a.py::test_a, command: pytest tests/a.py}";
    for (edit, is_other) in [(false, false), (true, true)] {
        let s = observed(test, "pytest tests/a.py");
        let base = s.git(&["rev-parse", "HEAD"]);
        s.write("src/a.rs", "fn a() { other() }\n");
        s.git(&["mv", "tests/a.py", "tests/b.py"]);
        if edit {
            s.write("tests/b.py", "def test_a(): return\n");
        }
        measured_by(&s, "tests/a.py", "tests/b.py", "pytest tests/b.py");
        s.commit("observed");
        let lowered = findings(&s, "gate-lowered", &["--from", &base, "--to", "HEAD"]);
        assert_eq!((since(&s, &base).len(), lowered.len()), if is_other { (1, 2) } else { (0, 0) }, "{lowered:?}");
        s.git(&["branch", "topic"]);
        s.git(&["checkout", "-q", "topic"]);
        s.git(&["branch", "-f", "main", &base]);
        assert_eq!(scored(&s).len(), usize::from(is_other));
    }
    let s = observed(test, "pytest tests/a.py");
    let base = s.git(&["rev-parse", "HEAD"]);
    measured_by(&s, "::test_a", "::test_b", "pytest tests/a.py");
    s.commit("observed");
    let lowered = only(findings(&s, "gate-lowered", &["--from", &base, "--to", "HEAD"]));
    assert_eq!(lowered["message"], "the name of its test was `tests/a.py::test_a` and is `tests/a.py::test_b`");
}

/// A path with a blank is no word of a command, and a word that holds the old path is not the path.
#[test]
fn a_rename_of_the_test_is_followed_word_by_word_and_to_plain_paths_alone() {
    for (was, from, to, is) in [
        ("sh t.sh", "t.sh", "u.sh x", "sh u.sh x"),
        ("sh t.sh", "t.sh", "u.sh;true", "sh u.sh;true"),
        ("sh 't 1.sh'", "t 1.sh", "u.sh", "sh 'u.sh'"),
        ("sh at.sh", "t.sh", "u.sh", "sh au.sh"),
        ("sh x/t.sh t.sh", "t.sh", "u.sh", "sh x/u.sh u.sh"),
        ("sh 'x t.sh y'", "t.sh", "u.sh", "sh 'x u.sh y'"),
        ("sh x\\ t.sh", "t.sh", "u.sh", "sh x\\ u.sh"),
        ("sh t.sh true", "t.sh", "-c", "sh -c true"),
    ] {
        let s = crate::support::one_node();
        let file = s.read(".spec/n/yatsu.md");
        let declared = |path: &str, command: &str| {
            let test = serde_json::json!({"path": path, "command": command});
            file.replacen("    code:", &format!("    test: {test}\n    code:"), 1)
        };
        s.write(".spec/n/yatsu.md", declared(from, was));
        s.write(from, "exit 1\n");
        s.write("spexcode.json", OBSERVED_OR_NOTHING);
        let base = s.commit("observed passes are asked for");
        s.git(&["mv", "--", from, to]);
        s.write(".spec/n/yatsu.md", declared(to, is));
        s.yatsu(&["eval", "n", "--pass"]).expect(0);
        observe_command(&s, is);
        s.commit("renamed");
        let lowered = findings(&s, "gate-lowered", &["--from", &base, "--to", "HEAD"]);
        assert_eq!((since(&s, &base).len(), lowered.len()), (1, 1), "{was}: {lowered:?}");
    }
}

/// The command may find its test by the declared path, and no reading of the old test speaks for the new one.
#[test]
fn a_change_of_the_tested_file_alone_touches_the_scenario() {
    let s = observed("{path: tests/a.py, command: make}", "make");
    s.write("tests/b.py", "def test_b(): pass\n");
    s.commit("a weaker test");
    silent(since(&s, "HEAD~1"));
    s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replace("tests/a.py", "tests/b.py"));
    s.commit("another test");
    assert!(only(since(&s, "HEAD~1"))["message"].as_str().unwrap().starts_with("the reading is stale"));
}

#[test]
fn a_push_to_any_branch_and_a_range_name_the_touched_scenarios_only() {
    let s = claimed();
    s.write("src/b.rs", "fn b() { changed() }\n");
    s.commit("no scenario governs it");
    silent(since(&s, "HEAD~1"));
    assert_eq!(only(since(&s, "HEAD~2"))["scenario"], "works", "its ledger line is new");
    for branch in ["main", "side"] {
        let said = pushed(&s, "HEAD~2", branch).expect(0);
        assert!(said.err.contains("warning[trust-unmet]"), "{}", said.err);
    }
    s.write("src/a.rs", "fn a() { changed() }\n");
    s.git(&["add", "-A"]);
    assert!(!s.yatsu(&["pre-commit"]).expect(0).err.contains("trust-unmet"), "a commit is a draft");
    s.commit("other code");
    silent(since(&s, "HEAD~1"));
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    s.commit("measured again");
    assert_eq!(only(since(&s, "HEAD~2"))["level"], "warning");
}

#[test]
fn a_change_that_eases_the_policy_or_drops_the_tag_is_judged_by_the_earlier_ones() {
    for (file, content) in [
        ("spexcode.json", "{}".to_owned()),
        (".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]).replace("cli", "mobile")),
    ] {
        let s = claimed();
        s.write(file, content);
        s.write("src/a.rs", "fn a() { changed() }\n");
        s.commit("easier");
        s.yatsu(&["eval", "n", "--pass"]).expect(0);
        s.commit("measured");
        assert_eq!(only(since(&s, "HEAD~2"))["scenario"], "works", "{file}");
        silent(since(&s, "HEAD~1").into_iter().filter(|_| file == "spexcode.json").collect());
    }
    let s = claimed();
    s.write("spexcode.json", "{}");
    s.commit("easier");
    let found = only(findings(&s, "gate-lowered", &["--from", "HEAD~1", "--to", "HEAD"]));
    assert_eq!(found["message"], "yatsu.trust.readings loses \"cli\": it was observed");
}

#[test]
fn a_server_judges_by_the_policy_of_its_default_branch() {
    let s = claimed();
    s.write("spexcode.json", "{}");
    s.write("src/a.rs", "fn a() { changed() }\n");
    s.commit("easier");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    let new = s.commit("measured");
    let old = s.git(&["rev-parse", "HEAD~2"]);
    s.git(&["clone", "-q", "--bare", ".", "../server.git"]);
    s.git(&["-C", "../server.git", "update-ref", "refs/heads/main", &old]);
    let received = s.yatsu_command(&["-C", "../server.git", "pre-receive"]);
    let said = fed(received, format!("{old} {new} refs/heads/main\n")).expect(0);
    assert!(said.err.contains("warning[trust-unmet]"), "{}", said.err);
}

#[test]
fn advice_about_a_scenario_that_is_stale_unmeasured_or_failing_is_left_to_these_rules() {
    let error = POLICY.replace("\"trust\"", "\"rules\": {\"trust-unmet\": \"error\"}, \"trust\"");
    let s = one_node();
    let states: [(&str, &dyn Fn(), &str); 3] = [
        ("unmeasured", &|| {}, "there is no reading"),
        ("failing", &|| drop(s.yatsu(&["eval", "n", "--fail"]).expect(0)), "the reading is no pass"),
        ("stale", &|| s.write("src/a.rs", "fn a() { changed() }\n"), "the reading is stale"),
    ];
    for (name, enter, why) in states {
        enter();
        s.write("spexcode.json", POLICY);
        let shown = s.yatsu(&["scan"]).out;
        assert!(!shown.contains("trust-unmet") && shown.contains("[yatsu-"), "{name}: {shown}");
        s.write("spexcode.json", &error);
        let said = s.yatsu(&["check", "--all"]).expect(1);
        assert!(said.out.contains(&format!("error[trust-unmet] n/works: {why}")), "{name}: {}", said.out);
    }
}
