//! Symbolic refs of the receiving side: git moves their targets, so the targets are judged.

use super::*;

/// A server with two readings in its main branch, and a local branch `short` that lacks the second.
fn served(aliases: &[(&str, &str)]) -> Scratch {
    let (scratch, _) = measured();
    gate_on_server(&scratch);
    scratch.git(&["branch", "short", "HEAD~1"]);
    point(&scratch, aliases);
    scratch
}

fn point(scratch: &Scratch, aliases: &[(&str, &str)]) {
    for (name, target) in aliases {
        scratch.git(&["--git-dir", "../origin.git", "symbolic-ref", name, target]);
    }
}

#[track_caller]
fn loses(scratch: &Scratch, specs: &[&str]) {
    let said = blocked(scratch, &[&["push", "-q", "-f", "origin"], specs].concat());
    assert!(said.err.contains(LEDGER_ERROR), "{}", said.err);
}

const STABLE: (&str, &str) = ("refs/heads/stable", "refs/heads/main");

#[test]
fn a_forced_push_to_an_alias_of_main_is_one_to_main() {
    let scratch = served(&[STABLE]);
    loses(&scratch, &["short:stable"]);
    let said = blocked(&scratch, &["push", "-q", "-f", "origin", "short:stable"]);
    assert!(said.err.contains("refs/heads/stable stands for refs/heads/main here"), "{}", said.err);
}

#[test]
fn the_deletion_of_an_alias_deletes_main() {
    let scratch = served(&[STABLE]);
    loses(&scratch, &[":stable"]);
}

#[test]
fn an_alias_keeps_nothing_of_a_branch_that_is_deleted() {
    let scratch = served(&[]);
    scratch.write("spexcode.json", "{\"yatsu\": {\"protect\": [\"stable\", \"work\"]}}");
    scratch.commit("protected");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    reading(&scratch, ".spec/n", "works", "pass", 3);
    scratch.commit("measured on a branch");
    passes(&scratch, &["push", "-q", "origin", "HEAD:work"]);
    point(&scratch, &[("refs/heads/stable", "refs/heads/work")]);
    loses(&scratch, &[":work"]);
    loses(&scratch, &[":stable"]);
}

#[test]
fn a_chain_of_aliases_is_followed_also_from_outside_of_the_branches() {
    let chain = [
        STABLE,
        ("refs/heads/newest", "refs/heads/stable"),
        ("refs/for/main", "refs/heads/newest"),
        ("refs/tags/latest", "refs/heads/main"),
        ("refs/heads/now", "HEAD"),
    ];
    let scratch = served(&chain);
    for (name, _) in chain {
        loses(&scratch, &[&format!("short:{name}")]);
    }
    point(&scratch, &[("refs/heads/one", "refs/heads/other"), ("refs/heads/other", "refs/heads/one")]);
    let said = scratch.try_git(&["push", "-q", "origin", "main:one"]).expect(1);
    assert!(said.err.contains("too many symbolic refs"), "{}", said.err);
    scratch.git(&["push", "-q", "origin", "main:apart"]);
}

#[test]
fn what_an_alias_creates_is_the_branch_that_it_stands_for() {
    let scratch = served(&[("refs/heads/next", "refs/heads/release/1")]);
    scratch.write("spexcode.json", "{\"yatsu\": {\"protect\": [\"release/*\"]}}");
    scratch.commit("protected");
    passes(&scratch, &["push", "-q", "origin", "main", "main:next"]);
    assert_eq!(there(&scratch, "refs/heads/release/1"), scratch.git(&["rev-parse", "main"]));
    loses(&scratch, &["short:next"]);
    loses(&scratch, &["short:release/1"]);
}

#[test]
fn a_branch_is_protected_by_each_of_its_names() {
    let scratch = served(&[("refs/heads/stable", "refs/heads/work"), ("refs/heads/trunk", "refs/heads/dev")]);
    scratch.write("spexcode.json", "{\"mainBranch\": \"trunk\", \"yatsu\": {\"protect\": [\"stable\"]}}");
    scratch.commit("configured");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    for (minute, branch) in [(4, "work"), (5, "dev")] {
        on_branch(&scratch, branch);
        reading(&scratch, ".spec/n", "works", "pass", minute);
        scratch.commit("measured here alone");
        passes(&scratch, &["push", "-q", "origin", branch]);
    }
    for name in ["work", "stable", "dev", "trunk"] {
        loses(&scratch, &[&format!("short:{name}")]);
        loses(&scratch, &[&format!(":{name}")]);
    }
}

#[test]
fn a_branch_that_stands_for_a_ref_elsewhere_is_a_branch() {
    let scratch = served(&[]);
    let main = there(&scratch, "refs/heads/main");
    scratch.git(&["--git-dir", "../origin.git", "update-ref", "refs/kept/main", &main]);
    point(&scratch, &[("refs/heads/main", "refs/kept/main"), STABLE]);
    for name in ["main", "stable", "refs/kept/main"] {
        loses(&scratch, &[&format!("short:{name}")]);
        loses(&scratch, &[&format!(":{name}")]);
    }
}

#[test]
fn both_names_in_one_push_are_one_update() {
    let scratch = served(&[STABLE]);
    loses(&scratch, &["short:main", "short:stable"]);
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad");
    let said = blocked(&scratch, &["push", "-q", "origin", "main", "main:stable"]);
    assert_eq!(said.err.matches("has no `expected`").count(), 1, "{}", said.err);
    assert!(!said.err.contains("refs/heads/main: "), "there is one ref: {}", said.err);
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    scratch.git(&["commit", "-q", "--allow-empty", "-m", "good"]);
    passes(&scratch, &["push", "-q", "origin", "main", "main:stable"]);
}

#[test]
fn an_alias_of_what_lies_beside_the_code_takes_no_code() {
    let scratch = served(&[("refs/heads/stable", "refs/yatsu/evidence")]);
    let said = blocked(&scratch, &["push", "-q", "-f", "origin", "main:stable"]);
    assert!(said.err.contains("refs/yatsu/evidence"), "{}", said.err);
}
