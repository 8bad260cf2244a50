//! Revisions, the commits of a push, and what git says of the repository itself.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::support::real::{door, environment};
use crate::support::{Scratch, oid};
use yatsu_hook::repo::program::{Git, NewCommits};
use yatsu_hook::tree::oid::{HashKind, Oid};

#[test]
fn revisions_trees_and_merge_bases() {
    let scratch = Scratch::new();
    let git = door(&scratch);
    assert_eq!(git.rev_parse("HEAD").unwrap(), None, "no commit yet");
    let base = oid(&scratch.commit("base"));
    scratch.git(&["tag", "-a", "v1", "-m", "v1"]);
    scratch.git(&["checkout", "-q", "-b", "side"]);
    let side = oid(&scratch.commit("side"));
    scratch.git(&["checkout", "-q", "--orphan", "other"]);
    let other = oid(&scratch.commit("other"));
    assert_eq!(git.commit_of("v1").unwrap(), Some(base));
    assert_ne!(git.rev_parse("v1").unwrap(), Some(base), "a tag is an object of its own");
    for nothing in ["nope", "--all", "--upload-pack=x", &"1".repeat(39)] {
        assert_eq!(git.commit_of(nothing).unwrap(), None, "{nothing}");
    }
    assert_eq!(git.merge_bases(&side, &base).unwrap(), [base]);
    assert_eq!(git.merge_bases(&side, &other).unwrap(), []);
    assert!(git.merge_bases(&side, &oid(&"1".repeat(40))).is_err());
}

#[test]
fn new_commits_of_a_push() {
    let scratch = Scratch::new();
    let one = oid(&scratch.commit("one"));
    let two = oid(&scratch.commit("two"));
    let three = oid(&scratch.commit("three"));
    scratch.git(&["update-ref", "refs/remotes/up/main", &one.to_string()]);
    scratch.git(&["tag", "-a", "v", "-m", "v"]);
    let git = door(&scratch);
    let list = |tips: &[Oid], known: &[Oid], remote: Option<&str>| {
        let wanted = NewCommits {
            tips: tips.to_vec(),
            known: known.to_vec(),
            remote: remote.map(str::to_owned),
            all_refs: false,
        };
        git.rev_list(&wanted).unwrap().into_iter().map(|commit| commit.id).collect::<Vec<_>>()
    };
    assert_eq!(list(&[three], &[], None), [one, two, three]);
    assert_eq!(list(&[three], &[], Some("up")), [two, three]);
    assert_eq!(list(&[three], &[two], Some("up")), [three]);
    assert_eq!(list(&[oid(&scratch.git(&["rev-parse", "v"]))], &[two], None), [three]);
    for no_name in ["https://host.invalid/x", "u*", "", "--all"] {
        assert_eq!(list(&[three], &[], Some(no_name)).len(), 3, "{no_name}");
    }
    assert!(list(&[], &[], Some("up")).is_empty());
    let received = NewCommits { tips: vec![three], all_refs: true, ..NewCommits::default() };
    assert!(git.rev_list(&received).unwrap().is_empty(), "everything on a ref is known");
    let all = git.rev_list(&NewCommits { tips: vec![three], ..NewCommits::default() }).unwrap();
    assert_eq!((all[0].parents.as_slice(), all[2].parents.as_slice()), (&[][..], &[two][..]));
    assert_eq!(git.independent(&[one, three, two]).unwrap(), [three]);
}

#[test]
fn facts_about_the_repository() {
    let scratch = Scratch::with_init(&["--object-format=sha256"]);
    scratch.commit("one");
    scratch.git(&["worktree", "add", "-q", "-b", "linked", "../linked tree"]);
    let linked = Git::locate(&environment(&scratch.home()), &scratch.base.join("linked tree")).unwrap();
    assert_eq!(linked.hash_kind().unwrap(), HashKind::Sha256);
    scratch.git(&["config", "yatsu.x", "two\nlines"]);
    let config = linked.config().unwrap();
    assert_eq!(config.get("yatsu.x").unwrap(), "two\nlines");
    assert_eq!(config.get("yatsu.none"), None);
}
