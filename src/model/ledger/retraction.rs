//! A retraction: it withdraws a reading, which stays in the ledger (formats.md, "A retraction and a redaction").

use super::Timestamp;
use super::fields::{Field, compact, present, scenario, text, time};
use super::redacted::{self, Redacted};
use crate::text::json::Json;
use serde::Serialize;

/// The withdrawal of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retraction {
    pub(crate) scenario: String,
    /// The time of the withdrawn reading.
    pub retracts: Timestamp,
    /// The reason of the withdrawal, for people.
    pub note: Option<String>,
    /// The person who withdrew it, for information; never verified.
    pub by: Option<String>,
    /// The time of the withdrawal; the time of the reading is `retracts`.
    pub ts: Timestamp,
    /// The replaced line: the same retraction with words that had to go.
    pub redacted: Option<Redacted>,
}

pub(super) fn read(object: &Json<'_>) -> Field<Retraction> {
    Ok(Retraction {
        scenario: scenario(object)?,
        retracts: time(object, "retracts")?,
        note: text(object, "note")?,
        by: text(object, "by")?,
        ts: time(object, "ts")?,
        redacted: present(object, "redacts").map(|line| redacted::read(object, line)).transpose()?,
    })
}

#[derive(Serialize)]
struct RetractionLine<'r> {
    retracts: String,
    scenario: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redacts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'r str>,
    ts: String,
}

/// The line of a retraction, without its line end.
pub fn encode_retraction(retraction: &Retraction) -> String {
    compact(&RetractionLine {
        retracts: retraction.retracts.to_string(),
        scenario: &retraction.scenario,
        note: retraction.note.as_deref(),
        redacts: retraction.redacted.as_ref().map(|redacted| redacted.line.to_string()),
        reason: retraction.redacted.as_ref().map(|redacted| &*redacted.reason),
        by: retraction.by.as_deref(),
        ts: retraction.ts.to_string(),
    })
}
