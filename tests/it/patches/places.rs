//! Repositories in which patches can be queried: without a main branch, without a work tree, of another kind, shallow.

use super::{branch, decide, evaluated, patch, repository, state, states};
use crate::support::{Said, scenarios};
use crate::support::{Scratch, hermetic, one_node, program};

/// The program in another directory.
fn yatsu_in(s: &Scratch, dir: &str, args: &[&str]) -> Said {
    let mut command = hermetic(program(), &s.home());
    Said::of(command.current_dir(s.base.join(dir)).args(args).output().expect("the program runs"))
}

#[test]
fn before_the_first_commit_and_without_a_main_branch_there_is_nothing_to_be_meant_for() {
    let s = Scratch::new();
    let said = s.yatsu(&["patch", "ls"]).expect(2);
    assert!(said.err.contains("there is no commit yet"), "{}", said.err);
    let s = one_node();
    s.git(&["branch", "-m", "trunk"]);
    let said = s.yatsu(&["patch", "ls"]).expect(2);
    assert!(said.err.contains("`mainBranch` in spexcode.json"), "{}", said.err);
    s.write("spexcode.json", "{\"mainBranch\": \"trunk\"}");
    s.commit("trunk it is");
    assert_eq!(s.yatsu(&["patch", "ls"]).expect(0).out, "no branch has a commit that trunk lacks or lacked\n");
    s.write("spexcode.json", "{\"mainBranch\": \"gone\"}");
    let said = s.yatsu(&["patch", "ls"]).expect(2);
    assert!(said.err.contains("names the main branch `gone`"), "{}", said.err);
}

#[test]
fn without_a_name_the_branch_that_is_checked_out_is_meant() {
    let s = repository();
    evaluated(&s, "feature");
    assert!(s.yatsu(&["patch", "show"]).expect(0).out.starts_with("feature   Evaluated   "));
    s.git(&["checkout", "-q", "main"]);
    s.yatsu(&["patch", "show"]).expect(2);
    s.yatsu(&["patch", "show", "main"]).expect(2);
    s.git(&["checkout", "-q", "--detach", "feature"]);
    s.yatsu(&["patch", "show"]).expect(2);
    s.yatsu(&["patch", "approve", "--reason", "r", "--by", "Bob"]).expect(2);
    assert_eq!(state(&s, "feature"), "Evaluated", "named it is found");
}

#[test]
fn a_branch_without_commits_of_its_own_is_no_patch() {
    let s = repository();
    s.git(&["branch", "old"]);
    s.write("README", "words\n");
    s.commit("on");
    assert_eq!(states(&s), []);
    let said = s.yatsu(&["patch", "show", "old"]).expect(1);
    assert!(said.err.contains("old has no commit that main lacks or lacked"), "{}", said.err);
}

#[test]
fn in_a_bare_repository_patches_are_told_and_not_decided_about() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let said = yatsu_in(&s, "bare.git", &["patch", "ls"]).expect(0);
    assert!(said.out.starts_with("feature  Evaluated  "), "{}", said.out);
    yatsu_in(&s, "bare.git", &["patch", "show"]).expect(2);
    yatsu_in(&s, "bare.git", &["patch", "show", "feature"]).expect(0);
    yatsu_in(&s, "bare.git", &["patch", "approve", "feature", "--reason", "r", "--by", "Bob"]).expect(1);
}

#[test]
fn branches_of_the_remote_count_where_there_is_no_local_one() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    evaluated(&s, "other");
    s.git(&["checkout", "-q", "main"]);
    s.git(&["clone", "-q", ".", "../clone"]);
    let clone = |args: &[&str]| yatsu_in(&s, "clone", args);
    let said = clone(&["patch", "ls"]).expect(0);
    let names: Vec<&str> = said.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["feature", "other"]);
    clone(&["patch", "show", "origin/feature"]).expect(0);
    clone(&["patch", "approve", "feature", "--reason", "r", "--by", "Bob"]).expect(0);
    assert!(clone(&["patch", "show", "feature"]).expect(0).out.starts_with("feature   Approved   "));
}

#[test]
fn every_kind_of_repository_tells_the_same() {
    tells_the_same(&["--object-format=sha256"]);
    tells_the_same(&[]);
}

mod needs_reftable {
    use super::*;

    #[test]
    #[ignore = "needs a git with reftable"]
    fn a_repository_with_a_table_of_refs_tells_the_same() {
        tells_the_same(&["--ref-format=reftable"]);
    }
}

#[track_caller]
fn tells_the_same(init: &[&str]) {
    let s = Scratch::with_init(init);
    s.write("src/a.rs", "1\n2\n3\n4\n5\n6\n7\n8\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    s.commit("first");
    s.git(&["config", "user.name", "Ann"]);
    evaluated(&s, "clean");
    s.git(&["checkout", "-q", "main"]);
    branch(&s, "torn");
    s.git(&["checkout", "-q", "main"]);
    s.write("src/a.rs", "one\n2\n3\n4\n5\n6\n7\n8\n");
    s.commit("moved");
    let found = states(&s);
    let expected = [("clean", "Conflicted"), ("torn", "Conflicted")];
    assert_eq!(found, expected.map(|(name, state)| (name.to_owned(), state.to_owned())), "{init:?}");
    assert_eq!(patch(&s, "clean")["touches"][0]["moved"], serde_json::json!(["src/a.rs"]));
}

#[test]
fn where_history_was_cut_off_nobody_can_tell_where_a_branch_left() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s.write("README", "words\n");
    s.commit("on");
    let url = format!("file://{}", s.root.display());
    s.git(&["clone", "-q", "--depth", "1", "--no-single-branch", &url, "../shallow"]);
    let said = yatsu_in(&s, "shallow", &["patch", "ls"]).expect(3);
    assert!(said.err.contains("git fetch --unshallow"), "{}", said.err);
}

#[test]
fn a_branch_with_an_unusable_configuration_is_told_by_the_one_that_is_here() {
    let s = repository();
    evaluated(&s, "feature");
    s.write("spexcode.json", "{");
    s.commit("broken");
    s.git(&["checkout", "-q", "main"]);
    assert_eq!(state(&s, "feature"), "Evaluated");
}

#[test]
fn names_of_branches_reach_a_terminal_without_their_controls() {
    let s = repository();
    branch(&s, "x\u{202e}y");
    decide(&s, "approve", "x\u{202e}y", "Bob").expect(1);
    for args in [&["patch", "ls"][..], &["patch", "show"], &["patch", "ls", "--format", "json"]] {
        let said = s.yatsu(args).expect(0);
        assert!(!said.out.contains('\u{202e}'), "{args:?}: {}", said.out);
    }
}
