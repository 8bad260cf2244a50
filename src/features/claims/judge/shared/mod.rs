//! Claims that other machines see. Each claim is also a note on a remote, and the remote's lock on the ref of the note
//! decides who owns the claim. A take is written in this order: `intended` in the journal, the swap on the remote, the
//! event in the journal. So the same command completes an interrupted take. No ledger lock is held while a remote is
//! asked. Notes only keep people out of each other's way; no reading is believed because of them.

mod filing;
mod look;
mod prune;

pub(crate) use filing::{confirmed, ended_there};
pub(crate) use look::RemoteLook;
pub(crate) use prune::prune_remote;

use super::{ClaimOutcome, Claiming, OpenJournal, tags};
use crate::error::{Error, Result};
pub(crate) use crate::features::claims::judge::board::{BoardPatience, NoteBoard};
use crate::features::claims::judge::board::{GitBoard, Swapped};
use crate::features::claims::judge::engine::{ClaimRefusal, Claims};
use crate::features::claims::model::{Claim, ClaimEvent, ClaimStep, ClaimToken, PublicClaim, TokenProof, ref_end};
use crate::features::sharing::{BRANCHES, KEY};
use crate::model::ledger::Timestamp;
use crate::model::node::Node;
use crate::remote::RefSpace;
use crate::repo::Repo;
use crate::repo::program::GitConfig;
use crate::store::Store;
use crate::text::escape::echo;
use crate::tree::oid::Oid;
use std::time::Duration;

