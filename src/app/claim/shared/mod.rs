//! Claims that other machines see. Each claim is also a note on a remote, and the remote's lock on the ref of the note
//! decides who owns the claim. A take is written in this order: `intended` in the journal, the swap on the remote, the
//! event in the journal. So the same command completes an interrupted take. No ledger lock is held while a remote is
//! asked. Notes only keep people out of each other's way; no reading is believed because of them.

mod filing;
mod look;
mod prune;

pub(crate) use filing::{confirmed, ended_there};
pub(crate) use look::RemoteLook;
pub(crate) use prune::prune_free;

use super::place::NodeNames;
use super::{ClaimOutcome, Desk, Naming, refused};
use crate::app::site::share_place::{BRANCHES, KEY};
use crate::engine::claim::{ClaimCommand, ClaimDecision, ClaimRefusal, ClaimTerms, Claims, Taking};
use crate::error::{Error, Result};
use crate::model::claim::{Claim, ClaimEvent, ClaimSeries, ClaimStep, ClaimToken, PublicClaim, TokenProof, ref_end};
use crate::model::ledger::Timestamp;
use crate::remote::RefSpace;
pub(crate) use crate::remote::board::{BoardPatience, GitBoard, NoteBoard, SharedBoard};
use crate::remote::board::{BoardPlace, Note, Swapped};
use crate::repo::Repo;
use crate::repo::program::GitConfig;
use crate::store::Store;
use crate::text::escape::echo;
use crate::tree::oid::Oid;
use look::read;
use std::time::Duration;

/// The key in git's configuration for the remote on which claims are shared. It is never read from the tree, because
/// every clone would then connect to that remote.
const SHARED_KEY: &str = "yatsu.claims.shared";

/// The key for keeping claims in branches, for a server that takes no other refs. Every clone must use the same value.
const BRANCHES_KEY: &str = "yatsu.claims.branches";

/// How long a process waits for other processes of this repository that are talking to the remote.
const TURN: Duration = Duration::from_secs(120);

/// The board on which claims are shared, if they are.
///
/// # Errors
/// Usage if git's configuration has no such remote; unchecked if other processes take too long.
pub(crate) fn board(repo: &Repo, store: &Store, patience: BoardPatience) -> Result<Option<GitBoard>> {
    match configured(repo.config()?) {
        Some(remote) => open(repo, store, &remote, patience).map(Some),
        None => Ok(None),
    }
}

/// The board with the claim of this token, if the claim is shared. It is the remote where the claim was taken, even if
/// claims are shared elsewhere now, because the claim would otherwise end here and stand there. If no remote has that
/// name any more, it is the configured one.
///
/// # Errors
/// As [`board`]; also if neither is a remote of this repository.
pub(crate) fn board_of(
    repo: &Repo,
    store: &Store,
    token: ClaimToken,
    patience: BoardPatience,
) -> Result<Option<GitBoard>> {
    let claims = super::state(store.common_dir())?;
    let Some(taken_on) = shared(&claims, token).and_then(|claim| claim.remote.clone()) else { return Ok(None) };
    let config = repo.config()?;
    let is_there = config.subsections("remote", &["url"]).iter().any(|name| *name == taken_on.as_str());
    let now = configured(config).filter(|_| !is_there);
    open(repo, store, &now.unwrap_or(taken_on), patience).map(Some)
}

fn configured(config: &GitConfig) -> Option<String> {
    config.get(SHARED_KEY).filter(|remote| !remote.is_empty()).map(|remote| remote.to_string())
}

fn open(repo: &Repo, store: &Store, remote: &str, patience: BoardPatience) -> Result<GitBoard> {
    let space = space(repo.config()?, remote)?;
    let passing = store.pass_claims(patience.within.unwrap_or(TURN))?;
    let board = GitBoard::open(repo, &BoardPlace { remote, space }, passing, patience);
    board.map_err(|error| error.hint("or share no claims: git config --unset yatsu.claims.shared"))
}

