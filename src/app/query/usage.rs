//! `usage`: the cost of runs and scenarios, with their limits. Retracted readings count too, because they cost the same.

use super::view::node_ref;
use crate::app::judge::branch::touched;
use crate::app::judge::{snapshot, unseen};
use crate::app::site::{Selection, pick_named};
use crate::engine::budget::{BudgetOverlay, Judged, SpendingSeries};
use crate::error::{Error, Result};
use crate::model::budgets::{BudgetScope, Budgets, RequireUsage};
use crate::model::labels::RunId;
use crate::model::node::Node;
use crate::model::usage::Amounts;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::repo::Repo;
use crate::report::view::usage::{AmountRow, RunUsage, ScenarioUsage, UsageReport, UsageRequired};
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The spending in the ledgers of the working tree (of HEAD in a bare repository): of one node or scenario, of one run, or
/// all of it. `here` is the user's current directory.
///
/// # Errors
/// Usage for an unknown node or run.
pub(crate) fn usage(repo: &Repo, node: Option<String>, run: Option<&RunId>, here: &RepoPath) -> Result<UsageReport> {
    let view = snapshot::all(repo)?.view;
    let Workspace { config, nodes } = workspace::load(&*view, workspace::read_config(&*view)?, &Select::All)?;
    let named = Selection::of(node.as_slice(), |text| {
        pick_named(&nodes, Some(text), here, || touched(repo, &nodes))
            .map_err(|error| unseen::hinted(error, &*view, &config))
    })?;
    let all = nodes.iter().map(|node| (&node.dir, &node.ledgers[..]));
    let overlay = BudgetOverlay::of_ledgers(all, &config.budgets);
    if let Some(run) = run.filter(|run| !overlay.runs().contains_key(run)) {
        return Err(Error::usage(format!("no reading belongs to the run {run}"))
            .hint("`yatsu-hook usage` lists every run there is"));
    }
    let is_asked = |judged: &&Judged| {
        named.has(judged.series.node(), judged.series.scenario())
            && run.is_none_or(|run| judged.run.as_ref() == Some(run))
    };
    let asked: Vec<&Judged> = overlay.readings().map(|(_, judged)| judged).filter(is_asked).collect();
    let require_usage = match config.budgets.require_usage {
        RequireUsage::No => UsageRequired::Always(false),
        RequireUsage::Always => UsageRequired::Always(true),
        RequireUsage::From(start) => UsageRequired::From(start.to_string()),
    };
    let runs = runs(&overlay, &asked, &config.budgets);
    Ok(UsageReport { require_usage, runs, scenarios: scenarios(&overlay, &asked, &config.budgets, &nodes) })
}

/// The runs of the requested readings, each with its totals.
fn runs(overlay: &BudgetOverlay, asked: &[&Judged], budgets: &Budgets) -> Vec<RunUsage> {
    let named: BTreeSet<&RunId> = asked.iter().filter_map(|judged| judged.run.as_ref()).collect();
    let mut readings: BTreeMap<&RunId, usize> = BTreeMap::new();
    for judged in overlay.readings().map(|(_, judged)| judged).filter(|judged| !judged.repeats && !judged.is_copy) {
        judged.run.iter().for_each(|run| *readings.entry(run).or_default() += 1);
    }
    let of_run = |(run, totals): (&RunId, &Amounts)| RunUsage {
        run: run.to_string(),
        readings: readings.get(run).copied().unwrap_or_default(),
        over_budget: overlay.is_run_breached(run),
        amounts: amounts(BudgetScope::Run, totals, None, budgets),
    };
    overlay.runs().iter().filter(|(run, _)| named.contains(run)).map(of_run).collect()
}

/// The totals of the readings of one scenario.
#[derive(Default)]
struct Sum {
    readings: usize,
    total: Amounts,
    most: Amounts,
}

fn scenarios(overlay: &BudgetOverlay, asked: &[&Judged], budgets: &Budgets, nodes: &[Node]) -> Vec<ScenarioUsage> {
    let mut sums: BTreeMap<&SpendingSeries, Sum> = BTreeMap::new();
    for judged in asked.iter().filter(|judged| !judged.repeats) {
        let sum = sums.entry(&judged.series).or_default();
        sum.readings += 1;
        sum.total.add(&judged.spent);
        sum.most.raise(&judged.spent);
    }
    let of_series = |(series, sum): (&SpendingSeries, Sum)| {
        let standing = overlay.standing(series);
        if sum.total.is_empty() && standing.is_none() {
            return None;
        }
        Some(ScenarioUsage {
            node: node_ref(nodes.iter().find(|node| node.dir == *series.node())?),
            scenario: series.scenario().to_owned(),
            readings: sum.readings,
            over_budget: standing.is_some(),
            breached_at: standing.map(|(at, _)| at.ts.to_string()),
            breaches: standing.map(|(_, judged)| judged.breaches.clone()).unwrap_or_default(),
            amounts: amounts(BudgetScope::Task, &sum.total, Some(&sum.most), budgets),
        })
    };
    sums.into_iter().filter_map(of_series).collect()
}

/// A row for each metric that has spending or a limit. `most` holds the amounts of the most expensive reading.
fn amounts(scope: BudgetScope, total: &Amounts, most: Option<&Amounts>, budgets: &Budgets) -> Vec<AmountRow> {
    let row = |metric| AmountRow {
        metric: scope.metric_name(metric),
        total: total.get(metric),
        most: most.map(|most| most.get(metric)),
        limit: budgets.of(scope).get(metric),
    };
    scope.metrics().into_iter().map(row).filter(|row| row.total.is_some() || row.limit.is_some()).collect()
}
