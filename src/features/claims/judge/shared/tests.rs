//! Random work of several machines on one remote that answers, refuses, keeps silent or is overtaken. A slow judge checks
//! it: it lists every claim that was ever given and searches the list from its start.

use super::filing::take_away;
use super::prune::prune_free;
use super::*;
use crate::app::site::fake::{Fake, scenario};
use crate::error::ErrorKind;
use crate::features::claims::judge::board::Note;
use crate::features::claims::judge::engine::NodeNames;
use crate::features::claims::judge::{ClaimTarget, Claimant, ScenarioTarget, state};
use crate::features::claims::model::ClaimSeries;
use crate::store::Store;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const GRACE: i64 = 60_000;
const MINUTE: i64 = 60_000;
const NAMES: [&str; 2] = ["works", "sorts"];

/// A server: the note at each ref.
#[derive(Default)]
struct Server {
    notes: BTreeMap<String, (Oid, Vec<u8>)>,
    written: u64,
}

/// What goes wrong on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Trouble {
    #[default]
    None,
    /// The swap is done, and its answer is lost.
    AnswerLost,
    /// It never arrives.
    Lost,
    /// It is done or not, and no answer comes from then on: as if the taker were killed.
    Killed { done: bool },
    /// The server does not take anything.
    Forbidden,
    /// The server does not answer at all.
    Offline,
}

type Overtaker = Box<dyn FnOnce()>;

/// A machine's way to the server.
struct Way {
    server: Rc<RefCell<Server>>,
    trouble: Trouble,
    is_dead: bool,
    /// What another machine does between the look and the swap.
    before: Option<Overtaker>,
}

impl NoteBoard for Way {
    fn remote(&self) -> &str {
        "origin"
    }

    fn look(&mut self, end: Option<&str>) -> Result<Vec<Note>> {
        if self.is_dead || self.trouble == Trouble::Offline {
            return Err(Error::unchecked("no answer"));
        }
        let server = self.server.borrow();
        let wanted = server.notes.iter().filter(|(name, _)| end.is_none_or(|end| end == *name));
        Ok(wanted
            .map(|(end, (id, message))| Note { end: end.clone(), id: *id, message: Ok(message.clone()) })
            .collect())
    }

    fn swap(&mut self, end: &str, old: Option<Oid>, new: Option<(&str, i64)>) -> Result<Swapped> {
        if let Some(before) = self.before.take() {
            before();
        }
        match self.trouble {
            Trouble::Lost | Trouble::Offline => return Err(Error::unchecked("no answer")),
            Trouble::Forbidden => return Ok(Swapped::Refused("[remote rejected] (hook declined)".into())),
            Trouble::Killed { done: false } => {
                self.is_dead = true;
                return Err(Error::unchecked("no answer"));
            }
            Trouble::None | Trouble::AnswerLost | Trouble::Killed { done: true } => {}
        }
        let mut server = self.server.borrow_mut();
        let is_as_expected = server.notes.get(end).map(|(id, _)| *id) == old;
        if is_as_expected {
            server.written += 1;
            let id = Oid::from_hex(format!("{:040x}", server.written).as_bytes()).unwrap();
            match new {
                Some((message, _)) => drop(server.notes.insert(end.to_owned(), (id, message.as_bytes().to_vec()))),
                None => drop(server.notes.remove(end)),
            }
        }
        match self.trouble {
            Trouble::AnswerLost => Err(Error::unchecked("no answer")),
            Trouble::Killed { .. } => {
                self.is_dead = true;
                Err(Error::unchecked("no answer"))
            }
            _ if is_as_expected => Ok(Swapped::Won),
            _ => Ok(Swapped::Refused("[rejected] (stale info)".into())),
        }
    }
}

/// A machine: a clone, its clock, and its user.
struct Machine {
    site: Fake,
    store: Store,
    server: Rc<RefCell<Server>>,
    skew: i64,
    owner: String,
}

