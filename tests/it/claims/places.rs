//! Where a claim can be made, and what can happen to its target: work trees that are removed, nodes and scenarios that move,
//! clocks that step back, repositories without a work tree.

use super::*;
use std::path::Path;

fn yatsu_in(s: &Scratch, dir: &Path, args: &[&str]) -> Said {
    let mut command = s.yatsu_command(args);
    Said::of(command.current_dir(dir).output().expect("it runs"))
}

#[test]
fn a_bare_repository_is_asked_and_nothing_is_claimed_in_it() {
    let s = repository();
    s.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = s.base.join("bare.git");
    s.git(&["-C", "../bare.git", "config", "user.name", "Ann"]);
    for args in [
        &["claim", "take", "board", "--scenario", "draws"][..],
        &["claim", "next"],
        &["claim", "renew", TOKEN],
        &["claim", "release", TOKEN],
        &["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "r"],
    ] {
        let said = yatsu_in(&s, &bare, args).expect(1);
        assert!(said.err.contains("bare repository") && !said.err.contains("--rev"), "{args:?}: {}", said.err);
    }
    assert!(!bare.join("yatsu/claims.ndjson").exists());
    // after its work trees made claims in it, it can be asked
    s.git(&["-C", "../bare.git", "worktree", "add", "-q", "../tree", "main"]);
    yatsu_in(&s, &s.base.join("tree"), &["claim", "take", "board", "--scenario", "draws"]).expect(0);
    for args in [&["claim", "ls"][..], &["claim", "log"], &["claim", "log", "board"]] {
        let said = yatsu_in(&s, &bare, args).expect(0);
        assert!(said.out.contains("board/draws by Ann"), "{args:?}: {}", said.out);
    }
}

#[test]
fn a_work_tree_that_is_removed_leaves_its_claim_to_be_ended_from_another() {
    let s = repository();
    s.git(&["worktree", "add", "-q", "--detach", "../gone"]);
    let take = ["claim", "take", "board", "--scenario", "draws", "--as", "Bob", "--format", "json"];
    let token = token(&yatsu_in(&s, &s.base.join("gone"), &take).expect(0));
    s.git(&["worktree", "remove", "--force", "../gone"]);
    refused(s.yatsu(&["claim", "take", "board", "--scenario", "draws"]), 1, "is held by Bob");
    eval(&s, &["--claim", &token]).expect(0);
    assert_eq!(filed(&s)[0]["by"], "Bob");
}

/// The board with a claim of Ann on `draws`, moved to `.spec/panel`, committed or not. Returns her token.
fn moved(s: &Scratch, is_committed: bool) -> String {
    let token = token(&take(s, "draws", "Ann").expect(0));
    s.git(&["mv", ".spec/board", ".spec/panel"]);
    if is_committed {
        s.commit("moved");
    }
    token
}

#[test]
fn a_node_that_moved_while_it_was_claimed_is_held_at_its_new_place() {
    for is_committed in [false, true] {
        let s = repository();
        let token = moved(&s, is_committed);
        let take = ["claim", "take", "panel", "--scenario", "draws", "--as", "Bob"];
        let held = ".spec/board/draws is held by Ann";
        refused(s.yatsu(&take), 1, held);
        refused(s.yatsu(&["eval", "panel", "--scenario", "draws", "--pass"]), 1, held);
        let next = s.yatsu(&["-v", "claim", "next", "--as", "Bob", "--format", "json"]).expect(0);
        assert_eq!(claimed(&next)["scenario"], "sorts");
        assert!(next.err.contains(&format!("passed over panel/draws: {held}")), "{}", next.err);
        s.yatsu(&["eval", "panel", "--scenario", "draws", "--pass", "--claim", &token]).expect(0);
        s.yatsu(&take).expect(0);
        assert!(journal(&s).contains("\"event\":\"filed\""), "{}", journal(&s));
    }
}

#[test]
fn a_claim_moves_along_with_its_own_scenario_alone() {
    let s = repository();
    take(&s, "draws", "Ann").expect(0);
    // another node has a scenario of that name, with another text or the same: the first one did not move
    s.write(".spec/list/yatsu.md", scenarios(&[("draws", "src/a.rs")]));
    s.yatsu(&["claim", "take", "list", "--scenario", "draws", "--as", "Bob"]).expect(0);
    s.yatsu(&["claim", "release", "--force", "list", "--scenario", "draws", "--reason", "r"]).expect(0);
    // the node is gone, and the scenario of its name elsewhere has another text
    s.git(&["rm", "-q", "-r", ".spec/board"]);
    s.write(".spec/list/yatsu.md", scenarios(&[("draws", "src/a.rs")]).replace("works", "shines"));
    s.yatsu(&["claim", "take", "list", "--scenario", "draws", "--as", "Bob"]).expect(0);
}

#[test]
fn a_lapsed_claim_keeps_nobody_from_the_new_place_of_its_node() {
    let s = repository();
    let token = moved(&s, true);
    let told = journal(&s);
    let until = told.split("\"until\":\"").nth(1).expect("an end")[..24].to_owned();
    set_journal(&s, &told.replace(&until, PAST));
    let late = s.yatsu(&["eval", "panel", "--scenario", "draws", "--pass", "--claim", &token, "--keep"]).expect(0);
    assert!(late.err.contains("late"), "{}", late.err);
    s.yatsu(&["claim", "take", "panel", "--scenario", "draws", "--as", "Bob"]).expect(0);
    let lost = ["eval", "panel", "--scenario", "draws", "--fail", "--claim", &token];
    refused(s.yatsu(&lost), 1, "this token's claim is on .spec/board/draws");
}

#[test]
fn a_claim_whose_node_moved_is_released_or_ended_by_its_old_name_or_the_new_one() {
    for place in [None, Some(".spec/board"), Some("panel")] {
        let s = repository();
        let token = moved(&s, true);
        let log = s.yatsu(&["claim", "log", ".spec/board"]).expect(0).out;
        assert!(log.contains("taken .spec/board/draws by Ann"), "{log}");
        s.yatsu(&["claim", "log", ".spec/bord"]).expect(2);
        match place {
            Some(place) => {
                let force = ["claim", "release", "--force", place, "--scenario", "draws", "--reason", "moved"];
                s.yatsu(&force).expect(0);
                assert_ne!(s.yatsu(&force).code, 0);
            }
            None => drop(s.yatsu(&["claim", "release", &token]).expect(0)),
        }
        assert_eq!(s.yatsu(&["claim", "ls"]).expect(0).out, "");
        s.yatsu(&["claim", "take", "panel", "--scenario", "draws"]).expect(0);
    }
}

#[test]
fn a_scenario_that_was_renamed_while_it_was_claimed_is_another_one() {
    let s = repository();
    let token = token(&take(&s, "draws", "Ann").expect(0));
    s.write(".spec/board/yatsu.md", scenarios(&[("paints", "src/a.rs"), ("sorts", "src/a.rs")]));
    s.commit("renamed");
    let flags = ["eval", "board", "--scenario", "paints", "--pass", "--claim", &token];
    refused(s.yatsu(&flags), 1, "claim is on board/draws");
    s.yatsu(&["claim", "take", "board", "--scenario", "paints", "--as", "Bob"]).expect(0);
    s.yatsu(&["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "renamed"]).expect(0);
    let held = s.yatsu(&["claim", "ls"]).expect(0).out;
    assert_eq!((held.lines().count(), held.contains("paints by Bob")), (1, true), "{held}");
}

/// A claim that was written with a fast clock stands until that time, or until it is ended by force.
#[test]
fn a_clock_that_stepped_back_gives_nothing_twice() {
    let s = repository();
    set_journal(&s, &line("taken", TOKEN, 1, FUTURE).replace("2020-01-01T00:00:00", "2089-12-31T23:59:00"));
    refused(take(&s, "draws", "Bob"), 1, &format!("is held by Ann until {FUTURE}"));
    s.yatsu(&["claim", "renew", TOKEN, "--ttl", "1h"]).expect(0);
    refused(take(&s, "draws", "Bob"), 1, "is held by Ann until 20");
    assert!(!s.yatsu(&["claim", "ls"]).expect(0).out.contains(FUTURE), "a renewal counts from the clock that is");
    eval(&s, &["--claim", TOKEN]).expect(0);
    assert_eq!(claimed(&take(&s, "draws", "Bob").expect(0))["attempt"], 1);
}

#[test]
fn a_claim_in_the_environment_changes_no_hook_and_no_question() {
    let s = repository();
    s.hook("pre-commit", "pre-commit");
    let token = token(&take(&s, "draws", "Ann").expect(0));
    for value in [&*token, TOKEN, "no token", "\u{1b}[2J"] {
        for args in [&["scan"][..], &["check"], &["ls"], &["show", "board"], &["claim", "ls"], &["pre-commit"]] {
            let plain = s.yatsu(args);
            let mut command = s.yatsu_command(args);
            let said = Said::of(command.env("YATSU_CLAIM", value).output().expect("it runs"));
            assert_eq!((said.code, &said.out, &said.err), (plain.code, &plain.out, &plain.err), "{args:?} {value:?}");
        }
        s.write("notes.txt", value);
        s.git(&["add", "-A"]);
        let mut commit = s.git_command(&["commit", "-q", "-m", "work"]);
        let said = Said::of(commit.env("YATSU_CLAIM", value).output().expect("git")).expect(0);
        assert_eq!((said.out.as_str(), said.err.contains("claim")), ("", false), "{}", said.err);
    }
    assert_eq!(journal(&s).lines().count(), 1);
}

#[test]
fn a_journal_that_cannot_be_read_stops_no_hook_and_no_question() {
    let s = repository();
    eval(&s, &[]).expect(0);
    set_journal(&s, "garbage\n");
    s.git(&["add", "-A"]);
    for args in [&["pre-commit"][..], &["check", "--all"], &["scan"], &["ls"], &["show", "board"], &["clean"]] {
        let said = s.yatsu(args).expect(0);
        assert!(!said.err.contains("claims.ndjson"), "{args:?}: {}", said.err);
    }
    s.yatsu(&["retract", "board", "--scenario", "draws"]).expect(0);
    assert_eq!(journal(&s), "garbage\n");
}

#[test]
fn what_another_branch_declares_is_claimed_in_its_work_tree_and_seen_from_every_other() {
    let s = repository();
    s.git(&["worktree", "add", "-q", "-b", "other", "../other"]);
    let other = s.base.join("other");
    std::fs::create_dir_all(other.join(".spec/list")).expect("a directory");
    std::fs::write(other.join(".spec/list/yatsu.md"), scenarios(&[("scrolls", "src/a.rs")])).expect("a file");
    yatsu_in(&s, &other, &["claim", "take", "list", "--scenario", "scrolls", "--as", "Bob"]).expect(0);
    s.yatsu(&["claim", "take", "list", "--scenario", "scrolls"]).expect(2);
    assert!(s.yatsu(&["claim", "ls"]).expect(0).out.contains(".spec/list/scrolls by Bob"));
    assert!(s.yatsu(&["claim", "log", ".spec/list"]).expect(0).out.contains("scrolls by Bob"));
    let force = ["claim", "release", "--force", ".spec/list", "--scenario", "scrolls", "--reason", "gone"];
    s.yatsu(&force).expect(0);
}
