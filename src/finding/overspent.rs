//! What was spent beyond a budget.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// A limit of `yatsu.budgets` that a reading passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassedLimit {
    /// `task`, one reading, or `run`, all readings of its run.
    pub scope: &'static str,
    /// What was spent.
    pub metric: &'static str,
    /// How much came together; nothing where usage is required and the reading does not say.
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

/// What a reading says that it cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Every amount by its name in the ledger.
    #[serde(flatten)]
    pub amounts: BTreeMap<&'static str, u64>,
    /// Who counted the tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What a reading cost beyond its budget.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overspent {
    /// Every limit that it passed, the primary one first.
    pub breaches: Vec<PassedLimit>,
    /// What it says that it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Spent>,
    /// What its run had come to with it, by the names of the run's metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_totals: Option<BTreeMap<&'static str, u64>>,
}
