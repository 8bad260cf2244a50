//! Budgets as an overlay on the ledgers. Purpose: find the readings that cost more than is allowed, and the verdicts that
//! therefore count as fails. Input: the ledgers of a view and its limits. Output: breaches, and the breaches that stand.
//! Pure and computed at every question: the same ledgers and limits give the same answer on every machine. No measurement
//! is ever erased. This module must not read the clock.
//!
//! A breach stands until the limit is raised or a later waiver of the scenario is filed. While it stands, every later
//! reading of its scenario fails. Retracted and waived readings still count as spent.
//!
//! For the reading that counts, ask [`Score::verdict`](crate::engine::facts::Score::verdict); for any other reading ask
//! [`BudgetOverlay::judged`].

mod spent;
#[cfg(test)]
mod tests;

pub(crate) use spent::{Spending, Waiver};

use super::effective::FiledEvent;
use crate::finding::PassedLimit;
use crate::model::budgets::{BudgetScope, Budgets};
use crate::model::ids::composed;
use crate::model::labels::RunId;
use crate::model::ledger::{Ledger, Line, Reading, ReadingVerdict, Status, Timestamp};
use crate::model::node::Node;
use crate::model::usage::Amounts;
use crate::names::cmp_ledgers;
use crate::tree::path::RepoPath;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The filing order, the same on every machine: by time, then by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiledAt {
    pub ts: Timestamp,
    /// The ledger of the line. It decides the order of two lines with the same millisecond.
    pub ledger: RepoPath,
    /// The physical line, from 1.
    pub line: u32,
}

impl Ord for FiledAt {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_file = || cmp_ledgers(self.ledger.as_bstr(), other.ledger.as_bstr());
        self.ts.cmp(&other.ts).then_with(by_file).then_with(|| self.line.cmp(&other.line))
    }
}

impl PartialOrd for FiledAt {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FiledAt {
    pub(crate) fn of(filed: &FiledEvent<'_, Reading>) -> Self {
        Self { ts: filed.event.ts, ledger: filed.ledger.clone(), line: filed.line }
    }

    /// The line itself, among the ledgers of its node.
    pub(crate) fn line_of<'l>(&self, ledgers: &'l [Ledger]) -> Option<&'l Line> {
        let ledger = ledgers.iter().find(|ledger| ledger.path == self.ledger)?;
        ledger.lines.iter().find(|line| line.number == self.line)
    }
}

/// A scenario of a node, the unit of breaches. The name is in NFC. Any scenario can breach. The series of a claim needs a
/// directory name that can be written, and some directories have none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpendingSeries {
    node: RepoPath,
    scenario: String,
}

impl SpendingSeries {
    /// The scenario of this name at the node in this directory, declared or not.
    pub(crate) fn new(node: &RepoPath, scenario: &str) -> Self {
        Self { node: node.clone(), scenario: composed(scenario).into_owned() }
    }

    pub(crate) fn node(&self) -> &RepoPath {
        &self.node
    }

    pub(crate) fn scenario(&self) -> &str {
        &self.scenario
    }
}

/// The result of the budgets for one reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub series: SpendingSeries,
    /// It repeats an earlier reading under the same key, so it costs nothing.
    pub repeats: bool,
    /// It is a copy of a line of another node: it adds no cost to its run, and breaches the limits that the original
    /// breaches.
    pub is_copy: bool,
    /// Every limit that it exceeded, the primary one first.
    pub breaches: Vec<PassedLimit>,
    pub spent: Amounts,
    /// The run that it belongs to; `None` if it names no run.
    pub run: Option<RunId>,
    /// The total of its run up to and including it, with retracted readings; `None` without a run.
    pub run_totals: Option<Amounts>,
    /// The reading with the breach that still stands against this one: itself or an earlier one of its scenario.
    pub standing: Option<FiledAt>,
}

impl Judged {
    pub(crate) fn effective(&self, recorded: &ReadingVerdict) -> ReadingVerdict {
        if self.standing.is_some() { ReadingVerdict::Measured(Status::Fail) } else { recorded.clone() }
    }

    /// The total of its run, by the names of the run's metrics.
    pub(crate) fn named_run_totals(&self) -> Option<BTreeMap<&'static str, u64>> {
        self.run_totals.as_ref().map(|totals| BudgetScope::Run.named(totals))
    }
}

