//! The changes that careful actors make to the files of a commit. Each deed turns one state into another and loses
//! nothing.

use super::desk::{CODE, Desk, NAMES, NEW, OLD, TEXTS, is_of};
use super::seen::{self, Scenario, event, nfc, scenario_of, word};
use crate::support::sha256;
use std::collections::BTreeSet;

/// A careful deed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Careful {
    File,
    FileTogether,
    Measure,
    Retract,
    Redact,
    Withdraw,
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
    pub(super) const ALL: [Self; 32] = [
        Self::File,
        Self::File,
        Self::File,
        Self::File,
        Self::File,
        Self::FileTogether,
        Self::Measure,
        Self::Measure,
        Self::Retract,
        Self::Redact,
        Self::Withdraw,
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

    /// Deeds that make a server stricter. A history has one of them now and then.
    pub(super) const STRICT: [Self; 2] = [Self::AskForProof, Self::GateProtected];

    pub(super) fn do_at(self, desk: &mut Desk<'_>) {
        match self {
            Self::File => desk.file(),
            Self::FileTogether => desk.file_together(),
            Self::Measure => desk.measure(),
            Self::Retract => desk.retract(),
            Self::Redact => desk.redact(true),
            Self::Withdraw => desk.withdraw(),
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

impl Desk<'_> {
    fn file(&mut self) {
        let Some(dir) = self.node() else { return self.add_node() };
        let Some(scenario) = self.any(&self.declared(&dir)) else { return };
        let line = if self.dice.roll(8) == 0 { self.of_other_kind(&scenario) } else { self.reading(&scenario) };
        self.append(&dir, &[line]);
    }

    /// Two scenarios of the same name in two nodes are measured at the same time, as one test report files them.
    fn file_together(&mut self) {
        let nodes = self.nodes();
        let filed: Vec<(String, String)> = nodes
            .iter()
            .flat_map(|dir| self.lines(dir).into_iter().filter_map(|line| event(&line)))
            .map(|event| (nfc(word(&event, "scenario")), word(&event, "ts").to_owned()))
            .collect();
        let Some((name, ts)) = self.any(&filed) else { return };
        let is_free = |dir: &&String| {
            self.declared(dir).iter().any(|one| nfc(&one.name) == name)
                && !self.lines(dir).iter().any(|line| String::from_utf8_lossy(line).contains(&ts))
        };
        let Some(dir) = nodes.iter().find(is_free) else { return };
        let Some(scenario) = self.declared(dir).into_iter().find(|one| nfc(&one.name) == name) else { return };
        let line = String::from_utf8_lossy(&self.reading(&scenario)).into_owned();
        let Some((before, after)) = line.split_once("\"ts\":\"").and_then(|(a, b)| Some((a, b.split_once('"')?.1)))
        else {
            return;
        };
        let line = format!("{before}\"ts\":\"{ts}\"{after}");
        self.append(dir, &[line.into_bytes()]);
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

    /// An event of a kind that the program only keeps.
    fn of_other_kind(&mut self, scenario: &Scenario) -> Vec<u8> {
        let kind = self.dice.pick(&["human-ok", "from-the-future"]);
        let (name, ts) = (&scenario.name.clone(), self.ts());
        format!("{{\"kind\":\"{kind}\",\"scenario\":\"{name}\",\"by\":\"somebody\",\"ts\":\"{ts}\"}}").into_bytes()
    }

    fn retract(&mut self) {
        let Some(dir) = self.node() else { return };
        match self.any(&self.lines(&dir)) {
            Some(line) => self.retract_line(&dir, &line),
            None => self.file(),
        }
    }

    fn retract_line(&mut self, dir: &str, line: &[u8]) {
        let Some(event) = event(line).filter(|event| event["codeSha"].is_string()) else { return };
        let (of, scenario, ts) = (word(&event, "ts"), word(&event, "scenario"), self.ts());
        let line = format!("{{\"retracts\":\"{of}\",\"scenario\":\"{scenario}\",\"ts\":\"{ts}\"}}");
        self.append(dir, &[line.into_bytes()]);
    }

    /// Replaces a line by its redaction; a forged redaction has another time.
    pub(super) fn redact(&mut self, honest: bool) {
        let Some(dir) = self.node() else { return };
        if let Some(line) = self.any(&self.lines(&dir)) {
            self.redact_line(&dir, &line, honest);
        }
    }

    fn redact_line(&mut self, dir: &str, line: &[u8], honest: bool) {
        let Some(event) = event(line).filter(|event| event["codeSha"].is_string()) else { return };
        let (scenario, hash) = (word(&event, "scenario"), sha256(line));
        let ts = if honest { word(&event, "ts").to_owned() } else { self.ts() };
        let redaction = format!(
            "{{\"redacts\":\"{hash}\",\"scenario\":\"{scenario}\",\"ts\":\"{ts}\",\"reason\":\"a name\",\"by\":\"me\"}}"
        );
        let mut all = self.lines(dir);
        all.retain(|other| other != line);
        all.push(redaction.into_bytes());
        self.set_lines(dir, &all);
    }

    /// Retracts or redacts the last fail that is filed here.
    fn withdraw(&mut self) {
        let Some(dir) = self.node() else { return };
        let is_fail = |line: &Vec<u8>| event(line).is_some_and(|event| event["verdict"]["status"] == "fail");
        let Some(line) = self.lines(&dir).into_iter().rev().find(is_fail) else { return };
        match self.dice.roll(2) {
            0 => self.retract_line(&dir, &line),
            _ => self.redact_line(&dir, &line, true),
        }
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

    /// Renames the files from one generation of names to the other. Outside the roots the newer names are not recognised.
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

    /// One scenario of a node becomes a node of its own, together with its lines.
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

    /// Adds a node, sometimes with the name and even the text of another node's scenario.
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

    /// Removes a node together with its ledger.
    fn retire_node(&mut self) -> Option<Vec<Scenario>> {
        let nodes = self.nodes();
        let dir = self.any(&nodes).filter(|_| nodes.len() > 1)?;
        let retired = self.declared(&dir);
        self.state.retain(|path, _| !is_of(path, &dir));
        Some(retired)
    }

    /// Removes a node and adds another one, with a scenario of the same name and another text.
    fn retire_and_begin(&mut self) {
        let Some(retired) = self.retire_node() else { return };
        let (Some(old), Some(dir)) = (self.any(&retired), self.free()) else { return };
        let expected = format!("{}, and otherwise since {}", TEXTS[0], self.now);
        self.declare(&dir, &[Scenario { expected, ..old }]);
    }

    /// Removes the scenario file; the ledger stays.
    fn take_away(&mut self) {
        let nodes = self.nodes();
        let Some(dir) = self.any(&nodes).filter(|_| nodes.len() > 1) else { return };
        self.state.remove(&self.file_of(&dir, 0));
    }

    /// Declares a scenario again for lines without one.
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

    /// Renames a scenario; its lines keep the old name.
    pub(super) fn rename_scenario(&mut self) {
        let Some(dir) = self.node() else { return };
        let (scenario, mut all) = (self.new_scenario(), self.declared(&dir));
        if !all.is_empty() && all.iter().all(|other| nfc(&other.name) != nfc(&scenario.name)) {
            let at = self.dice.roll(all.len());
            all[at].name = scenario.name;
            self.declare(&dir, &all);
        }
    }

    /// Removes a scenario; its lines stay.
    fn drop_scenario(&mut self) {
        let Some(dir) = self.any(&self.with_two()) else { return };
        let mut rest = self.declared(&dir);
        rest.remove(self.dice.roll(rest.len()));
        self.declare(&dir, &rest);
    }

    /// Renames the root; a careful actor also changes `roots`.
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

    /// Changes the order of lines and doubles one; both mean nothing.
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
