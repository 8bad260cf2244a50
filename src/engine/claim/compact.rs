//! Selects the events to keep of a long journal: the most recent ones, and the last event of every series that is not back
//! in its initial state. An event holds the whole state of its claim, so every series keeps its state. Only tokens that
//! ended long ago are forgotten; an unknown token is refused like an ended one.

use crate::model::claim::{ClaimEvent, ClaimStep};
use std::collections::HashSet;

/// The number of recent events that are always kept.
pub(crate) const KEPT_EVENTS: usize = 1000;

/// The kept events, in their order.
pub fn compact(events: &[ClaimEvent]) -> Vec<&ClaimEvent> {
    compact_to(events, KEPT_EVENTS)
}

/// The same with another number of recent events.
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
