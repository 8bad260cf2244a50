//! Goals, as rows for whoever prints them.

use crate::finding::NodeRef;
use crate::text::number::Finite;

/// A node's goal and what both gates say of it.
#[derive(Clone, Debug)]
pub(crate) struct GoalRow {
    /// The node.
    pub node: NodeRef,
    /// What is to be reached, for people; nothing without a contract.
    pub text: Option<String>,
    /// `SUCCESS`, `PARTIAL`, `BLOCKED`, `NO_CONTRACT` or `INVALID`.
    pub status: &'static str,
    /// Whether nothing needs to be done.
    pub is_fine: bool,
    /// Both gates; nothing without a contract that can be read.
    pub gates: Option<GatesRow>,
    /// What stands in the way, one sentence each.
    pub blockers: Vec<String>,
    /// What to do next.
    pub next: Vec<NextStep>,
    /// The claim of completion that stands: by whom, and when.
    pub completed: Option<[String; 2]>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NextStep {
    /// What, one sentence.
    pub said: String,
    /// The command that does it, where one does.
    pub command: Option<String>,
}

impl NextStep {
    /// Both in one line.
    pub(crate) fn sentence(&self) -> String {
        self.command.as_ref().map_or_else(|| self.said.clone(), |command| format!("{} {command}", self.said))
    }
}

/// What both gates say.
#[derive(Clone, Debug)]
pub(crate) struct GatesRow {
    /// The hash of the contract's content.
    pub contract: String,
    /// The digest of the readings that count.
    pub readings: String,
    /// Whether the evidence is sound enough.
    pub is_trusted: bool,
    /// Of 100.
    pub score: u32,
    /// So many are enough.
    pub threshold: u32,
    /// What costs points, or fails the gate by itself.
    pub deductions: Vec<DeductionRow>,
    /// `MET`, `NOT_MET` or `BLOCKED`.
    pub goal: &'static str,
    /// The criteria in the order of the contract.
    pub criteria: Vec<CriterionRow>,
    /// `ACCEPT`, `PIVOT`, `REWORK` or `ESCALATE`.
    pub action: &'static str,
    /// Which attempt it is.
    pub attempt: u32,
    /// So many are allowed.
    pub max_attempts: u32,
    /// Whether attempts were counted under another content before.
    pub restarted: bool,
}

/// What evidence lacks.
#[derive(Clone, Debug)]
pub(crate) struct DeductionRow {
    /// Its stable name.
    pub reason: &'static str,
    /// What it costs; nothing where it fails the gate by itself.
    pub points: Option<u32>,
    /// The scenario that it is about.
    pub scenario: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What comes before the command.
    pub first: Option<String>,
    /// The command that removes it.
    pub command: String,
}

/// One criterion.
#[derive(Clone, Debug)]
pub(crate) struct CriterionRow {
    /// Its id.
    pub id: String,
    /// What it asks for, in a few words.
    pub asks: String,
    /// What it is about, for people.
    pub description: Option<String>,
    /// `MET`, `NOT_MET` or `UNKNOWN`.
    pub status: &'static str,
    /// What was found.
    pub actual: Option<ActualValue>,
    /// What it is held against.
    pub target: Option<ActualValue>,
    /// How far it is from it.
    pub gap: Option<Finite>,
    /// Why it is not met; empty where it is.
    pub reason: String,
    /// The scenario whose reading decided it.
    pub scenario: Option<String>,
    /// The time of that reading.
    pub reading: Option<String>,
    /// Whether it rests on bytes that are not here.
    pub is_unverified: bool,
}

/// What a criterion found or wants.
#[derive(Clone, Debug)]
pub(crate) enum ActualValue {
    /// A number, with its unit.
    Number(Finite, Option<String>),
    /// So many.
    Count(u64),
    /// A marker, a file or a pattern.
    Named(String),
}

/// A decision that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct DecisionRow {
    /// Its kind.
    pub decision: &'static str,
    /// Whether a line was written; else the ledger says it already.
    pub is_new: bool,
    /// The node.
    pub node: NodeRef,
    /// The ledger.
    pub ledger: String,
    /// The hash of the contract's content.
    pub contract: String,
    /// The digest of the readings.
    pub readings: String,
    /// A review's score.
    pub score: Option<u8>,
    /// Why.
    pub reason: Option<String>,
    /// Who decided.
    pub by: String,
    /// When, as the ledger spells it.
    pub ts: String,
}
