//! The event graph through the program: how scenarios, readings, retractions, decisions and run logs appear in it, the
//! answers about it, that it is the same wherever the commit is, and logs of other programs. The ops themselves are
//! tested beside the code (`src/features/graph`).

mod answers;
mod drawn;
mod patches;
mod projected;
mod replayed;
mod same;

use crate::support::{Scratch, reading, scenarios, validate_published};
use serde_json::Value;

pub const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
pub const FILE: &str = ".spec/n/yatsu.md";

/// The scenario file of `works` over `src/a.rs` and a goal.
pub fn with_goal() -> String {
    let goal = "goal_contract:\n  version: 1\n  goal_text: it works for everybody\n  acceptance_criteria:\n    - id: AC1\n      \
                kind: finding_count\n      minCount: 0\nscenarios:\n";
    scenarios(&[("works", "src/a.rs")]).replace("scenarios:\n", goal)
}

/// A repository with the node `n`, its goal, its scenario and `src/a.rs`, committed.
pub fn repository() -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(FILE, with_goal());
    s.commit("first");
    s
}

/// Files a reading of `works` at that minute.
pub fn measured(s: &Scratch, status: &str, minute: u32) {
    reading(s, ".spec/n", "works", status, minute);
}

/// Appends a line to the ledger.
pub fn filed(s: &Scratch, line: &Value) {
    let ledger = std::fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default();
    s.write(LEDGER, format!("{ledger}{line}\n"));
}

/// The time of that minute, in the form of `measured`.
pub fn at(minute: u32) -> String {
    format!("2026-01-01T00:{minute:02}:00.000Z")
}

/// The whole graph, with these flags.
#[track_caller]
pub fn graph(s: &Scratch, flags: &[&str]) -> Value {
    validate_published(&s.yatsu(&[&["graph", "show", "--format", "json"], flags].concat()).expect(0).out)
}

/// The digest.
#[track_caller]
pub fn digest(s: &Scratch, flags: &[&str]) -> String {
    s.yatsu(&[&["graph", "digest"], flags].concat()).expect(0).out.trim().to_owned()
}

/// The node of that id.
pub fn node<'g>(graph: &'g Value, id: &str) -> Option<&'g Value> {
    graph["nodes"].as_array()?.iter().find(|node| node["id"] == id)
}

/// Whether a relation is there, `FROM REL TO`.
pub fn related(graph: &Value, text: &str) -> bool {
    let told = |of: &Value| format!("{} {} {}", text_of(of, "from"), text_of(of, "rel"), text_of(of, "to"));
    graph["relations"].as_array().is_some_and(|all| all.iter().any(|of| told(of) == text))
}

fn text_of(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// The ids of the nodes of a kind.
pub fn of_kind(graph: &Value, kind: &str) -> Vec<String> {
    let all = graph["nodes"].as_array().into_iter().flatten();
    all.filter(|node| node["kind"] == kind).map(|node| text_of(node, "id")).collect()
}
