//! The state of a branch as its work goes on.

use super::{LEDGER, branch, decide, evaluated, measure, patch, repository, state, states, two_scenarios};
use crate::support::{Scratch, scenarios};
use serde_json::{Value, json};

#[test]
fn a_branch_without_a_reading_is_proposed() {
    let s = repository();
    branch(&s, "feature");
    let found = patch(&s, "feature");
    assert_eq!(found["state"], "Proposed");
    assert_eq!(found["base"], s.git(&["rev-parse", "main"]));
    assert_eq!(found["tip"], s.git(&["rev-parse", "feature"]));
    assert_eq!(found["touches"][0]["scenario"], "works");
    assert_eq!(found["next"], json!(["AppliedInFork", "Stale", "Conflicted"]));
    let said = s.yatsu(&["patch", "ls"]).expect(0);
    assert_eq!(said.out, "feature  Proposed  not measured on this branch: n/works\n");
}

#[test]
fn a_branch_with_some_of_its_readings_is_applied_in_a_fork() {
    let s = repository();
    two_scenarios(&s);
    branch(&s, "feature");
    s.write("src/b.rs", "fn b() { }\n");
    s.commit("both");
    measure(&s, "--pass");
    assert_eq!(state(&s, "feature"), "AppliedInFork", "filed here, committed or not");
    s.commit("measured");
    assert_eq!(state(&s, "feature"), "AppliedInFork");
    s.git(&["checkout", "-q", "main"]);
    assert_eq!(state(&s, "feature"), "AppliedInFork", "wherever one stands");
}

#[test]
fn a_branch_with_a_fresh_reading_of_all_that_it_touches_is_evaluated() {
    let s = repository();
    branch(&s, "feature");
    measure(&s, "--pass");
    let found = patch(&s, "feature");
    assert_eq!(found["state"], "Evaluated");
    let reading = &found["touches"][0]["reading"];
    assert_eq!((&reading["fresh"], &reading["here"], &reading["pass"]), (&json!(true), &json!(true), &json!(true)));
    assert_eq!((&reading["ledger"], &reading["by"]), (&json!(LEDGER), &json!("Ann")));
    s.git(&["stash", "-q", "-u"]);
    assert_eq!(state(&s, "feature"), "Proposed", "what is neither committed nor here was not filed");
}

#[test]
fn what_the_base_measured_is_no_evaluation_of_what_a_branch_changes() {
    let s = repository();
    measure(&s, "--pass");
    s.commit("measured on main");
    branch(&s, "feature");
    let found = patch(&s, "feature");
    assert_eq!(found["state"], "Proposed");
    assert_eq!(found["touches"][0]["reading"]["fresh"], false);
}

#[test]
fn a_branch_that_touches_no_scenario_is_proposed_until_it_is_decided_about() {
    let s = repository();
    s.git(&["checkout", "-q", "-b", "docs"]);
    s.write("README", "words\n");
    s.commit("words");
    let found = patch(&s, "docs");
    assert_eq!((&found["state"], &found["touches"]), (&json!("Proposed"), &json!([])));
    assert_eq!(
        (&found["proof"], &found["next"]),
        (&json!("nothing-touched"), &json!(["Approved", "Rejected", "Promoted", "Conflicted"]))
    );
}

#[test]
fn a_scenario_is_touched_by_its_text_and_by_a_list_that_was_made_shorter() {
    let s = repository();
    s.git(&["checkout", "-q", "-b", "text"]);
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]).replace("measure works", "measure it well"));
    s.commit("another text");
    s.git(&["checkout", "-q", "-b", "list", "main"]);
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    s.write("src/a.rs", "fn a() { changed() }\n");
    s.commit("what it governed is hidden");
    s.git(&["checkout", "-q", "-b", "tags", "main"]);
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]).replace("[cli]", "[cli, desktop]"));
    s.commit("another tag");
    for (name, touched) in [("text", 1), ("list", 1), ("tags", 0)] {
        assert_eq!(patch(&s, name)["touches"].as_array().map(Vec::len), Some(touched), "{name}");
    }
}

#[test]
fn what_is_approved_and_then_changed_is_stale_and_what_is_measured_again_is_evaluated() {
    let s = repository();
    evaluated(&s, "feature");
    decide(&s, "approve", "feature", "Bob").expect(0);
    assert_eq!(state(&s, "feature"), "Approved");
    s.commit("approved");
    assert_eq!(state(&s, "feature"), "Approved", "the line that says so changes nothing of it");
    s.write("src/a.rs", "fn a() { again() }\n");
    s.commit("again");
    let found = patch(&s, "feature");
    assert_eq!(found["state"], "Stale");
    assert_eq!(found["reason"], "no longer what Bob approved: no fresh reading of n/works");
    assert_eq!(found["decisions"][0]["current"], false);
    measure(&s, "--pass");
    assert_eq!(state(&s, "feature"), "Evaluated");
}

