//! Costs stay spent, and a breach stays a breach: after copied ledgers, redacted lines, dated waivers, lowered limits, or a
//! hand-written end.

use crate::budgets::{LEDGER, both, limited, pass, receipt, tokens, verdicts, waive};
use crate::support::{seconds_ahead, validate_published};
use serde_json::{Value, json};
use yatsu_hook::model::ledger::Timestamp;

/// The other ledger that a node may have.
const OTHER: &str = ".spec/board/evals.ndjson";

fn waiver(scenario: &str, ts: &str) -> String {
    format!(
        "{{\"decision\":\"waive-budget\",\"scenario\":\"{scenario}\",\"reason\":\"r\",\"by\":\"b\",\"ts\":\"{ts}\"}}\n"
    )
}

#[test]
fn a_waiver_dated_ahead_in_the_nodes_other_ledger_waives_nothing_that_is_filed_after_it() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    pass(&s, "board/draws", &tokens(1), &[]);
    let ts = seconds_ahead(500);
    s.write(OTHER, waiver("draws", &ts));
    let late = receipt(&pass(&s, "board/draws", &tokens(101), &[]));
    let time = |text: &str| Timestamp::parse(text).expect("a time");
    assert!(time(late["ts"].as_str().expect("a time")) > time(&ts), "{late}");
    assert_eq!(verdicts(&s, "draws"), both("pass", "fail"));
    // the same for later retractions, waivers and decisions: they come after the existing lines
    let waived = receipt(&waive(&s, "board/draws").expect(0));
    assert!(waived["ts"].as_str() > late["ts"].as_str());
    let said = s.yatsu(&["retract", "board", "--scenario", "draws", "--last", "--format", "json"]).expect(0);
    assert!(validate_published(&said.out)["ts"].as_str() > waived["ts"].as_str(), "{}", said.out);
}

#[test]
fn a_waiver_that_stands_already_is_told_as_it_was_filed() {
    let s = limited("{\"maxTaskTotalTokens\": 100}");
    pass(&s, "board/draws", &tokens(101), &[]);
    let first = receipt(&waive(&s, "board/draws").expect(0));
    let again = ["claim", "waive-budget", "board", "--scenario", "draws", "--reason", "other", "--by", "Zoe"];
    let again = receipt(&s.yatsu(&[&again[..], &["--format", "json"]].concat()).expect(0));
    assert_eq!(again["outcome"], "already-waived");
    for key in ["reason", "by", "ts", "ledger"] {
        assert_eq!(again[key], first[key], "{key}");
    }
}

#[test]
fn a_copied_ledger_costs_its_run_nothing_twice() {
    let s = limited("{\"maxRunTotalTokens\": 8, \"maxTaskTotalTokens\": 6}");
    pass(&s, "board/draws", &tokens(5), &["--run", "r"]);
    let copy = |to: &str| {
        s.write(&format!(".spec/{to}/yatsu.md"), s.read(".spec/board/yatsu.md"));
        s.write(&format!(".spec/{to}/yatsu.evals.ndjson"), s.read(LEDGER));
    };
    copy("copy");
    let run = || {
        let json = validate_published(&s.yatsu(&["usage", "--format", "json"]).expect(0).out);
        let run = json["runs"][0].clone();
        (run["readings"].clone(), run["overBudget"].clone(), run["amounts"][0]["total"].clone())
    };
    assert_eq!(run(), (json!(1), json!(false), json!(5)));
    assert_eq!(s.yatsu(&["ls", "--failing"]).expect(0).out, "");
    // a copy of a breach breaches too, because it is the same measurement
    pass(&s, "board/draws", &tokens(7), &["--run", "r"]);
    copy("copy");
    let failing = s.yatsu(&["ls", "--failing"]).expect(0).out;
    assert_eq!((failing.matches(" fail ").count(), run().0, run().2), (2, json!(2), json!(12)), "{failing}");
}

