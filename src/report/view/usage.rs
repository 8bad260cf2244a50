//! The data that `usage` prints.

use crate::finding::{NodeRef, PassedLimit, json};
use serde::Serialize;

/// The costs of readings, and their limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/usage/v1", rename_all = "camelCase")]
pub(crate) struct UsageReport {
    pub require_usage: UsageRequired,
    /// Every requested run, by name.
    pub runs: Vec<RunUsage>,
    /// Every requested scenario that is over its budget or has a reading with a stated cost.
    pub scenarios: Vec<ScenarioUsage>,
}

/// Since when readings must state their cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum UsageRequired {
    /// Never, or always, also for readings filed long ago.
    Always(bool),
    /// From this time on, as ledgers spell it.
    From(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunUsage {
    /// The name of the run, as readings spell it.
    pub run: String,
    /// How many readings belong to it, retracted ones included.
    pub readings: usize,
    /// Whether a breach of its limits stands.
    pub over_budget: bool,
    /// The amounts that were spent or are limited.
    pub amounts: Vec<AmountRow>,
}

/// What the readings of one scenario cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScenarioUsage {
    /// The node with the ledgers of its readings.
    #[serde(flatten, serialize_with = "json::id_and_path")]
    pub node: NodeRef,
    /// Its name. The scenario may be no longer declared.
    pub scenario: String,
    /// How many readings it has, retracted ones included.
    pub readings: usize,
    /// Whether an unwaived breach of its budget stands.
    pub over_budget: bool,
    /// The time of the first reading with that breach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breached_at: Option<String>,
    /// The limits that this reading passed.
    pub breaches: Vec<PassedLimit>,
    /// The amounts that were spent or are limited.
    pub amounts: Vec<AmountRow>,
}

/// The amount spent of one metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct AmountRow {
    /// The metric, by its name in a breach.
    pub metric: &'static str,
    /// The total of all readings; for a resident set the peak. `None` if no reading states it.
    pub total: Option<u64>,
    /// For a scenario: the amount of its most expensive reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Option<u64>>,
    /// How much is allowed.
    pub limit: Option<u64>,
}

impl AmountRow {
    /// The amount that counts against the limit: for a run the total, for a scenario its most expensive reading.
    pub(crate) fn counted(&self) -> Option<u64> {
        self.most.unwrap_or(self.total)
    }
}
