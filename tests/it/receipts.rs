//! Receipts that cannot be printed: the exit code of a writing verb only says whether the data was saved; a reading verb has
//! failed if its answer is lost.

use crate::support::{Said, Scratch, hermetic, program, scenarios, sha256, validate_published};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const RUN: &str = ".yatsu/runs/r.jsonl";

/// The destination of a receipt.
#[derive(Clone, Copy, Debug)]
enum Outlet {
    FullDisk,
    Closed,
    NobodyReads,
}

/// Every writing verb, as a line of words, after the lines that prepare it. `TOKEN` is the token of the claim taken before,
/// `TS` the time of the last reading.
const WRITING: &[(&[&str], &str)] = &[
    (&[], "eval n --scenario works --fail"),
    (&["eval n --scenario works --pass"], "retract n --scenario works"),
    (&["eval n --scenario works --pass"], "redact n --scenario works --ts TS --reason r"),
    (&["claim take n --scenario works"], "claim renew TOKEN --ttl 3h"),
    (&["claim take n --scenario works"], "claim release TOKEN"),
    (&["eval n --scenario works --pass --usage ../usage.json"], "claim waive-budget n --scenario works --reason r"),
    (&["eval n --scenario works --pass --result ../log.txt"], "goal complete n"),
    (&["eval n --scenario works --pass --result ../log.txt"], "goal review n --score 90 --by Bob --note fine"),
    (&["eval n --scenario works --fail --result ../log.txt"], "goal pivot n --reason r"),
    (&[], "goal rework n --reason r"),
    (&[], "goal block n --reason r"),
    (&["goal block n --reason r"], "goal unblock n --reason r"),
    (&["eval n --scenario works --pass"], "patch approve side --reason r --by Bob"),
    (&["eval n --scenario works --pass"], "patch reject side --reason r --by Bob"),
    (&[], "runlog start .yatsu/runs/new.jsonl"),
    (&[], "runlog add note text=t --log .yatsu/runs/r.jsonl"),
    (&["eval n --scenario works --pass"], "runlog phase end 1 --log .yatsu/runs/r.jsonl"),
    (&["runlog phase end 1"], "runlog phase start 2 --log .yatsu/runs/r.jsonl"),
    (&[], "runlog end aborted --log .yatsu/runs/r.jsonl"),
    (&[], "runlog resume .yatsu/runs/r.jsonl --apply"),
    (&["TORN"], "repair"),
    (&["eval n --scenario works --pass --result ../log.txt", "evidence put ../other.txt", "OLD"], "clean"),
    (
        &["eval n --scenario works --pass --result ../log.txt", "evidence put ../other.txt", "OLD", "clean"],
        "clean --undo",
    ),
    (&["PAGELESS"], "runlog progress .yatsu/runs/r.jsonl"),
    (&[], "evidence put ../log.txt"),
    (&["evidence put ../log.txt"], "evidence get HASH -o copy.txt"),
    (&[], "install"),
    (&["install"], "uninstall"),
    (&[], "new fresh --code src/a.rs"),
];

