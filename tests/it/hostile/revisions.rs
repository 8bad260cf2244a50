//! A revision of a missing commit: it is no misuse, and no useless advice is given.

use super::one_node;
use crate::support::Scratch;

/// Takes an object out of the object database.
fn lose(scratch: &Scratch, id: &str) {
    let (dir, file) = id.split_at(2);
    std::fs::remove_file(scratch.root.join(".git/objects").join(dir).join(file)).expect("a loose object");
}

/// Asserts the answer of every verb that takes a revision: could not check, and no mention of a shallow clone.
#[track_caller]
fn unchecked(scratch: &Scratch, rev: &str) {
    for line in [
        &["check", "--rev", rev][..],
        &["check", "--from", rev, "--to", "whole"],
        &["check", "--from", "whole", "--to", rev],
        &["scan", "--rev", rev],
        &["scan", "--changed", "--base", rev],
        &["repair", "--restore", rev],
    ] {
        let said = scratch.yatsu(line);
        assert_eq!(said.code, 3, "{line:?}: {}{}", said.out, said.err);
        assert!(!said.err.contains("--unshallow"), "{line:?}: {}", said.err);
        assert!(said.err.contains("  hint: "), "{line:?}: {}", said.err);
    }
}

/// A branch `whole`, and HEAD on a branch with a missing commit.
fn beheaded(init: &[&str]) -> (Scratch, String) {
    let scratch = if init.is_empty() { one_node() } else { other(init) };
    scratch.git(&["branch", "whole"]);
    let head = scratch.commit("gone");
    scratch.git(&["tag", "-a", "-m", "x", "v1"]);
    lose(&scratch, &head);
    (scratch, head)
}

fn other(init: &[&str]) -> Scratch {
    let scratch = Scratch::with_init(init);
    scratch.write("src/a.rs", "");
    scratch.write(".spec/n/yatsu.md", crate::support::scenarios(&[("works", "src/a.rs")]));
    scratch.commit("first");
    scratch
}

#[test]
fn a_revision_whose_commit_is_missing_could_not_be_checked() {
    let (scratch, head) = beheaded(&[]);
    for rev in ["HEAD", "main", "v1", &head] {
        unchecked(&scratch, rev);
    }
}

#[test]
fn the_same_where_the_program_answers() {
    let (scratch, head) = beheaded(&["--object-format=sha256"]);
    for rev in ["HEAD", "main", "v1", &head] {
        unchecked(&scratch, rev);
    }
}

/// The ends of a range often come from a machine that knows more of the history than this clone.
#[test]
fn what_names_nothing_is_misuse_and_as_an_end_of_a_range_not_here() {
    let scratch = one_node();
    for (line, code) in [
        (&["check", "--rev", "nobody"][..], 2),
        (&["check", "--from", "HEAD", "--to", "nobody"], 3),
        (&["check", "--from", "nobody", "--to", "HEAD"], 3),
        (&["check", "--from", "HEAD~7", "--to", "HEAD"], 3),
    ] {
        let said = scratch.yatsu(line).expect(code);
        assert!(said.err.contains("names no commit") && !said.err.contains("--unshallow"), "{line:?}: {}", said.err);
    }
}

#[test]
fn histories_without_a_common_commit_are_not_said_to_be_shallow() {
    let scratch = one_node();
    scratch.git(&["switch", "-q", "--orphan", "other"]);
    scratch.write("x", "");
    scratch.commit("another beginning");
    let said = scratch.yatsu(&["scan", "--changed", "--base", "main"]).expect(3);
    assert!(said.err.contains("no common ancestor") && !said.err.contains("--unshallow"), "{}", said.err);
}
