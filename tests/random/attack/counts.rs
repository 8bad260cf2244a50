//! Which reading counts, whether it is fresh, and which fails were withdrawn. Follows the text of freshness.md, by
//! comparing contents. It gives an answer only if the law allows just one.

use super::judge::{Fault, Judge, Kind};
use super::seen::{House, Scenario, Tip, event, nfc, word};
use crate::support::sha256;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The expected state of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stand {
    Missing,
    Stale,
    /// The reading that counts.
    Fresh(Value),
    Arguable,
}

impl Stand {
    fn text(&self) -> String {
        match self {
            Self::Fresh(reading) => format!("is a fresh {} of {}", reading["verdict"]["status"], reading["ts"]),
            other => format!("is {other:?}"),
        }
    }
}

/// The state of one reading for a content.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plain {
    Stands,
    /// Stale, as its stamp proves.
    Stale,
    /// Stale by its commit or its `dirty` alone, without a stamp.
    StaleUnstamped,
    Arguable,
}

/// The rules that a score names, by directory and scenario.
pub(super) type Score = BTreeMap<(String, String), BTreeSet<String>>;

/// The contradictions between the program's score of a tip and the contents.
pub(super) fn faults(judge: &mut Judge, tip: &Tip, score: &Result<Score, String>) -> Vec<Fault> {
    let score = match score {
        Ok(score) => score,
        Err(error) => return vec![Fault::new(Kind::SaidFresh, format!("nothing is said of an accepted tip: {error}"))],
    };
    let mut faults = Vec::new();
    for (dir, house) in &tip.houses {
        for scenario in &house.scenarios {
            let none = BTreeSet::new();
            let said = score.get(&(dir.clone(), scenario.name.clone())).unwrap_or(&none);
            let says = |rule: &str| said.contains(rule);
            let stand = stand(judge, tip, house, scenario);
            let kind = match &stand {
                Stand::Missing if !says("yatsu-missing") => Kind::SaidFresh,
                Stand::Stale if !says("yatsu-drift") => Kind::SaidFresh,
                Stand::Fresh(_) if says("yatsu-drift") || says("yatsu-missing") => Kind::SaidStale,
                Stand::Fresh(reading) if says("yatsu-failing") != (reading["verdict"]["status"] == "fail") => {
                    Kind::SaidOtherwise
                }
                _ => continue,
            };
            faults.push(Fault::new(kind, format!("{dir} · {}: said {said:?}, {}", scenario.name, stand.text())));
        }
    }
    faults
}

/// The reading that counts: the latest effective reading with the content of the tip, otherwise the latest. The search goes
/// newest first, and passes over a reading only if its stamp proves that it is stale.
pub(super) fn stand(judge: &mut Judge, tip: &Tip, house: &House, scenario: &Scenario) -> Stand {
    let Some(readings) = effective(house, &scenario.name) else { return Stand::Arguable };
    if readings.is_empty() {
        return Stand::Missing;
    }
    for (at, reading) in readings.iter().take(64).enumerate() {
        match plain(judge, tip, scenario, reading) {
            Plain::Stands => return Stand::Fresh(reading.clone()),
            Plain::Stale => {}
            Plain::StaleUnstamped => return Stand::Stale,
            // an older unstamped reading ends the search; the latest one was proved stale
            Plain::Arguable if at > 0 && !reading["governed"].is_object() && !reading["scenarioHash"].is_string() => {
                return Stand::Stale;
            }
            Plain::Arguable => return Stand::Arguable,
        }
    }
    Stand::Stale
}

/// The effective readings of a scenario, newest first; `None` if two differ at the same time.
fn effective(house: &House, scenario: &str) -> Option<Vec<Value>> {
    let events: Vec<Value> = house.lines.iter().filter_map(|line| event(line)).collect();
    let own = |event: &&Value| nfc(word(event, "scenario")) == nfc(scenario);
    let taken_back: BTreeSet<&str> = events.iter().filter(own).map(|event| word(event, "retracts")).collect();
    let redacted = |line: &Vec<u8>| house.lines.iter().any(|other| super::seen::stands_for(other, line));
    if house.lines.iter().any(redacted) {
        return None;
    }
    let mut by_time: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for event in events.iter().filter(own).filter(|event| event["codeSha"].is_string()) {
        if !taken_back.contains(word(event, "ts")) {
            by_time.entry(word(event, "ts")).or_default().insert(event.to_string());
        }
    }
    let one = |texts: &BTreeSet<String>| texts.first().filter(|_| texts.len() == 1).map(|text| text.to_owned());
    by_time.values().rev().map(|texts| serde_json::from_str(&one(texts)?).ok()).collect()
}

