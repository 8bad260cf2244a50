//! Which file takes a new line: S1, S2, S16.

use super::*;
use crate::support::{path, program, scenarios};
use std::thread;

fn with_setting(s: &Scratch, setting: &str) {
    s.write("spexcode.json", format!("{{\"yatsu\": {{\"segments\": \"{setting}\"}}}}"));
    s.commit("setting");
}

/// S1: a repository without a remote has one writer in practice, and its readings stay in one file.
#[test]
fn without_a_remote_new_lines_go_into_the_trunk_file() {
    let s = one_node();
    file(&s, "one");
    assert_eq!((segments(&s), s.read(TRUNK).lines().count()), (vec![], 1));
    with_setting(&s, "always");
    file(&s, "two");
    assert_eq!((sizes(&s), s.read(TRUNK).lines().count()), (vec![1], 1));
}

#[test]
fn with_a_remote_they_go_into_a_segment_on_every_branch() {
    let s = team();
    let said = file(&s, "main");
    let [first] = &segments(&s)[..] else { panic!("{:?}", segments(&s)) };
    assert!(!s.root.join(TRUNK).exists());
    assert_eq!(said.err, first_words(first));
    let name =
        first.strip_prefix(".spec/n/yatsu.").and_then(|name| name.strip_suffix(".evals.ndjson")).expect("a name");
    assert!(regex::Regex::new(r"^\d{8}-\d{6}-[0-9a-f]{6}$").expect("a pattern").is_match(name), "{name}");
    s.commit("one");
    assert_eq!(file(&s, "again").err, format!("next: git add {}\n", segments(&s)[1]), "said once");
    s.commit("two");
    s.git(&["checkout", "-q", "-b", "side"]);
    file(&s, "side");
    s.commit("three");
    s.git(&["checkout", "-q", "--detach"]);
    file(&s, "detached");
    s.commit("four");
    assert_eq!(sizes(&s), [1, 1, 1, 1]);
    s.git(&["worktree", "add", "-q", "../linked", "main"]);
    let mut there = s.yatsu_command(&["eval", "n", "--pass"]);
    assert!(there.current_dir(s.base.join("linked")).output().expect("the program runs").status.success());
    let linked = std::fs::read_dir(s.base.join("linked").join(DIR)).expect("a directory").count();
    assert_eq!(linked, 1 + 2 + 1, "the scenario file, the segments of main, and a new one");
}

/// What `eval` says with the first segment of a repository.
fn first_words(segment: &str) -> String {
    format!(
        "note: this reading is in a file of its own, a segment, so that branches merge anywhere; if some of you have an older \
         program, which reads the trunk file alone: `yatsu.segments: never` (docs/formats.md)\nnext: git add {segment}\n"
    )
}

#[test]
fn the_key_decides_before_the_remote() {
    let s = team();
    with_setting(&s, "never");
    assert_eq!(file(&s, "one").err, format!("next: git add {TRUNK}\n"));
    assert_eq!((segments(&s), s.read(TRUNK).lines().count()), (vec![], 1));
    with_setting(&s, "auto");
    let said = file(&s, "two").err;
    assert_eq!(said, format!("next: git add {}\n", segments(&s)[0]), "who has the key knows of segments");
    s.write("spexcode.json", "{\"yatsu\": {\"segments\": \"sometimes\"}}");
    let said = s.yatsu(&["eval", "n", "--pass"]).expect(2);
    assert!(said.err.contains("yatsu.segments must be auto, always or never, not \"sometimes\""), "{}", said.err);
}

#[test]
fn programs_of_the_newer_generation_find_all_lines_in_their_one_file() {
    let s = team();
    s.git(&["mv", ".spec/n/yatsu.md", ".spec/n/eval.md"]);
    s.commit("newer");
    file(&s, "one");
    assert_eq!(s.read(".spec/n/evals.ndjson").lines().count(), 1);
    with_setting(&s, "always");
    file(&s, "two");
    assert_eq!(sizes(&s), [1]);
}

/// One command, one name: a person sees at a glance what was filed together.
#[test]
fn one_command_names_its_segments_alike() {
    let s = team();
    s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    s.commit("another node");
    let case = |name: &str| format!("<testcase classname=\"{name}\" name=\"works\"/>");
    s.write("report.xml", format!("<testsuite name=\"s\">{}{}</testsuite>", case("n"), case("m")));
    let entry = |node: &str| {
        format!("{{\"classname\":\"{node}\",\"name\":\"works\",\"node\":\"{node}\",\"scenario\":\"works\"}}")
    };
    s.write("map.json", format!("{{\"v\":1,\"map\":[{},{}]}}", entry("n"), entry("m")));
    let said = s.yatsu(&["eval", "--from-junit", "report.xml", "--map", "map.json", "--older-report"]);
    let (n, m) = (segments_of(&s, ".spec/n"), segments_of(&s, ".spec/m"));
    assert_eq!((n.len(), m.len()), (1, 1), "{said:?}");
    assert_eq!(path(&n[0]).name(), path(&m[0]).name());
    assert!(said.err.contains(&format!("next: git add {} {}\n", m[0], n[0])), "{}", said.err);
}

