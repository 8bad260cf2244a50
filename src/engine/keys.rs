//! Idempotency keys: finds the readings that are one use of a key, and whether they agree. A key is used once for each
//! attempt at a scenario in a ledger.

use crate::model::ids::composed;
use crate::model::labels::ReadingKey;
use crate::model::ledger::{FilingTerms, Measures, Reading, Timestamp, encode_reading};
use foldhash::HashMap;
use std::borrow::Cow;
use std::collections::hash_map::Entry;

/// The identity of a use: two readings with the same identity are one use of a key.
type Identity<'r> = (&'r ReadingKey, Option<u32>, Cow<'r, str>);

fn identity(reading: &Reading) -> Option<Identity<'_>> {
    Some((reading.terms.key.as_ref()?, reading.terms.attempt, composed(&reading.scenario)))
}

/// Whether two readings are the same use of a key.
pub(crate) fn is_same_use(one: &Reading, other: &Reading) -> bool {
    identity(one).is_some_and(|used| identity(other) == Some(used))
}

/// Whether two readings agree in everything but their filing times and their coverage, which is advice.
pub(crate) fn is_same_payload(one: &Reading, other: &Reading) -> bool {
    let terms = FilingTerms { coverage: other.terms.coverage.clone(), ..one.terms.clone() };
    let sooner = Reading { ts: other.ts, scenario: other.scenario.clone(), terms, ..one.clone() };
    sooner == *other
}

/// The relation of a reading to the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyUse {
    /// The first with its key, or a reading without a key.
    First,
    /// It repeats the reading at this place under the same key: both count once.
    Twin(usize),
    /// It differs from the reading at this place under the same key.
    Conflict(usize),
}

/// The relation of each reading to the earlier ones. Each reading is visited once, however many share a key: thousands of
/// lines under one key must not slow down every check of the repository.
pub(crate) fn uses<'r>(readings: &[&'r Reading]) -> Vec<KeyUse> {
    let mut known: HashMap<Identity<'r>, Users> = HashMap::default();
    let of = |(at, reading): (usize, &&'r Reading)| match identity(reading).map(|used| known.entry(used)) {
        None => KeyUse::First,
        Some(Entry::Vacant(entry)) => {
            entry.insert(Users { first: at, payloads: HashMap::default() });
            KeyUse::First
        }
        Some(Entry::Occupied(mut entry)) => entry.get_mut().meet(at, readings),
    };
    readings.iter().enumerate().map(of).collect()
}

/// The readings of one identity, by their index.
struct Users {
    first: usize,
    /// By their line without the time: equal payloads have the same line, and different ones almost never do. Empty until a
    /// second reading comes.
    payloads: HashMap<String, Vec<usize>>,
}

impl Users {
    fn meet(&mut self, at: usize, readings: &[&Reading]) -> KeyUse {
        if self.payloads.is_empty() {
            self.payloads.insert(timeless(readings[self.first]), vec![self.first]);
        }
        let alike = self.payloads.entry(timeless(readings[at])).or_default();
        match alike.iter().find(|before| is_same_payload(readings[**before], readings[at])) {
            Some(before) => KeyUse::Twin(*before),
            None => {
                alike.push(at);
                KeyUse::Conflict(self.first)
            }
        }
    }
}

/// The line of a reading with its time set to 0, without its coverage.
fn timeless(reading: &Reading) -> String {
    let scenario = composed(&reading.scenario).into_owned();
    let terms = FilingTerms { coverage: None, ..reading.terms.clone() };
    encode_reading(&Reading { ts: Timestamp { millis: 0 }, scenario, terms, ..reading.clone() })
}

/// Whether two readings record the same measurement. Author, time, claim and key do not matter, and the coverage of
/// `before` only if `new` brings its own.
pub(crate) fn is_same_measurement(before: &Reading, new: &Reading) -> bool {
    let ignoring = |reading: &Reading| {
        let coverage = new.terms.coverage.as_ref().and(reading.terms.coverage.clone());
        let terms = FilingTerms { key: None, attempt: None, wrong: Vec::new(), coverage, ..reading.terms.clone() };
        let measures = Measures { wrong: Vec::new(), ..reading.measures.clone() };
        Reading { ts: new.ts, by: None, terms, measures, ..reading.clone() }
    };
    ignoring(before) == ignoring(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::{Event, parse};
    use crate::tree::path::RepoPath;
    use proptest::prelude::*;

    fn read(line: &str) -> Reading {
        match parse(&RepoPath::root(), line.as_bytes()).lines.remove(0).event {
            Event::Reading(reading) => (*reading).clone(),
            _ => panic!("{line}"),
        }
    }

    fn reading(ts: usize, (scenario, key, attempt, terms): (&str, &str, &str, &str)) -> Reading {
        let sha = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        read(&format!(
            "{{\"scenario\":\"{scenario}\",\"codeSha\":\"{sha}\",{key}{attempt}{terms}\"ts\":\"2026-01-01T00:00:00.{ts:03}Z\"}}"
        ))
    }

    /// Compares every reading with every earlier one.
    fn pairwise(readings: &[&Reading]) -> Vec<KeyUse> {
        let of = |(at, reading): (usize, &&Reading)| {
            let users: Vec<usize> = (0..at).filter(|before| is_same_use(readings[*before], reading)).collect();
            let twin = users.iter().find(|before| is_same_payload(readings[**before], reading));
            match (twin, users.first()) {
                (Some(twin), _) => KeyUse::Twin(*twin),
                (None, Some(first)) => KeyUse::Conflict(*first),
                (None, None) => KeyUse::First,
            }
        };
        readings.iter().enumerate().map(of).collect()
    }

    fn words() -> impl Strategy<Value = (&'static str, &'static str, &'static str, &'static str)> {
        let scenario = prop::sample::select(vec!["s", "t", "caf\u{e9}", "cafe\u{301}"]);
        let key = prop::sample::select(vec!["", "\"key\":\"k\",", "\"key\":\"l\",", "\"key\":\"not one\","]);
        let attempt = prop::sample::select(vec!["", "\"attempt\":1,", "\"attempt\":2,", "\"attempt\":0,"]);
        let rest =
            vec!["", "\"verdict\":{\"status\":\"pass\"},", "\"by\":\"Ann\",", "\"run\":\"r\",", "\"run\":\"no run\","];
        (scenario, key, attempt, prop::sample::select(rest))
    }

    proptest! {
        #[test]
        fn grouping_says_what_comparing_each_with_each_says(rows in prop::collection::vec(words(), 0..40)) {
            let readings: Vec<Reading> = rows.iter().enumerate().map(|(ts, row)| reading(ts, *row)).collect();
            let readings: Vec<&Reading> = readings.iter().collect();
            prop_assert_eq!(uses(&readings), pairwise(&readings));
        }
    }

    #[test]
    fn what_no_line_can_spell_is_told_apart_all_the_same() {
        let of = |ts, terms| reading(ts, ("s", "\"key\":\"k\",", "", terms));
        let (one, other) = (of(1, ""), of(2, "\"run\":\"no run\","));
        assert_eq!(timeless(&one), timeless(&other));
        assert_eq!(uses(&[&one, &other]), [KeyUse::First, KeyUse::Conflict(0)]);
    }
}
