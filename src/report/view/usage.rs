//! What `usage` prints, as plain data.

use crate::finding::{NodeRef, PassedLimit};

/// What was spent, and what may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UsageReport {
    /// From when on readings must say what they cost: never, always, or a time.
    pub required: UsageRequired,
    /// Every run that was asked for, by name.
    pub runs: Vec<RunUsage>,
    /// Every scenario that was asked for and of which a reading says what it cost, or is over its budget.
    pub scenarios: Vec<ScenarioUsage>,
}

/// From when on readings must say what they cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UsageRequired {
    /// No reading is asked for it.
    No,
    /// Every reading is asked, also those filed long ago.
    Always,
    /// From this time on, as ledgers spell it.
    From(String),
}

/// What one run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunUsage {
    /// The name of the run, as readings spell it.
    pub run: String,
    /// How many readings belong to it, retracted ones included.
    pub readings: usize,
    /// Whether a breach of its limits stands.
    pub is_over: bool,
    /// What was spent or is limited.
    pub amounts: Vec<AmountRow>,
}

/// What the readings of one scenario cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScenarioUsage {
    /// The node whose ledgers hold its readings.
    pub node: NodeRef,
    /// Its name; it need not be declared any more.
    pub scenario: String,
    /// How many readings it has, retracted ones included.
    pub readings: usize,
    /// The time of the first reading whose breach stands, and the limits that it passed.
    pub breach: Option<(String, Vec<PassedLimit>)>,
    /// What was spent or is limited.
    pub amounts: Vec<AmountRow>,
}

/// What was spent of one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AmountRow {
    /// Of what, by the name in a breach.
    pub metric: &'static str,
    /// What all readings came to; of a resident set the peak. Nothing where no reading says it.
    pub total: Option<u64>,
    /// What counts against the limit: of a run the total, of a scenario its most expensive reading.
    pub counted: Option<u64>,
    /// How much is allowed.
    pub limit: Option<u64>,
}
