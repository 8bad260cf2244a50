//! Filing under a claim: what the claim adds to the reading, whether it may be filed, and what happens to the claim.

use crate::app::record::eval::Filing;
use crate::app::record::filing::{AskedReading, FilingGuard, FilingStep};
use crate::app::site::Site;
use crate::error::{Error, Refusal, Result};
use crate::features::claims::judge::engine::{ClaimRefusal, Claims, FilingDecision, TokenState};
use crate::features::claims::judge::place::{claimed_as, declares, series};
use crate::features::claims::judge::shared::{confirmed, ended_there};
use crate::features::claims::judge::{ClaimTerms, NodeNames, OpenJournal, state};
use crate::features::claims::model::settings::ClaimLimits;
use crate::features::claims::model::{ClaimEvent, ClaimStep, ClaimToken};
use crate::model::labels::RunId;
use crate::model::ledger::{Reading, Timestamp};
use crate::model::node::Declared;
use crate::report::view::receipt::FilingOutcome;
use crate::store::Store;
use crate::store::lock::LedgerLock;

/// How a reading is filed by hand: under a claim, or where nobody else has one.
pub(crate) struct ClaimedFiling {
    /// The claim that was typed.
    pub(crate) token: Option<ClaimToken>,
    /// Where to look for one otherwise.
    pub(crate) otherwise: fn() -> Result<Option<ClaimToken>>,
    /// Keep the claim after filing.
    pub(crate) keep: bool,
}

/// A reading that may be filed, with the event that ends its claim.
struct ClaimGuard<'l> {
    journal: Option<OpenJournal<'l>>,
    decision: FilingDecision,
}

impl FilingGuard for ClaimGuard<'_> {
    fn is_late(&self) -> bool {
        self.decision.late
    }

    fn filed(self: Box<Self>) -> Result<()> {
        let Self { journal, decision } = *self;
        let Some((mut journal, event)) = journal.zip(decision.event) else { return Ok(()) };
        let ended = journal.write(&event);
        ended.map_err(|error| error.half_done("the reading is filed, and its claim could not be ended"))
    }
}

impl FilingStep for ClaimedFiling {
    fn confirm(&self, site: &dyn Site, store: &Store, now: Timestamp) -> Result<Option<String>> {
        self.token()?.map_or(Ok(None), |token| confirmed(site.repo()?, site, store, token, now))
    }

    /// Adds the attempt, the run and the owner of the claim. An ended claim is accepted here, because the reading may have been
    /// filed before the end.
    fn dress(&self, asked: &AskedReading<'_>, draft: &mut Reading) -> Result<()> {
        let Some(token) = self.token()? else { return Ok(()) };
        series(asked.one.node, &asked.one.scenario.name)?;
        let claims = state(asked.store.common_dir())?;
        let names = || NodeNames::of(asked.nodes);
        let claim = claims.known(token).ok_or_else(|| ClaimRefusal::UnknownToken.error(&names()))?;
        if claim.series.scenario().is_none() {
            return Err(ClaimRefusal::OtherScenario { claimed: claim.series.clone() }.error(&names()));
        }
        let other = |run: &&RunId| draft.terms.run.as_ref().is_some_and(|given| given != *run);
        if let Some(run) = claim.run.as_ref().filter(other) {
            return Err(Error::refused(format!("the claim is for run {run}, and the reading for another"))
                .because(Refusal::Invalid)
                .hint("leave --run out: a reading under a claim belongs to the claim's run"));
        }
        draft.terms.attempt = Some(claim.attempt);
        draft.terms.run = draft.terms.run.take().or_else(|| claim.run.clone());
        draft.by = draft.by.take().or_else(|| Some(claim.owner.clone()));
        Ok(())
    }

