//! Random ranges. The numbers of the plan are compared with a slow judge, which shares no code with `src`: it keeps what it did
//! to each scenario, compares the bytes of files at commits, and follows the sentences of the contract. A scenario is in one
//! bucket, because the slow judge has one arm for each pair of states.

use super::{numbers, report};
use crate::support::{Dice, Scratch, seeds, sha256, validate_published};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// The directories between which everything moves.
const GROUPS: [&str; 3] = [".spec/shop", ".spec/x/shop", ".spec/store"];
/// So many contents has each file, so that many edits are reverts.
const CONTENTS: usize = 2;
/// So many ranges are asked for in each history.
const RANGES: usize = 20;
/// The compared numbers.
const NUMBERS: [&str; 12] = [
    "madeStale",
    "measuredAgain",
    "speaksAgain",
    "notMeasured",
    "staleBefore",
    "freshAgain",
    "otherVerdict",
    "withdrawn",
    "notJudged",
    "staleAgain",
    "reworded",
    "untouched",
];

/// What a reading measures: the content of the file, the text of the scenario, the version of the evaluator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Subject {
    content: u32,
    text: u32,
    evaluator: u32,
}

/// A reading: its scenario, what it measured, its result and its time.
#[derive(Clone, Debug, PartialEq)]
struct Filed {
    name: &'static str,
    measured: Subject,
    fails: bool,
    at: u32,
}

/// All that a commit holds.
#[derive(Clone, Debug, Default)]
struct Sight {
    group: &'static str,
    /// What a reading would measure now, for each name.
    subjects: BTreeMap<&'static str, Subject>,
    declared: Vec<&'static str>,
    filed: Vec<Filed>,
    withdrawn: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Unmeasured,
    Stale,
    Fresh,
}

impl Sight {
    fn readings(&self, name: &str) -> impl Iterator<Item = &Filed> {
        self.filed.iter().filter(move |one| one.name == name && !self.withdrawn.contains(&one.at))
    }

    fn is_fresh(&self, reading: &Filed) -> bool {
        self.subjects[reading.name] == reading.measured
    }

    /// The latest reading of the content and the text that are here, else the latest. The evaluator does not matter.
    fn counting(&self, name: &str) -> Option<&Filed> {
        let now = self.subjects[name];
        let is_same = |one: &&Filed| (one.measured.content, one.measured.text) == (now.content, now.text);
        let same = self.readings(name).filter(is_same).max_by_key(|one| one.at);
        same.or_else(|| self.readings(name).max_by_key(|one| one.at))
    }

    fn state(&self, name: &str) -> State {
        match self.counting(name) {
            None => State::Unmeasured,
            Some(one) if self.is_fresh(one) => State::Fresh,
            Some(_) => State::Stale,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.declared.contains(&name)
    }

    fn text(&self, name: &str) -> u32 {
        self.subjects[name].text
    }
}

/// How the scenarios lie in directories.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// One node with a scenario of each name.
    One,
    /// A node of each name. All have the same scenario, and an unmeasured one that is never dropped.
    Each,
}

impl Layout {
    fn dir(self, group: &str, name: &str) -> String {
        if self == Self::One { group.to_owned() } else { format!("{group}/{name}") }
    }

    fn scenario(self, name: &str) -> &str {
        if self == Self::One { name } else { "works" }
    }

    /// Whether the scenario is known to be the same one at both ends: by its place, the last name of its directory with its
    /// list, its text, or a line of its ledger.
    fn is_same(self, name: &str, old: &Sight, new: &Sight) -> bool {
        let last = |sight: &Sight| self.dir(sight.group, name).rsplit('/').next().map(str::to_owned);
        let is_known =
            last(old) == last(new) || old.text(name) == new.text(name) || old.filed.iter().any(|one| one.name == name);
        old.has(name) && new.has(name) && is_known
    }

    /// Whether a scenario that is gone and another one that is new could be the same one in another directory.
    fn is_ambiguous(self, old: &Sight, new: &Sight) -> bool {
        let gone = || NAMES.iter().filter(|name| old.has(name) && !new.has(name));
        let mut added = NAMES.iter().filter(|name| !old.has(name) && new.has(name));
        self == Self::Each && added.any(|added| gone().any(|gone| old.text(gone) == new.text(added)))
    }
}

