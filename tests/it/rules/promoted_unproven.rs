//! `promoted-unproven`: changes that come into the main branch have a proof, or are reported.

use super::{only, silent};
use crate::patches::{LEDGER, branch, decide, evaluated, measure, repository, two_scenarios};
use crate::support::{Said, Scratch, fed, findings, scenarios, validate_published};
use serde_json::{Value, json};

/// The configuration that requires proofs: as an error the rule lists each scenario.
const ASKED: &str = "{\"yatsu\": {\"rules\": {\"promoted-unproven\": \"error\"}}}";

/// A repository that requires proofs.
fn asking() -> Scratch {
    let s = repository();
    s.write("spexcode.json", ASKED);
    s.commit("proofs are asked for");
    s
}

/// The gate's findings on everything since `base`.
fn since(s: &Scratch, base: &str) -> Vec<Value> {
    findings(s, "promoted-unproven", &["--from", base, "--to", "HEAD"])
}

/// The hook's answer to a push of HEAD to this branch of a remote with `old`.
fn pushed(s: &Scratch, old: &str, to: &str) -> Said {
    let [old, new] = [old, "HEAD"].map(|rev| s.git(&["rev-parse", rev]));
    fed(s.yatsu_command(&["pre-push", "origin", "url"]), format!("refs/heads/x {new} refs/heads/{to} {old}\n"))
}

/// Merges `feature` into the main branch; returns its earlier commit.
fn merged(s: &Scratch, flag: &str) -> String {
    s.git(&["checkout", "-q", "main"]);
    let before = s.git(&["rev-parse", "main"]);
    s.git(&["merge", "-q", flag, "feature"]);
    if flag == "--squash" {
        s.commit("squashed");
    }
    before
}

#[test]
fn a_branch_that_is_promoted_without_proof_is_named_at_a_push_to_the_main_branch_and_over_a_range() {
    let s = asking();
    branch(&s, "feature");
    let before = merged(&s, "--no-ff");
    let found = only(since(&s, &before));
    assert_eq!(found["scenario"], "works");
    insta::assert_snapshot!(s.session(&format!("yatsu-hook check --from {before}")));
    let said = pushed(&s, &before, "main").expect(1);
    assert!(said.err.contains("promoted-unproven"), "{}", said.err);
    let said = pushed(&s, &before, "feature").expect(0);
    assert!(!said.err.contains("promoted-unproven"), "a push elsewhere promotes nothing: {}", said.err);
}

#[test]
fn the_configuration_makes_it_an_error_that_no_push_lowers_for_itself() {
    let s = asking();
    branch(&s, "feature");
    s.write("spexcode.json", "{}");
    s.commit("and not any more");
    let before = merged(&s, "--no-ff");
    let said = pushed(&s, &before, "main").expect(1);
    assert!(said.err.contains("error[promoted-unproven]"), "{}", said.err);
    let new = s.git(&["rev-parse", "HEAD"]);
    s.git(&["clone", "-q", "--bare", ".", "../server.git"]);
    s.git(&["-C", "../server.git", "update-ref", "refs/heads/main", &before]);
    let received = s.yatsu_command(&["-C", "../server.git", "pre-receive"]);
    let said = fed(received, format!("{before} {new} refs/heads/main\n")).expect(1);
    assert!(said.err.contains("error[promoted-unproven]"), "{}", said.err);
}

#[test]
fn fresh_passes_are_proof_and_stale_and_failing_readings_are_none() {
    for (verdict, expected) in [("--pass", None), ("--fail", Some("failing"))] {
        let s = asking();
        branch(&s, "feature");
        measure(&s, verdict);
        s.commit("measured");
        let found = since(&s, &merged(&s, "--squash"));
        let told = found.first().and_then(|found| found["message"].as_str());
        assert_eq!(told, expected.map(|what| format!("promoted without proof: {what}")).as_deref());
    }
    let s = asking();
    evaluated(&s, "feature");
    s.write("src/a.rs", "fn a() { later() }\n");
    s.commit("later");
    let found = only(since(&s, &merged(&s, "--no-ff")));
    assert_eq!(found["message"], "promoted without proof: stale");
}

#[test]
fn what_is_not_touched_needs_no_proof() {
    let s = asking();
    s.write("src/b.rs", "fn b() { changed() }\n");
    s.commit("nobody governs it");
    silent(since(&s, "HEAD~1"));
    s.write("spexcode.json", ASKED.replace("}}}", "}}, \"mainBranch\": \"main\"}"));
    s.commit("a setting");
    silent(since(&s, "HEAD~1"));
}

