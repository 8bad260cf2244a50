//! What a reading says it measured, as plain data that every form prints alike.

use crate::text::markers::FindingCounts;
use crate::text::number::Finite;
use serde::Serialize;
use std::collections::BTreeMap;

/// The measures of a reading; what it does not say is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct MeasuresRow {
    /// Every metric with its value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, Finite>,
    /// The units of those that have one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<String, String>,
    /// The markers that its transcript shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<String>,
    /// Its findings, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<FindingCounts>,
    /// The files that came out of it, by their hash.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<String, String>,
}

impl MeasuresRow {
    /// How many there are of each sort, in words; nothing where there is none.
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
