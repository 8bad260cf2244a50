//! Budgets as an overlay on the ledgers. Purpose: which readings cost more than is allowed, and whose verdict therefore
//! counts as a fail. Input: what every reading of a view cost, the waivers, the limits; output: breaches and what stands of
//! them. Pure and derived at every question: the same ledgers and limits give the same answer on every machine, and no
//! measurement is ever erased. What must not be done here: ask the clock.
//!
//! A breach stands, and with it the fail of every later reading of its scenario, until the limit is raised or a waiver of
//! the scenario is filed after it. What was spent stays spent: retracted readings count, and so do waived ones.

#[cfg(test)]
mod tests;

use crate::model::budgets::{BudgetScope, Budgets};
use crate::model::claim::ClaimSeries;
use crate::model::labels::RunId;
use crate::model::ledger::{Status, Timestamp};
use crate::model::usage::{Amounts, Metric};
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// When something was filed, the same on every machine: its time, then its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FiledAt {
    /// When it was filed.
    pub ts: Timestamp,
    /// The ledger in which it stands: where two were filed in one millisecond, its place decides.
    pub ledger: RepoPath,
    /// The physical line, from 1.
    pub line: u32,
}

/// What one reading cost, retracted or not. Duplicates are none: each reading is here once.
#[derive(Clone, Debug)]
pub struct Spending {
    /// When it was filed.
    pub at: FiledAt,
    /// Of which scenario; a breach is its scenario's.
    pub series: ClaimSeries,
    /// The run that it belongs to.
    pub run: Option<RunId>,
    /// What it says that it cost.
    pub amounts: Amounts,
}

/// A `waive-budget` decision.
#[derive(Clone, Debug)]
pub struct Waiver {
    /// When it was filed.
    pub at: FiledAt,
    /// Of which scenario.
    pub series: ClaimSeries,
}

/// A limit that a reading passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Whether the reading alone, or its whole run, passed it.
    pub scope: BudgetScope,
    /// What is limited.
    pub metric: Metric,
    /// What came together; nothing where usage is required and nobody said.
    pub observed: Option<u64>,
    /// What is allowed.
    pub limit: u64,
}

impl Breach {
    /// The name of what was spent.
    pub fn metric_name(&self) -> &'static str {
        self.scope.metric_name(self.metric)
    }
}

/// What the budgets say of one reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Every limit that it passed, the primary one first.
    pub breaches: Vec<Breach>,
    /// What its run had come to with it, retracted readings included; nothing without a run.
    pub run_totals: Option<Amounts>,
    /// The reading whose breach still stands against this one: itself or an earlier one of its scenario.
    pub standing: Option<FiledAt>,
}

impl Judged {
    /// The verdict that counts.
    pub fn effective(&self, recorded: Status) -> Status {
        if self.standing.is_some() { Status::Fail } else { recorded }
    }
}

/// What the budgets say of a view.
#[derive(Debug, Default)]
pub struct BudgetOverlay {
    readings: BTreeMap<FiledAt, Judged>,
    runs: BTreeMap<RunId, Amounts>,
    standing: BTreeMap<ClaimSeries, FiledAt>,
    breached_runs: BTreeSet<RunId>,
}

impl BudgetOverlay {
    /// Holds what was spent against the limits.
    pub fn of(mut spendings: Vec<Spending>, waivers: &[Waiver], budgets: &Budgets) -> Self {
        spendings.sort_by(|one, other| one.at.cmp(&other.at));
        let mut overlay = Self::default();
        let mut standing: BTreeMap<ClaimSeries, Vec<Standing>> = BTreeMap::new();
        for spending in spendings {
            let totals = overlay.spend(&spending);
            let breaches = breaches(&spending, totals.as_ref(), budgets);
            let before = standing.entry(spending.series.clone()).or_default();
            if !breaches.is_empty() {
                before.push(Standing::of(&spending, &breaches));
            }
            // a waiver ends what was breached before it, for readings of any time
            before.retain(|breach| !is_waived(&spending.series, &breach.at, waivers));
            let first = before.first().map(|breach| breach.at.clone());
            overlay.readings.insert(spending.at, Judged { breaches, run_totals: totals, standing: first });
        }
        for (series, breaches) in standing {
            overlay.breached_runs.extend(breaches.iter().filter_map(|breach| breach.run.clone()));
            overlay.standing.extend(breaches.into_iter().next().map(|first| (series, first.at)));
        }
        overlay
    }

    /// Counts a reading into its run, and gives what that comes to.
    fn spend(&mut self, spending: &Spending) -> Option<Amounts> {
        let totals = self.runs.entry(spending.run.clone()?).or_default();
        totals.add(&spending.amounts);
        Some(*totals)
    }

    /// What is said of the reading that was filed there.
    pub fn reading(&self, at: &FiledAt) -> Option<&Judged> {
        self.readings.get(at)
    }

    /// The first breach of a scenario that nothing has ended yet.
    pub fn standing(&self, series: &ClaimSeries) -> Option<&FiledAt> {
        self.standing.get(series)
    }

    /// Whether a breach of this run's limits stands, on whichever scenario.
    pub fn is_run_breached(&self, run: &RunId) -> bool {
        self.breached_runs.contains(run)
    }

    /// What each run has come to.
    pub fn runs(&self) -> &BTreeMap<RunId, Amounts> {
        &self.runs
    }
}

/// A breach that may still count.
struct Standing {
    at: FiledAt,
    /// The run whose limit was passed.
    run: Option<RunId>,
}

impl Standing {
    fn of(spending: &Spending, breaches: &[Breach]) -> Self {
        let of_run = breaches.iter().any(|breach| breach.scope == BudgetScope::Run);
        Self { at: spending.at.clone(), run: spending.run.clone().filter(|_| of_run) }
    }
}

fn is_waived(series: &ClaimSeries, breach: &FiledAt, waivers: &[Waiver]) -> bool {
    waivers.iter().any(|waiver| waiver.series == *series && waiver.at > *breach)
}

/// Every limit that a reading passes, itself included in its run's totals.
fn breaches(spending: &Spending, totals: Option<&Amounts>, budgets: &Budgets) -> Vec<Breach> {
    let none = Amounts::default();
    let is_required = budgets.require_usage.applies(spending.at.ts);
    let mut found = Vec::new();
    for (scope, amounts) in [(BudgetScope::Task, &spending.amounts), (BudgetScope::Run, totals.unwrap_or(&none))] {
        for metric in scope.metrics() {
            let Some(limit) = budgets.of(scope).get(metric) else { continue };
            let observed = amounts.get(metric);
            // a reading that is silent where it must speak breaches the run's limit too, whatever others have spent
            let is_silent = is_required && spending.amounts.get(metric).is_none()
                || is_required && scope == BudgetScope::Run && spending.run.is_none();
            if is_silent || observed.is_some_and(|observed| observed > limit) {
                found.push(Breach { scope, metric, observed, limit });
            }
        }
    }
    found
}
