//! What was spent beyond a budget.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// A limit of `yatsu.budgets` that a reading exceeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassedLimit {
    /// `task` (one reading) or `run` (all readings of its run).
    pub scope: &'static str,
    /// The name of the amount.
    pub metric: &'static str,
    /// The total amount; `None` if usage is required and the reading states none.
    pub observed: Option<u64>,
    /// How much is allowed.
    pub limit: u64,
}

impl fmt::Display for PassedLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scope, metric, observed, limit } = self;
        match observed {
            Some(observed) => write!(f, "{scope} {metric} {observed}, limit {limit}"),
            None => write!(f, "{scope} {metric} not said, limit {limit}"),
        }
    }
}

/// The cost that a reading states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Every amount by its name in the ledger.
    #[serde(flatten)]
    pub amounts: BTreeMap<&'static str, u64>,
    /// The source of the token count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The cost of a reading beyond its budget.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overspent {
    /// Every exceeded limit, the primary one first.
    pub breaches: Vec<PassedLimit>,
    /// The cost that the reading states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Spent>,
    /// The totals of its run, this reading included, by the names of the run's metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_totals: Option<BTreeMap<&'static str, u64>>,
}
