//! `runlog-history`: a run log only grows.

use super::{only, silent, staged};
use crate::support::Scratch;
use crate::support::runlog::{LOG, begun, end, event, index, run_end, run_start, start, whole};

const RULE: &str = "runlog-history";

fn committed(log: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("README.md", "x\n");
    scratch.write(LOG, log);
    scratch.commit("a run");
    scratch
}

#[test]
fn one_byte_of_a_committed_line_blocks() {
    let scratch = committed(&begun());
    scratch.write(LOG, begun().replace("14:02:00Z", "14:02:01Z"));
    only(staged(&scratch, RULE));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.hook("pre-commit", "pre-commit");
    scratch.try_git(&["commit", "-q", "-m", "edited"]).expect(1);
}

#[test]
fn a_line_that_is_taken_off_and_a_log_that_is_gone_block() {
    let scratch = committed(&begun());
    scratch.write(LOG, index() + &run_start() + &start(1, 1) + &end(1, 2));
    let found = only(staged(&scratch, RULE));
    assert!(found["message"].as_str().expect("text").contains("line 5 of this run log was taken off"), "{found}");
    scratch.git(&["rm", "-qf", LOG]);
    let found = only(staged(&scratch, RULE));
    assert!(found["message"].as_str().expect("text").contains("is gone"), "{found}");
}

#[test]
fn a_line_that_is_put_between_blocks() {
    let scratch = committed(&begun());
    let between = index() + &run_start() + &event("error", 0, "\"message\":\"m\",\"recoverable\":true");
    scratch.write(LOG, begun().replace(&(index() + &run_start()), &between));
    assert_eq!(only(staged(&scratch, RULE))["line"], 3);
}

#[test]
fn what_grows_at_its_end_passes() {
    let scratch = committed(&begun());
    scratch.write(LOG, begun() + &end(2, 4));
    silent(staged(&scratch, RULE));
}

#[test]
fn the_final_line_feed_that_was_missing_may_come() {
    let scratch = committed(begun().trim_end());
    scratch.write(LOG, begun() + &end(2, 4));
    silent(staged(&scratch, RULE));
    scratch.write(LOG, format!("{}{}", begun().trim_end(), end(2, 4)));
    only(staged(&scratch, RULE));
}

#[test]
fn a_torn_tail_may_go() {
    let scratch = committed(&(begun() + "{\"event\":\"pha"));
    scratch.write(LOG, begun() + &end(2, 4));
    silent(staged(&scratch, RULE));
}

#[test]
fn two_branches_that_append_to_one_log_are_not_merged() {
    let scratch = committed(&begun());
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write(LOG, begun() + &end(2, 5));
    scratch.commit("theirs");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write(LOG, begun() + &end(2, 4));
    scratch.commit("ours");
    scratch.try_git(&["merge", "-q", "side"]).expect(1);
    scratch.write(LOG, begun() + &end(2, 4) + &end(2, 5));
    scratch.git(&["add", "-A"]);
    scratch.hook("pre-commit", "pre-commit");
    let said = scratch.try_git(&["commit", "-q", "-m", "merged"]).expect(1);
    assert!(said.err.contains("runlog-history") && said.err.contains("a run log has one writer"), "{}", said.err);
    assert!(said.err.contains("git mv one of the two logs"), "{}", said.err);
    // follows the advice of the message word for word
    scratch.git(&["merge", "--abort"]);
    scratch.git(&["checkout", "-q", "side"]);
    std::fs::create_dir_all(scratch.root.join("side/quality")).expect("a directory");
    scratch.git(&["mv", LOG, "side/quality/run_state.jsonl"]);
    scratch.git(&["commit", "-q", "-m", "moved"]);
    scratch.git(&["checkout", "-q", "main"]);
    scratch.try_git(&["merge", "-q", "-X", "find-renames=100%", "side"]).expect(1);
    scratch.git(&["add", LOG]);
    scratch.git(&["commit", "-q", "-m", "merged"]);
    assert_eq!(scratch.read(LOG), begun() + &end(2, 4));
    assert_eq!(scratch.read("side/quality/run_state.jsonl"), begun() + &end(2, 5));
}

