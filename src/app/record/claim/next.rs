//! `claim next`: takes what most needs measuring. Rows of the score in, at most one claim out, and why each other row was
//! passed over.

use super::{ClaimOutcome, Claimant, Desk, tags, taking, terms};
use crate::app::record::site::{self, Site, ledger_path};
use crate::app::record::spending;
use crate::engine::budget::{BudgetOverlay, SpendingSeries};
use crate::engine::claim::ClaimCommand;
use crate::engine::effective::Effective;
use crate::error::Result;
use crate::model::claim::ClaimSeries;
use crate::model::ledger::{Ledger, parse};
use crate::model::node::Node;
use crate::report::view::score::{ReadingState, ScenarioRow};
use crate::report::view::verdict::ShownVerdict;
use crate::store::Store;
use crate::store::ledger::OpenLedger;
use crate::store::lock::LedgerLock;
use crate::tree::path::RepoPath;

/// What is looked at, and whether anything is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextChoice {
    /// Fresh fails need measuring, too.
    pub failing: bool,
    /// Say what would be taken, and take nothing.
    pub dry_run: bool,
}

/// What there is to choose from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates<'c> {
    /// The scenarios that may be taken, with their latest readings.
    pub rows: &'c [ScenarioRow],
    /// Every node, also those of scenarios that may not.
    pub nodes: &'c [Node],
}

/// A scenario that was not taken.
#[derive(Clone, Debug)]
pub(crate) struct PassedOver {
    /// The node and the scenario.
    pub series: ClaimSeries,
    /// Why, in a sentence.
    pub reason: String,
}

/// What was taken, or would be.
#[derive(Clone, Debug)]
pub(crate) struct NextClaim {
    /// The claim; nothing where nothing needs measuring that could be taken.
    pub outcome: Option<ClaimOutcome>,
    /// What came before it in the order of need, and what needs no measuring.
    pub passed: Vec<PassedOver>,
}

/// How much a scenario needs measuring: less is more, and equal needs follow the older reading, then the path, then the
/// name, so that every machine takes the same one.
type Need<'r> = (u8, &'r str, RepoPath, &'r str);

fn need(row: &ScenarioRow, failing: bool) -> Result<Need<'_>, String> {
    let latest = row.readings.first();
    let ts = latest.map_or("", |reading| reading.ts.as_str());
    let is_fail = latest.is_some_and(|reading| reading.effective() == ShownVerdict::Fail);
    let rank = match (&row.state, is_fail) {
        (ReadingState::Unmeasured, _) => 0,
        (ReadingState::Stale(_), true) => 1,
        (ReadingState::Stale(_), false) => 2,
        (ReadingState::Fresh, true) if failing => 3,
        (ReadingState::Fresh, true) => return Err("its latest reading is a fresh fail; --failing takes those".into()),
        (ReadingState::Fresh, false) => return Err("its latest reading is fresh".into()),
        (ReadingState::NotJudged(reason), _) => return Err(format!("git cannot tell: {reason}")),
    };
    Ok((rank, ts, RepoPath::from_git(row.node.dir.clone()), &row.scenario))
}

/// Takes what most needs measuring.
///
/// # Errors
/// When the journal or a ledger cannot be read or written.
pub(crate) fn next(
    site: &dyn Site,
    store: &Store,
    claimant: &Claimant,
    choice: NextChoice,
    candidates: Candidates<'_>,
) -> Result<NextClaim> {
    site::work_dir(site)?;
    let Candidates { rows, nodes } = candidates;
    let config = site.config()?;
    let terms = terms(&config.claims, claimant.now);
    let (mut wanted, mut passed) = (Vec::new(), Vec::new());
    for row in rows {
        let Some(series) = ClaimSeries::new(&RepoPath::from_git(row.node.dir.clone()), &row.scenario) else { continue };
        match need(row, choice.failing) {
            Ok(need) => wanted.push((need, series)),
            Err(reason) => passed.push(PassedOver { series, reason }),
        }
    }
    wanted.sort();
    let lock = store.lock_ledger()?;
    let overlay = spending::now(site, &config.budgets)?;
    let over_run = |overlay: &BudgetOverlay| spending::run_refusal(overlay, claimant.run.as_ref()?, nodes);
    overlay.as_ref().and_then(over_run).map_or(Ok(()), Err)?;
    let mut desk = Desk::open(store.common_dir(), &lock)?;
    for ((_, ts, ..), series) in wanted {
        let spent = SpendingSeries::new(series.node(), series.scenario());
        let over = |overlay: &BudgetOverlay| spending::refusal(overlay, &spent, nodes);
        if let Some(refusal) = overlay.as_ref().and_then(over) {
            passed.push(PassedOver { series, reason: refusal.message });
            continue;
        }
        let command = ClaimCommand::Take(taking(claimant, series.clone(), false)?);
        let decision = match desk.claims.decide(&command, &terms, &|series| tags(nodes, series)) {
            Ok(decision) => decision,
            Err(refusal) => {
                passed.push(PassedOver { series, reason: refusal.to_string() });
                continue;
            }
        };
        if was_measured(site, &lock, nodes, &series, ts)? {
            passed.push(PassedOver { series, reason: "it was measured just now".into() });
            continue;
        }
        if !choice.dry_run {
            desk.follow(&decision)?;
        }
        let Some(event) = decision.event else { continue };
        return Ok(NextClaim { outcome: Some(ClaimOutcome { event, cut: desk.journal.cut() }), passed });
    }
    Ok(NextClaim { outcome: None, passed })
}

/// Whether the ledgers, read again under the lock, hold another reading than the one that the need was told by: somebody
/// filed between the two, and the claim that kept others away has ended with it.
fn was_measured(site: &dyn Site, lock: &LedgerLock, nodes: &[Node], series: &ClaimSeries, ts: &str) -> Result<bool> {
    let Some(node) = nodes.iter().find(|node| node.dir == *series.node()) else { return Ok(false) };
    let Some(work_dir) = site.work_dir() else { return Ok(false) };
    let mut paths: Vec<RepoPath> = node.ledgers.iter().map(|ledger| ledger.path.clone()).collect();
    if paths.is_empty() {
        paths.push(ledger_path(node));
    }
    let read =
        |path: &RepoPath| -> Result<Ledger> { Ok(parse(path, &OpenLedger::open(lock, work_dir, path)?.read()?)) };
    let ledgers: Vec<Ledger> = paths.iter().map(read).collect::<Result<_>>()?;
    let latest = Effective::over(&ledgers).latest(series.scenario()).map(|reading| reading.ts.to_string());
    Ok(latest.unwrap_or_default() != ts)
}
