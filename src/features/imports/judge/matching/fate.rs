//! Combines the results of a scenario's test cases.

use crate::features::imports::model::test_report::{CaseState, TestCase};
use crate::model::ledger::Status;
use crate::text::plural;
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

/// The runs of one reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedRounds {
    /// The cases of these rounds, which say the reports, too.
    pub(crate) cases: CaseIndexes,
    pub(crate) pass: u32,
    pub(crate) of: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ImportFate {
    Reading {
        status: Status,
        cases: CaseIndexes,
    },
    /// Runs are filed, a reading for each of these.
    Runs {
        rounds: Vec<CountedRounds>,
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
            Self::Reading { cases, .. }
            | Self::Runs { cases, .. }
            | Self::Skipped { cases, .. }
            | Self::Ambiguous { cases, .. } => cases,
            Self::Unmatched => &[],
        }
    }
}

/// The combined result of these cases: a pass only if all pass, a fail if any fails. Otherwise a case without a result gives
/// no result, and neither does a pass at a later try without `flaky`. With `skips` a skipped case may stand beside others.
pub(super) fn decide(all: &[TestCase], found: BTreeSet<usize>, flaky: Option<FlakyMeans>, skips: bool) -> ImportFate {
    let cases: CaseIndexes = found.into_iter().collect();
    let count = |state| cases.iter().filter(|case| all[**case].state == state).count();
    let states = [CaseState::Failed, CaseState::Flaky, CaseState::Unknown, CaseState::Skipped];
    let [failed, tried, unknown, skipped] = states.map(count);
    let of_all = |some: usize| format!("{some} of {}", plural(cases.len(), "case"));
    let has = |count: usize| if count == 1 { "has" } else { "have" };
    let why = match (cases.len(), flaky) {
        (0, _) => return ImportFate::Unmatched,
        _ if failed > 0 => return ImportFate::Reading { status: Status::Fail, cases },
        (_, Some(FlakyMeans::Fail)) if tried > 0 => return ImportFate::Reading { status: Status::Fail, cases },
        (_, None) if tried > 0 => format!(
            "flaky: {} passed at a later try; --flaky pass or --flaky fail decides how it counts",
            of_all(tried)
        ),
        _ if unknown > 0 => format!("unknown: {} {} a result that is not known here", of_all(unknown), has(unknown)),
        (all, _) if skipped == all => "skipped: no case has a result".to_owned(),
        _ if skipped > 0 && !skips => format!(
            "partly skipped: {} {} no result; `skips: allow` in its `test`, or --skips allow, takes the others",
            of_all(skipped),
            has(skipped)
        ),
        _ => return ImportFate::Reading { status: Status::Pass, cases },
    };
    ImportFate::Skipped { why, cases }
}
