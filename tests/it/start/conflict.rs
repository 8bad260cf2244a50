//! Ledgers in conflict: `install` prevents them and explains how to end an open one; `repair` joins both sides.

use crate::support::{Scratch, one_node, validate_published};
use std::fs;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// Two branches with a reading each, merged without the driver.
fn conflict() -> Scratch {
    let scratch = one_node();
    for (branch, status) in [("one", "--pass"), ("two", "--fail")] {
        scratch.git(&["switch", "-qc", branch, "main"]);
        scratch.yatsu(&["eval", "n", status]).expect(0);
        scratch.commit(branch);
    }
    assert_ne!(scratch.try_git(&["merge", "-q", "one"]).code, 0);
    scratch
}

#[test]
fn an_open_conflict_is_joined_and_the_next_one_does_not_happen() {
    let scratch = conflict();
    let said = scratch.yatsu(&["install", "--hooks", "pre-commit"]).expect(0);
    let note = format!(
        "note: {LEDGER} is in conflict: `yatsu-hook repair` keeps the lines of both sides; then git add {LEDGER}\n"
    );
    assert!(said.out.contains(&note), "{}", said.out);
    let refused = scratch.yatsu(&["eval", "n", "--pass"]).expect(1);
    assert!(refused.err.contains("`yatsu-hook repair` keeps the lines of both sides"), "{}", refused.err);
    let before = scratch.read(LEDGER);
    scratch.yatsu(&["repair", "--dry-run"]).expect(0);
    assert_eq!(scratch.read(LEDGER), before);
    let said = scratch.yatsu(&["repair", "--format", "json"]).expect(0);
    let receipt = validate_published(&said.out);
    assert_eq!(receipt["ledgers"][0]["changes"][0]["reason"], "conflict");
    let sides: Vec<&str> = before.lines().filter(|line| line.starts_with('{')).collect();
    assert_eq!(scratch.read(LEDGER).lines().collect::<Vec<_>>(), sides);
    scratch.git(&["add", LEDGER]);
    scratch.git(&["commit", "-q", "--no-edit"]);
    scratch.yatsu(&["check"]).expect(0);
    // from now on the driver merges
    for (branch, status) in [("three", "--pass"), ("four", "--fail")] {
        scratch.git(&["switch", "-qc", branch, "two"]);
        scratch.yatsu(&["eval", "n", status, "--note", branch]).expect(0);
        scratch.commit(branch);
    }
    scratch.git(&["merge", "-q", "--no-edit", "three"]);
    assert_eq!(scratch.read(LEDGER).lines().count(), 4);
}

#[test]
fn the_driver_is_set_up_for_this_clone_unless_told_otherwise_and_goes_with_uninstall() {
    let scratch = one_node();
    let attributes = scratch.root.join(".git/info/attributes");
    fs::create_dir_all(attributes.parent().unwrap()).unwrap();
    fs::write(&attributes, "*.bin binary\n").unwrap();
    scratch.yatsu(&["install", "--no-merge-driver"]).expect(0);
    assert_eq!(fs::read_to_string(&attributes).unwrap(), "*.bin binary\n");
    scratch.yatsu(&["install"]).expect(0);
    assert!(fs::read_to_string(&attributes).unwrap().contains("evals.ndjson merge=yatsu-ledger"));
    assert_eq!(scratch.git(&["check-attr", "merge", LEDGER]), format!("{LEDGER}: merge: yatsu-ledger"));
    assert_eq!(scratch.git(&["status", "--porcelain"]), "", "nothing tracked is written");
    let again = scratch.yatsu(&["install"]).expect(0);
    assert!(again.out.contains("already installed: nothing to change"), "{}", again.out);
    scratch.yatsu(&["uninstall"]).expect(0);
    assert_eq!(fs::read_to_string(&attributes).unwrap(), "*.bin binary\n");
    scratch.yatsu(&["install", "--merge-driver", "--no-merge-driver"]).expect(2);
}

#[test]
fn what_a_team_decided_about_its_ledgers_stays() {
    let scratch = one_node();
    scratch.write(".gitattributes", "*.ndjson merge=union\n");
    scratch.commit("union");
    let said = scratch.yatsu(&["install"]).expect(0);
    assert!(said.out.contains("ledgers merge by `union` here"), "{}", said.out);
    assert_eq!(scratch.git(&["check-attr", "merge", LEDGER]), format!("{LEDGER}: merge: union"));
    scratch.yatsu(&["install", "--merge-driver"]).expect(0);
    assert_eq!(scratch.git(&["check-attr", "merge", LEDGER]), format!("{LEDGER}: merge: yatsu-ledger"));
}

/// Where one side of a merge has no file, git keeps the other one without marks: `repair` leaves it to a person and mends the
/// rest, and `install` names the same way out. A file that only looks like a ledger is not named.
#[test]
fn a_ledger_of_one_side_is_named_with_what_git_takes() {
    let s = Scratch::new();
    for node in ["n", "k"] {
        s.write(&format!(".spec/{node}/yatsu.md"), crate::support::scenarios(&[("works", "src/a.rs")]));
        s.write(&format!(".spec/{node}/yatsu.evals.ndjson"), "");
    }
    s.write("vendor/foo.evals.ndjson", "1\n");
    s.commit("base");
    let line = |minute| crate::support::reading_line(&s.head(), "works", "pass", minute);
    s.git(&["checkout", "-q", "-b", "side"]);
    for node in ["n", "k"] {
        s.write(&format!(".spec/{node}/yatsu.evals.ndjson"), line(1));
    }
    s.write("vendor/foo.evals.ndjson", "2\n");
    s.commit("side");
    s.git(&["checkout", "-q", "main"]);
    s.write(".spec/n/yatsu.evals.ndjson", line(2));
    s.write("vendor/foo.evals.ndjson", "3\n");
    s.git(&["rm", "-q", "-r", ".spec/k"]);
    s.commit("main");
    s.try_git(&["merge", "-q", "side"]).expect(1);
    let said = s.yatsu(&["install", "--merge-driver"]).expect(0).out;
    let of_one = ".spec/k/yatsu.evals.ndjson is being merged: one side has moved or folded it: \
                  `git add .spec/k/yatsu.evals.ndjson` keeps its lines";
    assert!(said.contains(of_one) && !said.contains("vendor"), "{said}");
    assert!(said.contains(".spec/n/yatsu.evals.ndjson is in conflict: `yatsu-hook repair`"), "{said}");
    let said = s.yatsu(&["repair"]).expect(1);
    assert!(said.err.contains(".spec/k/yatsu.evals.ndjson:1: ") && said.err.contains("git rm"), "{}", said.err);
    assert_eq!(s.read(".spec/n/yatsu.evals.ndjson").lines().count(), 2, "the other one is mended");
}
