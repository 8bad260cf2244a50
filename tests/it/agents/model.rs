//! A slow and obvious model of sessions, against the program. Random events come in any order: starts, edits, commands, stops,
//! edits of others, readings, commits, pulls, branches. After each stop the model says whether the program must ask, and of
//! which scenarios; the program must neither ask twice, nor falsely, nor miss a question.

use super::session::{Session, message, question, touch_later};
use crate::support::{Dice, Scratch, reading_line, scenarios, seeds};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const FILES: [&str; 4] = ["src/a.rs", "src/b.rs", "src/c.rs", "src/free.rs"];
const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
/// Each scenario with the governed files. The configuration requires `needed`.
const SCENARIOS: [(&str, &[usize]); 3] = [("one", &[0]), ("two", &[0, 1]), ("needed", &[2])];
const REQUIRED: &str = "needed";

/// The content of each file.
type Contents = [u8; 4];

/// A reading, with what it measured.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    scenario: usize,
    contents: Contents,
}

/// A state of the work tree, or of a commit.
#[derive(Clone, Debug, Default, PartialEq)]
struct Tree {
    contents: Contents,
    readings: Vec<Measured>,
}

impl Tree {
    fn governs_same(scenario: usize, one: &Contents, other: &Contents) -> bool {
        SCENARIOS[scenario].1.iter().all(|file| one[*file] == other[*file])
    }

    fn is_fresh(&self, scenario: usize) -> bool {
        let mut of = self.readings.iter().filter(|reading| reading.scenario == scenario);
        of.any(|reading| Self::governs_same(scenario, &reading.contents, &self.contents))
    }

    /// The files with other content than the latest reading measured; every file without a reading.
    fn causes(&self, scenario: usize) -> Vec<usize> {
        let latest = self.readings.iter().rev().find(|reading| reading.scenario == scenario);
        let differs = |file: &&usize| latest.is_none_or(|reading| reading.contents[**file] != self.contents[**file]);
        SCENARIOS[scenario].1.iter().filter(differs).copied().collect()
    }
}

/// What the model knows of one session.
#[derive(Clone, Debug, Default)]
struct ModelSession {
    base: Option<(String, Tree)>,
    asked: bool,
    said: BTreeSet<usize>,
    /// The files that its edits named.
    edited: BTreeSet<usize>,
    /// The files that its commands touched last.
    commanded: BTreeSet<usize>,
}

/// The whole world of one sequence.
struct World {
    scratch: Rc<Scratch>,
    now: Tree,
    branch: String,
    heads: BTreeMap<String, Tree>,
    upstream: Option<Contents>,
    minute: u32,
}

fn text(content: u8) -> String {
    format!("fn f() {{ {content} }}\n")
}

impl World {
    fn new() -> Self {
        let scratch = Rc::new(Scratch::new());
        scratch.git(&["config", "user.name", "Ann"]);
        FILES.iter().for_each(|file| scratch.write(file, text(0)));
        let lists: Vec<String> = SCENARIOS
            .iter()
            .map(|(_, files)| files.iter().map(|file| FILES[*file]).collect::<Vec<_>>().join(", "))
            .collect();
        let declared: Vec<_> = SCENARIOS.iter().zip(&lists).map(|((name, _), list)| (*name, list.as_str())).collect();
        let file = scenarios(&declared);
        let (first, last) = file.split_at(file.find("name: needed").expect("a scenario"));
        scratch.write(".spec/n/yatsu.md", format!("{first}{}", last.replace("[cli]", "[must]")));
        scratch.write(
            "spexcode.json",
            r#"{"lint": {"scenarioTags": ["cli", "must"]}, "yatsu": {"agents": {"require": ["must"]}}}"#,
        );
        scratch.write(LEDGER, "");
        scratch.commit("first");
        let now = Tree::default();
        let heads = [("main".to_owned(), now.clone())].into();
        Self { scratch, now, branch: "main".into(), heads, upstream: None, minute: 0 }
    }

    /// What others did before counts for no session that begins now.
    fn age(&self) {
        FILES.iter().for_each(|file| touch_later(&self.scratch, file));
    }

    fn write(&mut self, file: usize, content: u8) {
        self.now.contents[file] = content;
        self.scratch.write(FILES[file], text(content));
    }

    fn measure(&mut self, scenario: usize, status: &str) {
        self.minute += 1;
        let name = SCENARIOS[scenario].0;
        // the stamp says what was measured
        let stamps: Vec<String> = SCENARIOS[scenario]
            .1
            .iter()
            .map(|file| format!("\"{}\":\"{}\"", FILES[*file], self.scratch.git(&["hash-object", FILES[*file]])))
            .collect();
        let head = self.scratch.git(&["rev-parse", "HEAD"]);
        let line = reading_line(&head, name, status, self.minute);
        let line =
            line.trim_end().trim_end_matches('}').to_owned() + &format!(",\"governed\":{{{}}}}}\n", stamps.join(","));
        let ledger = self.scratch.read(LEDGER) + &line;
        self.scratch.write(LEDGER, ledger);
        self.now.readings.push(Measured { scenario, contents: self.now.contents });
    }

    fn commit(&mut self) {
        self.scratch.git(&["add", "-A"]);
        self.scratch.git(&["commit", "-q", "--allow-empty", "-m", "work"]);
        self.heads.insert(self.branch.clone(), self.now.clone());
    }

