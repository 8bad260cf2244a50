//! Random histories of run logs on one server, honest ones and ones with a forger. A judge shares nothing with `src/`. The
//! server's last logs must be complete in its next state, and an honest actor must never be refused.
//!
//! `YATSU_FULL=1` runs thousands of seeds, `YATSU_SEED=N` one, `YATSU_SEEDS=A..B` a range.

mod judge;

use crate::support::{Dice, hook_options, runlog, scratch_dir};
use git2::{Oid, Repository, Signature, Time};
use judge::{Judge, State};
use yatsu_hook::app::doors::push::{self, How, refs};
use yatsu_hook::finding::Level;
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::open::env::Env;

/// The places of logs: our own, of a profile of the project, and of the playbook.
const PLACES: [&str; 7] = [
    ".yatsu/runs/x.jsonl",
    ".yatsu/runs/y.jsonl",
    "logs/x.jsonl",
    "logs/y.jsonl",
    "logs/z.jsonl",
    "a/quality/run_state.jsonl",
    "b/quality/run_state.jsonl",
];
const CONFIG: &str = "spexcode.json";
const PROFILE: &str = "own.json";
const EPOCH: i64 = 1_767_225_600;
const ACTORS: usize = 3;
const STEPS: usize = 30;

/// The deeds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Deed {
    // honest deeds
    Start,
    Append,
    End,
    Delete,
    Move,
    GiveWay,
    Hide,
    Show,
    Other,
    // forgeries
    Edit,
    Cut,
    CopyEdited,
    MoveEdited,
    DeleteOpen,
    Resurrect,
    ResurrectElsewhere,
    OtherFirstLine,
    Swap,
    EndByProfile,
    DropEntry,
    HideAndEdit,
    EditHidden,
    DeleteHidden,
}

const HONEST: [Deed; 12] = [
    Deed::Start,
    Deed::Append,
    Deed::Append,
    Deed::Append,
    Deed::End,
    Deed::Delete,
    Deed::Move,
    Deed::GiveWay,
    Deed::Other,
    Deed::Hide,
    Deed::Show,
    Deed::Show,
];
const FORGED: [Deed; 14] = [
    Deed::Edit,
    Deed::Cut,
    Deed::CopyEdited,
    Deed::MoveEdited,
    Deed::DeleteOpen,
    Deed::Resurrect,
    Deed::ResurrectElsewhere,
    Deed::OtherFirstLine,
    Deed::Swap,
    Deed::EndByProfile,
    Deed::DropEntry,
    Deed::HideAndEdit,
    Deed::EditHidden,
    Deed::DeleteHidden,
];

/// The time as lines spell it.
fn spelled(now: i64) -> String {
    let (days, rest) = ((now - EPOCH) / 86_400, (now - EPOCH) % 86_400);
    format!("2026-01-{:02}T{:02}:{:02}:{:02}Z", days + 1, rest / 3600, rest / 60 % 60, rest % 60)
}

fn line(name: &str, now: i64, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { "," };
    format!("{{\"event\":\"{name}\",\"ts\":\"{}\"{comma}{rest}}}\n", spelled(now))
}

/// The first lines of a run in that place.
fn opening(place: &str, number: u64, now: i64) -> String {
    if place.contains("quality") {
        let text = runlog::index() + &runlog::run_start();
        return text.replace("2026-05-15T14:00:00Z", &spelled(now)).replace("\"chi\"", &format!("\"chi-{number}\""));
    }
    let types =
        "\"schema_version\":\"1.0.0\",\"event_types\":[\"_index\",\"run_start\",\"note\",\"error\",\"run_end\"]";
    line("_index", now, &format!("{types},\"run\":\"r{number}\"")) + &line("run_start", now, "")
}

fn profile(ends_by_error: bool) -> Vec<u8> {
    let text = include_str!("../../../profiles/measure.json").replace("\"name\": \"measure\"", "\"name\": \"own\"");
    let mut profile: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    if ends_by_error {
        profile["events"]["run_end"].as_object_mut().expect("an event").remove("position");
        profile["events"]["error"]["position"] = "last".into();
    }
    profile.to_string().into_bytes()
}

fn config(exclude: &[&str], entry: bool) -> Vec<u8> {
    let entries =
        if entry { serde_json::json!([{"path": "logs/*.jsonl", "profile": PROFILE}]) } else { serde_json::json!([]) };
    serde_json::json!({"yatsu": {"exclude": exclude, "runlogs": entries}}).to_string().into_bytes()
}

