//! The `claim` commands: who measures a scenario now. Every decision is made under the repository's lock, from the
//! journal as it is then, and is durable before it is returned ([`crate::store::journal`]). Prints nothing.

pub(crate) mod need;
pub(crate) mod next;
pub(crate) mod place;
pub(crate) mod shared;

use crate::app::site::spending;
use crate::app::site::{self, Selection, Site};
use crate::app::site::{MAX_FIELD, MAX_NOTE};
use crate::engine::budget::SpendingSeries;
use crate::engine::claim::{
    ClaimCommand, ClaimDecision, ClaimRefusal, ClaimTerms, Claims, HeldPhase, TagsOf, Taking, compact, phase,
};
use crate::error::{Error, Refusal, Result};
use crate::model::claim::{Claim, ClaimEvent, ClaimSeries, ClaimStep, ClaimToken, encode, parse};
use crate::model::config::ClaimLimits;
use crate::model::labels::RunId;
use crate::model::ledger::Timestamp;
use crate::model::node::Node;
use crate::remote::board::{NoteBoard, SharedBoard};
use crate::report::view::claim::ClaimRow;
use crate::store::Store;
use crate::store::journal::{self, Journal};
use crate::store::lock::LedgerLock;
use crate::tree::path::RepoPath;
use place::{
    AskedFor, MeantNode, NodeNames, claimed_as, declared, declares, find_declared, meant, scenario_of, series,
};
use shared::{Forced, MadeKnown, RemoteLook};
use std::collections::HashMap;
use std::path::Path;

/// Who wants a claim, and on what terms.
#[derive(Clone, Debug)]
pub(crate) struct Claimant {
    /// A name for people, one line; nothing checks it.
    pub owner: String,
    /// The token of the new claim.
    pub token: ClaimToken,
    /// The run of the planned reading.
    pub run: Option<RunId>,
    /// Length of the claim, in milliseconds.
    pub ttl: i64,
    /// The moment of the request, when the claim begins.
    pub now: Timestamp,
}

/// The scenario that a claim is on, as the user names it.
#[derive(Clone, Debug)]
pub(crate) struct ClaimTarget {
    /// A node reference; `None` or `.` means the node of the current directory, or the one that the branch touched.
    pub node: Option<String>,
    /// Its name; [`take`] needs it to be declared.
    pub scenario: String,
}

/// Most tries if other machines are faster and then do not hold the claim.
const MOST_TRIES: usize = 5;

/// How far a claim is extended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renewal {
    /// How long from now, in milliseconds.
    pub ttl: i64,
    /// The moment of the request.
    pub now: Timestamp,
}

/// How a claim is ended.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// The reason, for readers of the journal; required to end another owner's claim.
    pub reason: Option<String>,
    /// The moment of the request.
    pub now: Timestamp,
}

/// How a scenario is taken.
pub(crate) struct TakeHow<'b> {
    /// Also take it beyond the allowed number of attempts.
    pub force: bool,
    /// The remote on which other machines see the claim, if any.
    pub board: SharedBoard<'b>,
}

/// The result of a claim command.
#[derive(Clone, Debug)]
pub(crate) struct ClaimOutcome {
    /// The event that the journal holds now.
    pub event: ClaimEvent,
    /// The names of nodes in messages.
    pub names: NodeNames,
    /// Bytes of a torn last line that were removed; 0 if none.
    pub cut: usize,
}

/// Claims a scenario.
///
/// # Errors
/// Refused if it is held, capped, over its budget or attempted too often; unchecked if the journal cannot be used.
pub(crate) fn take(
    site: &dyn Site,
    store: &Store,
    claimant: &Claimant,
    target: &ClaimTarget,
    how: TakeHow<'_>,
) -> Result<ClaimOutcome> {
    let TakeHow { force, mut board } = how;
    // another machine may be faster there, and give the claim up at once
    for _ in 0..MOST_TRIES {
        if let Some(done) = take_once(site, store, claimant, target, TakeHow { force, board: board.as_deref_mut() })? {
            return Ok(done);
        }
    }
    Err(Error::refused(format!("others were faster {MOST_TRIES} times"))
        .because(Refusal::Held)
        .argv(["claim", "next"])
        .hint("take another scenario: `yatsu-hook claim next`"))
}

