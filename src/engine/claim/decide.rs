//! A command in a state under a clock: the event that follows, or the refusal. Nothing is changed here; the event is
//! durable before [`Claims::apply`] follows it.

use super::refusal::{ClaimCap, ClaimRefusal};
use super::{Claims, HeldPhase, SeriesState, TokenState, phase};
use crate::model::claim::{Claim, ClaimEvent, ClaimSeries, ClaimStep, ClaimToken};
use crate::model::labels::RunId;
use crate::model::ledger::{EvidenceHash, Timestamp};
use std::collections::BTreeMap;

/// The clock and the limits that a command is decided under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimTerms {
    /// The moment of the command, by the clock of whoever gives it.
    pub now: Timestamp,
    /// How long after its `until` nobody may take a claim over, in milliseconds.
    pub grace: i64,
    /// So many attempts at one reading are given without force.
    pub max_attempts: u32,
    /// So many claims one owner may hold; none is no limit.
    pub max_per_owner: Option<usize>,
    /// So many claims one run may hold.
    pub max_per_run: usize,
    /// So many claims may be held on scenarios with a tag.
    pub per_tag: BTreeMap<String, usize>,
}

/// The tags of the scenario of a series; none where it is not declared.
pub(crate) type TagsOf<'t> = dyn Fn(&ClaimSeries) -> Vec<String> + 't;

/// Somebody wants a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taking {
    /// The node and the scenario that it will be on.
    pub series: ClaimSeries,
    /// Who it will be held by; not blank.
    pub owner: String,
    /// A new token: what the claim will be proved with.
    pub token: ClaimToken,
    /// For a reading of this run.
    pub run: Option<RunId>,
    /// The last moment at which it will be live.
    pub until: Timestamp,
    /// What the scenario says.
    pub text: Option<EvidenceHash>,
    /// The remote on which other machines will see it.
    pub remote: Option<String>,
    /// Also past the allowed number of attempts.
    pub force: bool,
}

/// Somebody wants to file a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilingUnderClaim {
    /// The node and the scenario of the reading.
    pub series: ClaimSeries,
    /// Under this claim.
    pub token: Option<ClaimToken>,
    /// The claim is to go on.
    pub keep: bool,
}

/// What is asked of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClaimCommand {
    /// A claim.
    Take(Taking),
    /// A later end.
    Renew {
        /// Of this token's claim.
        token: ClaimToken,
        /// The last moment at which it will be live.
        until: Timestamp,
    },
    /// To give this token's claim up.
    Release {
        /// What proves that the claim is theirs.
        token: ClaimToken,
        /// Why, for whoever reads the journal.
        reason: Option<String>,
    },
    /// To end somebody's claim.
    Force {
        /// The node and the scenario whose claim ends.
        series: ClaimSeries,
        /// Why, for its holder; asked for, since it is not their own doing.
        reason: String,
    },
    /// To file a reading.
    File(FilingUnderClaim),
}

/// What follows a command that is not refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimDecision {
    /// What is to be made durable; nothing where the journal stays as it is.
    pub event: Option<ClaimEvent>,
    /// The claim that the reading is filed under.
    pub under: Option<Claim>,
    /// The claim had expired; nobody is known to have taken it over.
    pub late: bool,
}

type Answer = Result<ClaimDecision, ClaimRefusal>;

impl Claims {
    /// What follows `command` in this state.
    ///
    /// # Errors
    /// Why nothing does.
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
        // it may be there already, only that nobody heard so yet
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

    /// The limit that one more claim would pass. What lapsed counts no more: the next taker could have it.
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

    /// The claim that a token holds.
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
