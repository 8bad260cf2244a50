//! `goal-gate`: a claim of completion that does not hold cannot be pushed.

use crate::goals::{ACCURATE, FILE, LEDGER, append, check, contract, decide, measured, repository};
use crate::support::{Said, Scratch, fed, findings, validate_published};
use serde_json::{Value, json};

/// The gate's findings on the last commit.
fn gate(s: &Scratch) -> Vec<Value> {
    findings(s, "goal-gate", &["--from", "HEAD~1", "--to", "HEAD"])
}

/// A hand-written completion, about this contract and these readings.
fn forged(s: &Scratch) -> Value {
    let (goal, _) = check(s, &[]);
    json!({
        "decision": "complete", "contract": goal["contract"], "readings": goal["readings"], "by": "forger",
        "ts": "2026-01-01T01:00:00.000Z",
    })
}

/// The server's answer to a push of HEAD to `main`, from the commit before.
fn received(s: &Scratch) -> Said {
    let [old, new] = ["HEAD~1", "HEAD"].map(|rev| s.git(&["rev-parse", rev]));
    fed(s.yatsu_command(&["pre-receive"]), format!("{old} {new} refs/heads/main\n"))
}

/// The hook's answer to a push of HEAD to `main` of a remote with the commit before.
fn pushed(s: &Scratch) -> Said {
    let [old, new] = ["HEAD~1", "HEAD"].map(|rev| s.git(&["rev-parse", rev]));
    fed(s.yatsu_command(&["pre-push", "origin", "url"]), format!("refs/heads/main {new} refs/heads/main {old}\n"))
}

#[test]
fn a_forged_completion_is_refused_at_push_by_a_server_and_over_a_range() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    s.commit("measured");
    append(&s, &forged(&s));
    s.commit("forged");
    let found = gate(&s);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["level"], &found[0]["line"]), (&json!("error"), &json!(2)));
    insta::assert_snapshot!(s.session("yatsu-hook check --from HEAD~1"));
    for said in [pushed(&s), received(&s)] {
        assert!(said.code == 1 && said.err.contains("goal-gate"), "{} {}", said.code, said.err);
    }
}

#[test]
fn a_completion_that_holds_passes_every_door_also_where_the_bytes_are_not() {
    let s = repository();
    s.commit("begin");
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    s.commit("done");
    assert_eq!(gate(&s), [] as [Value; 0]);
    pushed(&s).expect(0);
    received(&s).expect(0);
    std::fs::remove_dir_all(s.root.join(".git/spexcode")).expect("a cache");
    received(&s).expect(0);
    let held_back = pushed(&s).expect(1);
    assert!(held_back.err.contains("this cache lacks bytes of it"), "{}", held_back.err);
}

#[test]
fn a_completion_of_another_contract_and_of_none_is_refused() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    let line = forged(&s);
    s.commit("measured");
    append(&s, &line);
    s.write(FILE, contract(&ACCURATE.replace("0.9", "0.5")));
    s.commit("eased and claimed");
    assert!(gate(&s)[0]["message"].as_str().is_some_and(|text| text.contains("another one now")), "{:?}", gate(&s));
    s.git(&["reset", "-q", "--hard", "HEAD~1"]);
    append(&s, &line);
    let text = s.read(FILE);
    s.write(FILE, format!("---\n{}", &text[text.find("scenarios:").expect("scenarios")..]));
    s.commit("claimed without a contract");
    assert!(gate(&s)[0]["message"].as_str().is_some_and(|text| text.contains("no contract")), "{:?}", gate(&s));
}

#[test]
fn a_completion_that_was_taken_back_is_pushed() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    s.commit("measured");
    append(&s, &forged(&s));
    decide(&s, "rework", &[]).expect(0);
    s.commit("taken back");
    assert_eq!(gate(&s), [] as [Value; 0]);
}

#[test]
fn before_a_commit_a_claim_is_a_draft() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    append(&s, &forged(&s));
    s.git(&["add", "-A"]);
    s.yatsu(&["pre-commit"]).expect(0);
}

#[test]
fn a_protected_branch_takes_a_touched_node_only_with_its_goal_reached() {
    let s = repository();
    s.write("spexcode.json", r#"{"yatsu": {"goals": {"gate": "protected"}}}"#);
    measured(&s, 0.85, json!({}));
    s.commit("protected");
    s.write("elsewhere.txt", "x");
    s.commit("not touched");
    pushed(&s).expect(0);
    measured(&s, 0.86, json!({}));
    s.commit("touched");
    assert!(pushed(&s).expect(1).err.contains("protected branch"));
    received(&s).expect(1);
    assert_eq!(gate(&s), [] as [Value; 0], "a range has no branch");
    measured(&s, 0.95, json!({}));
    s.commit("reached");
    pushed(&s).expect(0);
    let text = s.read(FILE);
    s.write(FILE, format!("---\n{}", &text[text.find("scenarios:").expect("scenarios")..]));
    s.commit("without its contract");
    pushed(&s).expect(1);
}

#[test]
fn off_is_off_but_not_in_the_change_that_says_so() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    s.commit("measured");
    s.write("spexcode.json", r#"{"yatsu": {"goals": {"gate": "off"}}}"#);
    append(&s, &forged(&s));
    s.commit("off and forged");
    assert_eq!(gate(&s).len(), 1, "no change lowers the gate that it must pass");
    append(
        &s,
        &json!({"decision": "complete", "contract": "a".repeat(64), "readings": "b".repeat(64), "by": "x", "ts": "2026-01-01T02:00:00.000Z"}),
    );
    s.commit("forged again");
    assert_eq!(gate(&s), [] as [Value; 0]);
}

#[test]
fn where_a_contract_is_required_a_touched_node_over_source_needs_one() {
    let s = Scratch::new();
    s.write("src/model.py", "model = 1\n");
    let text = contract(ACCURATE);
    s.write(FILE, format!("---\n{}", &text[text.find("scenarios:").expect("scenarios")..]));
    s.write("spexcode.json", r#"{"yatsu": {"goals": {"require": true}}}"#);
    s.commit("begin");
    s.write("src/model.py", "model = 2\n");
    s.commit("touched");
    assert!(gate(&s)[0]["message"].as_str().is_some_and(|text| text.contains("no goal contract")), "{:?}", gate(&s));
    s.write(FILE, contract(ACCURATE));
    s.commit("with one");
    assert_eq!(gate(&s), [] as [Value; 0]);
}

#[test]
fn an_unreadable_object_is_no_pass() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    let line = forged(&s);
    s.commit("measured");
    append(&s, &line);
    s.commit("claimed");
    let blob = s.git(&["rev-parse", &format!("HEAD:{LEDGER}")]);
    let object = s.root.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    std::fs::remove_file(object).expect("an object");
    let said = s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD", "--format", "json"]);
    assert_eq!(said.code, 3, "{}", said.out);
    validate_published(&said.out);
    s.yatsu(&["goal", "check", "--rev", "HEAD"]).expect(3);
}