/// S2: a segment is open until git has it.
#[test]
fn a_segment_takes_lines_until_it_is_added() {
    let s = team();
    file(&s, "one");
    file(&s, "two");
    assert_eq!(sizes(&s), [2]);
    s.git(&["add", "-A"]);
    file(&s, "three");
    file(&s, "four");
    assert_eq!(sizes(&s), [2, 2]);
    s.commit("all");
    file(&s, "five");
    assert_eq!(sizes(&s), [2, 2, 1]);
    s.git(&["add", "-N", &segments(&s)[2]]);
    file(&s, "six");
    assert_eq!(sizes(&s), [2, 2, 2], "an intent to add holds no line");
    // of several open ones the greatest name
    s.write(&segment("a"), "");
    s.write(&segment("z"), "");
    file(&s, "seven");
    assert_eq!((s.read(&segment("a")).lines().count(), s.read(&segment("z")).lines().count()), (0, 1));
}

/// An operation of git after which a segment of a commit may stand in the work tree, beside what it is of.
type Move = (&'static str, fn(&Scratch));

const MOVES: &[Move] = &[
    ("amend", |s| {
        committed(s, "x");
        file(s, "y");
        s.git(&["add", "-A"]);
        s.git(&["commit", "-q", "--amend", "--no-verify", "-m", "amended"]);
    }),
    ("stash", |s| {
        file(s, "x");
        s.git(&["stash", "-q", "-u"]);
        committed(s, "y");
        s.git(&["stash", "pop", "-q"]);
    }),
    ("squash", |s| {
        s.git(&["merge", "-q", "--squash", "side"]);
    }),
    ("pick without a commit", |s| {
        s.git(&["cherry-pick", "-n", "side"]);
    }),
    ("checkout of files", |s| {
        s.git(&["checkout", "-q", "side", "--", DIR]);
    }),
    ("soft reset", |s| {
        committed(s, "x");
        s.git(&["reset", "-q", "--soft", "HEAD~1"]);
    }),
    ("mixed reset", |s| {
        committed(s, "x");
        s.git(&["reset", "-q", "HEAD~1"]);
    }),
    ("hard reset", |s| {
        committed(s, "x");
        s.git(&["reset", "-q", "--hard", "HEAD~1"]);
    }),
    ("merge", |s| {
        committed(s, "x");
        s.git(&["merge", "-q", "--no-edit", "side"]);
    }),
    ("rebase", |s| {
        committed(s, "x");
        s.git(&["rebase", "-q", "side"]);
    }),
];

#[test]
fn no_committed_file_ever_grows() {
    for (name, act) in MOVES {
        let s = team();
        committed(&s, "base");
        s.git(&["checkout", "-q", "-b", "side"]);
        committed(&s, "of the side");
        s.git(&["checkout", "-q", "main"]);
        act(&s);
        file(&s, "after");
        file(&s, "and again");
        s.commit("after");
        let grown: Vec<_> = versions(&s).into_iter().filter(|(_, versions)| versions.len() > 1).collect();
        assert!(grown.is_empty(), "{name}: {grown:?}");
        assert!(lines(&s).iter().any(|line| line.contains("and again")), "{name}");
        assert_eq!(s.yatsu(&["check", "--rev", "HEAD"]).code, 0, "{name}");
    }
}

/// Where a new line goes, all lines of the home are looked at for its time.
#[test]
fn a_new_line_is_later_than_all_of_its_home() {
    let s = team();
    let ahead = crate::support::seconds_ahead(300);
    let line = crate::support::reading_line(&s.head(), "works", "pass", 1).replace("2026-01-01T00:01:00.000Z", &ahead);
    s.write(&segment("a"), &line);
    s.commit("by a clock that is ahead");
    file(&s, "mine");
    let mine = s.read(&segments(&s)[0]);
    let (mine, theirs) = if mine.contains("mine") { (mine, line) } else { (s.read(&segments(&s)[1]), line) };
    let ts = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).expect("a line")["ts"].as_str().expect("a time").to_owned()
    };
    assert!(ts(mine.trim()) > ts(theirs.trim()), "{mine}{theirs}");
}

/// S12: a write into a torn segment would be lost with its tail.
#[test]
fn a_torn_segment_takes_no_line_and_repair_mends_it() {
    let s = team();
    file(&s, "one");
    let open = segments(&s).remove(0);
    let whole = s.read(&open);
    s.write(&open, whole.clone() + "{\"scenario\":\"wor");
    let said = s.yatsu(&["eval", "n", "--pass"]).expect(1);
    assert!(said.err.contains("the last line is torn"), "{}", said.err);
    s.yatsu(&["repair"]).expect(0);
    assert_eq!(s.read(&open), whole);
    file(&s, "two");
    assert_eq!(sizes(&s), [2]);
}

