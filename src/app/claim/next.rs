//! `claim next`: claims the scenario that most needs measuring, and says why other scenarios were passed over.

use super::need::NeedRow;
use super::place::{AskedFor, NodeNames, claimed_as, declared};
use super::shared::{self, Intended, MadeKnown, RemoteLook};
use super::{ClaimOutcome, Claimant, Desk, Naming, look_at, tags, taking, terms};
use crate::app::site::spending;
use crate::app::site::{self, Site, ledger_path};
use crate::engine::budget::{BudgetOverlay, SpendingSeries};
use crate::engine::claim::{ClaimCommand, ClaimDecision, ClaimTerms, Claims, HeldPhase, Taking, phase};
use crate::engine::effective::Effective;
use crate::error::{Error, Refusal, Result};
use crate::model::claim::{Claim, ClaimSeries, ClaimToken};
use crate::model::config::Config;
use crate::model::ledger::{Ledger, parse};
use crate::model::node::Node;
use crate::remote::board::SharedBoard;
use crate::report::view::score::ReadingState;
use crate::store::Store;
use crate::store::ledger::OpenLedger;
use crate::store::lock::LedgerLock;
use crate::tree::path::RepoPath;
use std::collections::HashMap;
use std::path::Path;

/// The options of `claim next`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextChoice {
    /// Fresh fails also need measuring.
    pub failing: bool,
    /// Only say what would be taken.
    pub dry_run: bool,
}

/// The scenarios to choose from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates<'c> {
    /// The scenarios that may be taken.
    pub rows: &'c [NeedRow],
    /// Every node, also nodes without a candidate.
    pub nodes: &'c [Node],
    /// The configuration of the work tree.
    pub config: &'c Config,
}

/// The candidates, and where claims are shared.
pub(crate) struct NextAround<'c> {
    /// The scenarios.
    pub candidates: Candidates<'c>,
    /// The remote on which other machines see the claim, if any.
    pub board: SharedBoard<'c>,
}

/// The candidates, with the claims that a remote showed.
struct NextSeen<'c> {
    candidates: Candidates<'c>,
    look: Option<&'c RemoteLook>,
}

/// The journal under the lock, with the claims that a remote showed.
struct NextDesk<'l> {
    desk: Desk<'l>,
    look: Option<&'l RemoteLook>,
}

/// A scenario that was not taken.
#[derive(Clone, Debug)]
pub(crate) struct PassedOver {
    /// The directory of its node.
    pub dir: RepoPath,
    /// Its name.
    pub scenario: String,
    /// Both as messages name them, e.g. `board/renders`.
    pub what: String,
    /// The reason, in a sentence.
    pub reason: String,
}

/// The result of `claim next`.
#[derive(Clone, Debug)]
pub(crate) struct NextClaim {
    /// The claim; `None` if no scenario that needs measuring could be taken.
    pub outcome: Option<ClaimOutcome>,
    /// More urgent scenarios that could not be taken, and scenarios that need no measuring.
    pub passed: Vec<PassedOver>,
}

/// The urgency of a scenario; smaller is more urgent. Equal ranks are ordered by the time of the latest reading, then by
/// path, then by name, so that every machine takes the same scenario.
type Need<'r> = (u8, &'r str, &'r RepoPath, &'r str);

fn need(row: &NeedRow, failing: bool) -> Result<Need<'_>, String> {
    let is_fail = row.counting.as_ref().is_some_and(|(_, is_fail)| *is_fail);
    // the latest of all readings, even if an earlier one counts, to see under the lock whether a reading was filed since
    let ts = row.latest.as_deref().unwrap_or_default();
    let is_earlier = row.counting.as_ref().is_some_and(|(counting, _)| counting != ts);
    let called = if is_earlier { "the reading that counts" } else { "its latest reading" };
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

/// Claims the scenario that most needs measuring.
///
/// # Errors
/// When the journal or a ledger cannot be read or written; unchecked if a remote cannot be asked.
pub(crate) fn next(
    site: &dyn Site,
    store: &Store,
    claimant: &Claimant,
    choice: NextChoice,
    around: NextAround<'_>,
) -> Result<NextClaim> {
    let NextAround { candidates, mut board } = around;
    for _ in 0..MOST_MISSES {
        let terms = terms(&candidates.config.claims, claimant.now);
        let look = board.as_deref_mut().map(|board| look_at(board, &terms)).transpose()?;
        let found = match look_through(site, store, claimant, choice, NextSeen { candidates, look: look.as_ref() })? {
            Picked::Found(found) => return Ok(found),
            Picked::Intended(intended, passed) => (intended, passed),
        };
        let Some(board) = board.as_deref_mut() else { continue };
        let (intended, passed) = found;
        let names = NodeNames::of(candidates.nodes);
        if let MadeKnown::Given(outcome) = shared::make_known(board, store, intended, &names)? {
            return Ok(NextClaim { outcome: Some(*outcome), passed });
        }
    }
    Err(Error::refused(format!("others were faster {MOST_MISSES} times"))
        .because(Refusal::Held)
        .argv(["claim", "next"])
        .hint("ask again: `yatsu-hook claim next`"))
}