impl Machine {
    fn new(number: i64, server: &Rc<RefCell<Server>>) -> Self {
        let site = Fake::new();
        *site.scenarios.borrow_mut() = NAMES.map(|name| scenario(name, "it works")).into();
        let store = site.store();
        // each is wrong by less than half of the grace
        Self {
            site,
            store,
            server: Rc::clone(server),
            skew: number * 14_000 - 28_000,
            owner: format!("owner {number}"),
        }
    }

    fn way(&self, trouble: Trouble) -> Way {
        Way { server: Rc::clone(&self.server), trouble, is_dead: false, before: None }
    }

    fn clock(&self, now: i64) -> Timestamp {
        Timestamp { millis: now + self.skew }
    }

    fn claiming(&self, way: Way, now: i64) -> Claiming<'_> {
        Claiming::new(&self.site, &self.store, Some(Box::new(way)), self.clock(now)).unwrap()
    }

    fn take(&self, name: &str, number: u64, now: i64, way: Way) -> Result<ClaimOutcome> {
        let mut token = [0; 16];
        token[..8].copy_from_slice(&number.to_be_bytes());
        let claimant = Claimant {
            owner: self.owner.clone(),
            token: ClaimToken(token),
            run: None,
            ttl: 10 * MINUTE,
            now: self.clock(now),
            session: None,
        };
        let target = ScenarioTarget { node: Some(".spec/node".into()), scenario: name.into() };
        let target = ClaimTarget::Scenario(target);
        self.claiming(way, now).take(&claimant, &target, false)
    }

    /// What `eval` does with the claim; the reading aside.
    fn file(&self, name: &str, token: ClaimToken, now: i64, trouble: Trouble) -> Result<Option<String>> {
        let claiming = self.claiming(self.way(trouble), now);
        let warned = claiming.confirm(&mut self.way(trouble), token)?;
        let series = ClaimSeries::new(&RepoPath::from_git(".spec/node"), name).unwrap();
        let filed = state(self.store.common_dir())?.file(&series, Some(token), false, &claiming.terms);
        let filed = filed.map_err(|refusal| refusal.error(&NodeNames::default()))?;
        claiming.note(&filed.event.expect("the claim ends"))?;
        let taken_away = take_away(&mut self.way(trouble), &self.store, token, self.clock(now));
        Ok(warned.or(taken_away.err().map(|error| error.message)))
    }
}

struct Given {
    machine: usize,
    name: &'static str,
    token: ClaimToken,
    attempt: u32,
    until: i64,
    end: Option<&'static str>,
}

/// The slow judge.
#[derive(Default)]
struct Judge {
    given: Vec<Given>,
    /// Machines and scenarios with a take that got no answer.
    unheard: Vec<(usize, &'static str)>,
}

impl Judge {
    fn open(&self, name: &str) -> Vec<&Given> {
        self.given.iter().filter(|given| given.name == name && given.end.is_none()).collect()
    }

    fn find(&mut self, token: ClaimToken) -> &mut Given {
        self.given.iter_mut().find(|given| given.token == token).expect("it was given")
    }

    #[allow(clippy::too_many_arguments)] // each is another kind of thing
    fn took(&mut self, machines: &[Machine], machine: usize, name: &'static str, claim: &Claim, now: i64) {
        let mut attempt = match self.given.iter().rfind(|given| given.name == name) {
            Some(last) if last.end == Some("released") => last.attempt,
            Some(last) if last.end == Some("filed, unknown") => claim.attempt,
            _ => 1,
        };
        for given in self.given.iter_mut().filter(|given| given.name == name && given.end.is_none()) {
            let holders = now + machines[given.machine].skew;
            assert!(holders > given.until, "two hold {name}: {} at {} and {machine}", given.machine, given.until);
            given.end = Some("lost");
            attempt = given.attempt + 1;
        }
        // the attempt of a take without an answer is not known
        if !self.unheard.iter().any(|(_, unheard)| *unheard == name) {
            assert_eq!(claim.attempt, attempt, "the attempt of {name}");
        }
        self.unheard.retain(|(_, unheard)| *unheard != name);
        let (token, attempt, until) = (claim.token, claim.attempt, claim.until.millis);
        self.given.push(Given { machine, name, token, attempt, until, end: None });
    }

