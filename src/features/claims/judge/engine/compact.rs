//! Selects the events to keep of a long journal: the most recent ones, and what is open, which is the last event of every
//! series that is not back in its initial state. An event holds the whole state of its claim, so every series keeps its
//! state. Only tokens that ended long ago are forgotten; an unknown token is refused like an ended one.

use crate::features::claims::model::{ClaimEvent, ClaimStep, encode};
use std::collections::HashSet;

/// The kept events, in their order: the recent ones whose lines have at most `most` bytes together, and what is open.
pub fn compact(events: &[ClaimEvent], most: usize) -> Vec<&ClaimEvent> {
    let mut room = most;
    let fits = |event: &&ClaimEvent| room.checked_sub(encode(event).len() + 1).map(|left| room = left).is_some();
    compact_to(events, events.iter().rev().take_while(fits).count())
}

/// The same with this number of recent events.
pub(super) fn compact_to(events: &[ClaimEvent], most: usize) -> Vec<&ClaimEvent> {
    let recent = events.len().saturating_sub(most);
    let mut known = HashSet::new();
    let mut kept: Vec<&ClaimEvent> = Vec::new();
    let mut answered = HashSet::new();
    for (index, event) in events.iter().enumerate().rev() {
        // `Intended` and `Missed` do not change the holder, so an older event must be kept for it
        if matches!(event.step, ClaimStep::Intended | ClaimStep::Missed) {
            let is_open = answered.insert(&event.claim.series) && event.step == ClaimStep::Intended;
            if index >= recent || is_open {
                kept.push(event);
            }
            continue;
        }
        let is_last = known.insert(&event.claim.series);
        if event.step == ClaimStep::Taken || event.step == ClaimStep::Reclaimed {
            answered.insert(&event.claim.series);
        }
        if index >= recent || (is_last && !is_initial(event)) {
            kept.push(event);
        }
    }
    kept.reverse();
    kept
}

/// Whether an event leaves its series as if it had never been claimed.
fn is_initial(event: &ClaimEvent) -> bool {
    match event.step {
        ClaimStep::Filed => true,
        ClaimStep::Released | ClaimStep::Forced => event.claim.attempt == 1,
        _ => false,
    }
}