/// The refs of the remote that hold claims: as configured, else as for evidence on the same remote.
fn space(config: &GitConfig, remote: &str) -> Result<RefSpace> {
    let with_evidence = config.get(KEY).is_some_and(|place| place == *remote);
    let in_branches = match config.boolean(BRANCHES_KEY)? {
        None if with_evidence => config.boolean(BRANCHES)?,
        said => said,
    };
    Ok(if in_branches.unwrap_or(false) { RefSpace::Branches } else { RefSpace::Hidden })
}

/// The owner of a note.
enum NoteOwner {
    /// This token holds it; its commit and its content.
    Own(Oid, PublicClaim),
    /// This token released it, and the series is free.
    GivenUp(Oid, PublicClaim),
    /// There is no note.
    Nobodys,
    /// Another token has it, it is no claim, or its claim was ended by force.
    Others,
}

fn whose(board: &mut dyn NoteBoard, claim: &Claim) -> Result<NoteOwner> {
    let look = RemoteLook::at_one(board, Some(&ref_end(&claim.series)))?;
    let Some(note) = look.note(&claim.series) else { return Ok(NoteOwner::Nobodys) };
    let own = look.claim(&claim.series).filter(|shown| shown.proof == TokenProof::of(claim.token));
    Ok(match own {
        Some(shown) if shown.is_held => NoteOwner::Own(note.id, shown.clone()),
        Some(shown) => NoteOwner::GivenUp(note.id, shown.clone()),
        None => NoteOwner::Others,
    })
}

/// A claim that is intended in the journal, and what the swap on the remote needs.
pub(super) struct Intended {
    event: ClaimEvent,
    old: Option<Oid>,
    /// When a holder lost the series, if that holder may not know it yet.
    displaced: Option<Timestamp>,
    /// Whether the remote already has the claim.
    is_known: bool,
}

/// Writes the intent of a take to the journal, decided with the claims that the remote showed. An interrupted take goes
/// on with its old token, because the remote may already have it.
pub(super) fn intend(
    desk: &mut Desk<'_>,
    look: &RemoteLook,
    taking: Taking,
    terms: &ClaimTerms,
    naming: &Naming<'_>,
) -> Result<Intended> {
    let series = taking.series.clone();
    look.refuse_odd(&series, &naming.names)?;
    let decided = try_intend(desk, look, taking, terms, naming)?;
    decided.map_err(|refusal| refused(&refusal, &naming.names))
}

/// As [`intend`], but with the refusal as a value, for callers that then try another scenario.
pub(super) fn try_intend(
    desk: &mut Desk<'_>,
    look: &RemoteLook,
    taking: Taking,
    terms: &ClaimTerms,
    naming: &Naming<'_>,
) -> Result<std::result::Result<Intended, ClaimRefusal>> {
    let mut taking = Taking { remote: Some(look.remote.clone()), ..taking };
    if let Some(begun) = desk.claims.intent(&taking.series).cloned().filter(|begun| is_same(begun, &taking)) {
        taking.token = begun.token;
        let shown =
            look.claim(&taking.series).filter(|shown| shown.is_held && shown.proof == TokenProof::of(begun.token));
        if let Some(shown) = shown {
            let claim = shown.claim(begun.token, &look.remote);
            let event = ClaimEvent { ts: terms.now, step: ClaimStep::Taken, claim, reason: None };
            return Ok(Ok(Intended { event, old: look.id(&taking.series), displaced: None, is_known: true }));
        }
    }
    let (old, displaced) = (look.id(&taking.series), look.displaced(&taking.series, terms.now));
    let decided = look.over(&desk.claims, terms).decide(&ClaimCommand::Take(taking), terms, naming.tags);
    let event = match decided {
        Ok(ClaimDecision { event: Some(event), .. }) => event,
        Ok(_) => return Err(Error::fault("nothing follows from this command")),
        Err(refusal) => return Ok(Err(refusal)),
    };
    desk.note(&ClaimEvent { step: ClaimStep::Intended, ..event.clone() })?;
    Ok(Ok(Intended { event, old, displaced, is_known: false }))
}