/// The numbers by the sentences of the contract, and the number of dropped scenarios.
fn expected(layout: Layout, old: &Sight, new: &Sight) -> ([u64; 12], usize) {
    use State::{Fresh, Stale, Unmeasured};
    let [mut made, mut again, mut speaks, mut not, mut before, mut fresh] = [0; 6];
    let [mut withdrawn, mut once_more, mut reworded, mut untouched] = [0; 4];
    let mut only_withdrawn = 0;
    for name in &new.declared {
        let is_old = layout.is_same(name, old, new);
        let counted = old.counting(name).filter(|_| is_old);
        let (was, is) = (is_old.then(|| old.state(name)), new.state(name));
        let made_stale = was == Some(Fresh) && counted.is_some_and(|one| !new.is_fresh(one));
        let measured = is == Fresh && new.readings(name).any(|one| new.is_fresh(one) && !old.filed.contains(one));
        let is_gone = counted.is_some_and(|one| new.withdrawn.contains(&one.at));
        made += u64::from(made_stale);
        withdrawn += u64::from(is_gone);
        let bucket = match (was, is) {
            (_, Fresh) if measured => &mut again,
            (Some(Fresh), Fresh) if made_stale => &mut speaks,
            (Some(Fresh), Stale | Unmeasured) if made_stale => &mut not,
            (None, Stale | Unmeasured) => &mut not,
            (None | Some(Unmeasured | Stale), Fresh) => &mut fresh,
            (Some(Stale), Stale) => &mut before,
            (Some(Unmeasured), Stale) => &mut once_more,
            // by a later reading with an evaluator that is out of date
            (Some(Fresh), Stale) if !is_gone => &mut once_more,
            (Some(Unmeasured), Unmeasured) if old.text(name) != new.text(name) => &mut reworded,
            (Some(Unmeasured), Unmeasured) => &mut untouched,
            (Some(Fresh), Fresh) if is_gone => &mut only_withdrawn,
            (Some(Fresh), Fresh) => &mut untouched,
            (Some(Fresh), Stale | Unmeasured) | (Some(Stale), Unmeasured) => &mut only_withdrawn,
        };
        *bucket += 1;
    }
    assert!(only_withdrawn <= withdrawn, "only a withdrawal ends a reading that is not stale");
    untouched += if layout == Layout::Each { NAMES.len() as u64 } else { 0 };
    let dropped = old.declared.iter().filter(|name| !layout.is_same(name, old, new)).count();
    ([made, again, speaks, not, before, fresh, 0, withdrawn, 0, once_more, reworded, untouched], dropped)
}

/// The fresh fails that the range brought: by a reading of it, or where it was none before.
fn failing(layout: Layout, old: &Sight, new: &Sight) -> u64 {
    let is_fail = |sight: &Sight, name: &str| {
        sight.state(name) == State::Fresh && sight.counting(name).is_some_and(|one| one.fails)
    };
    let brought = new.declared.iter().filter(|name| {
        let was = layout.is_same(name, old, new) && is_fail(old, name);
        let is_measured = new.readings(name).any(|one| new.is_fresh(one) && !old.filed.contains(one));
        is_fail(new, name) && (is_measured || !was)
    });
    brought.count() as u64
}

struct World {
    s: Scratch,
    dice: Dice,
    layout: Layout,
    /// What is there now.
    now: Sight,
    clock: u32,
    /// What each commit holds.
    commits: Vec<(String, Sight)>,
    /// The object of each content.
    objects: Vec<String>,
}

impl World {
    fn new(seed: u64) -> Self {
        let s = Scratch::new();
        let objects = (0..CONTENTS).map(|content| {
            s.write("../content", format!("{content}\n"));
            s.git(&["hash-object", "../content"])
        });
        let objects = objects.collect();
        let now = Sight {
            group: GROUPS[0],
            subjects: NAMES.map(|name| (name, Subject::default())).into(),
            declared: NAMES[..3].to_vec(),
            ..Sight::default()
        };
        let layout = if seed.is_multiple_of(2) { Layout::One } else { Layout::Each };
        let mut world = Self { s, dice: Dice(seed), layout, now, clock: 60, commits: Vec::new(), objects };
        world.commit();
        world
    }

