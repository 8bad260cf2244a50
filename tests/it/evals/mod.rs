//! Runs, counts and environments (docs/evals.md), through the whole program. The tests have the numbers of the cases that they
//! prove: N1 to N17.

mod blocked;
mod filing;
mod gates;
mod goals;
mod law;
mod next;
mod reports;

use crate::support::{Said, Scratch, validate_published};
use serde_json::Value;

const FILE: &str = ".spec/n/yatsu.md";
const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// A scenario file with the scenario `s` that governs `src/a.rs` and has these further lines.
fn scenario(more: &[&str]) -> String {
    let more: String = more.iter().map(|line| format!("    {line}\n")).collect();
    format!(
        "---\nscenarios:\n  - name: s\n    description: measure it\n    expected: it works\n    tags: [cli]\n    code: src/a.rs\n{more}---\n"
    )
}

/// A repository with that scenario, committed.
fn repo(more: &[&str]) -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "one\n");
    s.write(".spec/n/spec.md", "---\ntitle: n\n---\n");
    s.write(FILE, scenario(more));
    s.commit("begin");
    s
}

/// `eval` of the scenario with these flags, which must succeed.
#[track_caller]
fn eval(s: &Scratch, flags: &[&str]) -> String {
    s.yatsu(&[&["eval", "n/s"], flags].concat()).expect(0).out
}

#[track_caller]
fn evals(s: &Scratch, all: &[&[&str]]) {
    all.iter().for_each(|flags| drop(eval(s, flags)));
}

/// The row of the scenario in `ls`.
#[track_caller]
fn row(s: &Scratch) -> Value {
    validate_published(&s.yatsu(&["ls", "--format", "json"]).expect(0).out)["scenarios"][0].clone()
}

/// The state of the scenario and the verdict, then each environment: name, state, verdict, passes of counted runs, all runs.
#[track_caller]
fn stands(s: &Scratch) -> String {
    let json = validate_published(&s.yatsu(&["ls", "--format", "json"]).expect(0).out);
    let row = &json["scenarios"][0];
    let score = &json["score"];
    let verdict = ["pass", "fail", "legacy"].into_iter().find(|word| score[word] == 1).unwrap_or("-");
    let environment = |one: &Value| {
        let runs = &one["runs"];
        let runs = if runs.is_null() {
            String::new()
        } else {
            format!(" {}/{} of {}", runs["pass"], runs["counted"], runs["all"])
        };
        let word = |key: &str| one[key].as_str().unwrap_or("-").to_owned();
        format!("; {} {} {}{runs}", word("env"), word("state"), word("verdict"))
    };
    let environments: String = row["environments"].as_array().into_iter().flatten().map(environment).collect();
    format!("{} {verdict}{environments}", row["state"].as_str().expect("a state"))
}

/// The findings of a rule about the scenario in `scan`, with level and environment.
#[track_caller]
fn found(s: &Scratch, rule: &str) -> Vec<String> {
    let json = validate_published(&s.yatsu(&["scan", "--format", "json"]).out);
    let findings = json["findings"].as_array().expect("a list").iter().filter(|finding| finding["rule"] == rule);
    findings.map(|finding| finding["message"].as_str().expect("a message").to_owned()).collect()
}

#[track_caller]
fn refused(said: Said, code: i32, words: &[&str]) {
    let said = said.expect(code);
    words.iter().for_each(|word| assert!(said.err.contains(word), "{word:?} is not in {:?}", said.err));
}
