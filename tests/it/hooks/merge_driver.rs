//! The merge driver under every command of git that merges files, set up by `install --merge-driver`.

use crate::support::{Said, Scratch, copy_executable, executable, hermetic, program, reading, scenarios};
use std::fs;
use std::path::{Path, PathBuf};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// A repository with one reading, minute 0, and the merge driver of the program at the path from `program`.
fn with_driver(program: impl FnOnce(&Scratch) -> PathBuf) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.commit("a node");
    measure(&scratch, 0);
    let mut install = hermetic(program(&scratch), &scratch.home());
    install.current_dir(&scratch.root).args(["install", "--merge-driver"]);
    Said::of(install.output().expect("the program runs")).expect(0);
    scratch
}

fn gated() -> Scratch {
    with_driver(|_| program())
}

/// Files a reading at `minute` and commits it through the gate.
fn measure(scratch: &Scratch, minute: u32) {
    reading(scratch, ".spec/n", "works", "pass", minute);
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", &format!("measured {minute}")]);
}

/// The minutes in the ledger, in its order. Panics if a line is not a reading.
#[track_caller]
fn minutes(scratch: &Scratch) -> Vec<u32> {
    let minute = |line: &str| -> u32 {
        let value: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let ts = value["ts"].as_str().expect("a time");
        ts[14..16].parse().expect("a minute")
    };
    scratch.read(LEDGER).lines().map(minute).collect()
}

/// Two branches with readings: `side` has minutes 1 and 2, `main` 3 and 4.
fn parted(scratch: &Scratch) {
    scratch.git(&["checkout", "-q", "-b", "side"]);
    measure(scratch, 1);
    measure(scratch, 2);
    scratch.git(&["checkout", "-q", "main"]);
    measure(scratch, 3);
    measure(scratch, 4);
}

#[test]
fn a_merge_keeps_the_readings_of_both_sides() {
    let scratch = gated();
    parted(&scratch);
    let said = scratch.try_git(&["merge", "-q", "--no-edit", "side"]).expect(0);
    assert_eq!(said.err, "");
    assert_eq!(minutes(&scratch), [0, 3, 4, 1, 2]);
    assert_eq!(scratch.git(&["status", "--porcelain"]), "", "nothing is left behind");
}

#[test]
fn readings_that_both_sides_have_are_not_doubled() {
    let scratch = gated();
    parted(&scratch);
    scratch.git(&["cherry-pick", "side~1"]);
    assert_eq!(minutes(&scratch), [0, 3, 4, 1]);
    scratch.git(&["merge", "-q", "--no-edit", "side"]);
    assert_eq!(minutes(&scratch), [0, 3, 4, 1, 2]);
    scratch.git(&["checkout", "-q", "side"]);
    scratch.git(&["merge", "-q", "--no-edit", "--no-ff", "main"]);
    assert_eq!(minutes(&scratch).len(), 5);
}

#[test]
fn a_ledger_that_is_new_on_both_sides_merges() {
    let scratch = gated();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("holds", "src/a.rs")]));
    scratch.commit("another node");
    let file = |branch: &str, minute| {
        scratch.git(&["checkout", "-q", "-B", branch, "main"]);
        reading(&scratch, ".spec/m", "holds", "pass", minute);
        scratch.commit(branch);
    };
    file("one", 1);
    file("two", 2);
    scratch.git(&["merge", "-q", "--no-edit", "one"]);
    assert_eq!(scratch.read(".spec/m/yatsu.evals.ndjson").lines().count(), 2);
}

#[test]
fn a_rebase_keeps_the_readings_of_both_sides() {
    let scratch = gated();
    parted(&scratch);
    scratch.git(&["checkout", "-q", "side"]);
    scratch.git(&["rebase", "-q", "main"]);
    assert_eq!(minutes(&scratch), [0, 3, 4, 1, 2]);
    assert_eq!(scratch.git(&["rev-list", "--count", "main..side"]), "2");
}

#[test]
fn a_cherry_pick_brings_its_own_reading_only() {
    let scratch = gated();
    parted(&scratch);
    scratch.git(&["cherry-pick", "side"]);
    assert_eq!(minutes(&scratch), [0, 3, 4, 2]);
}

#[test]
fn dropped_and_reordered_commits_lose_and_move_their_own_readings_only() {
    let scratch = gated();
    scratch.git(&["checkout", "-q", "-b", "topic"]);
    for minute in 1..=4 {
        measure(&scratch, minute);
    }
    // Drops the first, swaps the second and the third.
    let reorder =
        "sh -c '{ sed -n 3p \"$1\"; sed -n 2p \"$1\"; sed -n 4p \"$1\"; } >\"$1.new\" && mv \"$1.new\" \"$1\"' -";
    let mut rebase = scratch.git_command(&["rebase", "-q", "-i", "main"]);
    Said::of(rebase.env("GIT_SEQUENCE_EDITOR", reorder).output().expect("git")).expect(0);
    assert_eq!(minutes(&scratch), [0, 3, 2, 4]);
}

