//! Objects that a crash or a disk truncated or damaged: every door and every verb ends, and never passes if it could not
//! read one. libgit2 reads such a file for ever.

use super::calm;
use crate::support::{Said, Scratch, fed, hermetic, one_node, program, reading};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// The damaged objects.
const REVISIONS: &[&str] = &[
    "HEAD",
    "HEAD^{tree}",
    "HEAD:.spec/n",
    "HEAD:.spec/n/yatsu.md",
    "main",
    "main:.spec/n/yatsu.md",
    "side^{tree}",
    ":.spec/m/yatsu.md",
];

/// Messages of advice that could not be made. Such advice does not block.
const UNJUDGED: &[&str] = &["not judged", "not-judged", "partial: "];

/// One node with a reading, a goal, a run log and a branch, stored uncompressed as git can store it. The scenario file is
/// larger than one read.
fn world() -> Scratch {
    let s = one_node();
    s.git(&["config", "core.looseCompression", "0"]);
    let contract = "goal_contract:\n  version: 1\n  goal_text: g\n  acceptance_criteria:\n    - id: AC1\n      kind: finding_count\n      minCount: 0\n---\n";
    let text = s.read(".spec/n/yatsu.md").trim_end_matches("---\n").to_owned() + contract;
    s.write(".spec/n/yatsu.md", text + &"what it is about\n".repeat(3000));
    s.commit("goal");
    s.write("src/c.rs", "fn c() {}\n");
    s.yatsu(&["runlog", "start"]).expect(0);
    reading(&s, ".spec/n", "works", "pass", 1);
    s.commit("read");
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("src/a.rs", "fn aa() {}\n");
    s.commit("side");
    s.git(&["checkout", "-q", "-b", "next", "main"]);
    s.write("src/b.rs", "fn bb() {}\n");
    s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md") + "more\n");
    s.commit("next");
    s.write(".spec/m/yatsu.md", crate::support::scenarios(&[("m", "src/b.rs")]));
    s.git(&["add", "-A"]);
    s
}

/// The loose object file of `rev`.
fn object_file(s: &Scratch, rev: &str) -> PathBuf {
    let id = s.git(&["rev-parse", rev]);
    s.root.join(".git/objects").join(&id[..2]).join(&id[2..])
}

/// The program with a limit of processor seconds.
fn bounded(s: &Scratch, args: &[&str]) -> Command {
    let mut command = hermetic("sh", &s.home());
    command.current_dir(&s.root).args(["-c", "ulimit -t 20; exec \"$0\" \"$@\""]).arg(program()).args(args);
    command
}

/// Every door and verb that reads objects, with its standard input.
fn asked(s: &Scratch) -> Vec<(Vec<&'static str>, String)> {
    let id = |rev: &str| s.git(&["rev-parse", rev]);
    let pushed = format!("refs/heads/next {} refs/heads/next {}\n", id("next"), id("main"));
    let received = format!("{} {} refs/heads/next\n", id("main"), id("next"));
    let quiet: &[&[&str]] = &[
        &["pre-commit"],
        &["pre-merge-commit"],
        &["run"],
        &["check"],
        &["check", "--staged"],
        &["check", "--rev", "HEAD"],
        &["check", "--from", "main", "--to", "next"],
        &["scan"],
        &["scan", "--rev", "HEAD"],
        &["scan", "--changed", "--base", "main"],
        &["show", "n"],
        &["ls"],
        &["impact", "src/a.rs"],
        &["eval", "n", "--scenario", "works", "--pass"],
        &["retract", "n", "--scenario", "works"],
        &["repair", "--restore", "main"],
        &["goal", "check"],
        &["goal", "check", "--rev", "HEAD"],
        &["runlog", "check"],
        &["graph", "show"],
        &["graph", "diff", "main..next"],
        &["patch", "ls"],
        &["patch", "show", "side"],
        &["clean", "--dry-run"],
        &["usage"],
    ];
    let mut all: Vec<_> = quiet.iter().map(|args| (args.to_vec(), String::new())).collect();
    all.push((vec!["pre-push", "origin", "nowhere"], pushed));
    all.push((vec!["pre-receive"], received));
    all
}

/// The ways in which this file may be damaged.
fn damages(whole: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut flipped = whole.to_vec();
    flipped[whole.len() / 2] ^= 0x41;
    vec![
        ("cut in the middle", whole[..whole.len() / 2].to_vec()),
        ("without its end", whole[..whole.len() - 1].to_vec()),
        ("cut in its head", whole[..4].to_vec()),
        ("empty", Vec::new()),
        ("of zeros", vec![0; whole.len()]),
        ("with a byte changed", flipped),
        ("with bytes behind it", [whole, b"x"].concat()),
    ]
}

fn replace(file: &PathBuf, bytes: &[u8]) {
    fs::remove_file(file).expect("a file that goes");
    fs::write(file, bytes).expect("a file that comes");
}

/// Runs the program and undoes its writes.
fn asked_once(s: &Scratch, (args, input): &(Vec<&'static str>, String), ledger: &str) -> Said {
    let said = fed(bounded(s, args), input);
    s.write(LEDGER, ledger);
    let _ = fs::remove_dir_all(s.root.join(".git/yatsu"));
    said
}

#[test]
fn an_object_that_is_not_whole_ends_every_door_and_verb_and_none_passes_it() {
    let s = world();
    let (asked, ledger) = (asked(&s), s.read(LEDGER));
    let sound: Vec<Said> = asked.iter().map(|question| asked_once(&s, question, &ledger)).collect();
    let mut refused = BTreeSet::new();
    for rev in REVISIONS {
        let file = object_file(&s, rev);
        let whole = fs::read(&file).expect("a file");
        for (damage, bytes) in damages(&whole) {
            replace(&file, &bytes);
            for (question, sound) in asked.iter().zip(&sound) {
                let said = asked_once(&s, question, &ledger);
                let what =
                    format!("{:?} with {rev} {damage}: exit {}\n{}{}", question.0, said.code, said.out, said.err);
                calm(&said, &what);
                if said.code == 3 {
                    refused.insert(question.0.clone());
                    assert!(said.err.contains("fsck"), "{what}");
                } else if !UNJUDGED.iter().any(|words| said.out.contains(words)) {
                    // an answer that does not need the object stays the same
                    assert_eq!((said.code, undated(&said)), (sound.code, undated(sound)), "{what}");
                }
            }
        }
        replace(&file, &whole);
    }
    for door in [
        "pre-commit",
        "pre-merge-commit",
        "pre-push",
        "pre-receive",
        "run",
        "check",
        "eval",
        "runlog",
        "graph",
        "patch",
    ] {
        assert!(refused.iter().any(|args| args[0] == door), "{door} reads none of them");
    }
}

/// The lines of the output without times.
fn undated(said: &Said) -> Vec<&str> {
    said.out.lines().filter(|line| !line.contains("filed") && !line.contains("retracted")).collect()
}