#[test]
fn a_log_may_move_and_grow_on_its_way() {
    let scratch = committed(&begun());
    scratch.write("README.md", "y\n");
    std::fs::create_dir_all(scratch.root.join("old")).expect("a directory");
    scratch.git(&["mv", "quality", "old/quality"]);
    silent(staged(&scratch, RULE));
    scratch.write("old/quality/run_state.jsonl", begun() + &end(2, 4));
    silent(staged(&scratch, RULE));
    scratch.write("old/quality/run_state.jsonl", begun().replace("14:02:00Z", "14:02:01Z"));
    only(staged(&scratch, RULE));
    // in another place it is no log
    scratch.write("old/quality/run_state.jsonl", begun());
    scratch.git(&["mv", "old/quality/run_state.jsonl", "old/notes.txt"]);
    only(staged(&scratch, RULE));
}

#[test]
fn a_run_that_ended_may_go_or_give_way_to_a_later_one() {
    let scratch = committed(&whole());
    scratch.git(&["rm", "-qf", LOG]);
    silent(staged(&scratch, RULE));
    let later = begun().replace("2026-05-15", "2026-05-16");
    scratch.write(LOG, &later);
    silent(staged(&scratch, RULE));
    scratch.write(LOG, begun());
    only(staged(&scratch, RULE));
    scratch.write(LOG, whole().replace(&run_end(20, "success"), &run_end(20, "failed")));
    only(staged(&scratch, RULE));
}

#[test]
fn a_configuration_that_puts_a_log_out_of_sight_does_not_let_it_be_edited() {
    let scratch = committed(&begun());
    scratch.write("spexcode.json", "{\"yatsu\":{\"exclude\":[\"quality\"]}}");
    scratch.write(LOG, begun().replace("14:02:00Z", "14:02:01Z"));
    only(staged(&scratch, RULE));
    scratch.write("spexcode.json", "{\"yatsu\":{\"rules\":{\"runlog-history\":\"off\"}}}");
    assert_eq!(only(staged(&scratch, RULE))["level"], "error", "no change lowers the gate that it must pass");
}

/// A repository with a bare one beside it, with the gate or without.
fn with_remote(log: &str) -> Scratch {
    let scratch = committed(log);
    scratch.git(&["init", "-q", "--bare", "-b", "main", "../remote.git"]);
    scratch.git(&["remote", "add", "origin", "../remote.git"]);
    scratch.hook("pre-push", "pre-push \"$@\"");
    scratch
}

#[test]
fn what_no_hook_saw_is_found_in_the_push_with_its_line() {
    let scratch = with_remote(&begun());
    scratch.git(&["push", "-q", "origin", "main"]);
    scratch.write(LOG, begun().replace("14:02:00Z", "14:02:01Z"));
    scratch.commit("tidy up");
    scratch.write(LOG, begun().replace("14:02:00Z", "14:02:01Z") + &end(2, 9));
    scratch.commit("go on");
    let said = scratch.try_git(&["push", "-q", "origin", "main"]).expect(1);
    assert!(said.err.contains("quality/run_state.jsonl:4:1: error[runlog-history]: "), "{}", said.err);
    assert_eq!(said.err.matches("runlog-history").count(), 1, "{}", said.err);
    scratch.write(LOG, begun() + &end(2, 9));
    scratch.commit("as it was");
    scratch.git(&["push", "-q", "origin", "main"]);
}

#[test]
fn only_the_end_of_a_push_is_compared_with_what_the_other_side_has() {
    let scratch = with_remote(&begun());
    scratch.git(&["push", "-q", "origin", "main"]);
    scratch.write(LOG, begun() + &end(2, 9));
    scratch.commit("a line");
    scratch.write(LOG, begun());
    scratch.commit("without it");
    scratch.write("README.md", "y\n");
    scratch.commit("on");
    scratch.git(&["push", "-q", "origin", "main"]);
}

#[test]
fn a_force_push_over_a_log_is_judged_against_what_the_remote_has() {
    let scratch = with_remote(&begun());
    scratch.git(&["checkout", "-q", "-b", "topic"]);
    scratch.write(LOG, begun() + &end(2, 4));
    scratch.commit("more");
    scratch.git(&["push", "-q", "origin", "main", "topic"]);
    let edited = begun().replace("14:02:00Z", "14:02:01Z");
    for (branch, log, code) in [("topic", begun() + &end(2, 6), 0), ("main", edited, 1)] {
        scratch.git(&["checkout", "-q", branch]);
        scratch.write(LOG, log);
        scratch.git(&["add", "-A"]);
        scratch.git(&["commit", "-q", "--no-verify", "--amend", "-m", "rewritten"]);
        let said = scratch.try_git(&["push", "-q", "--force", "origin", branch]).expect(code);
        assert!(said.err.contains("[runlog-history]"), "{branch}: {}", said.err);
        assert_eq!(said.err.contains("this push rewrites"), branch == "topic", "{}", said.err);
    }
}

