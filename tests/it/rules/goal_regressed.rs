//! `goal-regressed`: a goal that was claimed complete and is not any more.

use super::{all, only, silent};
use crate::goals::{decide, measured, repository};
use serde_json::json;

#[test]
fn g52_a_completed_goal_whose_code_changes_is_named_with_the_path() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    s.commit("done");
    silent(all(&s, "goal-regressed"));
    s.write("src/model.py", "model = 2\n");
    let found = only(all(&s, "goal-regressed"));
    assert_eq!(found["level"], "warning");
    let message = found["message"].as_str().expect("a message");
    assert!(message.contains("complete by Ann at ") && message.contains("src/model.py"), "{message}");
}

#[test]
fn a_claim_that_was_taken_back_is_open_and_not_regressed() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    decide(&s, "rework", &[]).expect(0);
    s.commit("open again");
    s.write("src/model.py", "model = 2\n");
    silent(all(&s, "goal-regressed"));
}
