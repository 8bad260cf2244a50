//! What happens to segments on disk and in the index: lines cut out, links, sparse checkouts, merges half done, ignore files.

use super::*;
use crate::support::{hermetic, reading_line, scenarios};
use std::os::unix::fs::symlink;

fn line(s: &Scratch, minute: u32) -> String {
    reading_line(&s.head(), "works", "pass", minute)
}

/// Folds in a directory of the work tree and runs the command that this prints, as a person would.
#[track_caller]
fn fold_and_follow(s: &Scratch, dir: &str, nodes: &[&str]) {
    let mut fold = s.yatsu_command(&[&["fold"], nodes].concat());
    let said = Said::of(fold.current_dir(s.root.join(dir)).output().expect("the program runs")).expect(0);
    let command = said.err.lines().find_map(|line| line.strip_prefix("next: ")).expect("a command");
    let shell = hermetic("sh", &s.home()).args(["-c", command]).current_dir(s.root.join(dir)).output().expect("sh");
    assert!(shell.status.success(), "{shell:?}");
}

/// The trunk file of the newer generation matches no pattern of segments.
#[test]
fn the_printed_command_commits_a_whole_fold() {
    let s = team();
    s.git(&["mv", ".spec/n/yatsu.md", ".spec/n/eval.md"]);
    for number in 0..12 {
        s.write(&format!(".spec/m{number}/yatsu.md"), scenarios(&[("works", "src/b.rs")]));
        s.write(&format!(".spec/m{number}/yatsu.a.evals.ndjson"), line(&s, 1));
    }
    s.write(&segment("a"), line(&s, 1));
    s.commit("filed");
    for (dir, nodes) in [("src", &["n"][..]), (".spec/n", &["m0", "m1"]), ("src", &[])] {
        fold_and_follow(&s, dir, nodes);
        assert_eq!(s.git(&["status", "--porcelain"]), "", "{nodes:?}");
        s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
    }
    assert_eq!(s.read(".spec/n/evals.ndjson").lines().count(), 1);
}

/// A fold removes the segment that HEAD has, so a line of it that the disk lacks would be lost with it.
#[test]
fn a_line_of_head_that_the_disk_lacks_is_not_folded_away() {
    let s = team();
    file(&s, "one");
    committed(&s, "two");
    let path = segments(&s).remove(0);
    let whole = s.read(&path);
    s.write(&path, whole.lines().next().expect("a line").to_owned() + "\n");
    let said = s.yatsu(&["fold"]).expect(1);
    let what = format!("n is left as it is: {path}: line 2 of HEAD is not there\n");
    assert!(said.err.starts_with(&what) && said.err.contains(&format!("git checkout HEAD -- {path}")), "{}", said.err);
    // in another file of the home it is there
    s.write(&segment("other"), whole.lines().nth(1).expect("a line").to_owned() + "\n");
    s.yatsu(&["fold"]).expect(0);
    assert_eq!(lines(&s).len(), 2);
}

/// A line that is redacted, and not committed so yet, is not missing.
#[test]
fn a_redacted_line_of_head_is_none_that_the_disk_lacks() {
    let s = team();
    s.write(&segment("a"), line(&s, 1) + &line(&s, 2));
    s.commit("filed");
    s.yatsu(&["redact", "n", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "r"]).expect(0);
    assert_eq!(s.yatsu(&["fold"]).expect(0).out, "folded 1 segment of 1 node, 2 lines new in trunk files\n");
    s.git(&["add", "-A"]);
    s.yatsu(&["pre-commit"]).expect(0);
}

#[test]
fn an_excluded_segment_is_not_folded() {
    let s = team();
    s.write(&segment("a"), line(&s, 1));
    s.write(&segment("b"), line(&s, 2));
    s.write("spexcode.json", format!("{{\"yatsu\": {{\"exclude\": [\"{}\"]}}}}", segment("a")));
    s.commit("excluded");
    let said = s.yatsu(&["fold"]).expect(0);
    assert_eq!(said.out, "folded 1 segment of 1 node, 1 line new in trunk files\n");
    assert_eq!(segments(&s), [segment("a")]);
}

/// Of two lines of one time the order of the files decides. A fold past an open segment would turn it around.
#[test]
fn a_fold_waits_for_an_open_segment_with_a_line_of_the_same_time() {
    let s = team();
    s.write(&segment("b"), line(&s, 1).replace("pass", "fail"));
    s.commit("filed");
    s.write(&segment("a"), line(&s, 1));
    let before = s.yatsu(&["ls"]).out;
    let said = s.yatsu(&["fold"]).expect(1);
    assert!(said.err.contains(&format!("{}:1: a line to fold has the same time", segment("a"))), "{}", said.err);
    assert_eq!(s.yatsu(&["ls"]).out, before);
    s.commit("both");
    s.yatsu(&["fold"]).expect(0);
    assert_eq!(s.yatsu(&["ls"]).out, before);
}

