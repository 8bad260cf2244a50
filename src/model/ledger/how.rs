//! What speaks for a reading beside the word of its author: `how` (formats.md, "A reading"). As for the other terms, a wrong
//! value never makes a line unreadable: it counts for nothing, and is reported if a change adds it.

use super::fields::{Field, bad, hash, missing, present, required, string, time, wrong_type};
use super::{EvidenceHash, Timestamp};
use crate::text::json::{Json, JsonValue};
use crate::text::spelled::spelled;
use serde::Serialize;

spelled! {
    /// What speaks for a reading, from the weakest to the strongest.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Grade {
        /// Only the word of its author.
        #[default]
        Claimed = "claimed",
        /// The harness of a coding agent reported the command and its exit code.
        Observed = "observed",
        /// A key that the repository knows signed it.
        Signed = "signed",
        /// The owner of such a key wrote nothing of the measured content.
        Independent = "independent",
    }
}

/// The key in the line of a reading.
const KEY: &str = "how";
/// The one kind that this version knows.
const OBSERVED: &str = "observed";

/// The report of a coding agent's harness about the command that measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The name of the harness, for example `claude`.
    pub harness: String,
    /// The command, as the scenario declares it.
    pub command: String,
    /// Its exit code; 0 for a pass.
    pub exit: i64,
    /// sha256 of its output, if the harness handed the output over.
    pub output: Option<EvidenceHash>,
    /// When the report arrived.
    pub at: Timestamp,
}

/// The value of `how`. A kind that this version does not know is as absent.
pub(super) fn read(object: &Json<'_>) -> Field<Option<Observed>> {
    let Some(how) = present(object, KEY) else { return Ok(None) };
    if !matches!(how.value, JsonValue::Object(_)) {
        return Err(wrong_type(KEY, "an object with \"kind\"", how));
    }
    if string("kind", required(how, "kind")?)? != OBSERVED {
        return Ok(None);
    }
    let exit = required(how, "exit")?;
    Ok(Some(Observed {
        harness: word(how, "harness")?,
        command: word(how, "command")?,
        exit: exit.number().ok_or_else(|| wrong_type("exit", "a whole number", exit))?,
        output: hash(how, "output")?,
        at: time(how, "at")?,
    }))
}

fn word(object: &Json<'_>, key: &'static str) -> Field<String> {
    let value = object.get(key).ok_or_else(|| missing(key, object))?;
    let text = string(key, value)?;
    if text.trim().is_empty() { Err(bad("how", value, format!("\"{key}\" is blank"))) } else { Ok(text.to_owned()) }
}

/// The value as written in a line.
#[derive(Serialize)]
pub(super) struct HowValue<'r> {
    kind: &'static str,
    harness: &'r str,
    command: &'r str,
    exit: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    at: String,
}

/// The written form of `observed`.
pub(super) fn value(observed: &Observed) -> HowValue<'_> {
    HowValue {
        kind: OBSERVED,
        harness: &observed.harness,
        command: &observed.command,
        exit: observed.exit,
        output: observed.output.map(|hash| hash.to_string()),
        at: observed.at.to_string(),
    }
}
