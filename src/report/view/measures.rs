//! The measures of a reading, in the form that all formats share.

use crate::text::markers::FindingCounts;
use crate::text::number::Finite;
use serde::Serialize;
use std::collections::BTreeMap;

/// The measures of a reading. Keys without a value are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct MeasuresRow {
    /// Every metric with its value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, Finite>,
    /// The units of the metrics that have one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<String, String>,
    /// The markers in its transcript.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<String>,
    /// The counts of its findings, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<FindingCounts>,
    /// The files that the measurement produced, by their hash.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<String, String>,
}

impl MeasuresRow {
    /// The number of each sort in words, for example `2 metrics`. A sort without entries is left out.
    pub(crate) fn counts(&self) -> Vec<String> {
        let Self { metrics, units: _, markers, findings, artifacts } = self;
        let many = [(metrics.len(), "metric"), (markers.len(), "marker")];
        let many = many.into_iter().filter(|(count, _)| *count > 0);
        let mut counts: Vec<String> = many.map(|(count, noun)| crate::text::plural(count, noun)).collect();
        counts.extend(findings.map(|FindingCounts { total, verified, .. }| match total {
            1 => format!("1 finding ({verified} verified)"),
            _ => format!("{total} findings ({verified} verified)"),
        }));
        counts.extend((!artifacts.is_empty()).then(|| crate::text::plural(artifacts.len(), "artifact")));
        counts
    }
}
