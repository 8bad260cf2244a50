//! `claim next`: claims the scenario that most needs measuring, and says why other scenarios were passed over.

use super::need::{NeedRow, Needs};
use super::place::{claimed_as, declared};
use super::shared::{Intended, RemoteLook};
use super::spending;
use super::{ClaimOutcome, Claimant, Claiming, OpenJournal, faster, tags};
use crate::app::site::line_files::ledger_files;
use crate::app::site::{self, Site};
use crate::engine::budget::{BudgetOverlay, SpendingSeries};
use crate::engine::effective::Effective;
use crate::error::Result;
use crate::features::claims::judge::engine::{ClaimTerms, Claims, HeldPhase, NodeNames};
use crate::features::claims::model::next_rows::PassedRow;
use crate::features::claims::model::settings::ClaimLimits;
use crate::features::claims::model::{Claim, ClaimEvent, ClaimSeries, ClaimToken};
use crate::model::ledger::{Ledger, parse};
use crate::model::node::Node;
use crate::model::scenario::placeholder;
use crate::report::view::score::ReadingState;
use crate::store::ledger::OpenLedger;
use crate::store::lock::LedgerLock;
use crate::tree::path::RepoPath;
use bstr::{BStr, ByteSlice};
use std::collections::HashMap;
use std::path::Path;

/// The urgency of a scenario; smaller is more urgent. Equal ranks are ordered by the time of the latest reading, then by
/// path, then by name, so that every machine takes the same scenario.
type Need<'r> = (u8, &'r str, &'r RepoPath, &'r str);

fn need(row: &NeedRow, failing: bool) -> Result<Need<'_>, String> {
    let is_fail = row.counting.as_ref().is_some_and(|(_, is_fail)| *is_fail);
    // the latest of all readings, even if an earlier one counts, to see under the lock whether a reading was filed since
    let ts = row.latest.as_deref().unwrap_or_default();
    let is_earlier = row.counting.as_ref().is_some_and(|(counting, _)| counting != ts);
    let called = if is_earlier { "the reading that counts" } else { "its latest reading" };
    if let Some(reason) = row.is_blocked(failing) {
        return Err(format!("it waits for a person: {reason}"));
    }
    let rank = match (&row.state, is_fail) {
        (ReadingState::Unmeasured, _) => 0,
        (ReadingState::Stale(_), true) => 1,
        (ReadingState::Stale(_), false) => 2,
        (ReadingState::Fresh, true) if failing => 3,
        (ReadingState::Fresh, true) => return Err(format!("{called} is a fresh fail; --failing takes those")),
        (ReadingState::Fresh, false) => return Err(format!("{called} is fresh")),
        (ReadingState::NotJudged(reason), _) => return Err(format!("git cannot tell: {reason}")),
    };
    Ok((rank, ts, &row.dir, &row.scenario))
}

/// Most tries if other machines are faster.
const MOST_MISSES: usize = 50;