/// The budget results of a view. Empty without limits: then every recorded verdict counts as it is.
#[derive(Debug, Default)]
pub struct BudgetOverlay {
    readings: BTreeMap<FiledAt, Judged>,
    runs: BTreeMap<RunId, Amounts>,
    standing: BTreeMap<SpendingSeries, OpenBreaches>,
    waived: BTreeMap<SpendingSeries, FiledAt>,
    breached_runs: BTreeMap<RunId, (FiledAt, SpendingSeries)>,
}

/// The breaches of a scenario that have not ended.
#[derive(Debug)]
struct OpenBreaches {
    first: FiledAt,
    last: FiledAt,
}

impl BudgetOverlay {
    /// Checks the ledgers of `nodes` against the limits. `nodes` must be all nodes of a view. Without limits no ledger is
    /// read.
    pub(crate) fn of_nodes(nodes: &[Node], budgets: &Budgets) -> Self {
        if budgets.is_unlimited() {
            return Self::default();
        }
        Self::of_ledgers(nodes.iter().map(|node| (&node.dir, &node.ledgers[..])), budgets)
    }

    /// The same for ledgers by directory. It also computes spending without limits.
    pub(crate) fn of_ledgers<'l>(
        all: impl IntoIterator<Item = (&'l RepoPath, &'l [Ledger])>,
        budgets: &Budgets,
    ) -> Self {
        let (mut spendings, mut waivers) = (Vec::new(), Vec::new());
        for (node, ledgers) in all {
            spent::gather(node, ledgers, &mut spendings, &mut waivers);
        }
        Self::of(spent::without_copies(spendings), waivers, budgets)
    }

    /// Checks the spending against the limits.
    fn of(mut spendings: Vec<Spending>, waivers: Vec<Waiver>, budgets: &Budgets) -> Self {
        spendings.sort_by(|one, other| one.at.cmp(&other.at));
        let waived = last_waivers(waivers);
        let mut overlay = Self::default();
        for spending in spendings {
            let run_totals = overlay.spend(&spending);
            let breaches = breaches(&spending, run_totals.as_ref(), budgets);
            if !breaches.is_empty() {
                overlay.breach(&spending, &breaches, waived.get(&spending.series));
            }
            let standing = overlay.standing.get(&spending.series).map(|standing| standing.first.clone());
            let Spending { at, series, run, amounts, repeats, is_copy } = spending;
            let judged = Judged { series, repeats, is_copy, breaches, spent: amounts, run, run_totals, standing };
            overlay.readings.insert(at, judged);
        }
        overlay
    }

    /// Adds a reading to its run and returns the new total.
    fn spend(&mut self, spending: &Spending) -> Option<Amounts> {
        let totals = self.runs.entry(spending.run.clone()?).or_default();
        if !spending.repeats && !spending.is_copy {
            totals.add(&spending.amounts);
        }
        Some(*totals)
    }

    /// Records a breach, unless the last waiver of its scenario was filed after it. A waiver ends earlier breaches for all
    /// readings.
    fn breach(&mut self, spending: &Spending, breaches: &[PassedLimit], waiver: Option<&FiledAt>) {
        let Spending { at, series, .. } = spending;
        if let Some(waiver) = waiver.filter(|waiver| *waiver > at) {
            self.waived.insert(series.clone(), waiver.clone());
            return;
        }
        let standing = self.standing.entry(series.clone());
        standing.or_insert_with(|| OpenBreaches { first: at.clone(), last: at.clone() }).last = at.clone();
        let of_run = breaches.iter().any(|breach| breach.scope == BudgetScope::Run.as_str());
        if let Some(run) = spending.run.clone().filter(|_| of_run) {
            self.breached_runs.entry(run).or_insert_with(|| (at.clone(), series.clone()));
        }
    }

    /// The result for a reading that counts; `None` without limits.
    pub(crate) fn judged(&self, filed: &FiledEvent<'_, Reading>) -> Option<&Judged> {
        if self.readings.is_empty() {
            return None;
        }
        self.reading(&FiledAt::of(filed))
    }

    /// The result for the reading at this place.
    pub(crate) fn reading(&self, at: &FiledAt) -> Option<&Judged> {
        self.readings.get(at)
    }

    /// Every reading, retracted or not, in the order in which they were filed.
    pub(crate) fn readings(&self) -> impl Iterator<Item = (&FiledAt, &Judged)> {
        self.readings.iter()
    }

    /// The first breach of a scenario that has not ended, and the result for its reading. It stands even if the reading is
    /// retracted.
    pub(crate) fn standing(&self, series: &SpendingSeries) -> Option<(&FiledAt, &Judged)> {
        self.readings.get_key_value(&self.standing.get(series)?.first)
    }

    /// The same for the scenario of this name at the node in this directory. Costs nothing without limits.
    pub(crate) fn breach_of(&self, node: &RepoPath, scenario: &str) -> Option<(&FiledAt, &Judged)> {
        if self.standing.is_empty() {
            return None;
        }
        self.standing(&SpendingSeries::new(node, scenario))
    }

    /// Whether a reading of this scenario and time exists, reports no cost, and leaves out no required usage.
    pub(crate) fn is_free(&self, node: &RepoPath, scenario: &str, ts: Timestamp) -> bool {
        if self.readings.is_empty() {
            return false;
        }
        let series = SpendingSeries::new(node, scenario);
        // no place is before all others, so the search begins a millisecond earlier
        let before =
            FiledAt { ts: Timestamp { millis: ts.millis.saturating_sub(1) }, ledger: RepoPath::root(), line: 0 };
        let same = self.readings.range(before..).skip_while(|(at, _)| at.ts < ts).take_while(|(at, _)| at.ts == ts);
        let mut same = same.map(|(_, judged)| judged).filter(|judged| judged.series == series).peekable();
        same.peek().is_some() && same.all(|judged| judged.spent.is_empty() && judged.breaches.is_empty())
    }

    /// The last breach of a scenario that has not ended: a waiver must be later.
    pub(crate) fn last_standing(&self, series: &SpendingSeries) -> Option<&FiledAt> {
        Some(&self.standing.get(series)?.last)
    }

    /// The waiver that ended a breach of this scenario.
    pub(crate) fn waived(&self, series: &SpendingSeries) -> Option<&FiledAt> {
        self.waived.get(series)
    }

    /// Whether a breach of this run's limits stands, on any scenario.
    pub(crate) fn is_run_breached(&self, run: &RunId) -> bool {
        self.breached_runs.contains_key(run)
    }

    /// The first breach of this run's limits that has not ended: its scenario, and the result for its reading.
    pub(crate) fn run_breach(&self, run: &RunId) -> Option<(&SpendingSeries, &Judged)> {
        let (at, series) = self.breached_runs.get(run)?;
        Some((series, self.readings.get(at)?))
    }

    pub(crate) fn runs(&self) -> &BTreeMap<RunId, Amounts> {
        &self.runs
    }
}

