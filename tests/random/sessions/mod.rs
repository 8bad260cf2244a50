//! A slow and obvious model of sessions, against the program. Random events come in any order: starts, edits, commands, stops,
//! edits of others, readings, commits, amendments, pushes, pulls, merges, rebases, branches, a detached HEAD, a linked work tree.
//! After each stop the model says whether the program must ask, and of which scenarios; the program must neither ask twice, nor
//! falsely, nor miss a question.

mod history;

use crate::support::harness::{Session, message, question, touch_later};
use crate::support::{Dice, Scratch, seeds};
use history::{FILES, History, LEDGER, Place, SCENARIOS, Tree};
use serde_json::json;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A thing that a stop may name: the place, and the number of the scenario.
type Named = BTreeSet<(Place, usize)>;

/// What the model knows of one session. All events come from the main work tree.
#[derive(Clone, Debug, Default)]
struct ModelSession {
    base: Option<ModelBase>,
    asked: bool,
    /// The scenarios and the readings that a question or a message named.
    said: (Named, Named),
    /// The files that its edits named.
    edited: BTreeSet<(Place, usize)>,
    /// The files, ledgers included, that its commands touched last.
    commanded: BTreeSet<(Place, usize)>,
    /// Whether it ran a command.
    ran: bool,
    /// How many commits each work tree had made when the session came there; `None` before.
    marks: [Option<usize>; 2],
}

/// The state at the first event.
#[derive(Clone, Debug)]
struct ModelBase {
    commit: usize,
    /// The work tree, as a start judged it.
    judged: Option<Tree>,
    /// The number of the event.
    at: usize,
}

/// What a stop must name.
#[derive(Debug, Default)]
struct Expected {
    /// Each scenario, with whether it was fresh at the base.
    due: Vec<((Place, usize), bool)>,
    uncommitted: Vec<(Place, usize)>,
}

/// The sessions of one sequence.
struct Sequence<'w> {
    world: &'w mut History,
    sessions: [Session<'w>; 2],
    models: [ModelSession; 2],
    /// When the linked work tree was made, and by a command of which session.
    made: Option<(usize, usize)>,
    event: usize,
    trace: Vec<String>,
}