#[test]
fn one_tips_repair_is_not_another_ones() {
    let scratch = with_remote(&begun());
    scratch.git(&["push", "-q", "origin", "main"]);
    scratch.write(LOG, begun().replace("14:02:00Z", "14:02:01Z"));
    scratch.commit("tidy up");
    scratch.git(&["branch", "broken"]);
    scratch.write(LOG, begun());
    scratch.commit("as it was");
    let said = scratch.try_git(&["push", "-q", "origin", "main", "broken"]).expect(1);
    assert!(said.err.contains("refs/heads/broken"), "{}", said.err);
}

#[test]
fn a_server_judges_what_it_receives() {
    let scratch = with_remote(&begun());
    std::fs::remove_file(scratch.root.join(".git/hooks/pre-push")).expect("removed");
    scratch.git(&["push", "-q", "origin", "main"]);
    let hook = scratch.base.join("remote.git/hooks/pre-receive");
    let program = crate::support::program();
    crate::support::executable(&hook, &format!("#!/bin/sh\nexec '{}' pre-receive\n", program.display()));
    scratch.write(LOG, begun().replace("14:02:00Z", "14:02:01Z"));
    scratch.commit("tidy up");
    let said = scratch.try_git(&["push", "-q", "origin", "main"]).expect(1);
    assert!(said.err.contains("runlog-history"), "{}", said.err);
    scratch.git(&["reset", "-q", "--hard", "origin/main"]);
    scratch.write(LOG, begun() + &start(2, 9));
    scratch.commit("twice");
    let said = scratch.try_git(&["push", "-q", "origin", "main"]).expect(1);
    assert!(said.err.contains("duplicate-phase-start"), "{}", said.err);
}

#[test]
fn a_true_copy_elsewhere_does_not_let_the_log_of_an_open_run_be_edited_in_place() {
    let scratch = with_remote(&begun());
    scratch.git(&["push", "-q", "origin", "main"]);
    scratch.write("n/quality/run_state.jsonl", begun());
    scratch.write(LOG, begun().replace("14:03:00Z", "14:03:09Z"));
    let found = only(staged(&scratch, RULE));
    assert_eq!((&found["line"], &found["level"]), (&5.into(), &"error".into()));
    scratch.commit("copied and edited");
    let said = scratch.try_git(&["push", "-q", "origin", "main"]).expect(1);
    assert!(said.err.contains("error[runlog-history]: "), "{}", said.err);
}

#[test]
fn two_logs_that_swap_their_names_are_not_whole_for_a_push_either() {
    let other = "n/quality/run_state.jsonl";
    let scratch = with_remote(&begun());
    let theirs = begun().replace("2026-05-15", "2026-05-16");
    scratch.write(other, &theirs);
    scratch.commit("another run");
    scratch.git(&["push", "-q", "origin", "main"]);
    scratch.write(LOG, &theirs);
    scratch.write(other, begun());
    scratch.commit("swapped");
    let said = scratch.try_git(&["push", "-q", "origin", "main"]).expect(1);
    assert_eq!(said.err.matches("error[runlog-history]").count(), 2, "{}", said.err);
    scratch.write(LOG, begun());
    scratch.write(other, &theirs);
    scratch.commit("swapped back");
    scratch.git(&["push", "-q", "origin", "main"]);
}

