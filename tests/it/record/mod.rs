//! The recording verbs through the program: every flag, every refusal, and a scan right afterwards.

mod behind;
mod contract;
mod corpus;
mod eval;
mod evidence;
mod filing;
mod keyed;
mod marked;
mod mend;
mod newer;
mod notebook;
mod redact;
mod refusals;

use crate::support::{Said, Scratch, scenarios};
use std::path::PathBuf;

const LEDGER: &str = ".spec/board/yatsu.evals.ndjson";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";
const WEBM: &[u8] = b"\x1a\x45\xdf\xa3not much of a video";

/// One node `.spec/board` with the scenario `renders` over `code`, committed with `src/a.rs`.
fn repository(code: &str) -> Scratch {
    with_scenarios(&[("renders", code)])
}

fn with_scenarios(list: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.write(".spec/board/spec.md", "---\ntitle: board\ncode:\n  - src/a.rs\n---\n");
    scratch.write(".spec/board/yatsu.md", scenarios(list));
    scratch.commit("begin");
    scratch
}

/// The lines of the ledger; none when there is no ledger.
fn lines(scratch: &Scratch) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(scratch.root.join(LEDGER)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect()
}

fn last(scratch: &Scratch) -> serde_json::Value {
    lines(scratch).pop().expect("a line")
}

fn blobs(scratch: &Scratch) -> PathBuf {
    scratch.root.join(".git/spexcode/yatsu-blobs")
}

/// How many files there are in the evidence directory, temporary ones included.
fn stored(scratch: &Scratch) -> usize {
    std::fs::read_dir(blobs(scratch)).map_or(0, Iterator::count)
}

/// Runs `eval board` with these flags.
fn eval(scratch: &Scratch, flags: &[&str]) -> Said {
    scratch.yatsu(&[&["eval", "board"], flags].concat())
}

/// Asserts that nothing is written: no line, no evidence.
#[track_caller]
fn refused(scratch: &Scratch, said: Said, code: i32, word: &str) {
    let said = said.expect(code);
    assert_eq!(said.out, "");
    assert!(said.err.contains(word), "`{word}` is not in:\n{}", said.err);
    assert!(said.err.ends_with("\nFAILED: nothing filed\n"), "{}", said.err);
    assert_eq!(stored(scratch), 0);
}

/// A scan's drift findings in the working tree: the axes of `renders`, or none.
fn drift(scratch: &Scratch) -> String {
    let said = scratch.yatsu(&["--format", "json", "scan"]);
    let json = crate::support::validate_published(&said.out);
    let findings = json["findings"].as_array().expect("a list");
    let stale = findings.iter().filter(|finding| finding["rule"] == "yatsu-drift");
    stale.flat_map(|finding| finding["axes"].as_array().expect("axes")).filter_map(|axis| axis.as_str()).collect()
}

/// The output beside the receipt, without the `git add` line.
pub fn warned(said: &crate::support::Said) -> String {
    said.err.split_inclusive('\n').filter(|line| !line.starts_with("next: git add ")).collect()
}
