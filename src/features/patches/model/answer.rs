//! Patches, as rows to print.

use crate::finding::NodeRef;
use crate::report::view::receipt::recorded;
use serde::Serialize;

/// A branch and its state.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PatchRow {
    pub branch: String,
    /// Its state, as the lifecycle spells it.
    pub state: &'static str,
    /// Its tip: a full commit id.
    pub tip: String,
    /// The full id of the commit where it left the main branch; `None` if that is not known.
    pub base: Option<String>,
    pub main: String,
    pub touches: Vec<TouchRow>,
    /// How many files differ between base and tip.
    pub files: usize,
    /// The paths that a merge could not settle.
    pub conflicts: Vec<String>,
    pub decisions: Vec<DecidedRow>,
    /// How it came into the main branch.
    pub promotion: Option<&'static str>,
    /// The proof that speaks for promoting it.
    pub proof: Option<&'static str>,
    /// The states that may come next.
    pub next: Vec<&'static str>,
    /// Why it is in this state, in one sentence.
    pub reason: String,
}

/// A touched scenario.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TouchRow {
    #[serde(flatten)]
    pub node: NodeRef,
    pub scenario: String,
    /// The latest reading.
    #[serde(rename = "reading")]
    pub eval: Option<EvalRow>,
    /// The governed paths that moved on the main branch.
    pub moved: Vec<String>,
}

/// The reading of a touched scenario.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EvalRow {
    /// When it was filed.
    pub ts: String,
    pub ledger: String,
    /// Its physical line.
    pub line: u32,
    /// Who measured.
    pub by: Option<String>,
    /// Whether it is fresh at the tip.
    #[serde(rename = "fresh")]
    pub is_fresh: bool,
    /// Whether it was filed on the branch.
    #[serde(rename = "here")]
    pub is_own: bool,
    /// Whether the verdict that counts is a pass.
    #[serde(rename = "pass")]
    pub is_pass: bool,
}

/// A decision in a ledger.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DecidedRow {
    /// `approve` or `reject`.
    pub decision: &'static str,
    /// The directory of the node with this ledger.
    pub node: String,
    /// When it was filed.
    pub ts: String,
    /// Who decided.
    pub by: String,
    pub reason: String,
    /// The tip that it is about.
    pub commit: Option<String>,
    /// Whether it is about the current content of the tip.
    #[serde(rename = "current")]
    pub is_current: bool,
}

/// The result of a decision verb.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PatchDecisionRow {
    /// `approve` or `reject`.
    pub decision: &'static str,
    /// Whether anything was written.
    #[serde(rename = "outcome", serialize_with = "recorded")]
    pub is_new: bool,
    pub branch: String,
    /// Its tip.
    pub commit: String,
    /// The ledgers with the decision.
    pub ledgers: Vec<String>,
    pub reason: String,
    /// Who decided.
    pub by: String,
    pub ts: String,
}
