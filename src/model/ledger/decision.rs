//! A decision: what somebody settled about a scenario, beside measuring it (formats.md, "A decision"). Asked last, so that
//! whoever does not know decisions reads the same readings from the same bytes. A kind that nobody knows is kept and
//! ignored; one that lacks what it needs counts for nothing, and is said where a change adds it.

use super::Timestamp;
use super::fields::{Field, compact, text, time};
use crate::text::escape::echo;
use crate::text::json::Json;
use serde::Serialize;

/// Every key of its line, in the order in which they are written.
pub(super) const KEYS: &[&str] = &["decision", "scenario", "reason", "by", "ts"];

/// The kinds that are known.
const KNOWN: [&str; 9] =
    [WAIVE_BUDGET, "complete", "pivot", "rework", "block", "unblock", "review", "approve", "reject"];

/// The kind that lets recorded verdicts speak again after a breach of a budget.
const WAIVE_BUDGET: &str = "waive-budget";

/// One decision, as far as its line says it; what it lacks is in `wrong`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Its kind as spelled, also one that this version does not know.
    pub kind: String,
    /// The scenario that it is about.
    pub scenario: Option<String>,
    /// Why it was decided so; every known kind but `complete` needs it.
    pub reason: Option<String>,
    /// The person who decided, for people; nothing checks it.
    pub by: Option<String>,
    /// When; nothing where the line does not say it as it must.
    pub ts: Option<Timestamp>,
    /// What a decision of its kind must say and it does not; one sentence each.
    pub wrong: Vec<String>,
}

impl Decision {
    /// A waiver of the breaches of a scenario's budget so far.
    pub fn waive_budget(scenario: &str, reason: &str, by: &str, ts: Timestamp) -> Self {
        Self {
            kind: WAIVE_BUDGET.to_owned(),
            scenario: Some(scenario.to_owned()),
            reason: Some(reason.to_owned()),
            by: Some(by.to_owned()),
            ts: Some(ts),
            wrong: Vec::new(),
        }
    }

    /// The scenario and the time of a waiver that counts.
    pub fn waiver(&self) -> Option<(&str, Timestamp)> {
        let counts = self.kind == WAIVE_BUDGET && self.wrong.is_empty();
        counts.then_some(())?;
        Some((self.scenario.as_deref()?, self.ts?))
    }
}

/// The decision that `object` is; never fails once its kind is told.
pub(super) fn read(object: &Json<'_>) -> Field<Decision> {
    let kind = object.get("decision").and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut wrong = Vec::new();
    let mut word = |key: &'static str, is_needed: bool| {
        let found = text(object, key).unwrap_or_else(|bad| {
            wrong.push(bad.message);
            None
        });
        let blank = found.as_ref().is_some_and(|text| text.trim().is_empty());
        if blank || (is_needed && found.is_none() && object.get(key).is_none()) {
            wrong.push(format!("a decision `{}` needs \"{key}\"", echo(&kind)));
        }
        found.filter(|_| !blank)
    };
    let scenario = word("scenario", kind == WAIVE_BUDGET);
    let reason = word("reason", kind != "complete");
    let by = word("by", true);
    let ts = time(object, "ts").map_err(|bad| wrong.push(bad.message)).ok();
    if !KNOWN.contains(&&*kind) {
        wrong.clear();
    }
    Ok(Decision { kind, scenario, reason, by, ts, wrong })
}

#[derive(Serialize)]
struct DecisionLine<'r> {
    decision: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<String>,
}

/// The line of a decision, without its line end.
pub(crate) fn encode_decision(decision: &Decision) -> String {
    compact(&DecisionLine {
        decision: &decision.kind,
        scenario: decision.scenario.as_deref(),
        reason: decision.reason.as_deref(),
        by: decision.by.as_deref(),
        ts: decision.ts.map(|ts| ts.to_string()),
    })
}
