//! Claims that end after their remote, or its ref, was changed.

use super::*;

/// Another bare repository, as the remote `second`.
fn second(s: &Scratch) {
    s.git(&["init", "-q", "--bare", "../second.git"]);
    s.git(&["remote", "add", "second", &format!("file://{}", s.base.join("second.git").display())]);
}

#[test]
fn a_claim_ends_where_it_was_taken_whatever_claims_are_shared_through_by_now() {
    for now in [&["config", "yatsu.claims.shared", "second"][..], &["config", "--unset", "yatsu.claims.shared"]] {
        let s = shared();
        second(&s);
        let [filed, given_up] = ["draws", "sorts"].map(|scenario| token(&take(&s, scenario, "Ann").expect(0)));
        let before = refs(&s);
        s.git(now);
        s.yatsu(&["claim", "renew", &filed, "--ttl", "2h"]).expect(0);
        assert_ne!(refs(&s), before, "others see the end that it has now");
        let said = eval(&s, &["--claim", &filed]).expect(0);
        assert!(!said.err.contains("not confirmed"), "{}", said.err);
        s.yatsu(&["claim", "release", &given_up]).expect(0);
        assert_eq!(refs(&s), "");
        assert_eq!(s.git(&["--git-dir", "../second.git", "for-each-ref"]), "");
    }
}

#[test]
fn a_claim_that_another_machine_has_by_now_files_nothing_after_the_remote_was_switched_either() {
    let s = shared();
    second(&s);
    let other = Machine::of(&s, "other");
    let token = self::token(&take(&s, "draws", "Ann").expect(0));
    s.git(&["config", "yatsu.claims.shared", "second"]);
    let force = ["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "its machine is gone"];
    other.yatsu(&force).expect(0);
    other.take("draws", "Bob").expect(0);
    refused(eval(&s, &["--claim", &token]), 1, "is lost");
}

#[test]
fn a_claim_follows_its_remote_to_another_name() {
    let s = shared();
    let [filed, given_up] = ["draws", "sorts"].map(|scenario| token(&take(&s, scenario, "Ann").expect(0)));
    s.git(&["remote", "rename", "origin", "team"]);
    s.git(&["config", "yatsu.claims.shared", "team"]);
    s.yatsu(&["claim", "renew", &filed]).expect(0);
    eval(&s, &["--claim", &filed]).expect(0);
    s.yatsu(&["claim", "release", &given_up]).expect(0);
    assert_eq!(refs(&s), "");
}

#[test]
fn a_claim_whose_remote_is_gone_says_so() {
    let s = shared();
    let token = self::token(&take(&s, "draws", "Ann").expect(0));
    s.git(&["config", "--unset", "yatsu.claims.shared"]);
    s.git(&["remote", "remove", "origin"]);
    for verb in ["renew", "release"] {
        refused(s.yatsu(&["claim", verb, &token]), 2, "there is no remote `origin`");
    }
    let said = eval(&s, &["--claim", &token]).expect(0);
    assert!(said.err.contains("not confirmed") && said.err.contains("there is no remote `origin`"), "{}", said.err);
}

#[test]
fn whoever_files_under_a_claim_that_went_without_a_word_is_warned() {
    let s = shared();
    let other = Machine::of(&s, "other");
    let first = token(&take(&s, "draws", "Ann").expect(0));
    // a mirror is pushed
    let name = refs(&s).split(' ').next().expect("a name").to_owned();
    s.git(&["push", "-q", "origin", &format!(":{name}")]);
    let second = token(&other.take("draws", "Bob").expect(0));
    let file = |token| ["eval", "board", "--scenario", "draws", "--pass", "--claim", token];
    let said = other.yatsu(&file(&second)).expect(0);
    assert!(!said.err.contains("warning"), "{}", said.err);
    let said = eval(&s, &["--claim", &first]).expect(0);
    assert!(said.err.contains("gone from origin") && said.err.contains("another owner"), "{}", said.err);
    // once is enough
    assert!(!eval(&s, &["--claim", &first]).expect(0).err.contains("gone from origin"));
}
