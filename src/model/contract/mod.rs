//! Goal contracts: what would be enough, said before the work begins (formats.md, "The goal contract"). In: the value of
//! `goal_contract:` in a scenario file. Out: a [`Contract`] that means what it says, or every violation. Judges nothing.

mod canonical;
mod criterion;
mod pattern;
mod read;
#[cfg(test)]
mod tests;
mod values;
mod weakened;

pub use pattern::ArtifactPattern;
pub(super) use read::read;
pub(super) use values::Declared;
pub(crate) use weakened::weakened;

use super::ledger::EvidenceHash;
use super::source::{Fault, Position};
use crate::text::markers::MarkerName;
use crate::text::number::Finite;
use std::rc::Rc;

/// The key of a scenario file that holds it.
pub(super) const KEY: &str = "goal_contract";
/// The only version there is.
pub const VERSION: u32 = 1;
/// Most criteria of one contract.
pub const MAX_CRITERIA: usize = 100;
/// Most attempts that a contract may allow.
pub const MAX_ATTEMPTS: u32 = 100;
/// Attempts where the contract does not say.
pub const DEFAULT_ATTEMPTS: u32 = 3;

/// What a scenario file says of its node's goal.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Goal {
    /// Nothing.
    #[default]
    Unset,
    /// Something that is no contract, or perhaps one: the file, or this part of it, cannot be read as it was meant. Never
    /// taken for no contract. What is wrong with it stands among the file's problems too; empty where the whole file is
    /// unreadable.
    Invalid(Vec<Fault>),
    /// A contract.
    Set(Rc<Contract>),
}

impl Goal {
    /// The contract, where there is a usable one.
    pub fn contract(&self) -> Option<&Contract> {
        match self {
            Self::Set(contract) => Some(contract),
            Self::Unset | Self::Invalid(_) => None,
        }
    }
}

/// When the work of a node is enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// What is to be reached, for people.
    pub goal_text: String,
    /// What sort of work it is.
    pub goal_type: GoalType,
    /// How many approaches may be tried, 1 to 100.
    pub max_goal_attempts: u32,
    /// What must hold, all of it; in the order of the file, 1 to 100, each with an id of its own.
    pub criteria: Vec<Criterion>,
    /// Where its key stands.
    pub at: Position,
}

impl Contract {
    /// Names what the contract asks for: sha256 of its canonical JSON, without goal text, descriptions, comments and order.
    pub fn content_hash(&self) -> EvidenceHash {
        canonical::hash(self)
    }
}

/// What sort of work a contract is about: which deductions its trust gate knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GoalType {
    /// `ml_classification`.
    MlClassification,
    /// `ml_regression`.
    MlRegression,
    /// `statistical`, also spelled `statistical_test`.
    Statistical,
    /// `eda`.
    Eda,
    /// `custom`.
    #[default]
    Custom,
}

impl GoalType {
    /// Every spelling with what it means; of two with one meaning the first is the one we write.
    const SPELLINGS: [(&'static str, Self); 6] = [
        ("ml_classification", Self::MlClassification),
        ("ml_regression", Self::MlRegression),
        ("statistical", Self::Statistical),
        ("statistical_test", Self::Statistical),
        ("eda", Self::Eda),
        ("custom", Self::Custom),
    ];

    /// Its spelling.
    pub fn as_str(self) -> &'static str {
        Self::SPELLINGS.into_iter().find(|(_, kind)| *kind == self).map_or("custom", |(spelling, _)| spelling)
    }
}

/// One thing that must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// Unique in its contract after NFC; as written, on one line.
    pub id: String,
    /// What it is about, for people.
    pub description: Option<String>,
    /// The only scenario whose readings it looks at, spelled as its entry spells it; `None` means all of the node.
    pub scenario: Option<String>,
    /// What must hold.
    pub kind: CriterionKind,
    /// Where it begins.
    pub at: Position,
}

/// What must hold for a criterion.
#[derive(Clone, Debug, PartialEq)]
pub enum CriterionKind {
    /// `metric_threshold`: the latest value of a metric satisfies a comparison.
    MetricThreshold {
        /// The metric, spelled as readings spell it.
        metric: String,
        /// How it is compared.
        op: Op,
        /// What it is compared with.
        target: Finite,
        /// The unit that the value must have; `None` means that it must have none.
        unit: Option<String>,
    },
    /// `marker_required`: a reading shows the marker.
    MarkerRequired {
        /// The marker. Without a subtype every marker of that name is meant.
        marker: MarkerName,
    },
    /// `artifact_exists`: a file or a named artifact matches.
    ArtifactExists {
        /// Which names match.
        pattern: ArtifactPattern,
    },
    /// `finding_count`: so many verified findings.
    FindingCount {
        /// The least number that is enough.
        min_count: u64,
    },
}

impl CriterionKind {
    /// The spelling of `kind:`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::MetricThreshold { .. } => "metric_threshold",
            Self::MarkerRequired { .. } => "marker_required",
            Self::ArtifactExists { .. } => "artifact_exists",
            Self::FindingCount { .. } => "finding_count",
        }
    }
}

/// How a value is compared with a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `>=`
    AtLeast,
    /// `>`
    Above,
    /// `<=`
    AtMost,
    /// `<`
    Below,
    /// `==`, exact
    Equal,
    /// `!=`, exact
    NotEqual,
}

impl Op {
    /// Every one, in the order in which messages list them.
    pub const ALL: [Self; 6] = [Self::AtLeast, Self::Above, Self::AtMost, Self::Below, Self::Equal, Self::NotEqual];

    /// Its spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AtLeast => ">=",
            Self::Above => ">",
            Self::AtMost => "<=",
            Self::Below => "<",
            Self::Equal => "==",
            Self::NotEqual => "!=",
        }
    }

    /// Whether `value` compares so with `target`.
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
