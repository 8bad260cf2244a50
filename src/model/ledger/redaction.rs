//! A redaction: the replacement of a line with words that had to go, for example a secret or a name (formats.md, "A
//! retraction and a redaction").

use super::Timestamp;
use super::fields::{Field, compact, hash, required, scenario, text, time};
use super::redacted::{self, Redacted, UsedKey};
use crate::text::json::Json;
use serde::Serialize;

/// The replacement of a line. The replaced reading no longer counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The replaced line, and the reason.
    pub redacted: Redacted,
    pub(crate) scenario: String,
    /// The time of the replaced line.
    pub ts: Timestamp,
    /// The key of the replaced line: it stays used up.
    pub used: Option<UsedKey>,
    /// The person who replaced it.
    pub by: Option<String>,
}

pub(super) fn read(object: &Json<'_>) -> Field<Redaction> {
    Ok(Redaction {
        redacted: redacted::read(object, required(object, "redacts")?)?,
        scenario: scenario(object)?,
        ts: time(object, "ts")?,
        used: hash(object, "usedKey")?.map(|hash| UsedKey(hash.0)),
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