impl Sequence<'_> {
    /// The first event of a session decides its base.
    fn begin(&mut self, who: usize, is_start: bool) {
        let (world, at) = (&*self.world, self.event);
        let judged = is_start.then(|| world.tree(Place::Main).clone());
        let base = ModelBase { commit: world.head(Place::Main), judged, at };
        let model = &mut self.models[who];
        if model.base.is_none() {
            model.base = Some(base);
            model.marks[0] = Some(world.made(Place::Main).len());
        }
    }

    /// The session comes to a work tree by an edit there.
    fn come(&mut self, who: usize, place: Place) {
        let began = self.models[who].base.as_ref().map_or(0, |base| base.at);
        let is_younger = place == Place::Linked && self.made.is_some_and(|(at, _)| at > began);
        let made = if is_younger { 0 } else { self.world.made(place).len() };
        self.models[who].marks[place as usize].get_or_insert(made);
    }

    /// Session 0 reports a command, which touched what changed on the disk since `before`.
    fn ran(&mut self, before: &history::Stamps) {
        self.sessions[0].ran("make");
        self.begin(0, false);
        let touched = self.world.touched_since(before);
        self.models[0].commanded.extend(touched);
        self.models[0].ran = true;
    }

    /// A file got a time that no command covers.
    fn age(&mut self, place: Place, file: usize) {
        touch_later(&self.world.scratch, &self.world.path(place, file));
        self.models[0].commanded.remove(&(place, file));
    }

    fn edit(&mut self, who: usize, place: Place, file: usize, content: u32) {
        self.world.write(place, file, content);
        self.age(place, file);
        let path = self.world.scratch.root.join(self.world.path(place, file)).display().to_string();
        self.sessions[who].tool("Edit", json!({"file_path": path}), json!({}));
        self.begin(who, false);
        self.come(who, place);
        self.models[who].edited.insert((place, file));
    }

    fn step(&mut self, dice: &mut Dice) {
        self.event += 1;
        let (who, file) = (usize::from(dice.roll(4) == 0), dice.roll(4));
        let place = if self.made.is_some() && dice.roll(2) == 0 { Place::Linked } else { Place::Main };
        let content = self.world.content(dice);
        let event = dice.roll(40);
        self.trace.push(format!("{}: {event} by {who} in {place:?}: file {file}, content {content}", self.event));
        let before = self.world.stamps();
        match event {
            0..=3 => {
                self.sessions[who].start();
                self.begin(who, true);
            }
            4..=10 => self.edit(who, place, file, content),
            11 | 12 => {
                self.world.write(place, file, content);
                self.ran(&before);
            }
            13 => {
                self.world.write(place, file, content);
                self.age(place, file);
            }
            14..=16 => {
                let status = if dice.roll(3) == 0 { "fail" } else { "pass" };
                self.world.measure(place, dice.roll(3), status);
                if dice.roll(2) == 0 { self.ran(&before) } else { self.age(place, LEDGER) }
            }
            17..=20 => {
                self.world.commit(place);
                if dice.roll(2) == 0 {
                    self.ran(&before);
                }
            }
            21..=31 => {
                let done = self.flow(event, place, file, content);
                self.trace.push(format!("  done: {done}"));
                if done {
                    self.ran(&before);
                }
            }
            _ => self.stop(who),
        }
    }

    /// What git does in a session; `false` if it is impossible now.
    fn flow(&mut self, event: usize, place: Place, file: usize, content: u32) -> bool {
        let (world, name) = (&mut *self.world, format!("b{}", self.event));
        match event {
            21 => world.amend(place),
            22 | 23 => world.push(place),
            24 => {
                world.publish(file, content);
                world.pull(place)
            }
            25 => {
                world.publish(file, content);
                world.rebase(place)
            }
            26 => {
                world.publish(file, content);
                world.fetch()
            }
            27 => world.pull(place),
            28 => world.branch(place, &name),
            29 => world.switch(place, file),
            30 => world.detach(place),
            _ if self.made.is_none() => {
                world.link(&name);
                // the session must be known before, or the work tree may be older than it
                self.made = Some((self.event, usize::from(self.models[0].base.is_none())));
                true
            }
            _ => false,
        }
    }

    /// The work trees that a stop of the session looks at.
    fn places(&self, who: usize) -> Vec<Place> {
        let came = |who: usize| self.models[who].marks[1].is_some();
        let is_made = who == 0 && self.made.is_some_and(|(_, by)| by == 0) && !came(1);
        let linked = self.made.is_some() && (came(who) || is_made);
        [Place::Main].into_iter().chain(linked.then_some(Place::Linked)).collect()
    }

    fn expected(&self, who: usize) -> Expected {
        let (world, model) = (&*self.world, &self.models[who]);
        let mut expected = Expected::default();
        let Some(base) = &model.base else { return expected };
        // a commit in one work tree may be checked out in another one
        let own = |place: &Place| world.made(*place)[model.marks[*place as usize].unwrap_or(0)..].to_vec();
        let own: Vec<usize> = self.places(who).iter().flat_map(own).collect();
        for place in self.places(who) {
            let (now, head) = (world.tree(place), world.head(place));
            let judged = base.judged.as_ref().filter(|_| place == Place::Main);
            let then = judged.unwrap_or(&world.commits[base.commit].tree);
            let is_touched =
                |file: usize| model.edited.contains(&(place, file)) || model.commanded.contains(&(place, file));
            for (scenario, (_, files, is_required)) in SCENARIOS.iter().enumerate() {
                let was_fresh = then.is_fresh(scenario);
                let is_moved = |file: &usize| {
                    let content = now.contents[*file];
                    now.causes(scenario).contains(file)
                        && is_touched(*file)
                        && content != then.contents[*file]
                        && world.is_of(place, *file, &own, base.commit)
                };
                if !now.is_fresh(scenario) {
                    if (was_fresh || *is_required) && files.iter().any(is_moved) {
                        expected.due.push(((place, scenario), was_fresh));
                    }
                    continue;
                }
                let committed = &world.commits[head].tree;
                let of = |tree: &Tree| tree.readings.iter().filter(|one| one.scenario == scenario).cloned().collect();
                let (new, old): (Vec<_>, Vec<_>) = (of(now), of(committed));
                let is_new = new.iter().any(|reading| !old.contains(reading));
                let is_committed = files.iter().all(|file| now.contents[*file] == committed.contents[*file]);
                if is_touched(LEDGER) && is_new && is_committed {
                    expected.uncommitted.push((place, scenario));
                }
            }
        }
        expected
    }

    /// Compares one stop of the program with the model.
    fn stop(&mut self, who: usize) {
        let is_first = self.models[who].base.is_none();
        let mut expected = if is_first { Expected::default() } else { self.expected(who) };
        let answer = self.sessions[who].stop();
        self.begin(who, false);
        let model = &mut self.models[who];
        let is_any = |expected: &Expected| !expected.due.is_empty() || !expected.uncommitted.is_empty();
        let asks = is_any(&expected) && !model.asked;
        if !asks {
            expected.due.retain(|(one, was_fresh)| *was_fresh && !model.said.0.contains(one));
            expected.uncommitted.retain(|one| !model.said.1.contains(one));
        }
        let text = if asks { question(&answer) } else { message(&answer) };
        let due: Named = expected.due.iter().map(|(one, _)| *one).collect();
        let uncommitted: Named = expected.uncommitted.iter().copied().collect();
        let context = || {
            let (main, linked) = (self.world.tree(Place::Main), self.made.map(|_| self.world.tree(Place::Linked)));
            format!("asks: {asks}\n{answer}\n{model:#?}\n{main:?}\n{linked:?}\n{}", self.trace.join("\n"))
        };
        check(&text, " moved: ", &due, &context);
        check(&text, " is not committed", &uncommitted, &context);
        assert_eq!(answer.is_empty(), !is_any(&expected), "{}", context());
        model.asked |= asks;
        model.said.0.extend(due);
        model.said.1.extend(uncommitted);
    }
}