#[test]
fn an_approval_speaks_for_a_fail_that_somebody_took() {
    let s = asking();
    branch(&s, "feature");
    measure(&s, "--fail");
    s.commit("measured");
    decide(&s, "approve", "feature", "Bob").expect(0);
    s.commit("approved");
    silent(since(&s, &merged(&s, "--squash")));
    s.git(&["branch", "-q", "-D", "feature"]);
    s.git(&["reflog", "expire", "--expire=now", "--all"]);
    s.git(&["gc", "-q", "--prune=now"]);
    silent(since(&s, "HEAD~1"));
    s.write("src/a.rs", "fn a() { other() }\n");
    s.commit("something else");
    measure(&s, "--fail");
    s.commit("measured again");
    assert_eq!(only(since(&s, "HEAD~2"))["message"], "promoted without proof: failing");
}

#[test]
fn an_approval_of_one_branch_does_not_speak_for_what_rides_along() {
    let s = asking();
    two_scenarios(&s);
    let before = s.git(&["rev-parse", "HEAD"]);
    branch(&s, "feature");
    measure(&s, "--fail");
    s.commit("measured");
    decide(&s, "approve", "feature", "Bob").expect(0);
    s.commit("approved");
    merged(&s, "--no-ff");
    s.write("src/b.rs", "fn b() { rides_along() }\n");
    s.commit("beside it");
    let found = only(since(&s, &before));
    assert_eq!(
        (&found["scenario"], &found["message"]),
        (&json!("lists"), &json!("promoted without proof: no reading"))
    );
}

#[test]
fn a_rejection_beside_an_approval_speaks_louder() {
    let s = asking();
    branch(&s, "feature");
    measure(&s, "--fail");
    s.commit("measured");
    decide(&s, "approve", "feature", "Bob").expect(0);
    let ledger = s.read(LEDGER);
    let approval = ledger.lines().last().expect("the approval");
    s.write(LEDGER, format!("{ledger}{}\n", approval.replace("\"approve\"", "\"reject\"")));
    s.commit("both");
    assert_eq!(only(since(&s, &merged(&s, "--no-ff")))["message"], "promoted without proof: failing");
}

#[test]
fn where_another_must_approve_who_measured_proves_nothing() {
    let s = asking();
    branch(&s, "feature");
    measure(&s, "--fail");
    s.commit("measured");
    decide(&s, "approve", "feature", "Ann").expect(0);
    s.commit("approved by herself");
    silent(since(&s, "main"));
    s.git(&["checkout", "-q", "main"]);
    s.write("spexcode.json", ASKED.replace("\"rules\"", "\"patches\": {\"requireOther\": true}, \"rules\""));
    s.commit("two pairs of eyes");
    s.git(&["merge", "-q", "--no-ff", "--no-edit", "feature"]);
    assert_eq!(only(since(&s, "HEAD~1"))["message"], "promoted without proof: failing");
}

#[test]
fn a_reached_goal_speaks_for_what_touches_it() {
    let s = crate::goals::repository();
    s.write("spexcode.json", ASKED);
    s.commit("proofs are asked for");
    let base = s.git(&["rev-parse", "HEAD"]);
    s.write("src/model.py", "model = 2\n");
    s.write("src/other.py", "other = 1\n");
    s.write(".spec/other/yatsu.md", crate::support::scenarios(&[("also", "src/other.py")]));
    s.commit("better");
    assert_eq!(since(&s, &base).len(), 2);
    crate::goals::measured(&s, 0.95, json!({}));
    s.commit("measured");
    silent(since(&s, &base));
}

/// A repository with a failing scenario on `main`, changed since, and an unmeasured one. Returns the earlier commit of
/// `main`.
fn failing(config: &str) -> (Scratch, String) {
    let s = repository();
    two_scenarios(&s);
    s.write("spexcode.json", config);
    s.commit("configured");
    let base = s.git(&["rev-parse", "HEAD"]);
    s.write("src/a.rs", "fn a() { changed() }\n");
    s.commit("changed");
    measure(&s, "--fail");
    s.commit("measured");
    (s, base)
}

#[test]
fn as_advice_it_is_said_only_where_somebody_asks_for_proofs() {
    let configs = [
        ("{}", 0),
        ("{\"yatsu\": {\"rules\": {\"yatsu-drift\": \"warning\"}}}", 0),
        ("{\"yatsu\": {\"rules\": {\"promoted-unproven\": \"warning\"}}}", 1),
        ("{\"yatsu\": {\"patches\": {\"requireOther\": false}}}", 1),
    ];
    for (config, expected) in configs {
        let (s, base) = failing(config);
        let found = since(&s, &base);
        assert_eq!(found.len(), expected, "{config}: {found:#?}");
        let said = pushed(&s, &base, "main").expect(0);
        assert_eq!(said.err.matches("promoted-unproven").count(), expected, "{}", said.err);
    }
}

