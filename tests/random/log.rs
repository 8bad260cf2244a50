//! `log` over random histories. The slow judge checks every commit out and asks `ls` of the work tree.

use crate::support::{Dice, Scratch, reading_line, scenarios, seeds, validate_published};
use serde_json::Value;
use std::collections::BTreeMap;

const NODES: [&str; 3] = ["one", "two", "three"];
const FILES: [&str; 3] = ["src/a.rs", "src/b.rs", "lib/c.rs"];

/// One that cannot be used, and such that change what counts.
const CONFIGURATIONS: [&str; 4] = [
    "{}",
    "{",
    "{\"yatsu\":{\"evaluators\":{\"manual\":\"2\"}}}",
    "{\"yatsu\":{\"budgets\":{\"maxTaskTotalTokens\":1}}}",
];

/// The state of each scenario, by the directory of its node and its name.
type States = BTreeMap<(String, String), String>;

/// What `ls` says of the commit in a work tree of its own; `None` if its configuration cannot be used.
fn checked_out(s: &Scratch, commit: &str) -> Option<States> {
    s.git(&["checkout", "-q", "--detach", commit]);
    let said = s.yatsu(&["ls", "--format", "json"]);
    if said.code == 2 {
        return None;
    }
    let answer = validate_published(&said.expect(0).out);
    let rows = answer["scenarios"].as_array().expect("scenarios").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let state = |row: &Value| {
        let verdict = row["readings"][0]["budget"]["verdict"].as_str().or(row["readings"][0]["verdict"].as_str());
        match row["state"].as_str().expect("a state") {
            "fresh" => verdict.expect("a verdict").to_owned(),
            "not-judged" => "unjudged".to_owned(),
            other => other.to_owned(),
        }
    };
    Some(rows.map(|row| ((text(&row["path"]), text(&row["scenario"])), state(row))).collect())
}

/// One random step of a history.
fn step(s: &Scratch, dice: &mut Dice, minute: u32) {
    let node = dice.pick(&NODES);
    let file = dice.pick(&FILES);
    let (declared, ledger) = (format!(".spec/{node}/yatsu.md"), format!(".spec/{node}/yatsu.evals.ndjson"));
    let there = |path: &str| s.root.join(path).exists();
    match dice.roll(14) {
        0..=2 => s.write(file, format!("{}\n", dice.roll(3))),
        3 if there(file) => std::fs::remove_file(s.root.join(file)).expect("a file"),
        4 => {
            let list: Vec<(&str, &str)> =
                [("x", "src/a.rs"), ("y", "src"), ("z", "lib/*.rs")].into_iter().filter(|_| dice.roll(3) > 0).collect();
            s.write(&declared, scenarios(&list));
        }
        5..=7 => {
            let old = if there(&ledger) { s.read(&ledger) } else { String::new() };
            let line = reading_line(&s.head(), dice.pick(&["x", "y", "z"]), dice.pick(&["pass", "fail"]), minute);
            s.write(&ledger, old + &line);
        }
        8 if there(&ledger) => {
            let old = s.read(&ledger);
            s.write(&ledger, old.lines().take(1).map(|line| format!("{line}\n")).collect::<String>());
        }
        9 if there(&declared) => {
            let text = s.read(&declared).replace("name: x", "name: w").replace("measure y", "measure more of y");
            s.write(&declared, text);
        }
        10 => {
            let to = dice.pick(&NODES);
            let (from, to) = (format!(".spec/{node}"), format!(".spec/{to}"));
            if there(&from) && !there(&to) {
                s.git(&["add", "-A"]);
                s.try_git(&["mv", &from, &to]);
            }
        }
        11 => s.write("spexcode.json", dice.pick(&CONFIGURATIONS)),
        12 => {
            let branch = format!("side{minute}");
            s.git(&["checkout", "-q", "-b", &branch]);
            s.write(file, "on the side\n");
            s.commit("side");
            s.git(&["checkout", "-q", "-"]);
            s.git(&["merge", "-q", "--no-ff", "-m", "merge", &branch]);
        }
        _ => s.write("README.md", format!("{minute}\n")),
    }
}

#[test]
fn each_line_is_what_checking_out_both_commits_shows() {
    for seed in seeds(2, 200) {
        let (s, mut dice) = (Scratch::new(), Dice(seed));
        s.write("README.md", "0\n");
        s.commit("first");
        for minute in 1..25 {
            step(&s, &mut dice, minute);
            s.commit(&format!("step {minute}"));
        }
        // the newest commit can be judged
        s.write("spexcode.json", "{}");
        s.commit("last");
        judge(&s, seed);
        parts(&s, &mut dice, seed);
    }
}

