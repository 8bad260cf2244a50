//! `approval-missing`: ranges and pushes to the main branch with content that was not approved. What an approval covers:
//! `tests/it/patches/approvals`.

use crate::patches::approvals::{decide, policy, pushed, repository, topic};

#[test]
fn the_policy_before_the_change_asks_ranges_and_pushes_to_main_and_no_commit() {
    let s = repository();
    policy(&s, "{\"need\": 1}", "\"approval-missing\": \"error\"");
    topic(&s);
    policy(&s, "{\"need\": 2}", "\"approval-missing\": \"off\"");
    // no change eases its own gate
    insta::assert_snapshot!(s.session("yatsu-hook check --from main --to topic"));
    let said = pushed(&s, "main", "main").expect(1);
    assert!(said.err.contains("approval-missing"), "{}", said.err);
    let said = pushed(&s, "main", "topic").expect(0);
    assert!(!said.err.contains("approval-missing"), "{}", said.err);
    s.write("a", "more\n");
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(0);
    assert!(!said.err.contains("approval"), "{}", said.err);
    s.git(&["reset", "-q", "--hard"]);
    decide(&s, "approve", "topic", "Bob");
    s.yatsu(&["check", "--from", "main", "--to", "topic"]).expect(0);
    let said = pushed(&s, "main", "main").expect(0);
    assert!(!said.err.contains("approval-missing"), "{}", said.err);
}

#[test]
fn a_change_that_takes_the_policy_away_needs_an_approval_and_one_that_brings_it_needs_none() {
    let s = repository();
    policy(&s, "{\"need\": 1}", "\"approval-missing\": \"error\"");
    topic(&s);
    s.write("spexcode.json", "{}");
    s.commit("no policy");
    for said in [s.yatsu(&["check", "--from", "main", "--to", "topic"]).expect(1), pushed(&s, "main", "main").expect(1)]
    {
        assert!(format!("{}{}", said.out, said.err).contains("error[approval-missing]"), "{}{}", said.out, said.err);
    }
    let brought = s.yatsu(&["check", "--from", "main~1", "--to", "main"]).expect(0);
    assert!(!brought.out.contains("approval-missing"), "{}", brought.out);
}

/// A policy needs no node. The memo that a commit leaves knows no node then, and must not let the push pass unasked.
#[test]
fn a_push_of_a_repository_without_nodes_is_asked_with_a_memo_too() {
    let s = repository();
    policy(&s, "{\"need\": 1}", "\"approval-missing\": \"error\"");
    s.write("a", "A\n");
    s.git(&["add", "-A"]);
    s.yatsu(&["pre-commit"]).expect(0);
    s.commit("topic");
    assert!(s.root.join(".git/yatsu").exists(), "a memo");
    for said in [pushed(&s, "HEAD~1", "main"), pushed(&s, "HEAD~1", "main")] {
        assert!(said.expect(1).err.contains("error[approval-missing]"));
    }
    assert!(!pushed(&s, "HEAD~1", "topic").expect(0).err.contains("approval-missing"));
}
