//! Claims of several machines, as one machine sees them: what its own journal says, and what a remote shows of the others.
//! Pure. The remote decides who holds what is shared; the journal knows the tokens, and what is only held here.

use super::{Claims, HeldPhase, SeriesState, phase};
use crate::model::claim::{Claim, ClaimSeries, PublicClaim, TokenProof};
use crate::model::ledger::Timestamp;
use std::collections::BTreeSet;

/// The remote, and by what clock and grace its claims are judged: those of whoever looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookedAt<'a> {
    /// Its name.
    pub(crate) remote: &'a str,
    /// The moment of the look.
    pub(crate) now: Timestamp,
    /// In milliseconds.
    pub(crate) grace: i64,
}

/// The state in which a command is decided: `local` with everything that the remote shows. Tokens that others have are none
/// that anybody could type.
pub(crate) fn merged(local: &Claims, shown: &[PublicClaim], at: LookedAt<'_>) -> Claims {
    let mut all = local.clone();
    let is_known: BTreeSet<&ClaimSeries> = shown.iter().map(|claim| &claim.series).collect();
    for (series, state) in all.series.iter_mut().filter(|(series, _)| !is_known.contains(series)) {
        let stays = match local.holder(series) {
            // nobody else ever heard of it
            Some(claim) if !is_on(claim, at) => true,
            // its ref went without a word, by a mirror of somebody say: whoever holds it may put it back
            Some(claim) => phase(claim, at.now, at.grace) != HeldPhase::Lapsed,
            None => false,
        };
        // of a series that ended nothing is kept there, and the next attempt is the first
        if !stays {
            *state = SeriesState::Free { attempt: 1 };
        }
    }
    for claim in shown {
        let own = local.holder(&claim.series);
        // what is only held here is held here, and by nobody else
        let is_local = |own: &&Claim| !is_on(own, at) && phase(own, at.now, at.grace) != HeldPhase::Lapsed;
        if own.filter(is_local).is_some() {
            continue;
        }
        let token = own.map(|own| own.token).filter(|token| TokenProof::of(*token) == claim.proof);
        let state = match claim.is_held {
            true => SeriesState::Held(claim.claim(token.unwrap_or_else(|| claim.proof.stand_in()), at.remote)),
            false => SeriesState::Free { attempt: claim.attempt },
        };
        all.series.insert(claim.series.clone(), state);
    }
    all
}

fn is_on(claim: &Claim, at: LookedAt<'_>) -> bool {
    claim.remote.as_deref() == Some(at.remote)
}
