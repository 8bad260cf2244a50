//! One file per rule: a repository with a finding of the rule, and a similar one without.

mod approval_missing;
mod budget_exceeded;
mod evidence_kind;
mod evidence_missing;
mod evidence_reused;
mod fail_withdrawn;
mod gate_lowered;
mod goal_gate;
mod goal_regressed;
mod goal_unmet;
mod graph_dangling;
mod graph_partial;
mod key_conflict;
mod ledger_duplicate;
mod ledger_history;
mod ledger_redacted;
mod ledger_schema;
mod node_id;
mod promoted_unproven;
mod replace_ref;
mod runlog_artifacts;
mod runlog_history;
mod runlog_progress;
mod runlog_schema;
mod scenario_dropped;
mod selector_unread;
mod signature_broken;
mod signature_unknown;
mod spec_ignored;
mod stray_blob;
mod trust_unmet;
mod under_declared;
mod yatsu_drift;
mod yatsu_failing;
mod yatsu_missing;
mod yatsu_orphan;
mod yatsu_owners;
mod yatsu_schema;
mod yatsu_uncovered;
mod yatsu_ungoverned;
mod yatsu_unowned;

use crate::support::{Scratch, findings, one_node, reading, scenarios};
use serde_json::Value;

/// The findings of `rule` after `git add -A`.
#[track_caller]
fn staged(scratch: &Scratch, rule: &str) -> Vec<Value> {
    scratch.git(&["add", "-A"]);
    findings(scratch, rule, &["--staged"])
}

/// The findings of `rule` in the whole working tree.
#[track_caller]
fn all(scratch: &Scratch, rule: &str) -> Vec<Value> {
    findings(scratch, rule, &["--all"])
}

/// A repository with one node and a committed reading of its scenario with this verdict.
fn measured(status: &str) -> Scratch {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", status, 1);
    scratch.commit("measured");
    scratch
}

/// The only finding.
#[track_caller]
fn only(findings: Vec<Value>) -> Value {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.into_iter().next().expect("one")
}

#[track_caller]
fn silent(findings: Vec<Value>) {
    assert!(findings.is_empty(), "{findings:#?}");
}

/// Each `help:` of these commands that names `eval`, in the order of printing.
fn helps_to_file(scratch: &Scratch, commands: &[&[&str]]) -> Vec<String> {
    let printed = commands.iter().map(|command| scratch.yatsu(command)).map(|said| said.out + &said.err);
    let printed = printed.collect::<String>();
    let helps = printed.lines().filter(|line| line.contains("yatsu-hook eval "));
    helps.map(str::to_owned).collect()
}

/// A file of the test, or its command alone.
#[test]
fn a_help_about_a_scenario_with_a_test_names_the_report_and_no_pass_by_hand() {
    const CHECKS: [&[&str]; 3] =
        [&["check", "--all"], &["check", "--all", "--format", "github"], &["check", "--staged", "--format", "github"]];
    let file =
        scenarios(&[("draws", "src/a.rs\n    test: tests/a.rs"), ("sorts", "src/a.rs\n    test: {command: make}")]);
    let mut helps = Vec::new();
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write("tests/a.rs", "");
    s.write(".spec/n/yatsu.md", file);
    // missing
    helps.extend(helps_to_file(&s, &CHECKS));
    s.commit("declared");
    // failing
    for name in ["draws", "sorts"] {
        s.yatsu(&["eval", &format!("n/{name}"), "--fail", "--note", "broken"]).expect(0);
    }
    helps.extend(helps_to_file(&s, &CHECKS));
    s.commit("measured");
    // stale, several by one path
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.git(&["add", "-A"]);
    helps.extend(helps_to_file(&s, &CHECKS));
    // stale, one
    s.yatsu(&["eval", "n/draws", "--fail", "--note", "broken"]).expect(0);
    helps.extend(helps_to_file(&s, &CHECKS));
    // a line without a commit, and a fail that was withdrawn
    let ledger = s.read(".spec/n/yatsu.evals.ndjson");
    let line = ledger.lines().next().expect("a reading").replacen("\"codeSha\":", "\"was\":", 1);
    s.write(".spec/n/yatsu.evals.ndjson", format!("{ledger}{line}\n"));
    s.git(&["add", "-A"]);
    helps.extend(helps_to_file(&s, &[&["pre-commit"], &["check", "--staged"]]));
    s.git(&["reset", "-q", "--hard"]);
    s.yatsu(&["retract", "n/draws", "--last"]).expect(0);
    s.git(&["add", "-A"]);
    helps.extend(helps_to_file(&s, &[&["check", "--staged"], &["next"], &["doctor"]]));
    for help in &helps {
        assert!(help.contains(" --from-junit FILE   (or ") && !help.contains("--pass"), "{help}");
    }
    assert!(helps.len() > 12, "{helps:#?}");
}
