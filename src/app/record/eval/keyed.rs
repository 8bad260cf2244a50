//! Idempotency keys at filing: the reading that used a key, and the fields in which a new one differs. A key is used up
//! forever: a retraction of its reading does not free it.

use crate::engine::keys::{is_same_payload, is_same_use};
use crate::error::{Error, Refusal, Result};
use crate::model::ids::same_name;
use crate::model::ledger::{Event, Ledger, LineHash, Reading, UsedKey, encode_reading};
use crate::text::escape::echo;
use std::collections::BTreeSet;

/// The reading of `ledgers` that used the key of `new`; `None` if the key is unused or absent. A redacted reading is
/// known by its hashes alone.
///
/// # Errors
/// Refused if that reading says something else.
pub(super) fn filed_before(ledgers: &[Ledger], new: &Reading) -> Result<Option<Reading>> {
    let lines = || ledgers.iter().flat_map(|ledger| &ledger.lines);
    let readings = lines().filter_map(|line| line.event.reading());
    let mut users: Vec<&Reading> = readings.filter(|reading| is_same_use(reading, new)).collect();
    users.sort_by_key(|reading| reading.ts);
    if let Some(same) = users.iter().find(|reading| is_same_payload(reading, new)) {
        return Ok(Some((*same).clone()));
    }
    users.first().map_or(Ok(()), |other| Err(used_up(other, new)))?;
    let redactions =
        lines().filter_map(|line| if let Event::Redaction(redaction) = &line.event { Some(redaction) } else { None });
    let used = UsedKey::of(&new.terms);
    let mut gone = redactions.filter(|of| of.used == used && used.is_some() && same_name(&of.scenario, &new.scenario));
    let Some(gone) = gone.next() else { return Ok(None) };
    let again = Reading { ts: gone.ts, scenario: gone.scenario.clone(), ..new.clone() };
    match LineHash::of(encode_reading(&again).as_bytes()) == gone.redacted.line {
        true => Ok(Some(again)),
        false => Err(refused(new, &format!("the reading of {} was redacted, and said something else", gone.ts))),
    }
}

fn refused(new: &Reading, why: &str) -> Error {
    let key = new.terms.key.as_ref().map(|key| echo(key.as_str()).into_owned()).unwrap_or_default();
    Error::refused(format!("the key {key} is used up: {why}"))
        .because(Refusal::Already)
        .hint("a retry files the very same reading; another reading needs another key")
}

fn used_up(before: &Reading, new: &Reading) -> Error {
    let fields = different_fields(before, new).into_iter().collect::<Vec<_>>().join(", ");
    refused(new, &format!("the reading of {} has another {fields}", before.ts))
}

/// The fields that differ between the two lines, `ts` aside.
fn different_fields(one: &Reading, other: &Reading) -> BTreeSet<String> {
    let fields = |reading: &Reading| {
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&encode_reading(reading)).unwrap_or_default()
    };
    let (one, other) = (fields(one), fields(other));
    let names = one.keys().chain(other.keys()).filter(|name| *name != "ts");
    names.filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}
