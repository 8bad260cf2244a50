//! The decisions: each is allowed only when it follows from the gates.

use super::*;

#[test]
fn a_completion_is_recorded_only_when_both_gates_pass_and_once() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    let refused = decide(&s, "complete", &[]).expect(1);
    for said in ["PARTIAL", "PIVOT", "AC1: below target by 0.05", "yatsu-hook goal check model"] {
        assert!(refused.err.contains(said), "{said}: {}", refused.err);
    }
    assert_eq!(decided(&s), [""; 0]);
    measured(&s, 0.95, json!({}));
    let done = decide(&s, "complete", &["--format", "json"]).expect(0);
    let receipt = validate_published(&done.out);
    assert_eq!((&receipt["decision"]["outcome"], &receipt["decision"]["by"]), (&json!("recorded"), &json!("Ann")));
    assert_eq!(receipt["goals"][0]["status"], "SUCCESS");
    let (goal, _) = check(&s, &[]);
    assert_eq!((&receipt["decision"]["contract"], &goal["completed"]["by"]), (&goal["contract"], &json!("Ann")));
    assert_eq!(receipt["decision"]["readings"], goal["readings"]);
    let again = decide(&s, "complete", &[]).expect(0);
    assert!(again.out.contains("already recorded complete"), "{}", again.out);
    assert_eq!(decided(&s), ["complete"]);
}

#[test]
fn a_completion_that_does_not_hold_any_more_is_refused_when_it_is_made_again() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    s.commit("done");
    s.write("src/model.py", "model = 2\n");
    decide(&s, "complete", &[]).expect(1);
    assert_eq!(decided(&s), ["complete"]);
}

#[test]
fn pivots_count_attempts_until_the_last_one_is_blocked() {
    let s = repository();
    let attempt = |s: &Scratch| check(s, &[]).0["attemptNumber"].as_u64();
    measured(&s, 0.5, json!({}));
    decide(&s, "pivot", &[]).expect(0);
    let again = decide(&s, "pivot", &[]).expect(0);
    assert!(again.out.contains("nothing was written"), "{}", again.out);
    assert_eq!((attempt(&s), decided(&s).len()), (Some(2), 1));
    measured(&s, 0.6, json!({"ts": "2090-01-01T00:00:00.000Z"}));
    assert_eq!(standing(&s), "PARTIAL PIVOT", "the clock of a reading is not asked here");
}

#[test]
fn the_last_attempt_is_blocked_once_it_was_measured_and_an_unblock_begins_anew() {
    let s = repository();
    let once = contract(ACCURATE).replace("  acceptance", "  max_goal_attempts: 2\n  acceptance");
    s.write(FILE, once);
    measured(&s, 0.5, json!({}));
    decide(&s, "pivot", &[]).expect(0);
    let last = decide(&s, "pivot", &[]);
    assert_eq!(last.code, 0, "the same about the same two: {}", last.err);
    let later = "2027-01-01T00:00:00.000Z";
    measured(&s, 0.6, json!({"ts": later}));
    assert_eq!(standing(&s), "BLOCKED ESCALATE");
    let (goal, _) = check(&s, &[]);
    assert!(goal["blockers"].to_string().contains("no attempt is left"), "{}", goal["blockers"]);
    decide(&s, "pivot", &[]).expect(1);
    decide(&s, "complete", &[]).expect(1);
    s.git(&["config", "user.name", "Boss"]);
    decide(&s, "unblock", &[]).expect(0);
    assert_eq!((standing(&s), check(&s, &[]).0["attemptNumber"].as_u64()), ("PARTIAL PIVOT".to_owned(), Some(1)));
}

#[test]
fn a_rework_is_recorded_where_the_evidence_is_not_sound_and_leaves_the_attempt() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    decide(&s, "rework", &[]).expect(1);
    s.commit("measured");
    s.write("src/model.py", "model = 2\n");
    decide(&s, "rework", &[]).expect(0);
    decide(&s, "pivot", &[]).expect(1);
    assert_eq!((decided(&s), check(&s, &[]).0["attemptNumber"].as_u64()), (vec!["rework".to_owned()], Some(1)));
}

#[test]
fn a_rework_takes_a_completion_back() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    decide(&s, "rework", &[]).expect(0);
    assert_eq!(check(&s, &[]).0["completed"], Value::Null);
    decide(&s, "complete", &[]).expect(0);
    assert_eq!(decided(&s), ["complete", "rework", "complete"]);
}

#[test]
fn a_block_stands_until_it_is_ended_also_over_a_changed_contract() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    decide(&s, "block", &[]).expect(0);
    assert_eq!(standing(&s), "BLOCKED ESCALATE");
    s.write(FILE, contract(&ACCURATE.replace("0.9", "0.5")));
    assert_eq!(standing(&s), "BLOCKED ESCALATE");
    decide(&s, "complete", &[]).expect(1);
    decide(&s, "unblock", &[]).expect(0);
    assert_eq!(standing(&s), "SUCCESS ACCEPT");
}

