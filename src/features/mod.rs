//! The features: one directory and one row each. To add one: its directory, its `mod` line, its row; to remove one: the same.
//! A feature may name the core and the features with rows before its own, of which it uses what their `mod.rs` offers. The
//! core names no feature: it asks the functions below, one for each column.

pub mod agents;
pub mod claims;
pub mod coverage;
pub(crate) mod evals;
pub(crate) mod goals;
pub mod graph;
pub mod imports;
pub(crate) mod log;
pub(crate) mod page;
pub(crate) mod patches;
pub mod runlogs;
pub(crate) mod sharing;
pub mod trust;

use crate::app::judge::Judging;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::cli::filing::Filing;
use crate::model::config::FeatureSettings;
use crate::rules::Rule;

/// A row of the table.
pub(crate) struct Feature {
    /// The verbs that it adds to the command line.
    verbs: &'static [FeatureVerb],
    /// The settings that it adds to `spexcode.json`.
    settings: Option<FeatureSettings>,
    /// The rules that it adds.
    rules: &'static [Rule],
    /// What it judges beside its rules.
    judging: Option<Judging>,
    /// What it adds to a filing.
    filing: Option<Filing>,
    /// What it adds to single places of the core.
    extras: &'static [Extra],
}

impl Feature {
    /// A row without an entry.
    const NONE: Self = Self { verbs: &[], settings: None, rules: &[], judging: None, filing: None, extras: &[] };
}

const FEATURES: &[&Feature] = &[
    &trust::ROW,
    &sharing::ROW,
    &claims::ROW,
    &evals::ROW,
    &agents::ROW,
    &coverage::ROW,
    &goals::ROW,
    &runlogs::ROW,
    &patches::ROW,
    &imports::ROW,
    &graph::ROW,
    &log::ROW,
    &page::ROW,
];

/// The verbs of all features.
pub(crate) fn verbs() -> impl Iterator<Item = &'static FeatureVerb> {
    FEATURES.iter().flat_map(|feature| feature.verbs)
}

/// The verb with this name, if a feature has it.
pub(crate) fn verb(name: &str) -> Option<&'static FeatureVerb> {
    verbs().find(|verb| verb.name == name)
}

/// The settings of all features.
pub(crate) fn settings() -> impl Iterator<Item = &'static FeatureSettings> {
    FEATURES.iter().filter_map(|feature| feature.settings.as_ref())
}

/// The rules of all features.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    FEATURES.iter().flat_map(|feature| feature.rules)
}

/// What features judge beside their rules, in the order of the rows.
pub(crate) fn judging() -> impl Iterator<Item = &'static Judging> {
    FEATURES.iter().filter_map(|feature| feature.judging.as_ref())
}

/// What features add to a filing, in the order of the rows.
pub(crate) fn filing() -> impl Iterator<Item = &'static Filing> {
    FEATURES.iter().filter_map(|feature| feature.filing.as_ref())
}

/// What features add to single places of the core.
pub(crate) fn extras() -> impl Iterator<Item = &'static Extra> {
    FEATURES.iter().flat_map(|feature| feature.extras)
}
