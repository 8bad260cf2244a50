//! Filing a reading under a shared claim. The reading needs no remote: an unreachable remote is a warning, a claim that
//! another holder has is refused.

use super::{BoardPatience, NoteBoard, NoteOwner, board_of, free, not_taken, owner_of, shared};
use crate::app::site::Site;
use crate::error::{Error, Result};
use crate::features::claims::judge::board::Swapped;
use crate::features::claims::judge::engine::NodeNames;
use crate::features::claims::judge::{Claiming, state};
use crate::features::claims::model::{Claim, ClaimToken, PublicClaim};
use crate::model::ledger::Timestamp;
use crate::repo::Repo;
use crate::store::Store;
use std::time::Duration;

/// A remote may take 5 seconds to confirm a claim: a short time, because filing a reading needs no remote.
const PATIENCE: BoardPatience = BoardPatience { within: Some(Duration::from_secs(5)), terminal: false };

/// Called before a reading is filed: refuses it if another holder has the claim, which matters only if it is shared. No
/// answer is only a warning.
///
/// # Errors
/// Refused if the claim is lost.
pub(crate) fn confirmed(
    repo: &Repo,
    site: &dyn Site,
    store: &Store,
    token: ClaimToken,
    now: Timestamp,
) -> Result<Option<String>> {
    match board_of(repo, store, token, PATIENCE) {
        Ok(None) => Ok(None),
        Ok(Some(mut board)) => {
            let mut claiming = Claiming::new(site, store, None, now)?;
            claiming.names = NodeNames::of(&site.outline()?);
            claiming.confirm(&mut *board, token)
        }
        Err(error) => Ok(Some(not_confirmed("the remote", &error))),
    }
}

fn not_confirmed(remote: &str, error: &Error) -> String {
    format!("not confirmed on {remote}, where another owner may have the claim by now: {}", error.message)
}

impl Claiming<'_> {
    /// [`confirmed`] over an open board.
    pub(super) fn confirm(&self, board: &mut dyn NoteBoard, token: ClaimToken) -> Result<Option<String>> {
        let claims = state(self.store.common_dir())?;
        let is_held = |claim: &&Claim| claims.holder(&claim.series).is_some_and(|held| held.token == claim.token);
        let Some(claim) = shared(&claims, token).filter(is_held) else { return Ok(None) };
        match owner_of(board, claim) {
            Ok(NoteOwner::Others) => Err(self.lost(board, claim)?),
            Ok(NoteOwner::Own(..) | NoteOwner::GivenUp(..)) => Ok(None),
            // its holder did not delete the note; a later holder that took the claim and filed leaves no note either
            Ok(NoteOwner::Absent) => Ok(Some(format!(
                "the claim is gone from {}, and this repository did not end it: another owner may have measured the same meanwhile",
                board.remote()
            ))),
            Err(error) => Ok(Some(not_confirmed(board.remote(), &error))),
        }
    }
}

/// Called after a filed reading ended its claim: frees the note, so that others may measure the scenario again. A failure
/// is only a warning, because the reading stands and the note ends by itself.
pub(crate) fn ended_there(repo: &Repo, store: &Store, token: ClaimToken, now: Timestamp) -> Option<String> {
    let opened = board_of(repo, store, token, PATIENCE);
    let ended = opened.and_then(|board| board.map_or(Ok(()), |mut board| take_away(&mut *board, store, token, now)));
    ended.err().map(|error| {
        format!("not confirmed on the remote: others see the claim until it ends by itself: {}", error.message)
    })
}

/// [`ended_there`] over an open board.
pub(super) fn take_away(board: &mut dyn NoteBoard, store: &Store, token: ClaimToken, now: Timestamp) -> Result<()> {
    let claims = state(store.common_dir())?;
    let Some(claim) = shared(&claims, token).filter(|_| claims.is_filed(token)) else { return Ok(()) };
    let NoteOwner::Own(id, shown) = owner_of(board, claim)? else { return Ok(()) };
    // a holder that lost the series to this claim must find out: without a note it would put its own back. The note that
    // is left counts from the first attempt again.
    match free(board, id, 1, PublicClaim { ts: now, ..shown })? {
        Swapped::Won => Ok(()),
        Swapped::Refused(why) => match owner_of(board, claim)? {
            NoteOwner::Own(..) => Err(not_taken(board, &why)),
            NoteOwner::GivenUp(..) | NoteOwner::Absent | NoteOwner::Others => Ok(()),
        },
    }
}
