//! The result of the trust gate: what the evidence lacks, and what that costs.

use crate::text::escape::echo;
use crate::text::spelled::spelled;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

spelled! {
    /// A defect of the evidence.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Deduction {
        /// A committed ledger line is gone or was edited.
        LineLost = "ledger-line-lost",
        /// A ledger line is no event.
        LineMalformed = "ledger-line-malformed",
        /// One key stands for two readings.
        KeyConflict = "key-conflict",
        /// Bytes do not have the hash in their name.
        BytesCorrupt = "evidence-corrupt",
        /// The bytes contradict the line.
        MetricMismatch = "metric-mismatch",
        /// A review is required, and none counts.
        ReviewMissing = "review-missing",
        Unmeasured = "scenario-unmeasured",
        Stale = "reading-stale",
        NoEvidence = "pass-without-evidence",
        /// A number is only in the line, without evidence.
        OnlySaid = "number-only-said",
        /// A pushed reading lacks some of its bytes here.
        Unheld = "evidence-not-here",
        /// A finding lacks an interval.
        WithoutCi = "finding-without-ci",
        /// A finding lacks an effect size.
        WithoutEffect = "finding-without-effect-size",
        NoBaseline = "no-baseline",
        /// A model has no cross-validation.
        NoCrossValidation = "no-cross-validation",
        NoInterpretation = "no-interpretation",
        /// A reviewer gives a lower score.
        Review = "review",
    }
}

impl Deduction {
    /// The cost in points; `None` if it fails the gate by itself. The cost of a review depends on its score.
    pub fn points(self) -> Option<u32> {
        match self {
            Self::LineLost | Self::LineMalformed | Self::KeyConflict => None,
            Self::BytesCorrupt | Self::MetricMismatch | Self::ReviewMissing => None,
            Self::Unmeasured | Self::Stale | Self::Unheld | Self::WithoutCi | Self::WithoutEffect => Some(30),
            Self::NoEvidence | Self::OnlySaid | Self::NoBaseline => Some(20),
            Self::NoCrossValidation => Some(25),
            Self::NoInterpretation => Some(15),
            Self::Review => Some(0),
        }
    }
}

/// A lack of the evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrustDeduction {
    #[serde(rename = "reason")]
    pub kind: Deduction,
    /// The cost in points; `None` if it fails the gate by itself.
    #[serde(flatten, serialize_with = "cost")]
    pub points: Option<u32>,
    pub scenario: Option<String>,
    /// The defect in a few words.
    #[serde(rename = "message")]
    pub what: String,
    /// A step before the command; `None` if the command alone removes the defect.
    pub first: Option<String>,
    /// The command that removes the defect.
    pub command: String,
}

impl TrustDeduction {
    /// The defect, with the name of its scenario.
    pub fn sentence(&self) -> String {
        self.scenario.as_ref().map_or_else(|| self.what.clone(), |name| format!("{}: {}", echo(name), self.what))
    }
}

/// The keys `hard` and `points`.
fn cost<S: Serializer>(points: &Option<u32>, to: S) -> Result<S::Ok, S::Error> {
    let mut keys = to.serialize_struct("cost", 2)?;
    keys.serialize_field("hard", &points.is_none())?;
    keys.serialize_field("points", &points.unwrap_or(0))?;
    keys.end()
}

/// The result of the trust gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrustGate {
    /// Whether the evidence is sound enough.
    pub passed: bool,
    /// 100 minus the deductions, never below 0.
    pub score: u32,
    /// The score that is enough.
    pub threshold: u32,
    /// Every deduction, the hard ones first.
    pub deductions: Vec<TrustDeduction>,
}
