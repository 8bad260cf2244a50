//! A hook has little time to parse. It parses only files that its change concerns, names the files that it could not
//! parse, and is still right if a unit came from another file.

use super::{declare, measured};
use crate::support::{Said, Scratch, executable, fed, hook_options, program, reading_line, real, scenarios};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use yatsu_hook::app::doors::{Commit, commit, fast_commit};
use yatsu_hook::app::judge::snapshot;
use yatsu_hook::app::judge::snapshot::MadeBy;
use yatsu_hook::app::memo;
use yatsu_hook::error::{Error, ErrorKind};
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::views::UnitReader;
use yatsu_hook::report::Report;
use yatsu_hook::text::units;

const PACK: &str = "export function pack() {\n  return 1;\n}\n";

/// How many nodes of [`many`] there are.
const NODES: usize = 6;

fn by_person() -> Commit<'static> {
    Commit { made_by: MadeBy::Person, briefly: true, busy: &|| () }
}

/// A repository in which each node governs one unit of its own file, changed since its reading; with a stamp or without.
fn many(is_stamped: bool) -> Scratch {
    let s = Scratch::new();
    let write = |text: &str| (0..NODES).for_each(|node| s.write(&format!("src/f{node}.ts"), text));
    write(PACK);
    for node in 0..NODES {
        s.write(&format!(".spec/n{node}/yatsu.md"), scenarios(&[("works", &format!("src/f{node}.ts#pack"))]));
    }
    let begun = s.commit("begin");
    for node in 0..NODES {
        if is_stamped {
            s.yatsu(&["eval", &format!("n{node}"), "--scenario", "works", "--pass"]).expect(0);
        } else {
            let line = reading_line(&begun, "works", "pass", 1);
            s.write(&format!(".spec/n{node}/yatsu.evals.ndjson"), line);
        }
    }
    s.commit("measured");
    write(&PACK.replace('1', "2"));
    s.commit("all stale");
    fs::remove_dir_all(s.root.join(".git/yatsu")).ok();
    s
}

fn memo_of(s: &Scratch) -> PathBuf {
    memo::paths_file(&s.root.join(".git"))
}

/// The repository for a hook without time to parse.
fn without_time(s: &Scratch) -> Repo {
    let repo = real::repo(s);
    let over = || Error {
        kind: ErrorKind::Unparsed,
        message: "no time".into(),
        hints: Vec::new(),
        argv: Vec::new(),
        excerpt: None,
    };
    repo.read_units_by(UnitReader::InTurn(Rc::new(move |_, _| Err(over()))));
    repo
}

fn stage(s: &Scratch, path: &str, text: &str) {
    s.write(path, text);
    s.git(&["add", "-A"]);
}

/// The answer of a hook without time to parse.
fn said(s: &Scratch) -> Report {
    commit::judge(&without_time(s), hook_options(), by_person()).expect("a report")
}

/// The hook's answer from the memo alone.
fn by_memo(s: &Scratch) -> Option<Report> {
    let repo = without_time(s);
    let compared = snapshot::compare(&repo).expect("an answer");
    fast_commit::report(&repo, &compared, hook_options(), by_person())
}

#[test]
fn a_commit_that_concerns_no_selector_is_silent_without_parsing_and_so_is_the_next() {
    for is_stamped in [true, false] {
        for (path, text) in [("docs/new.md", "words\n"), ("plain.txt", "changed\n"), ("src/new.ts", "const a = 1;\n")] {
            let s = many(is_stamped);
            s.write("plain.txt", "plain\n");
            s.commit("plain");
            stage(&s, path, text);
            let report = said(&s);
            assert!(report.is_silent(), "{path}: {report:?}");
            assert!(memo_of(&s).is_file(), "{path}");
            let again = by_memo(&s).expect("the memo is enough");
            assert!(again.is_silent(), "{path}: {again:?}");
            // an added path needs more work than a changed one: the first such commit does it for all
            stage(&s, "docs/another.md", "words\n");
            assert!(said(&s).is_silent(), "{path}");
            assert!(by_memo(&s).is_some_and(|report| report.is_silent()), "{path}");
        }
    }
}

