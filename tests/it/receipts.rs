//! Receipts that nobody gets: the exit code of every verb that writes says what became of the data, and that alone; what only
//! looks has failed when its answer is lost.

use crate::support::{Said, Scratch, hermetic, program, scenarios, sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const RUN: &str = ".yatsu/runs/r.jsonl";

/// Where a receipt may go.
#[derive(Clone, Copy, Debug)]
enum Outlet {
    FullDisk,
    Closed,
    NobodyReads,
}

/// Every verb that writes, as a line of words, after the lines that make it possible. `TOKEN` is the token of the claim that
/// was taken before, `TS` the time of the last reading.
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

/// What looks, or is told to write nothing.
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

/// A node with a goal that a fresh pass reaches, on a branch that touches it, a budget that is soon used up, and an open run.
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

/// A copy of the world in its place.
fn restored(s: &Scratch) {
    let (kept, root) = (s.base.join("kept"), &s.root);
    let _ = fs::remove_dir_all(root);
    assert!(Command::new("cp").arg("-a").arg(kept).arg(root).status().expect("cp").success());
}

fn ledger(s: &Scratch) -> String {
    fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default()
}

/// Makes possible what comes next.
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
        line => return Some(s.yatsu(&line.split(' ').collect::<Vec<_>>()).expect(0)),
    }
    None
}

/// The words of a line, with what was made before in the places of the names.
fn words(s: &Scratch, line: &str, before: &[Said]) -> Vec<String> {
    let token = before
        .last()
        .map(|said| said.out.lines().find_map(|line| line.strip_prefix("token ")).unwrap_or("").to_owned());
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

/// Everything that a verb may write, but for memos.
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
