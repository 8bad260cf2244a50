//! Filing under a claim: what the claim says of the reading, whether it may be filed, and what becomes of the claim.

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

/// The claim that a reading is filed under, or that there is none.
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
        // a scenario that has no spelling in the journal is held by nobody
        request.claim.map_or(Ok(()), |_| series(node, &scenario.name).map(|_| ()))?;
        let limits = config.claims.clone();
        Ok(Self { node, scenario, names, token: request.claim, keep: request.keep, limits, now: request.now })
    }

    /// The reading with what its claim says of it. That the claim has ended is no matter here: the reading may have been
    /// filed before its end.
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

    /// What becomes of the claim when this is the outcome, of this reading. One that is there already was filed while its claim
    /// was held: whoever lost it since is told so, and nothing else.
    pub(super) fn decide(
        &self,
        site: &dyn Site,
        claims: &Claims,
        outcome: FilingOutcome,
        reading: &Reading,
    ) -> Result<ClaimDecision> {
        let nothing = ClaimDecision { event: None, under: None, late: false };
        match self.asked(site, claims)? {
            // in a ledger that is ahead of the clock the reading would seem to be younger than the end of its claim
            Ok(decision) => {
                Ok(ClaimDecision { event: decision.event.map(|event| not_before(event, reading)), ..decision })
            }
            Err(refusal) if outcome == FilingOutcome::AlreadyFiled && self.filed(claims, &refusal, reading) => {
                Ok(nothing)
            }
            Err(refusal) => Err(refused(&refusal, &self.names)),
        }
    }

    /// Why nothing can be filed without a token because somebody holds the scenario; nothing where nobody does.
    pub(super) fn held(&self, site: &dyn Site, claims: &Claims) -> Result<Option<String>> {
        Ok(match self.asked(site, claims)? {
            Err(refusal @ ClaimRefusal::Held { .. }) => Some(refused(&refusal, &self.names).message),
            _ => None,
        })
    }

    /// What the claims say of filing.
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

    /// Whether a reading that is there already is the one that whoever is refused has filed. Who shows no token is told
    /// that it is there, whoever filed it; who shows one that ended is told so of a reading of its own.
    fn filed(&self, claims: &Claims, refusal: &ClaimRefusal, reading: &Reading) -> bool {
        match (refusal, self.token.and_then(|token| claims.token(token).zip(claims.span(token)))) {
            (ClaimRefusal::Held { .. }, _) => self.token.is_none(),
            (ClaimRefusal::Lost(_) | ClaimRefusal::Ended { .. }, Some((TokenState::Ended(claim, step), span))) => {
                // by its end as a reading the claim says that the reading was there; any other end says nothing of one
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
