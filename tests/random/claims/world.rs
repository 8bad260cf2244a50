//! The real program in two work trees of one repository, and the judge beside it: each deed goes to both.

use super::judge::{
    End, Given, Judge, MOST_PER_OWNER, MOST_PER_RUN, OTHERS, Payload, Place, Row, SCENARIOS, Says, Tree, Wish,
};
use crate::support::{Dice, Said, Scratch};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A deed as numbers, which have a meaning in every state.
#[derive(Clone, Debug)]
pub struct Deed {
    kind: usize,
    tree: usize,
    place: usize,
    scenario: usize,
    owner: usize,
    token: usize,
    run: usize,
    key: usize,
    note: usize,
    cost: usize,
    other: usize,
    flag: bool,
}

impl Deed {
    pub fn of(dice: &mut Dice) -> Self {
        Self {
            kind: dice.roll(33),
            tree: dice.roll(2),
            place: dice.roll(8),
            scenario: dice.roll(2),
            owner: dice.roll(3),
            token: dice.roll(6),
            run: dice.roll(4),
            key: dice.roll(4),
            note: dice.roll(2),
            cost: dice.roll(6),
            other: dice.roll(OTHERS.len()),
            flag: dice.roll(2) == 0,
        }
    }
}

/// A day and an hour in milliseconds: longer than any claim.
const DAY: i64 = 90_000_000;

pub struct World {
    s: Scratch,
    trees: [PathBuf; 2],
    /// Whether each change is staged.
    stages: bool,
    judge: Judge,
    numbers: u64,
    names: u64,
    /// The log of deeds and answers.
    pub told: Vec<String>,
    pub wrong: Option<String>,
}

fn file(text: char) -> String {
    let mut file = "---\nscenarios:\n".to_owned();
    for name in SCENARIOS {
        file += &format!(
            "  - name: {name}\n    description: {text} does {name}\n    expected: it does\n    tags: [cli]\n    code: src/a.rs\n"
        );
    }
    file + "---\n"
}

fn millis(ts: &str) -> i64 {
    ts.parse::<jiff::Timestamp>().expect("a time").as_millisecond()
}

impl World {
    pub fn new(stages: bool) -> Self {
        let s = Scratch::new();
        s.write("src/a.rs", "fn a() {}\n");
        let mut tree = Tree { task: 100, run: 250, ..Tree::default() };
        for (dir, text) in [(".spec/a", 'a'), (".spec/b", 'b')] {
            s.write(&format!("{dir}/yatsu.md"), file(text));
            tree.places.insert(dir.to_owned(), Place { text, rows: Vec::new() });
        }
        s.write("spexcode.json", settings(&tree));
        s.commit("begin");
        s.git(&["worktree", "add", "-q", "--detach", "../other"]);
        let trees = [s.root.clone(), s.base.join("other")];
        let judge = Judge { trees: vec![tree.clone(), tree], given: Vec::new() };
        Self { s, trees, stages, judge, numbers: 0, names: 0, told: Vec::new(), wrong: None }
    }

    fn yatsu(&mut self, tree: usize, words: &[&str]) -> Said {
        let mut command = self.s.yatsu_command(words);
        let said = Said::of(command.current_dir(&self.trees[tree]).output().expect("it runs"));
        let short = [&said.out, &said.err].map(|text| text.lines().next().unwrap_or_default().to_owned());
        self.told.push(format!("tree {tree}: yatsu-hook {}\n    {} {short:?}", words.join(" "), said.code));
        said
    }

    fn expect(&mut self, wanted: &str, got: &str) {
        if wanted != got {
            self.wrong.get_or_insert_with(|| format!("`{got}` where the judge says `{wanted}`"));
        }
    }

    /// Carries out a deed with both, and compares the results.
    pub fn step(&mut self, deed: &Deed) {
        let tree = deed.tree;
        let places: Vec<String> = self.judge.trees[tree].places.keys().cloned().collect();
        let dir = places[deed.place % places.len()].clone();
        let at = (tree, dir.as_str(), SCENARIOS[deed.scenario]);
        match deed.kind {
            0..=4 => self.take(deed, at),
            5 | 6 => self.next(deed),
            7 => self.own(deed, true),
            8 | 9 => self.own(deed, false),
            10 => self.force(at),
            11..=20 => self.eval(deed, at),
            21 => self.retract(at),
            22 => self.redact(deed, at),
            23 | 24 => self.waive(at),
            25 => self.lapse(),
            26 => self.relocate(deed, tree, &dir),
            27..=30 => self.take_other(deed),
            31 => self.force_other(deed),
            _ => self.limit(deed),
        }
        if self.stages && matches!(deed.kind, 11..=24 | 26 | 32) {
            let top = self.trees[tree].to_str().expect("UTF-8");
            self.s.git(&["-C", top, "add", "-A"]);
        }
    }

