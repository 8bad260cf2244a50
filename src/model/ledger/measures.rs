//! The measured values of a reading: metrics with their units, markers, findings, and artifacts by hash (formats.md, "What
//! was measured"). Like the terms, these keys were added after the first ledgers. So a wrong value never makes an old line
//! unreadable: it counts for nothing, and is reported if a change adds it.
//!
//! The key `units` has two meanings. A member with a `#` in its name that is no metric is a unit of a source file, which
//! belongs to the stamp. Every other member is the unit of a metric.

use super::fields::{Field, bad, hash_value, plain_path, present, string, wrong_type};
use super::{EvidenceHash, StampedUnit};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue, Member};
use crate::text::markers::{FindingCounts, MAX_MARKED, Marked, MarkerName, metric_name, unit};
use crate::text::number::Finite;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a reading that a goal contract uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// The content of its transcript, and metrics from the command line.
    pub marked: Marked,
    /// Files that it produced, by name, with the sha256 of their bytes. The bytes are in the cache as `data`.
    pub artifacts: BTreeMap<RepoPath, EvidenceHash>,
    /// The faults of present values that count for nothing; one sentence each.
    pub wrong: Vec<String>,
}

/// The keys, in writing order.
const KEYS: [&str; 5] = ["metrics", "units", "markers", "findings", "artifacts"];

/// The keys of `findings`, in writing order.
const COUNTS: [&str; 5] = ["total", "verified", "shared", "withoutCi", "withoutEffect"];

/// The units of source files by their selectors, each with the object id of its bytes.
type StampedUnits = BTreeMap<StampedUnit, Oid>;

/// The measures in `object`, and the units of source files among its `units`; never fails.
pub(super) fn read(object: &Json<'_>) -> (Measures, StampedUnits) {
    let mut wrong = Vec::new();
    let metrics = counted(metrics(object), &mut wrong);
    let stamped = counted(stamped_units(object, &metrics), &mut wrong);
    let units = counted(units(object, &metrics), &mut wrong);
    let markers = counted(markers(object), &mut wrong);
    let findings = counted(findings(object), &mut wrong);
    let artifacts = counted(artifacts(object), &mut wrong);
    (Measures { marked: Marked { metrics, units, markers, findings }, artifacts, wrong }, stamped)
}

/// The value of a field; for a bad one nothing, and its fault in `wrong`.
pub(super) fn counted<T: Default>(found: Field<T>, wrong: &mut Vec<String>) -> T {
    found.unwrap_or_else(|bad| {
        wrong.push(bad.message);
        T::default()
    })
}

/// The members of an object, at most [`MAX_MARKED`]; none if the key is missing.
fn members<'j, 't>(object: &'j Json<'t>, key: &'static str) -> Field<&'j [Member<'t>]> {
    let members = all_members(object, key)?;
    present(object, key).map_or(Ok(()), |value| within_limit(key, members.len(), value))?;
    Ok(members)
}

/// The same without a limit.
fn all_members<'j, 't>(object: &'j Json<'t>, key: &'static str) -> Field<&'j [Member<'t>]> {
    let Some(value) = present(object, key) else { return Ok(&[]) };
    let JsonValue::Object(members) = &value.value else { return Err(wrong_type(key, "an object", value)) };
    Ok(members)
}

fn within_limit(key: &str, count: usize, value: &Json<'_>) -> Field<()> {
    if count > MAX_MARKED {
        return Err(bad("limit", value, format!("\"{key}\" has {count} entries; the limit is {MAX_MARKED}")));
    }
    Ok(())
}

fn metrics(object: &Json<'_>) -> Field<BTreeMap<String, Finite>> {
    let metric = |(name, value): &Member<'_>| {
        if metric_name(name).as_deref() != Some(name) {
            return Err(no_name(KEYS[0], name, value));
        }
        let number = match value.value {
            JsonValue::Number(text) => Finite::parse(text),
            _ => None,
        };
        let number = number.ok_or_else(|| {
            let message = format!("\"metrics\": {} must be a finite number, not {}", echo(name), value.type_name());
            bad("metric", value, message)
        })?;
        Ok((name.to_string(), number))
    };
    members(object, KEYS[0])?.iter().map(metric).collect()
}

/// A name in another spelling would be a different metric for readers that compare bytes.
fn no_name(key: &str, name: &str, value: &Json<'_>) -> super::fields::BadField {
    let message =
        format!("\"{key}\": `{}` is no name in lower case, with `_` for `-`, of at most 128 bytes", echo(name));
    bad("metric-name", value, message)
}

fn units(object: &Json<'_>, metrics: &BTreeMap<String, Finite>) -> Field<BTreeMap<String, String>> {
    let of_metric = |(name, value): &Member<'_>| {
        let text = string(KEYS[1], value)?;
        if !metrics.contains_key(&**name) {
            let message = format!("\"units\" has {}, and \"metrics\" has no value for it", echo(name));
            return Err(bad("unit", value, message));
        }
        if unit(text).is_none() {
            let message =
                format!("\"units\": {} must be one word of letters, % and /, not \"{}\"", echo(name), echo(text));
            return Err(bad("unit", value, message));
        }
        Ok((name.to_string(), text.to_owned()))
    };
    let of_metrics = all_members(object, KEYS[1])?.iter().filter(|(name, _)| !is_selector(name, metrics));
    let units: BTreeMap<_, _> = of_metrics.map(of_metric).collect::<Field<_>>()?;
    present(object, KEYS[1]).map_or(Ok(()), |value| within_limit(KEYS[1], units.len(), value))?;
    Ok(units)
}