/// What lies untracked in the tree under the name of a segment stops no question and makes none wait.
#[test]
fn what_is_no_file_does_not_stop_a_question() {
    let s = team();
    file(&s, "one");
    let only = s.yatsu(&["ls"]).expect(0).out;
    symlink("nowhere", s.root.join(segment("dangling"))).expect("a link");
    symlink("/dev/zero", s.root.join(segment("endless"))).expect("a link");
    std::fs::create_dir(s.root.join(segment("dir"))).expect("a directory");
    assert!(hermetic("mkfifo", &s.home()).arg(s.root.join(segment("fifo"))).status().expect("mkfifo").success());
    for question in ["ls", "scan"] {
        let said = s.yatsu(&[question]);
        assert!(said.code < 2, "{question}: {said:?}");
    }
    assert_eq!(s.yatsu(&["ls"]).out, only);
}

/// One side of a merge moved a node, the other filed or folded there: git leaves a file that has no marks of a conflict.
#[test]
fn an_unmerged_file_without_marks_is_named_with_the_way_out() {
    let s = team();
    s.write(TRUNK, line(&s, 0));
    committed(&s, "base");
    let path = segments(&s).remove(0);
    s.git(&["checkout", "-q", "-b", "folding"]);
    s.yatsu(&["fold", "--here"]).expect(0);
    s.commit("folded");
    s.git(&["checkout", "-q", "main"]);
    s.write(&path, s.read(&path) + &line(&s, 1));
    s.commit("past the gate");
    s.try_git(&["merge", "-q", "folding"]).expect(1);
    let said = s.yatsu(&["fold", "--here"]).expect(1);
    let ways = [format!("`git add {path}` keeps its lines"), format!("`git rm {path}`")];
    assert!(said.err.contains("is being merged") && ways.iter().all(|way| said.err.contains(way)), "{}", said.err);
    assert!(!said.err.contains("repair"), "{}", said.err);
}

#[test]
fn an_ignored_segment_is_told_with_the_line_that_ends_it() {
    let s = team();
    s.write(".gitignore", "*.ndjson\n!yatsu.evals.ndjson\n");
    s.commit("ignored");
    let said = file(&s, "one");
    assert!(said.err.contains("!yatsu*.evals.ndjson"), "{}", said.err);
}

/// A new segment without a whole line goes, and git never had it, so there is nothing to add.
#[test]
fn repair_names_no_file_that_it_removed_and_git_never_had() {
    let s = team();
    s.write(&segment("a"), "{\"torn\":");
    let said = s.yatsu(&["repair"]).expect(0);
    assert_eq!(said.out.lines().last(), Some("repaired: 1 change in 1 file"), "{}", said.out);
    assert!(!s.root.join(segment("a")).exists());
    // git has this one: a line that was redacted, and came back with a merge
    s.write(&segment("b"), line(&s, 1));
    s.commit("filed");
    let back = s.read(&segment("b"));
    s.yatsu(&["redact", "n", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "r"]).expect(0);
    s.write(&segment("c"), back);
    s.commit("past the gate");
    let said = s.yatsu(&["repair"]).expect(0);
    assert!(said.out.contains(&format!("git add {}", segment("c"))), "{}", said.out);
    assert!(!s.root.join(segment("c")).exists());
}

/// The copy that is not checked out would stay beside the redaction.
#[test]
fn a_redaction_waits_for_every_file_of_the_ledger() {
    let s = team();
    let secret = line(&s, 1);
    s.write(TRUNK, &secret);
    s.write(&segment("a"), &secret);
    s.commit("copies");
    s.git(&["sparse-checkout", "set", "--no-cone", "/*", &format!("!/{}", segment("a"))]);
    assert!(!s.root.join(segment("a")).exists());
    let request = ["redact", "n", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "r"];
    let said = s.yatsu(&request).expect(1);
    assert!(
        said.err.contains(&format!("{} is not checked out, and may hold the line, too", segment("a"))),
        "{}",
        said.err
    );
    assert_eq!(s.read(TRUNK), secret);
    s.git(&["sparse-checkout", "disable"]);
    s.yatsu(&request).expect(0);
}