/// One try of [`take`]; `None` if another machine was faster.
fn take_once(
    site: &dyn Site,
    store: &Store,
    claimant: &Claimant,
    target: &ClaimTarget,
    how: TakeHow<'_>,
) -> Result<Option<ClaimOutcome>> {
    let TakeHow { force, mut board } = how;
    site::one_line("owner", Some(&claimant.owner), MAX_FIELD)?;
    site::work_dir(site)?;
    let config = site.config()?;
    // limits also count claims and readings of other nodes
    let is_limited = !config.budgets.is_unlimited() || !config.claims.per_tag.is_empty();
    let MeantNode { node, around: outline } = meant(site, target.node.as_deref(), is_limited)?;
    let scenario = find_declared(site, &node, &target.scenario)?;
    let terms = terms(&config.claims, claimant.now);
    // before the lock is taken, because a remote may be slow
    let look = board.as_deref_mut().map(|board| look_at(board, &terms)).transpose()?;
    let lock = store.lock_ledger()?;
    if let Some(overlay) = spending::now(site, &config.budgets)? {
        let of_run = claimant.run.as_ref().and_then(|run| spending::run_refusal(&overlay, run, &outline));
        let of_scenario = spending::refusal(&overlay, &SpendingSeries::new(&node.dir, &scenario.name), &outline);
        of_scenario.or(of_run).map_or(Ok(()), Err)?;
    }
    let tagged = if terms.per_tag.is_empty() { Vec::new() } else { site.nodes()? };
    let mut desk = Desk::open(store.common_dir(), &lock)?;
    let asked = AskedFor { node: &node, scenario, token: None };
    let series = claimed_as(&desk.claims, asked, &terms, &|series| declares(site, series))?;
    let taking = Taking { text: Some(scenario.text_hash), ..taking(claimant, series, force)? };
    let of_series = |series: &ClaimSeries| tags(&tagged, series);
    let naming = Naming { tags: &of_series, names: NodeNames::of(&outline) };
    let (Some(board), Some(look)) = (board, look) else {
        return desk.settle(&ClaimCommand::Take(taking), &terms, naming).map(Some);
    };
    let intended = shared::intend(&mut desk, &look, taking, &terms, &naming)?;
    drop(desk);
    drop(lock);
    Ok(match shared::make_known(board, store, intended, &naming.names)? {
        MadeKnown::Given(done) => Some(*done),
        MadeKnown::Missed => None,
    })
}

