//! What the gates are asked about: one node as a view shows it, as plain data. Whoever reads a view fills it in; from here on
//! nothing is read.

use super::decisions::GoalDecisions;
use crate::engine::budget::FiledAt;
use crate::model::ledger::{EvidenceHash, Measures};
use crate::text::markers::{Marked, Shown};
use crate::text::number::Finite;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// A node as a view shows it.
#[derive(Clone, Debug)]
pub struct GoalFacts {
    /// The node as an argument of a command.
    pub node: String,
    /// Its declared scenarios, in their order.
    pub scenarios: Vec<MeasuredScenario>,
    /// A tracked file for each criterion that asks for one and has it, by the criterion's id.
    pub files: BTreeMap<String, String>,
    /// The files that nearly match, for each criterion that asks for one and has none.
    pub near: BTreeMap<String, Vec<String>>,
    /// The directory of its reports, in which artifacts are looked for as well.
    pub reports: RepoPath,
    /// The ids of the criteria for which a reading that was not withdrawn has shown something, whether or not it counts now.
    pub shown: BTreeSet<String>,
    /// What is wrong with its ledgers.
    pub unsound: Vec<UnsoundLedger>,
    /// What was decided about its goal.
    pub decisions: GoalDecisions,
    /// The digest of the readings that count.
    pub readings: EvidenceHash,
}

/// A declared scenario and the reading of it that counts.
#[derive(Clone, Debug)]
pub struct MeasuredScenario {
    /// Its name, as declared.
    pub name: String,
    /// The latest reading that was not withdrawn.
    pub reading: Option<GoalReading>,
}

/// A reading, as far as a goal asks.
#[derive(Clone, Debug)]
pub struct GoalReading {
    /// When and where it was filed.
    pub at: FiledAt,
    /// Who measured.
    pub by: Option<String>,
    /// Whether it still speaks for the view.
    pub freshness: GoalFreshness,
    /// What counts as its verdict.
    pub outcome: GoalOutcome,
    /// Whether it names evidence at all.
    pub has_evidence: bool,
    /// What its line records.
    pub records: Measures,
    /// What its bytes say.
    pub bytes: GoalBytes,
    /// The artifacts whose bytes are not here.
    pub absent: BTreeSet<RepoPath>,
    /// Whether a push adds it and the bytes of it are not all here.
    pub is_unheld: bool,
}

/// Whether a reading speaks for a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalFreshness {
    /// It does.
    Fresh,
    /// It does not: what moved.
    Stale(String),
    /// Nobody can tell: why.
    Unknown(String),
}

/// The verdict that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalOutcome {
    /// It was as expected.
    Pass,
    /// It was not.
    Fail,
    /// It cost more than is allowed, or one before it did and that stands.
    Breach,
    /// It says none, as readings did before there were verdicts.
    Unsaid,
}

/// A number with its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalNumber {
    /// The number.
    pub value: Finite,
    /// Its unit; nothing where it has none.
    pub unit: Option<String>,
}

/// What the bytes of a reading say.
#[derive(Clone, Debug, PartialEq)]
pub enum GoalBytes {
    /// It has no text.
    NoText,
    /// Not all of its texts are here.
    Absent,
    /// They are here, and say this.
    Say(Shown),
    /// Bytes are here that do not have their name.
    Corrupt(String),
}

/// What makes a ledger no ground to stand on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsoundLedger {
    /// A committed line is gone or was edited: what still has it.
    Lost {
        /// The ledger.
        ledger: String,
        /// A revision that still has it.
        from: String,
    },
    /// A line that is none, at `ledger:line`.
    Malformed(String),
    /// Two readings used one key for different things.
    KeyConflict {
        /// Of which scenario.
        scenario: String,
        /// The time of the later one.
        ts: String,
    },
}

impl GoalReading {
    /// Whether it speaks for the view.
    pub fn is_fresh(&self) -> bool {
        self.freshness == GoalFreshness::Fresh
    }

    /// Whether its bytes are not here to say it again.
    pub fn is_unverified(&self) -> bool {
        // of what does not count the bytes are not asked for
        self.is_fresh() && self.bytes == GoalBytes::Absent
    }

    /// The number of a metric, as its line records it.
    pub fn number(&self, metric: &str) -> Option<GoalNumber> {
        number(&self.records.marked, metric)
    }

    /// How what its bytes say differs from what its line records; nothing where they agree or cannot be asked. What only the
    /// bytes say does not count where the line is older than its contract and records nothing of them; what only the line
    /// says was said at filing, and is told apart elsewhere.
    pub fn mismatch(&self) -> Option<String> {
        let GoalBytes::Say(Shown { marked: bytes, absent, .. }) = &self.bytes else { return None };
        let records = &self.records.marked;
        // a metric that its text shows without a number has none, whoever says one
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