/// Whether a member of `units` is a unit of a source file.
fn is_selector(name: &str, metrics: &BTreeMap<String, Finite>) -> bool {
    name.contains('#') && !metrics.contains_key(name)
}

fn stamped_units(object: &Json<'_>, metrics: &BTreeMap<String, Finite>) -> Field<StampedUnits> {
    let unit = |(name, value): &Member<'_>| {
        let unit = StampedUnit::parse(name).ok_or_else(|| {
            let message = format!("\"units\": `{}` is no selector: a plain path, `#`, a symbol", echo(name));
            bad("unit-selector", value, message)
        })?;
        let text = string(KEYS[1], value)?;
        let id = Oid::from_hex(text.as_bytes()).ok_or_else(|| {
            let message = format!("\"units\": {} must have a full object id, not \"{}\"", echo(name), echo(text));
            bad("unit-id", value, message)
        })?;
        Ok((unit, id))
    };
    // a value that is no object is reported for the units of metrics
    let members = all_members(object, KEYS[1]).unwrap_or_default();
    members.iter().filter(|(name, _)| is_selector(name, metrics)).map(unit).collect()
}

fn markers(object: &Json<'_>) -> Field<BTreeSet<MarkerName>> {
    let Some(value) = present(object, KEYS[2]) else { return Ok(BTreeSet::new()) };
    let JsonValue::Array(items) = &value.value else { return Err(wrong_type(KEYS[2], "a list of strings", value)) };
    within_limit(KEYS[2], items.len(), value)?;
    items.iter().map(marker).collect()
}

fn marker(item: &Json<'_>) -> Field<MarkerName> {
    let text = string(KEYS[2], item)?;
    MarkerName::parse(text).filter(|marker| marker.to_string() == text).ok_or_else(|| {
        let message = format!("\"markers\" must list NAME or NAME:subtype, not \"{}\"", echo(text));
        bad("marker", item, message)
    })
}

fn findings(object: &Json<'_>) -> Field<FindingCounts> {
    let Some(value) = present(object, KEYS[3]) else { return Ok(FindingCounts::default()) };
    let JsonValue::Object(members) = &value.value else { return Err(wrong_type(KEYS[3], "an object", value)) };
    if let Some((key, value)) = members.iter().find(|(key, _)| !COUNTS.contains(&&**key)) {
        return Err(bad(
            "findings",
            value,
            format!("\"findings\" has {}; its keys are {}", echo(key), COUNTS.join(", ")),
        ));
    }
    let count = |key: &str| match value.get(key).map(|value| &value.value) {
        Some(JsonValue::Number(text)) => text.parse().ok(),
        _ => None,
    };
    let counts = || {
        let [total, verified, shared, without_ci, without_effect] = COUNTS.map(count);
        let (total, verified, shared) = (total?, verified?, shared?);
        Some(FindingCounts { total, verified, shared, without_ci: without_ci?, without_effect: without_effect? })
    };
    counts().filter(FindingCounts::is_possible).ok_or_else(|| {
        let message = format!("\"findings\" needs {}, whole numbers that can stand together", COUNTS.join(", "));
        bad("findings", value, message)
    })
}

fn artifacts(object: &Json<'_>) -> Field<BTreeMap<RepoPath, EvidenceHash>> {
    let artifact = |(name, value): &Member<'_>| {
        let path = plain_path(name).ok_or_else(|| {
            let message = format!("\"artifacts\": \"{}\" is not a plain path inside a repository", echo(name));
            bad("artifact-name", value, message)
        })?;
        Ok((path, hash_value(KEYS[4], value)?))
    };
    members(object, KEYS[4])?.iter().map(artifact).collect()
}

/// The keys as written in a line.
#[derive(Serialize)]
pub(super) struct MeasuresValue<'r> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metrics: &'r BTreeMap<String, Finite>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    units: BTreeMap<Cow<'r, str>, Cow<'r, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    markers: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<FindingCounts>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    artifacts: BTreeMap<String, String>,
}

impl MeasuresValue<'_> {
    /// Leaves out the units of source files.
    pub(super) fn omit_selectors(&mut self) {
        self.units.retain(|name, _| !is_selector(name, self.metrics));
    }
}

