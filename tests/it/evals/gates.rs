//! What a change may not do in silence: lower the gate, drop a fail, withdraw a run.

use super::*;

/// The findings of a staged change by the hook before a commit, as `rule: message`.
#[track_caller]
fn staged(s: &Scratch) -> Vec<String> {
    s.git(&["add", "-A"]);
    let json = validate_published(&s.yatsu(&["check", "--staged", "--format", "json"]).out);
    let told = |one: &Value| {
        format!(
            "{} {}: {}",
            one["origin"].as_str().unwrap_or("-"),
            one["rule"].as_str().expect("a rule"),
            one["message"].as_str().expect("a message")
        )
    };
    json["findings"].as_array().expect("a list").iter().map(told).collect()
}

#[test]
fn n10_a_measured_scenario_may_not_ask_for_less_in_silence() {
    let keys = ["runs: {of: 10, need: 8}", "env: [a, b]"];
    let s = repo(&keys);
    evals(&s, &[&["--env", "a", "--runs", "8/8"], &["--env", "b", "--runs", "8/8"]]);
    s.commit("measured");
    for (now, said) in [
        (vec!["env: [a, b]"], "8 of 10 runs had to pass, now one reading is enough"),
        (vec!["runs: {of: 10, need: 7}", keys[1]], "8 of 10 runs had to pass, now 7 of 10"),
        (vec!["runs: {of: 11, need: 8}", keys[1]], "8 of 10 runs had to pass, now 8 of 11"),
        (vec!["runs: {of: 5, need: 4}", keys[1]], "8 of 10 runs had to pass, now 4 of 5"),
        (vec![keys[0], "env: [a]"], "it need not pass in b any more"),
        (vec![keys[0]], "it need not pass in a, b any more"),
    ] {
        s.write(FILE, scenario(&now));
        let told = staged(&s);
        assert!(told.iter().any(|one| one.contains("gate-lowered") && one.contains(said)), "{now:?}: {told:?}");
    }
    for stricter in [vec!["runs: {of: 10, need: 9}", keys[1]], vec![keys[0], "env: [b, a, c]"]] {
        s.write(FILE, scenario(&stricter));
        assert!(staged(&s).iter().all(|one| !one.contains("gate-lowered")), "{stricter:?}");
    }
    let unmeasured = repo(&keys);
    unmeasured.write(FILE, scenario(&[]));
    assert!(staged(&unmeasured).iter().all(|one| !one.contains("gate-lowered")), "never measured");
}

#[test]
fn n10_keys_that_end_a_fail_are_told_and_a_failed_run_that_is_withdrawn_too() {
    let s = repo(&["runs: {of: 4, need: 4}"]);
    evals(&s, &[&["--pass"], &["--fail"], &["--pass"]]);
    assert_eq!(stands(&s), "fresh fail; - fresh fail 2/3 of 3");
    s.commit("measured");
    s.write(FILE, scenario(&["runs: {of: 1, need: 1}"]));
    let told = staged(&s).join("\n");
    assert!(
        told.contains("scenario-dropped: its newest runs failed, and this change changes its `runs:` or `env:`"),
        "{told}"
    );
    s.git(&["checkout", "-q", "HEAD", "--", FILE]);
    let fail: Value = serde_json::from_str(s.read(LEDGER).lines().nth(1).expect("the fail")).expect("json");
    s.yatsu(&["retract", "n/s", "--ts", fail["ts"].as_str().expect("a time")]).expect(0);
    eval(&s, &["--pass"]);
    let told = staged(&s).join("\n");
    assert!(told.contains("fail-withdrawn: this change retracts the failed runs of"), "{told}");
    assert!(told.contains("3 of 3 runs that count now passed"), "{told}");
}

#[test]
fn a_first_run_after_an_edit_is_no_new_finding() {
    let s = repo(&["runs: {of: 3, need: 3}"]);
    eval(&s, &["--runs", "3/3"]);
    s.commit("measured");
    s.write("src/a.rs", "two\n");
    s.commit("an edit");
    eval(&s, &["--pass"]);
    let told = staged(&s);
    assert_eq!(told, ["inherited yatsu-missing: needs 3 of 3 runs of this content, has 1 (1 pass)"]);
    s.yatsu(&["check", "--staged", "--strict"]).expect(0);
    // an edit and a first run in one change: before it there was nothing to find
    let at_once = repo(&["runs: {of: 3, need: 3}"]);
    eval(&at_once, &["--runs", "3/3"]);
    at_once.commit("measured");
    at_once.write("src/a.rs", "two\n");
    eval(&at_once, &["--pass"]);
    assert!(staged(&at_once)[0].starts_with("introduced yatsu-missing"));
}

#[test]
fn a_pass_needs_its_evidence_once_in_each_environment() {
    let s = repo(&["runs: {of: 3, need: 2}", "env: [a, b]"]);
    s.write("spexcode.json", "{\"yatsu\": {\"evidenceFor\": {\"cli\": [\"transcript\"]}}}");
    s.write("out.txt", "it works\n");
    s.commit("asks for evidence");
    evals(
        &s,
        &[
            &["--env", "a", "--pass", "--result", "out.txt"],
            &["--env", "a", "--pass"],
            &["--env", "b", "--runs", "2/2"],
        ],
    );
    assert_eq!(found(&s, "evidence-kind"), ["in b: a pass under the tag cli needs evidence of kind transcript"]);
}
