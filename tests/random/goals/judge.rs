//! The judge: reads two commits with `git show` and a JSON parser alone, and decides whether a claim holds there.

use crate::support::{Scratch, sha256};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A node as a commit has it.
#[derive(Debug)]
pub struct Node {
    /// Its directory.
    pub dir: String,
    /// What its contract asks of the accuracy: operator, target and number of attempts; `None` without a contract.
    asks: Option<(String, String, u32)>,
    /// Its source.
    code: String,
    /// Its lines, in their order.
    pub lines: Vec<String>,
}

/// The nodes of a commit.
pub fn nodes(s: &Scratch, commit: &str) -> Vec<Node> {
    let listed = s.git(&["ls-tree", "-r", "--name-only", commit, "--", ".spec"]);
    let paths: Vec<&str> = listed.lines().collect();
    let dirs: BTreeSet<&str> = paths.iter().filter_map(|path| path.rsplit_once('/')).map(|(dir, _)| dir).collect();
    let text = |path: String| match paths.contains(&&*path) {
        true => s.git(&["show", &format!("{commit}:{path}")]),
        false => String::new(),
    };
    let node = |dir: &&str| {
        let file = text(format!("{dir}/yatsu.md"));
        let after = |key: &str| {
            let line = file.lines().find(|line| line.trim_start().starts_with(key))?;
            Some(line.split_once(':')?.1.trim().trim_matches('\'').to_owned())
        };
        let asks = file.contains("goal_contract").then(|| {
            let attempts = after("max_goal_attempts").map_or(3, |text| text.parse().expect("a number"));
            (after("op").expect("an operator"), after("target").expect("a target"), attempts)
        });
        let lines = text(format!("{dir}/yatsu.evals.ndjson")) + "\n" + &text(format!("{dir}/evals.ndjson"));
        let lines = lines.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
        Node { dir: (*dir).to_owned(), asks, code: after("code").unwrap_or_default(), lines }
    };
    dirs.iter().map(node).collect()
}

/// The hash of a contract's content, from the format: canonical JSON, hashed.
fn content((op, target, attempts): &(String, String, u32)) -> String {
    sha256(format!(
        "{{\"acceptance_criteria\":[{{\"id\":\"AC1\",\"kind\":\"metric_threshold\",\"metric\":\"accuracy\",\
         \"op\":\"{op}\",\"target\":{target}}}],\"goal_type\":\"custom\",\"max_goal_attempts\":{attempts},\"version\":1}}"
    ))
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

/// Whether a line is a valid decision of one of these kinds.
fn is_decision(line: &Value, kinds: &[&str]) -> bool {
    let hash = |key: &str| line[key].as_str().is_some_and(|text| text.len() == 64);
    let is_kind = line["decision"].as_str().is_some_and(|kind| kinds.contains(&kind));
    is_kind && hash("contract") && hash("readings") && line["by"].is_string() && line["ts"].is_string()
}

/// Why the goal of a node is not reached in a commit with complete ledgers; `None` if it is.
fn unreached(s: &Scratch, commit: &str, node: &Node) -> Option<String> {
    let Some((op, target, _)) = &node.asks else { return Some("there is no contract".into()) };
    let lines: Vec<Value> = node.lines.iter().map(|line| parsed(line)).collect();
    let mut blocks: Vec<&Value> = lines.iter().filter(|line| is_decision(line, &["block", "unblock"])).collect();
    blocks.sort_by_key(|line| line["ts"].to_string());
    if blocks.last().is_some_and(|last| last["decision"] == "block") {
        return Some("it is blocked".into());
    }
    let is_gone = |reading: &Value| {
        let bytes = node.lines.iter().find(|line| parsed(line) == *reading).map(sha256);
        lines.iter().any(|line| {
            line["retracts"] == reading["ts"] && line["scenario"] == reading["scenario"]
                || bytes.as_deref().is_some_and(|bytes| line["redacts"] == bytes)
        })
    };
    let readings = lines.iter().filter(|line| line["codeSha"].is_string() && line["scenario"] == "learns");
    let Some(latest) = readings.filter(|line| !is_gone(line)).max_by_key(|line| line["ts"].to_string()) else {
        return Some("it was not measured".into());
    };
    let code = |at: &str| s.git(&["ls-tree", at, "--", &node.code]);
    if code(latest["codeSha"].as_str().unwrap_or_default()) != code(commit) {
        return Some("it was measured for other code".into());
    }
    if latest["verdict"]["status"] != "pass" {
        return Some("it failed".into());
    }
    if let Some(hash) = latest["blob"].as_str()
        && let Ok(text) = std::fs::read_to_string(s.root.join(".git/spexcode/yatsu-blobs").join(hash))
    {
        let shown: Option<f64> = text.trim().strip_prefix("[METRIC:accuracy] ").and_then(|text| text.parse().ok());
        if sha256(&text) != hash || shown.filter(|number| number.is_finite()) != latest["metrics"]["accuracy"].as_f64()
        {
            return Some("its evidence says something else".into());
        }
    }
    let Some(number) = latest["metrics"]["accuracy"].as_f64() else { return Some("it has no number".into()) };
    if latest["units"]["accuracy"].is_string() {
        return Some("its number has a unit".into());
    }
    let target: f64 = target.parse().expect("a number");
    let holds = if op == ">=" { number >= target } else { number <= target };
    (!holds).then(|| format!("{number} {op} {target} does not hold"))
}

/// The claims that a push added and that are in its last commit, each with the reason why it does not hold; `None` if
/// it holds.
pub fn claims(s: &Scratch, old: &str, new: &str) -> Vec<(String, Option<String>)> {
    let (before, after) = (nodes(s, old), nodes(s, new));
    let mut found = Vec::new();
    for node in &after {
        let was = before.iter().find(|was| was.dir == node.dir);
        for line in node.lines.iter().filter(|line| was.is_none_or(|was| !was.lines.contains(line))) {
            let claim = parsed(line);
            if !is_decision(&claim, &["complete"]) || moved(&before, &after, node, line) {
                continue;
            }
            let later = node.lines.iter().map(|line| parsed(line)).any(|other| {
                is_decision(&other, &["pivot", "rework", "block"]) && other["ts"].as_str() >= claim["ts"].as_str()
            });
            if later {
                continue;
            }
            let of_another = node.asks.as_ref().is_none_or(|asks| json!(content(asks)) != claim["contract"]);
            let why = of_another.then(|| "it is about another contract".to_owned());
            found.push((format!("{}: {line}", node.dir), why.or_else(|| unreached(s, new, node))));
        }
    }
    found
}

/// Whether a line moved together with its contract.
fn moved(before: &[Node], after: &[Node], node: &Node, line: &String) -> bool {
    let had = |nodes: &[Node], dir: &str| nodes.iter().find(|one| one.dir == dir).and_then(|one| one.asks.clone());
    before.iter().any(|was| {
        let is_there = after.iter().any(|now| now.dir == was.dir && now.lines.contains(line));
        was.lines.contains(line)
            && !is_there
            && was.asks.is_some()
            && node.asks.as_ref().map(content) == was.asks.as_ref().map(content)
            && had(before, &node.dir).as_ref().map(content) != was.asks.as_ref().map(content)
    })
}
