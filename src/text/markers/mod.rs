//! Markers: lines `[NAME…]` in which a program reports its own measurement (formats.md, "Markers"). Input: the bytes of a
//! transcript. Output: its metrics, markers and findings. Pure; knows no ledger and no contract. The transcript of a
//! notebook is the output of its cells.

mod line;
mod metric;
mod names;
mod notebook;
mod plain;
mod read;
#[cfg(test)]
mod tests;
mod transcript;
mod value;

pub use metric::SaidMetric;
pub use names::{MAX_NAME, MarkerName, metric_name, unit};
pub(crate) use plain::without_escapes;
pub use read::{MarkerReader, read};
pub use value::{Quantity, quantity};

use super::number::Finite;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the marker of a metric.
pub const METRIC: &str = "METRIC";
/// How many metrics, and how many different markers, one reading may have.
pub const MAX_MARKED: usize = 256;

/// The content of the markers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// Every metric with a value, spelled by [`metric_name`].
    pub metrics: BTreeMap<String, Finite>,
    /// The units of these metrics, if they have one.
    pub units: BTreeMap<String, String>,
    /// Every marker, including the markers of metrics.
    pub markers: BTreeSet<MarkerName>,
    /// The numbers of findings.
    pub findings: FindingCounts,
}

/// How many findings there are, and how well they are supported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingCounts {
    /// All findings.
    pub total: u64,
    /// Findings with a confidence interval and an effect size on the lines just before them.
    pub verified: u64,
    /// Verified findings that share both with another finding.
    pub shared: u64,
    /// Findings without a confidence interval.
    pub without_ci: u64,
    /// Findings without an effect size.
    pub without_effect: u64,
}

impl FindingCounts {
    /// Whether these numbers are consistent with each other.
    pub fn is_possible(&self) -> bool {
        let unverified = self.total.checked_sub(self.verified);
        let least = self.without_ci.max(self.without_effect);
        let most = self.without_ci.saturating_add(self.without_effect);
        unverified.is_some_and(|count| (least..=most).contains(&count)) && self.shared <= self.verified
    }
}

/// The content of a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The content of its markers. More than [`MAX_MARKED`] of a kind are too many for a reading; beyond [`MAX_TOLD`]
    /// further ones are not recorded.
    pub marked: Marked,
    /// Every metric with a marker but without a value.
    pub absent: BTreeMap<String, AbsentMetric>,
    /// The first lines with an invalid marker, or with a metric without a number.
    pub malformed: Vec<Malformed>,
    /// The number of such lines.
    pub malformed_lines: u64,
    /// Whether the lines come from the cells of a notebook.
    pub of_cells: bool,
}

/// The line of a metric without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsentMetric {
    /// Its number, from 1; the last line if there are several.
    pub line: u64,
    /// The reason if the line is invalid; `None` if it states that there is no value, as `nan` does.
    pub malformed: Option<String>,
}

/// How many different markers, and metrics, of one transcript are recorded, so that its length does not decide how much
/// memory it takes.
pub const MAX_TOLD: usize = 4096;

/// A line of a transcript with an invalid marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it, one sentence.
    pub message: String,
}