    fn commit(&mut self) {
        for (name, subject) in &self.now.subjects {
            self.s.write(&format!("src/{name}"), format!("{}\n", subject.content));
        }
        let evaluator = self.now.subjects["a"].evaluator;
        self.s.write("spexcode.json", json!({"yatsu": {"evaluators": {"manual": evaluator.to_string()}}}).to_string());
        self.declare_all();
        let id = self.s.commit("step");
        self.commits.push((id, self.now.clone()));
    }

    fn declare_all(&self) {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        for name in NAMES {
            let entry = |scenario: &str, text: u32| {
                format!(
                    "  - name: {scenario}\n    description: measure {text}\n    expected: it works\n    tags: [cli]\n    \
                     code: src/{name}\n"
                )
            };
            let file = files.entry(self.layout.dir(self.now.group, name)).or_default();
            if self.layout == Layout::Each {
                *file += &entry("idle", 9);
            }
            if self.now.has(name) {
                *file += &entry(self.layout.scenario(name), self.now.text(name));
            }
        }
        for (dir, entries) in files {
            self.s.write(&format!("{dir}/yatsu.md"), format!("---\nscenarios:\n{entries}---\n"));
        }
    }

    /// A commit with some deeds, now and then on top of an older commit.
    fn step(&mut self) {
        if self.dice.roll(4) == 0 {
            let (id, sight) = self.commits[self.dice.roll(self.commits.len())].clone();
            self.s.git(&["checkout", "-q", "--detach", &id]);
            self.now = sight;
        }
        for _ in 0..=self.dice.roll(4) {
            match self.dice.roll(40) {
                0..=12 => self.edit(|subject, dice| subject.content = dice.roll(CONTENTS) as u32),
                13 => self.edit(|subject, dice| subject.text = dice.roll(2) as u32),
                14 => self.raise(),
                15 => self.move_all(),
                16..=35 => self.file(),
                36..=37 => self.withdraw(),
                _ => self.declare(),
            }
        }
        self.commit();
    }

    fn edit(&mut self, edit: impl FnOnce(&mut Subject, &mut Dice)) {
        let name = NAMES[self.dice.roll(NAMES.len())];
        edit(self.now.subjects.get_mut(name).expect("a subject"), &mut self.dice);
    }

    /// Another version of the evaluator, which is one for all.
    fn raise(&mut self) {
        let evaluator = self.dice.roll(2) as u32;
        self.now.subjects.values_mut().for_each(|subject| subject.evaluator = evaluator);
    }

    fn move_all(&mut self) {
        let (was, group) = (self.now.group, GROUPS[self.dice.roll(GROUPS.len())]);
        if was != group {
            let place = |group: &str| self.s.root.join(group);
            fs::create_dir_all(place(group).parent().expect("a parent")).expect("a directory");
            fs::remove_dir_all(place(group)).ok();
            fs::rename(place(was), place(group)).expect("a move");
            self.now.group = group;
        }
    }

    /// A reading of what is there now. Some are dated back, as the clocks of other machines do.
    fn file(&mut self) {
        let name = NAMES[self.dice.roll(NAMES.len())];
        self.clock += 10;
        let at = if self.dice.roll(5) == 0 { self.clock - 55 } else { self.clock };
        let (fails, measured) = (self.dice.roll(3) == 0, self.now.subjects[name]);
        let (path, object) = (format!("src/{name}"), &self.objects[measured.content as usize]);
        let line = json!({
            "scenario": self.layout.scenario(name), "codeSha": self.s.git(&["rev-parse", "HEAD"]), "blob": null,
            "evaluator": format!("manual@{}", measured.evaluator), "governed": {path: object}, "dirty": true,
            "scenarioHash": sha256(format!("measure {}\nit works", measured.text)),
            "verdict": {"status": if fails { "fail" } else { "pass" }}, "ts": time(at),
        });
        self.append(name, &line);
        self.now.filed.push(Filed { name, measured, fails, at });
    }

