//! The attack on goals: random actors forge, copy, move, rename, ease, exclude, squash, merge and force on one server. A
//! judge that shares no code with the program examines what the server took. A claim of completion that does not hold must
//! not be taken. A push without claims, or with a claim that holds, must not be refused for a false claim.
//!
//! `YATSU_FULL=1` runs many seeds, `YATSU_SEED=N` one, `YATSU_SEEDS=A..B` a range. A failing seed prints the fewest steps.

mod judge;
mod world;

use world::{Step, World};

const HISTORIES: u64 = 24;
const FULL_HISTORIES: u64 = 1500;

/// Carries out `steps` until the judge finds a fault; returns the fault, and how many pushes were taken and refused.
fn live(steps: &[Step]) -> (Option<String>, [usize; 3]) {
    let mut world = World::new();
    for step in steps {
        world.step(step);
        if let Some(fault) = world.fault.take() {
            return (Some(format!("{fault}\n{}", world.told.join("\n"))), world.tally);
        }
    }
    (None, world.tally)
}

/// The fewest steps that lead to a fault.
fn minimised(mut steps: Vec<Step>, mut fault: String) -> String {
    let mut at = steps.len();
    while at > 0 {
        at -= 1;
        let mut fewer = steps.clone();
        fewer.remove(at);
        if let (Some(again), _) = live(&fewer) {
            (steps, fault) = (fewer, again);
        }
    }
    format!("{steps:?}\n{fault}")
}

#[test]
fn no_server_takes_a_claim_that_does_not_hold_and_none_refuses_one_that_does() {
    let mut wrong = Vec::new();
    let mut sum = [0; 3];
    for seed in crate::support::seeds(HISTORIES, FULL_HISTORIES) {
        let steps = world::steps(seed);
        let (fault, tally) = live(&steps);
        (0..3).for_each(|at| sum[at] += tally[at]);
        if let Some(fault) = fault {
            let shown = if wrong.len() < 3 { minimised(steps, fault) } else { fault };
            wrong.push(format!("YATSU_SEED={seed}: {shown}"));
        }
    }
    println!("pushes taken, refused by the gate, refused by other rules: {sum:?}");
    assert!(wrong.is_empty(), "{} histories went wrong\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(sum[0] > 0 && sum[1] > 0, "the histories are worth something: {sum:?}");
}
