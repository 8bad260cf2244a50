//! The words of a redacted line appear at no door and in no format: reports are often public, and the words had to go.

use super::canary::{calls, write_inputs};
use super::{calm, one_node};
use crate::support::{Said, Scratch, every_door, fed, reading_line, scenarios};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const TS: &str = "2026-01-01T00:01:00.000Z";

/// The word that only the redacted line holds, in every value that may hold a word.
const WORD: &str = "zanzibar";

/// A run of another name must not become cheaper by the redaction.
const LIMITED: &str = r#"{"yatsu": {"budgets": {"maxRunIoReadBytes": 8}}}"#;

/// A fail whose words have to go.
fn line(scratch: &Scratch) -> String {
    let how = format!(r#"{{"kind":"observed","harness":"{WORD}","command":"{WORD}","exit":1,"at":"{TS}"}}"#);
    let coverage = format!(r#"{{"format":"lcov","ran":["src/{WORD}.rs"],"more":0,"loaded":0}}"#);
    let terms =
        format!(r#""key":"{WORD}","run":"{WORD}","usage":{{"ioReadBytes":50}},"how":{how},"coverage":{coverage}"#);
    let head = scratch.git(&["rev-parse", "HEAD"]);
    reading_line(&head, "works", "fail", 1)
        .replace("manual@1", &format!("{WORD}@1"))
        .replace("\"fail\"", &format!("\"fail\",\"note\":\"{WORD} failed\""))
        .replace("\"ts\"", &format!("\"by\":\"{WORD}\",{terms},\"ts\""))
}

/// The branch `side` has the line, and HEAD redacts it; `more` is done in the same commit.
fn redacted(more: &dyn Fn(&Scratch)) -> Scratch {
    let scratch = one_node();
    scratch.write("spexcode.json", LIMITED);
    scratch.write(LEDGER, reading_line(&scratch.git(&["rev-parse", "HEAD"]), "works", "pass", 0) + &line(&scratch));
    scratch.commit("measured");
    scratch.git(&["branch", "side"]);
    let check = scratch.yatsu(&["check", "--all", "--format", "json"]).expect(0);
    assert!(check.out.contains(WORD), "the words are seen while the line stands: {}", check.out);
    let args = ["redact", "n", "--scenario", "works", "--ts", TS, "--reason", "a name"];
    scratch.yatsu(&args).expect(0);
    more(&scratch);
    scratch
}

#[track_caller]
fn is_clean(said: &Said, what: &str) {
    calm(said, what);
    for text in [&said.out, &said.err] {
        assert!(!text.to_lowercase().contains(WORD), "{what}: {text}");
    }
}

/// The formats to try with a verb.
fn formats(verb: &str) -> &'static [&'static str] {
    match verb {
        "check" | "scan" => &["human", "json", "sarif", "github", "markdown", "junit"],
        "pre-commit" | "pre-merge-commit" | "pre-push" | "pre-receive" | "run" | "validate" => {
            &["human", "json", "sarif", "github"]
        }
        "graph" | "goal" => &["human", "json", "dot", "mermaid", "markdown"],
        _ => &["human", "json"],
    }
}

/// What the checks of the range and of the state after it answer.
fn is_clean_everywhere(scratch: &Scratch, what: &str) {
    for (door, said) in every_door(scratch, &scratch.git(&["rev-parse", "side"])) {
        is_clean(&said, &format!("{what}: {door}"));
    }
    let range = &["--from", "side", "--to", "HEAD"];
    for args in [
        &[&["check", "--inherited", "list"][..], range].concat(),
        &[&["check", "--strict"][..], range].concat(),
        &[&["report", "--pr", "--pictures"][..], range].concat(),
        &["scan", "--limit", "0", "-v"][..],
        &["validate", LEDGER],
        &["show", "n", "--all", "-v"],
        &["ls", "-v"],
        &["repair", "--dry-run"],
        &["report", "--html", "-"],
        &["graph", "diff", "side..HEAD"],
    ] {
        for format in formats(args[0]) {
            let args = [&["--format", format], args].concat();
            is_clean(&scratch.yatsu(&args), &format!("{what}: {args:?}"));
        }
    }
}

#[test]
fn no_verb_prints_them_in_any_format() {
    let scratch = redacted(&|_| {});
    scratch.commit("redacted");
    write_inputs(&scratch);
    let [head, side] = ["HEAD", "side"].map(|name| scratch.git(&["rev-parse", name]));
    for (args, input) in calls(&head, &side) {
        for format in formats(args[0]) {
            let args = [&["--format", format], &args[..]].concat();
            is_clean(&fed(scratch.yatsu_command(&args), &input), &args.join(" "));
        }
    }
}

#[test]
fn no_other_part_of_the_change_brings_them_out() {
    is_clean_everywhere(&redacted(&|_| {}), "alone");
    let mended = |scratch: &Scratch| drop(scratch.yatsu(&["eval", "n", "--pass"]).expect(0));
    is_clean_everywhere(&redacted(&mended), "measured again");
    let refused = |scratch: &Scratch| scratch.write("spexcode.json", r#"{"yatsu": {"redact": "refuse"}}"#);
    is_clean_everywhere(&redacted(&refused), "where no redaction is taken");
    let moved = |scratch: &Scratch| drop(scratch.git(&["mv", ".spec/n", ".spec/m"]));
    is_clean_everywhere(&redacted(&moved), "with a move");
    let split = |scratch: &Scratch| {
        scratch.write(".spec/m/yatsu.md", scratch.read(".spec/n/yatsu.md"));
        scratch.write(".spec/n/yatsu.md", scenarios(&[("draws", "src/b.rs")]));
    };
    is_clean_everywhere(&redacted(&split), "where the scenario leaves its ledger");
    let dropped = |scratch: &Scratch| scratch.write(".spec/n/yatsu.md", scenarios(&[("draws", "src/b.rs")]));
    is_clean_everywhere(&redacted(&dropped), "with the scenario gone");
    let broken = |scratch: &Scratch| scratch.write(LEDGER, scratch.read(LEDGER) + "{\"scenario\": torn\n");
    is_clean_everywhere(&redacted(&broken), "beside a broken line");
}

/// A merge without the merge driver may bring the line back, beside its redaction.
#[test]
fn a_line_that_stands_again_is_not_quoted() {
    for (copy, what) in [("yatsu.evals.ndjson", "in its ledger"), ("evals.ndjson", "in the other ledger of its node")] {
        let scratch = redacted(&|scratch| {
            let side = scratch.git(&["show", &format!("side:{LEDGER}")]);
            let line = side.lines().last().expect("the line").to_owned() + "\n";
            let path = format!(".spec/n/{copy}");
            let here = std::fs::read_to_string(scratch.root.join(&path)).unwrap_or_default();
            scratch.write(&path, here + &line);
        });
        is_clean_everywhere(&scratch, what);
        let runs = ["--", "yatsu-hook", "usage", "--run", ""];
        let said = scratch.yatsu_command(&runs).env("YATSU_COMPLETE", "bash").output().expect("the program runs");
        is_clean(&Said::of(said), what);
    }
}
