//! `fail-withdrawn`: a fail that counted and was withdrawn.

use super::{one_node, only, silent, staged};
use crate::support::Scratch;

/// A committed pass of the scenario, and a later committed fail on the same content.
fn failed() -> Scratch {
    let scratch = one_node();
    for verdict in ["--pass", "--fail"] {
        scratch.yatsu(&["eval", "n", verdict]).expect(0);
    }
    scratch.commit("measured");
    scratch
}

fn retract(scratch: &Scratch) {
    scratch.yatsu(&["retract", "n", "--scenario", "works", "--last"]).expect(0);
}

/// The findings between the last two commits, with their origin.
#[track_caller]
fn ended(scratch: &Scratch) -> Vec<String> {
    let said = scratch.yatsu(&["check", "--from", "HEAD^", "--to", "HEAD", "--format", "json"]);
    let json = crate::support::validate_published(&said.out);
    let word = |finding: &serde_json::Value| {
        format!("{} {}", finding["rule"].as_str().unwrap_or("-"), finding["origin"].as_str().unwrap_or("-"))
    };
    json["findings"].as_array().expect("a list").iter().map(word).collect()
}

#[test]
fn retracting_a_fail_that_counted_is_named_and_never_called_fixed() {
    let scratch = failed();
    retract(&scratch);
    only(staged(&scratch, "fail-withdrawn"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.commit("withdrawn");
    assert_eq!(ended(&scratch), ["fail-withdrawn introduced", "yatsu-failing withdrawn"]);
}

#[test]
fn redacting_a_fail_that_counted_is_named() {
    let scratch = failed();
    let ledger = scratch.read(".spec/n/yatsu.evals.ndjson");
    let ts = ledger.trim_end().rsplit_once("\"ts\":\"").expect("a time").1.trim_end_matches("\"}").to_owned();
    scratch.yatsu(&["redact", "n", "--scenario", "works", "--ts", &ts, "--reason", "a name in it"]).expect(0);
    assert!(only(staged(&scratch, "fail-withdrawn"))["message"].as_str().expect("a message").contains("redacts"));
    scratch.commit("redacted");
    assert!(ended(&scratch).contains(&"yatsu-failing withdrawn".to_owned()), "{:?}", ended(&scratch));
}

#[test]
fn a_fail_that_was_measured_again_may_be_taken_back() {
    let scratch = failed();
    retract(&scratch);
    scratch.yatsu(&["eval", "n", "--fail"]).expect(0);
    silent(staged(&scratch, "fail-withdrawn"));
}

#[test]
fn a_fail_of_other_content_may_be_taken_back() {
    let scratch = failed();
    scratch.write("src/a.rs", "fn other() {}\n");
    scratch.commit("edit");
    retract(&scratch);
    silent(staged(&scratch, "fail-withdrawn"));
}

#[test]
fn what_a_measurement_ends_is_fixed_and_what_is_deleted_or_reworded_is_called_that() {
    let with = |change: &dyn Fn(&Scratch)| {
        let scratch = failed();
        change(&scratch);
        scratch.commit("change");
        ended(&scratch).into_iter().filter(|one| one.starts_with("yatsu-failing")).collect::<Vec<_>>()
    };
    assert_eq!(with(&|s| drop(s.yatsu(&["eval", "n", "--pass"]).expect(0))), ["yatsu-failing fixed"]);
    let file = ".spec/n/yatsu.md";
    assert_eq!(with(&|s| s.write(file, s.read(file).replace("name: works", "name: other"))), ["yatsu-failing deleted"]);
    let expected = |s: &Scratch| s.read(file).replace("expected: ", "expected: nearly ");
    assert_eq!(with(&|s| s.write(file, expected(s))), ["yatsu-failing reworded"]);
    assert_eq!(with(&|s| s.write("src/a.rs", "fn other() {}\n")), [""; 0], "a stale fail is not mended");
}

#[test]
fn a_finding_of_a_file_that_became_malformed_is_not_fixed() {
    let scratch = failed();
    let file = ".spec/n/yatsu.md";
    let before = scratch.read(file);
    scratch.write(file, before.replace("scenarios:", "scenarios: ["));
    scratch.commit("malformed");
    let ended_now = ended(&scratch);
    assert!(ended_now.iter().all(|one| !one.ends_with(" fixed") && !one.ends_with(" deleted")), "{ended_now:?}");
    scratch.write(file, before);
    scratch.commit("mended");
    assert!(ended(&scratch).contains(&"yatsu-schema fixed".to_owned()), "{:?}", ended(&scratch));
}