fn is_same(begun: &Claim, taking: &Taking) -> bool {
    begun.owner == taking.owner && begun.run == taking.run && begun.remote == taking.remote
}

/// The result of publishing an intended claim.
pub(super) enum MadeKnown {
    /// The remote has the claim, and the journal says so.
    Given(Box<ClaimOutcome>),
    /// Another machine was faster.
    Missed,
}

/// Publishes an intended claim on the remote, and writes the result to the journal.
///
/// # Errors
/// Unchecked if the remote refused the claim, or gave no answer. Without an answer the same command completes the intent.
pub(super) fn make_known(
    board: &mut dyn NoteBoard,
    store: &Store,
    intended: Intended,
    names: &NodeNames,
) -> Result<MadeKnown> {
    let Intended { mut event, old, displaced, is_known } = intended;
    let end = ref_end(&event.claim.series);
    let message = PublicClaim { displaced, ..PublicClaim::of(&event.claim, event.ts) }.encode();
    let swapped = match is_known {
        true => Ok(Swapped::Won),
        false => board.swap(&end, old, Some((&message, event.ts.millis / 1000))),
    };
    if !matches!(swapped, Ok(Swapped::Won)) {
        let found = whose(board, &event.claim);
        match (found, swapped) {
            (Ok(NoteOwner::Own(_, shown)), _) => event.claim = shown.claim(event.claim.token, board.remote()),
            (Ok(_), Ok(Swapped::Refused(why))) => {
                let look = RemoteLook::at_one(board, Some(&end))?;
                note(store, &ClaimEvent { step: ClaimStep::Missed, ..event.clone() })?;
                if look.id(&event.claim.series) != old {
                    return Ok(MadeKnown::Missed);
                }
                return Err(not_taken(board, &why));
            }
            (Ok(_), Err(error)) | (Err(error), _) => return Err(unknown(board.remote(), &error)),
            (Ok(_), Ok(Swapped::Won)) => {}
        }
    }
    let cut = note(store, &event)?;
    Ok(MadeKnown::Given(Box::new(ClaimOutcome { event, names: names.clone(), cut })))
}

fn not_taken(board: &dyn NoteBoard, why: &str) -> Error {
    let place = board.place();
    let error = Error::unchecked(format!("{} does not take the claim: {}", board.remote(), echo(why)))
        .hint(format!("ask its owner to allow pushes to {place} (receive.hideRefs, receive.denyDeletes, hooks)"));
    let error = match !place.starts_with("refs/heads/") {
        true => error.hint(format!("or keep claims in branches, in every clone alike: git config {BRANCHES_KEY} true")),
        false => error,
    };
    error.hint("claim it for this repository alone: --local")
}

fn unknown(remote: &str, error: &Error) -> Error {
    Error::unchecked(format!("{remote} gave no answer, so it is unknown whether it has the claim: {}", error.message))
        .hint("run the same command again: it finds out, and completes the claim")
}

/// The error of a swap that was not won.
fn won(board: &dyn NoteBoard, swapped: Result<Swapped>) -> Result<()> {
    match swapped {
        Ok(Swapped::Won) => Ok(()),
        Ok(Swapped::Refused(why)) => Err(not_taken(board, &why)),
        Err(error) => Err(unknown(board.remote(), &error)),
    }
}

/// The error of a remote that could not be asked, before anything was written.
pub(crate) fn offline(remote: &str, error: Error) -> Error {
    error
        .context(format!("{remote}, where claims are shared, cannot be asked"))
        .hint("claim it for this repository alone: --local; others may then measure the same")
}

/// Appends an event under the lock.
fn note(store: &Store, event: &ClaimEvent) -> Result<usize> {
    let lock = store.lock_ledger()?;
    let mut desk = Desk::open(store.common_dir(), &lock)?;
    desk.note(event)?;
    Ok(desk.cut())
}

