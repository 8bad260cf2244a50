//! The limits of `yatsu.budgets`: the cost of one reading, and of all readings of a run. Without a limit cost is unlimited.

use super::ledger::Timestamp;
use super::usage::{Amounts, Metric};
use crate::text::spelled::spelled;
use std::collections::BTreeMap;
use std::fmt;

spelled! {
    /// The total that a limit applies to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum BudgetScope {
        /// Every single reading.
        Task = "task",
        /// All readings of a run together.
        Run = "run",
    }
}

impl BudgetScope {
    /// The name of `metric` in a breach of this scope.
    pub(crate) fn metric_name(self, metric: Metric) -> &'static str {
        match (self, metric) {
            (Self::Task, Metric::Rss) => "rss_bytes",
            (Self::Task, Metric::CpuUser) => "cpu_user_ticks",
            (Self::Task, Metric::CpuSystem) => "cpu_system_ticks",
            (Self::Task, Metric::IoRead) => "io_read_bytes",
            (Self::Task, Metric::IoWrite) => "io_write_bytes",
            (Self::Task | Self::Run, Metric::Tokens) => "total_tokens",
            (Self::Run, Metric::Rss) => "peak_rss_bytes",
            (Self::Run, Metric::CpuUser) => "total_cpu_user_ticks",
            (Self::Run, Metric::CpuSystem) => "total_cpu_system_ticks",
            (Self::Run, Metric::IoRead) => "total_io_read_bytes",
            (Self::Run, Metric::IoWrite) => "total_io_write_bytes",
        }
    }

    /// The key of the limit on `metric` in `yatsu.budgets`.
    pub(crate) fn key(self, metric: Metric) -> &'static str {
        match (self, metric) {
            (Self::Task, Metric::Rss) => "maxTaskRssBytes",
            (Self::Task, Metric::CpuUser) => "maxTaskCpuUserTicks",
            (Self::Task, Metric::CpuSystem) => "maxTaskCpuSystemTicks",
            (Self::Task, Metric::IoRead) => "maxTaskIoReadBytes",
            (Self::Task, Metric::IoWrite) => "maxTaskIoWriteBytes",
            (Self::Task, Metric::Tokens) => "maxTaskTotalTokens",
            (Self::Run, Metric::Rss) => "maxRunPeakRssBytes",
            (Self::Run, Metric::CpuUser) => "maxRunCpuUserTicks",
            (Self::Run, Metric::CpuSystem) => "maxRunCpuSystemTicks",
            (Self::Run, Metric::IoRead) => "maxRunIoReadBytes",
            (Self::Run, Metric::IoWrite) => "maxRunIoWriteBytes",
            (Self::Run, Metric::Tokens) => "maxRunTotalTokens",
        }
    }

    /// The known amounts of `amounts`, by the names of this scope's metrics.
    pub(crate) fn named(self, amounts: &Amounts) -> BTreeMap<&'static str, u64> {
        let one = |metric| Some((self.metric_name(metric), amounts.get(metric)?));
        self.metrics().into_iter().filter_map(one).collect()
    }

    /// The order in which breaches name the metrics.
    pub(crate) fn metrics(self) -> [Metric; 6] {
        match self {
            Self::Task => Metric::ALL,
            Self::Run => Metric::OF_RUN,
        }
    }
}

impl fmt::Display for BudgetScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// From when on every reading must state its usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequireUsage {
    /// Never.
    #[default]
    No,
    /// For all readings, old ones included.
    Always,
    /// For readings at or after this time.
    From(Timestamp),
}

impl RequireUsage {
    /// Whether a reading of that time must state its cost.
    pub(crate) fn applies(self, ts: Timestamp) -> bool {
        match self {
            Self::No => false,
            Self::Always => true,
            Self::From(start) => ts >= start,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    pub task: Amounts,
    pub run: Amounts,
    /// Whether a missing limited amount is a breach.
    pub require_usage: RequireUsage,
}

impl Budgets {
    /// Every possible limit, in the order in which breaches are named.
    pub(crate) const KEYS: [(BudgetScope, Metric); 12] = keys();

    pub(crate) fn of(&self, scope: BudgetScope) -> &Amounts {
        match scope {
            BudgetScope::Task => &self.task,
            BudgetScope::Run => &self.run,
        }
    }

    pub(crate) fn set(&mut self, scope: BudgetScope, metric: Metric, limit: u64) {
        match scope {
            BudgetScope::Task => self.task.set(metric, limit),
            BudgetScope::Run => self.run.set(metric, limit),
        }
    }

    /// Whether there is no limit.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.task.is_empty() && self.run.is_empty()
    }
}

const fn keys() -> [(BudgetScope, Metric); 12] {
    let mut keys = [(BudgetScope::Task, Metric::Rss); 12];
    let mut at = 0;
    while at < 6 {
        keys[at] = (BudgetScope::Task, Metric::ALL[at]);
        keys[at + 6] = (BudgetScope::Run, Metric::OF_RUN[at]);
        at += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_limit_has_a_key_and_every_breach_a_name() {
        let pairs =
            || [BudgetScope::Task, BudgetScope::Run].into_iter().flat_map(|scope| Metric::ALL.map(|m| (scope, m)));
        let keys: BTreeSet<_> = pairs().map(|(scope, metric)| scope.key(metric)).collect();
        let names: BTreeSet<_> = pairs().map(|(scope, metric)| (scope.as_str(), scope.metric_name(metric))).collect();
        assert_eq!((keys.len(), names.len()), (12, 12));
    }

    #[test]
    fn usage_is_required_from_the_moment_on() {
        let at = |millis| Timestamp { millis };
        assert!(!RequireUsage::No.applies(at(5)) && RequireUsage::Always.applies(at(0)));
        assert_eq!([4, 5, 6].map(|millis| RequireUsage::From(at(5)).applies(at(millis))), [false, true, true]);
    }
}
