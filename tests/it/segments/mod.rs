//! A ledger in several files: segments, which merge anywhere, and `fold`. The numbers of the tests are those of the cases in
//! docs/formats.md's contract, S1 to S16.

mod doors;
mod fold;
mod laws;
mod mishaps;
mod needs_strace;
mod reading;
mod writing;

use crate::support::{Said, Scratch, one_node};
use std::collections::{BTreeMap, BTreeSet};

const DIR: &str = ".spec/n";
const TRUNK: &str = ".spec/n/yatsu.evals.ndjson";

/// The repository of `one_node` with a remote, so that new readings go into segments.
fn team() -> Scratch {
    let s = one_node();
    s.git(&["remote", "add", "origin", "../server.git"]);
    s
}

/// Files a reading of `works`.
#[track_caller]
fn file(s: &Scratch, note: &str) -> Said {
    s.yatsu(&["eval", "n", "--pass", "--note", note]).expect(0)
}

/// Files a reading of `works` and commits it with everything else.
#[track_caller]
fn committed(s: &Scratch, note: &str) -> String {
    file(s, note);
    s.commit(note)
}

/// The path of a segment of the node.
fn segment(name: &str) -> String {
    format!("{DIR}/yatsu.{name}.evals.ndjson")
}

/// The paths of the segments in a directory of the work tree, the oldest first line first.
fn segments_of(s: &Scratch, dir: &str) -> Vec<String> {
    let names = std::fs::read_dir(s.root.join(dir)).expect("a directory").map(|entry| {
        let name = entry.expect("an entry").file_name();
        name.into_string().expect("a name")
    });
    let is_segment =
        |name: &String| name.starts_with("yatsu.") && name.ends_with(".evals.ndjson") && name != "yatsu.evals.ndjson";
    let mut found: Vec<String> = names.filter(is_segment).map(|name| format!("{dir}/{name}")).collect();
    // two names that were drawn in one second have any order
    found.sort_by_key(|path| (first_ts(&s.read(path)), path.clone()));
    found
}

/// The time of the first line; nothing for an empty file or a line that is no JSON.
fn first_ts(text: &str) -> Option<String> {
    let line = serde_json::from_str::<serde_json::Value>(text.lines().next()?).ok()?;
    line["ts"].as_str().map(str::to_owned)
}

fn segments(s: &Scratch) -> Vec<String> {
    segments_of(s, DIR)
}

/// How many lines each segment of the node has, the oldest first.
fn sizes(s: &Scratch) -> Vec<usize> {
    segments(s).iter().map(|path| s.read(path).lines().count()).collect()
}

/// Every line of the node's ledger in the work tree, each once.
fn lines(s: &Scratch) -> BTreeSet<String> {
    let trunk = s.root.join(TRUNK).exists().then(|| TRUNK.to_owned());
    let files = trunk.into_iter().chain(segments(s));
    files.flat_map(|path| s.read(&path).lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The notes of the readings of `works` that count, newest first.
fn notes(s: &Scratch) -> Vec<String> {
    let said = s.yatsu(&["show", "n", "--format", "json"]).expect(0);
    let json = crate::support::validate_published(&said.out);
    let readings = json["scenarios"][0]["readings"].as_array().expect("a list");
    let note = |reading: &serde_json::Value| reading["note"].as_str().map(str::to_owned);
    readings.iter().filter_map(note).collect()
}

/// The contents that each segment ever had in any commit. A committed file that grew has two.
fn versions(s: &Scratch) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for commit in s.git(&["rev-list", "--all", "--reflog"]).lines() {
        for row in s.git(&["ls-tree", "-r", commit]).lines() {
            let (about, path) = row.split_once('\t').expect("a row");
            if path.contains("/yatsu.") && !path.ends_with("/yatsu.md") && !path.ends_with("/yatsu.evals.ndjson") {
                found.entry(path.to_owned()).or_default().insert(about.to_owned());
            }
        }
    }
    found
}