/// Most tries if other machines are faster.
const MOST_MISSES: usize = 50;

/// The result of one look under the lock.
enum Picked {
    /// A final result.
    Found(NextClaim),
    /// A claim that must still be published on the remote, and the scenarios passed over before it.
    Intended(Intended, Vec<PassedOver>),
}

fn look_through(
    site: &dyn Site,
    store: &Store,
    claimant: &Claimant,
    choice: NextChoice,
    around: NextSeen<'_>,
) -> Result<Picked> {
    site::work_dir(site)?;
    let NextSeen { candidates: Candidates { rows, nodes, config }, look } = around;
    let terms = terms(&config.claims, claimant.now);
    let names = NodeNames::of(nodes);
    let (wanted, passed) = in_order(rows, choice.failing, &names);
    let lock = store.lock_ledger()?;
    let overlay = spending::now(site, &config.budgets)?;
    let over_run = |overlay: &BudgetOverlay| spending::run_refusal(overlay, claimant.run.as_ref()?, nodes);
    overlay.as_ref().and_then(over_run).map_or(Ok(()), Err)?;
    let desk = Desk::open(store.common_dir(), &lock)?;
    let choosing = Choosing { site, claimant, nodes, overlay, terms, names };
    choosing.first(NextDesk { desk, look }, &lock, wanted, Chosen { passed, dry_run: choice.dry_run })
}

/// The scenarios that need measuring, most urgent first, and the reasons against the others.
fn in_order<'r>(
    rows: &'r [NeedRow],
    failing: bool,
    names: &NodeNames,
) -> (Vec<(Need<'r>, ClaimSeries)>, Vec<PassedOver>) {
    let (mut wanted, mut passed) = (Vec::new(), Vec::new());
    for row in rows {
        let Some(series) = ClaimSeries::new(&row.dir, &row.scenario) else { continue };
        match need(row, failing) {
            Ok(need) => wanted.push((need, series)),
            Err(reason) => passed.push(PassedOver::of(&series, names, reason)),
        }
    }
    wanted.sort();
    (wanted, passed)
}

impl PassedOver {
    fn of(series: &ClaimSeries, names: &NodeNames, reason: String) -> Self {
        let (dir, scenario) = (series.node().clone(), series.scenario().to_owned());
        Self { dir, scenario, what: names.series(series), reason }
    }
}

/// A caller that asks what is next and takes nothing.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    /// The claimant that would take a scenario.
    pub claimant: Claimant,
    /// The token of the asker. Without a token, a claim with the asker's name counts as the asker's.
    pub shown: Option<ClaimToken>,
}

impl Asker {
    /// Whether the asker holds `claim`. Two processes may share a name, so a shown token decides alone.
    fn holds(&self, claim: &Claim) -> bool {
        self.shown.map_or(claim.owner == self.claimant.owner, |token| claim.token == token)
    }
}

/// The scenarios that could be taken, in order.
#[derive(Clone, Debug)]
pub(crate) struct LinedUp<'c> {
    /// The scenarios, most urgent first, each with the asker's own claim on it.
    pub rows: Vec<(&'c NeedRow, Option<Claim>)>,
    /// Scenarios that cannot be taken, and scenarios that could not be judged.
    pub passed: Vec<PassedOver>,
}

/// The scenarios that `asker` holds or could take now, each judged as if it were taken first. Takes nothing and no lock,
/// so a scenario that is being filed may still be listed.
///
/// # Errors
/// When the journal or a ledger cannot be read.
pub(crate) fn line_up<'c>(
    site: &dyn Site,
    common_dir: &Path,
    asker: &Asker,
    failing: bool,
    candidates: Candidates<'c>,
) -> Result<LinedUp<'c>> {
    site::work_dir(site)?;
    let Candidates { rows, nodes, config } = candidates;
    let names = NodeNames::of(nodes);
    let (wanted, mut passed) = in_order(rows, failing, &names);
    let by_name: HashMap<(&RepoPath, &str), &NeedRow> =
        rows.iter().map(|row| ((&row.dir, row.scenario.as_str()), row)).collect();
    let is_untold = |one: &PassedOver| {
        let row = by_name.get(&(&one.dir, one.scenario.as_str()));
        row.is_some_and(|row| matches!(row.state, ReadingState::NotJudged(_)))
    };
    passed.retain(is_untold);
    let (claims, overlay) = (super::state(common_dir)?, spending::now(site, &config.budgets)?);
    let terms = terms(&config.claims, asker.claimant.now);
    let choosing = Choosing { site, claimant: &asker.claimant, nodes, overlay, terms, names };
    let mut lined_up = LinedUp { rows: Vec::new(), passed };
    for ((.., dir, name), series) in wanted {
        let own = choosing.holder(&claims, &series)?.filter(|claim| asker.holds(claim));
        match choosing.decide(&claims, &series)? {
            _ if own.is_some() => lined_up.rows.extend(by_name.get(&(dir, name)).map(|row| (*row, own))),
            Ok(_) => lined_up.rows.extend(by_name.get(&(dir, name)).map(|row| (*row, None))),
            Err(reason) => lined_up.passed.push(PassedOver::of(&series, &choosing.names, reason)),
        }
    }
    Ok(lined_up)
}

