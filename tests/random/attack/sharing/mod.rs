//! Evidence that several clones share through one place, under random work, careful and hostile: refs and files are deleted,
//! replaced or forged; servers are re-created, restored or copied; clones lose their knowledge. A separate judge
//! (`judge.rs`) examines the place with plain git and caches with plain sha256, and gives the expected answer of each verb.
//!
//! `YATSU_FULL=1` runs hundreds of seeds, `YATSU_SEED=N` one, `YATSU_SEEDS=A..B` a range.

mod claims;
mod deeds;
mod gate;
mod judge;
mod tools;
mod world;

use crate::support::Dice;
use world::{Kind, World};

/// The number of deeds in one history.
const STEPS: usize = 12;

fn kind(seed: u64) -> Kind {
    match seed % 4 {
        1 => Kind::Branches,
        2 => Kind::Directory,
        _ => Kind::Hidden,
    }
}

#[test]
fn whatever_happens_to_what_clones_share_no_byte_is_wrong_none_is_lost_and_every_answer_is_true() {
    for seed in crate::support::seeds(4, 300) {
        let mut world = World::new(kind(seed), Dice(seed));
        world.step_of(0, 0);
        world.step_of(1, 0);
        world.step_of(2, 0);
        for _ in 0..STEPS {
            world.step();
        }
        world.assert_no_secret_left();
    }
}
