//! The `claim` commands: who measures a scenario now, or works on a key or a path. Every decision is made under the repository's lock, from the
//! journal as it is then, and is durable before it is returned ([`crate::store::journal`]). Prints nothing.

pub(crate) mod answer;
pub(crate) mod board;
pub mod engine;
pub(crate) mod filing;
pub(crate) mod foreign;
mod journal;
pub(crate) mod need;
pub(crate) mod needs;
pub(crate) mod next;
pub(crate) mod place;
pub(crate) mod shared;
mod spending;
pub(crate) mod upkeep;
pub(crate) mod waive;

pub(crate) use journal::{OpenJournal, history, replayed, state};

use crate::app::site::{self, Selection, Site};
use crate::app::site::{MAX_FIELD, MAX_NOTE};
use crate::engine::budget::SpendingSeries;
use crate::error::{Error, Refusal, Result};
use crate::features::claims::judge::board::NoteBoard;
use crate::features::claims::judge::engine::{ClaimRefusal, Claims, HeldPhase};
pub(crate) use crate::features::claims::judge::engine::{ClaimTerms, NodeNames};
use crate::features::claims::model::rows::{ClaimRow, ClaimedRow};
use crate::features::claims::model::settings::ClaimLimits;
use crate::features::claims::model::{Claim, ClaimEvent, ClaimPath, ClaimSeries, ClaimStep, ClaimToken};
use crate::model::labels::RunId;
use crate::model::ledger::Timestamp;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::model::session::SessionHash;
use crate::store::Store;
use crate::tree::path::RepoPath;
use place::{claimed_as, declared, declares, find_declared, meant, series};
use shared::{RemoteLook, SharedBoard, lost_event};
use std::collections::HashMap;
use std::path::Path;

/// Who wants a claim, and on what terms.
#[derive(Clone, Debug)]
pub(crate) struct Claimant {
    /// A name for people, one line; nothing checks it.
    pub owner: String,
    pub token: ClaimToken,
    /// The run of the planned reading.
    pub run: Option<RunId>,
    /// Length of the claim, in milliseconds.
    pub ttl: i64,
    /// The moment of the request, when the claim begins.
    pub now: Timestamp,
    /// The session of the coding agent that asks.
    pub session: Option<SessionHash>,
}

impl Claimant {
    /// The claim that this claimant wants; on a `scenario`, unless it is on a key or a path.
    fn claim(&self, series: ClaimSeries, scenario: Option<&Scenario>) -> Result<Claim> {
        Ok(Claim {
            series,
            owner: self.owner.clone(),
            token: self.token,
            attempt: 1,
            run: self.run.clone(),
            until: end(self.now, self.ttl)?,
            text: scenario.map(|scenario| scenario.text_hash),
            remote: None,
            session: self.session.clone(),
        })
    }
}

/// A scenario as the user names it.
#[derive(Clone, Debug)]
pub(crate) struct ScenarioTarget {
    /// A node reference; `None` or `.` means the node of the current directory, or the one that the branch touched.
    pub node: Option<String>,
    /// Its name; [`Claiming::take`] needs it to be declared.
    pub scenario: String,
}

/// What a claim is to be on, as the user names it.
#[derive(Clone, Debug)]
pub(crate) enum ClaimTarget {
    Scenario(ScenarioTarget),
    /// A key or a path.
    Other(ClaimSeries),
}

/// Most tries if other machines are faster and then do not hold the claim.
const MOST_TRIES: usize = 5;

#[derive(Clone, Debug)]
pub(crate) struct ClaimOutcome {
    /// The event that the journal holds now.
    pub event: ClaimEvent,
    pub names: NodeNames,
    /// Bytes of a torn last line that were removed; 0 if none.
    pub cut: usize,
}

/// The claims for one command: the journal of this repository and, where claims are shared, the board on which other
/// machines see them.
pub(crate) struct Claiming<'c> {
    site: &'c dyn Site,
    store: &'c Store,
    board: SharedBoard,
    terms: ClaimTerms,
    names: NodeNames,
}

impl<'c> Claiming<'c> {
    pub(crate) fn new(site: &'c dyn Site, store: &'c Store, board: SharedBoard, now: Timestamp) -> Result<Self> {
        site::work_dir(site)?;
        let terms = ClaimTerms { now, limits: site.config()?.of::<ClaimLimits>().clone() };
        Ok(Self { site, store, board, terms, names: NodeNames::default() })
    }

