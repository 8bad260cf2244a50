//! Combines the results of a scenario's test cases.

use crate::model::ledger::Status;
use crate::text::plural;
use crate::text::test_report::{CaseState, TestCase};
use std::collections::BTreeSet;

/// Cases, by their index in all reports.
pub(crate) type CaseIndexes = Vec<usize>;

/// The result to file for a pass at a later try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlakyMeans {
    /// A pass like any other.
    Pass,
    Fail,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ImportFate {
    Reading {
        status: Status,
        cases: CaseIndexes,
    },
    /// Nothing is filed, because the cases do not show whether it works.
    Skipped {
        why: String,
        cases: CaseIndexes,
    },
    /// Nothing is filed, because its own cases cannot be identified.
    Ambiguous {
        why: String,
        cases: CaseIndexes,
    },
    /// Nothing is filed, because there is no case.
    Unmatched,
}

impl ImportFate {
    pub(crate) fn cases(&self) -> &[usize] {
        match self {
            Self::Reading { cases, .. } | Self::Skipped { cases, .. } | Self::Ambiguous { cases, .. } => cases,
            Self::Unmatched => &[],
        }
    }
}

/// The combined result of these cases: a pass only if all pass, a fail if any fails. Otherwise a skipped case gives no
/// result, and neither does a pass at a later try without `flaky`.
pub(super) fn decide(all: &[TestCase], found: BTreeSet<usize>, flaky: Option<FlakyMeans>) -> ImportFate {
    let cases: CaseIndexes = found.into_iter().collect();
    let count = |state| cases.iter().filter(|case| all[**case].state == state).count();
    let [failed, tried, skipped] = [CaseState::Failed, CaseState::Flaky, CaseState::Skipped].map(count);
    let of_all = |some: usize| format!("{some} of {}", plural(cases.len(), "case"));
    match (cases.len(), flaky) {
        (0, _) => ImportFate::Unmatched,
        _ if failed > 0 => ImportFate::Reading { status: Status::Fail, cases },
        (_, Some(FlakyMeans::Fail)) if tried > 0 => ImportFate::Reading { status: Status::Fail, cases },
        (_, None) if tried > 0 => {
            let why = format!(
                "flaky: {} passed at a later try; --flaky pass or --flaky fail decides how it counts",
                of_all(tried)
            );
            ImportFate::Skipped { why, cases }
        }
        (all, _) if skipped == all => ImportFate::Skipped { why: "skipped: no case was run".to_owned(), cases },
        _ if skipped > 0 => {
            ImportFate::Skipped { why: format!("partly skipped: {} did not run", of_all(skipped)), cases }
        }
        _ => ImportFate::Reading { status: Status::Pass, cases },
    }
}