/// The event that `command` leads to, decided by the journal alone.
fn decided(store: &Store, command: &ClaimCommand, terms: &ClaimTerms, names: &NodeNames) -> Result<ClaimEvent> {
    let lock = store.lock_ledger()?;
    let desk = Desk::open(store.common_dir(), &lock)?;
    let decision = desk.claims.decide(command, terms, &|_| Vec::new()).map_err(|refusal| refused(&refusal, names))?;
    decision.event.ok_or_else(|| Error::fault("nothing follows from this command"))
}

/// Extends a claim: first on the remote, because others could otherwise take it over while its holder believes to have
/// it. A note that is gone is put back.
pub(super) fn renew(
    board: &mut dyn NoteBoard,
    store: &Store,
    command: &ClaimCommand,
    terms: &ClaimTerms,
    names: &NodeNames,
) -> Result<ClaimOutcome> {
    let event = decided(store, command, terms, names)?;
    let (old, displaced) = match whose(board, &event.claim)? {
        NoteOwner::Own(id, shown) | NoteOwner::GivenUp(id, shown) => (Some(id), shown.displaced),
        NoteOwner::Nobodys => (None, None),
        NoteOwner::Others => return Err(lost(store, &event.claim, board.remote(), terms, names)?),
    };
    let message = PublicClaim { displaced, ..PublicClaim::of(&event.claim, event.ts) };
    let swapped = board.swap(&ref_end(&event.claim.series), old, Some((&message.encode(), event.ts.millis / 1000)));
    if swapped != Ok(Swapped::Won) {
        match (whose(board, &event.claim)?, swapped) {
            (NoteOwner::Own(_, shown), _) if shown == message => {}
            (NoteOwner::Others, _) => return Err(lost(store, &event.claim, board.remote(), terms, names)?),
            (_, swapped) => won(board, swapped)?,
        }
    }
    let cut = note(store, &event)?;
    Ok(ClaimOutcome { event, names: names.clone(), cut })
}

/// Releases a claim. A first attempt leaves no note on the remote, unless another holder lost the series; a later attempt
/// leaves its number.
pub(super) fn release(
    board: &mut dyn NoteBoard,
    store: &Store,
    command: &ClaimCommand,
    terms: &ClaimTerms,
    names: &NodeNames,
) -> Result<ClaimOutcome> {
    let event = decided(store, command, terms, names)?;
    match whose(board, &event.claim)? {
        NoteOwner::Own(id, shown) => {
            let freed = free(board, id, &PublicClaim { ts: terms.now, ..shown });
            if freed != Ok(Swapped::Won) {
                // the swap may have succeeded all the same
                if let NoteOwner::Own(..) = whose(board, &event.claim)? {
                    won(board, freed)?;
                }
            }
        }
        // an interrupted release
        NoteOwner::GivenUp(..) | NoteOwner::Nobodys => {}
        NoteOwner::Others => return Err(lost(store, &event.claim, board.remote(), terms, names)?),
    }
    let cut = note(store, &event)?;
    Ok(ClaimOutcome { event, names: names.clone(), cut })
}

/// Frees a note: keeps only what the series must remember, or deletes the note.
fn free(board: &mut dyn NoteBoard, id: Oid, shown: &PublicClaim) -> Result<Swapped> {
    let end = ref_end(&shown.series);
    if shown.attempt == 1 && remembered(shown.displaced, shown.ts).is_none() {
        return board.swap(&end, Some(id), None);
    }
    let message = PublicClaim { is_held: false, ..shown.clone() }.encode();
    board.swap(&end, Some(id), Some((&message, shown.ts.millis / 1000)))
}

/// When a holder lost a series, if a note still keeps that.
fn remembered(displaced: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    displaced.filter(|since| since.millis > now.millis.saturating_sub(prune::KEPT))
}

