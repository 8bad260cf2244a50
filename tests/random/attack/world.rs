//! A server and the seats of three actors, with all objects in one place. Commits are written directly, merges are made by
//! libgit2, and a push is the answer of the server's hook to the updates. `real.rs` uses real git.

use super::counts;
use super::desk::{self, Desk, State};
use super::doors::{Door, Doors};
use super::graph;
use super::judge::{self, Fault, Judge, Kind, Server, Update};
use super::replay::{Event, OldScenario};
use super::seen::{Config, Gate, Git, nfc};
use super::steps::{Deed, Push, Step};
use crate::support::{Dice, scratch_dir};
use git2::{Oid, Repository, Signature, Time};
use std::collections::BTreeMap;

/// The branches that the actors work on.
pub(super) const BRANCHES: [&str; 4] = ["main", "topic", "side", "release/1"];
const EPOCH: u64 = 1_767_225_600;

/// The place of an actor.
#[derive(Clone)]
pub(super) struct Seat {
    pub(super) branch: String,
    pub(super) at: Oid,
}

/// The events of a history, in numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) steps: usize,
    pub(super) accepted: usize,
    /// Refused pushes by the rules that refused them.
    pub(super) refused: BTreeMap<String, usize>,
    /// Refused pushes that the judge also refuses, by fault.
    pub(super) caught: BTreeMap<Kind, usize>,
    /// The same, in histories of careful actors, who break a law now and then.
    pub(super) careful: BTreeMap<Kind, usize>,
    /// Accepted pushes with a fault.
    pub(super) laundered: BTreeMap<Kind, usize>,
    pub(super) looked_fresh: usize,
    pub(super) commits_judged: usize,
    pub(super) memos: usize,
    pub(super) by_program: usize,
    pub(super) ranges: usize,
    /// Fails that a push withdrew.
    pub(super) withdrawn: usize,
}

impl Tally {
    pub(super) fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.accepted += other.accepted;
        self.looked_fresh += other.looked_fresh;
        self.commits_judged += other.commits_judged;
        self.memos += other.memos;
        self.by_program += other.by_program;
        self.ranges += other.ranges;
        self.withdrawn += other.withdrawn;
        other.refused.iter().for_each(|(rule, times)| *self.refused.entry(rule.clone()).or_default() += times);
        let kinds = [
            (&mut self.caught, &other.caught),
            (&mut self.careful, &other.careful),
            (&mut self.laundered, &other.laundered),
        ];
        for (own, more) in kinds {
            more.iter().for_each(|(kind, times)| *own.entry(*kind).or_default() += times);
        }
    }
}

pub(super) struct World {
    pub(super) _dir: tempfile::TempDir,
    pub(super) repo: Repository,
    pub(super) judge: Judge,
    pub(super) doors: Doors,
    pub(super) server: Server,
    pub(super) seats: Vec<Seat>,
    pub(super) now: u64,
    pub(super) memory: Vec<(String, Vec<u8>)>,
    pub(super) told: OldScenario,
    pub(super) tally: Tally,
    /// Whether all actors of this history are honest.
    pub(super) honest: bool,
    pub(super) faults: Vec<Fault>,
}

impl World {
    /// A server with one accepted commit, at which every actor starts.
    pub(super) fn new(honest: bool) -> Self {
        let dir = scratch_dir();
        let base = dir.path().canonicalize().expect("a real path");
        std::fs::create_dir_all(base.join("home")).expect("a home");
        let mut options = git2::RepositoryInitOptions::new();
        options.bare(true).initial_head("main").external_template(false);
        let repo = Repository::init_opts(base.join("server.git"), &options).expect("a server");
        let judge = Judge::new(Git::open(repo.path(), &base.join("home")));
        let doors = Doors::new(&base);
        let mut world = Self {
            _dir: dir,
            repo,
            judge,
            doors,
            server: Server::default(),
            seats: Vec::new(),
            now: EPOCH,
            memory: Vec::new(),
            told: OldScenario::default(),
            tally: Tally::default(),
            honest,
            faults: Vec::new(),
        };
        let at = world.commit(&desk::first(), &[]);
        world.seats = vec![Seat { branch: "main".to_owned(), at }; 3];
        for seat in 0..2 {
            world.edit(seat, Dice(7 + seat as u64), |desk| super::deeds::Careful::File.do_at(desk));
            world.push(seat, Push::Plain, &mut Dice(1));
            world.seats[1 - seat].at = world.seats[seat].at;
        }
        world.seats[2].at = world.seats[1].at;
        world
    }

