//! The budgets of a reading, in the form that all formats share.

use super::verdict::ShownVerdict;
use crate::finding::PassedLimit;
use serde::Serialize;
use std::collections::BTreeMap;

/// The budgets of one reading. There is no row if nothing is limited.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BudgetRow {
    /// The verdict that counts.
    pub effective: EffectiveRow,
    /// The limits that the reading itself passed, the primary one first.
    pub breaches: Vec<PassedLimit>,
    /// The totals of its run up to and with this reading, by the names of the run's metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_totals: Option<BTreeMap<&'static str, u64>>,
}

/// The verdict that counts, beside the recorded one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EffectiveRow {
    /// The recorded verdict, or a fail.
    pub verdict: ShownVerdict,
    /// `budget_exceeded`, if a breach stands against the reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The time of the reading that breached the budget: this one, or an earlier one of the scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breached_at: Option<String>,
}

impl BudgetRow {
    /// Whether a breach stands against the reading.
    pub(crate) fn is_over(&self) -> bool {
        self.effective.reason.is_some()
    }

    /// The breach that stands against the reading of the time `ts`, in a few words; `None` if there is none.
    pub(crate) fn words(&self, ts: &str) -> Option<String> {
        let at = self.effective.breached_at.as_ref()?;
        let limits: Vec<String> = self.breaches.iter().map(ToString::to_string).collect();
        Some(match at == ts && !limits.is_empty() {
            true => format!("budget_exceeded: {}", limits.join("; ")),
            false => format!("budget_exceeded: the breach of {at} stands"),
        })
    }
}
