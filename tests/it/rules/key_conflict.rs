//! `key-conflict`: one key for two different readings, however they came together.

use super::{all, one_node, only, silent};
use crate::support::Scratch;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

fn eval(scratch: &Scratch, verdict: &str, key: &str) {
    scratch.yatsu(&["eval", "n", "--scenario", "works", verdict, "--key", key]).expect(0);
}

/// Two branches with readings of one key, merged line by line.
fn merged(verdicts: [&str; 2]) -> Scratch {
    let scratch = one_node();
    scratch.git(&["checkout", "-q", "-b", "other"]);
    eval(&scratch, verdicts[0], "k");
    let theirs = scratch.read(LEDGER);
    scratch.commit("theirs");
    scratch.git(&["checkout", "-q", "main"]);
    eval(&scratch, verdicts[1], "k");
    let ours = scratch.read(LEDGER);
    scratch.commit("ours");
    scratch.try_git(&["merge", "-q", "--no-commit", "other"]);
    scratch.write(LEDGER, ours + &theirs);
    scratch.git(&["add", LEDGER]);
    scratch
}

#[test]
fn a_key_conflict_by_merge_blocks_until_one_is_retracted_and_then_the_push_passes() {
    let scratch = merged(["--pass", "--fail"]);
    let found = only(all(&scratch, "key-conflict"));
    assert_eq!(found["scenario"], "works");
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-merge-commit"));
    scratch.yatsu(&["retract", "n", "--scenario", "works"]).expect(0);
    silent(all(&scratch, "key-conflict"));
    scratch.git(&["add", "-A"]);
    scratch.yatsu(&["pre-merge-commit"]).expect(0);
    scratch.git(&["commit", "-q", "-m", "merged"]);
    scratch.yatsu(&["check", "--from", "HEAD^1", "--to", "HEAD"]).expect(0);
}

#[test]
fn what_both_sides_filed_under_one_key_is_withdrawn_at_once() {
    let scratch = merged(["--pass", "--pass"]);
    scratch.yatsu(&["retract", "n", "--scenario", "works"]).expect(0);
    assert!(scratch.yatsu(&["ls", "-v"]).expect(0).out.starts_with("unmeasured "));
    scratch.yatsu(&["retract", "n", "--scenario", "works"]).expect(1);
    let again = scratch.yatsu(&["eval", "n", "--scenario", "works", "--fail", "--key", "k"]).expect(1);
    assert!(again.err.contains("is used up"), "{}", again.err);
}

#[test]
fn the_same_reading_of_both_sides_counts_once() {
    let scratch = merged(["--pass", "--pass"]);
    silent(all(&scratch, "key-conflict"));
    let shown = scratch.yatsu(&["show", "n", "--format", "json"]).expect(0);
    let json = crate::support::validate_published(&shown.out);
    assert_eq!(json["scenarios"][0]["readings"].as_array().map(Vec::len), Some(1), "{json}");
}
