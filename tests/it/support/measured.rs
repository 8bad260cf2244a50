//! Readings and their freshness as the engine sees them.

use std::collections::BTreeMap;
use yatsu_hook::engine::freshness::Freshness;
use yatsu_hook::model::governed::Governed;
use yatsu_hook::model::ledger::{FilingTerms, Measures, Reading, ReadingVerdict, Status, Timestamp};
use yatsu_hook::model::source::Position;
use yatsu_hook::tree::oid::Oid;

/// An entry of a governed list.
pub fn listed(text: &str) -> Governed {
    Governed::parse(text, Position::default(), None)
}

/// A reading that names `commit` and nothing else.
pub fn unstamped(name: &str, commit: &str) -> Reading {
    Reading {
        scenario: name.to_owned(),
        code_sha: Some(Oid::from_hex(commit.as_bytes()).expect("a full id")),
        scenario_hash: None,
        evidence: Vec::new(),
        timeline: None,
        evaluator: Some("manual@1".to_owned()),
        governed: None,
        units: BTreeMap::new(),
        test: None,
        dirty: false,
        by: None,
        verdict: ReadingVerdict::Measured(Status::Pass),
        note: None,
        terms: FilingTerms::default(),
        measures: Measures::default(),
        ts: Timestamp { millis: 0 },
    }
}

/// The stale axes, space-separated; empty when fresh.
pub fn words(freshness: &Freshness) -> String {
    freshness.axes.iter().map(|axis| axis.as_str()).collect::<Vec<_>>().join(" ")
}