/// The lines of `text` with these words name what is expected, or the first ones and the number of the others.
fn check(text: &str, words: &str, expected: &Named, context: &dyn Fn() -> String) {
    let lines = text.lines().filter(|line| line.contains(words));
    let named: Named = lines
        .map(|line| {
            let is_it = |name: &str| line.contains(&format!("`n/{name}`"));
            let scenario = SCENARIOS.iter().position(|(name, ..)| is_it(name)).expect("a scenario");
            (if line.contains("in the work tree") { Place::Linked } else { Place::Main }, scenario)
        })
        .collect();
    let is_cut = text.lines().any(|line| line.starts_with("and "));
    let is_right = if is_cut { named.is_subset(expected) } else { named == *expected };
    assert!(is_right, "named {named:?}, expected {expected:?}\n{}", context());
}

/// One sequence of random events of two sessions.
fn play(world: &mut History, seed: u64) {
    let dice = &mut Dice(seed);
    world.begin();
    let scratch = Rc::clone(&world.scratch);
    let sessions = [0, 1].map(|number| Session::new(&scratch, &format!("{seed}-{number}")));
    let (models, trace) = ([ModelSession::default(), ModelSession::default()], vec![format!("seed {seed}")]);
    let mut sequence = Sequence { world, sessions, models, made: None, event: 0, trace };
    for _ in 0..4 + dice.roll(10) {
        sequence.step(dice);
    }
    sequence.stop(0);
    let is_linked = sequence.made.is_some();
    if is_linked {
        world.unlink();
    }
}

#[test]
fn sessions_are_asked_once_and_rightly() {
    let mut world = History::new();
    for (played, seed) in seeds(200, 10_000).into_iter().enumerate() {
        // old readings and branches slow a world down
        if played % 50 == 49 {
            world = History::new();
        }
        play(&mut world, seed);
    }
}

/// The scratch repository of the model, for its module.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.git(&["config", "user.name", "Ann"]);
    FILES.iter().for_each(|file| scratch.write(file, history::text(0)));
    scratch
}
