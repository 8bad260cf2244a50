//! Filing runs and environments: what is derived, what is refused, what is filed already.

use super::*;
use crate::support::ledger_lines;

fn lines(s: &Scratch) -> Vec<Value> {
    ledger_lines(s, ".spec/n").iter().map(|line| serde_json::from_str(line).expect("json")).collect()
}

#[test]
fn the_verdict_follows_from_the_runs() {
    let s = repo(&["runs: {of: 10, need: 8}"]);
    evals(&s, &[&["--runs", "4/5"], &["--runs", "3/5"], &["--runs", "8/10", "--pass"], &["--runs", "0/1", "--fail"]]);
    let told = |line: &Value| {
        let runs = &line["runs"];
        format!("{} {}/{}", line["verdict"]["status"].as_str().expect("a verdict"), runs["pass"], runs["of"])
    };
    let filed: Vec<String> = lines(&s).iter().map(told).collect();
    assert_eq!(filed, ["pass 4/5", "fail 3/5", "pass 8/10", "fail 0/1"]);
    refused(
        s.yatsu(&["eval", "n/s", "--runs", "7/10", "--pass"]),
        2,
        &["7 of 10 runs passed, which is a fail", "--pass"],
    );
    refused(s.yatsu(&["eval", "n/s", "--runs", "8/10", "--fail"]), 2, &["which is a pass", "--fail"]);
    for wrong in ["0/0", "10/8", "-1/3", "8", "8/x", "1/100001", "8/10/2", " 8/10"] {
        s.yatsu(&["eval", "n/s", &format!("--runs={wrong}")]).expect(2);
    }
    refused(s.yatsu(&["eval", "n/s"]), 2, &["--pass"]);
    assert_eq!(lines(&s).len(), 4, "nothing was written");
}

#[test]
fn n5_each_call_is_runs_of_its_own_and_a_key_says_again() {
    let s = repo(&["runs: {of: 4, need: 2}"]);
    evals(&s, &[&["--pass"], &["--pass"], &["--key", "k", "--pass"]]);
    assert!(eval(&s, &["--key", "k", "--pass"]).contains("already filed"));
    assert_eq!(stands(&s), "fresh pass; - fresh pass 3/3 of 3");
    let plain = repo(&[]);
    eval(&plain, &["--pass"]);
    assert!(eval(&plain, &["--pass"]).contains("already filed"));
}

#[test]
fn n7_an_environment_is_needed_where_some_are_listed_and_refused_elsewhere() {
    let s = repo(&["env: [chromium, firefox]"]);
    refused(s.yatsu(&["eval", "n/s", "--pass"]), 2, &["chromium, firefox", "--env chromium"]);
    refused(
        s.yatsu(&["eval", "n/s", "--pass", "--env", "safari"]),
        2,
        &["lists no environment safari", "chromium, firefox"],
    );
    s.yatsu(&["eval", "n/s", "--pass", "--env", "a b"]).expect(2);
    assert!(!s.root.join(LEDGER).exists());
    refused(repo(&[]).yatsu(&["eval", "n/s", "--pass", "--env", "safari"]), 2, &["leave --env out"]);
    // what is filed already is asked in the environment
    eval(&s, &["--env", "chromium", "--pass"]);
    eval(&s, &["--env", "firefox", "--pass"]);
    assert!(eval(&s, &["--env", "chromium", "--pass"]).contains("already filed"));
    assert_eq!(lines(&s).len(), 2);
    assert_eq!(lines(&s)[1]["env"], "firefox");
    s.yatsu(&["retract", "n/s", "--last", "--env", "chromium"]).expect(0);
    assert_eq!(stands(&s), "unmeasured -; chromium unmeasured -; firefox fresh pass");
    refused(s.yatsu(&["retract", "n/s", "--last", "--env", "chromium"]), 1, &["no reading in chromium"]);
}

#[test]
fn n9_wrong_keys_are_told_with_their_place_and_an_unknown_one_with_the_known() {
    for (more, said) in [
        ("runs: 10", "8:11: `runs` needs a map of `of` and `need`"),
        ("runs: {of: 10}", "8:11: no `need`"),
        ("runs: {of: 0, need: 0}", "8:16: `of` must be a whole number from 1 to 1000, not `0`"),
        ("runs: {of: 8, need: 10}", "8:25: 10 of 8 runs can never pass"),
        ("runs: {of: 1001, need: 1}", "`of` must be a whole number from 1 to 1000"),
        ("runs: {of: 1001, need: 1}", "help: write one of these numbers"),
        ("runs: {of: ten, need: 1}", "help: write digits alone"),
        ("runs: {of: \"10\", need: 1}", "remove the quotes"),
        ("runs: {of: 10, need: 8, per: day}", "unknown key `per`"),
        ("env: []", "`env` names no environment"),
        ("env: [a, a]", "8:14: the environment a stands here twice"),
        ("env: [a b]", "`a b` is no name of an environment"),
        ("env: [3.12]", "quote it"),
        ("env: {a: b}", "8:10: `env` needs text"),
    ] {
        let s = repo(&[more]);
        let report = s.yatsu(&["check", "--all"]).expect(1).out;
        let place = said.split_once(": ").filter(|(place, _)| place.starts_with('8'));
        let parts = place.map_or(vec![said], |(place, message)| vec![place, message]);
        parts.iter().for_each(|part| assert!(report.contains(part), "{more}: {part:?} is not in\n{report}"));
    }
    let many: Vec<String> = (0..17).map(|n| format!("e{n}")).collect();
    let s = repo(&[&format!("env: [{}]", many.join(", "))]);
    assert!(s.yatsu(&["check", "--all"]).expect(1).out.contains("17 environments; the limit is 16"));
    repo(&["runs: {of: 1000, need: 1000}", "env: one, two"]).yatsu(&["check", "--all"]).expect(0);
}

#[test]
fn n9_a_line_whose_runs_cannot_be_is_refused_when_it_is_added_and_setting_a_key_stales_nothing() {
    let s = repo(&[]);
    eval(&s, &["--pass"]);
    s.commit("measured");
    s.write(FILE, scenario(&["runs: {of: 1, need: 1}"]));
    assert_eq!(stands(&s), "fresh pass; - fresh pass 1/1 of 1");
    s.commit("a rule");
    let line = s.read(LEDGER).lines().next().expect("a line").to_owned();
    for (runs, said) in [
        ("{\"pass\":0,\"of\":3}", "contradicts the verdict"),
        ("{\"pass\":4,\"of\":3}", "whole numbers"),
        ("{\"pass\":1}", "whole numbers"),
        ("{\"pass\":1,\"of\":1,\"x\":1}", "another key"),
        ("5", "must be an object"),
        ("{\"pass\":1,\"of\":1,\"report\":\"x\"}", "must be a sha256"),
    ] {
        let (head, _) = line.rsplit_once("\"ts\":\"").expect("a time");
        s.write(LEDGER, format!("{line}\n{head}\"runs\":{runs},\"ts\":\"2026-01-01T00:00:00.000Z\"}}\n"));
        s.git(&["add", "-A"]);
        let report = s.yatsu(&["pre-commit"]).expect(1).err;
        assert!(report.contains("ledger-schema") && report.contains(said), "{runs}: {report}");
    }
}