    /// Claims a scenario, a key or a path.
    ///
    /// # Errors
    /// Refused if it is held, capped, over its budget or attempted too often, or if a path collides with a held one;
    /// unchecked if the journal cannot be used.
    pub(crate) fn take(&mut self, claimant: &Claimant, target: &ClaimTarget, force: bool) -> Result<ClaimOutcome> {
        site::one_line("owner", Some(&claimant.owner), MAX_FIELD)?;
        // another machine may be faster there, and give the claim up at once
        for _ in 0..MOST_TRIES {
            let done = match target {
                ClaimTarget::Scenario(target) => self.take_scenario(claimant, target, force)?,
                ClaimTarget::Other(series) => self.take_other(claimant, series, force)?,
            };
            if let Some(done) = done {
                return Ok(done);
            }
        }
        Err(faster(MOST_TRIES, "take another scenario: `yatsu-hook claim next`"))
    }

    /// One try to claim a key or a path; `None` if another machine was faster.
    fn take_other(&mut self, claimant: &Claimant, series: &ClaimSeries, force: bool) -> Result<Option<ClaimOutcome>> {
        let files = match series {
            ClaimSeries::Path(path) => covered(self.site, path)?,
            _ => Vec::new(),
        };
        // before the lock is taken, because a remote may be slow
        let look = RemoteLook::of(&mut self.board, &self.terms)?;
        let lock = self.store.lock_ledger()?;
        let mut journal = OpenJournal::open(self.store, &lock)?;
        look.refuse_odd(series, &self.names)?;
        if let ClaimSeries::Path(path) = series {
            let free = journal.claims.refuse_collision(path, &files, &self.terms);
            free.map_err(|refusal| refusal.error(&self.names))?;
        }
        let intended = self.intend(&mut journal, &look, claimant.claim(series.clone(), None)?, force, &[])?;
        drop(journal);
        drop(lock);
        self.publish(intended.map_err(|refusal| refusal.error(&self.names))?)
    }

    /// One try to claim a scenario; `None` if another machine was faster.
    fn take_scenario(
        &mut self,
        claimant: &Claimant,
        target: &ScenarioTarget,
        force: bool,
    ) -> Result<Option<ClaimOutcome>> {
        let (site, budgets) = (self.site, self.site.config()?.budgets);
        // limits also count claims and readings of other nodes
        let is_tagged = !self.terms.limits.per_tag.is_empty();
        let (node, outline) = meant(site, target.node.as_deref(), is_tagged || !budgets.is_unlimited())?;
        let scenario = find_declared(site, &node, &target.scenario)?;
        self.names = NodeNames::of(&outline);
        // before the lock is taken, because a remote may be slow
        let look = RemoteLook::of(&mut self.board, &self.terms)?;
        let lock = self.store.lock_ledger()?;
        if let Some(overlay) = spending::now(site, &budgets)? {
            let of_run = claimant.run.as_ref().and_then(|run| spending::run_refusal(&overlay, run, &outline));
            let of_scenario = spending::refusal(&overlay, &SpendingSeries::new(&node.dir, &scenario.name), &outline);
            of_scenario.or(of_run).map_or(Ok(()), Err)?;
        }
        let tagged = if is_tagged { site.nodes()? } else { Vec::new() };
        let mut journal = OpenJournal::open(self.store, &lock)?;
        let is_declared = |series: &ClaimSeries| declares(site, series);
        let series = claimed_as(&journal.claims, &node, scenario, None, &self.terms, &is_declared)?;
        look.refuse_odd(&series, &self.names)?;
        let claim = claimant.claim(series, Some(scenario))?;
        let intended = self.intend(&mut journal, &look, claim, force, &tagged)?;
        drop(journal);
        drop(lock);
        self.publish(intended.map_err(|refusal| refusal.error(&self.names))?)
    }

    /// Extends a claim to `ttl` milliseconds from now.
    ///
    /// # Errors
    /// Refused if the token holds no claim, or not any more.
    pub(crate) fn renew(&mut self, token: ClaimToken, ttl: i64) -> Result<ClaimOutcome> {
        let until = end(self.terms.now, ttl)?;
        self.change(|claims, terms| claims.renew(token, until, terms), Self::renew_note)
    }

