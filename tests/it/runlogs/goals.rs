//! The goals of the nodes that a run measured: its last phase and its success require them.

use super::verbs::{answer, yatsu};
use crate::goals::{ACCURATE, FILE, contract, measured, repository};
use crate::support::{Scratch, sha256};
use serde_json::{Value, json};
use std::fs;

/// Starts a run of our own profile in `s`: its log and its name.
fn run(s: &Scratch) -> (String, String) {
    let log = answer(s, "runlog start", 0)["file"].as_str().expect("a path").to_owned();
    let name = log.rsplit('/').next().and_then(|name| name.strip_suffix(".jsonl")).expect("a name").to_owned();
    (log, name)
}

/// Brings the only open run to the beginning of phase 4.
fn to_the_gate(s: &Scratch) {
    for n in 1..=3 {
        yatsu(s, &format!("runlog phase end {n}")).expect(0);
        yatsu(s, &format!("runlog phase start {}", n + 1)).expect(0);
    }
}

/// Writes the end of phase 4 by hand.
fn end_by_hand(s: &Scratch, log: &str) {
    let ended = "{\"event\":\"phase_end\",\"ts\":\"2099-01-01T00:00:00Z\",\"phase\":4}\n";
    s.write(log, s.read(log) + ended);
}

/// The hook's findings about ends, each with its level.
fn staged(s: &Scratch) -> Vec<(String, String)> {
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit", "--format", "json"]).expect(0);
    let report: Value = serde_json::from_str(&said.out).unwrap_or_default();
    let found = report["findings"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of_ends = found.iter().filter(|found| found["rule"] == "runlog-artifacts");
    of_ends.map(|found| (text(&found["level"]), text(&found["message"]))).collect()
}

#[test]
fn a_run_whose_goal_is_not_met_ends_neither_its_last_phase_nor_with_success() {
    let s = repository();
    let (log, name) = run(&s);
    measured(&s, 0.5, json!({ "run": name }));
    to_the_gate(&s);
    let lacks = "the goal of model must be SUCCESS, and is PARTIAL: yatsu-hook goal check model";
    assert_eq!(answer(&s, "runlog phase end 4", 1)["missing"], json!([lacks]));
    assert_eq!(answer(&s, "runlog resume", 0)["plan"][0]["action"], "re-run");
    end_by_hand(&s, &log);
    let receipt = answer(&s, "runlog end success", 1);
    assert_eq!(receipt["missing"], json!([format!("phase 4, gate: {lacks}")]));
    let said = yatsu(&s, "runlog check").expect(1);
    assert!(said.out.contains("error[runlog-artifacts]") && said.out.contains(lacks), "{}", said.out);
    let [(level, message)] = &staged(&s)[..] else { panic!("one finding") };
    assert!(level == "warning" && message.contains(lacks), "{level} {message}");
    yatsu(&s, "runlog end failed").expect(0);
}

#[test]
fn a_run_whose_goal_is_met_ends_with_success_whatever_other_nodes_reach() {
    let s = repository();
    s.write("src/other.py", "other = 1\n");
    s.write(".spec/other/yatsu.md", contract(ACCURATE).replace("src/model.py", "src/other.py"));
    let (log, name) = run(&s);
    measured(&s, 0.95, json!({ "run": name }));
    to_the_gate(&s);
    yatsu(&s, "runlog phase end 4").expect(0);
    s.write("src/model.py", "model = 2\n");
    let stale = answer(&s, "runlog end success", 1);
    assert!(stale["missing"][0].as_str().is_some_and(|what| what.contains("and is PARTIAL")), "{stale}");
    s.write("src/model.py", "model = 1\n");
    yatsu(&s, "runlog end success").expect(0);
    yatsu(&s, &format!("runlog check {log}")).expect(0);
    assert_eq!(staged(&s), []);
}

#[test]
fn a_goal_that_cannot_be_read_is_not_reached_and_one_that_cannot_be_judged_ends_nothing() {
    let s = repository();
    let (log, name) = run(&s);
    measured(&s, 0.95, json!({ "run": name }));
    to_the_gate(&s);
    s.write(FILE, contract(&ACCURATE.replace("0.9", "nan")));
    let invalid = answer(&s, "runlog phase end 4", 1);
    assert!(invalid["missing"][0].as_str().is_some_and(|what| what.contains("and is INVALID")), "{invalid}");
    s.write(FILE, contract(ACCURATE));
    let hash = sha256("[METRIC:accuracy] 0.95\n");
    let held = s.root.join(".git/spexcode/yatsu-blobs").join(hash);
    fs::remove_file(&held).expect("removed");
    fs::create_dir(&held).expect("a directory in its place");
    let before = s.read(&log);
    yatsu(&s, "runlog phase end 4").expect(3);
    assert_eq!(s.read(&log), before, "nothing is written where nobody can tell");
    end_by_hand(&s, &log);
    yatsu(&s, "runlog end success").expect(3);
    yatsu(&s, "runlog check").expect(3);
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(3);
    assert!(said.err.contains("is a directory"), "{}", said.err);
}

#[test]
fn a_run_that_is_over_is_held_against_the_commit_that_brought_its_end() {
    let s = repository();
    let (log, name) = run(&s);
    measured(&s, 0.95, json!({ "run": name }));
    to_the_gate(&s);
    yatsu(&s, "runlog phase end 4").expect(0);
    yatsu(&s, "runlog end success").expect(0);
    s.write("src/model.py", "model = 2\n");
    // nothing of it is committed, so the present state decides
    let said = yatsu(&s, "runlog check").expect(1);
    assert!(said.out.contains("the goal of model must be SUCCESS"), "{}", said.out);
    s.write("src/model.py", "model = 1\n");
    s.commit("the run");
    s.write("src/model.py", "model = 2\n");
    s.commit("the code goes on");
    yatsu(&s, "runlog check").expect(0);
    yatsu(&s, &format!("runlog check {log}")).expect(0);
    // an end with an unreached goal is still reported after its commit
    let (other, _) = run(&s);
    end_by_hand(&s, &other);
    s.write(
        &other,
        s.read(&other) + "{\"event\":\"run_end\",\"ts\":\"2099-01-01T00:00:00Z\",\"status\":\"success\"}\n",
    );
    s.commit("ended without a reading");
    let said = yatsu(&s, &format!("runlog check {other}")).expect(1);
    assert!(said.out.contains("runlog-schema") || said.out.contains("runlog-artifacts"), "{}", said.out);
}