/// The written form of `measures`, with the units of source files among the units of metrics, spelled as in the stamp.
pub(super) fn value(measures: &Measures, stamped: BTreeMap<String, String>) -> MeasuresValue<'_> {
    let Marked { metrics, units, markers, findings } = &measures.marked;
    let of_metrics = units.iter().map(|(name, unit)| (name.as_str().into(), unit.as_str().into()));
    // a metric of the same name would be taken for it
    let stamped = stamped.into_iter().filter(|(name, _)| is_selector(name, metrics));
    MeasuresValue {
        metrics,
        units: of_metrics.chain(stamped.map(|(name, id)| (name.into(), id.into()))).collect(),
        markers: markers.iter().map(MarkerName::to_string).collect(),
        findings: Some(*findings).filter(|findings| findings.total > 0),
        artifacts: measures.artifacts.iter().map(|(name, hash)| (name.to_string(), hash.to_string())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::{Reading, encode_reading, parse};

    const LINE: &str = r#"{"scenario":"s","codeSha":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","blob":null,"verdict":{"status":"pass"},"metrics":{"accuracy":0.92,"latency":1200,"p":1e-7},"units":{"latency":"ms"},"markers":["CONCLUSION","METRIC:accuracy"],"findings":{"total":3,"verified":2,"shared":2,"withoutCi":1,"withoutEffect":0},"artifacts":{"models/m.pkl":"9b01f58abd6b88d720829d7ec45e313449c1516f4a88e8dee0e8dc06795b805e"},"ts":"2026-01-01T00:00:00.000Z"}"#;

    fn reading(line: &str) -> Reading {
        let ledger = parse(&RepoPath::root(), line.as_bytes());
        assert_eq!(ledger.problems, []);
        let Some(reading) = ledger.lines[0].event.reading() else { panic!("a reading") };
        reading.clone()
    }

    #[test]
    fn what_is_written_of_the_measures_is_what_was_read() {
        let read = reading(LINE);
        assert_eq!(read.measures.wrong, [""; 0]);
        assert_eq!(read.measures.marked.metrics["accuracy"], Finite::new(0.92).unwrap());
        assert_eq!(read.measures.marked.findings.verified, 2);
        assert_eq!(encode_reading(&read), LINE);
    }

    #[test]
    fn a_wrong_measure_counts_for_nothing_and_leaves_the_reading_as_it_is() {
        for (from, to, said) in [
            ("0.92", "\"0.92\"", "accuracy must be a finite number, not a string"),
            ("0.92", "null", "accuracy must be a finite number, not null"),
            ("0.92", "1e-999", "accuracy must be a finite number"),
            ("\"accuracy\":", "\"Accuracy\":", "`Accuracy` is no name"),
            ("\"p\":1e-7", "\"a-b\":1", "`a-b` is no name"),
            ("\"latency\":\"ms\"", "\"p9\":\"ms\"", "\"metrics\" has no value"),
            ("\"ms\"", "\"m s\"", "must be one word"),
            ("\"ms\"", "5", "\"units\" must be a string"),
            ("\"CONCLUSION\"", "\"conclusion\"", "must list NAME"),
            ("[\"CONCLUSION\",\"METRIC:accuracy\"]", "\"CONCLUSION\"", "\"markers\" must be a list"),
            ("\"total\":3", "\"total\":2", "that can stand together"),
            ("\"shared\":2", "\"shared\":3", "that can stand together"),
            ("\"shared\":2", "\"shared\":-1", "whole numbers"),
            ("\"shared\":2", "\"others\":2", "\"findings\" has others"),
            ("\"shared\":2,", "", "\"findings\" needs total"),
            ("models/m.pkl", "../m.pkl", "is not a plain path"),
            ("models/m.pkl", "/m.pkl", "is not a plain path"),
            ("models/m.pkl", "./m.pkl", "is not a plain path"),
            ("9b01f58", "9B01F58", "must be a sha256"),
        ] {
            assert!(LINE.contains(from), "{from}");
            let read = reading(&LINE.replacen(from, to, 1));
            let wrong = &read.measures.wrong;
            assert!(wrong[0].contains(said), "{to}: {wrong:?}");
            assert_eq!((&*read.scenario, read.terms.wrong.len()), ("s", 0));
        }
        assert_eq!(reading(&LINE.replace("0.92", "null")).measures.marked.metrics.len(), 0, "all or none of a key");
    }

    #[test]
    fn more_than_the_limit_is_wrong_with_the_count() {
        let many = |count: usize| (0..count).map(|n| format!("\"m{n}\":1")).collect::<Vec<_>>().join(",");
        let with =
            |count: usize| LINE.replace("\"latency\":1200,\"p\":1e-7", &format!("\"latency\":1,{}", many(count - 2)));
        assert_eq!(reading(&with(256)).measures.marked.metrics.len(), 256);
        assert!(reading(&with(257)).measures.wrong[0].contains("\"metrics\" has 257 entries; the limit is 256"));
    }
}
