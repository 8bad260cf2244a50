//! `fold`: S5, S6, S13.

use super::*;
use crate::support::{reading_line, scenarios, validate_published};

fn line(s: &Scratch, note: &str, minute: u32) -> String {
    reading_line(&s.head(), "works", "pass", minute).replace("\"pass\"}", &format!("\"pass\",\"note\":\"{note}\"}}"))
}

fn fold(s: &Scratch) -> Said {
    s.yatsu(&["fold"])
}

fn folded(s: &Scratch) {
    fold(s).expect(0);
    s.commit("folded");
}

/// S5: the set of lines is the same, in the order of time, files and lines, and one commit has it all.
#[test]
fn the_lines_of_committed_segments_go_into_the_trunk_file() {
    let s = team();
    let at = |minute, note: &str| line(&s, note, minute);
    s.write(TRUNK, at(2, "trunk") + &at(4, "copy"));
    s.write(&segment("a"), at(5, "a5") + &at(3, "tie a"));
    s.write(&segment("b"), at(3, "tie b") + &at(4, "copy") + &at(1, "b1") + &at(1, "b1"));
    s.commit("filed");
    s.write(&segment("open"), at(9, "open"));
    let before = lines(&s);
    let dry = s.yatsu(&["fold", "--dry-run"]).expect(0);
    assert_eq!(dry.out, "would fold 2 segments of 1 node, 4 lines new in trunk files; nothing was written\n");
    assert_eq!((segments(&s).len(), lines(&s)), (3, before.clone()));
    let said = fold(&s).expect(0);
    assert_eq!(said.out, "folded 2 segments of 1 node, 4 lines new in trunk files\n");
    assert_eq!(
        said.err,
        "next: git add -A .spec/n/yatsu.evals.ndjson '.spec/n/yatsu.*.evals.ndjson' && git commit -m 'Fold the ledgers'\n"
    );
    let order: Vec<String> = s
        .read(TRUNK)
        .lines()
        .map(|line| line.split("\"note\":\"").nth(1).expect("a note").split('"').next().expect("its end").to_owned())
        .collect();
    assert_eq!(order, ["trunk", "copy", "b1", "tie a", "tie b", "a5"]);
    assert_eq!((segments(&s), lines(&s)), (vec![segment("open")], before));
    let command = said.err.strip_prefix("next: ").expect("a command").trim();
    let shell = s.git_command(&["-c", &format!("alias.next=!{command}"), "next"]).output().expect("git");
    assert!(shell.status.success(), "{shell:?}");
    s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
    assert_eq!(
        fold(&s).expect(0).out,
        "folded 1 segment of 1 node, 1 line new in trunk files\n",
        "the commit took the open one"
    );
    assert_eq!(fold(&s).expect(0).out, "nothing to fold\n");
    assert_eq!(validate_published(&s.yatsu(&["fold", "--format", "json"]).expect(0).out)["outcome"], "nothing");
}

/// S5: killed between the lines and the removal, everything stands twice, counts once, and the next fold finishes.
#[test]
fn a_fold_that_was_killed_is_finished_by_the_next() {
    let s = team();
    committed(&s, "one");
    committed(&s, "two");
    let (before, score) = (lines(&s), notes(&s));
    let [first, second] = &segments(&s)[..] else { panic!("two segments") };
    s.write(TRUNK, s.read(first) + &s.read(second));
    std::fs::remove_file(s.root.join(first)).expect("removed");
    assert_eq!((lines(&s), notes(&s)), (before.clone(), score.clone()));
    let json = validate_published(&s.yatsu(&["fold", "--format", "json"]).expect(0).out);
    assert_eq!((&json["outcome"], &json["homes"][0]["lines"]), (&"folded".into(), &0.into()));
    assert_eq!((lines(&s), notes(&s), segments(&s)), (before, score, vec![]));
    s.commit("folded");
    s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
}

/// S5: elsewhere than on main two folds would conflict.
#[test]
fn a_fold_belongs_on_main() {
    let s = team();
    committed(&s, "one");
    s.git(&["checkout", "-q", "-b", "side"]);
    let said = fold(&s).expect(1);
    assert!(said.err.contains("ledgers are folded on main, and this is another branch"), "{}", said.err);
    assert_eq!(segments(&s).len(), 1);
    s.yatsu(&["fold", "--here"]).expect(0);
    assert_eq!(segments(&s).len(), 0);
    s.git(&["reset", "-q", "--hard"]);
    s.git(&["checkout", "-q", "--detach"]);
    fold(&s).expect(1);
    // main by what the remote says
    s.git(&["checkout", "-q", "side"]);
    s.git(&["update-ref", "refs/remotes/origin/side", "side"]);
    s.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/side"]);
    fold(&s).expect(0);
}

