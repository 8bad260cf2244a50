//! Decisions about a branch: when they are accepted, what they write, and how long they count.

use super::{LEDGER, branch, decide, decided, evaluated, measure, patch, repository, state};
use crate::support::{Scratch, scenarios, validate_published};
use serde_json::json;

/// The text of the ledger.
fn ledger(s: &Scratch) -> String {
    std::fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default()
}

#[test]
fn a_decision_is_a_line_in_the_ledger_of_each_node_that_is_touched() {
    let s = repository();
    s.write(".spec/m/yatsu.md", s.read(".spec/n/yatsu.md"));
    s.write(".spec/m/yatsu.evals.ndjson", s.read(LEDGER));
    s.commit("a second node");
    branch(&s, "feature");
    for node in ["m", "n"] {
        s.yatsu(&["eval", node, "--pass", "--by", "Ann"]).expect(0);
    }
    let said = s.yatsu(&["patch", "approve", "--reason", "read", "--by", "Bob", "--format", "json"]).expect(0);
    let answer = validate_published(&said.out);
    assert_eq!(answer["decision"]["ledgers"], json!([".spec/m/yatsu.evals.ndjson", LEDGER]));
    assert_eq!(answer["patches"][0]["state"], "Approved");
    let line = &decided(&s)[0];
    assert_eq!(line["decision"], "approve");
    assert_eq!((&line["patch"], &line["by"], &line["reason"]), (&json!("feature"), &json!("Bob"), &json!("read")));
    assert_eq!(line["commit"], s.git(&["rev-parse", "HEAD"]));
    s.git(&["checkout", "-q", "HEAD", "--", "."]);
    s.commit("approved");
    s.yatsu(&["check", "--from", "main", "--to", "HEAD"]).expect(0);
}

#[test]
fn what_is_not_evaluated_is_not_approved_and_the_next_states_are_named() {
    let s = repository();
    branch(&s, "feature");
    let before = ledger(&s);
    let said = decide(&s, "approve", "feature", "Bob").expect(1);
    for part in [
        "feature is Proposed",
        "what may come next: AppliedInFork, Stale, Conflicted",
        "yatsu-hook eval n/works",
        "FAILED: nothing filed",
    ] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    decide(&s, "reject", "feature", "Bob").expect(1);
    assert_eq!(ledger(&s), before);
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs\n    test: tests/a.rs")]));
    s.write("tests/a.rs", "");
    s.commit("a test measures it");
    let said = decide(&s, "approve", "feature", "Bob").expect(1);
    assert!(said.err.contains("yatsu-hook eval n/works --from-junit FILE"), "{}", said.err);
}

#[test]
fn what_is_rejected_stays_rejected_until_it_holds_something_else() {
    let s = repository();
    evaluated(&s, "feature");
    decide(&s, "reject", "feature", "Bob").expect(0);
    assert_eq!((state(&s, "feature"), patch(&s, "feature")["next"].clone()), ("Rejected".into(), json!([])));
    let before = ledger(&s);
    let said = decide(&s, "approve", "feature", "Cid").expect(1);
    assert!(said.err.contains("what may come next: nothing"), "{}", said.err);
    decide(&s, "reject", "feature", "Cid").expect(1);
    let again = decide(&s, "reject", "feature", "Bob").expect(0);
    assert!(again.out.starts_with("already recorded reject of feature @ "), "{}", again.out);
    assert_eq!(ledger(&s), before);
    s.commit("rejected");
    s.git(&["commit", "-q", "--amend", "-m", "other words"]);
    assert_eq!(state(&s, "feature"), "Rejected");
    s.write("src/a.rs", "fn a() { better() }\n");
    s.commit("better");
    assert_eq!(state(&s, "feature"), "Stale");
    measure(&s, "--pass");
    decide(&s, "approve", "feature", "Bob").expect(0);
    assert_eq!(state(&s, "feature"), "Approved");
}