    fn guard<'l>(
        &self,
        asked: &AskedReading<'_>,
        lock: Option<&'l LedgerLock>,
        outcome: FilingOutcome,
        reading: &Reading,
    ) -> Result<Option<Box<dyn FilingGuard + 'l>>> {
        let token = self.token()?;
        let decide = |claims: &Claims| Asking { asked, token, keep: self.keep }.decide(claims, outcome, reading);
        let (journal, decision) = match lock {
            Some(lock) => {
                let journal = OpenJournal::open(asked.store, lock)?;
                let decision = decide(&journal.claims)?;
                (Some(journal), decision)
            }
            None => (None, decide(&state(asked.store.common_dir())?)?),
        };
        Ok(Some(Box::new(ClaimGuard { journal, decision })))
    }

    fn told(&self, site: &dyn Site, store: &Store, now: Timestamp) -> Option<String> {
        ended_there(site.repo().ok()?, store, self.token().ok()??, now)
    }
}

impl ClaimedFiling {
    fn token(&self) -> Result<Option<ClaimToken>> {
        self.token.map_or_else(self.otherwise, |token| Ok(Some(token)))
    }
}

/// The claims of all owners, for readings that are filed without one.
pub(crate) struct OthersClaims(Claims);

impl OthersClaims {
    /// As they are at this moment.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(crate) fn now(store: &Store) -> Result<Self> {
        state(store.common_dir()).map(Self)
    }

    /// As they stay while the lock is held.
    ///
    /// # Errors
    /// As [`Self::now`].
    pub(crate) fn under(store: &Store, lock: &LedgerLock) -> Result<Self> {
        Ok(Self(OpenJournal::open(store, lock)?.claims))
    }

    /// Why a reading cannot be filed: an owner holds its scenario. `None` if nobody does.
    ///
    /// # Errors
    /// When the work tree cannot be read.
    pub(crate) fn forbid(&self, filing: &Filing<'_>) -> Result<Option<String>> {
        let asked = filing.asked();
        Ok(match (Asking { asked: &asked, token: None, keep: false }).claim_decision(&self.0)? {
            Err(refusal @ ClaimRefusal::Held { .. }) => Some(refusal.message(&NodeNames::of(asked.nodes))),
            _ => None,
        })
    }
}

/// A reading, and the claim under which it is to be filed.
struct Asking<'a> {
    asked: &'a AskedReading<'a>,
    token: Option<ClaimToken>,
    keep: bool,
}

impl Asking<'_> {
    /// The decision about the claim for this outcome and reading. A reading that is already there was filed while its
    /// claim was held; if the claim was lost since, the caller only learns that the reading is there.
    fn decide(&self, claims: &Claims, outcome: FilingOutcome, reading: &Reading) -> Result<FilingDecision> {
        match self.claim_decision(claims)? {
            // dated no earlier than the reading, which may be ahead of the clock as its ledger is
            Ok(FilingDecision { event, late }) => {
                let event = event.map(|event| ClaimEvent { ts: event.ts.max(reading.ts), ..event });
                Ok(FilingDecision { event, late })
            }
            Err(refusal) if outcome == FilingOutcome::AlreadyFiled && self.was_filed(claims, &refusal, reading) => {
                Ok(FilingDecision::default())
            }
            Err(refusal) => Err(refusal.error(&NodeNames::of(self.asked.nodes))),
        }
    }

    /// The decision of the claims about the filing. A scenario that the journal cannot spell cannot be claimed.
    fn claim_decision(&self, claims: &Claims) -> Result<Result<FilingDecision, ClaimRefusal>> {
        let AskedReading { site, config, one: Declared { node, scenario }, now, .. } = *self.asked;
        if series(node, &scenario.name).is_err() {
            return Ok(Ok(FilingDecision::default()));
        }
        let terms = ClaimTerms { now, limits: config.of::<ClaimLimits>().clone() };
        let series = claimed_as(claims, node, scenario, self.token, &terms, &|series| declares(site, series))?;
        Ok(claims.file(&series, self.token, self.keep, &terms))
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
