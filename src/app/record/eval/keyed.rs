//! Idempotency keys at filing: the reading that used a key up, and what a second one says differently. A key is used up for
//! ever: a retraction of its reading does not give it back.

use crate::engine::keys::{is_same_payload, is_same_use};
use crate::error::{Error, Result};
use crate::model::ledger::{Event, Ledger, Reading, encode_reading};
use crate::text::escape::echo;
use std::collections::BTreeSet;

/// The reading of `ledgers` that used up the key of `new`; nothing where it is new, or has none.
///
/// # Errors
/// Refused where that reading says something else.
pub(super) fn filed_before<'l>(ledgers: &'l [Ledger], new: &Reading) -> Result<Option<&'l Reading>> {
    let lines = ledgers.iter().flat_map(|ledger| &ledger.lines);
    let readings =
        lines.filter_map(|line| if let Event::Reading(reading) = &line.event { Some(&**reading) } else { None });
    let mut users: Vec<&Reading> = readings.filter(|reading| is_same_use(reading, new)).collect();
    users.sort_by_key(|reading| reading.ts);
    match users.iter().find(|reading| is_same_payload(reading, new)) {
        Some(same) => Ok(Some(same)),
        None => users.first().map_or(Ok(None), |other| Err(used_up(other, new))),
    }
}

fn used_up(before: &Reading, new: &Reading) -> Error {
    let key = new.terms.key.as_ref().map(|key| echo(key.as_str()).into_owned()).unwrap_or_default();
    let fields = different_fields(before, new).into_iter().collect::<Vec<_>>().join(", ");
    Error::refused(format!("the key {key} is used up: the reading of {} has another {fields}", before.ts))
        .hint("a retry files the very same reading; another reading needs another key")
}

/// The keys of the two lines whose values differ, the time aside.
fn different_fields(one: &Reading, other: &Reading) -> BTreeSet<String> {
    let fields = |reading: &Reading| {
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&encode_reading(reading)).unwrap_or_default()
    };
    let (one, other) = (fields(one), fields(other));
    let names = one.keys().chain(other.keys()).filter(|name| *name != "ts");
    names.filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}
