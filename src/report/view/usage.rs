//! The data that `usage` prints.

use crate::finding::{NodeRef, PassedLimit};

/// The costs of readings, and their limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UsageReport {
    /// Since when readings must state their cost: never, always, or a time.
    pub required: UsageRequired,
    /// Every requested run, by name.
    pub runs: Vec<RunUsage>,
    /// Every requested scenario that is over its budget or has a reading with a stated cost.
    pub scenarios: Vec<ScenarioUsage>,
}

/// Since when readings must state their cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UsageRequired {
    /// Never.
    No,
    /// Always, also for readings filed long ago.
    Always,
    /// From this time on, as ledgers spell it.
    From(String),
}

/// The cost of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunUsage {
    /// The name of the run, as readings spell it.
    pub run: String,
    /// How many readings belong to it, retracted ones included.
    pub readings: usize,
    /// Whether a breach of its limits stands.
    pub is_over: bool,
    /// The amounts that were spent or are limited.
    pub amounts: Vec<AmountRow>,
}

/// What the readings of one scenario cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScenarioUsage {
    /// The node with the ledgers of its readings.
    pub node: NodeRef,
    /// Its name. The scenario may be no longer declared.
    pub scenario: String,
    /// How many readings it has, retracted ones included.
    pub readings: usize,
    /// The time of the first reading with an unwaived breach, and the limits that it passed.
    pub breach: Option<(String, Vec<PassedLimit>)>,
    /// The amounts that were spent or are limited.
    pub amounts: Vec<AmountRow>,
}

/// The amount spent of one metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AmountRow {
    /// The metric, by its name in a breach.
    pub metric: &'static str,
    /// The total of all readings; for a resident set the peak. `None` if no reading states it.
    pub total: Option<u64>,
    /// The amount that counts against the limit: for a run the total, for a scenario its most expensive reading.
    pub counted: Option<u64>,
    /// How much is allowed.
    pub limit: Option<u64>,
}
