//! What counts: the window, contents, environments, the order of states.

use super::*;
use crate::support::{newest_ledger, sha256, with_ledger_merged};

#[test]
fn n1_without_the_keys_runs_and_environments_change_nothing() {
    let s = repo(&[]);
    eval(&s, &["--pass"]);
    let row = row(&s);
    assert!(row.get("environments").is_none() && row.get("blocked").is_none());
    assert_eq!(stands(&s), "fresh pass");
    // counts of a scenario without a rule: all must pass, and the latest reading counts
    eval(&s, &["--runs", "9/10"]);
    assert_eq!(stands(&s), "fresh fail");
    eval(&s, &["--runs", "10/10"]);
    assert_eq!(stands(&s), "fresh pass");
}

#[test]
fn n2_a_pass_comes_early_a_fail_when_it_is_out_of_reach_and_between_them_runs_are_missing() {
    let s = repo(&["runs: {of: 4, need: 3}"]);
    assert_eq!(stands(&s), "unmeasured -; - unmeasured - 0/0 of 0");
    eval(&s, &["--pass"]);
    eval(&s, &["--pass"]);
    assert_eq!(stands(&s), "unmeasured -; - partial - 2/2 of 2");
    assert_eq!(found(&s, "yatsu-missing"), ["needs 3 of 4 runs of this content, has 2 (2 pass)"]);
    eval(&s, &["--pass"]);
    assert_eq!(stands(&s), "fresh pass; - fresh pass 3/3 of 3");
    eval(&s, &["--fail"]);
    assert_eq!(stands(&s), "fresh pass; - fresh pass 3/4 of 4");
    eval(&s, &["--fail"]);
    assert_eq!(stands(&s), "fresh fail; - fresh fail 2/4 of 5");
    assert_eq!(found(&s, "yatsu-failing"), ["2 of its newest 4 runs failed, and 3 of 4 must pass"]);
    let all = repo(&["runs: {of: 3, need: 3}"]);
    eval(&all, &["--runs", "1/2"]);
    assert_eq!(stands(&all), "fresh fail; - fresh fail 1/2 of 2");
    let one = repo(&["runs: {of: 1, need: 1}"]);
    evals(&one, &[&["--fail"], &["--pass"]]);
    assert_eq!(stands(&one), "fresh pass; - fresh pass 1/1 of 2");
}

#[test]
fn n3_a_reading_over_the_edge_gives_its_share() {
    let s = repo(&["runs: {of: 10, need: 8}"]);
    evals(&s, &[&["--runs", "62/63"], &["--runs", "4/5"]]);
    assert_eq!(stands(&s), "fresh pass; - fresh pass 8/10 of 68");
    assert!(s.yatsu(&["ls"]).expect(0).out.contains("8/10 of 68 runs"));
}

#[test]
fn n4_runs_of_another_content_do_not_count_and_speak_again_after_a_revert() {
    let s = repo(&["runs: {of: 2, need: 2}"]);
    eval(&s, &["--runs", "2/2"]);
    s.write("src/a.rs", "two\n");
    s.commit("another content");
    assert_eq!(stands(&s), "stale -; - stale pass 0/0 of 0");
    eval(&s, &["--pass"]);
    assert_eq!(stands(&s), "unmeasured -; - partial - 1/1 of 1");
    eval(&s, &["--fail"]);
    assert_eq!(stands(&s), "fresh fail; - fresh fail 1/2 of 2");
    s.write("src/a.rs", "one\n");
    assert_eq!(stands(&s), "fresh pass; - fresh pass 2/2 of 2");
}

#[test]
fn n6_withdrawn_and_redacted_runs_count_no_more() {
    let s = repo(&["runs: {of: 3, need: 2}"]);
    evals(&s, &[&["--pass"], &["--fail"], &["--pass"]]);
    assert_eq!(stands(&s), "fresh pass; - fresh pass 2/3 of 3");
    s.yatsu(&["retract", "n/s", "--last"]).expect(0);
    assert_eq!(stands(&s), "unmeasured -; - partial - 1/2 of 2");
    let lines = s.read(&newest_ledger(&s, ".spec/n"));
    let fail: Value = serde_json::from_str(lines.lines().nth(1).expect("the fail")).expect("json");
    let ts = fail["ts"].as_str().expect("a time");
    s.yatsu(&["redact", "n/s", "--ts", ts, "--reason", "a name", "--by", "A"]).expect(0);
    assert_eq!(stands(&s), "unmeasured -; - partial - 1/1 of 1");
}

