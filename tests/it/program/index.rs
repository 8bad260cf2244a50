//! The index and the work tree beside it: what is staged, tracked, untracked, and by which attributes.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::support::real::door;
use crate::support::{Scratch, conflict, oid, path};
use yatsu_hook::repo::program::{AttributeReader, AttributeValue, Git};
use yatsu_hook::tree::oid::Oid;
use yatsu_hook::tree::path::RepoPath;

/// Status letter and path of every staged change.
fn staged(git: &Git, base: Option<&Oid>) -> Vec<String> {
    let letter = |change: &yatsu_hook::repo::change::PathChange| match (&change.old, &change.new) {
        _ if change.unmerged => 'U',
        (None, _) => 'A',
        (_, None) => 'D',
        _ => 'M',
    };
    let changes = git.staged(base).expect("staged changes");
    changes.iter().map(|change| format!("{} {}", letter(change), change.path)).collect()
}

#[test]
fn staged_changes_of_every_sort() {
    staged_of_every_sort(&[]);
    staged_of_every_sort(&["--object-format=sha256"]);
}

mod needs_reftable {
    use super::*;

    #[test]
    #[ignore = "needs a git with reftable"]
    fn staged_changes_of_every_sort_over_a_table_of_refs() {
        staged_of_every_sort(&["--ref-format=reftable"]);
    }
}

#[track_caller]
fn staged_of_every_sort(init: &[&str]) {
    let scratch = Scratch::with_init(init);
    let git = door(&scratch);
    scratch.write("a b\n\u{e9}", "1");
    scratch.write("gone", "2");
    scratch.write("mode", "3");
    scratch.git(&["add", "-A"]);
    assert_eq!(staged(&git, None), ["A a b\n\u{e9}", "A gone", "A mode"], "no commit yet");
    let head = oid(&scratch.commit("one"));
    assert!(staged(&git, Some(&head)).is_empty());
    scratch.git(&["rm", "-q", "--cached", "gone"]);
    scratch.git(&["update-index", "--chmod=+x", "mode"]);
    scratch.write("-new", "4");
    scratch.git(&["add", "--", "-new"]);
    assert_eq!(staged(&git, Some(&head)), ["A -new", "D gone", "M mode"]);
    let tree = git.rev_parse("HEAD^{tree}").unwrap().unwrap();
    assert_eq!(staged(&git, Some(&tree)), ["A -new", "D gone", "M mode"]);
}

#[test]
fn intent_to_add_is_not_staged() {
    let scratch = Scratch::new();
    scratch.write("kept", "1");
    let head = oid(&scratch.commit("one"));
    scratch.write("n", "2");
    scratch.git(&["add", "-N", "n"]);
    scratch.git(&["rm", "-q", "--cached", "kept"]);
    scratch.git(&["add", "-N", "kept"]);
    let git = door(&scratch);
    assert_eq!(staged(&git, Some(&head)), ["D kept"]);
    assert!(git.index_entries().unwrap().iter().all(|tracked| tracked.entry.intent_to_add));
}

#[test]
fn a_conflict_is_unmerged() {
    let scratch = Scratch::new();
    let head = oid(&conflict(&scratch, "f"));
    let git = door(&scratch);
    assert_eq!(staged(&git, Some(&head)), ["U f"]);
    let stages: Vec<u8> = git.index_entries().unwrap().iter().map(|entry| entry.entry.stage).collect();
    assert_eq!(stages, [1, 2, 3]);
}

#[test]
fn a_submodule_cannot_hide_behind_ignore_all() {
    let scratch = Scratch::new();
    let one = scratch.commit("one");
    scratch.write(".gitmodules", "[submodule \"s\"]\n\tpath = s\n\turl = ./s\n\tignore = all\n");
    scratch.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{one},s")]);
    scratch.git(&["add", ".gitmodules"]);
    scratch.git(&["commit", "-q", "--no-verify", "-m", "sub"]);
    let head = oid(&scratch.git(&["rev-parse", "HEAD"]));
    scratch.git(&["update-index", "--cacheinfo", &format!("160000,{head},s")]);
    assert_eq!(staged(&door(&scratch), Some(&head)), ["M s"]);
}

#[test]
fn index_entries_of_every_index_format() {
    entries_are_read(&[]);
    entries_are_read(&["update-index", "--split-index"]);
}

mod needs_git_2_38 {
    use super::*;

    #[test]
    #[ignore = "needs git 2.38"]
    fn entries_of_a_sparse_index() {
        entries_are_read(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    }
}

#[track_caller]
fn entries_are_read(setup: &[&str]) {
    let scratch = Scratch::new();
    for file in ["in/a", "out/deep/b", "c"] {
        scratch.write(file, file);
    }
    scratch.commit("one");
    if !setup.is_empty() {
        scratch.git(setup);
    }
    scratch.git(&["update-index", "--assume-unchanged", "c"]);
    let entries = door(&scratch).index_entries().unwrap();
    let said: Vec<String> = entries
        .iter()
        .map(|entry| format!("{} {} {}", entry.path, entry.entry.skip_worktree, entry.entry.assume_valid))
        .collect();
    let sparse = setup.len() > 3;
    assert_eq!(said, ["c false true", "in/a false false", &format!("out/deep/b {sparse} false")], "{setup:?}");
    let listed = scratch.git(&["ls-files", "-s"]);
    assert!(entries.iter().all(|entry| listed.contains(&format!("{} {}", entry.entry.mode, entry.entry.id))));
}

#[test]
fn untracked_files_are_listed_as_git_sees_them() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", "*.o\n/build\n");
    scratch.write("tracked", "");
    scratch.commit("one");
    for file in ["a.o", "build/x", "src/new", "src/b.o", ":(exclude)x", "[a"] {
        scratch.write(file, "");
    }
    scratch.git(&["init", "-q", "nested"]);
    scratch.write("nested/inside", "");
    scratch.write(".git/info/exclude", "[[]a\n");
    let git = door(&scratch);
    let list =
        |dir: RepoPath| -> Vec<String> { git.untracked(&dir).unwrap().iter().map(|path| path.to_string()).collect() };
    assert_eq!(list(RepoPath::root()), [":(exclude)x", "src/new"]);
    assert_eq!(list(path("src")), ["src/new"]);
    assert_eq!(list(path(":(exclude)x")), [":(exclude)x"]);
    assert!(list(path("build")).is_empty() && list(path("no")).is_empty());
}

#[test]
fn attributes_as_git_resolves_them() {
    let scratch = Scratch::new();
    scratch.write(".gitattributes", "[attr]mine text ident\n*.m mine\n*.b -text\n");
    scratch.write("sub/.gitattributes", "*.m eol=crlf -ident\n");
    scratch.write(".git/info/attributes", "*.z text=auto\n");
    let reader = AttributeReader::new(door(&scratch), vec!["text", "eol", "ident"]);
    use AttributeValue::{Set, Unset, Unspecified, Value};
    let of = |name: &str| reader.of(&path(name)).unwrap();
    assert_eq!(of("x.m"), [Set, Unspecified, Set]);
    assert_eq!(of("sub/new\nline.m"), [Set, Value("crlf".into()), Unset]);
    assert_eq!(of("x.b"), [Unset, Unspecified, Unspecified]);
    assert_eq!(of("x.z")[0], Value("auto".into()));
}
