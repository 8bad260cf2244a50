//! Idempotency keys: which readings are one use of a key, and whether they say the same. A key is used once for each
//! attempt at a scenario in a ledger.

use crate::model::ids::same_name;
use crate::model::ledger::Reading;

/// Whether two readings use one key for one thing.
pub(crate) fn is_same_use(one: &Reading, other: &Reading) -> bool {
    one.terms.key.is_some()
        && one.terms.key == other.terms.key
        && one.terms.attempt == other.terms.attempt
        && same_name(&one.scenario, &other.scenario)
}

/// Whether two readings say the same of the same measurement: everything but when they were filed.
pub(crate) fn is_same_payload(one: &Reading, other: &Reading) -> bool {
    let sooner = Reading { ts: other.ts, scenario: other.scenario.clone(), ..one.clone() };
    sooner == *other
}

/// What a reading is among those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyUse {
    /// The first of its key, or one without.
    First,
    /// It says what the one at this place says under the same key: they count once.
    Twin(usize),
    /// It says something else than the one at this place under the same key.
    Conflict(usize),
}

/// Tells readings of one scenario apart, in the order given.
pub(crate) fn uses(readings: &[&Reading]) -> Vec<KeyUse> {
    let of = |(at, reading): (usize, &&Reading)| {
        let mut users = readings[..at].iter().enumerate().filter(|(_, before)| is_same_use(before, reading)).peekable();
        let first = users.peek().map(|(place, _)| *place);
        let twin = users.find(|(_, before)| is_same_payload(before, reading)).map(|(place, _)| place);
        twin.map(KeyUse::Twin).or(first.map(KeyUse::Conflict)).unwrap_or(KeyUse::First)
    };
    readings.iter().enumerate().map(of).collect()
}