    /// Everything is published on the branch that this one follows.
    fn push(&mut self) {
        self.commit();
        let branch = self.branch.clone();
        self.scratch.git(&["update-ref", &format!("refs/remotes/origin/{branch}"), "HEAD"]);
        self.scratch.git(&["config", "remote.origin.url", "nowhere"]);
        self.scratch.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
        self.scratch.git(&["config", &format!("branch.{branch}.remote"), "origin"]);
        self.scratch.git(&["config", &format!("branch.{branch}.merge"), &format!("refs/heads/{branch}")]);
        self.upstream = Some(self.now.contents);
    }

    /// A new branch here, with what is not committed.
    fn branch(&mut self, name: String) {
        self.scratch.git(&["checkout", "-q", "-b", &name]);
        let head = self.heads[&self.branch].clone();
        self.heads.insert(name.clone(), head);
        self.branch = name;
        self.upstream = None;
    }

    /// The scenarios that a stop of this session must ask for, and whether each was fresh.
    fn due(&self, session: &ModelSession) -> Vec<(usize, bool)> {
        let head = &self.heads[&self.branch];
        let base = session.base.as_ref().filter(|(branch, _)| *branch == self.branch).map_or(head, |(_, base)| base);
        let mut due = Vec::new();
        for (scenario, (name, _)) in SCENARIOS.iter().enumerate() {
            let was_fresh = base.is_fresh(scenario);
            let counts = was_fresh || *name == REQUIRED;
            let moved = self.now.causes(scenario).into_iter().any(|file| {
                let touched = session.edited.contains(&file) || session.commanded.contains(&file);
                let published = self.upstream.is_some_and(|upstream| upstream[file] == self.now.contents[file]);
                touched && !published && base.contents[file] != self.now.contents[file]
            });
            if counts && moved && !self.now.is_fresh(scenario) {
                due.push((scenario, was_fresh));
            }
        }
        due
    }
}

/// One sequence of random events of two sessions.
fn play(world: &mut World, seed: u64) {
    let dice = &mut Dice(seed);
    world.age();
    let scratch = Rc::clone(&world.scratch);
    let mut models = [ModelSession::default(), ModelSession::default()];
    let sessions = [0, 1].map(|number| Session::new(&scratch, &format!("{seed}-{number}")));
    let mut trace = Vec::new();
    for _ in 0..3 + dice.roll(8) {
        let (who, file, content) = (usize::from(dice.roll(4) == 0), dice.roll(4), dice.roll(4) as u8);
        let event = dice.roll(20);
        trace.push(format!("{event} by {who}: file {file}, content {content}"));
        let head = (world.branch.clone(), world.heads[&world.branch].clone());
        match event {
            0..=2 => {
                sessions[who].start();
                models[who].base.get_or_insert((world.branch.clone(), world.now.clone()));
            }
            3..=7 => {
                world.write(file, content);
                touch_later(&scratch, FILES[file]);
                sessions[who].edited(FILES[file]);
                models[who].base.get_or_insert(head);
                models[who].edited.insert(file);
                models[0].commanded.remove(&file);
            }
            // the time of a file shows the command that wrote it; of two sessions with commands it may show both
            8 | 9 => {
                world.write(file, content);
                sessions[0].ran("make");
                models[0].base.get_or_insert(head);
                models[0].commanded.insert(file);
            }
            10 => {
                world.write(file, content);
                touch_later(&scratch, FILES[file]);
                models[0].commanded.remove(&file);
            }
            11 | 12 => world.measure(dice.roll(3), if dice.roll(3) == 0 { "fail" } else { "pass" }),
            13 => world.commit(),
            14 if dice.roll(3) == 0 => world.push(),
            15 if dice.roll(3) == 0 => world.branch(format!("b{seed}-{}", trace.len())),
            _ => stop(world, &sessions[who], &mut models[who], head, &trace),
        }
    }
}

/// Compares one stop of the program with the model.
fn stop(world: &World, session: &Session<'_>, model: &mut ModelSession, head: (String, Tree), trace: &[String]) {
    let answer = session.stop();
    let is_first = model.base.is_none();
    model.base.get_or_insert(head);
    let mut due = if is_first { Vec::new() } else { world.due(model) };
    let asks = !due.is_empty() && !model.asked;
    if !asks {
        due.retain(|(scenario, was_fresh)| *was_fresh && !model.said.contains(scenario));
    }
    let text = if asks { question(&answer) } else { message(&answer) };
    let named: BTreeSet<&str> =
        SCENARIOS.iter().map(|(name, _)| *name).filter(|name| text.contains(&format!("`n/{name}`"))).collect();
    let expected: BTreeSet<&str> = due.iter().map(|(scenario, _)| SCENARIOS[*scenario].0).collect();
    assert_eq!(named, expected, "asks: {asks}\n{answer}\n{model:#?}\n{:#?}\n{}", world.now, trace.join("\n"));
    assert_eq!(answer.is_empty(), due.is_empty(), "{answer}\n{}", trace.join("\n"));
    model.asked |= asks;
    model.said.extend(due.iter().map(|(scenario, _)| *scenario));
}

#[test]
fn sessions_are_asked_once_and_rightly() {
    let mut world = World::new();
    for (played, seed) in seeds(200, 2_000).into_iter().enumerate() {
        // old readings and branches slow a world down
        if played % 50 == 49 {
            world = World::new();
        }
        play(&mut world, seed);
    }
}
