//! The attack: random actors work on one server, carefully or not. A judge that shares no code with the program
//! (`judge.rs`) examines what the server takes. A push that breaks the law must not be taken, and a push that keeps it
//! must not be refused. The program and the judge must agree on the reading that counts and on withdrawn fails.
//!
//! `YATSU_FULL=1` runs thousands of seeds, `YATSU_SEED=N` one, `YATSU_SEEDS=A..B` a range.

mod counts;
mod deeds;
mod desk;
mod doors;
mod forge;
mod goals;
mod graph;
mod heal;
mod judge;
mod law;
mod real;
mod replay;
mod seen;
mod sharing;
mod steps;
mod takes;
mod world;

use judge::Fault;
use std::io::Write;
use steps::Step;
use world::{Tally, World};

const HISTORIES: u64 = 300;
const FULL_HISTORIES: u64 = 5000;

/// A history with a fault.
struct Found {
    fault: Fault,
    transcript: String,
}

/// Carries out `steps` until the judge finds a fault.
fn live(honest: bool, steps: &[Step]) -> (Tally, Option<Found>) {
    let mut world = World::new(honest);
    for step in steps {
        world.step(step);
        if !world.faults.is_empty() {
            break;
        }
    }
    let fault = world.faults.first().cloned();
    let found = fault.map(|fault| Found { fault, transcript: replay::transcript(&world) });
    (world.tally, found)
}

/// The fewest steps that lead to the same kind of fault.
fn minimised(honest: bool, steps: &[Step], found: Found) -> (Vec<Step>, Found) {
    let (mut steps, mut found) = (steps.to_vec(), found);
    let mut at = steps.len();
    while at > 0 {
        at -= 1;
        let mut fewer = steps.clone();
        fewer.remove(at);
        if let (_, Some(again)) = live(honest, &fewer)
            && again.fault.kind == found.fault.kind
        {
            (steps, found) = (fewer, again);
        }
    }
    (steps, found)
}

/// Runs some seeds; returns the faults as text.
fn run(seeds: &[u64]) -> (Tally, Vec<String>) {
    let (mut sum, mut wrong) = (Tally::default(), Vec::new());
    for seed in seeds {
        let (honest, steps) = steps::of(*seed);
        let (tally, found) = live(honest, &steps);
        sum.add(&tally);
        let Some(found) = found else { continue };
        let kind = found.fault.kind;
        let mut text = format!("YATSU_SEED={seed}: {kind:?} {}", found.fault.what);
        if std::env::var_os("YATSU_LIST").is_some() {
            // printed at once, so that a long run that is stopped early has reported its faults
            let _ = writeln!(std::io::stderr(), "{text}");
        }
        if wrong.len() < 3 {
            let (steps, found) = minimised(honest, &steps, found);
            let steps: String = steps.iter().map(|step| format!("{step:?}\n")).collect();
            text += &format!("\nat last: {}\n{steps}{}", found.fault.what, found.transcript);
        }
        wrong.push(text);
    }
    (sum, wrong)
}

#[test]
fn nothing_that_a_server_took_is_lost_and_no_careful_actor_is_refused() {
    let seeds = crate::support::seeds(HISTORIES, FULL_HISTORIES);
    let halves = seeds.split_at(seeds.len() / 2);
    let (first, second) = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(halves.0));
        (run(halves.1), other.join().expect("no panic"))
    });
    let mut tally = first.0;
    tally.add(&second.0);
    println!("{} histories: {tally:#?}", seeds.len());
    let wrong = [first.1, second.1].concat();
    assert!(wrong.is_empty(), "{} histories went wrong\n{}", wrong.len(), wrong.join("\n\n"));
}

/// A part of the seeds in real clones, where they lead to other histories.
#[test]
fn real_clones_and_pushes_lose_nothing_either() {
    let seeds = crate::support::seeds(HISTORIES, FULL_HISTORIES);
    let (mut sum, mut wrong) = (Tally::default(), Vec::new());
    for seed in seeds.iter().step_by(25) {
        let (_, steps) = steps::of(*seed);
        let mut world = real::RealWorld::new();
        for step in &steps {
            world.step(step);
            if !world.faults.is_empty() {
                break;
            }
        }
        sum.add(&world.tally);
        let fault = world.faults.first();
        wrong
            .extend(fault.map(|fault| format!("YATSU_SEED={seed}: {:?} {}\n{}", fault.kind, fault.what, world.script)));
    }
    println!("{sum:#?}");
    assert!(wrong.is_empty(), "{} histories went wrong\n{}", wrong.len(), wrong.join("\n\n"));
}
