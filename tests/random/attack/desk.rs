//! The files of a commit, and the desk on which an actor changes them.

use super::goals;
use super::seen::{self, Config, Scenario, lines};
use crate::support::{Dice, sha256};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The files of a commit: bytes by path.
pub(super) type State = BTreeMap<String, Vec<u8>>;

/// A file with this prefix and a path is a symbolic link to the path.
pub(super) const LINK: &str = "link to ";

/// Evidence that readings name. In a commit or behind a tag it is stray.
pub(super) const EVIDENCE: &str = "these bytes are the evidence of something that somebody measured once";

pub(super) const DIRS: [&str; 6] = [".spec/a", ".spec/b", ".spec/g/a", ".spec/h/b", ".spec/decoy", "specs/a"];
/// The names include two spellings of one name.
pub(super) const NAMES: [&str; 4] = ["works", "holds", "caf\u{e9}", "cafe\u{301}"];
pub(super) const TEXTS: [&str; 2] = ["it works", "it works well"];
pub(super) const CODE: [&str; 3] = ["src/a.rs", "src/b.rs", "lib/c.rs"];
pub(super) const OLD: [&str; 2] = ["yatsu.md", "yatsu.evals.ndjson"];
pub(super) const NEW: [&str; 2] = ["eval.md", "evals.ndjson"];

/// The place where a deed changes files.
pub(super) struct Desk<'d> {
    pub(super) state: State,
    pub(super) dice: Dice,
    /// The commit before the work.
    pub(super) head: String,
    /// The current time in seconds, for new readings.
    pub(super) now: u64,
    /// The git ids of the code at `head`.
    pub(super) ids: BTreeMap<String, String>,
    /// Lines that existed once, with their directories.
    pub(super) memory: &'d [(String, Vec<u8>)],
}

/// The first state of every history.
pub(super) fn first() -> State {
    let mut state = State::new();
    for path in CODE {
        state.insert(path.to_owned(), b"one\n".to_vec());
    }
    let scenario = |name: &str, code: &str| Scenario {
        name: name.to_owned(),
        description: format!("measure {name}"),
        expected: TEXTS[0].to_owned(),
        code: vec![code.to_owned()],
    };
    let two = [scenario("works", "src/a.rs"), scenario("holds", "src/b.rs")];
    state.insert(".spec/a/yatsu.md".to_owned(), written(&two));
    state.insert(".spec/b/yatsu.md".to_owned(), written(&[scenario("works", "lib/c.rs")]));
    state.insert("spexcode.json".to_owned(), b"{\"yatsu\":{\"protect\":[\"release/*\"]}}\n".to_vec());
    state
}

/// A scenario file.
pub(super) fn written(scenarios: &[Scenario]) -> Vec<u8> {
    let mut text = String::from("---\nscenarios:\n");
    for scenario in scenarios {
        text += &format!(
            "  - name: {}\n    description: {}\n    expected: {}\n    tags: [cli]\n    code: {}\n",
            scenario.name,
            scenario.description,
            scenario.expected,
            scenario.code.join(", ")
        );
    }
    (text + "---\n").into_bytes()
}

pub(super) fn is_of(path: &str, dir: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(parent, _)| parent == dir)
}

