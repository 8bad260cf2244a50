//! The answer to each command: a state and a clock in; the next event or a refusal out. Nothing is changed here: the caller
//! checks the event with [`Claims::apply`], and makes it durable before it answers.

use super::refusal::ClaimRefusal;
use super::{Claims, HeldPhase, SeriesState, TokenState};
use crate::features::claims::model::settings::ClaimLimits;
use crate::features::claims::model::{Claim, ClaimEvent, ClaimPath, ClaimSeries, ClaimStep, ClaimToken};
use crate::model::ledger::Timestamp;
use crate::text::escape::echo;
use crate::text::plural;
use crate::tree::path::RepoPath;

/// The clock and the limits under which a command is decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimTerms {
    pub now: Timestamp,
    /// `yatsu.claims` of the work tree.
    pub limits: ClaimLimits,
}

impl ClaimTerms {
    pub(crate) fn phase(&self, claim: &Claim) -> HeldPhase {
        if self.now <= claim.until {
            HeldPhase::Live
        } else if self.now.millis <= claim.until.millis.saturating_add(self.limits.grace) {
            HeldPhase::Grace
        } else {
            HeldPhase::Lapsed
        }
    }

    /// Refuses to go past a claim that has not lapsed.
    fn refuse_held(&self, claim: &Claim) -> Result<(), ClaimRefusal> {
        match self.phase(claim) {
            HeldPhase::Live => Err(ClaimRefusal::held(claim)),
            HeldPhase::Grace => {
                let end = claim.until.millis.saturating_add(self.limits.grace);
                let left = end.saturating_sub(self.now.millis).saturating_add(1);
                Err(ClaimRefusal::InGrace { series: claim.series.clone(), owner: claim.owner.clone(), left })
            }
            HeldPhase::Lapsed => Ok(()),
        }
    }

    fn event(&self, step: ClaimStep, claim: Claim, reason: Option<String>) -> ClaimEvent {
        ClaimEvent { ts: self.now, step, claim, reason }
    }
}

/// The tags of the scenario of a series; none if it is not declared.
pub(super) type TagsOf<'t> = dyn Fn(&ClaimSeries) -> Vec<String> + 't;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FilingDecision {
    /// The event to make durable; `None` if the journal stays unchanged.
    pub event: Option<ClaimEvent>,
    /// The claim had expired, and no later owner is known.
    pub late: bool,
}

impl Claims {
    /// Gives a claim. Its attempt is ignored: the state knows the number. `force` allows more attempts than the limit.
    pub(crate) fn take(
        &self,
        wanted: &Claim,
        force: bool,
        terms: &ClaimTerms,
        tags: &TagsOf<'_>,
    ) -> Result<ClaimEvent, ClaimRefusal> {
        // a claim that is about to be published on a remote may already be there, with its answer lost
        let intent = self.intent(&wanted.series).filter(|intent| intent.token != wanted.token);
        if let Some(intent) = intent.filter(|intent| terms.now <= intent.until) {
            return Err(ClaimRefusal::held(intent));
        }
        let (step, attempt) = match self.state(&wanted.series) {
            SeriesState::Free { attempt } => (ClaimStep::Taken, attempt),
            SeriesState::Held(claim) => {
                terms.refuse_held(&claim)?;
                (ClaimStep::Reclaimed, claim.attempt.saturating_add(1))
            }
        };
        let most = terms.limits.max_attempts;
        if attempt > most && !force {
            return Err(ClaimRefusal::Attempts { series: wanted.series.clone(), most });
        }
        match self.reached(wanted, terms, tags) {
            Some(which) => Err(ClaimRefusal::Capped(which)),
            None => Ok(terms.event(step, Claim { attempt, ..wanted.clone() }, None)),
        }
    }

    /// Refuses a path that collides with another claimed path. `files` are those of the work tree that `wanted` covers.
    pub(crate) fn refuse_collision(
        &self,
        wanted: &ClaimPath,
        files: &[RepoPath],
        terms: &ClaimTerms,
    ) -> Result<(), ClaimRefusal> {
        let collides = |claim: &&Claim| matches!(&claim.series, ClaimSeries::Path(other) if other != wanted && wanted.collides(other, files));
        self.held().filter(collides).try_for_each(|claim| terms.refuse_held(claim))
    }

