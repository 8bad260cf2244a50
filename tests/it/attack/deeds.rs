//! What careful actors do to the files of a commit. Each deed takes a state and leaves another one, with nothing lost.

use super::goals;
use super::seen::{self, Config, Scenario, event, lines, nfc, scenario_of, word};
use crate::support::{Dice, sha256};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The files of a commit: bytes by path.
pub(super) type State = BTreeMap<String, Vec<u8>>;

/// A file of these bytes and a path is a symbolic link to it.
pub(super) const LINK: &str = "link to ";

/// Bytes that readings name; in a commit or behind a tag they are stray.
pub(super) const EVIDENCE: &str = "these bytes are the evidence of something that somebody measured once";

pub(super) const DIRS: [&str; 6] = [".spec/a", ".spec/b", ".spec/g/a", ".spec/h/b", ".spec/decoy", "specs/a"];
/// Two spellings of one name among them.
const NAMES: [&str; 4] = ["works", "holds", "caf\u{e9}", "cafe\u{301}"];
const TEXTS: [&str; 2] = ["it works", "it works well"];
const CODE: [&str; 3] = ["src/a.rs", "src/b.rs", "lib/c.rs"];
pub(super) const OLD: [&str; 2] = ["yatsu.md", "yatsu.evals.ndjson"];
pub(super) const NEW: [&str; 2] = ["eval.md", "evals.ndjson"];

/// Where a deed is done.
pub(super) struct Desk<'d> {
    pub(super) state: State,
    pub(super) dice: Dice,
    /// The commit that the work began from.
    pub(super) head: String,
    /// Seconds: a deed's readings are of now.
    pub(super) now: u64,
    /// The git ids of the code at `head`.
    pub(super) ids: BTreeMap<String, String>,
    /// Lines that somebody saw once, with their directories.
    pub(super) memory: &'d [(String, Vec<u8>)],
}

/// A careful deed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Careful {
    File,
    Measure,
    Retract,
    Redact,
    Code,
    Move,
    Names,
    Split,
    AddNode,
    AddScenario,
    RenameScenario,
    DropScenario,
    RetireNode,
    RetireAndBegin,
    TakeAway,
    BringBack,
    Reword,
    Shuffle,
    Contract,
    Complete,
    RenameRoot,
    AskForProof,
    GateProtected,
}

impl Careful {
    pub(super) const ALL: [Self; 30] = [
        Self::File,
        Self::File,
        Self::File,
        Self::File,
        Self::File,
        Self::Measure,
        Self::Measure,
        Self::Retract,
        Self::Redact,
        Self::Code,
        Self::Code,
        Self::Move,
        Self::Move,
        Self::Names,
        Self::Names,
        Self::Split,
        Self::AddNode,
        Self::AddScenario,
        Self::RenameScenario,
        Self::DropScenario,
        Self::RetireNode,
        Self::RetireAndBegin,
        Self::TakeAway,
        Self::BringBack,
        Self::Reword,
        Self::Shuffle,
        Self::Contract,
        Self::Complete,
        Self::Complete,
        Self::RenameRoot,
    ];

    /// What makes a server ask for more; a history has one of them now and then.
    pub(super) const STRICT: [Self; 2] = [Self::AskForProof, Self::GateProtected];

    pub(super) fn do_at(self, desk: &mut Desk<'_>) {
        match self {
            Self::File => desk.file(),
            Self::Measure => desk.measure(),
            Self::Retract => desk.retract(),
            Self::Redact => desk.redact(true),
            Self::Code => desk.code(),
            Self::Move => desk.move_node(),
            Self::Names => desk.rename_files(),
            Self::Split => desk.split(),
            Self::AddNode => desk.add_node(),
            Self::AddScenario => desk.add_scenario(),
            Self::RenameScenario => desk.rename_scenario(),
            Self::DropScenario => desk.drop_scenario(),
            Self::RetireNode => drop(desk.retire_node()),
            Self::RetireAndBegin => desk.retire_and_begin(),
            Self::TakeAway => desk.take_away(),
            Self::BringBack => desk.bring_back(),
            Self::Reword => desk.reword(),
            Self::Shuffle => desk.shuffle(),
            Self::Contract => desk.agree(),
            Self::Complete => desk.complete(),
            Self::RenameRoot => desk.rename_root(true),
            Self::AskForProof => desk.configure(&["yatsu", "rules", "promoted-unproven"], "error".into()),
            Self::GateProtected => desk.configure(&["yatsu", "goals", "gate"], "protected".into()),
        }
    }
}