/// A refusal of every writing verb that can be refused: the preparation, the line, the reason in its document.
const REFUSED: &[(&[&str], &str, &str)] = &[
    (&["claim take n --scenario works"], "eval n --scenario works --fail", "held"),
    (&["EMPTY-REPORT"], "eval --from-junit ../empty.xml", "nothing-left"),
    (&["eval n --scenario works --pass --key k"], "eval n --scenario works --fail --key k", "already"),
    (&["LATER-HEAD"], "eval --from-junit ../old.xml", "stale"),
    (&[], "eval n --scenario works --pass --claim 00000000000000000000000000000000", "unknown"),
    (&["TORN"], "eval n --scenario works --pass", "invalid"),
    (&[], "retract n --scenario works", "nothing-left"),
    (&[], "redact n --scenario works --ts 2026-01-01T00:00:00.000Z --reason r", "unknown"),
    (&["claim take n --scenario works"], "claim take n --scenario works", "held"),
    (&["claim take n --scenario works"], "claim next", "nothing-left"),
    (&["eval n --scenario works --pass"], "claim next", "nothing-left"),
    (
        &["claim take n --scenario works", "claim release --force n --scenario works --reason r"],
        "claim renew TOKEN",
        "already",
    ),
    (&[], "claim release --force n --scenario works --reason r", "nothing-left"),
    (&["eval n --scenario works --pass"], "claim waive-budget n --scenario works --reason r", "nothing-left"),
    (&[], "goal complete n", "not-met"),
    (&["UNREADABLE-GOAL"], "goal review n --score 90 --by Bob --note fine", "invalid"),
    (&[], "goal pivot n --reason r", "not-met"),
    (&["UNREADABLE-GOAL"], "goal rework n --reason r", "invalid"),
    (&["NO-GOAL"], "goal block n --reason r", "unknown"),
    (&["NO-GOAL"], "goal unblock n --reason r", "unknown"),
    (&[], "patch approve side --reason r --by Bob", "not-met"),
    (&[], "patch approve sides --reason r --by Bob", "unknown"),
    (
        &["eval n --scenario works --pass", "patch reject side --reason r --by Bob"],
        "patch approve side --reason r --by Eve",
        "already",
    ),
    (&[], "patch reject sides --reason r --by Bob", "unknown"),
    (&[], "runlog start .yatsu/runs/r.jsonl", "exists"),
    (&["runlog end aborted --log .yatsu/runs/r.jsonl"], "runlog add note text=t --log .yatsu/runs/r.jsonl", "already"),
    (&["runlog end aborted --log .yatsu/runs/r.jsonl"], "runlog phase end 1 --log .yatsu/runs/r.jsonl", "already"),
    (&[], "runlog phase start 2 --log .yatsu/runs/r.jsonl", "not-met"),
    (&["runlog end aborted --log .yatsu/runs/r.jsonl"], "runlog end aborted --log .yatsu/runs/r.jsonl", "already"),
    (&["BARE"], "runlog resume .yatsu/runs/r.jsonl --apply", "refused"),
    (&["FOREIGN-PAGE"], "runlog progress .yatsu/runs/r.jsonl", "exists"),
    (&["BARE"], "repair", "refused"),
    (&[], "clean --undo", "nothing-left"),
    (&["evidence put ../log.txt"], "evidence get 0000 -o copy.txt", "unknown"),
    (&["evidence put ../log.txt"], "evidence get HASH -o src/a.rs", "exists"),
    (&["HOOK-DIRECTORY"], "install", "refused"),
    (&[], "new n --code src/a.rs", "exists"),
    (&[], "report --html src/a.rs", "exists"),
];

/// Writing verbs that no state of a repository refuses.
const NEVER_REFUSED: [&str; 2] = ["evidence put", "uninstall"];

/// Verbs that only read, or run dry.
const LOOKING: &[(&[&str], &str)] = &[
    (&[], "eval n --scenario works --fail --dry-run"),
    (&[], "new fresh --code src/a.rs --dry-run"),
    (&["TORN"], "repair --dry-run"),
    (&["eval n --scenario works --pass --result ../log.txt", "evidence put ../other.txt", "OLD"], "clean --dry-run"),
    (&[], "claim next --dry-run"),
    (&[], "runlog resume .yatsu/runs/r.jsonl"),
    (&[], "install --dry-run"),
    (&["install"], "uninstall --dry-run"),
    (&["evidence put ../log.txt"], "evidence check"),
    (&[], "goal check"),
    (&[], "patch ls"),
];

/// A node with a goal that a fresh pass reaches, on a branch that changes it, with a small budget and an open run.
fn world() -> Scratch {
    let s = Scratch::new();
    s.git(&["config", "user.name", "Ann"]);
    s.write("src/a.rs", "fn a() {}\n");
    let goal = "goal_contract:\n  version: 1\n  goal_text: g\n  acceptance_criteria:\n    - id: AC1\n      kind: marker_required\n      marker: DONE\n---\n";
    let text = scenarios(&[("works", "src/a.rs")]);
    s.write(".spec/n/yatsu.md", text.trim_end_matches("---\n").to_owned() + goal);
    s.write("spexcode.json", "{\"yatsu\": {\"budgets\": {\"maxTaskTotalTokens\": 10}}}");
    s.write("../log.txt", "[DONE]\n");
    s.write("../other.txt", "unnamed\n");
    s.write("../usage.json", "{\"promptTokens\":50,\"completionTokens\":0,\"totalTokens\":50,\"source\":\"meter\"}");
    s.commit("begin");
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("src/a.rs", "fn aa() {}\n");
    s.yatsu(&["runlog", "start", RUN]).expect(0);
    s.commit("side");
    s
}

