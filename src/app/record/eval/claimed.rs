//! Filing under a claim: what the claim adds to the reading, whether it may be filed, and what happens to the claim.

use super::FilingRequest;
use crate::app::claim::place::{AskedFor, NodeNames, claimed_as, declares, series};
use crate::app::claim::{refused, state, terms};
use crate::app::site::Site;
use crate::engine::claim::{ClaimCommand, ClaimDecision, ClaimRefusal, Claims, FilingUnderClaim, TokenState};
use crate::error::{Error, Refusal, Result};
use crate::model::claim::{ClaimEvent, ClaimStep, ClaimToken};
use crate::model::config::{ClaimLimits, Config};
use crate::model::ledger::{Reading, Timestamp};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::report::view::receipt::FilingOutcome;
use crate::store::Store;

/// The claim under which a reading is filed, if any.
pub(super) struct UnderClaim<'n> {
    node: &'n Node,
    scenario: &'n Scenario,
    names: NodeNames,
    token: Option<ClaimToken>,
    keep: bool,
    limits: ClaimLimits,
    now: Timestamp,
}

impl<'n> UnderClaim<'n> {
    pub(super) fn of(
        request: &FilingRequest,
        config: &Config,
        node: &'n Node,
        scenario: &'n Scenario,
        names: NodeNames,
    ) -> Result<Self> {
        // a scenario that the journal cannot spell cannot be claimed
        request.claim.map_or(Ok(()), |_| series(node, &scenario.name).map(|_| ()))?;
        let limits = config.claims.clone();
        Ok(Self { node, scenario, names, token: request.claim, keep: request.keep, limits, now: request.now })
    }

    /// The reading with the attempt, the run and the owner of its claim. An ended claim is accepted here, because the
    /// reading may have been filed before the end.
    pub(super) fn dress(&self, store: &Store, mut draft: Reading) -> Result<Reading> {
        let Some(token) = self.token else { return Ok(draft) };
        let claims = state(store.common_dir())?;
        let unknown = || refused(&ClaimRefusal::UnknownToken, &self.names);
        let claim = claims.known(token).cloned().ok_or_else(unknown)?;
        let other = |run: &&crate::model::labels::RunId| draft.terms.run.as_ref().is_some_and(|given| given != *run);
        if let Some(run) = claim.run.as_ref().filter(other) {
            return Err(Error::refused(format!("the claim is for run {run}, and the reading for another"))
                .because(Refusal::Invalid)
                .hint("leave --run out: a reading under a claim belongs to the claim's run"));
        }
        draft.terms.attempt = Some(claim.attempt);
        draft.terms.run = draft.terms.run.or_else(|| claim.run.clone());
        draft.by = draft.by.or_else(|| Some(claim.owner.clone()));
        Ok(draft)
    }

    /// The decision about the claim for this outcome and reading. A reading that is already there was filed while its
    /// claim was held; if the claim was lost since, the caller only learns that the reading is there.
    pub(super) fn decide(
        &self,
        site: &dyn Site,
        claims: &Claims,
        outcome: FilingOutcome,
        reading: &Reading,
    ) -> Result<ClaimDecision> {
        let nothing = ClaimDecision { event: None, under: None, late: false };
        match self.asked(site, claims)? {
            // dated no earlier than the reading, which may be ahead of the clock as its ledger is
            Ok(decision) => {
                Ok(ClaimDecision { event: decision.event.map(|event| not_before(event, reading)), ..decision })
            }
            Err(refusal) if outcome == FilingOutcome::AlreadyFiled && self.filed(claims, &refusal, reading) => {
                Ok(nothing)
            }
            Err(refusal) => Err(refused(&refusal, &self.names)),
        }
    }

    /// Why nothing can be filed without a token: another owner holds the scenario. `None` if it is not held.
    pub(super) fn held(&self, site: &dyn Site, claims: &Claims) -> Result<Option<String>> {
        Ok(match self.asked(site, claims)? {
            Err(refusal @ ClaimRefusal::Held { .. }) => Some(refused(&refusal, &self.names).message),
            _ => None,
        })
    }

    /// The decision of the claims about the filing.
    fn asked(&self, site: &dyn Site, claims: &Claims) -> Result<Result<ClaimDecision, ClaimRefusal>> {
        if series(self.node, &self.scenario.name).is_err() {
            return Ok(Ok(ClaimDecision { event: None, under: None, late: false }));
        }
        let terms = terms(&self.limits, self.now);
        let asked = AskedFor { node: self.node, scenario: self.scenario, token: self.token };
        let series = claimed_as(claims, asked, &terms, &|series| declares(site, series))?;
        let filing = FilingUnderClaim { series, token: self.token, keep: self.keep };
        Ok(claims.decide(&ClaimCommand::File(filing), &terms, &|_| Vec::new()))
    }

    /// Whether a refusal does not matter because `reading` is already filed. Without a token any filed reading will do;
    /// with an ended token it must be a reading of that claim.
    fn filed(&self, claims: &Claims, refusal: &ClaimRefusal, reading: &Reading) -> bool {
        match (refusal, self.token.and_then(|token| claims.token(token).zip(claims.span(token)))) {
            (ClaimRefusal::Held { .. }, _) => self.token.is_none(),
            (ClaimRefusal::Lost(_) | ClaimRefusal::Ended { .. }, Some((TokenState::Ended(claim, step), span))) => {
                // a claim that ended as `filed` has its reading; after any other end attempt and time must fit
                let is_its_own = *step == ClaimStep::Filed
                    || reading.terms.attempt == Some(claim.attempt) && span.from <= reading.ts;
                is_its_own && reading.ts <= span.to
            }
            _ => false,
        }
    }
}

fn not_before(event: ClaimEvent, reading: &Reading) -> ClaimEvent {
    ClaimEvent { ts: event.ts.max(reading.ts), ..event }
}