/// The claim to end by force, and why.
pub(super) struct Forced<'l> {
    pub(super) look: &'l RemoteLook,
    pub(super) series: ClaimSeries,
    pub(super) reason: String,
}

/// Ends any owner's claim on a series, also an unreadable one.
pub(super) fn force(
    board: &mut dyn NoteBoard,
    store: &Store,
    asked: Forced<'_>,
    terms: &ClaimTerms,
    names: &NodeNames,
) -> Result<ClaimOutcome> {
    let Forced { look, series, reason } = asked;
    let odd = look.note(&series).filter(|note| read(note).is_err());
    let event = match odd {
        Some(note) => ClaimEvent {
            ts: terms.now,
            step: ClaimStep::Forced,
            claim: nobodys(&series, note, terms.now, board.remote()),
            reason: Some(reason),
        },
        None => {
            let lock = store.lock_ledger()?;
            let all = look.over(&Desk::open(store.common_dir(), &lock)?.claims, terms);
            let command = ClaimCommand::Force { series: series.clone(), reason };
            let decided = all.decide(&command, terms, &|_| Vec::new()).map_err(|refusal| refused(&refusal, names))?;
            decided.event.ok_or_else(|| Error::fault("nothing follows from this command"))?
        }
    };
    let swapped = match (odd, look.id(&series), look.claim(&series)) {
        (Some(note), ..) => board.swap(&note.end, Some(note.id), None),
        (None, Some(id), Some(shown)) if event.claim.remote.is_some() => {
            // never deleted, because its holder would take a missing note for an accident and put it back
            let freed = PublicClaim { ts: terms.now, displaced: Some(terms.now), ..shown.ended_by_force() };
            board.swap(&ref_end(&series), Some(id), Some((&freed.encode(), terms.now.millis / 1000)))
        }
        _ => Ok(Swapped::Won),
    };
    won(board, swapped)?;
    let lock = store.lock_ledger()?;
    let mut desk = Desk::open(store.common_dir(), &lock)?;
    // this machine had a claim that it lost to the ended one
    if let Some(own) = desk.claims.holder(&series).cloned().filter(|own| own.token != event.claim.token) {
        desk.note(&ended(&own, terms.now, board.remote()))?;
    }
    desk.note(&event)?;
    Ok(ClaimOutcome { event, names: names.clone(), cut: desk.cut() })
}

/// A stand-in claim for an unreadable note.
fn nobodys(series: &ClaimSeries, note: &Note, now: Timestamp, remote: &str) -> Claim {
    let mut token = [0; 16];
    token.copy_from_slice(&note.id.as_bytes()[..16]);
    let (owner, remote) = ("nobody".to_owned(), Some(remote.to_owned()));
    let token = ClaimToken(token);
    Claim { series: series.clone(), owner, token, attempt: 1, run: None, until: now, text: None, remote }
}

/// The journal event for a claim that another machine has now.
fn ended(claim: &Claim, now: Timestamp, remote: &str) -> ClaimEvent {
    let reason = Some(format!("lost: {remote} has the claim for another owner"));
    ClaimEvent { ts: now, step: ClaimStep::Forced, claim: claim.clone(), reason }
}

/// Ends a claim that another machine has now, and returns the refusal.
fn lost(store: &Store, claim: &Claim, remote: &str, terms: &ClaimTerms, names: &NodeNames) -> Result<Error> {
    note(store, &ended(claim, terms.now, remote))?;
    Ok(refused(&ClaimRefusal::Lost(claim.series.clone()), names))
}

/// The claim of a token, if the claim is on a remote.
fn shared(claims: &Claims, token: ClaimToken) -> Option<&Claim> {
    claims.known(token).filter(|claim| claim.remote.is_some())
}

/// Whether other machines see the claim of this token.
pub(crate) fn is_shared(store: &Store, token: ClaimToken) -> Result<bool> {
    Ok(shared(&super::state(store.common_dir())?, token).is_some())
}

#[cfg(test)]
mod tests;