#[test]
fn what_an_edited_log_was_is_whole_again_where_it_moves_to() {
    let scratch = with_remote(&begun());
    scratch.git(&["push", "-q", "origin", "main"]);
    scratch.write(LOG, begun().replace("14:02:00Z", "14:02:01Z"));
    scratch.commit("tidy up");
    std::fs::create_dir_all(scratch.root.join("n")).expect("a directory");
    scratch.git(&["mv", "quality", "n/quality"]);
    scratch.commit("moved");
    let moved = scratch.try_git(&["push", "-q", "origin", "main"]).expect(1);
    assert_eq!(moved.err.matches("error[runlog-history]").count(), 1, "{}", moved.err);
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    scratch.write(LOG, begun());
    scratch.commit("as it was");
    std::fs::create_dir_all(scratch.root.join("n")).expect("a directory");
    scratch.git(&["mv", "quality", "n/quality"]);
    scratch.commit("moved");
    scratch.git(&["push", "-q", "origin", "main"]);
}

#[test]
fn a_first_line_that_cannot_be_read_does_not_make_a_log_nobodys() {
    let index = index();
    let body = begun()[index.len()..].to_owned();
    let first = |of: &str| index.replacen('{', &format!("{{{of},"), 1).into_bytes();
    let bad = |bytes: &[u8]| [b"{\"x\":\"", bytes, b"\",", &index.as_bytes()[1..]].concat();
    let cases: [(&str, Vec<u8>); 7] = [
        ("BOM", [b"\xef\xbb\xbf", index.as_bytes()].concat()),
        ("key twice", first("\"event\":\"x\"")),
        ("NaN", first("\"x\":NaN")),
        ("surrogate", bad(b"\\ud800")),
        ("bytes", bad(b"\xff\xfe")),
        ("long", bad(&vec![b'a'; (1 << 20) + 9])),
        ("blank", ["\n".repeat(10).as_bytes(), index.as_bytes()].concat()),
    ];
    for (what, line) in cases {
        let scratch = committed("x\n");
        scratch.write(LOG, [&line, body.as_bytes()].concat());
        scratch.commit(what);
        scratch.write(LOG, [&line, body.replace("14:03:00Z", "14:03:09Z").as_bytes()].concat());
        let found = staged(&scratch, RULE);
        assert_eq!(only(found)["level"], "error", "{what}");
    }
}

#[test]
fn an_ended_log_does_not_come_back_edited_by_way_of_a_commit_without_it() {
    let scratch = with_remote(&whole());
    scratch.git(&["push", "-q", "origin", "main"]);
    scratch.git(&["rm", "-q", LOG]);
    scratch.commit("gone");
    scratch.write(LOG, whole().replace("14:02:00Z", "14:02:01Z"));
    scratch.commit("back");
    let said = scratch.try_git(&["push", "-q", "origin", "main"]).expect(1);
    assert_eq!(said.err.matches("error[runlog-history]").count(), 1, "{}", said.err);
    scratch.write(LOG, whole());
    scratch.commit("as it was");
    scratch.git(&["push", "-q", "origin", "main"]);
    // a later run may take the place, also over several commits
    scratch.git(&["rm", "-q", LOG]);
    scratch.commit("gone");
    scratch.write(LOG, begun().replace("2026-05-15", "2026-05-16"));
    scratch.commit("the next run");
    scratch.git(&["push", "-q", "origin", "main"]);
}

#[test]
fn an_open_log_that_moved_leaves_its_place_to_another_run() {
    let scratch = with_remote(&begun());
    scratch.git(&["push", "-q", "origin", "main"]);
    std::fs::create_dir_all(scratch.root.join("n")).expect("a directory");
    scratch.git(&["mv", "quality", "n/quality"]);
    scratch.commit("moved");
    scratch.write(LOG, begun().replace("2026-05-15", "2026-05-14"));
    scratch.commit("another run");
    scratch.git(&["push", "-q", "origin", "main"]);
}

#[test]
fn a_range_whose_end_does_not_descend_from_its_start_is_judged_from_where_they_part() {
    let scratch = committed(&begun());
    scratch.write(LOG, begun() + &end(2, 4));
    scratch.commit("more");
    scratch.git(&["branch", "old"]);
    let check = || scratch.yatsu(&["check", "--from", "old", "--to", "HEAD"]);
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(check().expect(0).out, "");
    scratch.write(LOG, begun() + &end(2, 6));
    scratch.commit("in its place");
    assert!(!check().expect(0).out.contains(RULE));
    // changes of the range itself are found
    scratch.write(LOG, begun().replace("14:02:00Z", "14:02:01Z"));
    scratch.commit("edited");
    let said = check().expect(1);
    assert!(said.out.contains("error[runlog-history]"), "{}", said.out);
}