impl Claiming<'_> {
    /// Claims the scenario that most needs measuring. A dry run only says what would be taken. Returns the claim, `None` if
    /// no scenario that needs measuring could be taken. Also returns, with reasons, the more urgent scenarios that could not
    /// be taken, and the scenarios that need no measuring.
    ///
    /// # Errors
    /// When the journal or a ledger cannot be read or written; unchecked if a remote cannot be asked.
    pub(crate) fn next(
        &mut self,
        needs: &Needs,
        claimant: &Claimant,
        dry_run: bool,
    ) -> Result<(Option<ClaimOutcome>, Vec<PassedRow>)> {
        self.names = NodeNames::of(&needs.nodes);
        for _ in 0..MOST_MISSES {
            let look = RemoteLook::of(&mut self.board, &self.terms)?;
            let (wanted, mut passed) = in_order(needs, &self.names);
            let Some(intended) = self.first(&look, needs, claimant, wanted, &mut passed, dry_run)? else {
                return Ok((None, passed));
            };
            let outcome = if dry_run { Some(self.outcome(intended)) } else { self.publish(intended)? };
            if outcome.is_some() {
                return Ok((outcome, passed));
            }
        }
        Err(faster(MOST_MISSES, "ask again: `yatsu-hook claim next`"))
    }

    /// Takes the first of `wanted` that is free to take, and adds the others before it to `passed`.
    fn first(
        &self,
        look: &RemoteLook,
        needs: &Needs,
        claimant: &Claimant,
        wanted: Vec<(Need<'_>, ClaimSeries)>,
        passed: &mut Vec<PassedRow>,
        dry_run: bool,
    ) -> Result<Option<Intended>> {
        let lock = self.store.lock_ledger()?;
        let choosing = Choosing::of(self.site, needs, claimant, &self.terms, &self.names)?;
        let over_run = |overlay: &BudgetOverlay| spending::run_refusal(overlay, claimant.run.as_ref()?, &needs.nodes);
        choosing.overlay.as_ref().and_then(over_run).map_or(Ok(()), Err)?;
        let mut journal = OpenJournal::open(self.store, &lock)?;
        let claims = look.over(&journal.claims, &self.terms);
        for ((_, ts, dir, name), series) in wanted {
            let tried = match choosing.decide(&claims, &series)? {
                Err(reason) => Err(reason),
                Ok(_) if was_measured(self.site, &lock, &needs.nodes, &series, ts)? => {
                    Err("it was measured just now".to_owned())
                }
                Ok(event) if dry_run => return Ok(Some(Intended::only_said(event, journal.cut()))),
                Ok(_) => match (look.refuse_odd(&series, &self.names), choosing.claim(&journal.claims, &series)?) {
                    (Err(unreadable), _) => Err(unreadable.message),
                    (_, Err(reason)) => Err(reason),
                    (Ok(()), Ok(claim)) => self
                        .intend(&mut journal, look, claim, false, &needs.nodes)?
                        .map_err(|refusal| refusal.message(&self.names)),
                },
            };
            match tried {
                Ok(intended) => return Ok(Some(intended)),
                Err(reason) => passed.push(passed_over(dir, name, &self.names, reason)),
            }
        }
        Ok(None)
    }
}

/// The scenarios that need measuring, most urgent first, and the reasons against the others.
fn in_order<'r>(needs: &'r Needs, names: &NodeNames) -> (Vec<(Need<'r>, ClaimSeries)>, Vec<PassedRow>) {
    let (mut wanted, mut passed) = (Vec::new(), Vec::new());
    for row in &needs.rows {
        let Some(series) = ClaimSeries::new(&row.dir, &row.scenario) else { continue };
        match need(row, needs.failing) {
            Ok(need) => wanted.push((need, series)),
            Err(reason) => passed.push(passed_over(&row.dir, &row.scenario, names, reason)),
        }
    }
    wanted.sort();
    (wanted, passed)
}

fn passed_over(dir: &RepoPath, scenario: &str, names: &NodeNames, reason: String) -> PassedRow {
    let called = names.scenario(dir, scenario);
    PassedRow { node: dir.to_bstring(), scenario: scenario.to_owned(), called, reason }
}

/// A scenario to measure, with the own claim on it.
type WantedRow<'c> = (&'c NeedRow, Option<Claim>);

/// The scenarios that the claimant holds or could take now, most urgent first, each with the own claim on it and judged as
/// if it were taken first. After them the scenarios that cannot be taken or judged. Takes nothing and no lock, so a scenario
/// that is being filed may still be listed. Two processes may share a name, so a shown token decides alone which claim is an own one.
///
/// # Errors
/// When the journal or a ledger cannot be read.
pub(crate) fn line_up<'c>(
    site: &dyn Site,
    common_dir: &Path,
    claimant: &Claimant,
    shown: Option<ClaimToken>,
    needs: &'c Needs,
) -> Result<(Vec<WantedRow<'c>>, Vec<PassedRow>)> {
    site::work_dir(site)?;
    let names = NodeNames::of(&needs.nodes);
    let (wanted, mut passed) = in_order(needs, &names);
    let by_name: HashMap<(&BStr, &str), &NeedRow> =
        needs.rows.iter().map(|row| ((row.dir.as_bstr(), row.scenario.as_str()), row)).collect();
    passed.retain(|one| {
        let row = by_name.get(&(one.node.as_bstr(), one.scenario.as_str()));
        row.is_some_and(|row| matches!(row.state, ReadingState::NotJudged(_)))
    });
    let claims = super::state(common_dir)?;
    let terms = ClaimTerms { now: claimant.now, limits: needs.config.of::<ClaimLimits>().clone() };
    let choosing = Choosing::of(site, needs, claimant, &terms, &names)?;
    let is_own = |claim: &Claim| shown.map_or(claim.owner == claimant.owner, |token| claim.token == token);
    let mut rows = Vec::new();
    for ((.., dir, name), series) in wanted {
        let own = choosing.holder(&claims, &series)?.filter(is_own);
        match choosing.decide(&claims, &series)? {
            Err(reason) if own.is_none() => passed.push(passed_over(dir, name, &names, reason)),
            _ => rows.extend(by_name.get(&(dir.as_bstr(), name)).map(|row| (*row, own))),
        }
    }
    Ok((rows, passed))
}

