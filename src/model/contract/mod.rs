//! Goal contracts: when the work on a node is enough, written down beforehand (formats.md, "The goal contract"). Input: the
//! value of `goal_contract:` in a scenario file. Output: a valid [`Contract`], or every violation. Judges nothing.

mod canonical;
mod criterion;
mod pattern;
mod read;
#[cfg(test)]
mod tests;
pub(in crate::model) mod values;

pub use pattern::ArtifactPattern;
pub(super) use read::read;
pub(super) use values::Declared;

use super::ledger::EvidenceHash;
use super::source::{Fault, Position};
use crate::text::markers::MarkerName;
use crate::text::number::Finite;
use crate::text::spelled::spelled;
use std::rc::Rc;

/// The key of the contract in a scenario file.
pub(super) const KEY: &str = "goal_contract";
/// The only version so far.
pub const VERSION: u32 = 1;
/// How many criteria one contract may have.
pub const MAX_CRITERIA: usize = 100;
/// How many attempts a contract may allow.
pub const MAX_ATTEMPTS: u32 = 100;
/// The number of attempts if the contract does not say.
pub const DEFAULT_ATTEMPTS: u32 = 3;

/// The goal of a node in its scenario file.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Goal {
    #[default]
    Unset,
    /// An invalid contract, or a part of the file that is unreadable and may be one. It never counts as "no contract". The
    /// faults are also among the file's problems; the list is empty if the whole file is unreadable.
    Invalid(Vec<Fault>),
    Set(Rc<Contract>),
}

impl Goal {
    /// The contract, if it is valid.
    pub fn contract(&self) -> Option<&Contract> {
        match self {
            Self::Set(contract) => Some(contract),
            Self::Unset | Self::Invalid(_) => None,
        }
    }
}

/// When the work on a node is enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    pub goal_text: String,
    pub goal_type: GoalType,
    /// How many approaches may be tried, 1 to 100.
    pub max_goal_attempts: u32,
    /// The conditions, which must all hold; in the order of the file, 1 to 100, each with a unique id.
    pub criteria: Vec<Criterion>,
    pub at: Position,
}

impl Contract {
    /// The hash of its requirements: sha256 of its canonical JSON, without goal text, descriptions, comments and order.
    pub fn content_hash(&self) -> EvidenceHash {
        canonical::hash(self)
    }
}

/// The type of work in a contract, which decides the deductions of the trust gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GoalType {
    MlClassification,
    MlRegression,
    /// `statistical`, also spelled `statistical_test`.
    Statistical,
    Eda,
    #[default]
    Custom,
}

impl GoalType {
    /// Every spelling with its meaning. If two spellings have one meaning, the first is written.
    const SPELLINGS: [(&'static str, Self); 6] = [
        ("ml_classification", Self::MlClassification),
        ("ml_regression", Self::MlRegression),
        ("statistical", Self::Statistical),
        ("statistical_test", Self::Statistical),
        ("eda", Self::Eda),
        ("custom", Self::Custom),
    ];

    pub fn as_str(self) -> &'static str {
        Self::SPELLINGS.into_iter().find(|(_, kind)| *kind == self).map_or("custom", |(spelling, _)| spelling)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// Unique in its contract after NFC; as written, on one line.
    pub id: String,
    pub description: Option<String>,
    /// The only scenario with readings that count, as its entry spells it; `None` means all scenarios of the node.
    pub scenario: Option<String>,
    pub kind: CriterionKind,
    pub at: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CriterionKind {
    /// `metric_threshold`: the latest value of a metric satisfies a comparison.
    MetricThreshold {
        /// The metric, spelled as in readings.
        metric: String,
        op: Op,
        target: Finite,
        /// The required unit of the value; `None` means that the value must have no unit.
        unit: Option<String>,
    },
    /// `marker_required`: a reading shows the marker.
    MarkerRequired {
        /// The marker. Without a subtype every marker of that name counts.
        marker: MarkerName,
    },
    /// `artifact_exists`: a file or a named artifact matches.
    ArtifactExists { pattern: ArtifactPattern },
    /// `finding_count`: a number of verified findings.
    FindingCount {
        /// The smallest sufficient number.
        min_count: u64,
    },
}

impl CriterionKind {
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::MetricThreshold { .. } => "metric_threshold",
            Self::MarkerRequired { .. } => "marker_required",
            Self::ArtifactExists { .. } => "artifact_exists",
            Self::FindingCount { .. } => "finding_count",
        }
    }
}

spelled! {
    /// The comparison of a value with a target.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Op {
        AtLeast = ">=",
        Above = ">",
        AtMost = "<=",
        Below = "<",
        Equal = "==",
        NotEqual = "!=",
    }
}

impl Op {
    /// Whether the comparison of `value` with `target` is true.
    pub fn holds(self, value: Finite, target: Finite) -> bool {
        match self {
            Self::AtLeast => value >= target,
            Self::Above => value > target,
            Self::AtMost => value <= target,
            Self::Below => value < target,
            Self::Equal => value == target,
            Self::NotEqual => value != target,
        }
    }
}