#[test]
fn a_decision_of_any_node_of_the_base_asks_for_proofs_with_and_without_a_memo() {
    let s = repository();
    s.write("src/other.rs", "fn other() {}\n");
    s.write(".spec/other/yatsu.md", scenarios(&[("else", "src/other.rs")]));
    s.commit("another node");
    s.git(&["checkout", "-q", "-b", "feature"]);
    s.write("src/other.rs", "fn other() { feature() }\n");
    s.commit("feature");
    s.yatsu(&["eval", "other", "--scenario", "else", "--pass", "--by", "Ann"]).expect(0);
    s.commit("measured");
    let fork = s.git(&["rev-parse", "main"]);
    decide(&s, "approve", "feature", "Bob").expect(0);
    s.commit("approved");
    merged(&s, "--no-ff");
    silent(since(&s, &fork));
    let base = s.git(&["rev-parse", "HEAD"]);
    s.write("src/a.rs", "fn a() { changed() }\n");
    s.commit("changed");
    measure(&s, "--fail");
    s.commit("measured");
    s.yatsu(&["scan"]).expect(0);
    let briefly = pushed(&s, &base, "main").expect(0).err;
    assert!(briefly.contains("1 scenario came into main without proof: n/works"), "{briefly}");
    std::fs::remove_dir_all(s.root.join(".git/yatsu")).expect("memos");
    assert_eq!(pushed(&s, &base, "main").expect(0).err, briefly);
}

#[test]
fn as_advice_it_is_one_line_a_push_without_what_drift_and_missing_say() {
    let warned = ASKED.replace("error", "warning");
    let s = repository();
    let names: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
    let files: Vec<String> = (0..8).map(|number| format!("src/f{number}.rs")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(files.iter().map(String::as_str)).collect();
    files.iter().for_each(|file| s.write(file, "fn f() {}\n"));
    s.write(".spec/many/yatsu.md", scenarios(&list));
    s.write("spexcode.json", &warned);
    s.commit("configured");
    let eval = |name: &str, verdict| {
        s.yatsu(&["eval", "many", "--scenario", name, verdict]).expect(0);
    };
    eval("s7", "--pass");
    s.commit("measured");
    let base = s.git(&["rev-parse", "HEAD"]);
    files.iter().for_each(|file| s.write(file, "fn f() { changed() }\n"));
    let more = [&list[..], &[("new", "src/f0.rs")]].concat();
    s.write(".spec/many/yatsu.md", scenarios(&more));
    s.commit("changed");
    names[..5].iter().for_each(|name| eval(name, "--fail"));
    s.commit("measured");
    let found = only(since(&s, &base));
    let message = "7 scenarios came into main without proof: many/s0, many/s1, many/s2 and 4 more";
    assert_eq!((&found["level"], &found["message"]), (&json!("warning"), &json!(message)));
    assert!(found["scenario"].is_null() && found["path"].is_null(), "{found:#?}");
    let said = pushed(&s, &base, "main").expect(0).err;
    assert_eq!(said.matches("promoted-unproven").count(), 1, "{said}");
    assert!(said.contains("s7: the latest reading (pass) is stale") && said.contains("new: declared, never"), "{said}");
    let listed = findings(&s, "promoted-unproven", &["--strict", "--from", &base, "--to", "HEAD"]);
    assert_eq!(listed.len(), 9, "as an error each is listed: {listed:#?}");
}

#[test]
fn the_first_push_of_a_main_branch_promotes_nothing() {
    let s = asking();
    let new = s.git(&["rev-parse", "HEAD"]);
    let line = format!("refs/heads/main {new} refs/heads/main {}\n", "0".repeat(40));
    let said = fed(s.yatsu_command(&["pre-push", "origin", "url"]), line).expect(0);
    assert!(!said.err.contains("promoted-unproven"), "{}", said.err);
}

#[test]
fn the_check_of_the_graph_names_branches_that_were_promoted_without_proof() {
    let told = |s: &Scratch| {
        let report = validate_published(&s.yatsu(&["graph", "check", "--format", "json"]).expect(0).out);
        let found = report["findings"].as_array().expect("a list").clone();
        found.into_iter().filter(|one| one["rule"] == "promoted-unproven").collect::<Vec<Value>>()
    };
    let s = repository();
    branch(&s, "feature");
    silent(told(&s));
    merged(&s, "--no-ff");
    let found = only(told(&s));
    assert_eq!(found["message"], "feature was promoted without proof; it touches n/works");
    assert_eq!(found["level"], "warning");
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"promoted-unproven\": \"error\"}}}");
    s.yatsu(&["graph", "check"]).expect(1);
    let s = repository();
    evaluated(&s, "feature");
    merged(&s, "--squash");
    silent(told(&s));
}