/// The context in which a scenario is chosen.
struct Choosing<'c> {
    site: &'c dyn Site,
    claimant: &'c Claimant,
    nodes: &'c [Node],
    overlay: Option<BudgetOverlay>,
    terms: ClaimTerms,
    names: NodeNames,
}

/// The scenarios passed over so far, and whether nothing is to be written.
struct Chosen {
    passed: Vec<PassedOver>,
    dry_run: bool,
}

impl Choosing<'_> {
    /// Takes the first of `wanted` that is free to take.
    fn first(
        self,
        NextDesk { mut desk, look }: NextDesk<'_>,
        lock: &LedgerLock,
        wanted: Vec<(Need<'_>, ClaimSeries)>,
        Chosen { mut passed, dry_run }: Chosen,
    ) -> Result<Picked> {
        let claims = look.map_or_else(|| desk.claims.clone(), |look| look.over(&desk.claims, &self.terms));
        for ((_, ts, ..), series) in wanted {
            let decision = match self.decide(&claims, &series)? {
                Ok(decision) => decision,
                Err(reason) => {
                    passed.push(PassedOver::of(&series, &self.names, reason));
                    continue;
                }
            };
            if was_measured(self.site, lock, self.nodes, &series, ts)? {
                passed.push(PassedOver::of(&series, &self.names, "it was measured just now".into()));
                continue;
            }
            match look.filter(|_| !dry_run) {
                Some(look) => match self.intend(&mut desk, look, &series)? {
                    Ok(intended) => return Ok(Picked::Intended(intended, passed)),
                    Err(reason) => {
                        passed.push(PassedOver::of(&series, &self.names, reason));
                        continue;
                    }
                },
                None if !dry_run => desk.follow(&decision)?,
                None => {}
            }
            let Some(event) = decision.event else { continue };
            let outcome = ClaimOutcome { event, names: self.names, cut: desk.journal.cut() };
            return Ok(Picked::Found(NextClaim { outcome: Some(outcome), passed }));
        }
        Ok(Picked::Found(NextClaim { outcome: None, passed }))
    }

    /// Writes the intent to publish a claim on this scenario, or returns why it cannot be taken.
    fn intend(&self, desk: &mut Desk<'_>, look: &RemoteLook, series: &ClaimSeries) -> Result<Result<Intended, String>> {
        if let Err(odd) = look.refuse_odd(series, &self.names) {
            return Ok(Err(odd.message));
        }
        let taking = match self.taking(&desk.claims, series)? {
            Ok(taking) => taking,
            Err(reason) => return Ok(Err(reason)),
        };
        let of_series = |series: &ClaimSeries| tags(self.nodes, series);
        let naming = Naming { tags: &of_series, names: self.names.clone() };
        let tried = shared::try_intend(desk, look, taking, &self.terms, &naming)?;
        Ok(tried.map_err(|refusal| refusal.message(&self.names.called())))
    }

    /// The decision to take this scenario, or why it cannot be taken.
    fn decide(&self, claims: &Claims, series: &ClaimSeries) -> Result<Result<ClaimDecision, String>> {
        let spent = SpendingSeries::new(series.node(), series.scenario());
        let over = |overlay: &BudgetOverlay| spending::refusal(overlay, &spent, self.nodes);
        if let Some(refusal) = self.overlay.as_ref().and_then(over) {
            return Ok(Err(refusal.message));
        }
        let taking = match self.taking(claims, series)? {
            Ok(taking) => taking,
            Err(reason) => return Ok(Err(reason)),
        };
        let decided = claims.decide(&ClaimCommand::Take(taking), &self.terms, &|series| tags(self.nodes, series));
        Ok(decided.map_err(|refusal| refusal.message(&self.names.called())))
    }
}

impl Choosing<'_> {
    /// The claim on this scenario, unless it has lapsed.
    fn holder(&self, claims: &Claims, series: &ClaimSeries) -> Result<Option<Claim>> {
        let Ok(taking) = self.taking(claims, series)? else { return Ok(None) };
        let is_kept = |claim: &&Claim| phase(claim, self.terms.now, self.terms.grace) != HeldPhase::Lapsed;
        Ok(claims.holder(&taking.series).filter(is_kept).cloned())
    }

    /// The command that takes this scenario, or why there is none.
    fn taking(&self, claims: &Claims, series: &ClaimSeries) -> Result<Result<Taking, String>> {
        let Some((node, scenario)) = declared(self.nodes, series) else {
            return Ok(Err("it is declared no more".to_owned()));
        };
        let asked = AskedFor { node, scenario, token: None };
        let claimed = claimed_as(claims, asked, &self.terms, &|of| Ok(declared(self.nodes, of).is_some()))?;
        Ok(Ok(Taking { text: Some(scenario.text_hash), ..taking(self.claimant, claimed, false)? }))
    }
}

/// Whether the ledgers, read again under the lock, have another latest reading than `ts`. Then a reading was filed in
/// between, and it ended the claim that kept others away.
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
