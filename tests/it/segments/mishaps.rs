//! What happens to segments on disk and in the index: lines cut out, links, sparse checkouts, merges half done, ignore files.

use super::*;
use crate::support::{hermetic, reading_line, scenarios, validate_published};
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
    s.write(".spec/x[1]*/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    s.write(".spec/x[1]*/yatsu.a.evals.ndjson", line(&s, 1));
    s.write("yatsu.md", scenarios(&[("works", "src/b.rs")]));
    s.write("yatsu.a.evals.ndjson", line(&s, 1));
    for number in 0..12 {
        s.write(&format!(".spec/m{number}/yatsu.md"), scenarios(&[("works", "src/b.rs")]));
        s.write(&format!(".spec/m{number}/yatsu.a.evals.ndjson"), line(&s, 1));
    }
    s.write(&segment("a"), line(&s, 1));
    s.commit("filed");
    for (dir, nodes) in
        [("src", &["n"][..]), (".spec/n", &["m0", "m1"]), ("", &["x[1]*"]), ("", &["root"]), ("src", &[])]
    {
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

/// The commit of a fold takes every file of the home as it is on disk, so a line that is gone from any of them would go.
#[test]
fn a_line_that_is_gone_from_any_file_of_the_home_stops_its_fold() {
    let s = team();
    s.write(TRUNK, line(&s, 1) + &line(&s, 2));
    s.write(&segment("a"), line(&s, 3));
    s.write(&segment("b"), line(&s, 4));
    s.commit("filed");
    let trunk = s.read(TRUNK);
    let path = |name: &str| s.root.join(name);
    for (what, file, damage) in [
        ("a segment is deleted", segment("b"), None),
        ("the trunk file is deleted", TRUNK.to_owned(), None),
        ("its first line is cut", TRUNK.to_owned(), Some(line(&s, 2))),
    ] {
        match damage {
            None => std::fs::remove_file(path(&file)).expect("a file"),
            Some(text) => s.write(&file, text),
        }
        let said = s.yatsu(&["fold"]).expect(1);
        assert!(said.err.contains(&format!("{file}: line 1 of HEAD is not there")), "{what}: {}", said.err);
        assert!(said.err.contains(&format!("git checkout HEAD -- {file}")), "{what}: {}", said.err);
        assert!(path(&segment("a")).exists(), "{what}");
        s.git(&["checkout", "-q", "--", "."]);
    }
    s.yatsu(&["fold"]).expect(0);
    assert_eq!((s.read(TRUNK).lines().count(), s.read(TRUNK).starts_with(&trunk)), (4, true));
}

/// A new file in the place of a ledger that a sparse checkout leaves out would hide the lines that git has.
#[test]
fn nothing_is_written_over_a_trunk_file_that_is_not_checked_out() {
    let s = team();
    s.write(TRUNK, line(&s, 5));
    s.write(&segment("a"), line(&s, 1).replace("pass", "fail"));
    s.write("spexcode.json", "{\"yatsu\": {\"segments\": \"never\"}}");
    s.commit("filed");
    s.git(&["sparse-checkout", "set", "--no-cone", "/*", &format!("!/{TRUNK}")]);
    let before = s.yatsu(&["ls"]).expect(0).out;
    for command in [&["fold"][..], &["eval", "n", "--fail"]] {
        let said = s.yatsu(command).expect(1);
        assert!(said.err.contains(&format!("{TRUNK} is not checked out")), "{command:?}: {}", said.err);
        assert!(said.err.contains("git sparse-checkout add .spec/n"), "{command:?}: {}", said.err);
        assert!(!s.root.join(TRUNK).exists() && s.root.join(segment("a")).exists(), "{command:?}");
    }
    assert_eq!(s.yatsu(&["ls"]).expect(0).out, before);
}

/// What is not on disk stays in git as it is, and the rest of the home is folded.
#[test]
fn a_segment_that_is_not_checked_out_is_not_folded() {
    let s = team();
    let second = line(&s, 2);
    s.write(&segment("a"), line(&s, 1));
    s.write(&segment("b"), &second);
    s.commit("filed");
    s.git(&["sparse-checkout", "set", "--no-cone", "/*", &format!("!/{}", segment("a"))]);
    let before = s.yatsu(&["ls"]).expect(0).out;
    s.yatsu(&["fold"]).expect(0);
    assert_eq!(s.read(TRUNK), second);
    assert_eq!(s.git(&["ls-files", "--", &segment("a")]), segment("a"));
    assert_eq!(s.yatsu(&["ls"]).expect(0).out, before);
}

/// Folded into a file that does not count, readings would stop to count.
#[test]
fn nothing_is_folded_into_an_excluded_trunk_file() {
    let s = team();
    s.write(&segment("a"), line(&s, 1));
    s.write("spexcode.json", format!("{{\"yatsu\": {{\"exclude\": [\"{TRUNK}\"]}}}}"));
    s.commit("filed");
    let said = s.yatsu(&["fold"]).expect(1);
    assert!(said.err.contains(&format!("yatsu.exclude hides {TRUNK}")), "{}", said.err);
    assert!(s.root.join(segment("a")).exists() && !s.root.join(TRUNK).exists());
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

/// Lines of the trunk file come before those of segments, folded or not.
#[test]
fn a_line_of_the_same_time_in_the_trunk_file_stops_no_fold() {
    let s = team();
    let (pass, fail) = (line(&s, 1), line(&s, 1).replace("pass", "fail"));
    s.write(TRUNK, &fail);
    s.write(&segment("a"), &pass);
    s.commit("filed");
    let before = s.yatsu(&["ls"]).out;
    s.yatsu(&["fold"]).expect(0);
    assert_eq!(s.yatsu(&["ls"]).out, before);
    assert_eq!(s.read(TRUNK), fail + &pass);
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
    let said = s.yatsu(&["repair"]).expect(1);
    assert!(ways.iter().all(|way| said.err.contains(way)), "{}", said.err);
    let json = validate_published(&s.yatsu(&["repair", "--format", "json"]).expect(1).out);
    assert_eq!(
        json["ledgers"][0]["left"][0]["help"].as_str().map(|help| help.contains(&ways[0])),
        Some(true),
        "{json}"
    );
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
    assert!(said.err.contains(&format!("{} is not checked out", segment("a"))), "{}", said.err);
    assert_eq!(s.read(TRUNK), secret);
    s.git(&["sparse-checkout", "disable"]);
    s.yatsu(&request).expect(0);
}

/// A redaction is written in every copy or in none: a copy that stays would stand beside it.
#[test]
fn a_redaction_reads_every_file_before_it_writes_one() {
    let s = team();
    s.write(&segment("a"), line(&s, 1));
    s.commit("filed");
    s.write(&segment("z"), "{\"scen");
    let said = s.yatsu(&["redact", "n", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "r"]).expect(1);
    assert!(said.err.contains("the last line is torn") && said.err.contains("nothing filed"), "{}", said.err);
    assert_eq!(s.git(&["status", "--porcelain", "--untracked-files=no"]), "");
}

/// A torn end was never an event, so it may go from a commit, too. Before, `eval` sent to `repair`, and `repair` to itself.
#[test]
fn the_torn_end_of_a_committed_segment_is_repaired() {
    let s = team();
    s.write(&segment("a"), line(&s, 1) + "{\"scen");
    s.commit("filed");
    assert!(s.yatsu(&["eval", "n", "--pass"]).expect(1).err.contains("run `yatsu-hook repair`"));
    s.yatsu(&["repair"]).expect(0);
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    s.commit("repaired");
    s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
}

/// Of two lines of one time the order of the files decides, and a second trunk file lies between the first and the segments.
#[test]
fn a_fold_does_not_pass_a_line_of_the_same_time_in_another_trunk_file() {
    let s = team();
    s.write(TRUNK, line(&s, 1));
    s.write(".spec/n/evals.ndjson", line(&s, 5));
    s.write(&segment("a"), line(&s, 5).replace("pass", "fail"));
    s.commit("filed");
    let before = s.yatsu(&["ls"]).out;
    let said = s.yatsu(&["fold"]).expect(1);
    assert!(said.err.contains(".spec/n/evals.ndjson:1: a line to fold has the same time"), "{}", said.err);
    // the way out that it says
    s.write(TRUNK, s.read(TRUNK) + &s.read(".spec/n/evals.ndjson"));
    s.git(&["rm", "-q", ".spec/n/evals.ndjson"]);
    s.commit("one trunk file");
    s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
    s.yatsu(&["fold"]).expect(0);
    assert_eq!(s.yatsu(&["ls"]).out, before);
}

/// Copies of a redacted line leave copies of its redaction. They are one before a fold as after it.
#[test]
fn copies_of_a_redaction_are_one() {
    let s = team();
    let twice = line(&s, 1);
    s.write(&segment("a"), twice.clone() + "{\"kind\":\"later\",\"n\":1}\n");
    s.write(&segment("b"), twice + "{\"kind\":\"later\",\"n\":1}\n");
    s.commit("filed");
    s.yatsu(&["redact", "n", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "r"]).expect(0);
    s.commit("redacted");
    let asked = |s: &Scratch| {
        let shown = s.yatsu(&["show", "n"]).expect(0).out;
        let found = validate_published(&s.yatsu(&["check", "--all", "--format", "json"]).out);
        // in the order of places, which are others after a fold
        let texts: BTreeSet<String> = found["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .map(|one| format!("{} {}", one["rule"], one["message"]))
            .collect();
        (shown, texts)
    };
    let before = asked(&s);
    assert_eq!(before.1.iter().filter(|one| one.contains("ledger-redacted")).count(), 1, "{before:?}");
    assert_eq!(before.1.iter().filter(|one| one.contains("1 line of the kind `later`")).count(), 1, "{before:?}");
    s.yatsu(&["fold"]).expect(0);
    s.commit("folded");
    assert_eq!(asked(&s), before);
}

/// One file that cannot be read keeps no other home from its fold.
#[test]
fn a_home_with_a_link_is_left_and_the_others_are_folded() {
    let s = team();
    s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    s.write(".spec/m/yatsu.a.evals.ndjson", line(&s, 1));
    s.write(&segment("a"), line(&s, 1));
    symlink("nowhere", s.root.join(segment("b"))).expect("a link");
    s.commit("filed");
    let said = s.yatsu(&["fold"]).expect(3);
    assert!(said.err.contains("n is left as it is: ") && said.err.contains("is a symbolic link"), "{}", said.err);
    assert!(s.root.join(segment("a")).exists() && !s.root.join(".spec/m/yatsu.a.evals.ndjson").exists());
}
