//! Markers: lines `[NAME…]` in which a program reports its own measurement (formats.md, "Markers"). Input: the bytes of a
//! transcript. Output: its metrics, markers and findings. Pure; knows no ledger and no contract. The transcript of a
//! notebook is the output of its cells.

mod names;
mod notebook;
mod plain;
#[cfg(test)]
mod tests;
mod transcript;
mod value;

pub use names::{MarkerName, metric_name, unit};
pub(crate) use plain::without_escapes;
pub(crate) use value::SaidMetric;

use super::number::Finite;
use notebook::NotebookReader;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use transcript::LineReader;

/// The name of the marker of a metric.
pub const METRIC: &str = "METRIC";
/// How many metrics, and how many different markers, one reading may have.
pub(crate) const MAX_MARKED: usize = 256;

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
    pub(crate) without_ci: u64,
    /// Findings without an effect size.
    pub(crate) without_effect: u64,
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
    pub(crate) of_cells: bool,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Malformed {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it, one sentence.
    pub message: String,
}

/// Reads transcripts as a stream, in pieces of any length. From a notebook it reads the output of the cells.
#[derive(Clone, Debug, Default)]
pub struct MarkerReader {
    lines: LineReader,
    /// The current text, as long as it may be a notebook.
    notebook: NotebookReader,
}

impl MarkerReader {
    /// Takes the next piece.
    pub fn take(&mut self, piece: &[u8]) {
        self.notebook.take(piece, &self.lines);
        self.lines.take(piece);
    }

    /// The current text ends and another begins. No line, and no support of a finding, continues into the next text.
    pub(crate) fn next_text(&mut self) {
        std::mem::take(&mut self.notebook).end(&mut self.lines);
        self.lines.next_text();
    }

    /// The content of all texts.
    pub fn finish(mut self) -> Shown {
        self.notebook.end(&mut self.lines);
        self.lines.finish()
    }

    /// How many bytes of an unfinished line are kept.
    #[cfg(test)]
    fn room(&self) -> usize {
        self.lines.room()
    }
}
