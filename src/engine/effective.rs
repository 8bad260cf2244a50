//! Which readings count: retractions applied, the latest by time.

use crate::model::reading::{Event, Ledger, Reading};

/// The latest effective reading of `scenario` in a node's ledgers: the greatest time, then the last line.
pub fn latest<'l>(ledgers: &'l [Ledger], scenario: &str) -> Option<&'l Reading> {
    effective(ledgers, scenario).max_by_key(|reading| reading.ts)
}

/// The readings of `scenario` that no retraction withdraws, in line order, the older ledger first.
pub fn effective<'l>(ledgers: &'l [Ledger], scenario: &str) -> impl Iterator<Item = &'l Reading> {
    let events = || ledgers.iter().flat_map(|ledger| &ledger.lines).map(|line| &line.event);
    let withdrawn: Vec<_> = events()
        .filter_map(|event| match event {
            Event::Retraction(retraction) if retraction.scenario == scenario => Some(retraction.retracts),
            _ => None,
        })
        .collect();
    events().filter_map(move |event| match event {
        Event::Reading(reading) if reading.scenario == scenario && !withdrawn.contains(&reading.ts) => Some(&**reading),
        _ => None,
    })
}
