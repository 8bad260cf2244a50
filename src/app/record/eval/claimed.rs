//! Filing under a claim: what the claim adds to the reading, whether it may be filed, and what happens to the claim.

use super::{Filing, WorkTree};
use crate::app::claim::place::{claimed_as, declares, series};
use crate::app::claim::state;
use crate::engine::claim::{ClaimRefusal, Claims, FilingDecision, TokenState};
use crate::error::{Error, Refusal, Result};
use crate::model::claim::{ClaimEvent, ClaimStep, ClaimToken};
use crate::model::labels::RunId;
use crate::model::ledger::Reading;
use crate::report::view::receipt::FilingOutcome;

/// The reading with the attempt, the run and the owner of the claim of this token. An ended claim is accepted here, because
/// the reading may have been filed before the end.
pub(super) fn dress(token: ClaimToken, work: &WorkTree, mut draft: Reading) -> Result<Reading> {
    let claims = state(work.store.common_dir())?;
    let claim = claims.known(token).ok_or_else(|| ClaimRefusal::UnknownToken.error(&work.names))?;
    if claim.series.scenario().is_none() {
        return Err(ClaimRefusal::OtherScenario { claimed: claim.series.clone() }.error(&work.names));
    }
    let other = |run: &&RunId| draft.terms.run.as_ref().is_some_and(|given| given != *run);
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

impl Filing<'_> {
    /// The decision about the claim for this outcome and reading. A reading that is already there was filed while its
    /// claim was held; if the claim was lost since, the caller only learns that the reading is there.
    pub(super) fn decide_claim(
        &self,
        claims: &Claims,
        outcome: FilingOutcome,
        reading: &Reading,
    ) -> Result<FilingDecision> {
        match self.claim_decision(claims)? {
            // dated no earlier than the reading, which may be ahead of the clock as its ledger is
            Ok(FilingDecision { event, late }) => {
                let event = event.map(|event| ClaimEvent { ts: event.ts.max(reading.ts), ..event });
                Ok(FilingDecision { event, late })
            }
            Err(refusal) if outcome == FilingOutcome::AlreadyFiled && self.was_filed(claims, &refusal, reading) => {
                Ok(FilingDecision::default())
            }
            Err(refusal) => Err(refusal.error(&self.work.names)),
        }
    }

    /// Why nothing can be filed without a token: another owner holds the scenario. `None` if it is not held.
    pub(crate) fn held(&self, claims: &Claims) -> Result<Option<String>> {
        Ok(match self.claim_decision(claims)? {
            Err(refusal @ ClaimRefusal::Held { .. }) => Some(refusal.message(&self.work.names)),
            _ => None,
        })
    }

    /// The decision of the claims about the filing. A scenario that the journal cannot spell cannot be claimed.
    fn claim_decision(&self, claims: &Claims) -> Result<Result<FilingDecision, ClaimRefusal>> {
        if series(self.node, &self.scenario.name).is_err() {
            return Ok(Ok(FilingDecision::default()));
        }
        let is_declared = |series: &_| declares(self.site, series);
        let series = claimed_as(claims, self.node, self.scenario, self.token, &self.terms, &is_declared)?;
        Ok(claims.file(&series, self.token, self.keep_claim, &self.terms))
    }

    /// Whether a refusal does not matter because `reading` is already filed. Without a token any filed reading will do;
    /// with an ended token it must be a reading of that claim.
    fn was_filed(&self, claims: &Claims, refusal: &ClaimRefusal, reading: &Reading) -> bool {
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
