//! Branches that came into the main branch in every possible way.

use super::{branch, decide, evaluated, patch, repository, state, states};
use serde_json::json;

#[test]
fn a_merged_branch_is_promoted_and_still_says_what_it_touched() {
    let s = repository();
    let base = s.git(&["rev-parse", "main"]);
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s.git(&["merge", "-q", "--no-ff", "--no-edit", "feature"]);
    let found = patch(&s, "feature");
    assert_eq!((&found["state"], &found["promotion"]), (&json!("Promoted"), &json!("merged")));
    assert_eq!((&found["base"], &found["touches"][0]["scenario"]), (&json!(base), &json!("works")));
    assert_eq!((&found["proof"], &found["next"]), (&json!("all-pass"), &json!([])));
    decide(&s, "reject", "feature", "Bob").expect(1);
    s.write("src/a.rs", "fn a() { later() }\n");
    s.commit("later");
    assert_eq!(state(&s, "feature"), "Promoted", "what comes later takes nothing back");
}

#[test]
fn a_squashed_branch_is_promoted_also_when_the_main_branch_went_on() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s.git(&["merge", "-q", "--squash", "feature"]);
    s.commit("squashed");
    let found = patch(&s, "feature");
    assert_eq!((&found["state"], &found["promotion"]), (&json!("Promoted"), &json!("squashed")));
    s.write("README", "elsewhere\n");
    s.commit("on");
    s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replace("measure works", "measure it"));
    s.yatsu(&["eval", "n", "--fail"]).expect(0);
    s.commit("the ledger goes on as well");
    assert_eq!(state(&s, "feature"), "Promoted");
}

#[test]
fn a_branch_that_was_only_moved_to_is_promoted_where_a_decision_names_it() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s.git(&["merge", "-q", "--ff-only", "feature"]);
    assert_eq!(states(&s), [], "it may be a mere name");
    s.git(&["reset", "-q", "--hard", "HEAD~2"]);
    s.git(&["checkout", "-q", "feature"]);
    decide(&s, "approve", "feature", "Bob").expect(0);
    s.commit("approved");
    s.git(&["checkout", "-q", "main"]);
    s.git(&["merge", "-q", "--ff-only", "feature"]);
    let found = patch(&s, "feature");
    assert_eq!((&found["state"], &found["base"]), (&json!("Promoted"), &json!(null)));
}

#[test]
fn a_rebased_and_moved_branch_is_promoted_by_what_it_holds() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s.write("README", "elsewhere\n");
    s.commit("on");
    s.git(&["cherry-pick", "main..feature"]);
    let found = patch(&s, "feature");
    assert_eq!((&found["state"], &found["promotion"]), (&json!("Promoted"), &json!("squashed")));
}

#[test]
fn a_branch_whose_changes_take_each_other_back_was_not_promoted() {
    let s = repository();
    branch(&s, "feature");
    s.git(&["revert", "--no-edit", "HEAD"]);
    let found = patch(&s, "feature");
    assert_eq!((&found["state"], &found["promotion"]), (&json!("Proposed"), &json!(null)));
}
