//! `goal-regressed`: a goal that was claimed complete and no longer is.

use super::{all, only, silent};
use crate::goals::{FILE, contract, decide, measured, repository};
use serde_json::json;

#[test]
fn a_completed_goal_whose_code_changes_is_named_with_the_path() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    s.commit("done");
    silent(all(&s, "goal-regressed"));
    s.write("src/model.py", "model = 2\n");
    only(all(&s, "goal-regressed"));
    insta::assert_snapshot!(s.session("yatsu-hook scan"));
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

#[test]
fn a_claim_whose_contract_is_gone_is_named_until_it_is_taken_back() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    s.commit("done");
    for file in [crate::support::scenarios(&[("learns", "src/model.py")]), contract("    - id: A\n      kind: other\n")]
    {
        s.write(FILE, file);
        let found = only(all(&s, "goal-regressed"));
        let message = found["message"].as_str().expect("a message");
        assert!(message.contains("complete by Ann at "), "{message}");
        assert!(message.contains("its contract is gone") || message.contains("INVALID"), "{message}");
        decide(&s, "pivot", &[]).expect(1);
    }
    s.git(&["checkout", "-q", "HEAD", "--", FILE]);
    s.write(FILE, crate::support::scenarios(&[("learns", "src/model.py")]));
    let said = s.yatsu(&["scan"]).expect(0);
    assert!(said.out.contains("goal-regressed") && said.out.contains("put goal_contract back into"), "{}", said.out);
    s.commit("the contract goes");
    decide(&s, "rework", &[]).expect(0);
    let again = decide(&s, "rework", &[]).expect(1);
    assert!(again.err.contains("has no goal contract"), "{}", again.err);
    silent(all(&s, "goal-regressed"));
    s.git(&["rm", "-q", FILE]);
    silent(all(&s, "goal-regressed"));
}