    pub(super) fn step(&mut self, step: &Step) {
        self.tally.steps += 1;
        let mut dice = Dice(step.seed);
        match step.deed {
            Deed::Careful(deed) => self.edit(step.seat, dice, |desk| deed.do_at(desk)),
            Deed::Forge(deed) => self.edit(step.seat, dice, |desk| deed.do_at(desk)),
            Deed::Graph(deed) => graph::work(self, step.seat, deed, &mut dice),
            Deed::Push(Push::Around) => {
                Push::AROUND.into_iter().for_each(|push| self.push(step.seat, push, &mut dice));
            }
            Deed::Push(push) => self.push(step.seat, push, &mut dice),
            Deed::Alias => self.alias(&mut dice),
        }
    }

    /// Adds a symbolic ref to the server: to a branch, existing or not, or to another symbolic ref.
    fn alias(&mut self, dice: &mut Dice) {
        let name = dice.pick(&graph::ALIASES);
        let target = match dice.roll(6) {
            0 => dice.pick(&graph::ALIASES).to_owned(),
            1 => "refs/heads/release/2".to_owned(),
            _ => format!("refs/heads/{}", dice.pick(&BRANCHES)),
        };
        // the old target does not count: a chain that leads through this name, or the name itself, would be a circle
        let old = self.server.aliases.remove(name);
        if self.server.refs.contains_key(name) || self.server.resolve(&target) == name {
            self.server.aliases.extend(old.map(|old| (name.to_owned(), old)));
            return;
        }
        self.repo.reference_symbolic(name, &target, true, "").expect("a symbolic ref");
        self.server.aliases.insert(name.to_owned(), target.clone());
        self.told.events.push(Event::Alias { name: name.to_owned(), target });
    }

    /// Writes a commit, a minute later than the one before.
    pub(super) fn commit(&mut self, state: &State, parents: &[Oid]) -> Oid {
        self.now += 60;
        let tree = graph::tree(&self.repo, state);
        let who = Signature::new("A", "a@example.invalid", &Time::new(self.now as i64, 0)).expect("a signature");
        let parents: Vec<_> = parents.iter().map(|id| self.repo.find_commit(*id).expect("a parent")).collect();
        let tree = self.repo.find_tree(tree).expect("a tree");
        let label = self.told.next_label();
        let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
        let id = self.repo.commit(None, &who, &who, &label, &tree, &parents).expect("a commit");
        self.told.commits.push((id.to_string(), self.now));
        id
    }