/// Replaces the repository by a copy of the world.
fn restored(s: &Scratch) {
    let (kept, root) = (s.base.join("kept"), &s.root);
    let _ = fs::remove_dir_all(root);
    assert!(Command::new("cp").arg("-a").arg(kept).arg(root).status().expect("cp").success());
}

fn ledger(s: &Scratch) -> String {
    fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default()
}

/// The scenario file with a changed contract.
fn goal(s: &Scratch, from: &str, to: &str) {
    s.write(".spec/n/yatsu.md", s.read(".spec/n/yatsu.md").replace(from, to));
}

/// Runs the preparation.
fn prepare(s: &Scratch, steps: &[&str]) -> Vec<Said> {
    steps.iter().filter_map(|step| prepare_one(s, step)).collect()
}

fn prepare_one(s: &Scratch, step: &str) -> Option<Said> {
    match step {
        "TORN" => s.write(LEDGER, ledger(s) + "{\"scenario\":\"wo"),
        "PAGELESS" => s.write(".yatsu/runs/r.md", "an old page\n"),
        "OLD" => {
            let blob = s.root.join(".git/spexcode/yatsu-blobs").join(sha256("unnamed\n"));
            let touched = Command::new("touch").args(["-d", "2020-01-01"]).arg(blob).status();
            assert!(touched.expect("touch").success());
        }
        "EMPTY-REPORT" => s.write("../empty.xml", "<testsuites/>"),
        "LATER-HEAD" => {
            s.write("../old.xml", "<testsuites><testsuite name='t'><testcase name='works'/></testsuite></testsuites>");
            let old = Command::new("touch").args(["-d", "2000-01-01"]).arg(s.base.join("old.xml")).status();
            assert!(old.expect("touch").success());
        }
        "UNREADABLE-GOAL" => goal(s, "version: 1", "version: one"),
        "NO-GOAL" => goal(s, "goal_contract", "x-goal"),
        "BARE" => drop(s.git(&["config", "core.bare", "true"])),
        "FOREIGN-PAGE" => s.write(".yatsu/runs/r.md", s.read(RUN)),
        "HOOK-DIRECTORY" => {
            fs::create_dir_all(s.root.join(".git/hooks/pre-commit")).expect("a directory");
        }
        line => return Some(s.yatsu(&line.split(' ').collect::<Vec<_>>()).expect(0)),
    }
    None
}

/// The words of a line, with the prepared values in place of their names.
fn words(s: &Scratch, line: &str, before: &[Said]) -> Vec<String> {
    let printed = before.iter().flat_map(|said| said.out.lines());
    let token = printed.filter_map(|line| line.strip_prefix("token ")).next_back().map(str::to_owned);
    let last = ledger(s).lines().last().map(str::to_owned).unwrap_or_default();
    let ts = last.split("\"ts\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("").to_owned();
    let word = |word: &str| match word {
        "TOKEN" => token.clone().unwrap_or_default(),
        "TS" => ts.clone(),
        "HASH" => sha256("[DONE]\n"),
        other => other.to_owned(),
    };
    line.split(' ').map(word).collect()
}

fn told(s: &Scratch, words: &[String], outlet: Outlet) -> Said {
    let redirect = match outlet {
        Outlet::FullDisk => ">/dev/full",
        Outlet::Closed => ">&-",
        Outlet::NobodyReads => "",
    };
    let mut shell = hermetic("sh", &s.home());
    shell.current_dir(&s.root).args(["-c", &format!("exec \"$0\" \"$@\" {redirect}")]).arg(program()).args(words);
    if let Outlet::NobodyReads = outlet {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        shell.stdout(writer);
    }
    Said::of(shell.output().expect("it runs"))
}

/// Everything that a verb may write, without memos.
fn data(s: &Scratch) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect(&s.root, &mut found);
    found
        .retain(|path, _| !path.contains("/yatsu/memo") && !path.contains("/yatsu/parsed") && !path.ends_with(".lock"));
    found
}