#[test]
fn an_eased_contract_counts_its_attempts_anew_and_says_so() {
    let s = repository();
    measured(&s, 0.5, json!({}));
    decide(&s, "pivot", &[]).expect(0);
    let (goal, _) = check(&s, &[]);
    assert_eq!((&goal["attemptNumber"], &goal["attemptsRestarted"]), (&json!(2), &json!(false)));
    s.write(FILE, contract(ACCURATE).replace("tell flowers apart", "in other words"));
    assert_eq!(check(&s, &[]).0["attemptNumber"], 2, "reworded");
    s.write(FILE, contract(&ACCURATE.replace("0.9", "0.8")));
    let (goal, _) = check(&s, &[]);
    assert_eq!((&goal["attemptNumber"], &goal["attemptsRestarted"]), (&json!(1), &json!(true)));
}

#[test]
fn a_review_lowers_the_score_of_exactly_these_readings_and_a_filer_s_own_is_none() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    let review = |score: &str, by: &str| decide(&s, "review", &["--score", score, "--by", by, "--note", "thin"]);
    review("60", "Eve").expect(0);
    let (goal, _) = check(&s, &[]);
    assert_eq!((goal["trustGate"]["score"].as_u64(), standing(&s)), (Some(60), "PARTIAL REWORK".to_owned()));
    let again = review("60", "Eve").expect(0);
    assert!(again.out.contains("already recorded"), "{}", again.out);
    review("101", "Eve").expect(2);
    measured(&s, 0.96, json!({}));
    assert_eq!(check(&s, &[]).0["trustGate"]["score"], 100, "a new reading");
    s.write("spexcode.json", r#"{"yatsu": {"goals": {"requireReview": true}}}"#);
    assert!(check(&s, &[]).0["trustGate"]["deductions"].to_string().contains("review-missing"));
    review("90", "filer").expect(0);
    assert_eq!(standing(&s), "PARTIAL REWORK");
    review("90", "Eve").expect(0);
    assert_eq!(standing(&s), "SUCCESS ACCEPT");
}

#[test]
fn a_decision_without_a_reason_a_node_or_a_contract_writes_nothing() {
    let s = repository();
    for args in [
        &["goal", "pivot", "model"][..],
        &["goal", "block", "model"],
        &["goal", "review", "model", "--score", "5", "--by", "x"],
        &["goal", "complete", "nowhere"],
        &["goal", "block", "model", "--reason", " "],
        &["goal", "block", "model", "--reason", "a\nb"],
    ] {
        s.yatsu(args).expect(2);
    }
    assert_eq!(decided(&s), [""; 0]);
}

#[test]
fn nothing_is_decided_on_a_ledger_that_is_torn_or_merged() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    s.write(LEDGER, s.read(LEDGER) + "{\"scenario\":");
    decide(&s, "block", &[]).expect(1);
    s.write(LEDGER, "<<<<<<< ours\n");
    decide(&s, "block", &[]).expect(1);
}

/// If two clones pivot from the same readings and are merged, they tried one approach, not two.
#[test]
fn two_clones_that_pivot_from_the_same_readings_made_one_attempt() {
    let s = repository();
    measured(&s, 0.5, json!({}));
    decide(&s, "pivot", &[]).expect(0);
    let mut other: Value = serde_json::from_str(s.read(LEDGER).lines().last().expect("a pivot")).expect("JSON");
    other["by"] = json!("Bob");
    other["ts"] = json!("2026-01-01T00:30:00.000Z");
    append(&s, &other);
    assert_eq!(check(&s, &[]).0["attemptNumber"], 2);
    let again = decide(&s, "pivot", &[]).expect(0);
    assert!(again.out.contains("nothing was written"), "{}", again.out);
}

#[test]
fn a_decision_comes_after_those_of_both_ledgers_and_not_before_one_that_is_dated_ahead() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    let claim = s.read(LEDGER).lines().last().map(str::to_owned).expect("a claim");
    let line: Value = serde_json::from_str(&claim).expect("JSON");
    let ts = line["ts"].as_str().expect("a time");
    // minutes ahead, in the other ledger of the node
    let ahead = crate::support::seconds_ahead(500);
    s.write(".spec/model/evals.ndjson", format!("{}\n", claim.replace(ts, &ahead)));
    decide(&s, "rework", &[]).expect(0);
    assert_eq!(check(&s, &[]).0["completed"], Value::Null, "it was taken back");
    s.write(".spec/model/evals.ndjson", format!("{}\n", claim.replace(ts, "2090-01-01T00:00:00.000Z")));
    let before = s.read(LEDGER);
    for kind in ["rework", "block"] {
        let said = decide(&s, kind, &[]).expect(1);
        assert!(said.err.contains("2090-01-01") && said.err.contains("would not count"), "{}", said.err);
    }
    assert_eq!(s.read(LEDGER), before);
}

/// A refusal shows the results of both gates, so that the user need not ask again.
#[test]
fn a_refused_completion_shows_the_block_with_the_commands() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    s.write("src/model.py", "model = 2\n");
    let said = decide(&s, "complete", &[]).expect(1);
    for text in ["next   REWORK   (trust FAIL, goal NOT_MET)", "yatsu-hook eval model/learns --pass --result FILE"] {
        assert!(said.out.contains(text), "{text}: {}", said.out);
    }
    assert!(
        said.err.contains("REWORK, not complete") && said.err.lines().all(|line| line.len() <= 100),
        "{}",
        said.err
    );
    let refused = decide(&s, "complete", &["--format", "json"]);
    assert_eq!(refused.code, 1);
    assert!(!refused.out.contains("next   "), "{}", refused.out);
}
