//! The content that a branch takes is judged for that branch, whichever way it comes. The answer must be the same for a
//! fast-forward, a squash, a merge of a pushed or an unpushed branch, and several refs in one push, at every door that knows
//! the branch.

use super::*;
use crate::goals::{self, decide};
use serde_json::json;

/// A pushed node with a contract on `main`. The claim that its goal is reached is on the branch `f`, and holds there.
fn claimed() -> Scratch {
    let s = goals::repository();
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"promoted-unproven\": \"error\"}}}");
    s.commit("proofs are asked for");
    s.git(&["init", "-q", "--bare", "-b", "main", "../origin.git"]);
    s.git(&["remote", "add", "origin", "../origin.git"]);
    s.git(&["push", "-q", "-u", "origin", "main"]);
    s.git(&["checkout", "-q", "-b", "f"]);
    s.write("src/model.py", "model = 2\n");
    s.commit("better");
    goals::measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    s.commit("claimed");
    s
}

/// A way in which `main` gets the content of `f`; returns the refs to push.
type Way = (&'static str, fn(&Scratch) -> Vec<&'static str>);

fn on_main(s: &Scratch) {
    s.git(&["checkout", "-q", "main"]);
}

fn merged(s: &Scratch) -> Vec<&'static str> {
    on_main(s);
    s.git(&["merge", "-q", "--no-ff", "--no-edit", "f"]);
    vec!["main"]
}

const WAYS: [Way; 7] = [
    ("fast-forward", |s| {
        on_main(s);
        s.git(&["merge", "-q", "--ff-only", "f"]);
        vec!["main"]
    }),
    ("fast-forward of a pushed branch", |s| {
        s.git(&["push", "-q", "--no-verify", "origin", "f"]);
        vec!["f:main"]
    }),
    ("squash", |s| {
        on_main(s);
        s.git(&["merge", "-q", "--squash", "f"]);
        s.commit("squashed");
        // the reading's commit must be on the server
        s.git(&["push", "-q", "--no-verify", "origin", "f:refs/tags/measured"]);
        vec!["main"]
    }),
    ("merge of a pushed branch", |s| {
        s.git(&["push", "-q", "--no-verify", "origin", "f"]);
        merged(s)
    }),
    ("merge of an unpushed branch", merged),
    ("merge beside its branch", |s| {
        merged(s);
        vec!["f", "main"]
    }),
    ("merge before its branch", |s| {
        merged(s);
        vec!["main", "f"]
    }),
];

/// The answer of each door to a push of these refs, in one word each: `refused` or `taken`.
fn answers(s: &Scratch, specs: &[&str], words: &[&str]) -> Vec<(&'static str, bool)> {
    let push = [&["push", "-q", "origin"], specs].concat();
    let verdict = |code: i32, text: &str| {
        let names = words.iter().all(|word| text.contains(word));
        assert!(code == 0 || names, "refused for something else than {words:?}: {text}");
        code != 0
    };
    let mut all = Vec::new();
    if let Some(main) = specs.iter().find(|spec| spec.ends_with("main") && !spec.contains(":refs/")) {
        let to = main.split(':').next().unwrap_or(main);
        let said = s.yatsu(&["check", "--from", "origin/main", "--to", to]);
        all.push(("check", verdict(said.code, &said.out)));
    }
    s.hook("pre-push", "pre-push \"$@\"");
    let said = s.try_git(&[&push[..], &["--dry-run"]].concat());
    all.push(("pre-push", verdict(said.code, &said.err)));
    gate_on_server(s);
    let said = s.try_git(&push);
    all.push(("pre-receive", verdict(said.code, &said.err)));
    let _ = std::fs::remove_file(origin(s).join("hooks/pre-receive"));
    all
}

#[test]
fn main_takes_a_claim_and_an_unproven_change_with_one_answer_by_every_way_and_at_every_door() {
    for (way, take) in WAYS {
        for moves in [true, false] {
            let s = claimed();
            if way.contains("a pushed") {
                s.git(&["push", "-q", "origin", "f"]);
            }
            if moves {
                s.write("src/model.py", "model = 3\n");
                s.commit("and the code moves");
            }
            let specs = take(&s);
            for (door, refused) in answers(&s, &specs, &["error[goal-gate]", "error[promoted-unproven]"]) {
                assert_eq!(refused, moves, "{way}, at {door}");
            }
        }
    }
}

/// A server that requires goals on `release/*`; the contract of `main` is met or not.
fn guarded(met: bool) -> Scratch {
    let s = goals::repository();
    s.write("spexcode.json", "{\"yatsu\": {\"protect\": [\"release/*\"], \"goals\": {\"gate\": \"protected\"}}}");
    goals::measured(&s, if met { 0.95 } else { 0.85 }, json!({}));
    s.commit("measured");
    s.git(&["init", "-q", "--bare", "-b", "main", "../origin.git"]);
    s.git(&["remote", "add", "origin", "../origin.git"]);
    s.git(&["push", "-q", "-u", "origin", "main"]);
    s
}