fn collect(dir: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).expect("a directory").filter_map(Result::ok) {
        if entry.file_type().expect("a type").is_dir() {
            collect(&entry.path(), found);
        } else {
            found.insert(entry.path().display().to_string(), fs::read(entry.path()).unwrap_or_default());
        }
    }
}

#[test]
fn what_is_written_is_said_by_an_exit_code_of_0_whoever_gets_the_receipt() {
    let s = world();
    fs::rename(&s.root, s.base.join("kept")).expect("a place");
    let mut wrong = Vec::new();
    for (number, (steps, line)) in WRITING.iter().enumerate() {
        let formats = ["human", "json"];
        let gone = [Outlet::Closed, Outlet::NobodyReads][number % 2];
        for (outlet, format) in [(Outlet::FullDisk, formats[number % 2]), (gone, formats[(number + 1) % 2])] {
            restored(&s);
            let before = prepare(&s, steps);
            let mut words = words(&s, line, &before);
            words.extend(["--format".into(), format.into()]);
            let data_before = data(&s);
            let said = told(&s, &words, outlet);
            let what = format!("{words:?} {outlet:?}: exit {}\n{}", said.code, said.err);
            let lost = said.err.contains("cannot write to standard output");
            let is_right = said.code == 0 && data(&s) != data_before && !said.err.contains("FAILED");
            if !is_right || lost != matches!(outlet, Outlet::FullDisk) {
                wrong.push(what);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_only_looks_has_failed_when_its_answer_is_lost_and_wrote_nothing() {
    let s = world();
    fs::rename(&s.root, s.base.join("kept")).expect("a place");
    let mut wrong = Vec::new();
    for (steps, line) in LOOKING {
        for format in ["human", "json"] {
            restored(&s);
            let before = prepare(&s, steps);
            let mut words = words(&s, line, &before);
            words.extend(["--format".into(), format.into()]);
            let data_before = data(&s);
            let said = told(&s, &words, Outlet::FullDisk);
            let what = format!("{words:?}: exit {}\n{}", said.code, said.err);
            if said.code != 3 || data(&s) != data_before {
                wrong.push(what);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The verb and its subverb: for `claim take n` the first two words.
fn verb(line: &str) -> String {
    let family = ["claim", "goal", "patch", "runlog", "evidence"];
    let words: Vec<&str> = line.split(' ').collect();
    words[..if family.contains(&words[0]) { 2 } else { 1 }].join(" ")
}

#[test]
fn a_program_reads_why_any_verb_was_refused_and_what_to_do() {
    let s = world();
    fs::rename(&s.root, s.base.join("kept")).expect("a place");
    let mut wrong = Vec::new();
    for (steps, line, reason) in REFUSED {
        restored(&s);
        let before = prepare(&s, steps);
        let mut words = words(&s, line, &before);
        words.extend(["--format".into(), "json".into()]);
        let data_before = data(&s);
        let said = s.yatsu(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let what = format!("{words:?}: exit {}\n{}{}", said.code, said.out, said.err);
        if said.code != 1 || data(&s) != data_before || said.out.is_empty() {
            wrong.push(what);
            continue;
        }
        let document = validate_published(&said.out);
        let is_said = document["message"].as_str().is_some_and(|message| said.err.contains(message));
        if document["reason"] != *reason || !is_said {
            wrong.push(what.clone());
        }
        if let Some(argv) = document["argv"].as_array() {
            let argv: Vec<&str> = argv.iter().filter_map(|word| word.as_str()).collect();
            // the advice must be a command: exit 2 would mean wrong arguments
            if argv[0] != "yatsu-hook" || s.yatsu(&argv[1..]).code == 2 {
                wrong.push(what);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_refusal_of_every_verb_that_writes_is_tried() {
    let refused: BTreeSet<String> = REFUSED.iter().map(|(_, line, _)| verb(line)).collect();
    let writing: BTreeSet<String> = WRITING.iter().map(|(_, line)| verb(line)).collect();
    let untried: Vec<&String> = writing.difference(&refused).collect();
    assert_eq!(untried, NEVER_REFUSED);
}
