//! Servers with fewer guarantees, and foreign data on them.

use super::last;
use std::fs;

#[test]
fn a_server_that_moves_no_two_refs_at_once_never_names_what_it_lacks() {
    let two = super::git::sharing();
    two.a.git(&["-C", "../server.git", "config", "receive.advertiseAtomic", "false"]);
    let (one, other) = (two.file("renders", "it rendered\n"), two.file("scrolls", "it scrolled\n"));
    two.publish();
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 2 (24 B), 0 there");
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 0 (0 B), 2 there");
    let b = super::git::other(&two);
    assert_eq!(last(&b.yatsu(&["share", "get"]).expect(0)), "got 2 (24 B), 0 here already");
    assert_eq!(last(&b.yatsu(&["share", "check", "--deep"]).expect(0)), "all 2 there");
    two.a.yatsu(&["share", "drop", &one, "--reason", "r"]).expect(0);
    assert!(b.yatsu(&["share", "check"]).expect(1).out.contains("it was dropped: r"));
    // a server that takes the names and not the bytes ends up with neither
    let hook = two.a.base.join("server.git/hooks/update");
    fs::create_dir_all(hook.parent().expect("a directory")).expect("hooks");
    crate::support::executable(&hook, "#!/bin/sh\ncase $1 in refs/yatsu/evidence/*) exit 1 ;; esac\n");
    let late = two.file("renders", "it rendered again\n");
    two.publish();
    let said = two.a.yatsu(&["share", "push"]).expect(1);
    assert!(said.out.contains(&late[..12]), "{}", said.out);
    let names = two.a.git(&["-C", "../server.git", "log", "--all", "--glob=refs/yatsu/names/*", "--format=%B"]);
    assert!(!names.contains(&late) && names.contains(&other), "{names}");
}

#[test]
fn what_a_server_says_when_it_refuses_is_passed_on_bounded_and_escaped() {
    let two = super::git::sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    let hook = two.a.base.join("server.git/hooks/pre-receive");
    fs::create_dir_all(hook.parent().expect("a directory")).expect("hooks");
    let script = "#!/bin/sh\nprintf 'quota exceeded\\n\\033[31mred\\n' >&2\n\
                  i=0; while [ $i -lt 400 ]; do echo 'and on and on' >&2; i=$((i+1)); done\nexit 1\n";
    crate::support::executable(&hook, script);
    let said = two.a.yatsu(&["share", "push"]).expect(1);
    assert!(said.out.contains("(pre-receive hook declined); it says: quota exceeded; "), "{}", said.out);
    assert!(!said.out.contains('\u{1b}') && said.out.contains("red"), "{}", said.out);
    assert!(said.out.len() < 2000, "{}", said.out);
    crate::support::executable(&hook, "#!/bin/sh\nexit 1\n");
    let silent = two.a.yatsu(&["share", "push"]).expect(1);
    assert!(silent.out.contains("pre-receive hook declined") && !silent.out.contains("it says"), "{}", silent.out);
}

#[test]
fn more_names_than_are_read_are_passed_over_and_named() {
    let two = super::git::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    let line = format!("{} {} 12\n", "ab".repeat(32), "cd".repeat(20));
    two.a.write("../lines", line.repeat((64 << 20) / line.len() + 1));
    let server = |words: &[&str]| two.a.git(&[&["-C", "../server.git"], words].concat()).trim().to_owned();
    let tree = server(&["write-tree"]);
    let commit = server(&["commit-tree", &tree, "-F", "../lines"]);
    for kind in ["names", "evidence"] {
        server(&["update-ref", &format!("refs/yatsu/{kind}/0123456789abcdef/2026-01"), &commit]);
    }
    let passed = "passed over: the names of writer 0123456789abcdef of 2026-01";
    let said = two.a.yatsu(&["share", "push"]).expect(0);
    assert!(said.out.contains(passed) && last(&said) == "pushed 1 (12 B), 0 there", "{}", said.out);
    let b = super::git::other(&two);
    let said = b.yatsu(&["share", "get"]).expect(0);
    assert!(said.out.contains(passed) && last(&said) == "got 1 (12 B), 0 here already", "{}", said.out);
    assert!(b.cached(&hash).exists());
    // an unreadable ref may name anything, so nothing is deleted
    let said = b.yatsu(&["share", "prune", "--before", "2026-02"]).expect(3);
    assert!(said.err.contains("nothing was deleted") && said.err.contains("64 MiB"), "{}", said.err);
}

#[test]
fn a_drop_is_undone_as_the_documentation_says() {
    let two = super::git::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    two.a.yatsu(&["share", "drop", &hash, "--reason", "a mistake"]).expect(0);
    two.a.yatsu(&["share", "check", "--heal"]).expect(1);
    let listed = two.a.git(&["ls-remote", "origin", "refs/yatsu/*"]);
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    two.a.git(&[&["push", "-q", "origin", "--delete"], &names[..]].concat());
    assert_eq!(last(&two.a.yatsu(&["share", "check", "--heal"]).expect(0)), "all 1 there; pushed 1 (12 B)");
    assert_eq!(last(&super::git::other(&two).yatsu(&["share", "get"]).expect(0)), "got 1 (12 B), 0 here already");
}
