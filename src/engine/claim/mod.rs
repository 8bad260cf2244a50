//! The state machine of claims. Purpose: one owner at a time, and an answer to every command in every state. Input: the
//! events of the journal, a command, and the clock and limits it is decided under; output: the one event that follows, or
//! why none does. Pure: reads no clock, writes nothing. What must not be done here: believe an event that cannot follow
//! the ones before it.
//!
//! A series (a scenario of a node) is free or held. Of a held one the clock says how it stands ([`Standing`]):
//!
//! | command | free | live (now <= until) | in grace (<= until + grace) | lapsed |
//! |---|---|---|---|---|
//! | take | `taken` | refused: held | refused: in grace | `reclaimed`, attempt + 1 |
//! | renew, its token | | `renewed` | refused: expired | refused: expired |
//! | release, its token | | `released` | `released` | `released` |
//! | force | refused: not held | `forced` | `forced` | `forced` |
//! | file, its token | | `filed` | `filed`, late | `filed`, late |
//! | file, no token | no event | refused: held | no event | no event |
//!
//! A token whose claim ended, another scenario's token and one that nobody gave out are refused whatever they try.
//! `released` and `forced` leave the attempt as it is; `filed` ends the series, so that the next attempt is the first.

mod compact;
mod decide;
mod refusal;
mod shared;
#[cfg(test)]
mod tests;

pub use compact::compact;
pub(crate) use decide::{ClaimCommand, ClaimDecision, ClaimTerms, FilingUnderClaim, TagsOf, Taking};
pub(crate) use refusal::{ClaimRefusal, NodeCalled, series_called};
pub(crate) use shared::{LookedAt, merged};

use crate::model::claim::{Claim, ClaimEvent, ClaimFault, ClaimSeries, ClaimStep, ClaimToken};
use crate::model::ledger::Timestamp;
use std::collections::{BTreeMap, HashMap};

/// What a series is after its last event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeriesState {
    /// Nobody holds it; the next claim is this attempt.
    Free {
        /// From 1.
        attempt: u32,
    },
    /// This claim holds it, until another event says otherwise: that it lapsed is no event.
    Held(Claim),
}

/// How a held claim stands by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeldPhase {
    /// Until its `until`, that moment included.
    Live,
    /// Its holder may still file, and nobody may take it.
    Grace,
    /// The next taker gets it.
    Lapsed,
}

/// What is known of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenState {
    /// Its claim is held.
    Holds(ClaimSeries),
    /// This was its claim, which ended by this step: [`ClaimStep::Reclaimed`] is by another's.
    Ended(Claim, ClaimStep),
}

/// The state of every series: the replay of the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    series: BTreeMap<ClaimSeries, SeriesState>,
    tokens: HashMap<ClaimToken, TokenState>,
    spans: HashMap<ClaimToken, ClaimSpan>,
    /// The claims that are about to be made known on a remote, by what they are on.
    intents: BTreeMap<ClaimSeries, Claim>,
}

/// From when to when a token held, by the clocks that wrote its events; the last event that is known of it is its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClaimSpan {
    /// When it was given; the beginning of time where that was compacted away.
    pub(crate) from: Timestamp,
    /// When the last thing happened to it.
    pub(crate) to: Timestamp,
}

impl Claims {
    /// The state that these events lead to, one for each line of the journal.
    ///
    /// # Errors
    /// The first event that cannot follow the ones before it, as if its number were that of its line.
    pub fn replay(events: &[ClaimEvent]) -> Result<Self, ClaimFault> {
        let mut claims = Self::default();
        for (index, event) in events.iter().enumerate() {
            let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
            claims.apply(event).map_err(|message| ClaimFault { line, message })?;
        }
        Ok(claims)
    }

    /// Follows one event.
    ///
    /// # Errors
    /// Why it cannot follow; nothing is changed then. An event of a series that was never heard of can always follow: what
    /// came before it was compacted away.
    pub(crate) fn apply(&mut self, event: &ClaimEvent) -> Result<(), String> {
        let claim = &event.claim;
        if matches!(event.step, ClaimStep::Intended | ClaimStep::Missed) {
            return self.intend(event);
        }
        let before = self.series.get(&claim.series);
        let holder = before.map(|state| match state {
            SeriesState::Held(claim) => Some(claim.clone()),
            SeriesState::Free { .. } => None,
        });
        self.check(event, holder.as_ref().map(|holder| holder.as_ref().map(|claim| claim.token)))?;
        // a claim that is given on a remote may take the place of one that ended there without a word to this machine
        let is_given = matches!(event.step, ClaimStep::Taken | ClaimStep::Reclaimed);
        if self.intents.get(&claim.series).is_some_and(|intent| intent.token == claim.token) {
            self.intents.remove(&claim.series);
        }
        if let Some(Some(lost)) = holder.filter(|_| is_given) {
            self.reach(lost.token, event);
            self.tokens.insert(lost.token, TokenState::Ended(lost, ClaimStep::Reclaimed));
        }
        self.reach(claim.token, event);
        let (state, token) = after(event);
        self.tokens.insert(claim.token, token);
        self.series.insert(claim.series.clone(), state);
        Ok(())
    }

