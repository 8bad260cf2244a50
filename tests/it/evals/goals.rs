//! The goal of a node whose scenario has runs.

use crate::goals::{ACCURATE, FILE, contract, measured, repository, standing};
use serde_json::json;

#[test]
fn n14_a_goal_reads_the_newest_run_of_a_window_that_passes() {
    let s = repository();
    s.write(FILE, contract(ACCURATE).replace("    code: ", "    runs: {of: 3, need: 2}\n    code: "));
    s.commit("it is run again and again");
    let failed = json!({"verdict": {"status": "fail"}});
    let mut told = Vec::new();
    for (accuracy, more) in
        [(0.95, json!({})), (0.5, failed.clone()), (0.92, json!({})), (0.5, json!({})), (0.99, failed)]
    {
        measured(&s, accuracy, more);
        told.push(standing(&s));
    }
    let partial = "PARTIAL REWORK";
    assert_eq!(told, [partial, partial, "SUCCESS ACCEPT", "PARTIAL PIVOT", "SUCCESS ACCEPT"]);
}