    /// A deed at the seat's commit, as one new commit.
    fn edit(&mut self, seat: usize, dice: Dice, deed: impl Fn(&mut Desk<'_>)) {
        let at = self.seats[seat].at;
        let before = graph::state(&self.repo, at);
        let id = |bytes: &Vec<u8>| Oid::hash_object(git2::ObjectType::Blob, bytes).expect("an id").to_string();
        let code = before.iter().filter(|(path, _)| path.ends_with(".rs"));
        let ids = code.map(|(path, bytes)| (path.clone(), id(bytes))).collect();
        let (head, now) = (at.to_string(), self.now);
        let mut desk = Desk { state: before.clone(), dice, head, now, ids, memory: &self.memory };
        deed(&mut desk);
        let (state, coin) = (std::mem::take(&mut desk.state), desk.dice.roll(4));
        self.now = desk.now;
        if state == before {
            return;
        }
        let new = self.commit(&state, &[at]);
        self.seats[seat].at = new;
        if coin == 0 {
            self.look_before_the_commit(new, &[at]);
        }
    }

    /// Compares pre-commit's answer to a commit with the judge, and checks that a memo changes nothing.
    pub(super) fn look_before_the_commit(&mut self, new: Oid, parents: &[Oid]) {
        let said = self.doors.before_commit(&self.repo, new, parents);
        self.tally.commits_judged += 1;
        self.tally.memos += said.memos;
        self.faults.extend(said.differs.into_iter().map(|what| Fault::new(Kind::MemoDiffers, what)));
        let parents: Vec<String> = parents.iter().map(Oid::to_string).collect();
        let Some(lost) = self.judge.lost_by_commit(&new.to_string(), &parents) else { return };
        match (lost.iter().find(|fault| !fault.kind.is_arguable()), &said.door) {
            (Some(lost), door) if door.accepts() => {
                self.told.looked(new, &said.door);
                let what = format!("pre-commit takes {new}: {:?} {}", lost.kind, lost.what);
                self.faults.push(Fault::new(lost.kind, what));
            }
            (None, door) if door.rules.iter().any(|rule| !judge::explains(&lost, rule, self.honest)) => {
                self.told.looked(new, &said.door);
                let what = format!("pre-commit refuses {new}: {}", door.said);
                self.faults.push(Fault::new(Kind::FalseRefusal, what));
            }
            _ => {}
        }
    }

    fn push(&mut self, seat: usize, push: Push, dice: &mut Dice) {
        let updates = graph::updates(self, seat, push, dice);
        if updates.is_empty() {
            return;
        }
        let door = self.doors.receive(&updates);
        let faults = self.judge.faults(&self.server, &updates, door.warned);
        let accepted = door.accepts();
        self.told.events.push(Event::Push { updates: updates.clone(), accepted, said: door.said.clone() });
        if dice.roll(8) == 0 {
            self.ask_the_program(&updates, &door);
        }
        if let ([only], 0) = (updates.as_slice(), dice.roll(4)) {
            self.ask_for_the_range(only, &door);
        }
        if accepted {
            self.look_at_withdrawals(&updates, &door);
            self.accept(&updates, faults);
            if dice.roll(2) == 0 {
                self.look_at_freshness(&updates);
            }
        } else {
            self.refuse(&faults, &door);
            let standing = self.server.refs.get(&format!("refs/heads/{}", self.seats[seat].branch));
            if let Some(tip) = standing.or(self.server.refs.get("refs/heads/main")).filter(|_| dice.roll(3) > 0) {
                self.seats[seat].at = Oid::from_str(tip).expect("an id");
            }
        }
    }

    fn accept(&mut self, updates: &[Update], faults: Vec<Fault>) {
        self.tally.accepted += 1;
        let faults: Vec<Fault> = faults.into_iter().filter(|fault| !fault.kind.is_arguable()).collect();
        for fault in &faults {
            *self.tally.laundered.entry(fault.kind).or_default() += 1;
        }
        self.faults.extend(faults);
        let after = self.server.after(updates);
        for update in updates {
            let name = self.server.resolve(&update.name);
            match after.refs.get(name) {
                Some(new) => {
                    let id = Oid::from_str(new).expect("an id");
                    self.repo.reference(name, id, true, "").expect("a ref");
                }
                None => self.repo.find_reference(name).expect("a ref").delete().expect("deleted"),
            }
        }
        self.server = after;
        updates.iter().filter_map(|update| update.new.as_ref()).for_each(|new| self.remember(new));
    }

    fn remember(&mut self, tip: &str) {
        let Some(tip) = self.judge.tip(tip) else { return };
        for (dir, line) in tip.lines() {
            if !self.memory.iter().any(|(_, known)| known == line) {
                self.memory.push((dir.clone(), line.clone()));
            }
        }
    }

    fn refuse(&mut self, faults: &[Fault], door: &Door) {
        for rule in &door.rules {
            *self.tally.refused.entry(rule.clone()).or_default() += 1;
        }
        if let Some(fault) = faults.first() {
            *self.tally.caught.entry(fault.kind).or_default() += 1;
            if self.honest {
                *self.tally.careful.entry(fault.kind).or_default() += 1;
            }
        }
        // the gate of a goal whose file cannot be read says what the file's own error says
        let unreadable = door.dirs_of("yatsu-schema");
        let follows = |rule: &str| rule == "goal-gate" && door.dirs_of(rule).is_subset(&unreadable);
        let unfounded = door.rules.iter().any(|rule| !follows(rule) && !judge::explains(faults, rule, self.honest));
        if unfounded || (door.rules.is_empty() && faults.is_empty()) {
            self.faults.push(Fault::new(Kind::FalseRefusal, format!("the server refuses: {}", door.said)));
        }
    }

    /// The library and the program must agree.
    fn ask_the_program(&mut self, updates: &[Update], door: &Door) {
        self.tally.by_program += 1;
        let code = self.doors.receive_by_program(updates);
        if code != door.code {
            let what = format!("pre-receive: the program exits {code}, the library {}: {}", door.code, door.said);
            self.faults.push(Fault::new(Kind::DoorsDiffer, what));
        }
    }

    /// CI and the server must agree on lost lines if both compare the same states with the same levels; and always on goals
    /// that a protected branch takes.
    fn ask_for_the_range(&mut self, update: &Update, door: &Door) {
        let (Some(old), Some(new)) = (&update.old, &update.new) else { return };
        let (Some(was), Some(is)) = (self.judge.tip(old), self.judge.tip(new)) else { return };
        let Some(branch) = self.server.resolve(&update.name).strip_prefix("refs/heads/") else { return };
        let known = self.judge.known(&self.server.refs);
        let standing = self.server.refs.get("refs/heads/main").and_then(|main| self.judge.tip(main));
        let levels = |config: &Config| (config.forgets, config.gate, config.takes_any_line);
        let one_level = levels(&was.config) == levels(&is.config)
            && standing.as_ref().is_none_or(|tip| levels(&tip.config) == levels(&is.config));
        if !one_level || !self.judge.is_ancestor(old, new) {
            return;
        }
        self.tally.ranges += 1;
        let range = self.doors.range(old, new);
        let one_base = self.judge.edge(new, &known) == [old.clone()];
        let history = one_base && range.refuses_history() != door.refuses_history();
        let lossless = !range.refuses_history() && !door.refuses_history();
        let is_taken_alone = standing.is_some_and(|tip| tip.config.protects(branch)) && is.config.gate == Gate::Claimed;
        let goals = lossless && is_taken_alone && range.rules.contains("goal-gate") != door.rules.contains("goal-gate");
        if history || goals || (range.code == 3) != (door.code == 3) {
            let what = format!("check --from {old} --to {new}: {}; the server: {}", range.said, door.said);
            self.faults.push(Fault::new(Kind::DoorsDiffer, what));
        }
    }

    fn look_at_freshness(&mut self, updates: &[Update]) {
        for id in updates.iter().filter_map(|update| update.new.clone()) {
            let Some(tip) = self.judge.tip(&id) else { continue };
            self.tally.looked_fresh += 1;
            let score = self.doors.score(&id);
            self.faults.extend(counts::faults(&mut self.judge, &tip, &score));
        }
    }

    /// A push must report a withdrawn fail, and only then.
    fn look_at_withdrawals(&mut self, updates: &[Update], door: &Door) {
        let [Update { name, old: Some(old), new: Some(new) }] = updates else { return };
        let (Some(was), Some(is)) = (self.judge.tip(old), self.judge.tip(new)) else { return };
        let known = self.judge.known(&self.server.refs);
        let is_branch = self.server.resolve(name).starts_with("refs/heads/");
        if !is_branch || self.judge.edge(new, &known) != [old.clone()] {
            return;
        }
        let (must, may) = counts::withdrawn(&mut self.judge, &was, &is);
        self.tally.withdrawn += must.len();
        let at = |(dir, scenario): &(String, String)| format!("{dir} · {scenario}");
        let unsaid = must.difference(&door.withdrawn);
        self.faults.extend(unsaid.map(|place| Fault::new(Kind::WithdrawnUnsaid, at(place))));
        let said = door.withdrawn.iter().filter(|(_, scenario)| !may.contains(&nfc(scenario)));
        self.faults.extend(said.map(|place| Fault::new(Kind::WithdrawnSaid, at(place))));
    }
}