/// The claims that a remote shows. If it cannot be asked, nothing is claimed.
pub(crate) fn look_at(board: &mut (dyn NoteBoard + 'static), terms: &ClaimTerms) -> Result<RemoteLook> {
    let look = RemoteLook::at_moment(board, terms);
    look.map_err(|error| shared::offline(board.remote(), error))
}

/// Extends a claim to `ttl` milliseconds from now.
///
/// # Errors
/// Refused if the token holds no claim, or not any more.
pub(crate) fn renew(
    site: &dyn Site,
    store: &Store,
    token: ClaimToken,
    Renewal { ttl, now }: Renewal,
    board: SharedBoard<'_>,
) -> Result<ClaimOutcome> {
    let command = ClaimCommand::Renew { token, until: end(now, ttl)? };
    match board {
        None => self::command(site, store, &command, now),
        Some(board) => {
            let (terms, names) = around(site, now)?;
            shared::renew(board, store, &command, &terms, &names)
        }
    }
}

/// Releases a claim.
///
/// # Errors
/// Refused if the token holds no claim.
pub(crate) fn release(
    site: &dyn Site,
    store: &Store,
    token: ClaimToken,
    Ending { reason, now }: Ending,
    board: SharedBoard<'_>,
) -> Result<ClaimOutcome> {
    site::one_line("reason", reason.as_deref(), MAX_NOTE)?;
    let command = ClaimCommand::Release { token, reason };
    match board {
        None => self::command(site, store, &command, now),
        Some(board) => {
            let (terms, names) = around(site, now)?;
            shared::release(board, store, &command, &terms, &names)
        }
    }
}

/// Ends any owner's claim on a scenario. The scenario need not be declared.
///
/// # Errors
/// Refused if the scenario is not held.
pub(crate) fn force(
    site: &dyn Site,
    store: &Store,
    target: &ClaimTarget,
    Ending { reason, now }: Ending,
    board: SharedBoard<'_>,
) -> Result<ClaimOutcome> {
    let reason = reason.unwrap_or_default();
    site::one_line("reason", Some(&reason), MAX_NOTE)?;
    let local = state(store.common_dir())?;
    let Some(board) = board else {
        let series = claimed_series(site, &local, target, now)?;
        return command(site, store, &ClaimCommand::Force { series, reason }, now);
    };
    let (terms, names) = around(site, now)?;
    let look = look_at(board, &terms)?;
    let series = claimed_series(site, &look.over(&local, &terms), target, now)?;
    shared::force(board, store, Forced { look: &look, series, reason }, &terms, &names)
}

/// The terms for deciding a command, and the names of nodes in messages.
pub(crate) fn around(site: &dyn Site, now: Timestamp) -> Result<(ClaimTerms, NodeNames)> {
    site::work_dir(site)?;
    Ok((terms(&site.config()?.claims, now), NodeNames::of(&site.outline()?)))
}

/// The series that `target` names. Its node need not be in this work tree, because it may have moved or be on another
/// branch; such a claim could otherwise not be ended before it lapses.
fn claimed_series(site: &dyn Site, claims: &Claims, target: &ClaimTarget, now: Timestamp) -> Result<ClaimSeries> {
    site::work_dir(site)?;
    let outline = site.outline()?;
    let unknown = match site::find_node(site, &outline, target.node.as_deref()) {
        Ok(named) => return series_here(site, claims, named, &target.scenario, now),
        Err(error) => error,
    };
    let dir = target.node.as_ref().and_then(|text| RepoPath::parse(text.as_bytes()).ok());
    let named = dir.and_then(|dir| ClaimSeries::new(&dir, &target.scenario)).ok_or_else(|| unknown.clone())?;
    match claims.holder(&named) {
        Some(_) => Ok(named),
        None => Err(unknown),
    }
}

/// The series of a scenario of a node of this work tree, declared or not.
fn series_here(site: &dyn Site, claims: &Claims, named: &Node, scenario: &str, now: Timestamp) -> Result<ClaimSeries> {
    let node = site.node(&named.dir)?;
    let declared = node.as_ref().and_then(|node| Some((node, scenario_of(node, scenario)?)));
    let Some((node, scenario)) = declared else { return series(named, scenario) };
    let asked = AskedFor { node, scenario, token: None };
    let terms = terms(&site.config()?.claims, now);
    claimed_as(claims, asked, &terms, &|series| declares(site, series))
}

/// The node or scenario for the claim log: one of this work tree, else a node that the journal names.
///
/// # Errors
/// Usage if it is neither.
pub(crate) fn log_of(nodes: &[Node], events: &[ClaimEvent], name: &str) -> Result<Selection> {
    let unknown = match Selection::of(&[name.to_owned()], |text| site::named(nodes, text)) {
        Ok(named) => return Ok(named),
        Err(error) => error,
    };
    let gone = RepoPath::parse(name.as_bytes()).map(|dir| Node { dir, ..Node::default() });
    let gone = gone.ok().filter(|gone| events.iter().any(|event| *event.claim.series.node() == gone.dir));
    Selection::of(&[name.to_owned()], |_| gone.as_ref().map(|node| (node, None)).ok_or_else(|| unknown.clone()))
}

fn command(site: &dyn Site, store: &Store, command: &ClaimCommand, now: Timestamp) -> Result<ClaimOutcome> {
    let (terms, names) = around(site, now)?;
    let lock = store.lock_ledger()?;
    Desk::open(store.common_dir(), &lock)?.settle(command, &terms, Naming { tags: &|_| Vec::new(), names })
}

/// What the work tree knows about series: their tags, and their names in messages.
struct Naming<'a> {
    tags: &'a TagsOf<'a>,
    names: NodeNames,
}

