//! What the cases of a scenario say of it, taken together.

use crate::model::ledger::Status;
use crate::text::plural;
use crate::text::test_report::{CaseState, TestCase};
use std::collections::BTreeSet;

/// Cases by their place in all reports.
pub(crate) type CaseIndexes = Vec<usize>;

/// What somebody wants a pass at a later try to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlakyMeans {
    /// A pass like any other.
    Pass,
    /// A fail.
    Fail,
}

/// What becomes of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ImportFate {
    /// A reading, of these cases.
    Reading {
        /// What they say.
        status: Status,
        /// Which they are.
        cases: CaseIndexes,
    },
    /// Nothing: they do not say whether it works.
    Skipped {
        /// Why not.
        why: String,
        /// Which they are.
        cases: CaseIndexes,
    },
    /// Nothing: nobody can tell which cases are its own.
    Ambiguous {
        /// Why not.
        why: String,
        /// Which may be.
        cases: CaseIndexes,
    },
    /// Nothing: there is no case.
    Unmatched,
}

impl ImportFate {
    /// The cases that it was decided by.
    pub(crate) fn cases(&self) -> &[usize] {
        match self {
            Self::Reading { cases, .. } | Self::Skipped { cases, .. } | Self::Ambiguous { cases, .. } => cases,
            Self::Unmatched => &[],
        }
    }
}

/// What these cases say together: all must pass. A fail is one whatever else there is; what passed at a later try, and what
/// was not run, says nothing.
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
