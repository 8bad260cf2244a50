//! The obvious comparison of contents: what a reading says was measured, against what the tip holds. It speaks only where
//! there is nothing to argue about.

use super::judge::{Fault, Judge, Kind};
use super::seen::{House, Scenario, Tip, event, nfc, word};
use crate::support::sha256;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is plain to see.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plain {
    Fresh,
    Stale,
    Arguable,
}

/// Where the program's score of a tip contradicts the contents; `stale` is what it calls stale or not measured.
pub(super) fn faults(judge: &mut Judge, tip: &Tip, stale: &Result<BTreeSet<(String, String)>, String>) -> Vec<Fault> {
    let stale = match stale {
        Ok(stale) => stale,
        Err(error) => return vec![Fault::new(Kind::SaidFresh, format!("nothing is said of an accepted tip: {error}"))],
    };
    let mut faults = Vec::new();
    for (dir, house) in tip.houses(&tip.config) {
        for scenario in &house.scenarios {
            let Some(reading) = latest(&house, &scenario.name) else { continue };
            let says_stale = stale.contains(&(dir.clone(), scenario.name.clone()));
            let kind = match (plain(judge, tip, scenario, &reading), says_stale) {
                (Plain::Stale, false) => Kind::SaidFresh,
                (Plain::Fresh, true) => Kind::SaidStale,
                _ => continue,
            };
            faults.push(Fault::new(kind, format!("{dir}/{}: {reading}", scenario.name)));
        }
    }
    faults
}

/// The reading that counts; `None` where there is none, or two of one time.
fn latest(house: &House, scenario: &str) -> Option<Value> {
    let events: Vec<Value> = house.lines.iter().filter_map(|line| event(line)).collect();
    let own = |event: &&Value| nfc(word(event, "scenario")) == nfc(scenario);
    let taken_back: BTreeSet<&str> = events.iter().filter(own).map(|event| word(event, "retracts")).collect();
    let mut by_time: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for event in events.iter().filter(own).filter(|event| event["codeSha"].is_string()) {
        if !taken_back.contains(word(event, "ts")) {
            by_time.entry(word(event, "ts")).or_default().insert(event.to_string());
        }
    }
    let (_, last) = by_time.pop_last()?;
    let text = last.first().filter(|_| last.len() == 1)?;
    serde_json::from_str(text).ok()
}

fn plain(judge: &mut Judge, tip: &Tip, scenario: &Scenario, reading: &Value) -> Plain {
    let Some(anchor) = judge.tip(word(reading, "codeSha")) else { return Plain::Arguable };
    let at = |tip: &Tip, path: &String| tip.ids.get(path).map(|(_, id)| id.clone());
    let text_is_same = match reading["scenarioHash"].as_str() {
        Some(hash) => sha256(scenario.text().as_bytes()) == hash,
        None => anchor.houses(&anchor.config).values().any(|house| {
            house
                .scenarios
                .iter()
                .any(|other| nfc(&other.name) == nfc(&scenario.name) && other.text() == scenario.text())
        }),
    };
    let measured = |path: &String| match &reading["governed"] {
        Value::Object(stamp) if stamp.contains_key(path) => stamp[path].as_str().map(str::to_owned),
        _ => at(&anchor, path),
    };
    let moved = scenario.code.iter().any(|path| measured(path).is_some_and(|was| at(tip, path) != Some(was)));
    let is_whole =
        reading["scenarioHash"].is_string() && scenario.code.iter().all(|path| reading["governed"][path].is_string());
    match (text_is_same && !moved, is_whole) {
        (false, _) => Plain::Stale,
        (true, true) => Plain::Fresh,
        (true, false) => Plain::Arguable,
    }
}
