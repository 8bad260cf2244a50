//! Markers: what a program says of its own measurement on lines of its output that begin with `[NAME…]` (formats.md,
//! "Markers"). In: the bytes of a transcript. Out: the metrics, markers and findings that it shows. Pure; knows no ledger
//! and no contract. Of a notebook the outputs of its cells are the transcript.

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
/// Most metrics, and most different markers, of one reading.
pub const MAX_MARKED: usize = 256;

/// What markers say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// Every metric that has a value, spelled as [`metric_name`] spells it.
    pub metrics: BTreeMap<String, Finite>,
    /// The unit of every one of them that has one.
    pub units: BTreeMap<String, String>,
    /// Every marker, those of metrics included.
    pub markers: BTreeSet<MarkerName>,
    /// How many findings there are of each sort.
    pub findings: FindingCounts,
}

/// How many findings there are, and what stands behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingCounts {
    /// All of them.
    pub total: u64,
    /// Those with a confidence interval and an effect size on the lines just before them.
    pub verified: u64,
    /// Those of the verified ones that have both in common with another one.
    pub shared: u64,
    /// Those without a confidence interval.
    pub without_ci: u64,
    /// Those without an effect size.
    pub without_effect: u64,
}

impl FindingCounts {
    /// Whether such findings can be: each number is possible beside the others.
    pub fn is_possible(&self) -> bool {
        let unverified = self.total.checked_sub(self.verified);
        let least = self.without_ci.max(self.without_effect);
        let most = self.without_ci.saturating_add(self.without_effect);
        unverified.is_some_and(|count| (least..=most).contains(&count)) && self.shared <= self.verified
    }
}

/// What a transcript shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// What its markers say. More than [`MAX_MARKED`] of a sort are too many for a reading; beyond [`MAX_TOLD`] they are not
    /// told apart any more.
    pub marked: Marked,
    /// Every metric that has no value although its marker is there.
    pub absent: BTreeMap<String, AbsentMetric>,
    /// The first lines that look like markers and are none, or whose metric has no number.
    pub malformed: Vec<Malformed>,
    /// How many such lines there are.
    pub malformed_lines: u64,
    /// Whether its lines are those that the cells of a notebook printed.
    pub of_cells: bool,
}

/// The line of a metric that says no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsentMetric {
    /// Its number, from 1; of several lines that of the last one.
    pub line: u64,
    /// What is wrong with it; nothing where it says that there is no value, as `nan` does.
    pub malformed: Option<String>,
}

/// Most different markers, and metrics, that are told apart in one transcript: its length does not decide how much memory it
/// takes.
pub const MAX_TOLD: usize = 4096;

/// A line of a transcript that does not say what it seems to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it, one sentence.
    pub message: String,
}