#[test]
fn an_approval_stands_over_amended_and_rebased_commits_that_hold_the_same() {
    let s = repository();
    evaluated(&s, "feature");
    decide(&s, "approve", "feature", "Bob").expect(0);
    s.commit("approved");
    s.git(&["commit", "-q", "--amend", "-m", "other words"]);
    assert_eq!(state(&s, "feature"), "Approved");
    s.git(&["checkout", "-q", "main"]);
    s.write("README", "elsewhere\n");
    s.commit("elsewhere");
    s.git(&["checkout", "-q", "feature"]);
    s.git(&["rebase", "-q", "main"]);
    assert_eq!(state(&s, "feature"), "Approved");
    s.git(&["reflog", "expire", "--expire=now", "--all"]);
    s.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(state(&s, "feature"), "Approved", "where the approved commit is gone its readings tell");
}

#[test]
fn what_moves_on_the_main_branch_makes_a_branch_stale_only_where_it_touches() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s.write("src/b.rs", "fn b() { elsewhere() }\n");
    s.commit("elsewhere");
    assert_eq!(state(&s, "feature"), "Evaluated");
    s.write("src/a.rs", "fn a() {}\n\n\n\nfn c() {}\n");
    s.commit("there");
    let found = patch(&s, "feature");
    assert_eq!(found["touches"][0]["moved"], json!(["src/a.rs"]));
    assert!(matches!(found["state"].as_str(), Some("Stale" | "Conflicted")), "{found}");
    s.git(&["checkout", "-q", "feature", "--", "src/a.rs"]);
    s.commit("the same as on the branch");
    assert_eq!(state(&s, "feature"), "Evaluated", "what both have is what was measured");
}

#[test]
fn what_moves_beside_the_change_in_one_file_makes_it_stale_and_not_conflicted() {
    let s = repository();
    let lines = |first: &str, last: &str| format!("{first}\n2\n3\n4\n5\n6\n7\n8\n{last}\n");
    s.write("src/a.rs", lines("1", "9"));
    s.commit("long");
    s.git(&["checkout", "-q", "-b", "feature"]);
    s.write("src/a.rs", lines("one", "9"));
    s.commit("first line");
    measure(&s, "--pass");
    s.commit("measured");
    s.git(&["checkout", "-q", "main"]);
    s.write("src/a.rs", lines("1", "nine"));
    s.commit("last line");
    let found = patch(&s, "feature");
    assert_eq!(
        (&found["state"], &found["reason"]),
        (&json!("Stale"), &json!("src/a.rs changed in main since it left"))
    );
}

#[test]
fn two_branches_of_one_content_are_two_patches_with_one_evidence() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["branch", "twin"]);
    let [one, other] = ["feature", "twin"].map(|name| patch(&s, name));
    assert_eq!(one["touches"][0]["reading"], other["touches"][0]["reading"]);
    let both = ["feature", "twin"].map(|name| (name.to_owned(), "Evaluated".to_owned()));
    assert_eq!(states(&s), both);
    decide(&s, "approve", "feature", "Bob").expect(0);
    assert_eq!((state(&s, "feature"), state(&s, "twin")), ("Approved".into(), "Evaluated".into()));
}

#[test]
fn the_same_reading_elsewhere_in_the_file_is_found_for_each_of_many_scenarios() {
    let s = repository();
    let names: Vec<String> = (0..12).map(|number| format!("s{number}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src/a.rs")).collect();
    s.write(".spec/n/yatsu.md", scenarios(&list));
    s.commit("twelve");
    branch(&s, "feature");
    for name in &names {
        s.yatsu(&["eval", "n", "--scenario", name, "--pass"]).expect(0);
    }
    let found = patch(&s, "feature");
    assert_eq!((found["touches"].as_array().map(Vec::len), &found["state"]), (Some(12), &json!("Evaluated")));
}

#[test]
fn a_retracted_reading_evaluates_nothing() {
    let s = repository();
    evaluated(&s, "feature");
    s.yatsu(&["retract", "n", "--scenario", "works", "--last"]).expect(0);
    assert_eq!(state(&s, "feature"), "Proposed");
}

#[test]
fn a_breach_of_a_budget_is_an_evaluation_that_does_not_pass() {
    let s = repository();
    s.write("spexcode.json", "{\"yatsu\": {\"budgets\": {\"maxTaskTotalTokens\": 5}}}");
    s.commit("a limit");
    branch(&s, "feature");
    s.yatsu(&["eval", "n", "--pass", "--tokens", "5,5", "--token-source", "test"]).expect(0);
    let found = patch(&s, "feature");
    assert_eq!((&found["state"], &found["proof"]), (&json!("Evaluated"), &Value::Null));
    assert_eq!(found["touches"][0]["reading"]["pass"], false);
}

/// A scratch repository in which `feature` is evaluated and `main` checked out.
fn on_main() -> Scratch {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s
}

#[test]
fn a_branch_is_shown_to_people_with_all_that_speaks_for_its_state() {
    let s = on_main();
    decide(&s, "approve", "feature", "Bob").expect(0);
    let said = s.yatsu(&["patch", "show", "feature"]).expect(0).out;
    for part in [
        "feature   Approved   ",
        "2 files",
        "approved by Bob at ",
        "touches    n/works: fresh pass, filed on it by Ann",
        "decision   approve by Bob",
        "proof      all-pass",
        "next       Promoted, Stale, Conflicted",
    ] {
        assert!(said.contains(part), "{part}:\n{said}");
    }
}