    /// Releases a claim.
    ///
    /// # Errors
    /// Refused if the token holds no claim.
    pub(crate) fn release(&mut self, token: ClaimToken, reason: Option<String>) -> Result<ClaimOutcome> {
        site::one_line("reason", reason.as_deref(), MAX_NOTE)?;
        self.change(|claims, terms| claims.release(token, reason, terms), Self::release_note)
    }

    /// Ends any owner's claim, also an unreadable one on the remote. A scenario need not be declared.
    ///
    /// # Errors
    /// Refused if it is not held.
    pub(crate) fn force(&mut self, target: &ClaimTarget, reason: String) -> Result<ClaimOutcome> {
        site::one_line("reason", Some(&reason), MAX_NOTE)?;
        let look = RemoteLook::of(&mut self.board, &self.terms)?;
        let series = match target {
            ClaimTarget::Other(series) => series.clone(),
            ClaimTarget::Scenario(target) => {
                self.claimed_series(&look.over(&state(self.store.common_dir())?, &self.terms), target)?
            }
        };
        let decide = |claims: &Claims, terms: &ClaimTerms| match look.unreadable(&series, terms.now) {
            Some(claim) => Ok(ClaimEvent { ts: terms.now, step: ClaimStep::Forced, claim, reason: Some(reason) }),
            None => look.over(claims, terms).force(&series, reason, terms),
        };
        self.change(decide, |claims, board, event| claims.force_note(board, &look, event))
    }

    /// Changes a claim: decides under the lock, then changes its note on the board, if claims are shared, then writes the
    /// event to the journal.
    fn change(
        &mut self,
        decide: impl FnOnce(&Claims, &ClaimTerms) -> std::result::Result<ClaimEvent, ClaimRefusal>,
        change_note: impl FnOnce(&Self, &mut dyn NoteBoard, &ClaimEvent) -> Result<()>,
    ) -> Result<ClaimOutcome> {
        self.names = NodeNames::of(&self.site.outline()?);
        let lock = self.store.lock_ledger()?;
        let mut journal = OpenJournal::open(self.store, &lock)?;
        let event = decide(&journal.claims, &self.terms).map_err(|refusal| refusal.error(&self.names))?;
        let mut cut = journal.cut();
        if let Some(mut board) = self.board.take() {
            drop(journal);
            drop(lock);
            let changed = change_note(self, &mut *board, &event);
            self.board = Some(board);
            changed?;
            cut += self.note(&event)?;
        } else {
            journal.write(&event)?;
        }
        Ok(ClaimOutcome { event, names: self.names.clone(), cut })
    }

    /// Writes an event to the journal, and returns the bytes of a torn last line that were removed.
    fn note(&self, event: &ClaimEvent) -> Result<usize> {
        let lock = self.store.lock_ledger()?;
        let mut journal = OpenJournal::open(self.store, &lock)?;
        // `claim release --force` ended a claim on the remote that this journal does not know. This machine may have lost its
        // own claim to it, and that claim must end first: two holders of one scenario are a contradiction
        let is_unknown = event.step == ClaimStep::Forced && journal.claims.token(event.claim.token).is_none();
        let own = journal.claims.holder(&event.claim.series).filter(|_| is_unknown).cloned();
        if let (Some(own), Some(remote)) = (own, &event.claim.remote) {
            journal.write(&lost_event(&own, remote, event.ts))?;
        }
        journal.write(event)?;
        Ok(journal.cut())
    }

    /// The series that `target` names. Its node need not be in this work tree, because it may have moved or be on another
    /// branch; such a claim could otherwise not be ended before it lapses.
    fn claimed_series(&self, claims: &Claims, target: &ScenarioTarget) -> Result<ClaimSeries> {
        let outline = self.site.outline()?;
        let unknown = match site::find_node(self.site, &outline, target.node.as_deref()) {
            Ok(named) => return self.series_here(claims, named, &target.scenario),
            Err(error) => error,
        };
        let dir = target.node.as_ref().and_then(|text| RepoPath::parse(text.as_bytes()).ok());
        let named = dir.and_then(|dir| ClaimSeries::new(&dir, &target.scenario));
        named.filter(|named| claims.holder(named).is_some()).ok_or(unknown)
    }

