//! Goals, as rows to print.

use crate::features::goals::model::trust_gate::TrustGate;
use crate::finding::{NodeRef, json};
use crate::report::view::receipt::recorded;
use crate::text::number::Finite;
use serde::{Serialize, Serializer};

/// A node's goal with the results of both gates.
#[derive(Clone, Debug)]
pub(crate) struct GoalRow {
    pub node: NodeRef,
    /// The goal, for people; `None` without a contract.
    pub text: Option<String>,
    /// `SUCCESS`, `PARTIAL`, `BLOCKED`, `NO_CONTRACT` or `INVALID`.
    pub status: &'static str,
    /// Whether nothing needs to be done.
    pub is_fine: bool,
    /// Both gates; `None` without a contract that can be read.
    pub gates: Option<GatesRow>,
    /// What prevents success, one sentence each.
    pub blockers: Vec<String>,
    /// What to do next.
    pub next: Vec<NextStep>,
    /// The claim of completion that is in force.
    pub completed: Option<Completion>,
}

/// A claim that the goal is reached.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Completion {
    pub by: String,
    /// When, as the ledger spells it.
    pub ts: String,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NextStep {
    /// The step, in one sentence.
    pub said: String,
    /// The command that does it, if there is one.
    pub command: Option<String>,
}

impl NextStep {
    /// The sentence and its command in one line.
    pub(crate) fn sentence(&self) -> String {
        self.command.as_ref().map_or_else(|| self.said.clone(), |command| format!("{} {command}", self.said))
    }
}

/// The results of both gates.
#[derive(Clone, Debug)]
pub(crate) struct GatesRow {
    /// The hash of the contract's content.
    pub contract: String,
    /// The digest of the readings that count.
    pub readings: String,
    pub trust: TrustGate,
    /// `MET`, `NOT_MET` or `BLOCKED`.
    pub goal: &'static str,
    /// The criteria in the order of the contract.
    pub criteria: Vec<CriterionRow>,
    /// `ACCEPT`, `PIVOT`, `REWORK` or `ESCALATE`.
    pub action: &'static str,
    /// The number of the current attempt.
    pub attempt: u32,
    /// How many attempts are allowed.
    pub max_attempts: u32,
    /// Whether attempts were counted before under another content of the contract.
    pub restarted: bool,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CriterionRow {
    pub id: String,
    pub passed: bool,
    /// `MET`, `NOT_MET` or `UNKNOWN`.
    pub status: &'static str,
    /// What the criterion asks for, in a few words.
    pub asks: String,
    /// Its description, for people.
    #[serde(skip)]
    pub description: Option<String>,
    /// The value that was found.
    pub actual: Option<ActualValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The value that is wanted.
    pub target: Option<ActualValue>,
    /// The distance between both.
    pub gap: Option<Finite>,
    /// Why it is not met; empty if it is met.
    #[serde(serialize_with = "filled")]
    pub reason: String,
    /// The scenario with the reading that decided it.
    pub scenario: Option<String>,
    /// The time of that reading.
    pub reading: Option<String>,
    /// Whether it depends on evidence that is not in this clone.
    #[serde(rename = "unverified")]
    pub is_unverified: bool,
}

/// A text, or `null` if it is empty.
fn filled<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    Some(text).filter(|text| !text.is_empty()).serialize(to)
}

/// A value that a criterion found or wants.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ActualValue {
    Number(Finite),
    Count(u64),
    /// A marker, a file or a pattern.
    Named(String),
}

/// A decision that was requested.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DecisionRow {
    /// Its kind.
    pub decision: &'static str,
    /// Whether a line was written; `false` if the ledger had the decision already.
    #[serde(rename = "outcome", serialize_with = "recorded")]
    pub is_new: bool,
    #[serde(serialize_with = "json::dir")]
    pub node: NodeRef,
    pub ledger: String,
    /// The hash of the contract's content.
    pub contract: String,
    /// The digest of the readings.
    pub readings: String,
    /// A review's score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who decided.
    pub by: String,
    /// When, as the ledger spells it.
    pub ts: String,
}