/// All events of the journal in order. Takes no lock, so an event that is being written may be missing.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn history(common_dir: &Path) -> Result<Vec<ClaimEvent>> {
    events(common_dir, &journal::read(common_dir)?)
}

/// The state of every claim after the last complete line of the journal.
pub(crate) fn state(common_dir: &Path) -> Result<Claims> {
    replayed(common_dir, &history(common_dir)?)
}

/// The claims that are held at the moment of `terms`, lapsed ones included, by series, without their tokens. With `look`
/// also the claims of other machines.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn held(
    common_dir: &Path,
    terms: &ClaimTerms,
    look: Option<&RemoteLook>,
    names: &NodeNames,
) -> Result<Vec<ClaimRow>> {
    let events = history(common_dir)?;
    let local = replayed(common_dir, &events)?;
    let claims = look.map_or_else(|| local.clone(), |look| look.over(&local, terms));
    // the last event of a token says how long its claim lasts
    let last: HashMap<ClaimToken, &ClaimEvent> = events.iter().map(|event| (event.claim.token, event)).collect();
    let of_claim = |claim: &Claim| {
        let state = match phase(claim, terms.now, terms.grace) {
            HeldPhase::Live => "live",
            HeldPhase::Grace => "grace",
            HeldPhase::Lapsed => "lapsed",
        };
        let told = last.get(&claim.token).map(|event| (event.ts, event.step));
        let (ts, step) = told.or_else(|| Some((look?.ts(&claim.series)?, ClaimStep::Taken)))?;
        let event = ClaimEvent { ts, step, claim: claim.clone(), reason: None };
        let seen_by = look.map(|_| claim.remote.clone().unwrap_or_else(|| "local".to_owned()));
        Some(ClaimRow { token: None, state: Some(state), seen_by, ..row(&event, names) })
    };
    Ok(claims.held().filter_map(of_claim).collect())
}

/// An event as it is printed, with its token, for the holder of the claim.
pub(crate) fn row(event: &ClaimEvent, names: &NodeNames) -> ClaimRow {
    let claim = &event.claim;
    let node = claim.series.node();
    ClaimRow {
        ts: event.ts.to_string(),
        event: event.step.as_str(),
        node: if node.is_root() { ".".to_owned() } else { node.to_string() },
        called: names.node(node),
        scenario: claim.series.scenario().to_owned(),
        owner: claim.owner.clone(),
        token: Some(claim.token.to_hex()),
        attempt: claim.attempt,
        run: claim.run.as_ref().map(ToString::to_string),
        until: claim.until.to_string(),
        reason: event.reason.clone(),
        state: None,
        seen_by: None,
    }
}

fn events(common_dir: &Path, bytes: &[u8]) -> Result<Vec<ClaimEvent>> {
    parse(bytes).map_err(|fault| {
        journal::unreadable(
            &journal::path(common_dir),
            &format!("cannot be read: line {} {}", fault.line, fault.message),
        )
    })
}

/// The state after these events.
///
/// # Errors
/// When the events contradict each other.
pub(crate) fn replayed(common_dir: &Path, events: &[ClaimEvent]) -> Result<Claims> {
    Claims::replay(events).map_err(|fault| {
        let what = format!("cannot be followed: event {} {}", fault.line, fault.message);
        journal::unreadable(&journal::path(common_dir), &what)
    })
}

