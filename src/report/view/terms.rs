//! How a reading was filed, in the form that all formats share.

use crate::finding::Spent;
use serde::Serialize;

/// The terms of a reading. Keys without a value are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct TermsRow {
    /// What speaks for it: `claimed`, `observed`, `signed` or `independent`.
    pub grade: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<HowRow>,
    /// Its idempotency key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Spent>,
    /// The environment that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<RunCountsRow>,
}

/// The runs of a reading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RunCountsRow {
    pub pass: u32,
    pub of: u32,
    /// sha256 of the report that says them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// The report of a coding agent's harness about the command that measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct HowRow {
    /// `observed`.
    pub kind: &'static str,
    pub harness: String,
    pub command: String,
    pub exit: i64,
    /// sha256 of its output; `None` if the harness did not hand it over.
    pub output: Option<String>,
    /// When the report arrived.
    pub at: String,
}

/// The owner of a key who signed a reading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SignerRow {
    /// The names of the key.
    pub principal: String,
    /// `person`, `agent` or `ci`; `None` if the policy gives the key no role.
    pub role: Option<&'static str>,
    /// The fingerprint of the key.
    pub key: String,
    /// When the signature was made.
    pub ts: String,
    /// Whether the owner wrote nothing that was measured; `None` if git cannot tell.
    pub independent: Option<bool>,
}

/// Whether a scenario has the trust that the policy asks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PolicyRow {
    /// `None` if the signatures could not be verified.
    pub met: Option<bool>,
    /// What is asked for, for example `an independent pass`.
    pub need: String,
    /// Why it is not met.
    pub why: Option<String>,
}

impl PolicyRow {
    /// Why a scenario lacks trust, in a sentence; `None` if it does not, or if that could not be judged.
    pub(crate) fn lack(&self) -> Option<String> {
        let why = self.why.as_ref().filter(|_| self.met == Some(false))?;
        Some(format!("{why}, and yatsu.trust asks for {}", self.need))
    }
}

impl TermsRow {
    /// The grade behind a verdict, for people, for example ` observed`. Empty for a claim, because every reading is one.
    pub(crate) fn grade_word(&self) -> String {
        if self.grade == "claimed" { String::new() } else { format!(" {}", self.grade) }
    }
}