pub(crate) type SharedBoard = Option<Box<dyn NoteBoard>>;

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
pub(crate) fn board(repo: &Repo, store: &Store, patience: BoardPatience) -> Result<SharedBoard> {
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
pub(crate) fn board_of(repo: &Repo, store: &Store, token: ClaimToken, patience: BoardPatience) -> Result<SharedBoard> {
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

fn open(repo: &Repo, store: &Store, remote: &str, patience: BoardPatience) -> Result<Box<dyn NoteBoard>> {
    let space = space(repo.config()?, remote)?;
    let passing = store.pass_claims(patience.within.unwrap_or(TURN))?;
    match GitBoard::open(repo, remote, space, passing, patience) {
        Ok(board) => Ok(Box::new(board)),
        Err(error) => Err(error.hint("or share no claims: git config --unset yatsu.claims.shared")),
    }
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

enum NoteOwner {
    /// This token holds it; its commit and its content.
    Own(Oid, PublicClaim),
    /// This token released it, and the series is free.
    GivenUp(Oid, PublicClaim),
    Absent,
    /// Another token has it, it is no claim, or its claim was ended by force.
    Others,
}

fn owner_of(board: &mut dyn NoteBoard, claim: &Claim) -> Result<NoteOwner> {
    let look = RemoteLook::at_one(board, Some(&ref_end(&claim.series)))?;
    let Some(note) = look.note(&claim.series) else { return Ok(NoteOwner::Absent) };
    let own = look.claim(&claim.series).filter(|shown| shown.proof == TokenProof::of(claim.token));
    Ok(match own {
        Some(shown) if shown.is_held => NoteOwner::Own(note.id, shown.clone()),
        Some(shown) => NoteOwner::GivenUp(note.id, shown.clone()),
        None => NoteOwner::Others,
    })
}

/// Replaces the note of a series by this claim.
fn swap(board: &mut dyn NoteBoard, old: Option<Oid>, new: &PublicClaim) -> Result<Swapped> {
    board.swap(&ref_end(&new.series), old, Some((&new.encode(), new.ts.millis / 1000)))
}

/// A claim that the journal holds: as an intent, with what the swap on the remote needs, or for good if claims are not
/// shared.
pub(super) struct Intended {
    event: ClaimEvent,
    old: Option<Oid>,
    /// When a holder lost the series, if that holder may not know it yet.
    displaced: Option<Timestamp>,
    /// Whether the remote already has the claim.
    is_known: bool,
    /// Bytes of a torn last line that were removed from the journal.
    cut: usize,
}

impl Intended {
    /// The claim of a dry run. Nothing was written.
    pub(super) fn only_said(event: ClaimEvent, cut: usize) -> Self {
        Self { event, old: None, displaced: None, is_known: true, cut }
    }
}

impl Claiming<'_> {
    /// Decides a take with the claims that the remote showed, and writes it to the journal: its intent if claims are
    /// shared, else the claim itself. An interrupted take goes on with its old token, because the remote may already have
    /// it.
    pub(super) fn intend(
        &self,
        journal: &mut OpenJournal<'_>,
        look: &RemoteLook,
        wanted: Claim,
        force: bool,
        tagged: &[Node],
    ) -> Result<Result<Intended, ClaimRefusal>> {
        let mut wanted = Claim { remote: look.remote.clone(), ..wanted };
        let (old, cut) = (look.id(&wanted.series), journal.cut());
        let shown = look.claim(&wanted.series);
        if let Some(begun) = journal.claims.intent(&wanted.series).filter(|begun| is_same(begun, &wanted)) {
            wanted.token = begun.token;
            let own = shown.filter(|shown| shown.is_held && shown.proof == TokenProof::of(begun.token));
            if let Some(claim) = own.and_then(|shown| Some(shown.claim(begun.token, look.remote.as_deref()?))) {
                let claim = Claim { session: wanted.session, ..claim };
                let event = ClaimEvent { ts: self.terms.now, step: ClaimStep::Taken, claim, reason: None };
                return Ok(Ok(Intended { event, old, displaced: None, is_known: true, cut }));
            }
        }
        let displaced = look.displaced(&wanted.series, self.terms.now);
        let all = look.over(&journal.claims, &self.terms);
        let event = match all.take(&wanted, force, &self.terms, &|series| tags(tagged, series)) {
            Ok(event) => event,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let step = if look.remote.is_some() { ClaimStep::Intended } else { event.step };
        journal.write(&ClaimEvent { step, ..event.clone() })?;
        Ok(Ok(Intended { event, old, displaced, is_known: false, cut }))
    }

    /// Publishes an intended claim on the remote, and writes the result to the journal. `None` if another machine was
    /// faster. Nothing is left to do if claims are not shared.
    ///
    /// # Errors
    /// Unchecked if the remote refused the claim, or gave no answer. Without an answer the same command completes the intent.
    pub(super) fn publish(&mut self, intended: Intended) -> Result<Option<ClaimOutcome>> {
        let Some(mut board) = self.board.take() else { return Ok(Some(self.outcome(intended))) };
        let done = self.publish_on(&mut *board, intended);
        self.board = Some(board);
        done
    }

    pub(super) fn outcome(&self, Intended { event, cut, .. }: Intended) -> ClaimOutcome {
        ClaimOutcome { event, names: self.names.clone(), cut }
    }

    fn publish_on(&self, board: &mut dyn NoteBoard, mut intended: Intended) -> Result<Option<ClaimOutcome>> {
        let Intended { event, old, displaced, is_known, .. } = &mut intended;
        let new = PublicClaim { displaced: *displaced, ..PublicClaim::of(&event.claim, event.ts) };
        let swapped = if *is_known { Ok(Swapped::Won) } else { swap(board, *old, &new) };
        if !matches!(swapped, Ok(Swapped::Won)) {
            match (owner_of(board, &event.claim), swapped) {
                (Ok(NoteOwner::Own(_, shown)), _) => {
                    let session = event.claim.session.take();
                    event.claim = Claim { session, ..shown.claim(event.claim.token, board.remote()) };
                }
                (Ok(_), Ok(Swapped::Refused(why))) => {
                    let look = RemoteLook::at_one(board, Some(&ref_end(&event.claim.series)))?;
                    self.note(&ClaimEvent { step: ClaimStep::Missed, ..event.clone() })?;
                    if look.id(&event.claim.series) != *old {
                        return Ok(None);
                    }
                    return Err(not_taken(board, &why));
                }
                (Ok(_), Err(error)) | (Err(error), _) => return Err(unknown(board.remote(), &error)),
                (Ok(_), Ok(Swapped::Won)) => {}
            }
        }
        intended.cut += self.note(&intended.event)?;
        Ok(Some(self.outcome(intended)))
    }

    /// Extends a claim on the remote, before the journal: others could otherwise take it over while its holder believes to
    /// have it. A note that is gone is put back.
    pub(super) fn renew_note(&self, board: &mut dyn NoteBoard, event: &ClaimEvent) -> Result<()> {
        let (old, displaced) = match owner_of(board, &event.claim)? {
            NoteOwner::Own(id, shown) | NoteOwner::GivenUp(id, shown) => (Some(id), shown.displaced),
            NoteOwner::Absent => (None, None),
            NoteOwner::Others => return Err(self.lost(board, &event.claim)?),
        };
        let new = PublicClaim { displaced, ..PublicClaim::of(&event.claim, event.ts) };
        let swapped = swap(board, old, &new);
        if swapped == Ok(Swapped::Won) {
            return Ok(());
        }
        match owner_of(board, &event.claim)? {
            NoteOwner::Own(_, shown) if shown == new => Ok(()),
            NoteOwner::Others => Err(self.lost(board, &event.claim)?),
            _ => won(board, swapped),
        }
    }

    /// Releases a claim on the remote. A first attempt leaves no note there, unless another holder lost the series; a later
    /// attempt leaves its number.
    pub(super) fn release_note(&self, board: &mut dyn NoteBoard, event: &ClaimEvent) -> Result<()> {
        match owner_of(board, &event.claim)? {
            NoteOwner::Own(id, shown) => {
                let freed = free(board, id, shown.attempt, PublicClaim { ts: self.terms.now, ..shown });
                // the swap may have succeeded all the same
                if freed != Ok(Swapped::Won)
                    && let NoteOwner::Own(..) = owner_of(board, &event.claim)?
                {
                    return won(board, freed);
                }
                Ok(())
            }
            // an interrupted release
            NoteOwner::GivenUp(..) | NoteOwner::Absent => Ok(()),
            NoteOwner::Others => Err(self.lost(board, &event.claim)?),
        }
    }

    /// Ends any owner's claim on the remote, as `look` showed it.
    pub(super) fn force_note(&self, board: &mut dyn NoteBoard, look: &RemoteLook, event: &ClaimEvent) -> Result<()> {
        let (series, now) = (&event.claim.series, self.terms.now);
        let swapped = match (look.note(series), look.claim(series)) {
            (Some(note), None) => board.swap(&note.end, Some(note.id), None),
            (Some(note), Some(shown)) if event.claim.remote.is_some() => {
                // never deleted, because its holder would take a missing note for an accident and put it back
                let freed = PublicClaim { ts: now, displaced: Some(now), ..shown.ended_by_force() };
                swap(board, Some(note.id), &freed)
            }
            _ => Ok(Swapped::Won),
        };
        won(board, swapped)
    }

    /// Ends a claim that another machine has now, and returns the refusal.
    fn lost(&self, board: &dyn NoteBoard, claim: &Claim) -> Result<Error> {
        self.note(&lost_event(claim, board.remote(), self.terms.now))?;
        Ok(ClaimRefusal::Lost(claim.series.clone()).error(&self.names))
    }
}

/// The event that another machine has a claim of this one now.
pub(super) fn lost_event(claim: &Claim, remote: &str, ts: Timestamp) -> ClaimEvent {
    let reason = Some(format!("lost: {remote} has the claim for another owner"));
    ClaimEvent { ts, step: ClaimStep::Forced, claim: claim.clone(), reason }
}

fn is_same(begun: &Claim, wanted: &Claim) -> bool {
    begun.owner == wanted.owner && begun.run == wanted.run && begun.remote == wanted.remote
}

/// Frees a note: keeps only what the series must remember, or deletes the note. The series goes on with this attempt.
fn free(board: &mut dyn NoteBoard, id: Oid, attempt: u32, shown: PublicClaim) -> Result<Swapped> {
    if shown.attempt == 1 && remembered(shown.displaced, shown.ts).is_none() {
        return board.swap(&ref_end(&shown.series), Some(id), None);
    }
    swap(board, Some(id), &PublicClaim { is_held: false, attempt, ..shown })
}

/// When a holder lost a series, if a note still keeps that.
fn remembered(displaced: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    displaced.filter(|since| since.millis > now.millis.saturating_sub(prune::KEPT))
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
fn offline(remote: &str, error: Error) -> Error {
    error
        .context(format!("{remote}, where claims are shared, cannot be asked"))
        .hint("claim it for this repository alone: --local; others may then measure the same")
}

/// The claim of a token, if the claim is on a remote.
fn shared(claims: &Claims, token: ClaimToken) -> Option<&Claim> {
    claims.known(token).filter(|claim| claim.remote.is_some())
}

#[cfg(test)]
mod tests;
