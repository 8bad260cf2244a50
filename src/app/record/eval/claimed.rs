//! Filing under a claim: what the claim adds to the reading, whether it may be filed, and what happens to the claim.

use super::FilingRequest;
use crate::app::claim::place::{claimed_as, declares, series};
use crate::app::claim::state;
use crate::app::site::Site;
use crate::engine::claim::{ClaimRefusal, ClaimTerms, Claims, FilingDecision, NodeNames, TokenState};
use crate::error::{Error, Refusal, Result};
use crate::model::claim::{ClaimEvent, ClaimStep, ClaimToken};
use crate::model::config::Config;
use crate::model::ledger::Reading;
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
    terms: ClaimTerms,
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
        let terms = ClaimTerms { now: request.now, limits: config.claims.clone() };
        Ok(Self { node, scenario, names, token: request.claim, keep: request.keep, terms })
    }

    /// The reading with the attempt, the run and the owner of its claim. An ended claim is accepted here, because the
    /// reading may have been filed before the end.
    pub(super) fn dress(&self, store: &Store, mut draft: Reading) -> Result<Reading> {
        let Some(token) = self.token else { return Ok(draft) };
        let claims = state(store.common_dir())?;
        let unknown = || ClaimRefusal::UnknownToken.error(&self.names);
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
    ) -> Result<FilingDecision> {
        match self.asked(site, claims)? {
            // dated no earlier than the reading, which may be ahead of the clock as its ledger is
            Ok(FilingDecision { event, late }) => {
                let event = event.map(|event| ClaimEvent { ts: event.ts.max(reading.ts), ..event });
                Ok(FilingDecision { event, late })
            }
            Err(refusal) if outcome == FilingOutcome::AlreadyFiled && self.filed(claims, &refusal, reading) => {
                Ok(FilingDecision::default())
            }
            Err(refusal) => Err(refusal.error(&self.names)),
        }
    }

    /// Why nothing can be filed without a token: another owner holds the scenario. `None` if it is not held.
    pub(super) fn held(&self, site: &dyn Site, claims: &Claims) -> Result<Option<String>> {
        Ok(match self.asked(site, claims)? {
            Err(refusal @ ClaimRefusal::Held { .. }) => Some(refusal.message(&self.names)),
            _ => None,
        })
    }

    /// The decision of the claims about the filing.
    fn asked(&self, site: &dyn Site, claims: &Claims) -> Result<Result<FilingDecision, ClaimRefusal>> {
        if series(self.node, &self.scenario.name).is_err() {
            return Ok(Ok(FilingDecision::default()));
        }
        let is_declared = |series: &_| declares(site, series);
        let series = claimed_as(claims, self.node, self.scenario, self.token, &self.terms, &is_declared)?;
        Ok(claims.file(&series, self.token, self.keep, &self.terms))
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
