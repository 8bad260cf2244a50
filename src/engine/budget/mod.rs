//! Budgets as an overlay on the ledgers. Purpose: which readings cost more than is allowed, and whose verdict therefore
//! counts as a fail. Input: the ledgers of a view and its limits; output: breaches and what stands of them. Pure and derived
//! at every question: the same ledgers and limits give the same answer on every machine, and no measurement is ever erased.
//! What must not be done here: ask the clock.
//!
//! A breach stands, and with it the fail of every later reading of its scenario, until the limit is raised or a waiver of
//! the scenario is filed after it. What was spent stays spent: retracted readings count, and so do waived ones.
//!
//! Who asks for a verdict asks [`Score::verdict`](crate::engine::facts::Score::verdict) for the reading of a
//! scenario that counts, and [`BudgetOverlay::judged`] for any other.

mod spent;
#[cfg(test)]
mod tests;

pub(crate) use spent::{Spending, Waiver};

use super::effective::FiledEvent;
use crate::finding::PassedLimit;
use crate::model::budgets::{BudgetScope, Budgets};
use crate::model::ids::composed;
use crate::model::labels::RunId;
use crate::model::ledger::{Ledger, Reading, ReadingVerdict, Status, Timestamp};
use crate::model::node::Node;
use crate::model::usage::{Amounts, Metric};
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;

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

impl FiledAt {
    /// When and where a reading was filed.
    pub(crate) fn of(filed: &FiledEvent<'_, Reading>) -> Self {
        Self { ts: filed.event.ts, ledger: filed.ledger.clone(), line: filed.line }
    }
}

/// A scenario of a node: what a breach is of. The name is in NFC. Whoever can be measured can breach: unlike a claim's
/// series this has no spelling to be written, which some directories lack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpendingSeries {
    node: RepoPath,
    scenario: String,
}

impl SpendingSeries {
    /// The scenario of that name at the node in this directory, declared or not.
    pub(crate) fn new(node: &RepoPath, scenario: &str) -> Self {
        Self { node: node.clone(), scenario: composed(scenario).into_owned() }
    }

    /// The node's directory.
    pub(crate) fn node(&self) -> &RepoPath {
        &self.node
    }

    /// The scenario's name.
    pub(crate) fn scenario(&self) -> &str {
        &self.scenario
    }
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
    pub(crate) fn metric_name(&self) -> &'static str {
        self.scope.metric_name(self.metric)
    }

    /// The same as it is told.
    pub(crate) fn passed(&self) -> PassedLimit {
        let Self { scope, observed, limit, .. } = *self;
        PassedLimit { scope: scope.as_str(), metric: self.metric_name(), observed, limit }
    }
}

/// What the budgets say of one reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Of which scenario it is.
    pub series: SpendingSeries,
    /// It says again what an earlier one says under the same key: it counts for nothing more.
    pub repeats: bool,
    /// It is a copy of a line of another node: it costs its run nothing more, and breaches what that breaches.
    pub is_copy: bool,
    /// Every limit that it passed, the primary one first.
    pub breaches: Vec<Breach>,
    /// What it cost itself.
    pub spent: Amounts,
    /// The run that it belongs to; nothing where it says none.
    pub run: Option<RunId>,
    /// What its run had come to with it, retracted readings included; nothing without a run.
    pub run_totals: Option<Amounts>,
    /// The reading whose breach still stands against this one: itself or an earlier one of its scenario.
    pub standing: Option<FiledAt>,
}

impl Judged {
    /// The verdict that counts.
    pub(crate) fn effective(&self, recorded: &ReadingVerdict) -> ReadingVerdict {
        if self.standing.is_some() { ReadingVerdict::Measured(Status::Fail) } else { recorded.clone() }
    }

    /// What its run had come to, by the names of the run's metrics.
    pub(crate) fn named_run_totals(&self) -> Option<BTreeMap<&'static str, u64>> {
        self.run_totals.as_ref().map(|totals| BudgetScope::Run.named(totals))
    }
}

/// What the budgets say of a view. Empty where nothing is limited: then every recorded verdict counts as it is.
#[derive(Debug, Default)]
pub struct BudgetOverlay {
    readings: BTreeMap<FiledAt, Judged>,
    runs: BTreeMap<RunId, Amounts>,
    standing: BTreeMap<SpendingSeries, Standing>,
    waived: BTreeMap<SpendingSeries, FiledAt>,
    breached_runs: BTreeMap<RunId, (FiledAt, SpendingSeries)>,
}

/// The breaches of a scenario that nothing has ended yet.
#[derive(Debug)]
struct Standing {
    first: FiledAt,
    last: FiledAt,
}

impl BudgetOverlay {
    /// Holds the ledgers of `nodes`, which must be all of a view, against the limits. Reads nothing where there is none.
    pub(crate) fn of_nodes(nodes: &[Node], budgets: &Budgets) -> Self {
        if budgets.is_unlimited() {
            return Self::default();
        }
        Self::of_ledgers(nodes.iter().map(|node| (&node.dir, &node.ledgers[..])), budgets)
    }

    /// The same of the ledgers of each directory, and also where nothing is limited: then it says what was spent.
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

    /// Holds what was spent against the limits.
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

    /// Counts a reading into its run, and gives what that comes to.
    fn spend(&mut self, spending: &Spending) -> Option<Amounts> {
        let totals = self.runs.entry(spending.run.clone()?).or_default();
        if !spending.repeats && !spending.is_copy {
            totals.add(&spending.amounts);
        }
        Some(*totals)
    }