/// The state that every history begins with.
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

fn is_of(path: &str, dir: &str) -> bool {
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

    /// The directories in sight with a scenario file.
    pub(super) fn nodes(&self) -> Vec<String> {
        self.dirs(".md", true)
    }

    /// The directories in sight with a ledger.
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

    /// The path of a directory's scenario file or ledger; where it would lie when there is none.
    fn file_of(&self, dir: &str, which: usize) -> String {
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

    /// Writes the scenario file of a directory, which keeps its contract.
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

    /// A directory of the roots where nothing is.
    pub(super) fn free(&mut self) -> Option<String> {
        let root = self.root();
        let dirs = DIRS.iter().filter_map(|dir| Some(format!("{root}{}", dir.strip_prefix(".spec")?)));
        let dirs: Vec<String> = dirs.filter(|dir| !self.state.keys().any(|path| is_of(path, dir))).collect();
        self.any(&dirs)
    }

    /// One well-formed reading of now.
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

    /// A time of its own for every line.
    pub(super) fn ts(&mut self) -> String {
        self.now += 1;
        let seconds = self.now - 1_767_225_600;
        let (day, hour, minute) = (1 + seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
        format!("2026-01-{day:02}T{hour:02}:{minute:02}:{:02}.000Z", seconds % 60)
    }

    fn file(&mut self) {
        let Some(dir) = self.node() else { return self.add_node() };
        let Some(scenario) = self.any(&self.declared(&dir)) else { return };
        let line = if self.dice.roll(8) == 0 { self.of_other_kind(&scenario) } else { self.reading(&scenario) };
        self.append(&dir, &[line]);
    }

    /// Every scenario of a node passes now, with evidence.
    pub(super) fn measure(&mut self) {
        let Some(dir) = self.node() else { return };
        self.measure_all(&dir);
    }

    pub(super) fn measure_all(&mut self, dir: &str) {
        for scenario in self.declared(dir) {
            let line = self.filed(&scenario, ("pass", Some(sha256(b"another"))), true);
            self.append(dir, &[line]);
        }
    }

    /// An event of a kind that is only kept.
    fn of_other_kind(&mut self, scenario: &Scenario) -> Vec<u8> {
        let kind = self.dice.pick(&["human-ok", "from-the-future"]);
        let (name, ts) = (&scenario.name.clone(), self.ts());
        format!("{{\"kind\":\"{kind}\",\"scenario\":\"{name}\",\"by\":\"somebody\",\"ts\":\"{ts}\"}}").into_bytes()
    }

    fn retract(&mut self) {
        let Some(dir) = self.node() else { return };
        let Some(line) = self.any(&self.lines(&dir)) else { return self.file() };
        let Some(event) = event(&line).filter(|event| event["codeSha"].is_string()) else { return };
        let line = format!(
            "{{\"retracts\":\"{}\",\"scenario\":\"{}\",\"ts\":\"{}\"}}",
            word(&event, "ts"),
            word(&event, "scenario"),
            self.ts()
        );
        self.append(&dir, &[line.into_bytes()]);
    }

    /// A line has to go, and its redaction stands in its place; a forged one says another time.
    pub(super) fn redact(&mut self, honest: bool) {
        let Some(dir) = self.node() else { return };
        let mut all = self.lines(&dir);
        let Some(line) = self.any(&all) else { return };
        let Some(event) = event(&line).filter(|event| event["codeSha"].is_string()) else { return };
        let (scenario, hash) = (word(&event, "scenario"), sha256(&line));
        let ts = if honest { word(&event, "ts").to_owned() } else { self.ts() };
        let redaction = format!(
            "{{\"redacts\":\"{hash}\",\"scenario\":\"{scenario}\",\"ts\":\"{ts}\",\"reason\":\"a name\",\"by\":\"me\"}}"
        );
        all.retain(|other| *other != line);
        all.push(redaction.into_bytes());
        self.set_lines(&dir, &all);
    }

    fn code(&mut self) {
        let path = self.dice.pick(&CODE);
        let content = self.dice.pick(&["one\n", "two\n", "three\n"]);
        self.state.insert(path.to_owned(), content.as_bytes().to_vec());
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let moved: Vec<String> = self.state.keys().filter(|path| is_of(path, from)).cloned().collect();
        for path in moved {
            let bytes = self.state.remove(&path).expect("a file of the state");
            self.state.insert(format!("{to}{}", &path[from.len()..]), bytes);
        }
    }

    pub(super) fn move_node(&mut self) {
        let (Some(from), Some(to)) = (self.node(), self.free()) else { return };
        self.rename(&from, &to);
    }

    /// From one generation of names to the other; outside the roots the newer ones are not ours.
    fn rename_files(&mut self) {
        let root = format!("{}/", self.root());
        let Some(dir) = self.node().filter(|dir| dir.starts_with(&root)) else { return };
        let (from, to) = if self.dice.roll(3) == 0 { (NEW, OLD) } else { (OLD, NEW) };
        for (from, to) in from.iter().zip(to).map(|(from, to)| (format!("{dir}/{from}"), format!("{dir}/{to}"))) {
            if let (Some(bytes), false) = (self.state.get(&from).cloned(), self.state.contains_key(&to)) {
                self.state.remove(&from);
                self.state.insert(to, bytes);
            }
        }
    }

    /// One scenario of a node becomes a node of its own, with its lines.
    fn split(&mut self) {
        let Some(from) = self.any(&self.with_two()) else { return };
        let Some(to) = self.free() else { return };
        let mut rest = self.declared(&from);
        let taken = rest.remove(self.dice.roll(rest.len()));
        let (go, stay): (Vec<_>, Vec<_>) =
            self.lines(&from).into_iter().partition(|line| scenario_of(line) == Some(nfc(&taken.name)));
        self.declare(&from, &rest);
        self.declare(&to, &[taken]);
        self.set_lines(&from, &stay);
        self.set_lines(&to, &go);
    }

    fn with_two(&self) -> Vec<String> {
        self.nodes().into_iter().filter(|dir| self.declared(dir).len() > 1).collect()
    }

    pub(super) fn new_scenario(&mut self) -> Scenario {
        let name = self.dice.pick(&NAMES).to_owned();
        Scenario {
            description: format!("measure {name}"),
            expected: self.dice.pick(&TEXTS).to_owned(),
            code: vec![self.dice.pick(&CODE).to_owned()],
            name,
        }
    }

    /// Sometimes the name, and even the text, is that of another node's.
    fn add_node(&mut self) {
        let Some(dir) = self.free() else { return };
        let scenario = self.new_scenario();
        self.declare(&dir, std::slice::from_ref(&scenario));
        if self.dice.roll(2) == 0 {
            let line = self.reading(&scenario);
            self.append(&dir, &[line]);
        }
    }

    fn add_scenario(&mut self) {
        let Some(dir) = self.node() else { return };
        let (scenario, mut all) = (self.new_scenario(), self.declared(&dir));
        if all.iter().all(|other| nfc(&other.name) != nfc(&scenario.name)) {
            all.push(scenario);
            self.declare(&dir, &all);
        }
    }

    /// A node goes with its ledger.
    fn retire_node(&mut self) -> Option<Vec<Scenario>> {
        let nodes = self.nodes();
        let dir = self.any(&nodes).filter(|_| nodes.len() > 1)?;
        let retired = self.declared(&dir);
        self.state.retain(|path, _| !is_of(path, &dir));
        Some(retired)
    }

    /// One node goes and another begins, whose scenario has the same name and other words.
    fn retire_and_begin(&mut self) {
        let Some(retired) = self.retire_node() else { return };
        let (Some(old), Some(dir)) = (self.any(&retired), self.free()) else { return };
        let expected = format!("{}, and otherwise since {}", TEXTS[0], self.now);
        self.declare(&dir, &[Scenario { expected, ..old }]);
    }

    /// The scenario file goes, and the ledger stays.
    fn take_away(&mut self) {
        let nodes = self.nodes();
        let Some(dir) = self.any(&nodes).filter(|_| nodes.len() > 1) else { return };
        self.state.remove(&self.file_of(&dir, 0));
    }

    /// Lines that speak of no declared scenario get one again.
    fn bring_back(&mut self) {
        let lines = self
            .ledgers()
            .into_iter()
            .flat_map(|dir| self.lines(&dir).into_iter().map(move |line| (dir.clone(), line)));
        let undeclared = |(dir, line): (String, Vec<u8>)| {
            let name = scenario_of(&line)?;
            let declared = self.declared(&dir);
            declared.iter().all(|one| nfc(&one.name) != name).then_some((dir, name))
        };
        let names: BTreeSet<(String, String)> = lines.filter_map(undeclared).collect();
        let Some((dir, name)) = self.any(&names.into_iter().collect::<Vec<_>>()) else { return };
        let mut all = self.declared(&dir);
        all.push(Scenario { description: format!("measure {name}"), name, ..self.new_scenario() });
        self.declare(&dir, &all);
    }

    /// A scenario has another name, and its lines stay.
    pub(super) fn rename_scenario(&mut self) {
        let Some(dir) = self.node() else { return };
        let (scenario, mut all) = (self.new_scenario(), self.declared(&dir));
        if !all.is_empty() && all.iter().all(|other| nfc(&other.name) != nfc(&scenario.name)) {
            let at = self.dice.roll(all.len());
            all[at].name = scenario.name;
            self.declare(&dir, &all);
        }
    }

    /// A scenario is declared no more, and its lines stay.
    fn drop_scenario(&mut self) {
        let Some(dir) = self.any(&self.with_two()) else { return };
        let mut rest = self.declared(&dir);
        rest.remove(self.dice.roll(rest.len()));
        self.declare(&dir, &rest);
    }

    /// The root gets another name, in `roots` too where that is careful.
    pub(super) fn rename_root(&mut self, is_careful: bool) {
        let from = self.root();
        let to = if from == ".spec" { "specs" } else { ".spec" };
        if self.state.keys().any(|path| seen::is_below(path, to)) {
            return;
        }
        let files = std::mem::take(&mut self.state);
        let renamed =
            |path: String| if seen::is_below(&path, &from) { format!("{to}{}", &path[from.len()..]) } else { path };
        self.state = files.into_iter().map(|(path, bytes)| (renamed(path), bytes)).collect();
        if is_careful {
            self.configure(&["yatsu", "roots"], serde_json::json!([to]));
        }
    }

    fn reword(&mut self) {
        let Some(dir) = self.node() else { return };
        let mut all = self.declared(&dir);
        if all.is_empty() {
            return;
        }
        let at = self.dice.roll(all.len());
        all[at].expected = self.dice.pick(&TEXTS).to_owned();
        self.declare(&dir, &all);
    }

    /// The order means nothing, and neither does it that a line stands there twice.
    fn shuffle(&mut self) {
        let Some(dir) = self.node() else { return };
        let mut all = self.lines(&dir);
        all.reverse();
        match self.dice.roll(3) {
            0 => all.extend(all.first().cloned()),
            1 => all.dedup(),
            _ => {}
        }
        self.set_lines(&dir, &all);
    }
}

fn set(at: &mut Value, key: &[&str], value: &Value) {
    match key {
        [last] => at[*last] = value.clone(),
        [first, rest @ ..] => set(&mut at[*first], rest, value),
        [] => {}
    }
}
