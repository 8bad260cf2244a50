//! A redaction: what stands in place of a line whose words had to go, a secret or a name (formats.md, "A retraction and a
//! redaction").

use super::Timestamp;
use super::fields::{Field, compact, hash_value, present, required, scenario, text, time};
use super::redacted::{self, Redacted, UsedKey};
use crate::text::json::Json;
use serde::Serialize;

/// Every key of its line, in the order in which they are written.
pub(super) const KEYS: &[&str] = &["redacts", "scenario", "ts", "usedKey", "reason", "by"];

/// What stands in place of a line: the reading that it was counts no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The line, and why it had to go.
    pub redacted: Redacted,
    /// The scenario that the line spoke of.
    pub scenario: String,
    /// The time that the line carried.
    pub ts: Timestamp,
    /// The key that the line used: it stays used up.
    pub used: Option<UsedKey>,
    /// Who replaced it.
    pub by: Option<String>,
}

/// The redaction that `object` is.
pub(super) fn read(object: &Json<'_>) -> Field<Redaction> {
    Ok(Redaction {
        redacted: redacted::read(object, required(object, "redacts")?)?,
        scenario: scenario(object)?,
        ts: time(object, "ts")?,
        used: present(object, "usedKey")
            .map(|hash| hash_value("usedKey", hash))
            .transpose()?
            .map(|hash| UsedKey(hash.0)),
        by: text(object, "by")?,
    })
}

#[derive(Serialize)]
struct RedactionLine<'r> {
    redacts: String,
    scenario: &'r str,
    ts: String,
    #[serde(rename = "usedKey", skip_serializing_if = "Option::is_none")]
    used: Option<String>,
    reason: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'r str>,
}

/// The line of a redaction, without its line end.
pub fn encode_redaction(redaction: &Redaction) -> String {
    compact(&RedactionLine {
        redacts: redaction.redacted.line.to_string(),
        scenario: &redaction.scenario,
        ts: redaction.ts.to_string(),
        used: redaction.used.map(|used| used.to_string()),
        reason: &redaction.redacted.reason,
        by: redaction.by.as_deref(),
    })
}