impl Desk<'_> {
    pub(super) fn config(&self) -> Config {
        Config::of(self.state.get("spexcode.json").map(Vec::as_slice))
    }

    /// Sets a key of the configuration.
    pub(super) fn configure(&mut self, key: &[&str], value: Value) {
        let text = self.state.get("spexcode.json").map(Vec::as_slice).unwrap_or_default();
        let mut json: Value = serde_json::from_slice(text).unwrap_or_else(|_| serde_json::json!({}));
        set(&mut json, key, &value);
        self.state.insert("spexcode.json".to_owned(), format!("{json}\n").into_bytes());
    }

    fn dirs(&self, end: &str, in_sight: bool) -> Vec<String> {
        let config = self.config();
        let files = self.state.keys().filter(|path| path.ends_with(end) && (!in_sight || config.sees(path)));
        let dirs: BTreeSet<String> = files.filter_map(|path| Some(path.rsplit_once('/')?.0.to_owned())).collect();
        dirs.into_iter().collect()
    }

    /// The visible directories with a scenario file.
    pub(super) fn nodes(&self) -> Vec<String> {
        self.dirs(".md", true)
    }

    /// The visible directories with a ledger.
    pub(super) fn ledgers(&self) -> Vec<String> {
        self.dirs(".ndjson", true)
    }

    pub(super) fn all_ledgers(&self) -> Vec<String> {
        self.dirs(".ndjson", false)
    }

    pub(super) fn root(&self) -> String {
        self.config().roots.first().cloned().unwrap_or_default()
    }

    pub(super) fn any<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        (!list.is_empty()).then(|| list[self.dice.roll(list.len())].clone())
    }

    pub(super) fn node(&mut self) -> Option<String> {
        let nodes = self.nodes();
        self.any(&nodes)
    }

    /// The path of a directory's scenario file or ledger, or the path where a new one would be.
    pub(super) fn file_of(&self, dir: &str, which: usize) -> String {
        let names = [OLD[which], NEW[which]].map(|name| format!("{dir}/{name}"));
        let newer = self.state.contains_key(&format!("{dir}/{}", NEW[0]));
        let there = names.iter().find(|path| self.state.contains_key(*path));
        there.unwrap_or(&names[usize::from(newer)]).clone()
    }

    pub(super) fn scenario_file(&self, dir: &str) -> String {
        self.file_of(dir, 0)
    }

    pub(super) fn ledger(&self, dir: &str) -> String {
        self.file_of(dir, 1)
    }

    pub(super) fn declared(&self, dir: &str) -> Vec<Scenario> {
        self.state.get(&self.file_of(dir, 0)).map(|file| seen::scenarios(file)).unwrap_or_default()
    }

    /// Writes the scenario file of a directory and keeps its contract.
    pub(super) fn declare(&mut self, dir: &str, scenarios: &[Scenario]) {
        let path = self.file_of(dir, 0);
        let has_contract = self.state.get(&path).is_some_and(|file| seen::has_contract(file));
        let file = written(scenarios);
        self.state.insert(path, if has_contract { goals::agreed(&file) } else { file });
    }

    /// The lines of every ledger of a directory.
    pub(super) fn lines(&self, dir: &str) -> Vec<Vec<u8>> {
        let ledgers = [OLD[1], NEW[1]].map(|name| self.state.get(&format!("{dir}/{name}")));
        ledgers.into_iter().flatten().flat_map(|bytes| lines(bytes)).map(<[u8]>::to_vec).collect()
    }

    pub(super) fn set_lines(&mut self, dir: &str, lines: &[Vec<u8>]) {
        let ledger = self.ledger(dir);
        for name in [OLD[1], NEW[1]] {
            self.state.remove(&format!("{dir}/{name}"));
        }
        if !lines.is_empty() {
            self.state.insert(ledger, lines.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect());
        }
    }

    pub(super) fn append(&mut self, dir: &str, more: &[Vec<u8>]) {
        let mut all = self.lines(dir);
        all.extend(more.iter().filter(|line| !all.contains(line)).cloned().collect::<Vec<_>>());
        self.set_lines(dir, &all);
    }

    /// An empty directory below the roots.
    pub(super) fn free(&mut self) -> Option<String> {
        let root = self.root();
        let dirs = DIRS.iter().filter_map(|dir| Some(format!("{root}{}", dir.strip_prefix(".spec")?)));
        let dirs: Vec<String> = dirs.filter(|dir| !self.state.keys().any(|path| is_of(path, dir))).collect();
        self.any(&dirs)
    }

    /// A well-formed reading with the current time.
    pub(super) fn reading(&mut self, scenario: &Scenario) -> Vec<u8> {
        let status = self.dice.pick(&["pass", "fail"]);
        let evidence = (self.dice.roll(5) == 0).then(|| sha256(EVIDENCE.as_bytes()));
        match self.dice.roll(8) {
            0..4 => self.filed(scenario, (status, evidence), true),
            4 => {
                let line = self.filed(scenario, (status, evidence), false);
                String::from_utf8_lossy(&line).replace(",\"verdict\"", ",\"dirty\":true,\"verdict\"").into_bytes()
            }
            _ => self.filed(scenario, (status, evidence), false),
        }
    }

    pub(super) fn filed(
        &mut self,
        scenario: &Scenario,
        (status, evidence): (&str, Option<String>),
        is_stamped: bool,
    ) -> Vec<u8> {
        let evidence = evidence.map_or("null".to_owned(), |hash| format!("\"{hash}\",\"blobKind\":\"transcript\""));
        let mut stamp = String::new();
        if is_stamped {
            let ids = scenario.code.iter().filter_map(|path| Some(format!("\"{path}\":\"{}\"", self.ids.get(path)?)));
            let ids: Vec<String> = ids.collect();
            stamp = format!(
                ",\"scenarioHash\":\"{}\",\"governed\":{{{}}}",
                sha256(scenario.text().as_bytes()),
                ids.join(",")
            );
        }
        let ts = self.ts();
        let line = format!(
            "{{\"scenario\":\"{}\",\"codeSha\":\"{}\",\"blob\":{evidence},\"evaluator\":\"manual@1\",\"verdict\":{{\"status\":\"{status}\"}},\"ts\":\"{}\"{stamp}}}",
            scenario.name, self.head, ts
        );
        line.into_bytes()
    }

    /// A different time for every line.
    pub(super) fn ts(&mut self) -> String {
        self.now += 1;
        let seconds = self.now - 1_767_225_600;
        let (day, hour, minute) = (1 + seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
        format!("2026-01-{day:02}T{hour:02}:{minute:02}:{:02}.000Z", seconds % 60)
    }
}

fn set(at: &mut Value, key: &[&str], value: &Value) {
    match key {
        [last] => at[*last] = value.clone(),
        [first, rest @ ..] => set(&mut at[*first], rest, value),
        [] => {}
    }
}