struct World {
    _dir: tempfile::TempDir,
    env: Env,
    repo: Repository,
    judge: Judge,
    main: Oid,
    seats: Vec<Oid>,
    now: i64,
    runs: u64,
    /// Earlier versions of logs, with their places.
    memory: Vec<(String, Vec<u8>)>,
    honest: bool,
    /// The log of all deeds.
    told: Vec<String>,
    caught: usize,
    taken: usize,
}

impl World {
    fn new(honest: bool) -> Self {
        let dir = scratch_dir();
        let mut options = git2::RepositoryInitOptions::new();
        options.bare(true).initial_head("main").external_template(false);
        let repo = Repository::init_opts(dir.path().join("server.git"), &options).expect("a server");
        let variables = [
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", dir.path().into()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ];
        let mut env = Env::from_vars(variables.map(|(name, value)| (name.into(), value)));
        env.euid = rustix::process::geteuid().as_raw();
        let mut world = Self {
            _dir: dir,
            env,
            main: Oid::ZERO_SHA1,
            seats: Vec::new(),
            repo,
            judge: Judge::default(),
            now: EPOCH,
            runs: 0,
            memory: Vec::new(),
            honest,
            told: Vec::new(),
            caught: 0,
            taken: 0,
        };
        let mut state = State::new();
        state.insert(CONFIG.to_owned(), config(&[], true));
        state.insert(PROFILE.to_owned(), profile(false));
        for place in [PLACES[0], PLACES[2], PLACES[5]] {
            state.insert(place.to_owned(), opening(place, 1_000 + place.len() as u64, world.now).into_bytes());
        }
        let first = world.commit(&state, &[]);
        world.seats = vec![first; ACTORS];
        world.push(0).expect("the first push is taken");
        world
    }

    fn commit(&mut self, state: &State, parents: &[Oid]) -> Oid {
        self.now += 60;
        let tree = write(&self.repo, state);
        let who = Signature::new("A", "a@example.invalid", &Time::new(self.now, 0)).expect("a signature");
        let parents: Vec<_> = parents.iter().map(|id| self.repo.find_commit(*id).expect("a parent")).collect();
        let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
        let tree = self.repo.find_tree(tree).expect("a tree");
        self.repo.commit(None, &who, &who, "a step", &tree, &parents).expect("a commit")
    }

    fn state(&self, at: Oid) -> State {
        let tree = self.repo.find_commit(at).and_then(|commit| commit.tree()).expect("a tree");
        let mut state = State::new();
        tree.walk(git2::TreeWalkMode::PreOrder, |dir, entry| {
            if entry.kind() == Some(git2::ObjectType::Blob) {
                let blob = self.repo.find_blob(entry.id()).expect("a blob");
                state.insert(format!("{dir}{}", entry.name().expect("a name")), blob.content().to_vec());
            }
            git2::TreeWalkResult::Ok
        })
        .expect("a walk");
        state
    }

    /// One deed at a seat's commit.
    fn act(&mut self, seat: usize, deed: Deed, dice: &mut Dice) {
        let before = self.state(self.seats[seat]);
        let mut state = before.clone();
        self.now += 60;
        self.work(deed, &mut state, dice);
        if state == before {
            return;
        }
        let changed = before.iter().filter(|(path, bytes)| state.get(*path) != Some(*bytes));
        self.memory.extend(changed.map(|(path, bytes)| (path.clone(), bytes.clone())));
        self.seats[seat] = self.commit(&state, &[self.seats[seat]]);
        self.told.push(format!("{seat} {deed:?} -> {}", &self.seats[seat].to_string()[..8]));
    }

    fn work(&mut self, deed: Deed, state: &mut State, dice: &mut Dice) {
        let place = *PLACES.get(dice.roll(PLACES.len())).expect("a place");
        let other = kin(place)[dice.roll(kin(place).len())];
        match state.get(place).cloned() {
            Some(log) if HONEST.contains(&deed) => self.go_on(deed, state, (place, other), log),
            Some(log) => forge(deed, state, (place, other), &log, dice),
            None => self.come_back(deed, state, place, dice),
        }
        match deed {
            Deed::Other => drop(state.insert("notes.txt".into(), self.now.to_string().into_bytes())),
            Deed::Hide if !(self.honest && has_open_log(state, dir(place))) => {
                state.insert(CONFIG.into(), config(&[dir(place)], true));
            }
            Deed::Show => drop(state.insert(CONFIG.into(), config(&[], true))),
            _ => {}
        }
    }

    /// An honest deed on an existing log.
    fn go_on(&mut self, deed: Deed, state: &mut State, (place, other): (&str, &str), mut log: Vec<u8>) {
        let (ended, hidden, now) = (is_ended(&log), is_hidden(state, place), self.now);
        // an honest actor leaves hidden logs alone, because they are not judged
        let may_grow = !(ended || hidden && self.honest);
        match deed {
            Deed::Append if may_grow => {
                log.extend(line("error", now, "\"message\":\"m\",\"recoverable\":true").into_bytes());
                state.insert(place.to_owned(), log);
            }
            Deed::End if may_grow => {
                log.extend(line("run_end", now, "\"status\":\"aborted\"").into_bytes());
                state.insert(place.to_owned(), log);
            }
            Deed::Delete if ended && !hidden => drop(state.remove(place)),
            Deed::Move if !state.contains_key(other) && !hidden && !is_hidden(state, other) => {
                state.remove(place);
                state.insert(other.to_owned(), log);
            }
            Deed::GiveWay if ended && !hidden => {
                self.runs += 1;
                state.insert(place.to_owned(), opening(place, self.runs, now).into_bytes());
            }
            _ => {}
        }
    }

    /// A deed in a place without a log.
    fn come_back(&mut self, deed: Deed, state: &mut State, place: &str, dice: &mut Dice) {
        let to = if deed == Deed::ResurrectElsewhere { kin(place) } else { vec![place] };
        let known: Vec<&Vec<u8>> =
            self.memory.iter().filter(|(path, _)| to.contains(&path.as_str())).map(|(_, log)| log).collect();
        match deed {
            Deed::Start if !is_hidden(state, place) || !self.honest => {
                self.runs += 1;
                state.insert(place.to_owned(), opening(place, self.runs, self.now).into_bytes());
            }
            Deed::Resurrect | Deed::ResurrectElsewhere if !known.is_empty() => {
                let log = known[dice.roll(known.len())];
                let log = if dice.roll(3) == 0 { log.clone() } else { edited(log, dice) };
                state.insert(place.into(), log);
            }
            Deed::OtherFirstLine if !known.is_empty() => {
                let text = String::from_utf8_lossy(known[dice.roll(known.len())]).into_owned();
                let text = text.replacen("\"run\":\"r", "\"run\":\"s", 1).replacen("\"chi-", "\"phi-", 1);
                state.insert(place.into(), text.into_bytes());
            }
            _ => {}
        }
    }

    /// Moves a seat on top of the server's branch; leaves it there if both changed one file.
    fn update(&mut self, seat: usize) {
        let (ours, theirs) = (self.seats[seat], self.main);
        if ours == theirs || self.repo.graph_descendant_of(ours, theirs).expect("a graph") {
            return;
        }
        let base = self.repo.merge_base(ours, theirs).expect("a base");
        let [base, mine, other] = [base, ours, theirs].map(|at| self.state(at));
        if ours == self.repo.merge_base(ours, theirs).expect("a base") {
            self.seats[seat] = theirs;
            return;
        }
        let mut merged = other.clone();
        let paths = base.keys().chain(mine.keys()).filter(|path| mine.get(*path) != base.get(*path));
        for path in paths {
            let (now, before) = (mine.get(path), base.get(path));
            if other.get(path) != before && other.get(path) != now {
                self.seats[seat] = theirs;
                return;
            }
            match now {
                Some(bytes) => drop(merged.insert(path.clone(), bytes.clone())),
                None => drop(merged.remove(path)),
            }
        }
        // a run that continued in two ways cannot be joined
        let is_shown =
            |path: &String| [&mine, &other].iter().any(|side| side.contains_key(path) && !is_hidden(side, path));
        // nor may a log be hidden that the other side continues
        let hides = merged.keys().any(|path| path.ends_with(".jsonl") && is_shown(path) && is_hidden(&merged, path));
        if self.honest && (hides || Judge::parted(&base, &mine, &other)) {
            self.seats[seat] = theirs;
            return;
        }
        self.seats[seat] = self.commit(&merged, &[theirs, ours]);
        self.told.push(format!("{seat} merges -> {}", &self.seats[seat].to_string()[..8]));
    }

    /// Pushes a seat's commit to the server's main branch; returns the fault of the answer.
    fn push(&mut self, seat: usize) -> Result<(), String> {
        let new = self.seats[seat];
        if new == self.main {
            return Ok(());
        }
        let (code, said) = self.receive(new);
        let state = self.state(new);
        let between = self.between(new);
        let fault = self.judge.fault(&state, &between);
        self.told.push(format!("{seat} pushes {}: {code} {said}", &new.to_string()[..8]));
        match (code, fault) {
            (0, Some(fault)) => return Err(format!("the server takes {new}: {fault}")),
            (0, None) => {
                self.taken += 1;
                self.judge.take(&state);
                self.main = new;
                self.repo.reference("refs/heads/main", new, true, "push").expect("a ref");
            }
            (_, None) if self.honest => return Err(format!("the server refuses {new}: {said}")),
            (_, fault) => {
                self.caught += usize::from(fault.is_some());
                self.seats[seat] = self.main;
            }
        }
        Ok(())
    }

    /// The states of the commits that a push brings.
    fn between(&self, new: Oid) -> Vec<State> {
        let mut walk = self.repo.revwalk().expect("a walk");
        walk.push(new).expect("a start");
        if !self.main.is_zero() {
            walk.hide(self.main).expect("an end");
        }
        walk.map(|id| self.state(id.expect("a commit"))).collect()
    }

    fn receive(&self, new: Oid) -> (i32, String) {
        let zero = "0".repeat(40);
        let old = if self.main.is_zero() { zero } else { self.main.to_string() };
        let report = Repo::open(&self.env, self.repo.path()).and_then(|repo| {
            let updates = refs::received(format!("{old} {new} refs/heads/main\n").as_bytes(), repo.hash)?;
            push::receive(&repo, &updates, How { options: hook_options(), progress: &|_| {}, briefly: true })
        });
        match report {
            Err(error) => (i32::from(error.kind.exit_code()), error.to_string()),
            Ok(report) => {
                let errors = report.findings.iter().filter(|finding| finding.level == Level::Error);
                let said: Vec<String> =
                    errors.map(|finding| format!("[{}] {}", finding.rule.as_str(), finding.message)).collect();
                (i32::from(!said.is_empty()), said.join("; "))
            }
        }
    }
}

/// A forgery of an existing log.
fn forge(deed: Deed, state: &mut State, (place, other): (&str, &str), log: &[u8], dice: &mut Dice) {
    let text = String::from_utf8_lossy(log).into_owned();
    let (is_free, hidden) = (!state.contains_key(other), is_hidden(state, place));
    let last_is_error = text.lines().last().is_some_and(|last| last.contains("\"error\""));
    match deed {
        Deed::Edit => drop(state.insert(place.into(), edited(log, dice))),
        Deed::Cut => {
            let most = text.lines().count().saturating_sub(1).max(1);
            let kept: String = text.split_inclusive('\n').take(most).collect();
            state.insert(place.into(), kept.into_bytes());
        }
        Deed::CopyEdited if is_free => drop(state.insert(other.into(), edited(log, dice))),
        Deed::MoveEdited if is_free => {
            state.remove(place);
            state.insert(other.into(), edited(log, dice));
        }
        Deed::DeleteOpen => drop(state.remove(place)),
        Deed::Swap => match state.insert(other.into(), log.to_vec()) {
            Some(theirs) => drop(state.insert(place.into(), theirs)),
            None => drop(state.remove(other)),
        },
        Deed::EndByProfile if place.starts_with("logs/") && last_is_error => {
            state.insert(PROFILE.into(), profile(true));
            state.remove(place);
        }
        Deed::DropEntry if place.starts_with("logs/") => {
            state.insert(CONFIG.into(), config(&[], false));
            state.insert(place.into(), edited(log, dice));
        }
        Deed::HideAndEdit => {
            state.insert(CONFIG.into(), config(&[dir(place)], true));
            state.insert(place.into(), edited(log, dice));
        }
        Deed::EditHidden if hidden => drop(state.insert(place.into(), edited(log, dice))),
        Deed::DeleteHidden if hidden => drop(state.remove(place)),
        _ => {}
    }
}

/// The log with one of its lines changed, or without its last one.
fn edited(log: &[u8], dice: &mut Dice) -> Vec<u8> {
    let text = String::from_utf8_lossy(log).into_owned();
    let count = text.lines().count();
    let at = 1 + dice.roll(count.saturating_sub(1).max(1));
    let lines = text.lines().enumerate().map(|(nth, line)| match nth == at {
        true => line.replacen('{', "{\"edited\":1,", 1) + "\n",
        false => format!("{line}\n"),
    });
    lines.collect::<String>().into_bytes()
}

/// The places of the same kind of log.
fn kin(place: &str) -> Vec<&'static str> {
    let is_playbook = place.contains("quality");
    PLACES.into_iter().filter(|other| other.contains("quality") == is_playbook).collect()
}