#[test]
fn a_stash_comes_back_beside_what_was_filed_meanwhile() {
    let scratch = gated();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.git(&["stash", "-q"]);
    measure(&scratch, 2);
    scratch.git(&["stash", "pop", "-q"]);
    assert_eq!(minutes(&scratch), [0, 2, 1]);
}

/// The other side edited history: no line of either side may get lost, and the ledger must not look merged.
#[test]
fn theirs_without_a_base_line_is_refused_with_conflict_markers() {
    let scratch = gated();
    scratch.git(&["checkout", "-q", "-b", "side"]);
    let edited = scratch.read(LEDGER).replace("\"pass\"", "\"fail\"");
    scratch.write(LEDGER, &edited);
    scratch.commit("edits history");
    scratch.git(&["checkout", "-q", "main"]);
    measure(&scratch, 3);
    let ours = scratch.read(LEDGER);
    let said = scratch.try_git(&["merge", "-q", "--no-edit", "side"]).expect(1);
    assert!(said.err.contains(LEDGER) && said.err.contains("edited or removed"), "{}", said.err);
    assert_eq!(scratch.git(&["diff", "--name-only", "--diff-filter=U"]), LEDGER);
    let merged = scratch.read(LEDGER);
    for part in ["<<<<<<< ours\n", "=======\n", ">>>>>>> theirs\n", &ours, &edited] {
        assert!(merged.contains(part), "{part}\n{merged}");
    }
    scratch.git(&["add", LEDGER]);
    let said = scratch.try_git(&["commit", "-q", "--no-edit"]).expect(1);
    assert!(said.err.contains("error[ledger-schema]"), "{}", said.err);
}

/// If our side lacks a base line, ledger-history reports it; the driver keeps everything of theirs.
#[test]
fn ours_without_a_base_line_still_takes_what_theirs_filed() {
    let scratch = gated();
    parted(&scratch);
    scratch.write(LEDGER, "");
    scratch.commit("removes everything");
    scratch.git(&["merge", "-q", "--no-commit", "side"]);
    assert_eq!(minutes(&scratch), [1, 2]);
}

fn copied(scratch: &Scratch) -> PathBuf {
    let copy = scratch.base.join("100% bin/yatsu-hook");
    copy_executable(&program(), &copy);
    copy
}

/// Asserts the result of git's own merge: a conflict with both sides.
#[track_caller]
fn both_are_shown(scratch: &Scratch) {
    scratch.try_git(&["merge", "-q", "--no-edit", "side"]).expect(1);
    let merged = scratch.read(LEDGER);
    assert!(merged.contains("<<<<<<<") && merged.contains(">>>>>>>"), "{merged}");
    assert_eq!(merged.matches("codeSha").count(), 5, "{merged}");
}

#[test]
fn a_missing_program_leaves_the_merge_to_git() {
    let scratch = with_driver(copied);
    parted(&scratch);
    let copy = scratch.base.join("100% bin/yatsu-hook");
    fs::rename(&copy, copy.with_extension("away")).expect("moved");
    both_are_shown(&scratch);
    scratch.git(&["merge", "--abort"]);
    fs::rename(copy.with_extension("away"), &copy).expect("moved back");
    scratch.git(&["merge", "-q", "--no-edit", "side"]);
    assert_eq!(minutes(&scratch), [0, 3, 4, 1, 2]);
}

#[test]
fn a_program_that_cannot_do_it_leaves_the_merge_to_git() {
    let scratch = with_driver(copied);
    parted(&scratch);
    stand_in(&scratch.base.join("100% bin/yatsu-hook"), "#!/bin/sh\n[ \"$1\" != merge-ledger ] || exit 2\n");
    both_are_shown(&scratch);
}

fn stand_in(path: &Path, text: &str) {
    fs::remove_file(path).expect("removed");
    executable(path, text);
}

#[test]
fn files_that_cannot_be_read_are_exit_3_and_ours_stays() {
    let scratch = gated();
    scratch.write("a", "ours\n");
    let said = scratch.yatsu(&["merge-ledger", "none", "a", "none", LEDGER]).expect(3);
    assert!(said.err.contains("cannot read") && said.err.contains("none"), "{}", said.err);
    assert_eq!(scratch.read("a"), "ours\n");
}