/// The last waiver of each scenario: it ends all breaches that an earlier waiver ends.
fn last_waivers(waivers: Vec<Waiver>) -> BTreeMap<SpendingSeries, FiledAt> {
    let mut last: BTreeMap<SpendingSeries, FiledAt> = BTreeMap::new();
    for Waiver { series, at } in waivers {
        let known = last.entry(series).or_insert_with(|| at.clone());
        if *known < at {
            *known = at;
        }
    }
    last
}

/// Every limit that a reading exceeds; run totals include the reading. A repeated reading exceeds none.
fn breaches(spending: &Spending, totals: Option<&Amounts>, budgets: &Budgets) -> Vec<PassedLimit> {
    let none = Amounts::default();
    let is_required = budgets.require_usage.applies(spending.at.ts);
    let mut found = Vec::new();
    for (scope, metric) in Budgets::KEYS.into_iter().filter(|_| !spending.repeats) {
        let Some(limit) = budgets.of(scope).get(metric) else { continue };
        let amounts = if scope == BudgetScope::Task { &spending.amounts } else { totals.unwrap_or(&none) };
        let observed = amounts.get(metric);
        // a reading without its required usage breaches the run's limit too, whatever the other readings spent
        let is_silent = is_required && spending.amounts.get(metric).is_none()
            || is_required && scope == BudgetScope::Run && spending.run.is_none();
        if is_silent || observed.is_some_and(|observed| observed > limit) {
            // an amount below the limit is not the defect of a reading without usage, so it is left out
            let observed = observed.filter(|observed| *observed > limit);
            found.push(PassedLimit { scope: scope.as_str(), metric: scope.metric_name(metric), observed, limit });
        }
    }
    found
}
