//! The measures of a reading as every output format prints them.

use crate::model::ledger::Measures;
use crate::report::view::measures::MeasuresRow;
use crate::text::markers::{Marked, MarkerName};

/// The row that is printed for `measures`.
pub(crate) fn measures_row(measures: &Measures) -> MeasuresRow {
    let Marked { metrics, units, markers, findings } = &measures.marked;
    MeasuresRow {
        metrics: metrics.clone(),
        units: units.clone(),
        markers: markers.iter().map(MarkerName::to_string).collect(),
        findings: Some(*findings).filter(|findings| findings.total > 0),
        artifacts: measures.artifacts.iter().map(|(name, hash)| (name.to_string(), hash.to_string())).collect(),
    }
}