fn dir(place: &str) -> &str {
    place.rsplit_once('/').map_or(place, |(dir, _)| dir)
}

fn is_hidden(state: &State, place: &str) -> bool {
    let config = state.get(CONFIG).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    config.contains(&format!("\"{}\"", dir(place))) || place.starts_with("logs/") && !config.contains("logs/*.jsonl")
}

fn has_open_log(state: &State, within: &str) -> bool {
    state.iter().any(|(path, log)| path.ends_with(".jsonl") && dir(path) == within && !is_ended(log))
}

fn is_ended(log: &[u8]) -> bool {
    String::from_utf8_lossy(log).contains("\"run_end\",\"ts\"")
}

fn write(repo: &Repository, state: &State) -> Oid {
    let mut index = git2::Index::new().expect("an index");
    for (path, bytes) in state {
        let id = repo.blob(bytes).expect("a blob");
        let entry = git2::IndexEntry {
            ctime: git2::IndexTime::new(0, 0),
            mtime: git2::IndexTime::new(0, 0),
            dev: 0,
            ino: 0,
            mode: 0o100_644,
            uid: 0,
            gid: 0,
            file_size: 0,
            id,
            flags: 0,
            flags_extended: 0,
            path: path.as_bytes().to_vec(),
        };
        index.add(&entry).expect("an entry");
    }
    index.write_tree_to(repo).expect("a tree")
}

