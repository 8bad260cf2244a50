//! Whether a report is as new as what it is filed for, and whether a scenario waits for it.

use super::{BulkRequest, ReadReport, ReportFiling};
use crate::engine::budget::BudgetOverlay;
use crate::engine::effective::Effective;
use crate::engine::freshness::{Freshness, MovedContent};
use crate::engine::score::Score;
use crate::error::Result;
use crate::features::imports::model::answer::FreshScenario;
use crate::finding::Axis;
use crate::model::labels::EnvName;
use crate::model::ledger::{ReadingVerdict, Status};
use crate::model::node::Declared;
use crate::text::plural;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::BString;
use std::collections::BTreeSet;

impl ReportFiling<'_> {
    /// Why the reports of these cases did not measure the scenario as it is: what it governs, its text or its test moved between
    /// the report and HEAD, or one of `dirty` was changed after the report. `None` if they did, or if nobody asks.
    pub(super) fn older(&self, one: Declared<'_>, dirty: &[RepoPath], cases: &[usize]) -> Result<Option<String>> {
        if self.request.older_report {
            return Ok(None);
        }
        if let Some(why) = self.moved_since_the_tests(one)? {
            return Ok(Some(why));
        }
        for report in self.reports_of(cases) {
            let Some(written) = report.modified else { continue };
            if let Some(why) = self.older_than_head(one, report, written.0)? {
                return Ok(Some(why));
            }
            let view = self.judge.view();
            let is_later = |path: &&RepoPath| view.file_stamp(path, None).is_some_and(|stamp| stamp.modified > written);
            if let Some(path) = dirty.iter().find(is_later) {
                return Ok(Some(format!("{path} was changed after {} was written", report.name)));
            }
        }
        Ok(None)
    }

    /// Why the scenario is another one than at the commit at which the tests ran. The times of commits do not say it: a
    /// colleague may commit before the tests begin, and push while they run.
    fn moved_since_the_tests(&self, one: Declared<'_>) -> Result<Option<String>> {
        let Some(then) = self.request.ran_at.filter(|then| *then != self.work.head) else { return Ok(None) };
        let since = self.judge.since(then, one.node, one.scenario)?;
        Ok(moved(&since, &then).map(|what| format!("the tests did not run at HEAD, and {what}")))
    }

    /// A commit that is younger than the report may have been made while the tests ran, or beside them. So the content is compared
    /// with the newest commit that the tests can have seen.
    fn older_than_head(&self, one: Declared<'_>, report: &ReadReport, written: i64) -> Result<Option<String>> {
        let head = self.work.head;
        if self.site.date(&head)?.is_none_or(|date| date <= written) {
            return Ok(None);
        }
        let Some(then) = self.site.newest_until(&head, written)? else {
            let name = &report.name;
            return Ok(Some(format!("{name} is older than HEAD and every commit before it that this clone has")));
        };
        let since = self.judge.since(then, one.node, one.scenario)?;
        Ok(moved(&since, &then).map(|what| format!("{} is older than HEAD, and {what}", report.name)))
    }

    /// The reading that counts, if it is fresh and says the same: with `--only-stale` nothing is filed beside it.
    pub(super) fn fresh(&self, target: usize, status: Status) -> Result<Option<FreshScenario>> {
        let one = self.declared(target);
        if self.request.only_stale && one.scenario.is_repeated() {
            return Ok(self.fresh_runs(target, status));
        }
        let counting = self.judge.counting(one.node, one.scenario, &Effective::of(one.node));
        let Some(counting) = counting.filter(|_| self.request.only_stale) else { return Ok(None) };
        let reading = counting.filed.event;
        let is_same = counting.freshness?.is_fresh() && reading.verdict == ReadingVerdict::Measured(status);
        let (node, scenario) = (one.node.id.clone(), one.scenario.name.clone());
        Ok(is_same.then(|| FreshScenario { node, scenario, ts: reading.ts.to_string() }))
    }

    /// The same for a scenario with runs or environments: what these runs alone decide, beside what counts there.
    fn fresh_runs(&self, target: usize, status: Status) -> Option<FreshScenario> {
        let one = self.declared(target);
        let budgets = BudgetOverlay::of_nodes(&self.work.nodes, &self.work.config.budgets);
        let score = Score::judged(self.judge, &budgets, one, &Effective::of(one.node));
        let (_, score) = score.in_env(self.asked.envs[target].as_ref().map(EnvName::as_str));
        let is_same = score.is_fresh() && score.verdict() == Some(ReadingVerdict::Measured(status));
        let reading = score.reading.as_ref().filter(|_| is_same)?;
        let (node, scenario) = (one.node.id.clone(), one.scenario.name.clone());
        Some(FreshScenario { node, scenario, ts: reading.ts.to_string() })
    }

    pub(super) fn reports_of(&self, cases: &[usize]) -> impl Iterator<Item = &ReadReport> {
        let BulkRequest { reports, .. } = self.request;
        let mut end = 0;
        let ends = reports.iter().zip(&self.lengths).map(move |(report, length)| {
            let start = end;
            end += length;
            (report, start..end)
        });
        ends.filter(|(_, range)| cases.iter().any(|case| range.contains(case))).map(|(report, _)| report)
    }
}

/// What moved since a commit, in words.
fn moved(since: &Freshness, then: &Oid) -> Option<String> {
    let then = &then.to_string()[..12];
    // a test may be governed, too
    let paths: BTreeSet<BString> = since.drift().map(MovedContent::named).collect();
    if let Some(first) = paths.first() {
        let more = paths.len() - 1;
        let more = if more == 0 { String::new() } else { format!(" and {}", plural(more, "other path")) };
        return Some(format!("{first}{more} moved since {then}"));
    }
    match since.axes[..] {
        [] => None,
        [Axis::Scenario] => Some(format!("the text of the scenario changed since {then}")),
        _ => Some(format!("nothing says what moved since {then}")),
    }
}