    fn withdraw(&mut self) {
        let standing: Vec<Filed> =
            self.now.filed.iter().filter(|one| !self.now.withdrawn.contains(&one.at)).cloned().collect();
        if standing.is_empty() {
            return;
        }
        let Filed { name, at, .. } = standing[self.dice.roll(standing.len())];
        self.clock += 10;
        let scenario = self.layout.scenario(name);
        self.append(name, &json!({"retracts": time(at), "scenario": scenario, "ts": time(self.clock)}));
        self.now.withdrawn.push(at);
    }

    fn declare(&mut self) {
        let name = NAMES[self.dice.roll(NAMES.len())];
        match self.now.declared.iter().position(|one| *one == name) {
            Some(_) if self.now.declared.len() == 1 => {}
            Some(at) => drop(self.now.declared.remove(at)),
            None => self.now.declared.push(name),
        }
    }

    fn append(&self, name: &str, line: &Value) {
        let path = self.s.root.join(self.layout.dir(self.now.group, name)).join("yatsu.evals.ndjson");
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        let ledger = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, format!("{ledger}{line}\n")).expect("a ledger");
    }

    fn sight(&self, id: &str) -> &Sight {
        &self.commits.iter().find(|(commit, _)| commit == id).expect("a known commit").1
    }

    /// The comment never says that nothing is touched beside a row, a dropped scenario, a new finding about a scenario or an
    /// error.
    fn assert_sentence(&self, plan: &Value, range: [&str; 2], about: &str) {
        let is_said = super::sentence(plan).starts_with("This change touches no scenario.");
        let is_bare = plan["rows"] == json!([]) && plan["dropped"] == json!([]);
        if !is_bare {
            assert!(!is_said, "{about}\n{plan:#}");
            return;
        }
        let checked = self.s.yatsu(&["check", "--from", range[0], "--to", range[1], "--format", "json"]);
        let checked = validate_published(&checked.out);
        let findings = checked["findings"].as_array().expect("findings");
        let is_new =
            |one: &&Value| one["origin"] == "introduced" && (one["scenario"] != Value::Null || one["level"] == "error");
        assert_eq!(is_said, !findings.iter().any(|one| is_new(&one)), "{about}\n{plan:#}\n{checked:#}");
    }
}

fn time(at: u32) -> String {
    format!("2026-01-{:02}T{:02}:{:02}:00.000Z", 1 + at / 1440, at / 60 % 24, at % 60)
}

#[test]
fn the_numbers_agree_with_a_slow_obvious_judge() {
    let (mut seen, mut moved) = ([0; NUMBERS.len()], 0);
    for seed in seeds(15, 150) {
        let mut world = World::new(seed);
        for range in 0..RANGES {
            world.step();
            let to = world.commits.last().unwrap().0.clone();
            let near = world.commits.len().saturating_sub(5);
            let from = world.commits[near + world.dice.roll(world.commits.len() - near)].0.clone();
            let base = world.s.git(&["merge-base", &from, &to]);
            let plan = validate_published(&report(&world.s, &from, &to, &["--format", "json"]).out);
            let about = format!("seed {seed}, range {range}: {base}..{to}");
            world.assert_sentence(&plan, [&from, &to], &about);
            let (old, new) = (world.sight(&base), world.sight(&to));
            if world.layout.is_ambiguous(old, new) {
                continue;
            }
            let (expected, dropped) = expected(world.layout, old, new);
            assert_eq!(numbers(&plan, NUMBERS), expected, "{about}, {NUMBERS:?}\n{old:?}\n{new:?}\n{plan:#}");
            assert_eq!(plan["dropped"].as_array().map(Vec::len), Some(dropped), "{about}\n{plan:#}");
            assert_eq!(
                numbers(&plan, ["failing"]),
                [failing(world.layout, old, new)],
                "{about}\n{old:?}\n{new:?}\n{plan:#}"
            );
            seen.iter_mut().zip(expected).for_each(|(sum, number)| *sum += number);
            moved += usize::from(old.group != new.group);
        }
    }
    let never = ["otherVerdict", "notJudged"];
    let occurs = NUMBERS.iter().zip(seen).all(|(name, sum)| sum > 0 || never.contains(name));
    assert!(occurs && moved > 10, "each number occurs: {seen:?}, {moved} moves");
}
