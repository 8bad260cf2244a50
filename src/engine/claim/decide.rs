//! A command, a state and a clock in; the next event or a refusal out. Nothing is changed here: the event is durable before
//! [`Claims::apply`] applies it.

use super::refusal::{ClaimCap, ClaimRefusal};
use super::{Claims, HeldPhase, SeriesState, TokenState, phase};
use crate::model::claim::{Claim, ClaimEvent, ClaimSeries, ClaimStep, ClaimToken};
use crate::model::labels::RunId;
use crate::model::ledger::{EvidenceHash, Timestamp};
use std::collections::BTreeMap;

/// The clock and the limits under which a command is decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimTerms {
    /// The moment of the command, by the clock of its caller.
    pub now: Timestamp,
    /// The milliseconds after its `until` in which a claim cannot be taken over.
    pub grace: i64,
    /// The number of attempts at one reading without `force`.
    pub max_attempts: u32,
    /// The number of claims that one owner may hold; `None` means no limit.
    pub max_per_owner: Option<usize>,
    /// The number of claims that one run may hold.
    pub max_per_run: usize,
    /// The number of claims that may be held on scenarios with a tag.
    pub per_tag: BTreeMap<String, usize>,
}

/// The tags of the scenario of a series; none if it is not declared.
pub(crate) type TagsOf<'t> = dyn Fn(&ClaimSeries) -> Vec<String> + 't;

/// A request for a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taking {
    /// The node and the scenario to claim.
    pub series: ClaimSeries,
    /// The future owner; not blank.
    pub owner: String,
    /// A new token: the proof of the claim.
    pub token: ClaimToken,
    /// The run that the reading is for.
    pub run: Option<RunId>,
    /// The last moment of the claim.
    pub until: Timestamp,
    /// The hash of the scenario text.
    pub text: Option<EvidenceHash>,
    /// The remote on which other machines see the claim.
    pub remote: Option<String>,
    /// Allows more attempts than the limit.
    pub force: bool,
}

/// A request to file a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilingUnderClaim {
    /// The node and the scenario of the reading.
    pub series: ClaimSeries,
    /// The token of the claim to file under.
    pub token: Option<ClaimToken>,
    /// Keeps the claim after the reading is filed.
    pub keep: bool,
}

/// A command to the state machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClaimCommand {
    /// Take a claim.
    Take(Taking),
    /// Extend a claim.
    Renew {
        token: ClaimToken,
        /// The new last moment of the claim.
        until: Timestamp,
    },
    /// Give a claim up.
    Release {
        /// The token that proves the claim.
        token: ClaimToken,
        /// The reason, for readers of the journal.
        reason: Option<String>,
    },
    /// End a claim without its token.
    Force {
        /// The node and the scenario of the claim.
        series: ClaimSeries,
        /// The reason, for the holder of the claim; required, because the holder did not end it.
        reason: String,
    },
    /// File a reading.
    File(FilingUnderClaim),
}

/// The result of a command that is not refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimDecision {
    /// The event to make durable; `None` if the journal stays unchanged.
    pub event: Option<ClaimEvent>,
    /// The claim of the reading.
    pub under: Option<Claim>,
    /// The claim had expired, and no later owner is known.
    pub late: bool,
}

type Answer = Result<ClaimDecision, ClaimRefusal>;

impl Claims {
    /// The result of `command` in this state.
    ///
    /// # Errors
    /// The reason for a refusal.
    pub(crate) fn decide(&self, command: &ClaimCommand, terms: &ClaimTerms, tags: &TagsOf<'_>) -> Answer {
        match command {
            ClaimCommand::Take(taking) => self.take(taking, terms, tags),
            ClaimCommand::Renew { token, until } => self.renew(*token, *until, terms),
            ClaimCommand::Release { token, reason } => {
                let claim = self.claim_of(*token)?;
                Ok(follows(terms, ClaimStep::Released, claim.clone(), reason.clone()))
            }
            ClaimCommand::Force { series, reason } => {
                let claim = self.holder(series).ok_or_else(|| ClaimRefusal::NotHeld(series.clone()))?;
                Ok(follows(terms, ClaimStep::Forced, claim.clone(), Some(reason.clone())))
            }
            ClaimCommand::File(filing) => self.file(filing, terms),
        }
    }