#[test]
fn of_what_a_change_concerns_a_hook_without_time_says_that_it_was_not_judged() {
    let s = many(true);
    stage(&s, "src/f3.ts", &PACK.replace('1', "3"));
    for _ in 0..2 {
        assert_eq!(said(&s).notes, ["not judged: 1 (no time)"]);
        assert_eq!(by_memo(&s).expect("the memo is enough").notes, ["not judged: 1 (no time)"]);
    }
    // a change that concerns every node is judged as a whole, and untouched nodes are still not reported
    stage(&s, ".spec/late/yatsu.md", &scenarios(&[("late", "src/f2.ts")]));
    fs::remove_file(memo_of(&s)).expect("a memo");
    let report = said(&s);
    assert!(by_memo(&s).is_none());
    assert_eq!(report.notes, ["not judged: 1 (no time)"]);
    assert!(memo_of(&s).is_file(), "what could not be parsed is in no memo's way");
    let whole = s.yatsu(&["pre-commit"]).expect(0);
    assert!(!whole.err.contains("not judged"), "{}", whole.err);
}

/// The hook's answer, which must be the same with an earlier hook's memo and without.
#[track_caller]
fn told(s: &Scratch) -> String {
    s.git(&["add", "-A"]);
    assert!(memo_of(s).is_file(), "somebody left one");
    let with = s.yatsu(&["pre-commit"]);
    fs::remove_file(memo_of(s)).expect("a memo");
    let Said { code, out, err } = s.yatsu(&["pre-commit"]);
    assert_eq!((with.code, with.out, &with.err), (code, out, &err));
    err
}

/// `pack` moved from one measured file to another, and the list with it; `left` is the rest of the first file. A commit
/// that stages `last` then left the only memo: it changes a file, or adds it.
fn moved([from, to]: [&str; 2], left: Option<&str>, is_stamped: bool, last: &str) -> Scratch {
    let both = |symbol: &str, of: &str| format!("[\"{of}#{symbol}\", \"{to}#rest\"]");
    let s = measured(&both("pack", from), &[(from, &format!("{PACK}const left = 1;\n")), (to, "const rest = 1;\n")]);
    if !is_stamped {
        let begun = s.git(&["rev-parse", "HEAD~1"]);
        s.write(".spec/n/yatsu.evals.ndjson", reading_line(begun.trim(), "works", "pass", 1));
        s.commit("without a stamp");
    }
    match left {
        Some(left) => s.write(from, left),
        None => drop(s.git(&["rm", "-q", from])),
    }
    s.write(to, format!("const rest = 1;\n{PACK}"));
    declare(&s, &both("pack", to));
    s.write("plain.txt", "plain\n");
    s.commit("moved");
    fs::remove_dir_all(s.root.join(".git/yatsu")).ok();
    stage(&s, last, "changed\n");
    assert_eq!(s.yatsu(&["pre-commit"]).expect(0).err, "");
    s.commit("last");
    s
}

#[test]
fn a_unit_that_comes_back_to_where_it_was_measured_ends_its_move() {
    for last in ["plain.txt", "other.txt"] {
        let s = moved(["src/a.ts", "src/b.ts"], Some("const left = 1;\n"), true, last);
        s.write("src/a.ts", format!("{PACK}const left = 1;\n"));
        assert!(told(&s).contains("yatsu-drift"), "{last}");
    }
}

#[test]
fn a_file_of_the_same_name_that_comes_back_ends_the_move_of_an_unstamped_unit() {
    for last in ["plain.txt", "other.txt"] {
        // a directory in its place does so too
        for back in ["src/a.ts", "src/a.ts/inner.txt"] {
            let s = moved(["src/a.ts", "lib/a.ts"], None, false, last);
            s.write(back, "const nothing = 1;\n");
            assert!(told(&s).contains("yatsu-drift"), "{last}: {back}");
        }
    }
}

