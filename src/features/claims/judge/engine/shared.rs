//! The claims of several machines, as one machine sees them: its own journal and the claims that a remote shows. Pure. The
//! remote decides the holders of shared claims; the journal knows the tokens and the local claims.

use super::{ClaimTerms, Claims, HeldPhase, SeriesState};
use crate::features::claims::model::{Claim, ClaimSeries, PublicClaim, TokenProof};
use std::collections::BTreeSet;

/// The state in which a command is decided: `local` with every claim that the remote shows, judged by the clock of this
/// machine. A stand-in replaces an unknown token.
pub(crate) fn merged(local: &Claims, shown: &[PublicClaim], remote: &str, terms: &ClaimTerms) -> Claims {
    let is_there = |claim: &Claim| claim.remote.as_deref() == Some(remote);
    let mut all = local.clone();
    let is_known: BTreeSet<&ClaimSeries> = shown.iter().map(|claim| &claim.series).collect();
    for (series, state) in all.series.iter_mut().filter(|(series, _)| !is_known.contains(series)) {
        let stays = match local.holder(series) {
            // the claim is local only, and no other machine knows it
            Some(claim) if !is_there(claim) => true,
            // its ref is missing without an event, perhaps because of a mirror push: its holder may put it back
            Some(claim) => terms.phase(claim) != HeldPhase::Lapsed,
            None => false,
        };
        // the remote keeps nothing of an ended series, so the next attempt is the first
        if !stays {
            *state = SeriesState::Free { attempt: 1 };
        }
    }
    for claim in shown {
        let own = local.holder(&claim.series);
        // the claim is held on this machine alone
        let is_local = |own: &&Claim| !is_there(own) && terms.phase(own) != HeldPhase::Lapsed;
        if own.filter(is_local).is_some() {
            continue;
        }
        let own = own.filter(|own| TokenProof::of(own.token) == claim.proof);
        let token = own.map_or_else(|| claim.proof.stand_in(), |own| own.token);
        let session = own.and_then(|own| own.session.clone());
        let state = match claim.is_held {
            true => SeriesState::Held(Claim { session, ..claim.claim(token, remote) }),
            false => SeriesState::Free { attempt: claim.attempt },
        };
        all.series.insert(claim.series.clone(), state);
    }
    all
}
