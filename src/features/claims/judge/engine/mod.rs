//! The state machine of claims. Purpose: one owner at a time, and an answer to every command in every state. Input: the
//! events of the journal, a command, and its clock and limits. Output: the next event, or the reason for a refusal. Pure:
//! reads no clock, writes nothing. This module must not accept an event that cannot follow the earlier ones.
//!
//! A series (a scenario of a node, a key or a path) is free or held. The clock decides the phase of a held one (`HeldPhase`):
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
//! No reading is filed under a claim on a key or a path. A path is refused also while another path is held that collides with
//! it.
//!
//! A token of an ended claim, a token of another scenario and an unknown token are always refused. `released` and `forced`
//! leave the attempt unchanged; `filed` ends the series, so the next attempt is the first.

mod compact;
mod decide;
mod refusal;
mod shared;
#[cfg(test)]
mod tests;

pub use compact::compact;
pub(crate) use decide::{ClaimTerms, FilingDecision};
pub(crate) use refusal::{ClaimRefusal, NodeNames};
pub(crate) use shared::merged;

use crate::features::claims::model::{Claim, ClaimEvent, ClaimFault, ClaimSeries, ClaimStep, ClaimToken};
use crate::model::ledger::Timestamp;
use std::collections::{BTreeMap, HashMap};

/// The state of a series after its last event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeriesState {
    /// The series has no holder; the next claim is this attempt.
    Free {
        /// From 1.
        attempt: u32,
    },
    /// This claim holds it until another event. Lapsing is not an event.
    Held(Claim),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeldPhase {
    /// Until its `until`, that moment included.
    Live,
    /// The holder may still file, and the claim cannot be taken over.
    Grace,
    /// The next taker gets it.
    Lapsed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenState {
    /// Its claim on this series is held.
    Holds(ClaimSeries),
    /// Its claim ended by this step; [`ClaimStep::Reclaimed`] means that another taker took the claim over.
    Ended(Claim, ClaimStep),
}

/// The state of every series: the replay of the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    series: BTreeMap<ClaimSeries, SeriesState>,
    tokens: HashMap<ClaimToken, TokenState>,
    spans: HashMap<ClaimToken, ClaimSpan>,
    /// The claims that are about to be published on a remote, by series.
    intents: BTreeMap<ClaimSeries, Claim>,
}

/// The time span of a token, by the clocks that wrote its events. It ends at the last known event of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClaimSpan {
    /// When the token was given; the earliest possible time if that event was compacted away.
    pub(crate) from: Timestamp,
    /// The time of its last event.
    pub(crate) to: Timestamp,
}

impl Claims {
    /// The state after these events, one for each line of the journal.
    ///
    /// # Errors
    /// The first event that cannot follow the earlier ones, with its number as the line number.
    pub fn replay(events: &[ClaimEvent]) -> Result<Self, ClaimFault> {
        let mut claims = Self::default();
        for (index, event) in events.iter().enumerate() {
            let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
            claims.apply(event).map_err(|message| ClaimFault { line, message })?;
        }
        Ok(claims)
    }

    /// Applies one event.
    ///
    /// # Errors
    /// The reason why the event cannot follow; the state is then unchanged. Any event of an unknown series can follow,
    /// because its earlier events may be compacted away.
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
        // a claim given on a remote may replace one that ended there without an event on this machine
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

    /// Records that a claim is about to be published on a remote, or that the attempt failed. Neither ends a claim.
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

    /// The claim on a series that is about to be published on a remote, or was when its taker was cut off.
    pub(crate) fn intent(&self, series: &ClaimSeries) -> Option<&Claim> {
        self.intents.get(series)
    }

    /// Records an event of a token in its time span.
    fn reach(&mut self, token: ClaimToken, event: &ClaimEvent) {
        let is_given = matches!(event.step, ClaimStep::Taken | ClaimStep::Reclaimed);
        let from = if is_given { event.ts } else { Timestamp { millis: i64::MIN } };
        self.spans.entry(token).or_insert(ClaimSpan { from, to: event.ts }).to = event.ts;
    }

    /// Checks that the event can follow. `holder` is `None` for an unknown series, else its holder, if any.
    fn check(&self, event: &ClaimEvent, holder: Option<Option<ClaimToken>>) -> Result<(), String> {
        let (series, token) = (&event.claim.series, event.claim.token);
        let is_new = !self.tokens.contains_key(&token);
        let is_shared = event.claim.remote.is_some();
        let follows = match (event.step, holder) {
            // the remote knew the other holders and when their claims ended
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

    /// The state of a series; free at its first attempt if it was never claimed.
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

    /// Every held claim, lapsed or not, by series.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Claim> {
        self.series.values().filter_map(|state| match state {
            SeriesState::Held(claim) => Some(claim),
            SeriesState::Free { .. } => None,
        })
    }

    pub(crate) fn span(&self, token: ClaimToken) -> Option<ClaimSpan> {
        self.spans.get(&token).copied()
    }

    /// The claim of a token, as it is or was at its end.
    pub(crate) fn known(&self, token: ClaimToken) -> Option<&Claim> {
        match self.tokens.get(&token)? {
            TokenState::Holds(series) => self.holder(series),
            TokenState::Ended(claim, _) => Some(claim),
        }
    }

    /// Whether a reading ended the claim of a token.
    pub(crate) fn is_filed(&self, token: ClaimToken) -> bool {
        matches!(self.tokens.get(&token), Some(TokenState::Ended(_, ClaimStep::Filed)))
    }

    pub(crate) fn token(&self, token: ClaimToken) -> Option<&TokenState> {
        self.tokens.get(&token)
    }
}

/// The state of a series and of a token after an event.
fn after(event: &ClaimEvent) -> (SeriesState, TokenState) {
    let claim = &event.claim;
    let ended = || TokenState::Ended(claim.clone(), event.step);
    match event.step {
        // `Intended` and `Missed` never come here: they do not change the holder
        ClaimStep::Taken | ClaimStep::Renewed | ClaimStep::Reclaimed | ClaimStep::Intended | ClaimStep::Missed => {
            (SeriesState::Held(claim.clone()), TokenState::Holds(claim.series.clone()))
        }
        ClaimStep::Released | ClaimStep::Forced => (SeriesState::Free { attempt: claim.attempt }, ended()),
        ClaimStep::Filed => (SeriesState::Free { attempt: 1 }, ended()),
    }
}
