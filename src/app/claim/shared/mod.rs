//! Claims that other machines see: each is also a note on a remote, and the remote's lock on the note's ref is the single
//! owner. Everything of one series goes `intended` in the journal, then the swap on the remote, then the event in the journal,
//! so that whoever is cut off finds out what became of it by the same command again. No lock on ledgers is held while a remote
//! is asked. What a remote shows is believed of nobody's reading: it only keeps people out of each other's way.

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

/// The remote on which claims are shared, in git's configuration: never the tree's, which would connect everybody who clones.
const SHARED_KEY: &str = "yatsu.claims.shared";

/// Whether they are branches there, for a server that takes no other refs. Every clone must say the same.
const BRANCHES_KEY: &str = "yatsu.claims.branches";

/// How long somebody waits for those of the same repository who are on the way to the remote.
const TURN: Duration = Duration::from_secs(120);

/// Where claims are shared, if they are.
///
/// # Errors
/// Usage where git's configuration has no such remote; unchecked where others take too long.
pub(crate) fn board(repo: &Repo, store: &Store, patience: BoardPatience) -> Result<Option<GitBoard>> {
    match configured(repo.config()?) {
        Some(remote) => open(repo, store, &remote, patience).map(Some),
        None => Ok(None),
    }
}

/// Where other machines see the claim of this token, if they do: on the remote where it was taken, through whichever one claims
/// are shared by now, or it would end here and stand there. A remote that has another name since is the configured one.
///
/// # Errors
/// As [`board`]; also where neither is a remote of this repository.
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

/// In what refs of the remote claims are: as it is said of them, else where evidence is on the same remote.
fn space(config: &GitConfig, remote: &str) -> Result<RefSpace> {
    let with_evidence = config.get(KEY).is_some_and(|place| place == *remote);
    let in_branches = match config.boolean(BRANCHES_KEY)? {
        None if with_evidence => config.boolean(BRANCHES)?,
        said => said,
    };
    Ok(if in_branches.unwrap_or(false) { RefSpace::Branches } else { RefSpace::Hidden })
}

/// Whose a note is.
enum NoteOwner {
    /// This token's; the commit, and what it says.
    Own(Oid, PublicClaim),
    /// It was this token's, which gave it up; nobody has it.
    GivenUp(Oid, PublicClaim),
    /// There is none.
    Nobodys,
    /// Somebody else's, or no claim; or somebody ended it for its holder.
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

/// A claim that the journal says is intended, and what has to be on the remote for it to be given.
pub(super) struct Intended {
    event: ClaimEvent,
    old: Option<Oid>,
    /// When somebody lost the series who does not know it yet.
    displaced: Option<Timestamp>,
    /// The remote has it already.
    is_known: bool,
}

/// Notes in the journal what is to be taken, decided over what the remote showed. A take that was cut off goes on with its
/// token: it may be there already.
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

/// The same; the refusal apart, for who tries another one then.
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

/// What became of an intended claim.
pub(super) enum MadeKnown {
    /// It is there, and the journal says so.
    Given(Box<ClaimOutcome>),
    /// Somebody else was faster.
    Missed,
}

/// Makes an intended claim known, and says in the journal what became of it.
///
/// # Errors
/// Unchecked where the remote did not take it, and where nobody knows whether it did: then the intent stands, and the same
/// command completes it.
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

/// That a swap was won, or the error that says why nobody may count on it.
fn won(board: &dyn NoteBoard, swapped: Result<Swapped>) -> Result<()> {
    match swapped {
        Ok(Swapped::Won) => Ok(()),
        Ok(Swapped::Refused(why)) => Err(not_taken(board, &why)),
        Err(error) => Err(unknown(board.remote(), &error)),
    }
}

/// The error of a remote that cannot be asked before anything was written.
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

/// The claim of a token with the event that `command` leads to, by the journal.
fn decided(store: &Store, command: &ClaimCommand, terms: &ClaimTerms, names: &NodeNames) -> Result<ClaimEvent> {
    let lock = store.lock_ledger()?;
    let desk = Desk::open(store.common_dir(), &lock)?;
    let decision = desk.claims.decide(command, terms, &|_| Vec::new()).map_err(|refusal| refused(&refusal, names))?;
    decision.event.ok_or_else(|| Error::fault("nothing follows from this command"))
}

/// Puts the end of a claim off: there first, or others would take it over while its holder believes to have it. A note that is
/// gone is put back.
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

/// Gives a claim up. The first attempt leaves nothing on the remote that nobody else has lost, a later one its number.
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
                // or it went all the same
                if let NoteOwner::Own(..) = whose(board, &event.claim)? {
                    won(board, freed)?;
                }
            }
        }
        // a release that was cut off
        NoteOwner::GivenUp(..) | NoteOwner::Nobodys => {}
        NoteOwner::Others => return Err(lost(store, &event.claim, board.remote(), terms, names)?),
    }
    let cut = note(store, &event)?;
    Ok(ClaimOutcome { event, names: names.clone(), cut })
}

