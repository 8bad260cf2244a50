//! Filing under a claim: what the claim says of the reading, whether it may be filed, and what becomes of the claim.

use super::FilingRequest;
use crate::app::record::claim::{refused, series, state, terms};
use crate::engine::claim::{ClaimCommand, ClaimDecision, ClaimRefusal, Claims, FilingUnderClaim, TokenState};
use crate::error::{Error, Result};
use crate::model::claim::{Claim, ClaimSeries, ClaimToken};
use crate::model::config::{ClaimLimits, Config};
use crate::model::ledger::{Reading, Timestamp};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::report::view::receipt::FilingOutcome;
use crate::store::Store;

/// The claim that a reading is filed under, or that there is none.
pub(super) struct UnderClaim {
    /// Nothing where the scenario has no spelling in the journal: then nobody can hold it.
    series: Option<ClaimSeries>,
    token: Option<ClaimToken>,
    keep: bool,
    limits: ClaimLimits,
    now: Timestamp,
}

impl UnderClaim {
    pub(super) fn of(request: &FilingRequest, config: &Config, node: &Node, scenario: &Scenario) -> Result<Self> {
        let found = series(node, &scenario.name);
        let series = if request.claim.is_some() { Some(found?) } else { found.ok() };
        let limits = config.claims.clone();
        Ok(Self { series, token: request.claim, keep: request.keep, limits, now: request.now })
    }

    /// The reading with what its claim says of it. That the claim has ended is no matter here: the reading may have been
    /// filed before its end.
    pub(super) fn dress(&self, store: &Store, mut draft: Reading) -> Result<Reading> {
        let Some(token) = self.token else { return Ok(draft) };
        let claims = state(store.common_dir())?;
        let claim = held_or_ended(&claims, token).ok_or_else(|| refused(&ClaimRefusal::UnknownToken))?;
        let other = |run: &&crate::model::labels::RunId| draft.terms.run.as_ref().is_some_and(|given| given != *run);
        if let Some(run) = claim.run.as_ref().filter(other) {
            return Err(Error::refused(format!("the claim is for run {run}, and the reading for another"))
                .hint("leave --run out: a reading under a claim belongs to the claim's run"));
        }
        draft.terms.attempt = Some(claim.attempt);
        draft.terms.run = draft.terms.run.or_else(|| claim.run.clone());
        draft.by = draft.by.or_else(|| Some(claim.owner.clone()));
        Ok(draft)
    }

    /// What becomes of the claim when this is the outcome. A reading that is there already was filed while its claim was
    /// held: whoever lost it since is told so, and nothing else.
    pub(super) fn decide(&self, claims: &Claims, outcome: FilingOutcome) -> Result<ClaimDecision> {
        let nothing = ClaimDecision { event: None, under: None, late: false };
        let Some(series) = &self.series else { return Ok(nothing) };
        let filing = FilingUnderClaim { series: series.clone(), token: self.token, keep: self.keep };
        match claims.decide(&ClaimCommand::File(filing), &terms(&self.limits, self.now), &|_| Vec::new()) {
            Ok(decision) => Ok(decision),
            Err(ClaimRefusal::Lost(_) | ClaimRefusal::Ended { .. } | ClaimRefusal::Held { .. })
                if outcome == FilingOutcome::AlreadyFiled =>
            {
                Ok(nothing)
            }
            Err(refusal) => Err(refused(&refusal)),
        }
    }
}

fn held_or_ended(claims: &Claims, token: ClaimToken) -> Option<Claim> {
    match claims.token(token)? {
        TokenState::Holds(series) => claims.holder(series).cloned(),
        TokenState::Ended(claim, _) => Some(claim.clone()),
    }
}