#[test]
fn a_redaction_leaves_the_key_used_up() {
    let s = limited("{}");
    let filed = ["eval", "board", "--scenario", "draws", "--key", "k", "--pass", "--note", "a secret"];
    let ts = receipt(&s.yatsu(&[&filed[..], &["--format", "json"]].concat()).expect(0))["ts"].clone();
    let redact = ["redact", "board", "--scenario", "draws", "--ts", ts.as_str().expect("a time"), "--reason", "r"];
    s.yatsu(&redact).expect(0);
    let before = s.read(LEDGER);
    assert!(!before.contains("secret"), "{before}");
    assert!(s.yatsu(&filed).expect(0).out.starts_with("already filed"), "the same reading");
    let said = s.yatsu(&["eval", "board", "--scenario", "draws", "--key", "k", "--fail"]).expect(1);
    assert!(said.err.contains("the key k is used up") && said.err.contains("was redacted"), "{}", said.err);
    assert_eq!(s.read(LEDGER), before);
    // the original line is gone, so freeing the key again counts as a loss
    s.git(&["add", "-A"]);
    s.yatsu(&["check", "--staged"]).expect(0);
    s.yatsu(&["eval", "board", "--scenario", "sorts", "--key", "k", "--fail"]).expect(0);
}

#[test]
fn a_redaction_that_frees_a_key_is_a_lost_line() {
    let s = limited("{}");
    s.yatsu(&["eval", "board", "--scenario", "draws", "--key", "k", "--pass"]).expect(0);
    s.commit("measured");
    let ts = serde_json::from_str::<Value>(&s.read(LEDGER)).expect("a line")["ts"].clone();
    s.yatsu(&["redact", "board", "--scenario", "draws", "--ts", ts.as_str().expect("a time"), "--reason", "r"])
        .expect(0);
    s.git(&["add", "-A"]);
    s.yatsu(&["check", "--staged"]).expect(0);
    let mut line: Value = serde_json::from_str(&s.read(LEDGER)).expect("a line");
    line.as_object_mut().and_then(|line| line.remove("usedKey")).expect("it names the use");
    s.write(LEDGER, format!("{line}\n"));
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["check", "--staged"]).expect(1);
    assert!(said.out.contains("ledger-history"), "{}", said.out);
}

#[test]
fn a_success_told_by_hand_of_a_run_that_is_over_its_budget_is_named() {
    let s = limited("{\"maxRunTotalTokens\": 8}");
    // for a malformed log only that would be reported, and this one is malformed for another reason
    let rules = "{\"runlog-schema\": \"off\"}";
    s.write(
        "spexcode.json",
        format!("{{\"yatsu\": {{\"budgets\": {{\"maxRunTotalTokens\": 8}}, \"rules\": {rules}}}}}"),
    );
    let started: Value =
        serde_json::from_str(&s.yatsu(&["runlog", "start", "--format", "json"]).expect(0).out).expect("a receipt");
    let path = started["file"].as_str().expect("a path");
    let run = path.rsplit('/').next().and_then(|name| name.strip_suffix(".jsonl")).expect("a name");
    pass(&s, "board/draws", &tokens(9), &["--run", run]);
    s.commit("measured");
    let log = s.read(path);
    let over = format!("run {run} is over its budget");
    s.write(path, log.clone() + &end("success"));
    s.git(&["add", "-A"]);
    let told = || s.yatsu(&["check", "--staged"]).out;
    assert!(told().contains("runlog-artifacts") && told().contains(&over), "{}", told());
    let said = s.yatsu(&["runlog", "check"]).expect(1);
    assert!(said.out.contains(&over), "{}", said.out);
    // another end is fine, and so is this one without a breach
    s.write(path, log.clone() + &end("aborted"));
    s.git(&["add", "-A"]);
    assert!(!told().contains(&over), "{}", told());
    s.write(path, log + &end("success"));
    waive(&s, "board/draws").expect(0);
    s.git(&["add", "-A"]);
    assert!(!told().contains(&over), "{}", told());
}

fn end(status: &str) -> String {
    format!("{{\"event\":\"run_end\",\"ts\":\"{}\",\"status\":\"{status}\"}}\n", seconds_ahead(0))
}
