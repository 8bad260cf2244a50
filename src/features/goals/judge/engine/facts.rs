//! The input of the gates: one node in a view, as plain data. The `collect` module fills it in; the gates read nothing
//! else.

use super::decisions::GoalDecisions;
use crate::engine::budget::FiledAt;
use crate::model::ledger::{EvidenceHash, Measures};
use crate::text::markers::{Marked, Shown};
use crate::text::number::Finite;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq)]
pub struct GoalFacts {
    /// The node as an argument of a command.
    pub node: String,
    /// Its declared scenarios, in their order.
    pub scenarios: Vec<MeasuredScenario>,
    /// A tracked file for each criterion that needs one and has it, by the criterion's id.
    pub files: BTreeMap<String, String>,
    /// The near matches for each criterion that needs a file and has none.
    pub near: BTreeMap<String, Vec<String>>,
    /// The directory of its reports, which may also hold artifacts.
    pub reports: RepoPath,
    /// The ids of the criteria with a value in any reading that was not withdrawn, whether or not the reading counts now.
    pub shown: BTreeSet<String>,
    /// The defects of its ledgers.
    pub unsound: Vec<UnsoundLedger>,
    pub decisions: GoalDecisions,
    /// The digest of the readings that count.
    pub readings: EvidenceHash,
}

/// A declared scenario and its reading that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredScenario {
    pub name: String,
    /// The reading that counts, if there is one.
    pub reading: Option<GoalReading>,
}

/// The parts of a reading that a goal needs.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalReading {
    /// The time and place of its line.
    pub at: FiledAt,
    pub by: Option<String>,
    pub freshness: GoalFreshness,
    pub outcome: GoalOutcome,
    pub has_evidence: bool,
    pub records: Measures,
    pub bytes: GoalBytes,
    /// The artifacts without bytes here.
    pub absent: BTreeSet<RepoPath>,
    /// Whether a push adds it and some of its bytes are not here.
    pub is_unheld: bool,
}

/// The freshness of a reading in a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalFreshness {
    Fresh,
    /// Stale; holds the cause.
    Stale(String),
    /// Unknown; holds the reason.
    Unknown(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalOutcome {
    /// The result was the expected one.
    Pass,
    /// The result was not the expected one.
    Fail,
    /// It, or an earlier reading with a standing breach, cost more than is allowed.
    Breach,
    /// No verdict, because it is older than verdicts.
    Unsaid,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GoalNumber {
    pub value: Finite,
    pub unit: Option<String>,
}

/// The content of a reading's bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum GoalBytes {
    NoText,
    /// Some of its texts are not here.
    Absent,
    /// Its texts are here, with this content.
    Say(Shown),
    /// Some bytes do not have the hash in their name.
    Corrupt(String),
}

/// A defect that makes a ledger unsound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsoundLedger {
    /// A committed line is gone or was edited.
    Lost {
        ledger: String,
        /// A revision that still has it.
        from: String,
    },
    /// A line that is no event, at `ledger:line`.
    Malformed(String),
    /// Two readings used one key for different things.
    KeyConflict {
        scenario: String,
        /// The time of the later reading.
        ts: String,
    },
}

impl GoalReading {
    pub fn is_fresh(&self) -> bool {
        self.freshness == GoalFreshness::Fresh
    }

    /// Whether its bytes are missing, so that its values cannot be verified.
    pub fn is_unverified(&self) -> bool {
        // a stale reading does not count, and its bytes are not needed
        self.is_fresh() && self.bytes == GoalBytes::Absent
    }

    /// The number of a metric in its line.
    pub fn number(&self, metric: &str) -> Option<GoalNumber> {
        number(&self.records.marked, metric)
    }

    /// The first difference between its bytes and its line; `None` if they agree or the bytes are missing. Values only in
    /// the bytes are ignored if the line is older than its contract and records no values. Values only in the line were
    /// given at filing, and the trust gate deducts for them elsewhere.
    pub fn mismatch(&self) -> Option<String> {
        let GoalBytes::Say(Shown { marked: bytes, absent, .. }) = &self.bytes else { return None };
        let records = &self.records.marked;
        // a metric without a number in the text has no number, whatever the line says
        if let Some(name) = absent.keys().find(|name| records.metrics.contains_key(*name)) {
            return Some(format!("the metric {name}"));
        }
        let differs = |name: &&String| number(records, name).is_some_and(|said| number(bytes, name) != Some(said));
        let both = bytes.metrics.keys().find(differs);
        if let Some(name) = both {
            return Some(format!("the metric {name}"));
        }
        if records.markers.is_empty() && records.findings.total == 0 {
            return None;
        }
        if let Some(name) = bytes.metrics.keys().find(|name| !records.metrics.contains_key(*name)) {
            return Some(format!("the metric {name}"));
        }
        if let Some(marker) = bytes.markers.symmetric_difference(&records.markers).next() {
            return Some(format!("the marker {marker}"));
        }
        (bytes.findings != records.findings).then(|| "its findings".to_owned())
    }
}

fn number(marked: &Marked, metric: &str) -> Option<GoalNumber> {
    let value = *marked.metrics.get(metric)?;
    Some(GoalNumber { value, unit: marked.units.get(metric).cloned() })
}