#[test]
fn the_same_decision_about_the_same_content_again_writes_nothing() {
    let s = repository();
    evaluated(&s, "feature");
    decide(&s, "approve", "feature", "Bob").expect(0);
    let before = ledger(&s);
    let again = decide(&s, "approve", "feature", "bob").expect(0);
    assert!(again.out.contains("already recorded"), "{}", again.out);
    assert_eq!(ledger(&s), before);
    let other = decide(&s, "approve", "feature", "Cid").expect(0);
    assert!(other.out.contains("recorded approve of feature"), "{}", other.out);
    let after = ledger(&s);
    assert!(decide(&s, "approve", "feature", "cid").expect(0).out.contains("already recorded"), "once each");
    assert_eq!(ledger(&s), after);
}

#[test]
fn a_decision_that_was_broken_off_is_completed_by_the_same_command() {
    let s = repository();
    s.write(".spec/m/yatsu.md", s.read(".spec/n/yatsu.md"));
    s.write(".spec/m/yatsu.evals.ndjson", s.read(LEDGER));
    s.commit("a second node");
    branch(&s, "feature");
    for node in ["m", "n"] {
        s.yatsu(&["eval", node, "--pass", "--by", "Ann"]).expect(0);
    }
    s.commit("measured");
    for kind in ["approve", "reject"] {
        decide(&s, kind, "feature", "Bob").expect(0);
        s.git(&["checkout", "-q", "HEAD", "--", ".spec/n"]);
        decide(&s, kind, "feature", "Bob").expect(0);
        assert_eq!(decided(&s).len(), 1, "{kind}");
        let m = s.read(".spec/m/yatsu.evals.ndjson");
        assert_eq!(m.lines().filter(|line| line.contains(&format!("\"{kind}\""))).count(), 1, "{kind}: {m}");
        s.git(&["checkout", "-q", "HEAD", "--", "."]);
    }
}

#[test]
fn approving_what_does_not_exist_appends_nothing_and_names_what_is_near() {
    let s = repository();
    evaluated(&s, "feature");
    let before = ledger(&s);
    decide(&s, "approve", "featrue", "Bob").expect(1);
    let said = s.yatsu(&["patch", "show", "nothing-like-it"]).expect(1);
    assert!(said.err.contains("`yatsu-hook patch ls` lists them"), "{}", said.err);
    assert_eq!(ledger(&s), before);
}

#[test]
fn where_another_must_decide_who_measured_may_not() {
    let s = repository();
    s.write("spexcode.json", "{\"yatsu\": {\"patches\": {\"requireOther\": true}}}");
    s.commit("two pairs of eyes");
    evaluated(&s, "feature");
    let said = decide(&s, "approve", "feature", " ann ").expect(1);
    assert!(said.err.contains("yatsu.patches.requireOther"), "{}", said.err);
    s.yatsu(&["patch", "approve", "--reason", "mine"]).expect(1);
    decide(&s, "approve", "feature", "Bob").expect(0);
    assert_eq!(state(&s, "feature"), "Approved");
}

#[test]
fn no_branch_says_itself_that_nobody_else_need_look() {
    let s = repository();
    s.write("spexcode.json", "{\"yatsu\": {\"patches\": {\"requireOther\": true}}}");
    s.commit("two pairs of eyes");
    branch(&s, "feature");
    s.write("spexcode.json", "{}");
    s.commit("one is enough");
    measure(&s, "--pass");
    decide(&s, "approve", "feature", "Ann").expect(1);
    let forged = json!({
        "decision": "approve", "patch": "feature", "commit": s.git(&["rev-parse", "HEAD"]), "reason": "mine", "by": "Ann",
        "ts": "2026-01-01T00:00:00.000Z",
    });
    s.write(LEDGER, format!("{}{forged}\n", ledger(&s)));
    assert_eq!(state(&s, "feature"), "Evaluated", "a line that an editor wrote counts for no more");
}

#[test]
fn a_line_that_an_editor_wrote_approves_nothing_that_was_not_measured() {
    let s = repository();
    branch(&s, "feature");
    let forged = json!({
        "decision": "approve", "patch": "feature", "commit": s.git(&["rev-parse", "HEAD"]), "reason": "r", "by": "Bob",
        "ts": "2026-01-01T00:00:00.000Z",
    });
    s.write(LEDGER, format!("{forged}\n"));
    assert_eq!(state(&s, "feature"), "Stale");
    for key in ["patch", "commit", "reason", "by"] {
        let mut lacking = forged.clone();
        lacking.as_object_mut().expect("an object").remove(key);
        s.write(LEDGER, format!("{lacking}\n"));
        s.git(&["add", "-A"]);
        let said = s.yatsu(&["check", "--staged"]).expect(1);
        assert!(said.out.contains(&format!("needs \"{key}\"")), "{key}: {}", said.out);
        assert_eq!(state(&s, "feature"), "Proposed", "it counts for nothing without {key}");
    }
}

