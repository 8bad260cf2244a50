//! Goals through the program: the results of both gates for a view, and the decisions about them. Each cell of the gates is
//! tested with the pure functions (`src/features/goals/judge/engine/tests`); here are the repository, the verbs and the doors.

mod decisions;
mod garbage;
mod moves;
mod parallel;
mod unprinted;
mod views;

use crate::support::{Said, Scratch, sha256, validate_published};
use serde_json::{Value, json};

pub const LEDGER: &str = ".spec/model/yatsu.evals.ndjson";
pub const FILE: &str = ".spec/model/yatsu.md";

/// A contract that asks for an accuracy of at least 0.9.
pub const ACCURATE: &str =
    "    - id: AC1\n      kind: metric_threshold\n      metric: accuracy\n      op: '>='\n      target: 0.9\n";

/// The scenario file of one scenario `learns` over `src/model.py`, with these criteria.
pub fn contract(criteria: &str) -> String {
    format!(
        "---\ngoal_contract:\n  version: 1\n  goal_text: tell flowers apart\n  acceptance_criteria:\n{criteria}scenarios:\n  \
         - name: learns\n    description: train it\n    expected: it tells them apart\n    tags: [cli]\n    \
         code: src/model.py\n---\n"
    )
}

/// A repository with the node `model`, its contract and its source, committed.
pub fn repository() -> Scratch {
    let s = Scratch::new();
    s.write("src/model.py", "model = 1\n");
    s.write(FILE, contract(ACCURATE));
    s.commit("begin");
    s.git(&["config", "user.name", "Ann"]);
    s
}

/// Files a reading of `learns` with this accuracy in its text, and records it; `more` is added to the line.
pub fn measured(s: &Scratch, accuracy: f64, more: Value) -> Value {
    let text = format!("[METRIC:accuracy] {accuracy}\n");
    s.write("../out.txt", &text);
    s.yatsu(&["evidence", "put", "../out.txt"]).expect(0);
    let minute = std::fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default().lines().count();
    let mut line = json!({
        "scenario": "learns",
        "codeSha": s.git(&["rev-parse", "HEAD"]),
        "blob": sha256(&text),
        "blobKind": "transcript",
        "evaluator": "manual@1",
        "by": "filer",
        "verdict": {"status": "pass"},
        "metrics": {"accuracy": accuracy},
        "markers": ["METRIC:accuracy"],
        "ts": format!("2026-01-01T00:{minute:02}:00.000Z"),
    });
    let fields = line.as_object_mut().expect("an object");
    fields.extend(more.as_object().cloned().unwrap_or_default());
    append(s, &line);
    line
}

/// Appends a line to the ledger, as an editor would.
pub fn append(s: &Scratch, line: &Value) {
    let mut ledger = std::fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default();
    ledger += &format!("{line}\n");
    s.write(LEDGER, ledger);
}

/// The answer of `goal check` for the node, and its exit code.
pub fn check(s: &Scratch, flags: &[&str]) -> (Value, i32) {
    let said = s.yatsu(&[&["goal", "check", "model", "--format", "json"], flags].concat());
    assert!(matches!(said.code, 0 | 1), "exit {}: {}", said.code, said.err);
    (validate_published(&said.out)["goals"][0].clone(), said.code)
}

/// `STATUS ACTION` of the node.
pub fn standing(s: &Scratch) -> String {
    let (goal, _) = check(s, &[]);
    format!("{} {}", goal["status"].as_str().unwrap_or("-"), goal["action"].as_str().unwrap_or("-"))
}

/// A decision about the node.
pub fn decide(s: &Scratch, kind: &str, flags: &[&str]) -> Said {
    let reason: &[&str] = if kind == "complete" || kind == "review" { &[] } else { &["--reason", "because"] };
    s.yatsu(&[&["goal", kind, "model"], reason, flags].concat())
}

/// The kinds of the decisions in the ledger, in their order.
pub fn decided(s: &Scratch) -> Vec<String> {
    let ledger = std::fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default();
    let lines = ledger.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter_map(|line| line["decision"].as_str().map(str::to_owned)).collect()
}