/// More than any machine parses in the time of a hook.
#[test]
fn the_hook_of_git_gives_up_what_takes_too_long_and_lets_the_commit_pass() {
    const FILES: usize = 12;
    let s = Scratch::new();
    s.write("docs/first.md", "words\n");
    s.commit("first");
    s.yatsu(&["install"]).expect(0);
    let large = |end: &str| "function f() { let a = [1, 2, 3]; }\n".repeat(25_000) + PACK + end;
    let entries: Vec<_> = (0..FILES).map(|file| (format!("works{file}"), format!("src/f{file}.ts#pack"))).collect();
    let entries: Vec<_> = entries.iter().map(|(name, code)| (name.as_str(), code.as_str())).collect();
    let write =
        |end: &str| (0..FILES).for_each(|file| s.write(&format!("src/f{file}.ts"), large(&format!("{end}{file};\n"))));
    write("const a = ");
    s.write(".spec/n/yatsu.md", scenarios(&entries));
    let begun = s.commit("begin");
    let lines: String = entries.iter().map(|(name, _)| reading_line(&begun, name, "pass", 1)).collect();
    s.write(".spec/n/yatsu.evals.ndjson", lines);
    s.commit("measured");
    write("const b = ");
    s.git(&["add", "-A"]);
    let said = s.try_git(&["commit", "-m", "much"]).expect(0);
    let told = said.out + &said.err;
    assert!(told.contains("(parsing the changed files takes longer than a hook may take)"), "{told}");
    assert!(!told.contains("yatsu-drift"), "{told}");
    assert!(memo_of(&s).is_file());
    s.write("docs/x.md", "words\n");
    s.git(&["add", "-A"]);
    let next = s.try_git(&["commit", "-m", "words"]).expect(0);
    assert!(!(next.out + &next.err).contains("not judged"));
}

/// The number of sources that a hook parses to judge the staged changes.
fn parses(s: &Scratch) -> usize {
    let (repo, count) = (real::repo(s), Rc::new(Cell::new(0)));
    let counted = Rc::clone(&count);
    repo.read_units_by(UnitReader::InTurn(Rc::new(move |language, source| {
        counted.set(counted.get() + 1);
        Ok(units::read(language, source, &mut || false))
    })));
    let report = commit::judge(&repo, hook_options(), by_person()).expect("a report");
    assert!(report.notes.is_empty(), "{report:?}");
    count.get()
}

#[test]
fn a_hook_leaves_what_it_parsed_and_an_edit_of_a_governed_file_is_one_parse() {
    for is_whole in [false, true] {
        let s = many(true);
        stage(&s, "src/f3.ts", &PACK.replace('1', "3"));
        if is_whole {
            stage(&s, ".spec/late/yatsu.md", &scenarios(&[("late", "src/f3.ts")]));
        }
        assert_eq!(parses(&s), 3, "the index, HEAD and what was measured");
        assert_eq!(parses(&s), 0, "the same once more, with or without a change that concerns everything: {is_whole}");
        s.commit("edited");
        stage(&s, "src/f3.ts", &PACK.replace('1', "4"));
        assert_eq!(parses(&s), 1, "what is new");
        s.git(&["reset", "-q", "--hard"]);
        stage(&s, "src/f2.ts", &PACK.replace('1', "5"));
        assert_eq!(parses(&s), 1, "of the same content the others are known, too");
    }
}

#[test]
fn the_first_edit_after_a_measurement_is_one_parse() {
    let s = measured("src/a.ts#pack", &[("src/a.ts", PACK)]);
    stage(&s, "src/a.ts", &PACK.replace('1', "2"));
    assert_eq!(parses(&s), 1, "what was measured is known from then");
}

