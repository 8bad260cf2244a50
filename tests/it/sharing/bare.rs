//! Sharing from bare clones and mirrors, with any git setting for repositories without a work tree.

use super::{Two, last};
use crate::support::{Said, hermetic, program};
use std::fs;
use std::path::PathBuf;

/// A bare clone, and a user with a git that refuses bare repositories unless they are named explicitly.
struct BareClone<'t> {
    two: &'t Two,
    root: PathBuf,
}

/// The ways to make a clone without a work tree. Our own readers leave the last one to git.
const KINDS: [&[&str]; 3] = [&["--bare"], &["--mirror"], &["--bare", "--filter=blob:limit=1g"]];

impl<'t> BareClone<'t> {
    fn new(two: &'t Two, how: &[&str]) -> Self {
        let root = two.a.base.join("bare.git");
        let _ = fs::remove_dir_all(&root);
        let server = format!("file://{}", two.a.base.join("server.git").display());
        two.a.git(&[&["clone", "-q"], how, &[&server, "../bare.git"]].concat());
        fs::write(two.a.home().join("explicit"), "[safe]\n\tbareRepository = explicit\n[user]\n\tname = B\n")
            .expect("written");
        Self { two, root }
    }

    fn yatsu(&self, args: &[&str]) -> Said {
        let home = self.two.a.home();
        let mut command = hermetic(program(), &home);
        command.env("GIT_CONFIG_GLOBAL", home.join("explicit"));
        let said = Said::of(command.current_dir(&self.root).args(args).output().expect("the program runs"));
        for word in ["bareRepository", "git config failed", "git rev-parse failed"] {
            assert!(!said.err.contains(word), "{args:?}: {}", said.err);
        }
        said
    }
}

/// Two clones that share over the server, with one piece there.
fn shared() -> (Two, String) {
    let two = super::git::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    (two, hash)
}

#[test]
fn every_verb_of_sharing_works_in_a_clone_without_a_work_tree() {
    KINDS.iter().for_each(|how| every_verb_works(how));
}

#[track_caller]
fn every_verb_works(how: &[&str]) {
    let (two, hash) = shared();
    let bare = BareClone::new(&two, how);
    two.a.git(&["-C", "../bare.git", "config", "yatsu.claims.shared", "origin"]);
    assert!(last(&bare.yatsu(&["share"]).expect(0)).starts_with("sharing is off"), "{how:?}");
    assert!(last(&bare.yatsu(&["share", "on"]).expect(0)).contains("origin is on"), "{how:?}");
    assert!(
        last(&bare.yatsu(&["share"]).expect(0)).contains(": 1 piece named by published readings, 0 here"),
        "{how:?}"
    );
    assert_eq!(last(&bare.yatsu(&["share", "get"]).expect(0)), "got 1 (12 B), 0 here already");
    assert_eq!(last(&bare.yatsu(&["share", "check", "--deep"]).expect(0)), "all 1 there");
    assert_eq!(last(&bare.yatsu(&["share", "push"]).expect(0)), "pushed 0 (0 B), 1 there");
    assert_eq!(bare.yatsu(&["evidence", "get", &hash]).expect(0).out, "it rendered\n");
    let pruned = bare.yatsu(&["share", "prune", "--before", "2021-01"]);
    match how {
        ["--mirror"] => drop(pruned.expect(0)),
        [_, "--filter=blob:limit=1g"] => assert!(pruned.expect(3).err.contains("shallow or partial"), "{how:?}"),
        // it has no separate branches of the remote, and does not know of new ones
        _ => assert!(pruned.expect(3).err.contains("does not fetch every branch of origin"), "{how:?}"),
    }
    two.a.git(&["config", "yatsu.claims.shared", "origin"]);
    two.a.yatsu(&["claim", "take", "board", "--scenario", "renders"]).expect(0);
    let held = bare.yatsu(&["claim", "ls"]).expect(0).out;
    assert!(held.contains("board/renders by Ann") && held.contains("(origin)"), "{how:?}: {held}");
    bare.yatsu(&["share", "drop", &hash, "--reason", "r"]).expect(0);
    assert_eq!(last(&bare.yatsu(&["share", "off"]).expect(0)), "sharing is off", "{how:?}");
}

#[test]
fn the_branches_of_a_bare_clone_are_the_published_ones() {
    KINDS.iter().for_each(|how| branches_are_the_published_ones(how));
}

#[track_caller]
fn branches_are_the_published_ones(how: &[&str]) {
    let two = Two::sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    let bare = BareClone::new(&two, how);
    bare.yatsu(&["share", "on", &two.place()]).expect(0);
    // a piece that is not there counts as missing, so the answer is no success
    assert_eq!(last(&bare.yatsu(&["share", "check"]).expect(1)), "1 missing, 0 there", "{how:?}");
    two.a.yatsu(&["share", "push"]).expect(0);
    bare.yatsu(&["share", "get"]).expect(0);
    fs::remove_dir_all(two.shared()).and_then(|()| fs::create_dir(two.shared())).expect("emptied");
    assert_eq!(last(&bare.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there", "{how:?}");
}

#[test]
fn what_needs_a_work_tree_says_so_and_where_to_go() {
    KINDS.iter().for_each(|how| a_work_tree_is_asked_for(how));
}

#[track_caller]
fn a_work_tree_is_asked_for(how: &[&str]) {
    let (two, _) = shared();
    let bare = BareClone::new(&two, how);
    bare.yatsu(&["share", "on"]).expect(0);
    for args in [&["claim", "take", "board", "--scenario", "renders"][..], &["claim", "next"], &["clean", "--shared"]] {
        let said = bare.yatsu(args).expect(1);
        assert!(said.err.contains("a bare repository has no work tree"), "{args:?}: {}", said.err);
        assert!(said.err.contains("hint: run this in a"), "{args:?}: {}", said.err);
    }
}

mod needs_git_2_38 {
    use super::*;

    #[test]
    #[ignore = "needs git 2.38"]
    fn a_bare_repository_of_somebody_else_that_is_trusted_is_opened() {
        let (two, _) = shared();
        let bare = BareClone::new(&two, &["--bare"]);
        let scan = |trusted: &str| {
            let mut command = hermetic(program(), &two.a.home());
            fs::write(two.a.home().join("trust"), format!("[safe]\n\tdirectory = {trusted}\n")).expect("written");
            command.env("GIT_CONFIG_GLOBAL", two.a.home().join("trust")).env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
            Said::of(command.current_dir(&bare.root).arg("scan").output().expect("the program runs"))
        };
        assert!(scan("/nowhere").expect(3).err.contains("belongs to another user"));
        scan(&bare.root.display().to_string()).expect(0);
    }
}

mod needs_reftable {
    use super::*;

    #[test]
    #[ignore = "needs a git with reftable"]
    fn a_bare_clone_with_a_table_of_refs_shares_as_the_others_do() {
        let how = &["--bare", "--ref-format=reftable"];
        every_verb_works(how);
        branches_are_the_published_ones(how);
        a_work_tree_is_asked_for(how);
    }
}