    /// Whether a claim ended, or may have been taken over by a take without an answer.
    fn is_over(&mut self, token: ClaimToken) -> bool {
        let given = self.find(token);
        let (name, end) = (given.name, given.end);
        end.is_some() || self.unheard.iter().any(|(_, unheard)| *unheard == name)
    }

    /// Whether the server may have no note left that shows a lost claim: the last claim there ended as a first attempt,
    /// or its result is not known.
    fn is_forgotten(&self, name: &str) -> bool {
        let last = self.given.iter().rfind(|given| given.name == name);
        let is_left = last.is_some_and(|last| last.attempt > 1 && matches!(last.end, Some("filed" | "released")));
        let is_unheard = self.unheard.iter().any(|(_, unheard)| *unheard == name);
        self.open(name).is_empty() && (is_unheard || !is_left)
    }

    /// A refusal must have a reason.
    fn refused(&self, name: &'static str, now: i64, error: &Error) {
        let slack = GRACE / 2;
        let may_be_held = self.open(name).iter().any(|given| now <= given.until + GRACE + slack);
        let is_unheard = self.unheard.iter().any(|(_, unheard)| *unheard == name);
        let is_tried = error.message.contains("as often as yatsu.claims.maxAttempts allows");
        assert!(may_be_held || is_unheard || is_tried, "{name}: {}", error.message);
    }
}

struct Rng(u64);

impl Rng {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

fn trouble(dice: &mut Rng) -> Trouble {
    match dice.roll(12) {
        0 => Trouble::AnswerLost,
        1 => Trouble::Lost,
        2 => Trouble::Killed { done: true },
        3 => Trouble::Killed { done: false },
        4 => Trouble::Forbidden,
        5 => Trouble::Offline,
        _ => Trouble::None,
    }
}

#[allow(clippy::too_many_lines)] // one history from its beginning to its end
fn history(seed: u64) {
    let mut dice = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let server = Rc::default();
    let count = 2 + dice.roll(4) as usize;
    let machines: Vec<Machine> = (0..count).map(|number| Machine::new(number as i64, &server)).collect();
    let (mut judge, mut now, mut number) = (Judge::default(), 1_767_225_600_000, 0);
    for _ in 0..40 {
        now += [0, 1, 20_000, 5 * MINUTE, 11 * MINUTE + 30_000, 40 * MINUTE][dice.roll(6) as usize];
        let (at, name) = (dice.roll(count as u64) as usize, NAMES[dice.roll(2) as usize]);
        let (machine, trouble) = (&machines[at], trouble(&mut dice));
        number += 1;
        let own: Vec<(ClaimToken, &str)> =
            judge.given.iter().filter(|given| given.machine == at).map(|given| (given.token, given.name)).collect();
        let mine = own.get(dice.roll(own.len().max(1) as u64) as usize).copied();
        let deed = dice.roll(6);
        println!(
            "{now} machine {at} deed {deed} {trouble:?} {name} own {:?}",
            mine.map(|(token, name)| (token.0[7], name))
        );
        match (deed, mine) {
            (0, Some((token, name))) => {
                let done = machine.claiming(machine.way(trouble), now).renew(token, 10 * MINUTE);
                match done {
                    Ok(done) => {
                        let given = judge.find(token);
                        assert!(given.end.is_none() && machine.clock(now).millis <= given.until, "{name} is renewed");
                        given.until = done.event.claim.until.millis;
                    }
                    // no answer: its end may be later
                    Err(error) if error.kind == ErrorKind::Unchecked => {
                        let given = judge.find(token);
                        if given.end.is_none() && matches!(trouble, Trouble::Killed { done: true }) {
                            given.until = given.until.max(machine.clock(now).millis + 10 * MINUTE);
                        }
                    }
                    Err(_) => {
                        let given = judge.find(token);
                        assert!(
                            given.end.is_some() || machine.clock(now).millis > given.until,
                            "{name} is not renewed"
                        );
                    }
                }
            }
            (1, Some((token, name))) => {
                let done = machine.claiming(machine.way(trouble), now).release(token, None);
                let is_forgotten = judge.is_forgotten(name);
                let given = judge.find(token);
                match done {
                    Ok(_) if is_forgotten && given.end == Some("lost") => {}
                    Ok(_) => {
                        assert!(given.end.is_none() || given.end == Some("released, unknown"), "{name} is released");
                        given.end = Some("released");
                    }
                    Err(error) if error.kind == ErrorKind::Unchecked && given.end.is_none() => {
                        if matches!(trouble, Trouble::Killed { done: true }) {
                            given.end = Some("released, unknown");
                            judge.unheard.push((at, name));
                        }
                    }
                    Err(error) => {
                        let is_forbidden = error.kind == ErrorKind::Unchecked && trouble != Trouble::None;
                        assert!(is_forbidden || judge.is_over(token), "{name} is not released: {}", error.message);
                    }
                }
            }
            (2, Some((token, name))) => match machine.file(name, token, now, trouble) {
                Ok(_) if judge.is_forgotten(name) && judge.find(token).end == Some("lost") => {}
                Ok(warned) => {
                    let given = judge.find(token);
                    // without an answer of the remote the reading is filed, with a warning
                    assert!(
                        matches!(given.end, None | Some("released, unknown")) || warned.is_some(),
                        "{name} is filed under a claim that was lost"
                    );
                    let is_unknown = warned.is_some() && given.end.is_none();
                    given.end = given.end.or(Some(if is_unknown { "filed, unknown" } else { "filed" }));
                    if is_unknown {
                        judge.unheard.push((at, name));
                    }
                }
                Err(error) => assert!(judge.is_over(token), "{name} is not filed: {}", error.message),
            },
            (3, _) if count > 1 => {
                // another machine is faster, between the look and the swap
                let other = (at + 1) % count;
                let result = Rc::new(RefCell::new(None));
                let mut way = machine.way(Trouble::None);
                let second = Machine {
                    site: Fake::new(),
                    store: machines[other].store.clone(),
                    server: Rc::clone(&server),
                    skew: machines[other].skew,
                    owner: machines[other].owner.clone(),
                };
                *second.site.scenarios.borrow_mut() = NAMES.map(|name| scenario(name, "it works")).into();
                let (slot, faster) = (Rc::clone(&result), number + 1_000_000);
                way.before = Some(Box::new(move || {
                    *slot.borrow_mut() = Some(second.take(name, faster, now, second.way(Trouble::None)));
                }));
                let done = machine.take(name, number, now, way);
                if let Some(Ok(faster)) = result.take() {
                    judge.took(&machines, other, name, &faster.event.claim, now);
                }
                match done {
                    Ok(done) => judge.took(&machines, at, name, &done.event.claim, now),
                    Err(error) => judge.refused(name, now, &error),
                }
            }
            _ => match machine.take(name, number, now, machine.way(trouble)) {
                Ok(done) => judge.took(&machines, at, name, &done.event.claim, now),
                Err(error) if error.kind == ErrorKind::Unchecked => {
                    assert!(trouble != Trouble::None, "{}", error.message);
                    if matches!(trouble, Trouble::Killed { .. } | Trouble::Lost) {
                        judge.unheard.push((at, name));
                    }
                }
                Err(error) => judge.refused(name, now, &error),
            },
        }
        for machine in &machines {
            state(machine.store.common_dir()).expect("a journal that can be followed");
        }
    }
}

#[test]
fn of_several_machines_one_at_a_time_holds_a_scenario() {
    let full = std::env::var_os("YATSU_FULL").is_some();
    for seed in 1..if full { 5_000 } else { 150 } {
        let told = std::panic::catch_unwind(|| history(seed));
        assert!(told.is_ok(), "seed {seed}");
    }
}

#[test]
fn what_kept_an_attempt_for_a_month_goes_and_nothing_else() {
    let server: Rc<RefCell<Server>> = Rc::default();
    let machine = Machine::new(2, &server);
    let month = 31 * 24 * 60 * MINUTE;
    let now = 1_767_225_600_000;
    let held = machine.take("works", 1, now, machine.way(Trouble::None)).unwrap().event.claim;
    let shown = PublicClaim::of(&held, Timestamp { millis: now });
    let place = |name: &str, is_held, millis| {
        let series = ClaimSeries::new(&RepoPath::from_git(".spec/node"), name).unwrap();
        let end = ref_end(&series);
        let note = PublicClaim { is_held, series, ts: Timestamp { millis }, ..shown.clone() }.encode();
        let mut server = server.borrow_mut();
        server.written += 1;
        let id = Oid::from_hex(format!("{:040x}", server.written).as_bytes()).unwrap();
        server.notes.insert(end.clone(), (id, note.into_bytes()));
        end
    };
    let old = place("old", false, now - month - 1);
    let kept = [place("younger", false, now - month), place("held", true, now - 2 * month), ref_end(&held.series)];
    let odd = "0".repeat(40);
    server.borrow_mut().notes.insert(odd.clone(), (Oid::from_hex(&[b'9'; 40]).unwrap(), b"no claim".to_vec()));
    let prune = |dry_run| prune_free(&mut machine.way(Trouble::None), Timestamp { millis: now }, dry_run).unwrap();
    assert_eq!(prune(true), 1);
    assert!(server.borrow().notes.contains_key(&old), "a dry run deletes nothing");
    assert_eq!(prune(false), 1);
    assert_eq!(prune(false), 0);
    let left: Vec<String> = server.borrow().notes.keys().cloned().collect();
    let mut wanted: Vec<String> = kept.into_iter().chain([odd]).collect();
    wanted.sort();
    assert_eq!(left, wanted);
}

#[test]
fn what_a_note_says_of_another_scenario_or_by_a_wrong_clock_is_not_believed() {
    let server: Rc<RefCell<Server>> = Rc::default();
    let machine = Machine::new(2, &server);
    let now = Timestamp { millis: 1_767_225_600_000 };
    let held = machine.take("works", 1, now.millis, machine.way(Trouble::None)).unwrap().event.claim;
    let shown = PublicClaim::of(&held, now);
    let series = |name: &str| ClaimSeries::new(&RepoPath::from_git(".spec/node"), name).unwrap();
    let write = |end: String, claim: &PublicClaim| {
        let mut server = server.borrow_mut();
        server.written += 1;
        let id = Oid::from_hex(format!("{:040x}", server.written).as_bytes()).unwrap();
        server.notes.insert(end, (id, claim.encode().into_bytes()));
    };
    for (name, ahead) in [("early", 1_000), ("ahead", 5_000)] {
        let ts = Timestamp { millis: now.millis + ahead };
        write(ref_end(&series(name)), &PublicClaim { series: series(name), ts, ..shown.clone() });
    }
    // one note cannot speak for two scenarios
    write(ref_end(&series("sorts")), &shown);
    let look = RemoteLook::at_one(&mut machine.way(Trouble::None), None).unwrap();
    let odd = look.odd();
    assert!(odd.len() == 1 && odd[0].contains("is another claim's"), "{odd:?}");
    assert!(look.claim(&series("sorts")).is_none() && look.claim(&series("early")).is_some());
    let ahead = look.ahead(now, &NodeNames::default());
    assert!(ahead.len() == 1 && ahead[0].contains("ahead") && ahead[0].contains("5 s"), "{ahead:?}");
}
