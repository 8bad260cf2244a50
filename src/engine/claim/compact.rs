//! What of a long journal is kept: the last events, and before them the last one of every series that is not as if it had
//! never been. An event holds all there is to know of its claim, so the state of every series is the same afterwards;
//! only tokens that ended long ago are forgotten, and a token that nobody knows is refused as well.

use crate::model::claim::{ClaimEvent, ClaimStep};
use std::collections::HashSet;

/// So many of the last events are kept whatever they say.
pub(crate) const KEPT_EVENTS: usize = 1000;

/// The events that stay, in their order.
pub fn compact(events: &[ClaimEvent]) -> Vec<&ClaimEvent> {
    compact_to(events, KEPT_EVENTS)
}

/// The same with another number of events that are kept whatever they say.
pub(super) fn compact_to(events: &[ClaimEvent], most: usize) -> Vec<&ClaimEvent> {
    let recent = events.len().saturating_sub(most);
    let mut known = HashSet::new();
    let mut kept: Vec<&ClaimEvent> = Vec::new();
    let mut answered = HashSet::new();
    for (index, event) in events.iter().enumerate().rev() {
        // what is about to be made known says nothing of who holds it: that an older event does
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
        if index >= recent || (is_last && event.step != ClaimStep::Filed) {
            kept.push(event);
        }
    }
    kept.reverse();
    kept
}
