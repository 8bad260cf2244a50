//! What the budgets say of a reading, as plain data that every form prints alike.

use super::verdict::ShownVerdict;
use crate::finding::PassedLimit;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the budgets say of one reading; there is none where nothing is limited.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BudgetRow {
    /// The verdict that counts.
    pub effective: EffectiveRow,
    /// The limits that it passed itself, the primary one first.
    pub breaches: Vec<PassedLimit>,
    /// What its run had come to with it, by the names of the run's metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_totals: Option<BTreeMap<&'static str, u64>>,
}

/// The verdict that counts, beside the recorded one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EffectiveRow {
    /// The recorded one, or a fail.
    pub verdict: ShownVerdict,
    /// `budget_exceeded`, where a breach stands against the reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The time of the reading whose breach that is: of this one, or of an earlier one of its scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breached_at: Option<String>,
}

impl BudgetRow {
    /// Whether a breach stands against the reading.
    pub(crate) fn is_over(&self) -> bool {
        self.effective.reason.is_some()
    }

    /// What stands against a reading of this time, in a few words; nothing where nothing does.
    pub(crate) fn words(&self, ts: &str) -> Option<String> {
        let at = self.effective.breached_at.as_ref()?;
        let limits: Vec<String> = self.breaches.iter().map(ToString::to_string).collect();
        Some(match at == ts && !limits.is_empty() {
            true => format!("budget_exceeded: {}", limits.join("; ")),
            false => format!("budget_exceeded: the breach of {at} stands"),
        })
    }
}
