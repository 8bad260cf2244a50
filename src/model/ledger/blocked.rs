//! The decision `blocked`: a scenario could not be measured here, with evidence of the attempt. It is no reading and has no
//! verdict; an older program keeps and ignores it. What stood there is stamped as in a reading, so it is read into one: the
//! line holds as long as that content stands.

use super::fields::{Field, compact, hash};
use super::measures;
use super::reading::{self, EvidenceItem, stamp_value, units_value};
use super::tested;
use super::{MAX_WRITTEN_LINE, Reading};
use crate::text::json::Json;
use serde::Serialize;
use std::collections::BTreeMap;

/// The kind of such a decision.
pub(super) const BLOCKED: &str = "blocked";

/// Adds to a bare `attempt` what an object says of the content that was there; the faults go to `wrong`.
pub(super) fn read(object: &Json<'_>, mut attempt: Reading, wrong: &mut Vec<String>) -> Box<Reading> {
    attempt.scenario_hash = counted(hash(object, "scenarioHash"), wrong);
    attempt.governed = counted(reading::governed(object), wrong);
    attempt.dirty = counted(reading::dirty(object), wrong);
    attempt.evidence = counted(reading::evidence(object), wrong);
    attempt.test = counted(tested::read(object), wrong);
    let (measures, units) = measures::read(object);
    wrong.extend(measures.wrong);
    attempt.units = units;
    attempt.terms = super::terms::read(object);
    wrong.append(&mut attempt.terms.wrong);
    if attempt.evidence.is_empty() && wrong.is_empty() {
        wrong.push(format!("a decision `{BLOCKED}` needs \"evidence\" of the attempt"));
    }
    Box::new(attempt)
}

fn counted<T: Default>(found: Field<T>, wrong: &mut Vec<String>) -> T {
    measures::counted(found, wrong)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BlockedLine<'r> {
    decision: &'static str,
    scenario: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<&'r str>,
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    governed: Option<BTreeMap<&'r str, String>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    units: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario_hash: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dirty: bool,
    evidence: Vec<EvidenceItem>,
    by: Option<&'r str>,
    ts: String,
}

/// The line, without its line end; the stamp is left out of a line that would be too long.
pub(super) fn encode(attempt: &Reading, reason: Option<&str>, by: Option<&str>) -> String {
    let governed = attempt.governed.as_ref().and_then(stamp_value);
    let units = governed.as_ref().and_then(|_| units_value(attempt)).unwrap_or_default();
    let mut line = BlockedLine {
        decision: BLOCKED,
        scenario: &attempt.scenario,
        env: attempt.terms.env.as_ref().map(|env| env.as_str()),
        reason,
        commit: attempt.code_sha.map(|id| id.to_string()),
        governed,
        units,
        test: attempt.test.as_ref().and_then(tested::written),
        scenario_hash: attempt.scenario_hash.map(|hash| hash.to_string()),
        dirty: attempt.dirty,
        evidence: attempt.evidence.iter().map(EvidenceItem::of).collect(),
        by,
        ts: attempt.ts.to_string(),
    };
    let text = compact(&line);
    if text.len() <= MAX_WRITTEN_LINE {
        return text;
    }
    line.governed = None;
    line.units.clear();
    compact(&line)
}