    /// The series of a scenario of a node of this work tree, declared or not.
    fn series_here(&self, claims: &Claims, named: &Node, scenario: &str) -> Result<ClaimSeries> {
        let node = self.site.node(&named.dir)?;
        let declared = node.as_ref().and_then(|node| Some((node, node.scenario(scenario)?)));
        let Some((node, scenario)) = declared else { return series(named, scenario) };
        claimed_as(claims, node, scenario, None, &self.terms, &|series| declares(self.site, series))
    }
}

/// The files of the work tree that a path covers: the tracked ones, and the new ones that git does not ignore.
fn covered(site: &dyn Site, path: &ClaimPath) -> Result<Vec<RepoPath>> {
    let files = site.worktree()?.files(&path.base(), &path.coverage())?;
    Ok(files.into_iter().map(|(file, _)| file).collect())
}

fn faster(times: usize, hint: &str) -> Error {
    let error = Error::refused(format!("others were faster {times} times")).because(Refusal::Held);
    error.argv(["claim", "next"]).hint(hint)
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
    let is_in = |event: &ClaimEvent, dir: &RepoPath| event.claim.series.scenario().is_some_and(|on| on.node() == dir);
    let gone = gone.ok().filter(|gone| events.iter().any(|event| is_in(event, &gone.dir)));
    Selection::of(&[name.to_owned()], |_| gone.as_ref().map(|node| (node, None)).ok_or_else(|| unknown.clone()))
}

/// The claims of this machine and of `look` that are held at the moment of `terms`, lapsed ones included, by series, without
/// their tokens.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn held(
    common_dir: &Path,
    terms: &ClaimTerms,
    look: &RemoteLook,
    names: &NodeNames,
) -> Result<Vec<ClaimRow>> {
    let events = history(common_dir)?;
    let claims = look.over(&replayed(common_dir, &events)?, terms);
    // the last event of a token says how long its claim lasts
    let last: HashMap<ClaimToken, &ClaimEvent> = events.iter().map(|event| (event.claim.token, event)).collect();
    let of_claim = |claim: &Claim| {
        let state = match terms.phase(claim) {
            HeldPhase::Live => "live",
            HeldPhase::Grace => "grace",
            HeldPhase::Lapsed => "lapsed",
        };
        let event = last.get(&claim.token).map(|event| (event.ts, event.step));
        let (ts, step) = event.or_else(|| Some((look.claim(&claim.series)?.ts, ClaimStep::Taken)))?;
        let event = ClaimEvent { ts, step, claim: claim.clone(), reason: None };
        let seen_by = look.remote.as_ref().map(|_| claim.remote.clone().unwrap_or_else(|| "local".to_owned()));
        Some(ClaimRow { token: None, state: Some(state), seen_by, ..row(&event, names) })
    };
    Ok(claims.held().filter_map(of_claim).collect())
}

/// An event as it is printed, with its token, for the holder of the claim.
pub(crate) fn row(event: &ClaimEvent, names: &NodeNames) -> ClaimRow {
    let claim = &event.claim;
    ClaimRow {
        ts: event.ts.to_string(),
        event: event.step.as_str(),
        on: ClaimedRow::of(&claim.series),
        called: names.series(&claim.series),
        owner: claim.owner.clone(),
        token: Some(claim.token.to_hex()),
        attempt: claim.attempt,
        run: claim.run.as_ref().map(ToString::to_string),
        until: claim.until.to_string(),
        reason: event.reason.clone(),
        session: claim.session.as_ref().map(ToString::to_string),
        state: None,
        seen_by: None,
    }
}

fn end(now: Timestamp, ttl: i64) -> Result<Timestamp> {
    Timestamp::from_millis(now.millis.saturating_add(ttl))
        .ok_or_else(|| Error::usage("the clock is outside of the years that can be written").hint("set it right"))
}

/// The tags of the scenario of a series, as the work tree declares it.
fn tags(nodes: &[Node], series: &ClaimSeries) -> Vec<String> {
    declared(nodes, series).map(|(_, scenario)| scenario.tags.clone()).unwrap_or_default()
}