/// A line with an early date takes the place of a later one of its report only if it says the same.
#[test]
fn n5_a_line_that_says_something_else_of_a_report_hides_no_fail() {
    let s = repo(&["runs: {of: 4, need: 3}"]);
    eval(&s, &["--runs", "2/4"]);
    let ledger = newest_ledger(&s, ".spec/n");
    let report = format!(r#""of":4,"report":"{}""#, sha256("a report"));
    let fail = s.read(&ledger).replace(r#""of":4"#, &report);
    assert!(fail.contains(&report), "{fail}");
    let earlier = |line: &str| {
        let ts = line.split(r#""ts":""#).nth(1).expect("a time").split('"').next().expect("its end").to_owned();
        line.replace(&ts, "2026-01-01T00:00:00.000Z")
    };
    let pass = earlier(&fail).replace(r#""pass":2"#, r#""pass":4"#).replace(r#""fail""#, r#""pass""#);
    let text = earlier(&fail).replace(&sha256("measure it\nit works"), &sha256("another text"));
    for (added, all) in [(earlier(&fail), 4), (pass, 8), (text, 4)] {
        assert_ne!(added, fail);
        s.write(&ledger, format!("{added}{fail}"));
        assert_eq!(stands(&s), format!("fresh fail; - fresh fail 2/4 of {all}"), "{added}");
    }
}

#[test]
fn n8_a_reading_of_one_environment_is_no_verdict_on_all() {
    let s = repo(&["runs: {of: 10, need: 9}", "env: [x, y]"]);
    eval(&s, &["--env", "x", "--runs", "8/10"]);
    assert!(s.yatsu(&["ls", "--failing"]).expect(0).out.contains("n/s"));
    s.write(FILE, scenario(&["runs: {of: 10, need: 8}", "env: [x, y]"]));
    assert_eq!(stands(&s), "unmeasured -; x fresh pass 8/10 of 10; y unmeasured - 0/0 of 0");
    assert!(!s.yatsu(&["ls", "--failing"]).expect(0).out.contains("n/s"));
    let said = s.yatsu(&["ls"]).expect(0).out;
    assert!(said.lines().any(|line| line.starts_with("unmeasured  -  ")), "{said}");
}

#[test]
fn n7_each_environment_answers_for_itself_and_others_count_for_nothing() {
    let s = repo(&["env: [chromium, firefox]"]);
    let other = scenario(&["env: [chromium, firefox, safari]"]);
    s.write(FILE, &other);
    eval(&s, &["--env", "safari", "--pass"]);
    s.write(FILE, scenario(&["env: [chromium, firefox]"]));
    assert_eq!(stands(&s), "unmeasured -; chromium unmeasured -; firefox unmeasured -");
    eval(&s, &["--env", "chromium", "--pass"]);
    assert_eq!(stands(&s), "unmeasured -; chromium fresh pass; firefox unmeasured -");
    assert_eq!(found(&s, "yatsu-missing"), ["in firefox: declared, and no reading of it counts here"]);
    assert!(s.yatsu(&["ls"]).expect(0).out.contains("firefox: not run"));
    eval(&s, &["--env", "firefox", "--pass"]);
    assert_eq!(stands(&s), "fresh pass; chromium fresh pass; firefox fresh pass");
    // without the key all readings are of one place again
    s.write(FILE, scenario(&[]));
    assert_eq!(stands(&s), "fresh pass");
    let junit = repo(&["env: [chromium, firefox]"]);
    eval(&junit, &["--env", "firefox", "--fail"]);
    let xml = junit.yatsu(&["scan", "--format", "junit"]).out;
    assert!(xml.contains("name=\"s [chromium]\"") && xml.contains("name=\"s [firefox]\""), "{xml}");
    assert!(xml.contains("failures=\"1\"") && xml.contains("skipped=\"1\""), "{xml}");
}

#[test]
fn n8_nothing_that_is_missing_hides_a_fail_and_nothing_that_is_stale_hides_what_is_missing() {
    let s = repo(&["env: [a, b]"]);
    eval(&s, &["--env", "a", "--fail"]);
    assert_eq!(stands(&s), "fresh fail; a fresh fail; b unmeasured -");
    eval(&s, &["--env", "a", "--pass"]);
    assert_eq!(stands(&s), "unmeasured -; a fresh pass; b unmeasured -");
    eval(&s, &["--env", "b", "--pass"]);
    s.write("src/a.rs", "two\n");
    s.commit("two");
    assert_eq!(stands(&s), "stale -; a stale pass; b stale pass");
    assert_eq!(found(&s, "yatsu-drift").len(), 2);
    let scan = s.yatsu(&["scan"]).out;
    assert!(scan.contains("src/a.rs moved: 1 scenario of 1 node\n"), "{scan}");
    assert!(scan.contains(": n/s in a\n") && scan.contains(": n/s in b\n"), "{scan}");
    eval(&s, &["--env", "a", "--pass"]);
    assert_eq!(stands(&s), "stale -; a fresh pass; b stale pass");
    eval(&s, &["--env", "b", "--fail"]);
    assert_eq!(stands(&s), "fresh fail; a fresh pass; b fresh fail");
}

#[test]
fn n11_runs_of_two_branches_are_counted_together_after_a_merge() {
    let s = repo(&["runs: {of: 4, need: 4}"]);
    s.git(&["switch", "-qc", "side"]);
    eval(&s, &["--runs", "2/2"]);
    s.commit("measured on the side");
    s.git(&["switch", "-q", "main"]);
    eval(&s, &["--runs", "2/2"]);
    s.commit("measured on main");
    assert_eq!(stands(&s), "unmeasured -; - partial - 2/2 of 2");
    with_ledger_merged(&s, "side", LEDGER);
    assert_eq!(stands(&s), "fresh pass; - fresh pass 4/4 of 4");
}

#[test]
fn show_marks_every_reading_that_counts() {
    let s = repo(&["runs: {of: 2, need: 1}"]);
    evals(&s, &[&["--fail"], &["--pass"], &["--fail"]]);
    let json = validate_published(&s.yatsu(&["show", "n", "--format", "json"]).expect(0).out);
    let readings = json["scenarios"][0]["readings"].as_array().expect("a list");
    let counts: Vec<bool> = readings.iter().map(|reading| reading["counts"] == true).collect();
    assert_eq!(counts, [true, true, false]);
    let text = s.yatsu(&["show", "n"]).expect(0).out;
    assert_eq!(text.matches("  (counts)").count(), 2, "{text}");
    assert!(text.contains("1/2 of 3 runs"), "{text}");
    s.yatsu(&["report", "--html", "page.html"]).expect(0);
    let page = s.read("page.html");
    assert!(page.contains("class=\"environments\"") && page.contains("1/2 of 3 runs"));
}