#[test]
fn few_answers_of_a_hook_leave_those_of_a_scan() {
    let s = many(true);
    s.yatsu(&["scan"]).expect(0);
    stage(&s, "src/f3.ts", &PACK.replace('1', "3"));
    assert_eq!(parses(&s), 1);
    s.git(&["reset", "-q", "--hard"]);
    for node in 0..NODES {
        stage(&s, &format!("src/f{node}.ts"), &format!("// {node}\n{PACK}"));
    }
    assert_eq!(parses(&s), NODES, "what stands in HEAD and what was measured is known");
}

/// [`many`], where one file was edited in the last commit, and the line that `pre-receive` reads when that is pushed.
fn edited_since() -> (Scratch, String) {
    let s = many(true);
    let old = s.git(&["rev-parse", "HEAD"]);
    s.write("src/f3.ts", PACK.replace('1', "3"));
    let new = s.commit("edited");
    let line = format!("{} {} refs/heads/main\n", old.trim(), new.trim());
    (s, line)
}

/// The same line as `pre-push` reads it.
fn as_sent(line: &str) -> String {
    let [old, new, name] = line.split_whitespace().collect::<Vec<_>>()[..] else { panic!("three words") };
    format!("{name} {new} {name} {old}\n")
}

#[test]
fn a_push_leaves_what_it_parsed_with_and_without_the_memo_of_a_hook() {
    for is_brief in [false, true] {
        let (s, line) = edited_since();
        if is_brief {
            stage(&s, "docs/new.md", "words\n");
            assert!(said(&s).is_silent());
            s.git(&["reset", "-q", "--hard"]);
        }
        assert_eq!(memo_of(&s).is_file(), is_brief);
        fed(s.yatsu_command(&["pre-push", "origin", "elsewhere"]), as_sent(&line)).expect(0);
        stage(&s, "src/f3.ts", &PACK.replace('1', "4"));
        assert_eq!(parses(&s), 1, "what is in HEAD and what was measured are known from the push: {is_brief}");
    }
}

#[test]
fn in_quarantine_no_hook_leaves_what_it_parsed() {
    for is_brief in [false, true] {
        let (s, line) = edited_since();
        if is_brief {
            stage(&s, "docs/new.md", "words\n");
            assert!(said(&s).is_silent());
            s.git(&["reset", "-q", "--hard"]);
        }
        for (args, input) in [
            (&["pre-push", "origin", "elsewhere"][..], &as_sent(&line)),
            (&["pre-receive"], &line),
            (&["pre-commit"], &line),
        ] {
            stage(&s, "src/f3.ts", &PACK.replace('1', "4"));
            let mut command = s.yatsu_command(args);
            command.env("GIT_QUARANTINE_PATH", "objects/incoming");
            fed(command, input).expect(0);
            assert_eq!(left(&s.root.join(".git/yatsu"), is_brief), "", "{args:?}");
        }
    }
}

/// The files in `dir`, but for the memo of paths where a hook left one before.
fn left(dir: &Path, is_brief: bool) -> String {
    let entries = fs::read_dir(dir).into_iter().flatten().map(|entry| entry.expect("one").path());
    let others = entries.filter(|path| !(is_brief && *path == memo::paths_file(dir.parent().expect("a parent"))));
    others.map(|path| format!("{} ", path.display())).collect()
}

#[test]
fn a_server_leaves_nothing_of_what_a_push_brings() {
    let (s, _) = edited_since();
    let server = s.base.join("server.git");
    s.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
    s.git(&["push", "-q", "../server.git", "HEAD~1:refs/heads/main"]);
    let seen = s.base.join("quarantine");
    let hook = format!(
        "#!/bin/sh\necho \"$GIT_QUARANTINE_PATH\" >'{}'\nexec '{}' pre-receive\n",
        seen.display(),
        program().display()
    );
    executable(&server.join("hooks/pre-receive"), &hook);
    s.git(&["push", "-q", "../server.git", "HEAD:refs/heads/main"]);
    assert!(fs::read_to_string(seen).expect("the hook ran").contains("server.git"), "objects waited in quarantine");
    assert_eq!(left(&server.join("yatsu"), false), "");
}