    fn take(&mut self, deed: &Deed, (tree, dir, scenario): (usize, &str, &'static str)) {
        let (owner, run) = (format!("o{}", deed.owner), run_of(deed));
        let wanted = self.judge.take(tree, dir, scenario, (&owner, run, deed.flag));
        let run_name = run.map(|run| format!("r{run}"));
        let mut words = vec!["claim", "take", dir, "--scenario", scenario, "--as", &owner, "--format", "json"];
        words.extend(run_name.iter().flat_map(|run| ["--run", run]));
        words.extend(deed.flag.then_some("--force"));
        words.extend((deed.key == 3).then_some("--session=x"));
        let said = self.yatsu(tree, &words);
        self.given(&said, (tree, run), &wanted);
    }

    fn take_other(&mut self, deed: &Deed) {
        let (owner, run, what) = (format!("o{}", deed.owner), run_of(deed), OTHERS[deed.other]);
        let wanted = self.judge.take_other(deed.tree, what, (&owner, run, deed.flag));
        let (flag, run_name) = (flag_of(what), run.map(|run| format!("r{run}")));
        let mut words = vec!["claim", "take", &flag, "--as", &owner, "--format", "json"];
        words.extend(run_name.iter().flat_map(|run| ["--run", run]));
        words.extend(deed.flag.then_some("--force"));
        words.extend((deed.key == 3).then_some("--session=x"));
        let said = self.yatsu(deed.tree, &words);
        self.given(&said, (deed.tree, run), &wanted);
    }

    fn force_other(&mut self, deed: &Deed) {
        let what = OTHERS[deed.other];
        let held = self.judge.forced_other(what);
        let said = self.yatsu(deed.tree, &["claim", "release", "--force", &flag_of(what), "--reason", "r"]);
        let got = if said.code == 0 { "done".to_owned() } else { word(&said) };
        self.expect(if held.is_some() { "done" } else { "not held" }, &got);
        held.into_iter().for_each(|token| self.end(token, End::GivenUp));
    }

    fn next(&mut self, deed: &Deed) {
        let (owner, run) = (format!("o{}", deed.owner), run_of(deed));
        let wanted = self.judge.next(deed.tree, &owner, run);
        let run_name = run.map(|run| format!("r{run}"));
        let mut words = vec!["claim", "next", "--as", &owner, "--format", "json"];
        words.extend(run_name.iter().flat_map(|run| ["--run", run]));
        let said = self.yatsu(deed.tree, &words);
        self.given(&said, (deed.tree, run), &wanted);
    }

    /// Notes a new claim, and compares the answer.
    fn given(&mut self, said: &Said, (tree, run): (usize, Option<usize>), wanted: &str) {
        if said.code != 0 {
            return self.expect(wanted, &word(said));
        }
        let json: Value = serde_json::from_str(&said.out).expect("a document");
        let claim = &json["claims"][0];
        let text = |key: &str| claim[key].as_str().unwrap_or_default().to_owned();
        let attempt = u32::try_from(claim["attempt"].as_u64().unwrap_or(0)).expect("a number");
        let what = what(claim);
        let got = format!("{} {attempt} {} {what}", text("event"), text("node"));
        self.expect(wanted, &got);
        let Some(scenario) = SCENARIOS.into_iter().chain(OTHERS).find(|name| *name == what) else { return };
        let from = millis(&text("ts"));
        let taken_over = self
            .judge
            .given
            .iter_mut()
            .find(|one| one.dir == text("node") && one.scenario == scenario && one.end.is_none());
        if let Some(lost) = taken_over {
            (lost.end, lost.to) = (Some(End::TakenOver), from);
        }
        let place = self.judge.trees[tree].places.get(&text("node"));
        self.judge.given.push(Given {
            token: text("token"),
            dir: text("node"),
            scenario,
            text: place.map_or('?', |place| place.text),
            owner: text("owner"),
            attempt,
            run,
            from,
            to: from,
            lapsed: false,
            end: None,
        });
    }

    /// One of the last given tokens; `None` before the first.
    fn token(&self, deed: &Deed) -> Option<usize> {
        self.judge.given.len().checked_sub(1 + deed.token)
    }

    fn own(&mut self, deed: &Deed, renews: bool) {
        let Some(token) = self.token(deed) else { return };
        let wanted = self.judge.own(token, renews);
        let hex = self.judge.given[token].token.clone();
        let said = self.yatsu(deed.tree, &["claim", if renews { "renew" } else { "release" }, &hex]);
        self.expect(&wanted, if said.code == 0 { "done".to_owned() } else { word(&said) }.as_str());
        if said.code == 0 && !renews {
            self.end(token, End::GivenUp);
        }
    }

    fn end(&mut self, token: usize, end: End) {
        let journal = std::fs::read_to_string(self.s.root.join(".git/yatsu/claims.ndjson")).expect("a journal");
        let last: Value = serde_json::from_str(journal.lines().last().expect("a line")).expect("an event");
        let one = &mut self.judge.given[token];
        (one.end, one.to) = (Some(end), millis(last["ts"].as_str().expect("a time")));
    }

    fn force(&mut self, (tree, dir, scenario): (usize, &str, &'static str)) {
        let held = self.judge.forced(tree, dir, scenario);
        let said = self.yatsu(tree, &["claim", "release", "--force", dir, "--scenario", scenario, "--reason", "r"]);
        let got = if said.code == 0 { "done".to_owned() } else { word(&said) };
        self.expect(if held.is_some() { "done" } else { "not held" }, &got);
        held.into_iter().for_each(|token| self.end(token, End::GivenUp));
    }

    fn eval(&mut self, deed: &Deed, (tree, dir, scenario): (usize, &str, &'static str)) {
        let token = self.token(deed).filter(|_| deed.kind < 17);
        // a holder mostly files the claimed scenario
        let (dir, scenario) = match token.map(|token| &self.judge.given[token]) {
            Some(one) if deed.place < 6 && self.judge.trees[tree].places.contains_key(&one.dir) => {
                (one.dir.clone(), one.scenario)
            }
            _ => (dir.to_owned(), scenario),
        };
        let cost = [None, None, Some(40), Some(90), Some(130), Some(20)][deed.cost];
        let key = (deed.key < 2).then_some(deed.key);
        let payload =
            Payload { pass: deed.flag, note: deed.note, by: None, attempt: None, key, run: run_of(deed), cost };
        let wish = Wish { tree, dir: dir.clone(), scenario, token, keep: deed.owner == 0, payload };
        let (wanted, ends) = self.judge.file(&wish);
        let said = self.filing(&wish);
        let got = match said.code {
            0 => {
                let receipt: Value = serde_json::from_str(&said.out).expect("a receipt");
                let late = if said.err.contains("late") { " late" } else { "" };
                let word = if receipt["outcome"] == "filed" { "filed" } else { "already" };
                format!("{word}{late}")
            }
            _ => word(&said),
        };
        self.expect(&wanted, &got);
        if said.code != 0 || self.wrong.is_some() {
            return;
        }
        if got.starts_with("filed") {
            let receipt: Value = serde_json::from_str(&said.out).expect("a receipt");
            let says = Says::Reading(self.judge.dressed(&wish).expect("it was filed"));
            self.line(tree, &dir, (millis(receipt["ts"].as_str().expect("a time")), scenario), says);
        }
        ends.into_iter().for_each(|token| self.end(token, End::Filed));
    }

    fn filing(&mut self, wish: &Wish) -> Said {
        let Wish { tree, dir, scenario, token, keep, payload } = wish;
        let texts = [
            Some(format!("--note=n{}", payload.note)),
            token.map(|token| format!("--claim={}", self.judge.given[token].token)),
            payload.key.map(|key| format!("--key=k{key}")),
            payload.run.map(|run| format!("--run=r{run}")),
            payload.cost.map(|cost| format!("--tokens={cost},0")),
            payload.cost.map(|_| "--token-source=meter".to_owned()),
            (*keep && token.is_some()).then(|| "--keep".to_owned()),
        ];
        let status = if payload.pass { "--pass" } else { "--fail" };
        let mut words = vec!["eval", dir, "--scenario", scenario, status, "--format", "json"];
        words.extend(texts.iter().flatten().map(String::as_str));
        self.yatsu(*tree, &words)
    }

    fn line(&mut self, tree: usize, dir: &str, (at, scenario): (i64, &'static str), says: Says) {
        self.numbers += 1;
        let row = Row { number: self.numbers, at, scenario, says };
        self.judge.trees[tree].places.get_mut(dir).expect("a node").rows.push(row);
    }

    fn retract(&mut self, (tree, dir, scenario): (usize, &str, &'static str)) {
        let latest = self.judge.trees[tree].latest(dir, scenario).map(|(row, _)| row.at);
        let said = self.yatsu(tree, &["retract", dir, "--scenario", scenario, "--last", "--format", "json"]);
        self.expect(if latest.is_some() { "0" } else { "1" }, &said.code.to_string());
        if let Some(at) = latest.filter(|_| said.code == 0) {
            let receipt: Value = serde_json::from_str(&said.out).expect("a receipt");
            let ts = millis(receipt["ts"].as_str().expect("a time"));
            self.line(tree, dir, (ts, scenario), Says::Withdraws(at));
        }
    }

    fn redact(&mut self, deed: &Deed, (tree, dir, scenario): (usize, &str, &'static str)) {
        let rows = &self.judge.trees[tree].places[dir].rows;
        let readings: Vec<i64> = rows
            .iter()
            .filter(|row| row.scenario == scenario && matches!(row.says, Says::Reading(_)))
            .map(|row| row.at)
            .collect();
        let Some(at) = readings.get(deed.token % readings.len().max(1)).copied() else { return };
        let ts = format!("{:.3}", jiff::Timestamp::from_millisecond(at).expect("a time"));
        let said = self.yatsu(tree, &["redact", dir, "--scenario", scenario, "--ts", &ts, "--reason", "r"]);
        self.expect("0", &said.code.to_string());
        let place = self.judge.trees[tree].places.get_mut(dir).expect("a node");
        for row in place.rows.iter_mut().filter(|row| row.scenario == scenario && row.at == at) {
            if let Says::Reading(payload) = &row.says {
                row.says = Says::Gone(payload.clone());
            }
        }
    }

    fn waive(&mut self, (tree, dir, scenario): (usize, &str, &'static str)) {
        let wanted = self.judge.waive(tree, dir, scenario);
        let words =
            ["claim", "waive-budget", dir, "--scenario", scenario, "--reason", "r", "--by", "b", "--format", "json"];
        let said = self.yatsu(tree, &words);
        let receipt: Value = serde_json::from_str(&said.out).unwrap_or_default();
        let got = match receipt["outcome"].as_str() {
            Some("waived") => "waived",
            Some(_) => "already",
            None => "not over",
        };
        self.expect(wanted, got);
        if got == "waived" {
            let ts = millis(receipt["ts"].as_str().expect("a time"));
            self.line(tree, dir, (ts, scenario), Says::Waives);
        }
    }

    /// Lets a day and an hour pass for claims, by dating their lines back.
    fn lapse(&mut self) {
        let path = self.s.root.join(".git/yatsu/claims.ndjson");
        let Ok(journal) = std::fs::read_to_string(&path) else { return };
        let back = |value: &mut Value| {
            let ts = millis(value.as_str().expect("a time")) - DAY;
            *value = format!("{:.3}", jiff::Timestamp::from_millisecond(ts).expect("a time")).into();
        };
        let mut lines = String::new();
        for line in journal.lines() {
            let mut event: Value = serde_json::from_str(line).expect("an event");
            back(&mut event["ts"]);
            back(&mut event["until"]);
            lines += &format!("{event}\n");
        }
        std::fs::write(path, lines).expect("a journal");
        self.told.push("a day and an hour pass for the journal".into());
        for one in &mut self.judge.given {
            (one.from, one.to) = (one.from - DAY, one.to - DAY);
            one.lapsed |= one.end.is_none();
        }
    }

    /// Moves a node, ledger and all, or makes a copy of it.
    fn relocate(&mut self, deed: &Deed, tree: usize, dir: &str) {
        self.names += 1;
        let moves = deed.flag || self.judge.trees[tree].places.len() > 3;
        let new = format!(".spec/{}{}", if moves { "m" } else { "k" }, self.names);
        let (from, to) = (self.trees[tree].join(dir), self.trees[tree].join(&new));
        let places = &mut self.judge.trees[tree].places;
        if moves {
            std::fs::rename(from, to).expect("a move");
            let place = places.remove(dir).expect("a node");
            places.insert(new.clone(), place);
        } else {
            std::fs::create_dir_all(&to).expect("a directory");
            for entry in std::fs::read_dir(from).expect("a directory") {
                let entry = entry.expect("a file");
                std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
            }
            let place = places[dir].clone();
            places.insert(new.clone(), place);
        }
        self.told.push(format!("tree {tree}: {} {dir} {new}", if moves { "mv" } else { "cp -r" }));
    }

    fn limit(&mut self, deed: &Deed) {
        let tree = &mut self.judge.trees[deed.tree];
        (tree.task, tree.run) = ([60, 100, 1000][deed.cost % 3], [120, 250][deed.note]);
        let text = settings(tree);
        std::fs::write(self.trees[deed.tree].join("spexcode.json"), &text).expect("a configuration");
        self.told.push(format!("tree {}: {text}", deed.tree));
    }

    /// Whether all queries agree with the judge.
    pub fn look(&mut self) {
        let held = self.claims();
        let wanted = self.judge.held();
        self.expect(&format!("{wanted:?}"), &format!("{held:?}"));
        for tree in 0..2 {
            let (verdicts, runs) = (self.judge.trees[tree].verdicts(), self.judge.trees[tree].runs());
            let told = self.yatsu(tree, &["ls", "--format", "json"]);
            let json: Value = serde_json::from_str(&told.out).unwrap_or_default();
            let mut found = BTreeMap::new();
            for row in json["scenarios"].as_array().into_iter().flatten() {
                let Some(latest) = row["readings"].get(0) else { continue };
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let verdict = latest.get("effective").map_or(&latest["verdict"], |effective| &effective["verdict"]);
                found.insert((text(&row["path"]), text(&row["scenario"])), text(verdict));
            }
            self.expect(&format!("{verdicts:?}"), &format!("{found:?}"));
            let told = self.yatsu(tree, &["usage", "--format", "json"]);
            let json: Value = serde_json::from_str(&told.out).unwrap_or_default();
            let cost = |run: &Value| {
                let amounts = run["amounts"].as_array().into_iter().flatten();
                let tokens = amounts.into_iter().find(|amount| amount["metric"] == "total_tokens");
                let total = tokens.and_then(|amount| amount["total"].as_u64()).unwrap_or(0);
                (run["run"].as_str().unwrap_or_default().to_owned(), total)
            };
            let found: BTreeMap<String, u64> = json["runs"].as_array().into_iter().flatten().map(cost).collect();
            self.expect(&format!("{runs:?}"), &format!("{found:?}"));
        }
    }

    fn claims(&mut self) -> BTreeSet<String> {
        let said = self.yatsu(1, &["claim", "ls", "--format", "json"]);
        let json: Value = serde_json::from_str(&said.out).unwrap_or_default();
        let one = |claim: &Value| {
            let text = |key: &str| claim[key].as_str().unwrap_or_default().to_owned();
            let (node, what, owner) = (text("node"), what(claim), text("owner"));
            format!("{node} {what} {owner} {} {}", claim["attempt"], text("state"))
        };
        json["claims"].as_array().into_iter().flatten().map(one).collect()
    }
}

fn settings(tree: &Tree) -> String {
    format!(
        "{{\"yatsu\":{{\"budgets\":{{\"maxTaskTotalTokens\":{},\"maxRunTotalTokens\":{}}},\"claims\":{{\"grace\":\"0s\",\
         \"maxAttempts\":{},\"maxPerOwner\":{MOST_PER_OWNER},\"maxPerRun\":{MOST_PER_RUN}}}}}}}",
        tree.task,
        tree.run,
        super::judge::MOST_ATTEMPTS
    )
}

/// What a claim is on, as the judge calls it.
fn what(claim: &Value) -> String {
    let other = ["key", "path"].into_iter().find_map(|kind| Some(format!("{kind} {}", claim[kind].as_str()?)));
    other.unwrap_or_else(|| claim["scenario"].as_str().unwrap_or_default().to_owned())
}

/// The flag that names a key or a path.
fn flag_of(what: &str) -> String {
    format!("--{}", what.replace(' ', "="))
}

fn run_of(deed: &Deed) -> Option<usize> {
    (deed.run < 2).then_some(deed.run)
}

/// A refusal in a word.
fn word(said: &Said) -> String {
    const WORDS: [(&str, &str); 14] = [
        ("is held by", "held"),
        ("over its budget", "over"),
        ("maxAttempts", "attempts"),
        ("maxPerOwner", "capped"),
        ("maxPerRun", "capped"),
        ("nothing needs measuring", "nothing"),
        ("has expired at", "expired"),
        ("has ended:", "ended"),
        ("is lost:", "lost"),
        ("is not claimed", "not held"),
        ("this token's claim is on", "other"),
        ("is used up", "used up"),
        ("and the reading for another", "another run"),
        ("could be withdrawn", "no reading"),
    ];
    let found = WORDS.iter().find(|(part, _)| said.code == 1 && said.err.contains(part));
    found.map_or_else(|| format!("exit {}: {}", said.code, said.err), |(_, word)| (*word).to_owned())
}