    /// The limit that one more claim would exceed, in a sentence. Lapsed claims do not count, because the next taker may
    /// have them.
    fn reached(&self, wanted: &Claim, terms: &ClaimTerms, tags: &TagsOf<'_>) -> Option<String> {
        let limits = &terms.limits;
        let held: Vec<&Claim> = self.held().filter(|claim| terms.phase(claim) != HeldPhase::Lapsed).collect();
        let count = |counts: &dyn Fn(&Claim) -> bool| held.iter().filter(|claim| counts(claim)).count();
        if let Some(most) = limits.max_per_owner
            && count(&|claim| claim.owner == wanted.owner) >= most
        {
            let owner = echo(&wanted.owner);
            let held = plural(most, "claim");
            return Some(format!("{owner} holds {held}, as many as yatsu.claims.maxPerOwner allows"));
        }
        if let Some(run) = &wanted.run
            && count(&|claim| claim.run.as_ref() == Some(run)) >= limits.max_per_run
        {
            let held = plural(limits.max_per_run, "claim");
            return Some(format!("run {run} holds {held}, as many as yatsu.claims.maxPerRun allows"));
        }
        let limited =
            tags(&wanted.series).into_iter().filter_map(|tag| limits.per_tag.get(&tag).map(|most| (tag, *most)));
        let mut full = limited.filter(|(tag, most)| count(&|claim| tags(&claim.series).contains(tag)) >= *most);
        full.next().map(|(tag, most)| {
            format!("the tag {tag} has {}, as many as yatsu.claims.perTag allows", plural(most, "claim"))
        })
    }

    pub(crate) fn renew(
        &self,
        token: ClaimToken,
        until: Timestamp,
        terms: &ClaimTerms,
    ) -> Result<ClaimEvent, ClaimRefusal> {
        let claim = self.claim_of(token)?;
        match terms.phase(claim) {
            HeldPhase::Live => Ok(terms.event(ClaimStep::Renewed, Claim { until, ..claim.clone() }, None)),
            _ => Err(ClaimRefusal::Expired { series: claim.series.clone(), until: claim.until }),
        }
    }

    pub(crate) fn release(
        &self,
        token: ClaimToken,
        reason: Option<String>,
        terms: &ClaimTerms,
    ) -> Result<ClaimEvent, ClaimRefusal> {
        Ok(terms.event(ClaimStep::Released, self.claim_of(token)?.clone(), reason))
    }

    /// Ends a claim without its token. A reason is required, because the holder did not end it.
    pub(crate) fn force(
        &self,
        series: &ClaimSeries,
        reason: String,
        terms: &ClaimTerms,
    ) -> Result<ClaimEvent, ClaimRefusal> {
        let claim = self.holder(series).ok_or_else(|| ClaimRefusal::NotHeld(series.clone()))?;
        Ok(terms.event(ClaimStep::Forced, claim.clone(), Some(reason)))
    }

    /// Files a reading, under the claim of a token if there is one. With `keep` the claim goes on.
    pub(crate) fn file(
        &self,
        series: &ClaimSeries,
        token: Option<ClaimToken>,
        keep: bool,
        terms: &ClaimTerms,
    ) -> Result<FilingDecision, ClaimRefusal> {
        let Some(token) = token else {
            return match self.holder(series).filter(|claim| terms.phase(claim) == HeldPhase::Live) {
                Some(claim) => Err(ClaimRefusal::held(claim)),
                None => Ok(FilingDecision::default()),
            };
        };
        if let Some(claimed) = self.known(token).map(|claim| &claim.series).filter(|claimed| *claimed != series) {
            return Err(ClaimRefusal::OtherScenario { claimed: claimed.clone() });
        }
        let claim = self.claim_of(token)?;
        let event = (!keep).then(|| terms.event(ClaimStep::Filed, claim.clone(), None));
        Ok(FilingDecision { event, late: terms.phase(claim) != HeldPhase::Live })
    }

    fn claim_of(&self, token: ClaimToken) -> Result<&Claim, ClaimRefusal> {
        match self.token(token) {
            Some(TokenState::Holds(series)) => self.holder(series).ok_or(ClaimRefusal::UnknownToken),
            Some(TokenState::Ended(claim, step)) => Err(ClaimRefusal::ended(&claim.series, *step)),
            None => Err(ClaimRefusal::UnknownToken),
        }
    }
}
