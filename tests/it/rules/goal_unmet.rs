//! `goal-unmet`: a score names the goals that are not reached yet.

use super::{all, only, silent};
use crate::goals::{decide, measured, repository};
use crate::support::Scratch;
use serde_json::{Value, json};

#[test]
fn a_goal_that_is_not_reached_is_named_in_a_score_with_status_action_and_gap() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    let found = only(all(&s, "goal-unmet"));
    assert_eq!(found["node"], "model");
    insta::assert_snapshot!(s.session("yatsu-hook scan"));
}

#[test]
fn a_goal_that_is_reached_is_fine_and_of_a_claimed_one_another_rule_speaks() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    silent(all(&s, "goal-unmet"));
    decide(&s, "complete", &[]).expect(0);
    s.commit("done");
    s.write("src/model.py", "model = 2\n");
    silent(all(&s, "goal-unmet"));
}

/// The score's findings about goals, with these flags.
fn scored(s: &Scratch, flags: &[&str]) -> Vec<Value> {
    let said = s.yatsu(&[&["scan", "--format", "json"], flags].concat());
    assert!(matches!(said.code, 0 | 1), "exit {}: {}", said.code, said.err);
    let report: Value = serde_json::from_str(&said.out).expect("JSON");
    let found = report["findings"].as_array().cloned().unwrap_or_default();
    found.into_iter().filter(|one| one["rule"].as_str().is_some_and(|rule| rule.starts_with("goal-"))).collect()
}

fn told(found: &Value) -> [&str; 2] {
    ["rule", "origin"].map(|key| found[key].as_str().unwrap_or("-"))
}

#[test]
fn in_a_state_without_a_base_nothing_has_an_origin() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    assert_eq!(told(&only(scored(&s, &[]))), ["goal-unmet", "-"]);
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    s.commit("done");
    s.write("src/model.py", "model = 2\n");
    assert_eq!(told(&only(scored(&s, &[]))), ["goal-regressed", "-"]);
}

#[test]
fn a_score_of_what_changed_says_which_goals_the_branch_opened_and_which_it_found_open() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    s.commit("open");
    s.git(&["checkout", "-q", "-b", "work"]);
    assert_eq!(scored(&s, &["--changed"]), [] as [Value; 0], "the branch does not touch the node");
    let file = s.read(crate::goals::FILE);
    s.write(crate::goals::FILE, file.replace("tell flowers apart", "in other words"));
    assert_eq!(told(&only(scored(&s, &["--changed"]))), ["goal-unmet", "inherited"]);
    measured(&s, 0.95, json!({}));
    let fixed = scored(&s, &["--changed"]);
    assert!(fixed.iter().all(|one| one["origin"] == "fixed"), "{fixed:#?}");
    decide(&s, "complete", &[]).expect(0);
    s.commit("done");
    s.git(&["checkout", "-q", "-b", "more"]);
    s.git(&["branch", "-f", "main", "work"]);
    s.write("src/model.py", "model = 2\n");
    assert_eq!(told(&only(scored(&s, &["--changed"]))), ["goal-regressed", "introduced"]);
    s.git(&["add", "-A"]);
    assert_eq!(told(&only(scored(&s, &["--staged"]))), ["goal-regressed", "introduced"]);
    s.yatsu(&["pre-commit"]).expect(0);
}
