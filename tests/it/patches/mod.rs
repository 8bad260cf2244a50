//! Patches through the program and real git: the state of branches, the decisions about them, and cases that cannot be
//! decided. Each state is tested beside the pure functions (`src/features/patches/judge/engine/patch/tests`).

pub mod approvals;
mod decisions;
mod merges;
mod places;
mod promoted;
mod states;

use crate::support::{Said, Scratch, one_node, scenarios, validate_published};
use serde_json::Value;

pub const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// The repository of [`one_node`], with the user Ann. The ledger is in the first commit: decisions about a branch stand in
/// ledgers that main has.
pub fn repository() -> Scratch {
    let s = one_node();
    s.git(&["config", "user.name", "Ann"]);
    s.write(LEDGER, "{\"kind\":\"human-ok\"}\n");
    s.git(&["add", "-A"]);
    s.git(&["commit", "-q", "--amend", "--no-edit"]);
    s
}

/// A new branch from here with a committed change of `src/a.rs`; it stays checked out.
pub fn branch(s: &Scratch, name: &str) {
    s.git(&["checkout", "-q", "-b", name]);
    s.write("src/a.rs", format!("fn a() {{}} // {name}\n"));
    s.commit(name);
}

/// Files a reading of `works`, by Ann.
pub fn measure(s: &Scratch, verdict: &str) {
    s.yatsu(&["eval", "n", "--scenario", "works", verdict, "--by", "Ann"]).expect(0);
}

/// A branch that changes `src/a.rs`, with a fresh pass of it, all committed; it stays checked out.
pub fn evaluated(s: &Scratch, name: &str) {
    branch(s, name);
    measure(s, "--pass");
    s.commit("measured");
}

/// The answer of `patch show` for a branch.
#[track_caller]
pub fn patch(s: &Scratch, name: &str) -> Value {
    let said = s.yatsu(&["patch", "show", name, "--format", "json"]).expect(0);
    validate_published(&said.out)["patches"][0].clone()
}

#[track_caller]
pub fn state(s: &Scratch, name: &str) -> String {
    patch(s, name)["state"].as_str().expect("a state").to_owned()
}

/// Every branch with its state, from `patch ls`.
#[track_caller]
pub fn states(s: &Scratch) -> Vec<(String, String)> {
    let said = s.yatsu(&["patch", "ls", "--format", "json"]).expect(0);
    let list = validate_published(&said.out);
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let patches = list["patches"].as_array().expect("a list");
    patches.iter().map(|patch| (text(&patch["branch"]), text(&patch["state"]))).collect()
}

/// A decision by `by`.
pub fn decide(s: &Scratch, kind: &str, name: &str, by: &str) -> Said {
    s.yatsu(&["patch", kind, name, "--reason", "looked at it", "--by", by])
}

/// The decisions in the ledger.
pub fn decided(s: &Scratch) -> Vec<Value> {
    let ledger = std::fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default();
    let lines = ledger.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line"));
    lines.filter(|line| line["decision"].is_string()).collect()
}

/// A second scenario of the node, `lists`, over `src/b.rs`.
pub fn two_scenarios(s: &Scratch) {
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("lists", "src/b.rs")]));
    s.commit("two scenarios");
}
