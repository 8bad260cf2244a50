//! `ledger-history`: filed lines stay filed.

use super::{one_node, only, silent, staged};
use crate::support::{Scratch, findings, reading, scenarios};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

fn measured_twice() -> Scratch {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    reading(&scratch, ".spec/n", "works", "fail", 2);
    scratch.commit("measured");
    scratch
}

#[test]
fn an_edited_or_removed_line_blocks() {
    let scratch = measured_twice();
    let ledger = scratch.read(LEDGER);
    scratch.write(LEDGER, ledger.replace("\"fail\"", "\"pass\""));
    only(staged(&scratch, "ledger-history"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.write(LEDGER, ledger.lines().next().expect("a line").to_owned() + "\n");
    only(staged(&scratch, "ledger-history"));
}

#[test]
fn appending_reordering_and_moving_the_node_pass() {
    let scratch = measured_twice();
    let ledger = scratch.read(LEDGER);
    let mut lines: Vec<&str> = ledger.lines().collect();
    lines.reverse();
    scratch.write(LEDGER, lines.join("\n") + "\n");
    reading(&scratch, ".spec/n", "works", "pass", 3);
    silent(staged(&scratch, "ledger-history"));
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    silent(staged(&scratch, "ledger-history"));
}

#[test]
fn a_ledger_goes_only_with_its_node() {
    let scratch = measured_twice();
    scratch.git(&["rm", "-q", LEDGER]);
    assert_eq!(staged(&scratch, "ledger-history").len(), 2);
    scratch.git(&["rm", "-q", ".spec/n/yatsu.md"]);
    silent(staged(&scratch, "ledger-history"));
}

/// A side branch let the node go and began it anew with other words. Main, which is behind, merges it with a merge commit.
/// The side branch contains main, so that main is no base of its own.
#[test]
fn a_merge_of_what_contains_head_is_compared_with_that_alone() {
    let scratch = measured_twice();
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.git(&["rm", "-q", "-r", ".spec/n"]);
    scratch.commit("the node is gone");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]).replace("expected: ", "expected: now "));
    scratch.commit("and begun anew");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.git(&["merge", "-q", "--no-ff", "--no-commit", "side"]);
    silent(staged(&scratch, "ledger-history"));
}

const MOVED: &str = ".spec/m/yatsu.evals.ndjson";

/// Edits, drops or empties the ledger at `path`.
fn tamper(scratch: &Scratch, path: &str, how: &str) {
    let ledger = scratch.read(path);
    match how {
        "edited" => scratch.write(path, ledger.replace("\"fail\"", "\"pass\"")),
        "cut" => scratch.write(path, ledger.lines().next().expect("a line").to_owned() + "\n"),
        "emptied" => scratch.write(path, ""),
        "dropped" => std::fs::remove_file(scratch.root.join(path)).expect("removed"),
        _ => unreachable!("{how}"),
    }
}

#[test]
fn a_node_that_moves_takes_its_lines_along_as_they_are() {
    for (how, lost) in [("edited", 1), ("cut", 1), ("emptied", 2), ("dropped", 2)] {
        let scratch = measured_twice();
        scratch.write(".spec/n/spec.md", "---\ntitle: N\n---\n");
        scratch.commit("a spec");
        scratch.git(&["mv", ".spec/n", ".spec/m"]);
        tamper(&scratch, MOVED, how);
        assert_eq!(staged(&scratch, "ledger-history").len(), lost, "{how}");
        // the old directory no longer declares the scenario
        std::fs::create_dir_all(scratch.root.join(".spec/n")).expect("a directory");
        scratch.git(&["mv", ".spec/m/spec.md", ".spec/n/spec.md"]);
        assert_eq!(staged(&scratch, "ledger-history").len(), lost, "{how}, without spec.md");
    }
}

#[test]
fn a_node_that_moves_and_is_reworded_takes_its_lines_along() {
    let scratch = measured_twice();
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    scratch.write(".spec/m/yatsu.md", scenarios(&[("works", "src/a.rs")]).replace("measure works", "look at it"));
    silent(staged(&scratch, "ledger-history"));
    tamper(&scratch, MOVED, "cut");
    let finding = only(staged(&scratch, "ledger-history"));
    assert!(finding["message"].as_str().expect("text").contains(".spec/m"), "where it belongs now: {finding}");
}

#[test]
fn a_scenario_that_moves_leaves_no_lines_behind() {
    let scratch = measured_twice();
    let ledger = scratch.read(LEDGER);
    std::fs::create_dir_all(scratch.root.join(".spec/m")).expect("a directory");
    scratch.git(&["mv", ".spec/n/yatsu.md", ".spec/m/yatsu.md"]);
    assert_eq!(staged(&scratch, "ledger-history").len(), 2);
    scratch.yatsu(&["repair", "--restore", "HEAD"]).expect(0);
    assert_eq!(scratch.read(MOVED), ledger);
    silent(staged(&scratch, "ledger-history"));
    scratch.commit("moved");
    scratch.git(&["rm", "-q", LEDGER]);
    silent(staged(&scratch, "ledger-history"));
}

#[test]
fn the_restored_lines_of_a_node_that_moved_stand_where_it_is_now() {
    let scratch = measured_twice();
    let ledger = scratch.read(LEDGER);
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    tamper(&scratch, MOVED, "cut");
    only(staged(&scratch, "ledger-history"));
    scratch.yatsu(&["repair", "--restore", "HEAD"]).expect(0);
    assert_eq!(scratch.read(MOVED), ledger);
    tamper(&scratch, MOVED, "dropped");
    scratch.yatsu(&["repair", "--restore", "HEAD"]).expect(0);
    assert_eq!(scratch.read(MOVED), ledger);
    assert!(!scratch.root.join(LEDGER).exists());
    silent(staged(&scratch, "ledger-history"));
}

