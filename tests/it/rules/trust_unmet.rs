//! `trust-unmet`: scenarios without a fresh pass of the grade that `yatsu.trust` asks for.

use super::{only, silent};
use crate::support::{Said, Scratch, fed, findings, scenarios};
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

/// Makes the last line of the ledger an observed reading.
fn observe(s: &Scratch) {
    let how = r#""how":{"kind":"observed","harness":"claude","command":"make","exit":0,"at":"2026-01-01T00:00:00.000Z"},"ts""#;
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
    only(since(&s, &base));
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