    fn take(&self, taking: &Taking, terms: &ClaimTerms, tags: &TagsOf<'_>) -> Answer {
        // a claim that is about to be published on a remote may already be there, with its answer lost
        let intent = self.intent(&taking.series).filter(|intent| intent.token != taking.token);
        if let Some(intent) = intent.filter(|intent| terms.now <= intent.until) {
            return Err(ClaimRefusal::held(intent));
        }
        let (step, attempt) = match self.state(&taking.series) {
            SeriesState::Free { attempt } => (ClaimStep::Taken, attempt),
            SeriesState::Held(claim) => match phase(&claim, terms.now, terms.grace) {
                HeldPhase::Live => return Err(ClaimRefusal::held(&claim)),
                HeldPhase::Grace => {
                    let end = claim.until.millis.saturating_add(terms.grace);
                    let left = end.saturating_sub(terms.now.millis).saturating_add(1);
                    return Err(ClaimRefusal::InGrace { series: claim.series, owner: claim.owner, left });
                }
                HeldPhase::Lapsed => (ClaimStep::Reclaimed, claim.attempt.saturating_add(1)),
            },
        };
        if attempt > terms.max_attempts && !taking.force {
            return Err(ClaimRefusal::Attempts { series: taking.series.clone(), most: terms.max_attempts });
        }
        if let Some(cap) = self.reached(taking, terms, tags) {
            return Err(ClaimRefusal::Capped(cap));
        }
        let Taking { series, owner, token, run, until, text, remote, .. } = taking.clone();
        Ok(follows(terms, step, Claim { series, owner, token, attempt, run, until, text, remote }, None))
    }

    /// The limit that one more claim would exceed. Lapsed claims do not count, because the next taker may have them.
    fn reached(&self, taking: &Taking, terms: &ClaimTerms, tags: &TagsOf<'_>) -> Option<ClaimCap> {
        let held: Vec<&Claim> =
            self.held().filter(|claim| phase(claim, terms.now, terms.grace) != HeldPhase::Lapsed).collect();
        let count = |counts: &dyn Fn(&Claim) -> bool| held.iter().filter(|claim| counts(claim)).count();
        if let Some(most) = terms.max_per_owner
            && count(&|claim| claim.owner == taking.owner) >= most
        {
            return Some(ClaimCap::Owner(taking.owner.clone(), most));
        }
        if let Some(run) = &taking.run
            && count(&|claim| claim.run.as_ref() == Some(run)) >= terms.max_per_run
        {
            return Some(ClaimCap::Run(run.clone(), terms.max_per_run));
        }
        let limited =
            tags(&taking.series).into_iter().filter_map(|tag| terms.per_tag.get(&tag).map(|most| (tag, *most)));
        let mut full = limited.filter(|(tag, most)| count(&|claim| tags(&claim.series).contains(tag)) >= *most);
        full.next().map(|(tag, most)| ClaimCap::Tag(tag, most))
    }

    fn renew(&self, token: ClaimToken, until: Timestamp, terms: &ClaimTerms) -> Answer {
        let claim = self.claim_of(token)?;
        if phase(claim, terms.now, terms.grace) != HeldPhase::Live {
            return Err(ClaimRefusal::Expired { series: claim.series.clone(), until: claim.until });
        }
        Ok(follows(terms, ClaimStep::Renewed, Claim { until, ..claim.clone() }, None))
    }

    fn file(&self, filing: &FilingUnderClaim, terms: &ClaimTerms) -> Answer {
        let Some(token) = filing.token else { return self.file_unclaimed(&filing.series, terms) };
        if let Some(claimed) = self.series_of(token)
            && *claimed != filing.series
        {
            return Err(ClaimRefusal::OtherScenario { claimed: claimed.clone() });
        }
        let claim = self.claim_of(token)?;
        let late = phase(claim, terms.now, terms.grace) != HeldPhase::Live;
        let filed = follows(terms, ClaimStep::Filed, claim.clone(), None);
        Ok(ClaimDecision { event: filed.event.filter(|_| !filing.keep), under: Some(claim.clone()), late })
    }

    fn file_unclaimed(&self, series: &ClaimSeries, terms: &ClaimTerms) -> Answer {
        match self.holder(series).filter(|claim| phase(claim, terms.now, terms.grace) == HeldPhase::Live) {
            Some(claim) => Err(ClaimRefusal::held(claim)),
            None => Ok(ClaimDecision { event: None, under: None, late: false }),
        }
    }

    fn series_of(&self, token: ClaimToken) -> Option<&ClaimSeries> {
        self.token(token).map(|state| match state {
            TokenState::Holds(series) => series,
            TokenState::Ended(claim, _) => &claim.series,
        })
    }

    fn claim_of(&self, token: ClaimToken) -> Result<&Claim, ClaimRefusal> {
        match self.token(token) {
            Some(TokenState::Holds(series)) => self.holder(series).ok_or(ClaimRefusal::UnknownToken),
            Some(TokenState::Ended(claim, step)) => Err(ClaimRefusal::ended(&claim.series, *step)),
            None => Err(ClaimRefusal::UnknownToken),
        }
    }
}

fn follows(terms: &ClaimTerms, step: ClaimStep, claim: Claim, reason: Option<String>) -> ClaimDecision {
    let event = ClaimEvent { ts: terms.now, step, claim: claim.clone(), reason };
    ClaimDecision { event: Some(event), under: Some(claim), late: false }
}