/// One history; its fault, with the log of all deeds.
fn live(seed: u64) -> (World, Option<String>) {
    let mut dice = Dice(seed);
    let honest = seed.is_multiple_of(3);
    let mut world = World::new(honest);
    for _ in 0..STEPS {
        let seat = dice.roll(ACTORS);
        let result = match dice.roll(4) {
            0 => {
                world.update(seat);
                world.push(seat)
            }
            _ => {
                world.update(seat);
                let is_forged = !honest && seat == 0 && dice.roll(2) == 0;
                let deeds = if is_forged { &FORGED[..] } else { &HONEST[..] };
                let deed = deeds[dice.roll(deeds.len())];
                world.act(seat, deed, &mut dice);
                Ok(())
            }
        };
        if let Err(fault) = result {
            return (world, Some(fault));
        }
    }
    (world, None)
}

/// Runs some seeds: returns the numbers of accepted pushes and refused forgeries, and the faults.
fn run(seeds: &[u64]) -> (usize, usize, Vec<String>) {
    let (mut taken, mut caught, mut wrong) = (0, 0, Vec::new());
    for seed in seeds {
        let (world, fault) = live(*seed);
        taken += world.taken;
        caught += world.caught;
        wrong.extend(fault.map(|fault| format!("YATSU_SEED={seed}: {fault}\n{}", world.told.join("\n"))));
    }
    (taken, caught, wrong)
}

#[test]
fn no_random_history_launders_a_log_and_none_that_keeps_the_law_is_refused() {
    let seeds = crate::support::seeds(200, 6000);
    let (first, second) = seeds.split_at(seeds.len() / 2);
    let (mut one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(second));
        (run(first), other.join().expect("no panic"))
    });
    println!("{} histories: {} pushes taken, {} forgeries refused", seeds.len(), one.0 + other.0, one.1 + other.1);
    one.2.extend(other.2);
    let wrong = one.2;
    assert!(wrong.is_empty(), "{} histories went wrong\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n\n"));
}

/// Seeds of honest histories that were refused once. In one, a log moved on a branch while the default branch hid
/// everything, and the branch shows it again. In another, a run ended and gave way to a later one in a push that changes
/// what is hidden.
#[test]
fn what_kept_the_law_and_was_refused_once_is_taken() {
    let (taken, _, wrong) = run(&[675, 4104, 4725, 4929, 5268]);
    assert!(wrong.is_empty() && taken > 10, "{taken} {}", wrong.join("\n\n"));
}