/// Two nodes with one scenario name: in `n` it fails, in `m` it passes.
fn two_of_one_name() -> Scratch {
    let scratch = one_node();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    reading(&scratch, ".spec/n", "works", "fail", 1);
    reading(&scratch, ".spec/m", "works", "pass", 2);
    scratch.commit("measured");
    scratch
}

#[test]
fn two_nodes_of_one_scenario_name_do_not_swap_their_ledgers() {
    let scratch = two_of_one_name();
    let (fail, pass) = (scratch.read(LEDGER), scratch.read(MOVED));
    scratch.write(LEDGER, &pass);
    scratch.write(MOVED, &fail);
    assert_eq!(staged(&scratch, "ledger-history").len(), 2);
    scratch.yatsu(&["repair", "--restore", "HEAD"]).expect(0);
    assert_eq!((scratch.read(LEDGER), scratch.read(MOVED)), (pass.clone() + &fail, fail + &pass));
}

#[test]
fn a_fail_is_not_parked_in_a_node_of_the_same_scenario_name() {
    let scratch = two_of_one_name();
    let fail = scratch.read(LEDGER);
    scratch.write(MOVED, scratch.read(MOVED) + &fail);
    scratch.git(&["rm", "-q", "--cached", LEDGER]);
    std::fs::remove_file(scratch.root.join(LEDGER)).expect("removed");
    only(staged(&scratch, "ledger-history"));
    // nor in a new node, while its own node still declares the scenario
    scratch.git(&["checkout", "-q", "HEAD", "--", ".spec"]);
    scratch.write(".spec/decoy/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.git(&["mv", LEDGER, ".spec/decoy/yatsu.evals.ndjson"]);
    only(staged(&scratch, "ledger-history"));
    // nor beside the node's new place
    scratch.git(&["mv", ".spec/n", ".spec/o"]);
    scratch.write(".spec/decoy/yatsu.md", scenarios(&[("works", "src/a.rs")]).replace("measure works", "look at it"));
    only(staged(&scratch, "ledger-history"));
}

#[test]
fn the_ledger_of_a_scenario_file_that_left_earlier_may_leave_whole_and_not_in_part() {
    let scratch = measured_twice();
    scratch.git(&["rm", "-q", ".spec/n/yatsu.md"]);
    silent(staged(&scratch, "ledger-history"));
    scratch.commit("the scenario goes, its ledger stays");
    tamper(&scratch, LEDGER, "cut");
    only(staged(&scratch, "ledger-history"));
    scratch.yatsu(&["repair", "--restore", "HEAD"]).expect(0);
    silent(staged(&scratch, "ledger-history"));
    scratch.git(&["rm", "-qf", LEDGER]);
    silent(staged(&scratch, "ledger-history"));
}

/// A node with the names that are recognised only below a root.
fn newer_names() -> Scratch {
    let scratch = one_node();
    scratch.git(&["mv", ".spec/n/yatsu.md", ".spec/n/eval.md"]);
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write(".spec/n/evals.ndjson", crate::support::reading_line(&head, "works", "fail", 1));
    scratch.commit("measured");
    scratch
}

#[test]
fn a_ledger_that_leaves_the_roots_with_its_bytes_is_no_departure() {
    let scratch = newer_names();
    std::fs::create_dir_all(scratch.root.join("docs")).expect("docs");
    scratch.git(&["mv", ".spec/n", "docs/n"]);
    let finding = only(staged(&scratch, "ledger-history"));
    assert_eq!(finding["level"], "error");
    assert!(finding["message"].as_str().expect("text").contains("docs/n/evals.ndjson"), "{finding}");
    scratch.git(&["mv", "docs/n/evals.ndjson", "docs/n/yatsu.evals.ndjson"]);
    scratch.git(&["mv", "docs/n/eval.md", "docs/n/yatsu.md"]);
    silent(staged(&scratch, "ledger-history"));
    scratch.git(&["rm", "-rqf", "docs"]);
    silent(staged(&scratch, "ledger-history"));
}

#[test]
fn a_copy_out_of_sight_that_was_there_before_keeps_no_node_from_leaving() {
    let scratch = newer_names();
    scratch.write("tests/data/evals.ndjson", scratch.read(".spec/n/evals.ndjson"));
    scratch.commit("a sample");
    scratch.git(&["rm", "-rq", ".spec/n"]);
    silent(staged(&scratch, "ledger-history"));
}

#[test]
fn a_line_that_went_where_it_does_not_belong_is_one_finding_over_a_range() {
    let s = two_of_one_name();
    let base = s.git(&["rev-parse", "HEAD"]);
    let (fail, pass) = (s.read(LEDGER), s.read(MOVED));
    s.write(MOVED, pass + &fail);
    s.write(LEDGER, "");
    s.commit("shed");
    let range = || findings(&s, "ledger-history", &["--from", &base, "--to", "HEAD"]);
    assert_eq!(only(range())["level"], "error");
    s.write("src/c.rs", "fn c() {}\n");
    s.commit("and on");
    assert_eq!(only(range())["level"], "error");
    s.write(LEDGER, &fail);
    s.commit("back");
    silent(range());
}