/// The paths in the stamp of a reading.
pub(super) fn measured(reading: &Value) -> impl Iterator<Item = String> {
    reading["governed"].as_object().into_iter().flat_map(|stamp| stamp.keys().cloned())
}

/// Whether a file that a reading of the scenario measured differs. It may have left the list since.
pub(super) fn measured_differs(base: &Tip, tip: &Tip, house: &House, scenario: &Scenario) -> bool {
    let events = house.lines.iter().filter_map(|line| event(line));
    let of_scenario = events.filter(|event| nfc(word(event, "scenario")) == nfc(&scenario.name));
    of_scenario
        .flat_map(|event| measured(&event).collect::<Vec<_>>())
        .any(|path| base.ids.get(&path) != tip.ids.get(&path))
}

fn plain(judge: &mut Judge, tip: &Tip, scenario: &Scenario, reading: &Value) -> Plain {
    let Some(anchor) = judge.tip(word(reading, "codeSha")) else { return Plain::Arguable };
    let at = |tip: &Tip, path: &String| tip.ids.get(path).map(|(_, id)| id.clone());
    let stamped = |path: &String| reading["governed"][path.as_str()].as_str();
    let text_is_same = match reading["scenarioHash"].as_str() {
        Some(hash) => sha256(scenario.text().as_bytes()) == hash,
        None => anchor.houses.values().any(|house| {
            let same = |other: &Scenario| nfc(&other.name) == nfc(&scenario.name) && other.text() == scenario.text();
            house.scenarios.iter().any(same)
        }),
    };
    // what was measured and left the list is compared, too; one that is gone may have another name now
    let left = || measured(reading).filter(|path| !scenario.code.contains(path));
    let is_proved = (reading["scenarioHash"].is_string() && !text_is_same)
        || left().any(|path| at(tip, &path).is_some_and(|is| stamped(&path) != Some(&*is)))
        || scenario.code.iter().any(|path| stamped(path).is_some_and(|was| at(tip, path).as_deref() != Some(was)));
    let is_whole = reading["scenarioHash"].is_string() && scenario.code.iter().all(|path| stamped(path).is_some());
    let has_moved = || {
        let mut unstamped = scenario.code.iter().filter(|path| stamped(path).is_none());
        unstamped.any(|path| at(&anchor, path).is_some_and(|was| at(tip, path) != Some(was)))
    };
    match () {
        () if is_proved => Plain::Stale,
        () if left().any(|path| at(tip, &path).is_none()) => Plain::Arguable,
        () if is_whole => Plain::Stands,
        // without a stamp the content of a dirty reading is not known
        () if reading["dirty"] == true || !text_is_same || has_moved() => Plain::StaleUnstamped,
        () => Plain::Arguable,
    }
}

/// The scenarios for which `fail-withdrawn` must be reported, and the names of the ones for which it may be.
pub(super) fn withdrawn(judge: &mut Judge, base: &Tip, new: &Tip) -> (BTreeSet<(String, String)>, BTreeSet<String>) {
    let (mut must, mut may) = (BTreeSet::new(), BTreeSet::new());
    let known = |line: &Vec<u8>| base.lines().any(|(_, own)| own == line);
    for (_, line) in new.lines().filter(|(_, line)| !known(line)) {
        let withdraws = |event: &Value| event["retracts"].is_string() || event["redacts"].is_string();
        may.extend(event(line).filter(withdraws).map(|event| nfc(word(&event, "scenario"))));
    }
    for (dir, house) in &base.houses {
        for scenario in &house.scenarios {
            let after = new.houses.get(dir).filter(|after| after.declares(&scenario.name) == Some(scenario));
            let Some(after) = after else { continue };
            let Stand::Fresh(reading) = stand(judge, base, house, scenario) else { continue };
            let Some(left) = effective(after, &scenario.name) else { continue };
            let is_later = |other: &&Value| word(other, "ts") >= word(&reading, "ts");
            // a later reading without a stamp may have the same content
            let speaks = |other: &Value| {
                *other == reading
                    || !other["scenarioHash"].is_string()
                    || ["governed", "scenarioHash"].iter().all(|key| other[*key] == reading[*key])
            };
            let withdraws = |event: Value| {
                let ts = word(&reading, "ts");
                word(&event, "retracts") == ts || (event["redacts"].is_string() && word(&event, "ts") == ts)
            };
            let is_withdrawn = after.lines.iter().filter_map(|line| event(line)).any(withdraws);
            let is_fail = reading["verdict"]["status"] == "fail";
            if is_fail && is_withdrawn && !left.iter().filter(is_later).any(speaks) {
                must.insert((dir.clone(), scenario.name.clone()));
            }
        }
    }
    (must, may)
}