/// The context in which a scenario is chosen.
struct Choosing<'c> {
    claimant: &'c Claimant,
    nodes: &'c [Node],
    overlay: Option<BudgetOverlay>,
    terms: &'c ClaimTerms,
    names: &'c NodeNames,
}

impl<'c> Choosing<'c> {
    fn of(
        site: &dyn Site,
        needs: &'c Needs,
        claimant: &'c Claimant,
        terms: &'c ClaimTerms,
        names: &'c NodeNames,
    ) -> Result<Self> {
        let overlay = spending::now(site, &needs.config.budgets)?;
        Ok(Self { claimant, nodes: &needs.nodes, overlay, terms, names })
    }

    /// The event that takes this scenario, or why it cannot be taken.
    fn decide(&self, claims: &Claims, series: &ClaimSeries) -> Result<Result<ClaimEvent, String>> {
        if declared(self.nodes, series).is_some_and(|(_, scenario)| placeholder::is_in(scenario)) {
            return Ok(Err("its text is still to be written".to_owned()));
        }
        let over = |overlay: &BudgetOverlay| {
            let on = series.scenario()?;
            spending::refusal(overlay, &SpendingSeries::new(on.node(), on.name()), self.nodes)
        };
        if let Some(refusal) = self.overlay.as_ref().and_then(over) {
            return Ok(Err(refusal.message));
        }
        Ok(self.claim(claims, series)?.and_then(|claim| {
            let taken = claims.take(&claim, false, self.terms, &|series| tags(self.nodes, series));
            taken.map_err(|refusal| refusal.message(self.names))
        }))
    }

    /// The claim on this scenario, unless it has lapsed.
    fn holder(&self, claims: &Claims, series: &ClaimSeries) -> Result<Option<Claim>> {
        let Ok(claim) = self.claim(claims, series)? else { return Ok(None) };
        let is_kept = |claim: &&Claim| self.terms.phase(claim) != HeldPhase::Lapsed;
        Ok(claims.holder(&claim.series).filter(is_kept).cloned())
    }

    /// The claim that the claimant wants on this scenario, or why there is none.
    fn claim(&self, claims: &Claims, series: &ClaimSeries) -> Result<Result<Claim, String>> {
        let Some((node, scenario)) = declared(self.nodes, series) else {
            return Ok(Err("it is declared no more".to_owned()));
        };
        let is_declared = |of: &ClaimSeries| Ok(declared(self.nodes, of).is_some());
        let series = claimed_as(claims, node, scenario, None, self.terms, &is_declared)?;
        self.claimant.claim(series, Some(scenario)).map(Ok)
    }
}

/// Whether the ledgers, read again under the lock, have another latest reading than `ts`. Then a reading was filed in
/// between, and it ended the claim that kept others away.
fn was_measured(site: &dyn Site, lock: &LedgerLock, nodes: &[Node], series: &ClaimSeries, ts: &str) -> Result<bool> {
    let Some(on) = series.scenario() else { return Ok(false) };
    let Some(node) = nodes.iter().find(|node| node.dir == *on.node()) else { return Ok(false) };
    let Some(work_dir) = site.work_dir() else { return Ok(false) };
    let paths = ledger_files(work_dir, node)?;
    let read =
        |path: &RepoPath| -> Result<Ledger> { Ok(parse(path, &OpenLedger::open(lock, work_dir, path)?.read()?)) };
    let ledgers: Vec<Ledger> = paths.iter().map(read).collect::<Result<_>>()?;
    let latest = Effective::over(&ledgers).latest(on.name()).map(|reading| reading.ts.to_string());
    Ok(latest.unwrap_or_default() != ts)
}