/// S5: a home with a segment that cannot be read whole is left, and the others are folded.
#[test]
fn a_home_with_a_malformed_segment_is_left() {
    let s = team();
    s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    committed(&s, "one");
    s.yatsu(&["eval", "m", "--pass"]).expect(0);
    let bad = s.read(&segments(&s)[0]) + "{\"scenario\":1}\n";
    s.write(&segments(&s)[0], &bad);
    s.commit("past the gate");
    let said = fold(&s).expect(1);
    assert_eq!(said.out, "folded 1 segment of 1 node, 1 line new in trunk files\n");
    assert!(said.err.starts_with(&format!("n is left as it is: {}:2: ", segments(&s)[0])), "{}", said.err);
    assert!(segments_of(&s, ".spec/m").is_empty() && !s.root.join(TRUNK).exists());
    assert_eq!(s.read(&segments(&s)[0]), bad);
    let json = s.yatsu(&["fold", "--format", "json", "n"]).expect(1);
    assert_eq!(validate_published(&json.out)["left"][0]["node"], "n");
}

#[test]
fn only_the_named_nodes_are_folded() {
    let s = team();
    s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    s.commit("another");
    s.yatsu(&["eval", "m", "--pass"]).expect(0);
    committed(&s, "one");
    s.yatsu(&["fold", "m"]).expect(0);
    assert_eq!((segments(&s).len(), segments_of(&s, ".spec/m").len()), (1, 0));
    s.yatsu(&["fold", "nobody"]).expect(2);
}

/// S6: a branch that forked before a fold, and one that took it, merge clean, and the first fold of a home is no conflict.
#[test]
fn branches_over_a_fold_merge_clean() {
    let s = team();
    committed(&s, "base");
    s.git(&["checkout", "-q", "-b", "before"]);
    committed(&s, "before");
    s.git(&["checkout", "-q", "main"]);
    folded(&s);
    s.git(&["merge", "-q", "--no-edit", "before"]);
    assert_eq!((segments(&s).len(), notes(&s).len()), (1, 2));
    s.git(&["checkout", "-q", "before"]);
    committed(&s, "more");
    s.git(&["merge", "-q", "--no-edit", "main"]);
    s.git(&["checkout", "-q", "main"]);
    folded(&s);
    s.git(&["merge", "-q", "--no-edit", "before"]);
    assert_eq!((notes(&s).len(), segments(&s).len()), (3, 1));
    s.yatsu(&["check", "--from", "HEAD~2", "--to", "HEAD"]).expect(0);
}

/// S6: a copy that a squash left on a branch comes back, counts once, and the next fold takes it.
#[test]
fn the_copy_of_a_squash_comes_back_and_counts_once() {
    let s = team();
    committed(&s, "base");
    s.git(&["checkout", "-q", "-b", "side"]);
    committed(&s, "side");
    s.git(&["checkout", "-q", "main"]);
    s.git(&["merge", "-q", "--squash", "side"]);
    s.git(&["commit", "-q", "-m", "squashed"]);
    folded(&s);
    s.git(&["checkout", "-q", "side"]);
    committed(&s, "went on");
    s.git(&["checkout", "-q", "main"]);
    s.git(&["merge", "-q", "--no-edit", "side"]);
    assert_eq!((segments(&s).len(), notes(&s).len()), (2, 3));
    s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
    let said = fold(&s).expect(0);
    assert_eq!(said.out, "folded 2 segments of 1 node, 1 line new in trunk files\n");
    assert_eq!((segments(&s).len(), notes(&s).len()), (0, 3));
}

/// A fold and its revert are no loss, and what a fold leaves out is what was redacted.
#[test]
fn a_fold_can_be_reverted_and_takes_no_redacted_line() {
    let s = team();
    committed(&s, "one");
    let all = lines(&s);
    folded(&s);
    s.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!((lines(&s), segments(&s).len()), (all, 1));
    s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
    folded(&s);
    let ts = serde_json::from_str::<serde_json::Value>(s.read(TRUNK).trim()).expect("a line")["ts"]
        .as_str()
        .expect("a time")
        .to_owned();
    let secret = s.read(TRUNK);
    s.yatsu(&["redact", "n", "--ts", &ts, "--reason", "r"]).expect(0);
    s.write(&segment("back"), secret);
    s.commit("a merge brought it back");
    assert_eq!(fold(&s).expect(0).out, "folded 1 segment of 1 node, 0 lines new in trunk files\n");
    assert_eq!(s.read(TRUNK).lines().count(), 1);
    assert!(s.read(TRUNK).contains("redacts"));
}