/// `git commit -a` leaves a new file out, and nothing else would say so.
#[test]
fn readings_that_git_does_not_have_are_named() {
    let s = team();
    file(&s, "one");
    file(&s, "two");
    let open = segments(&s).remove(0);
    let said = format!("2 readings are not in git: git add {open}");
    assert_eq!(s.yatsu(&["ls"]).expect(0).err, format!("note: {said}\n"));
    let scanned = s.yatsu(&["scan"]).expect(0);
    assert!(scanned.out.contains(&said), "{scanned:?}");
    s.write("src/a.rs", "fn a() { 1 }\n");
    s.git(&["add", "src/a.rs"]);
    let hook = s.yatsu(&["pre-commit"]).expect(0);
    assert!(hook.err.contains(&said), "{hook:?}");
    s.git(&["add", "-A"]);
    assert_eq!(s.yatsu(&["ls"]).expect(0).err, "");
    assert!(!s.yatsu(&["pre-commit"]).expect(0).err.contains("not in git"));
}

/// S16: writers of several work trees and of one wait for each other, and lose nothing.
#[test]
fn writers_at_once_lose_nothing() {
    let s = team();
    s.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    let places = [s.root.clone(), s.base.join("linked")];
    thread::scope(|threads| {
        for number in 0..8 {
            let (home, place) = (s.home(), &places[number % 2]);
            threads.spawn(move || {
                let note = format!("writer {number}");
                let mut command = crate::support::hermetic(program(), &home);
                command.current_dir(place).args(["eval", "n", "--pass", "--note", &note]);
                Said::of(command.output().expect("the program runs")).expect(0);
            });
        }
    });
    for place in places {
        let files =
            std::fs::read_dir(place.join(DIR)).expect("a directory").map(|entry| entry.expect("an entry").path());
        let segments: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "ndjson")).collect();
        assert_eq!(segments.len(), 1, "{segments:?}");
        assert_eq!(std::fs::read_to_string(&segments[0]).expect("a file").lines().count(), 4);
    }
}

/// Decisions, retractions and signatures take the same way as readings.
#[test]
fn every_verb_that_files_a_line_files_it_there() {
    let s = team();
    committed(&s, "one");
    let said = s.yatsu(&["retract", "n", "--last"]).expect(0);
    let open = segments(&s).pop().expect("a segment");
    assert_eq!(said.err, format!("next: git add {open}\n"));
    assert!(s.read(&open).contains("\"retracts\"") && sizes(&s) == [1, 1]);
    assert_eq!(notes(&s), Vec::<String>::new());
    let s = crate::goals::repository();
    s.git(&["remote", "add", "origin", "../server.git"]);
    let said = crate::goals::decide(&s, "block", &[]).expect(0);
    let [open] = &segments_of(&s, ".spec/model")[..] else { panic!("one segment") };
    assert!(
        s.read(open).contains("\"decision\":\"block\"") && said.out.contains(&format!("git add {open}")),
        "{said:?}"
    );
    assert_eq!(crate::goals::standing(&s), "BLOCKED ESCALATE", "the line counts");
}

/// Union is no help: where it works, it undoes redactions in silence.
#[test]
fn doctor_names_what_union_does_and_where_no_driver_is_needed() {
    let s = team();
    committed(&s, "one");
    let said = s.yatsu(&["doctor"]).out;
    assert!(said.contains("parallel readings merge anywhere"), "{said}");
    s.write(".gitattributes", "# ours\n*.evals.ndjson merge=union\n");
    let said = s.yatsu(&["doctor"]).out;
    assert!(said.contains("a line that one branch redacted comes back from the other"), "{said}");
    assert!(said.contains("remove line 2 of .gitattributes: *.evals.ndjson merge=union"), "{said}");
    // a segment merges anyhow: what decides is the trunk file, and the last line that fits it
    s.write(TRUNK, s.read(&segments(&s)[0]));
    s.git(&["add", "-A"]);
    for line in ["/.spec/*/yatsu.evals.ndjson merge=union", "* text merge=union", "yatsu.evals.ndjson merge=union"] {
        s.write(".gitattributes", format!("*.evals.ndjson merge=union\nevals.ndjson merge=union\n{line}\n"));
        let said = s.yatsu(&["doctor"]).out;
        assert!(said.contains(&format!("remove line 3 of .gitattributes: {line}")), "{said}");
    }
    s.write(".gitattributes", "*.evals.ndjson merge=union\n*.txt merge=union\n");
    let said = s.yatsu(&["doctor"]).out;
    assert!(said.contains("remove line 1 of .gitattributes: *.evals.ndjson"), "a line that fits no ledger: {said}");
    s.write(".gitattributes", "");
    with_setting(&s, "never");
    let said = s.yatsu(&["doctor"]).out;
    assert!(said.contains("parallel branches that both file readings will conflict in the ledger"), "{said}");
}