#[test]
fn a_new_protected_branch_is_asked_for_every_contract_wherever_its_commits_are_already() {
    let ways: [Way; 6] = [
        ("known on main", |_| vec!["main:refs/heads/release/1"]),
        ("before another name", |_| vec!["main:refs/heads/release/1", "main:refs/heads/topic"]),
        ("behind another name", |_| vec!["main:refs/heads/a-topic", "main:refs/heads/release/1"]),
        ("new alone", |s| {
            s.git(&["commit", "-q", "--allow-empty", "-m", "nothing judged"]);
            vec!["HEAD:refs/heads/release/1"]
        }),
        ("new beside another name", |s| {
            s.git(&["commit", "-q", "--allow-empty", "-m", "nothing judged"]);
            vec!["HEAD:refs/heads/a-topic", "HEAD:refs/heads/release/1"]
        }),
        ("known on a topic", |s| {
            s.git(&["commit", "-q", "--allow-empty", "-m", "nothing judged"]);
            s.git(&["push", "-q", "origin", "HEAD:refs/heads/topic"]);
            vec!["HEAD:refs/heads/release/1"]
        }),
    ];
    for (way, push) in ways {
        for met in [false, true] {
            let s = guarded(met);
            let specs = push(&s);
            for (door, refused) in answers(&s, &specs, &["protected branch", "PARTIAL"]) {
                assert_eq!(refused, !met, "{way}, at {door}");
            }
        }
    }
    let s = guarded(false);
    assert!(answers(&s, &["main:refs/heads/topic"], &[]).iter().all(|(_, refused)| !refused), "it is not protected");
}

/// pre-commit gives the parent of the first new commit for the old value of a new branch (`_pre_push_ns`).
#[test]
fn a_framework_that_names_an_old_value_for_a_new_protected_branch_does_not_make_it_an_old_one() {
    for (remote, url) in [("origin", "../origin.git"), ("../origin.git", "../origin.git")] {
        for met in [false, true] {
            let s = guarded(met);
            let parent = s.git(&["rev-parse", "HEAD"]);
            let pushed = {
                s.git(&["commit", "-q", "--allow-empty", "-m", "nothing judged"]);
                s.git(&["rev-parse", "HEAD"])
            };
            let push = |branch: &str| {
                let env = [
                    ("PRE_COMMIT_FROM_REF", parent.as_str()),
                    ("PRE_COMMIT_TO_REF", &pushed),
                    ("PRE_COMMIT_REMOTE_NAME", remote),
                    ("PRE_COMMIT_REMOTE_URL", url),
                    ("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/main"),
                    ("PRE_COMMIT_REMOTE_BRANCH", branch),
                ];
                Said::of(s.yatsu_command(&["run"]).envs(env).output().expect("the program runs"))
            };
            push("refs/heads/release/1").expect(if met { 0 } else { 1 });
            push("refs/heads/topic").expect(0);
            // once it was pushed it is asked for its own changes only
            s.git(&["update-ref", "refs/remotes/origin/release/1", &parent]);
            push("refs/heads/release/1").expect(0);
        }
    }
}

#[test]
fn a_protected_branch_is_asked_for_what_a_merge_of_a_pushed_branch_brings() {
    for pushed in [false, true] {
        let s = guarded(true);
        s.git(&["push", "-q", "origin", "main:refs/heads/release/1"]);
        s.git(&["checkout", "-q", "-b", "f"]);
        s.write("src/model.py", "model = 2\n");
        s.commit("moved");
        if pushed {
            s.git(&["push", "-q", "origin", "f"]);
        }
        s.git(&["checkout", "-q", "-b", "release/1", "main"]);
        s.git(&["merge", "-q", "--no-ff", "--no-edit", "f"]);
        for (door, refused) in answers(&s, &["release/1"], &["protected branch"]) {
            assert!(refused, "pushed: {pushed}, at {door}");
        }
    }
}

#[test]
fn a_new_main_branch_is_asked_for_the_claims_that_came_on_others() {
    let s = claimed();
    s.git(&["push", "-q", "origin", "f"]);
    s.write("src/model.py", "model = 3\n");
    s.commit("and the code moves");
    s.git(&["push", "-q", "origin", "f"]);
    s.git(&["--git-dir", "../origin.git", "config", "receive.denyDeleteCurrent", "ignore"]);
    s.git(&["push", "-q", "origin", ":main"]);
    for (door, refused) in answers(&s, &["f:refs/heads/main"], &["error[goal-gate]"]) {
        assert!(refused, "at {door}");
    }
}

/// `main` has a claim that no longer holds; work goes on.
fn regressed() -> Scratch {
    let s = claimed();
    s.git(&["checkout", "-q", "main"]);
    s.git(&["branch", "-q", "old-topic"]);
    s.git(&["push", "-q", "origin", "old-topic"]);
    s.git(&["merge", "-q", "--ff-only", "f"]);
    s.write("src/model.py", "model = 3\n");
    s.commit("and the code moves");
    s.git(&["push", "-q", "origin", "main"]);
    s
}

#[test]
fn merging_the_claims_of_main_is_nobodys_fault() {
    let s = regressed();
    s.git(&["checkout", "-q", "old-topic"]);
    s.write("src/other.py", "other = 1\n");
    s.commit("work");
    s.git(&["merge", "-q", "--no-edit", "main"]);
    s.git(&["branch", "-q", "new-topic"]);
    for specs in [&["old-topic"][..], &["new-topic"], &["main:refs/heads/a-name"], &["new-topic:refs/heads/another"]] {
        for (door, refused) in answers(&s, specs, &[]) {
            assert!(!refused, "{specs:?} at {door}");
        }
    }
}

#[test]
fn a_range_that_main_went_past_is_not_asked_for_what_main_did() {
    let s = claimed();
    s.write("spexcode.json", "{\"yatsu\": {\"goals\": {\"require\": true}, \"patches\": {\"requireOther\": true}}}");
    s.commit("a contract for everything");
    s.git(&["checkout", "-q", "-b", "aside"]);
    s.write("notes.txt", "work\n");
    s.commit("work");
    s.git(&["checkout", "-q", "f"]);
    s.write("src/late.py", "late = 1\n");
    s.write(".spec/late/yatsu.md", scenarios(&[("late", "src/late.py")]));
    s.commit("main goes on, past the gate");
    let said = s.yatsu(&["check", "--from", "f", "--to", "aside"]).expect(0);
    assert!(!said.out.contains("late"), "{}", said.out);
}
