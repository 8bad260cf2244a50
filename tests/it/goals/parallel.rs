//! Concurrent decisions: each one is made after the others' lines, under one lock.

use super::*;
use std::process::{Child, Stdio};

/// Starts a decision of a person without waiting for it.
fn started(s: &Scratch, kind: &str, by: usize) -> (String, Child) {
    let by = format!("P{by}");
    let mut args = vec!["goal", kind, "model", "--by", &by, "--format", "json"];
    match kind {
        "complete" => {}
        "review" => args.extend(["--score", "90", "--note", "fine"]),
        _ => args.extend(["--reason", "because"]),
    }
    let mut command = s.yatsu_command(&args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    (kind.to_owned(), child)
}

/// The result of each: its kind, its exit code, and whether it wrote a line.
fn at_once(s: &Scratch, kinds: &[&str]) -> Vec<(String, i32, bool)> {
    let started: Vec<_> = kinds.iter().enumerate().map(|(by, kind)| started(s, kind, by)).collect();
    let ended = started.into_iter().map(|(kind, child)| {
        let said = Said::of(child.wait_with_output().expect("an end"));
        assert!(matches!(said.code, 0 | 1), "{kind}: exit {}: {}", said.code, said.err);
        let is_new = said.code == 0 && validate_published(&said.out)["decision"]["outcome"] == "recorded";
        (kind, said.code, is_new)
    });
    ended.collect()
}

#[test]
fn of_many_who_turn_to_another_approach_at_once_one_is_recorded_each_attempt() {
    let s = repository();
    s.write(FILE, contract(ACCURATE).replace("  acceptance", "  max_goal_attempts: 9\n  acceptance"));
    for attempt in 1..6_usize {
        measured(&s, 0.5, json!({}));
        let kinds = ["pivot", "complete", "pivot", "pivot", "rework", "pivot", "review", "pivot", "complete", "pivot"];
        for (kind, code, _) in at_once(&s, &kinds) {
            let may = matches!(&*kind, "pivot" | "review");
            assert_eq!(code == 0, may, "{kind}");
        }
        let all = decided(&s);
        assert_eq!(all.iter().filter(|kind| *kind == "pivot").count(), attempt, "{all:?}");
        assert_eq!(all.iter().filter(|kind| *kind == "review").count(), attempt, "{all:?}");
        assert_eq!(all.len(), 2 * attempt, "{all:?}");
        assert_eq!(check(&s, &[]).0["attemptNumber"], attempt + 1);
    }
}

/// A replay finds each line permitted by the lines before it, and every success has its line.
#[test]
fn whatever_is_decided_at_once_each_line_follows_of_those_before_it() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    let mut before = 0;
    for round in 0..5 {
        let mut kinds = vec!["complete", "rework", "complete", "block", "rework", "complete", "rework", "complete"];
        kinds.rotate_left(round);
        let ended = at_once(&s, &kinds);
        let all = decided(&s);
        assert_eq!(ended.iter().filter(|(.., is_new)| *is_new).count(), all.len() - before, "{all:?}");
        let (mut is_complete, mut is_blocked, mut last) = (false, false, "");
        for kind in &all {
            assert_ne!(kind, last, "{all:?}");
            match &**kind {
                "complete" => assert!(!is_blocked && !is_complete, "{all:?}"),
                "rework" => assert!(is_complete, "{all:?}"),
                _ => {}
            }
            is_complete = kind == "complete" || is_complete && kind == "unblock";
            is_blocked = kind == "block" || is_blocked && kind != "unblock";
            last = kind;
        }
        assert!(is_blocked, "somebody blocked it: {all:?}");
        decide(&s, "unblock", &[]).expect(0);
        before = decided(&s).len();
    }
}
