//! `goal-unmet`: a score says which goals are not reached yet.

use super::{all, only, silent};
use crate::goals::{decide, measured, repository};
use serde_json::json;

#[test]
fn a_goal_that_is_not_reached_is_named_in_a_score_with_status_action_and_gap() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    let found = only(all(&s, "goal-unmet"));
    assert_eq!((&found["level"], &found["node"]), (&json!("info"), &json!("model")));
    assert_eq!(found["message"], "PARTIAL, PIVOT: AC1: below target by 0.05");
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