/// Leaves of a note what the series must remember.
fn free(board: &mut dyn NoteBoard, id: Oid, shown: &PublicClaim) -> Result<Swapped> {
    let end = ref_end(&shown.series);
    if shown.attempt == 1 && remembered(shown.displaced, shown.ts).is_none() {
        return board.swap(&end, Some(id), None);
    }
    let message = PublicClaim { is_held: false, ..shown.clone() }.encode();
    board.swap(&end, Some(id), Some((&message, shown.ts.millis / 1000)))
}

/// When somebody lost a series, as long as a note of it is kept.
fn remembered(displaced: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    displaced.filter(|since| since.millis > now.millis.saturating_sub(prune::KEPT))
}

/// Whose claim is to end by force, and why.
pub(super) struct Forced<'l> {
    pub(super) look: &'l RemoteLook,
    pub(super) series: ClaimSeries,
    pub(super) reason: String,
}

/// Ends whoever's claim on a series, also one that nobody understands.
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
            // never deleted: its holder would take that for a ref that went without a word, and put it back
            let freed = PublicClaim { ts: terms.now, displaced: Some(terms.now), ..shown.ended_by_force() };
            board.swap(&ref_end(&series), Some(id), Some((&freed.encode(), terms.now.millis / 1000)))
        }
        _ => Ok(Swapped::Won),
    };
    won(board, swapped)?;
    let lock = store.lock_ledger()?;
    let mut desk = Desk::open(store.common_dir(), &lock)?;
    // a claim of this machine that was lost to the one that ends now
    if let Some(own) = desk.claims.holder(&series).cloned().filter(|own| own.token != event.claim.token) {
        desk.note(&ended(&own, terms.now, board.remote()))?;
    }
    desk.note(&event)?;
    Ok(ClaimOutcome { event, names: names.clone(), cut: desk.cut() })
}

/// What stands for a note that nobody understands.
fn nobodys(series: &ClaimSeries, note: &Note, now: Timestamp, remote: &str) -> Claim {
    let mut token = [0; 16];
    token.copy_from_slice(&note.id.as_bytes()[..16]);
    let (owner, remote) = ("nobody".to_owned(), Some(remote.to_owned()));
    let token = ClaimToken(token);
    Claim { series: series.clone(), owner, token, attempt: 1, run: None, until: now, text: None, remote }
}

/// How the journal says that a claim is another's now.
fn ended(claim: &Claim, now: Timestamp, remote: &str) -> ClaimEvent {
    let reason = Some(format!("lost: {remote} has the claim for another owner"));
    ClaimEvent { ts: now, step: ClaimStep::Forced, claim: claim.clone(), reason }
}

/// Ends a claim that is another's now, and makes the refusal.
fn lost(store: &Store, claim: &Claim, remote: &str, terms: &ClaimTerms, names: &NodeNames) -> Result<Error> {
    note(store, &ended(claim, terms.now, remote))?;
    Ok(refused(&ClaimRefusal::Lost(claim.series.clone()), names))
}

/// The claim of a token, where a remote has to hear of it.
fn shared(claims: &Claims, token: ClaimToken) -> Option<&Claim> {
    claims.known(token).filter(|claim| claim.remote.is_some())
}

/// Whether this token's claim is one that other machines see.
pub(crate) fn is_shared(store: &Store, token: ClaimToken) -> Result<bool> {
    Ok(shared(&super::state(store.common_dir())?, token).is_some())
}

#[cfg(test)]
mod tests;