/// The commits that changed a state, with what they changed, and where the next question begins.
fn changed(s: &Scratch, words: &[&str]) -> (Vec<(String, Value)>, Option<String>) {
    let said = s.yatsu(&[&["log", "--format", "json"], words].concat()).expect(0);
    let answer = validate_published(&said.out);
    let entries = answer["entries"].as_array().expect("entries").iter();
    let with_changes = entries.filter(|entry| entry["changes"].as_array().is_some_and(|changes| !changes.is_empty()));
    let commit = |entry: &Value| entry["commit"].as_str().expect("a commit").to_owned();
    let found = with_changes.map(|entry| (commit(entry), entry["changes"].clone())).collect();
    (found, answer["next"].as_str().map(str::to_owned))
}

/// Asserts that questions about a part of the history say what the question about all of it says of that part.
fn parts(s: &Scratch, dice: &mut Dice, seed: u64) {
    s.git(&["checkout", "-q", "main"]);
    let chain: Vec<String> = s.git(&["rev-list", "--first-parent", "HEAD"]).lines().map(str::to_owned).collect();
    let (all, _) = changed(s, &["-n", "0"]);
    for _ in 0..3 {
        let from = &chain[dice.roll(chain.len())];
        let until = all.iter().position(|(commit, _)| {
            chain.iter().position(|one| one == commit) >= chain.iter().position(|one| one == from)
        });
        assert_eq!(
            changed(s, &["-n", "0", "--from", from]).0,
            all[..until.unwrap_or(all.len())],
            "seed {seed}, from {from}"
        );
    }
    let (mut found, mut next) = changed(s, &["-n", "2"]);
    while let Some(to) = next {
        let (more, after) = changed(s, &["-n", "2", "--to", &to]);
        found.extend(more);
        next = after;
    }
    assert_eq!(found, all, "seed {seed}, two and two");
}

fn judge(s: &Scratch, seed: u64) {
    let answer = validate_published(&s.yatsu(&["log", "--limit", "0", "--format", "json"]).expect(0).out);
    let chain: Vec<String> = s.git(&["rev-list", "--first-parent", "HEAD"]).lines().map(str::to_owned).collect();
    assert_eq!(answer["walked"].as_u64(), Some(chain.len() as u64), "seed {seed}");
    let states: Vec<Option<States>> = chain.iter().map(|commit| checked_out(s, commit)).collect();
    let mut entries = answer["entries"].as_array().expect("entries").iter();
    let mut at = 0;
    while at < chain.len() {
        let is = states[at].as_ref().expect("the newest commit, or one below which all were skipped");
        // commits with a configuration that cannot be used are one line, at the oldest of them
        let below = (at + 1..chain.len()).find(|older| states[*older].is_some()).unwrap_or(chain.len());
        let was = states.get(below).and_then(Option::as_ref).cloned().unwrap_or_default();
        let place = format!("seed {seed}, {}", s.git(&["log", "-1", "--format=%h %s", &chain[at]]));
        if *is != was || entries.clone().next().is_some_and(|entry| entry["commit"] == chain[at]) {
            let entry = entries.next().unwrap_or_else(|| panic!("{place}: no line"));
            assert_eq!(entry["commit"], chain[at], "{place}");
            explains(entry, &was, is, &place);
        }
        if below > at + 1 {
            let entry = entries.next().expect("a line");
            assert_eq!(
                (&entry["commit"], &entry["score"]),
                (&chain[below - 1].as_str().into(), &Value::Null),
                "{place}"
            );
        }
        at = below;
    }
    assert_eq!(entries.count(), 0, "seed {seed}: more lines than changes");
}

/// Asserts that the changes of an entry lead from one state to the other, and that it counts the later one.
fn explains(entry: &Value, was: &States, is: &States, place: &str) {
    let mut now = was.clone();
    let changes = entry["changes"].as_array().expect("changes");
    assert!(!changes.is_empty(), "{place}: a line without a change");
    for change in changes {
        let text = |key: &str| change[key].as_str().map(str::to_owned);
        let key = (text("path").expect("a node"), text("scenario").expect("a name"));
        let old = match text("from") {
            Some(from) => {
                let (dir, name) = from.rsplit_once('/').expect("a directory and a name");
                now.remove(&(dir.to_owned(), name.to_owned()))
            }
            None => now.remove(&key),
        };
        assert_eq!(old, text("was"), "{place}: {change}");
        assert!(text("from").is_some() || text("was") != text("is"), "{place}: no change: {change}");
        if let Some(state) = text("is") {
            now.insert(key, state);
        }
    }
    assert_eq!(now, *is, "{place}: {entry}");
    let count = |word: &str| is.values().filter(|state| *state == word).count() as u64;
    for (key, word) in [("pass", "pass"), ("fail", "fail"), ("stale", "stale"), ("unmeasured", "unmeasured")] {
        assert_eq!(entry["score"][key].as_u64(), Some(count(word)), "{place}: {key}");
    }
    assert_eq!(entry["score"]["scenarios"].as_u64(), Some(is.len() as u64), "{place}");
}