    /// Lets a breach stand, unless the last waiver of its scenario was filed after it: a waiver ends what was breached before
    /// it, for readings of any time.
    fn breach(&mut self, spending: &Spending, breaches: &[Breach], waiver: Option<&FiledAt>) {
        let Spending { at, series, .. } = spending;
        if let Some(waiver) = waiver.filter(|waiver| *waiver > at) {
            self.waived.insert(series.clone(), waiver.clone());
            return;
        }
        let standing = self.standing.entry(series.clone());
        standing.or_insert_with(|| Standing { first: at.clone(), last: at.clone() }).last = at.clone();
        let of_run = breaches.iter().any(|breach| breach.scope == BudgetScope::Run);
        if let Some(run) = spending.run.clone().filter(|_| of_run) {
            self.breached_runs.entry(run).or_insert_with(|| (at.clone(), series.clone()));
        }
    }

    /// What is said of a reading that counts; nothing where nothing is limited.
    pub(crate) fn judged(&self, filed: &FiledEvent<'_, Reading>) -> Option<&Judged> {
        if self.readings.is_empty() {
            return None;
        }
        self.reading(&FiledAt::of(filed))
    }

    /// What is said of the reading that was filed there.
    pub(crate) fn reading(&self, at: &FiledAt) -> Option<&Judged> {
        self.readings.get(at)
    }

    /// Every reading, retracted or not, in the order in which they were filed.
    pub(crate) fn readings(&self) -> impl Iterator<Item = (&FiledAt, &Judged)> {
        self.readings.iter()
    }

    /// The first breach of a scenario that nothing has ended yet, and what is said of its reading. It stands although the
    /// reading may be retracted.
    pub(crate) fn standing(&self, series: &SpendingSeries) -> Option<(&FiledAt, &Judged)> {
        self.readings.get_key_value(&self.standing.get(series)?.first)
    }

    /// The same of the scenario of that name at the node in this directory. Costs nothing where nothing is limited.
    pub(crate) fn breach_of(&self, node: &RepoPath, scenario: &str) -> Option<(&FiledAt, &Judged)> {
        if self.standing.is_empty() {
            return None;
        }
        self.standing(&SpendingSeries::new(node, scenario))
    }

    /// Whether a reading of this scenario and time is here, cost nothing that it says, and lacks nothing that it should say.
    pub(crate) fn is_free(&self, node: &RepoPath, scenario: &str, ts: Timestamp) -> bool {
        if self.readings.is_empty() {
            return false;
        }
        let series = SpendingSeries::new(node, scenario);
        let from = FiledAt { ts, ledger: RepoPath::root(), line: 0 };
        let same = self.readings.range(from..).take_while(|(at, _)| at.ts == ts);
        let mut same = same.map(|(_, judged)| judged).filter(|judged| judged.series == series).peekable();
        same.peek().is_some() && same.all(|judged| judged.spent.is_empty() && judged.breaches.is_empty())
    }

    /// The last breach of a scenario that nothing has ended yet: a waiver must come after it.
    pub(crate) fn last_standing(&self, series: &SpendingSeries) -> Option<&FiledAt> {
        Some(&self.standing.get(series)?.last)
    }

    /// The waiver that ended a breach of this scenario.
    pub(crate) fn waived(&self, series: &SpendingSeries) -> Option<&FiledAt> {
        self.waived.get(series)
    }

    /// Whether a breach of this run's limits stands, on whichever scenario.
    pub(crate) fn is_run_breached(&self, run: &RunId) -> bool {
        self.breached_runs.contains_key(run)
    }

    /// The first breach of this run's limits that nothing has ended yet: the scenario, and what is said of its reading.
    pub(crate) fn run_breach(&self, run: &RunId) -> Option<(&SpendingSeries, &Judged)> {
        let (at, series) = self.breached_runs.get(run)?;
        Some((series, self.readings.get(at)?))
    }

    /// What each run has come to.
    pub(crate) fn runs(&self) -> &BTreeMap<RunId, Amounts> {
        &self.runs
    }
}

/// The last waiver of each scenario: it ends what every earlier one does.
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

/// Every limit that a reading passes, itself included in its run's totals. What repeats another one passes none.
fn breaches(spending: &Spending, totals: Option<&Amounts>, budgets: &Budgets) -> Vec<Breach> {
    let none = Amounts::default();
    let is_required = budgets.require_usage.applies(spending.at.ts);
    let mut found = Vec::new();
    for (scope, metric) in Budgets::KEYS.into_iter().filter(|_| !spending.repeats) {
        let Some(limit) = budgets.of(scope).get(metric) else { continue };
        let amounts = if scope == BudgetScope::Task { &spending.amounts } else { totals.unwrap_or(&none) };
        let observed = amounts.get(metric);
        // a reading that is silent where it must speak breaches the run's limit too, whatever others have spent
        let is_silent = is_required && spending.amounts.get(metric).is_none()
            || is_required && scope == BudgetScope::Run && spending.run.is_none();
        if is_silent || observed.is_some_and(|observed| observed > limit) {
            // what stayed below the limit is not what is wrong with a reading that is silent
            let observed = observed.filter(|observed| *observed > limit);
            found.push(Breach { scope, metric, observed, limit });
        }
    }
    found
}