/// The journal under the lock, with the state after its events.
pub(crate) struct Desk<'l> {
    journal: Journal<'l>,
    events: Vec<ClaimEvent>,
    /// The state of the claims after all events.
    pub(crate) claims: Claims,
}

impl<'l> Desk<'l> {
    pub(crate) fn open(common_dir: &Path, lock: &'l LedgerLock) -> Result<Self> {
        let journal = Journal::open(lock, common_dir)?;
        let events = events(common_dir, journal.bytes())?;
        let claims = replayed(common_dir, &events)?;
        Ok(Self { journal, events, claims })
    }

    fn settle(&mut self, command: &ClaimCommand, terms: &ClaimTerms, naming: Naming<'_>) -> Result<ClaimOutcome> {
        let Naming { tags, names } = naming;
        let decision = self.claims.decide(command, terms, tags).map_err(|refusal| refused(&refusal, &names))?;
        self.follow(&decision)?;
        let event = decision.event.ok_or_else(|| Error::fault("nothing follows from this command"))?;
        Ok(ClaimOutcome { event, names, cut: self.journal.cut() })
    }

    /// Writes the event of a decision durably.
    pub(crate) fn follow(&mut self, decision: &ClaimDecision) -> Result<()> {
        let Some(event) = &decision.event else { return Ok(()) };
        self.shorten()?;
        self.journal.append(&encode(event))
    }

    /// Writes an event durably. An event that does not fit the earlier ones is refused and never written.
    fn note(&mut self, event: &ClaimEvent) -> Result<()> {
        self.claims
            .apply(event)
            .map_err(|why| Error::fault(format!("the journal of claims would be inconsistent: it {why}")))?;
        self.shorten()?;
        self.journal.append(&encode(event))?;
        self.events.push(event.clone());
        Ok(())
    }

    /// Bytes of a torn last line that were removed.
    fn cut(&self) -> usize {
        self.journal.cut()
    }

    /// Compacts a long journal, unless more than half of its events still matter.
    fn shorten(&mut self) -> Result<()> {
        if !self.journal.is_long() {
            return Ok(());
        }
        let kept = compact(&self.events);
        if kept.len() > self.events.len() / 2 {
            return Ok(());
        }
        self.journal.replace(&kept.into_iter().map(encode).collect::<Vec<_>>())
    }
}

pub(crate) fn refused(refusal: &ClaimRefusal, names: &NodeNames) -> Error {
    let called = names.called();
    let error = Error::refused(refusal.message(&called)).because(refusal.reason());
    refusal.hints(&called).into_iter().fold(error.argv(refusal.argv(&called)), Error::hint)
}

pub(crate) fn terms(limits: &ClaimLimits, now: Timestamp) -> ClaimTerms {
    ClaimTerms {
        now,
        grace: limits.grace,
        max_attempts: limits.max_attempts,
        max_per_owner: limits.max_per_owner,
        max_per_run: limits.max_per_run,
        per_tag: limits.per_tag.clone(),
    }
}

fn taking(claimant: &Claimant, series: ClaimSeries, force: bool) -> Result<Taking> {
    Ok(Taking {
        series,
        owner: claimant.owner.clone(),
        token: claimant.token,
        run: claimant.run.clone(),
        until: end(claimant.now, claimant.ttl)?,
        text: None,
        remote: None,
        force,
    })
}

fn end(now: Timestamp, ttl: i64) -> Result<Timestamp> {
    Timestamp::from_millis(now.millis.saturating_add(ttl))
        .ok_or_else(|| Error::usage("the clock is outside of the years that can be written").hint("set it right"))
}

/// The tags of the scenario of a series, as the work tree declares it.
fn tags(nodes: &[Node], series: &ClaimSeries) -> Vec<String> {
    declared(nodes, series).map(|(_, scenario)| scenario.tags.clone()).unwrap_or_default()
}
