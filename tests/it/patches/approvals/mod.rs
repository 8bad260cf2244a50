//! Approvals of content through the program and real git: what keeps them, what loses them, who may give them.

mod content;
mod givers;
mod needs_python3;
mod needs_ssh_keygen;

use crate::support::{Said, Scratch, fed, validate_published};
use serde_json::Value;
use std::collections::BTreeMap;

/// The ledger of the patches' home.
pub const HOME: &str = ".spec/yatsu.evals.ndjson";

/// A repository with three files in main and no scenario.
pub fn repository() -> Scratch {
    let s = Scratch::new();
    s.git(&["config", "user.name", "Ann"]);
    for name in ["a", "b", "c"] {
        s.write(name, format!("{name}\n"));
    }
    s.commit("first");
    s
}

/// A new branch from here where `a` has other content.
pub fn topic(s: &Scratch) {
    s.git(&["checkout", "-q", "-b", "topic"]);
    s.write("a", "A\n");
    commit_as(s, "Ann", "topic");
}

pub fn commit_as(s: &Scratch, author: &str, message: &str) {
    s.git(&["add", "-A"]);
    let author = format!("--author={author} <{}@example.org>", author.to_lowercase());
    s.git(&["commit", "-q", &author, "-m", message]);
}

/// A committed decision about a branch.
#[track_caller]
pub fn decide(s: &Scratch, kind: &str, branch: &str, by: &str) -> Said {
    let said = s.yatsu(&["patch", kind, branch, "--reason", "read", "--by", by]).expect(0);
    commit_as(s, by.split(' ').next().unwrap_or(by), "decided");
    said
}

/// The branch of [`topic`], approved by Bob.
pub fn approved() -> Scratch {
    let s = repository();
    topic(&s);
    decide(&s, "approve", "topic", "Bob");
    s
}

/// The answer about a range, and whether the exit code fits it.
#[track_caller]
pub fn asked(s: &Scratch, from: &str, to: &str) -> Value {
    let command = ["check", "--from", from, "--to", to, "--require-approval", "--format", "json"];
    let said = s.yatsu(&command);
    let approval = validate_published(&said.out)["approval"].clone();
    said.expect(if approval["status"] == "covered" { 0 } else { 1 });
    approval
}

#[track_caller]
pub fn status(s: &Scratch, from: &str, to: &str) -> String {
    asked(s, from, to)["status"].as_str().expect("a status").to_owned()
}

/// The uncovered files with their reasons.
#[track_caller]
pub fn files(s: &Scratch, from: &str, to: &str) -> BTreeMap<String, String> {
    let answer = asked(s, from, to);
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let files = answer["files"].as_array().expect("a list");
    files.iter().map(|file| (text(&file["path"]), text(&file["why"]))).collect()
}

/// The hook's answer to a push of HEAD to a branch of a remote with `old`.
pub fn pushed(s: &Scratch, old: &str, to: &str) -> Said {
    let [old, new] = [old, "HEAD"].map(|rev| s.git(&["rev-parse", rev]));
    fed(s.yatsu_command(&["pre-push", "origin", "url"]), format!("refs/heads/x {new} refs/heads/{to} {old}\n"))
}

/// The configuration that asks for approvals.
pub fn policy(s: &Scratch, approvals: &str, rules: &str) {
    let text = format!("{{\"yatsu\": {{\"trust\": {{\"approvals\": {approvals}}}, \"rules\": {{{rules}}}}}}}");
    s.write("spexcode.json", text);
    s.commit("a policy");
}
