//! `budget-exceeded`: a reading that cost more than is allowed.

use super::{all, one_node, only, silent, staged};
use crate::support::Scratch;
use serde_json::json;

fn limited(tokens: u64) -> Scratch {
    let scratch = one_node();
    limit(&scratch, tokens);
    scratch.commit("limited");
    scratch
}

fn limit(scratch: &Scratch, tokens: u64) {
    scratch.write("spexcode.json", format!("{{\"yatsu\": {{\"budgets\": {{\"maxTaskTotalTokens\": {tokens}}}}}}}"));
}

fn eval(scratch: &Scratch, tokens: &str) {
    let flags = ["--tokens", tokens, "--token-source", "meter", "--run", "r"];
    scratch.yatsu(&[&["eval", "n", "--scenario", "works", "--pass"], &flags[..]].concat()).expect(0);
}

#[test]
fn a_reading_over_its_budget_is_named_with_what_it_cost() {
    let scratch = limited(100);
    eval(&scratch, "100,1");
    insta::assert_snapshot!(scratch.session("yatsu-hook check --all"));
    let found = only(all(&scratch, "budget-exceeded"));
    assert_eq!(found["breaches"], json!([{"scope": "task", "metric": "total_tokens", "observed": 101, "limit": 100}]));
    assert_eq!((&found["usage"]["promptTokens"], &found["runTotals"]["total_tokens"]), (&json!(100), &json!(101)));
    let found = only(staged(&scratch, "budget-exceeded"));
    assert_eq!(found["origin"], "introduced");
    silent(staged(&scratch, "yatsu-failing"));
}

#[test]
fn what_equals_its_limit_is_not() {
    let scratch = limited(101);
    eval(&scratch, "100,1");
    silent(all(&scratch, "budget-exceeded"));
}

#[test]
fn a_breach_ends_with_a_raised_limit_or_a_waiver_and_either_lowers_the_gate() {
    let scratch = limited(100);
    eval(&scratch, "100,1");
    scratch.commit("measured");
    limit(&scratch, 101);
    silent(all(&scratch, "budget-exceeded"));
    let lowered = only(staged(&scratch, "gate-lowered"));
    assert!(lowered["message"].as_str().is_some_and(|text| text.contains("raised from 100 to 101")), "{lowered}");
    scratch.git(&["reset", "-q", "--hard"]);
    scratch
        .yatsu(&["claim", "waive-budget", "n", "--scenario", "works", "--reason", "a slow day", "--by", "Ann"])
        .expect(0);
    silent(all(&scratch, "budget-exceeded"));
    let lowered = only(staged(&scratch, "gate-lowered"));
    assert!(lowered["message"].as_str().is_some_and(|text| text.contains("Ann")), "{lowered}");
    assert_eq!(lowered["scenario"], "works");
}

#[test]
fn the_range_that_brings_a_waiver_is_told_so_and_the_next_one_is_not() {
    let scratch = limited(100);
    eval(&scratch, "100,1");
    let measured = scratch.commit("measured");
    scratch.yatsu(&["claim", "waive-budget", "n", "--scenario", "works", "--reason", "r", "--by", "Ann"]).expect(0);
    let waived = scratch.commit("waived");
    scratch.write("src/b.rs", "fn c() {}\n");
    let after = scratch.commit("after");
    let said = |from: &str, to: &str| crate::support::findings(&scratch, "gate-lowered", &["--from", from, "--to", to]);
    assert_eq!(said(&measured, &waived).len(), 1);
    assert_eq!(said(&waived, &after).len(), 0);
}

#[test]
fn a_redaction_that_takes_out_what_was_spent_lowers_the_gate() {
    let scratch = limited(100);
    eval(&scratch, "100,1");
    scratch.commit("measured");
    let ledger = scratch.read(".spec/n/yatsu.evals.ndjson");
    let line: serde_json::Value = serde_json::from_str(ledger.trim()).expect("a line");
    let ts = line["ts"].as_str().expect("a time");
    scratch.yatsu(&["redact", "n", "--scenario", "works", "--ts", ts, "--reason", "a name"]).expect(0);
    silent(all(&scratch, "budget-exceeded"));
    let lowered = only(staged(&scratch, "gate-lowered"));
    assert!(
        lowered["message"]
            .as_str()
            .is_some_and(|text| text.contains(ts) && text.contains("no longer counts against a budget"))
    );
}
