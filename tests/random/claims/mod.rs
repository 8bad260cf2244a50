//! Random work of several people in two work trees: claims on scenarios, keys and paths, readings with and without keys, their costs, waivers,
//! withdrawals, redactions, nodes that move and are copied, limits that change, time that passes. A judge that shares
//! nothing with the program (`judge.rs`) gives the expected answer of each command, and of the queries after it.
//!
//! `YATSU_FULL=1` runs thousands of seeds, `YATSU_SEED=N` one, `YATSU_SEEDS=A..B` a range. A failing seed prints the fewest
//! deeds that fail.

mod judge;
mod world;

use crate::support::Dice;
use world::{Deed, World};

const SEEDS: u64 = 200;
const FULL_SEEDS: u64 = 3000;
const DEEDS: usize = 24;

/// The fault after these deeds, with the log of all commands. In three worlds of four each change is staged at once: then git
/// knows every file, and the program need not start git to see a work tree.
fn live(seed: u64, deeds: &[Deed]) -> Option<(String, String)> {
    let mut world = World::new(!seed.is_multiple_of(4));
    for (number, deed) in deeds.iter().enumerate() {
        world.step(deed);
        if number % 8 == 7 || number + 1 == deeds.len() {
            world.look();
        }
        if let Some(wrong) = world.wrong {
            return Some((wrong, world.told.join("\n")));
        }
    }
    None
}

fn deeds(seed: u64) -> Vec<Deed> {
    let mut dice = Dice(seed);
    (0..DEEDS).map(|_| Deed::of(&mut dice)).collect()
}

/// The fewest deeds that lead to a fault.
fn fewest(seed: u64, mut found: (String, String)) -> (usize, String, String) {
    let mut deeds = deeds(seed);
    let mut at = deeds.len();
    while at > 0 {
        at -= 1;
        let mut fewer = deeds.clone();
        fewer.remove(at);
        if let Some(again) = live(seed, &fewer) {
            (deeds, found) = (fewer, again);
            at = at.min(deeds.len());
        }
    }
    (deeds.len(), found.0, found.1)
}

/// Runs some seeds. For the first one that fails, it searches for the fewest deeds.
fn tried(seeds: &[u64]) -> Vec<String> {
    let mut wrong = Vec::new();
    for seed in seeds {
        let Some(found) = live(*seed, &deeds(*seed)) else { continue };
        let (count, what, told) = if wrong.is_empty() { fewest(*seed, found) } else { (DEEDS, found.0, String::new()) };
        wrong.push(format!("YATSU_SEED={seed}, {count} deeds: {what}\n{told}"));
    }
    wrong
}

#[test]
fn whatever_several_people_do_everybody_is_told_what_the_judge_says() {
    let seeds = crate::support::seeds(SEEDS, FULL_SEEDS);
    let halves = seeds.split_at(seeds.len() / 2);
    let wrong = std::thread::scope(|scope| {
        let other = scope.spawn(|| tried(halves.0));
        [tried(halves.1), other.join().expect("no panic")].concat()
    });
    assert!(wrong.is_empty(), "{} of {} seeds went wrong\n{}", wrong.len(), seeds.len(), wrong.join("\n\n"));
}