#[test]
fn a_reason_is_one_line_that_says_something() {
    let s = repository();
    evaluated(&s, "feature");
    for reason in ["", "  ", "two\nlines"] {
        s.yatsu(&["patch", "approve", "--reason", reason]).expect(2);
    }
    s.yatsu(&["patch", "approve"]).expect(2);
    assert_eq!(decided(&s).len(), 0);
}

#[test]
fn what_is_decided_from_the_main_branch_counts_there_and_wherever_it_is_merged() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    decide(&s, "approve", "feature", "Bob").expect(0);
    assert_eq!(state(&s, "feature"), "Approved");
    s.commit("approved on main");
    s.git(&["checkout", "-q", "feature"]);
    assert_eq!(state(&s, "feature"), "Approved", "the main branch's ledger says so");
    s.git(&["merge", "-q", "-X", "ours", "main"]);
    assert_eq!(state(&s, "feature"), "Approved");
}

#[test]
fn what_was_approved_with_a_node_that_the_branch_touches_no_more_is_approved_no_more() {
    let s = repository();
    s.write("src/m.rs", "fn m() {}\n");
    s.write(".spec/m/yatsu.md", s.read(".spec/n/yatsu.md").replace("src/a.rs", "src/m.rs"));
    s.commit("a second node");
    branch(&s, "feature");
    s.write("src/m.rs", "fn m() { better() }\n");
    s.commit("both");
    for node in ["m", "n"] {
        s.yatsu(&["eval", node, "--pass", "--by", "Ann"]).expect(0);
    }
    s.commit("measured");
    s.git(&["checkout", "-q", "main"]);
    decide(&s, "approve", "feature", "Bob").expect(0);
    s.commit("approved on main");
    assert_eq!(state(&s, "feature"), "Approved");
    // the branch has nothing left of the second node, not even its ledger
    s.git(&["checkout", "-q", "feature"]);
    s.git(&["checkout", "-q", "main~1", "--", "src/m.rs"]);
    s.git(&["rm", "-q", ".spec/m/yatsu.evals.ndjson"]);
    s.commit("without the second");
    s.git(&["checkout", "-q", "main"]);
    assert_ne!(state(&s, "feature"), "Approved", "what was read is not what is there");
}

#[test]
fn a_node_that_is_not_here_is_decided_about_where_it_is() {
    let s = repository();
    s.git(&["checkout", "-q", "-b", "feature"]);
    s.write(".spec/new/yatsu.md", s.read(".spec/n/yatsu.md"));
    s.commit("a new node");
    s.yatsu(&["eval", "new", "--pass"]).expect(0);
    s.commit("measured");
    s.git(&["checkout", "-q", "main"]);
    let said = decide(&s, "approve", "feature", "Bob").expect(1);
    assert!(said.err.contains("git switch feature"), "{}", said.err);
    assert!(!s.root.join(".spec/new").exists());
}

#[test]
fn thirty_decisions_at_once_are_thirty_lines() {
    let s = repository();
    for number in 0..30 {
        evaluated(&s, &format!("feature{number:02}"));
        s.git(&["checkout", "-q", "main"]);
    }
    let spawn = |number: usize| {
        let name = format!("feature{number:02}");
        let mut command = s.yatsu_command(&["patch", "approve", &name, "--reason", "r", "--by", "Bob"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().expect("a program")
    };
    let children: Vec<_> = (0..30).map(spawn).collect();
    for child in children {
        let said = child.wait_with_output().expect("an end");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    let mut names: Vec<String> = decided(&s).iter().map(|line| line["patch"].to_string()).collect();
    names.sort();
    names.dedup();
    assert_eq!((decided(&s).len(), names.len()), (30, 30));
}