    /// Notes what is about to be made known on a remote, or that nothing came of it. Nobody's claim ends by either.
    fn intend(&mut self, event: &ClaimEvent) -> Result<(), String> {
        let claim = &event.claim;
        if self.tokens.contains_key(&claim.token) {
            return Err(format!(
                "says `{}` of {}, which cannot follow the lines before it",
                event.step.as_str(),
                claim.series
            ));
        }
        if event.step == ClaimStep::Intended {
            self.intents.insert(claim.series.clone(), claim.clone());
        } else if self.intents.get(&claim.series).is_some_and(|intent| intent.token == claim.token) {
            self.intents.remove(&claim.series);
        }
        Ok(())
    }

    /// The claim on a series that is about to be made known on a remote, or was when its taker was cut off.
    pub(crate) fn intent(&self, series: &ClaimSeries) -> Option<&Claim> {
        self.intents.get(series)
    }

    /// Notes that something happened to a token.
    fn reach(&mut self, token: ClaimToken, event: &ClaimEvent) {
        let is_given = matches!(event.step, ClaimStep::Taken | ClaimStep::Reclaimed);
        let from = if is_given { event.ts } else { Timestamp { millis: i64::MIN } };
        self.spans.entry(token).or_insert(ClaimSpan { from, to: event.ts }).to = event.ts;
    }

    /// `holder`: nothing of a series that was never heard of, else who holds it.
    fn check(&self, event: &ClaimEvent, holder: Option<Option<ClaimToken>>) -> Result<(), String> {
        let (series, token) = (&event.claim.series, event.claim.token);
        let is_new = !self.tokens.contains_key(&token);
        let is_shared = event.claim.remote.is_some();
        let follows = match (event.step, holder) {
            // who else held it, and when that ended, the remote knew
            (ClaimStep::Taken | ClaimStep::Reclaimed, _) if is_shared => is_new,
            (ClaimStep::Forced, Some(None)) if is_shared => is_new,
            (ClaimStep::Taken, None | Some(None)) => is_new,
            (ClaimStep::Reclaimed, None | Some(Some(_))) => is_new,
            (ClaimStep::Taken, Some(Some(_))) | (ClaimStep::Reclaimed, Some(None)) => false,
            (_, None) => is_new,
            (_, Some(holder)) => holder == Some(token),
        };
        if follows {
            Ok(())
        } else {
            Err(format!("says `{}` of {series}, which cannot follow the lines before it", event.step.as_str()))
        }
    }

    /// The state of a series; free at its first attempt when nobody ever claimed it.
    pub fn state(&self, series: &ClaimSeries) -> SeriesState {
        self.series.get(series).cloned().unwrap_or(SeriesState::Free { attempt: 1 })
    }

    /// The claim that holds a series, lapsed or not.
    pub(crate) fn holder(&self, series: &ClaimSeries) -> Option<&Claim> {
        match self.series.get(series) {
            Some(SeriesState::Held(claim)) => Some(claim),
            _ => None,
        }
    }

    /// Every claim that is held, lapsed or not, by series.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Claim> {
        self.series.values().filter_map(|state| match state {
            SeriesState::Held(claim) => Some(claim),
            SeriesState::Free { .. } => None,
        })
    }

    /// From when to when a token held.
    pub(crate) fn span(&self, token: ClaimToken) -> Option<ClaimSpan> {
        self.spans.get(&token).copied()
    }

    /// The claim of a token, as it is or was when it ended.
    pub(crate) fn known(&self, token: ClaimToken) -> Option<&Claim> {
        match self.tokens.get(&token)? {
            TokenState::Holds(series) => self.holder(series),
            TokenState::Ended(claim, _) => Some(claim),
        }
    }

    /// Whether the claim of a token ended by a reading.
    pub(crate) fn is_filed(&self, token: ClaimToken) -> bool {
        matches!(self.tokens.get(&token), Some(TokenState::Ended(_, ClaimStep::Filed)))
    }

    /// What is known of a token.
    pub(crate) fn token(&self, token: ClaimToken) -> Option<&TokenState> {
        self.tokens.get(&token)
    }
}

/// What a series and a token are after an event.
fn after(event: &ClaimEvent) -> (SeriesState, TokenState) {
    let claim = &event.claim;
    let ended = || TokenState::Ended(claim.clone(), event.step);
    match event.step {
        // the last two never come here: they say nothing of who holds it
        ClaimStep::Taken | ClaimStep::Renewed | ClaimStep::Reclaimed | ClaimStep::Intended | ClaimStep::Missed => {
            (SeriesState::Held(claim.clone()), TokenState::Holds(claim.series.clone()))
        }
        ClaimStep::Released | ClaimStep::Forced => (SeriesState::Free { attempt: claim.attempt }, ended()),
        ClaimStep::Filed => (SeriesState::Free { attempt: 1 }, ended()),
    }
}

/// How a claim stands at `now`, with so many milliseconds of grace.
pub(crate) fn phase(claim: &Claim, now: Timestamp, grace: i64) -> HeldPhase {
    if now <= claim.until {
        HeldPhase::Live
    } else if now.millis <= claim.until.millis.saturating_add(grace) {
        HeldPhase::Grace
    } else {
        HeldPhase::Lapsed
    }
}
