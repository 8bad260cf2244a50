//! Hostile input through the real program: files, repositories, objects, configuration; and what the program must never
//! do.
#![allow(clippy::unwrap_used)] // helpers of tests

mod canary;
mod cut;
mod echo;
mod files;
mod needs_strace;
mod objects;
mod paths;
mod redacted;
mod revisions;
mod staged;

use crate::support::{Said, Scratch, one_node, validate_published};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Panics if a run crashed, or printed control characters.
#[track_caller]
fn calm(said: &Said, what: &str) {
    assert!((0..=3).contains(&said.code), "{what}: exit {}\n{}", said.code, said.err);
    for text in [&said.out, &said.err] {
        assert!(!text.contains("panicked"), "{what}: {text}");
        let bad = text.chars().find(|c| {
            (c.is_control() && *c != '\n')
                || matches!(*c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}')
        });
        assert_eq!(bad, None, "{what}: {text}");
    }
}

/// Runs the hook and `check --staged` on the staged changes: they must agree, write only the hook's memo and stay calm.
/// Returns the findings.
#[track_caller]
fn gate(scratch: &Scratch, what: &str) -> (i32, Vec<Value>) {
    let memos = scratch.root.join(".git/yatsu");
    std::fs::create_dir_all(&memos).expect("a directory");
    let everything = |dir: &Path| {
        let mut found = everything(dir);
        found.retain(|path, _| !path.starts_with(&memos));
        found
    };
    let before = everything(&scratch.base);
    let hook = scratch.yatsu(&["pre-commit"]);
    let check = scratch.yatsu(&["check", "--staged", "--format", "json"]);
    assert!(before == everything(&scratch.base), "{what}: something was written");
    calm(&hook, what);
    calm(&check, what);
    assert_eq!(hook.code, check.code, "{what}: {}\n{}", hook.err, check.out);
    let report = validate_published(&check.out);
    let findings = report["findings"].as_array().expect("a list").clone();
    let errors = findings.iter().filter(|finding| finding["level"] == "error").count();
    assert_eq!(hook.code == 1, errors > 0, "{what}: {}", check.out);
    if hook.code == 1 {
        assert!(hook.err.contains("error["), "{what}: {}", hook.err);
    }
    (hook.code, findings)
}

/// Size and time of every file below `dir`.
fn everything(dir: &Path) -> BTreeMap<std::path::PathBuf, (u64, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            let about = path.symlink_metadata().expect("metadata");
            if about.is_dir() {
                todo.push(path.clone());
            }
            found.insert(path, (about.len(), about.modified().expect("a time")));
        }
    }
    found
}

/// The findings of one rule.
fn of<'a>(findings: &'a [Value], rule: &str) -> Vec<&'a Value> {
    findings.iter().filter(|finding| finding["rule"] == rule).collect()
}

/// `line:column` of a finding.
fn at(finding: &Value) -> String {
    format!("{}:{}", finding["line"], finding["column"])
}

/// The message of a finding.
fn message(finding: &Value) -> &str {
    finding["message"].as_str().expect("a message")
}