/// S13: after a fold every question has the answer that it had before, but for the files that findings and lines lie in.
#[test]
fn a_fold_changes_no_answer() {
    let s = team();
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("shines", "src/b.rs")]));
    s.commit("two scenarios");
    for (number, (scenario, verdict)) in
        [("works", "--pass"), ("shines", "--fail"), ("works", "--fail"), ("works", "--pass")].into_iter().enumerate()
    {
        s.yatsu(&["eval", &format!("n/{scenario}"), verdict, "--key", &format!("k{number}"), "--run", "r"]).expect(0);
        s.commit("filed");
    }
    s.yatsu(&["retract", "n/works", "--last"]).expect(0);
    let copied = line(&s, "secret", 2);
    s.write(&segment("c1"), &copied);
    s.write(&segment("c2"), copied);
    s.commit("copies");
    s.yatsu(&["redact", "n/works", "--ts", "2026-01-01T00:02:00.000Z", "--reason", "r"]).expect(0);
    let tie = |note: &str| line(&s, note, 3);
    s.write(&segment("t2"), tie("two"));
    s.write(&segment("t1"), tie("one") + &tie("two"));
    s.write("src/b.rs", "fn b() { 1 }\n");
    s.commit("drift");
    let questions: [&[&str]; 12] = [
        &["ls", "--format", "json"],
        &["show", "n", "--format", "json"],
        &["scan", "--format", "json"],
        &["check", "--all", "--format", "json"],
        &["graph", "show", "--format", "json"],
        &["usage", "n", "--format", "json"],
        &["export", "in-toto"],
        &["evidence", "ls", "--format", "json"],
        &["graph", "digest"],
        &["next", "--format", "json"],
        &["log", "--format", "json"],
        &["report", "--html", "-"],
    ];
    let answers = || -> Vec<String> {
        // the file of a line, and its number there, are no answer
        let place = regex::Regex::new(r#"yatsu(\.[0-9a-z-]+)?\.evals\.ndjson(:\d+)*|"(line|column|files)": ?\d+"#)
            .expect("a pattern");
        questions
            .iter()
            .map(|args| {
                let said = s.yatsu(args);
                assert!(said.code < 2, "{args:?}: {}", said.err);
                place.replace_all(&said.out, "").into_owned()
            })
            .collect()
    };
    let before = answers();
    s.yatsu(&["fold"]).expect(0);
    for ((question, was), is) in questions.iter().zip(before).zip(answers()) {
        assert_eq!(was, is, "{question:?}");
    }
    s.commit("folded");
    let report =
        validate_published(&s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD", "--format", "json"]).expect(0).out);
    let introduced =
        report["findings"].as_array().expect("a list").iter().filter(|one| one["origin"] == "introduced").count();
    assert_eq!(introduced, 0, "{report}");
}

/// Lines that end as on Windows, and a segment with a mode, are folded like others.
#[test]
fn lines_of_any_ending_and_files_of_any_mode_are_folded() {
    let s = team();
    s.write(&segment("a"), line(&s, "crlf", 1).replace('\n', "\r\n") + &line(&s, "last", 3));
    s.write(&segment("b"), line(&s, "executable", 2));
    s.write(&segment("c"), line(&s, "without an end", 4).trim_end());
    s.git(&["update-index", "--add", "--chmod=+x", &segment("b")]);
    s.git(&["add", "-A"]);
    s.git(&["commit", "-q", "-m", "filed", "--no-verify"]);
    let before = notes(&s);
    assert_eq!(before, ["without an end", "last", "executable", "crlf"]);
    let said = fold(&s);
    assert_eq!((said.code, notes(&s), segments(&s).len()), (0, before, 0), "{}", said.err);
    s.commit("folded");
    s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
}

#[test]
fn many_segments_are_named_where_somebody_looks() {
    let s = team();
    for number in 0..50 {
        s.write(&segment(&format!("s{number}")), line(&s, &number.to_string(), number));
    }
    s.commit("many");
    let said = s.yatsu(&["check", "--all"]).expect(0);
    assert!(said.out.contains("50 segments: yatsu-hook fold, on main"), "{said:?}");
    let doctor = s.yatsu(&["doctor"]);
    assert!(doctor.out.contains("50 segments") && doctor.out.contains("yatsu-hook fold, on main"), "{}", doctor.out);
    s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
    folded(&s);
    assert!(!s.yatsu(&["check", "--all"]).expect(0).out.contains("segments"));
}

/// A team that never folded for years.
#[test]
fn five_thousand_segments_are_read_judged_and_folded() {
    const COUNT: u32 = 5_000;
    let s = team();
    let text = line(&s, "note", 1);
    for number in 0..COUNT {
        let ts = format!("2026-01-01T{:02}:{:02}:{:02}", number / 3_600, number / 60 % 60, number % 60);
        s.write(&segment(&format!("s{number}")), text.replace("2026-01-01T00:01:00", &ts));
    }
    s.commit("many");
    assert!(s.yatsu(&["check", "--all"]).expect(0).out.contains("5000 segments: yatsu-hook fold, on main"));
    let before = s.yatsu(&["show", "n", "--format", "json"]).expect(0).out;
    folded(&s);
    assert_eq!((s.read(TRUNK).lines().count(), segments(&s).len()), (COUNT as usize, 0));
    let after = s.yatsu(&["show", "n", "--format", "json"]).expect(0).out;
    let times = |json: &str| json.matches("\"ts\"").count();
    assert_eq!(times(&after), times(&before));
}
