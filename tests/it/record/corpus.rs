//! A real history: its readings are read, and stay byte for byte the same when others are filed after them.

use super::*;
use crate::support::hermetic;
use std::collections::BTreeMap;
use std::path::Path;
use yatsu_hook::model::ledger::{Event, parse};
use yatsu_hook::tree::path::RepoPath;

/// The bundle or clone in `YATSU_CORPUS`, otherwise the one beside this repository.
fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/corpus-a.bundle");
    std::env::var_os("YATSU_CORPUS").map(PathBuf::from).or(Some(beside)).filter(|path| path.exists())
}

/// Every ledger of the work tree with its bytes.
fn ledgers(top: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![top.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry")) {
            let path = entry.path();
            if path.is_dir() && entry.file_name() != ".git" {
                open.push(path);
            } else if entry.file_name().to_string_lossy().ends_with("evals.ndjson") {
                found.insert(path.clone(), std::fs::read(path).expect("read"));
            }
        }
    }
    found
}

/// A node that declares scenarios, with the first of them.
fn some_scenario(top: &Path) -> (String, String) {
    for ledger in ledgers(top).keys() {
        let dir = ledger.parent().expect("a directory");
        let Ok(text) = std::fs::read_to_string(dir.join("yatsu.md")) else { continue };
        let name = text.lines().find_map(|line| line.trim_start().strip_prefix("- name:"));
        if let Some(name) = name {
            let dir = dir.strip_prefix(top).expect("below").to_string_lossy().into_owned();
            return (dir, name.trim().trim_matches(['"', '\'']).to_owned());
        }
    }
    panic!("the corpus declares no scenario beside a ledger");
}

#[test]
fn its_readings_round_trip() {
    let Some(corpus) = corpus() else {
        eprintln!("not tried: no corpus at ../shared/corpus, and YATSU_CORPUS names none");
        return;
    };
    let s = Scratch::new();
    let top = s.base.join("corpus");
    let mut clone = hermetic("git", &s.home());
    clone.args(["-c", "init.defaultBranch=main", "clone", "-q", "-b", "main"]).arg(&corpus).arg(&top);
    assert!(clone.status().expect("git").success());
    let before = ledgers(&top);
    let parsed = before.values().map(|bytes| parse(&RepoPath::root(), bytes)).collect::<Vec<_>>();
    let problems: Vec<_> =
        parsed.iter().flat_map(|ledger| &ledger.problems).filter(|problem| !problem.advice).collect();
    assert!(problems.is_empty(), "{problems:?}");
    let events = parsed.iter().flat_map(|ledger| &ledger.lines).map(|line| &line.event);
    let readings = events.filter(|event| matches!(event, Event::Reading(_))).count();
    assert_eq!(readings, 394);

    let at = top.to_string_lossy().into_owned();
    for verb in [&["repair"][..], &["repair", "--dry-run"], &["evidence", "check"], &["evidence", "ls"]] {
        s.yatsu(&[&["-C", &at], verb].concat()).expect(0);
    }
    assert_eq!(ledgers(&top), before, "nothing but an append touches a ledger");

    let (node, scenario) = some_scenario(&top);
    let said = s.yatsu(&["-C", &at, "eval", &node, "--scenario", &scenario, "--fail", "--note", "one more"]).expect(0);
    assert!(said.out.starts_with("filed "), "{}", said.out);
    let after = ledgers(&top);
    let changed: Vec<_> = after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).collect();
    assert_eq!(changed.len(), 1);
    let (path, added) = changed[0];
    assert!(!before.contains_key(path), "a clone files into a segment of its own");
    assert_eq!(added.iter().filter(|byte| **byte == b'\n').count(), 1);
    assert!(added.ends_with(b"\n") && added.starts_with(b"{"));
}
