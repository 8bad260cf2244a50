//! What a remote shows of claims at one moment: notes that anybody who may push there could have written. Read strictly; what is
//! no claim is named and stands for nothing.

use super::remembered;
use crate::app::claim::place::NodeNames;
use crate::engine::claim::{ClaimRefusal, ClaimTerms, Claims, LookedAt, merged};
use crate::error::{Error, Refusal, Result};
use crate::model::claim::{ClaimSeries, PublicClaim, ref_end};
use crate::model::ledger::Timestamp;
use crate::remote::board::{Note, NoteBoard};
use crate::text::escape::echo;
use crate::tree::oid::Oid;
use std::collections::HashMap;

/// A claim whose end lies further ahead, beyond the grace, was written by a clock that is wrong: no claim lasts longer.
const LONGEST: i64 = 24 * 3_600_000;

/// Clocks differ by as much without a word, in milliseconds.
const SKEW: i64 = 2_000;

/// What a remote showed at one moment.
pub(crate) struct RemoteLook {
    pub(super) remote: String,
    place: String,
    notes: Vec<Note>,
    claims: Vec<(Oid, PublicClaim)>,
    /// When this machine first saw those that seem to end after any claim could.
    sights: HashMap<Oid, Timestamp>,
}

impl RemoteLook {
    /// Looks at all of them.
    pub(crate) fn at(board: &mut dyn NoteBoard) -> Result<Self> {
        Self::at_one(board, None)
    }

    /// The same at a moment: what seems to end after any claim could is remembered, with when it was seen first.
    pub(crate) fn at_moment(board: &mut dyn NoteBoard, terms: &ClaimTerms) -> Result<Self> {
        let look = Self::at(board)?;
        let latest = terms.now.millis.saturating_add(LONGEST).saturating_add(terms.grace);
        let long = look.claims.iter().filter(|(_, claim)| claim.is_held && claim.until.millis > latest);
        let long: Vec<Oid> = long.map(|(id, _)| *id).collect();
        let all: Vec<Oid> = look.notes.iter().map(|note| note.id).collect();
        let sights = board.first_seen(&long, &all, terms.now);
        Ok(Self { sights, ..look })
    }

    pub(super) fn at_one(board: &mut dyn NoteBoard, end: Option<&str>) -> Result<Self> {
        let notes = board.look(end)?;
        let claims = notes.iter().filter_map(|note| Some((note.id, read(note).ok()?))).collect();
        Ok(Self { remote: board.remote().to_owned(), place: board.place(), notes, claims, sights: HashMap::new() })
    }

    /// The claims that it shows, as this machine's clock takes them: one that seemed to end after any claim could counts from
    /// when it was first seen here.
    pub(crate) fn claims(&self) -> Vec<PublicClaim> {
        let by_our_clock = |(id, claim): &(Oid, PublicClaim)| match self.sights.get(id) {
            Some(first) => {
                PublicClaim { until: claim.until.min(Timestamp { millis: first.millis + LONGEST }), ..claim.clone() }
            }
            None => claim.clone(),
        };
        self.claims.iter().map(by_our_clock).collect()
    }

    /// The state in which a command is decided.
    pub(in crate::app::claim) fn over(&self, local: &Claims, terms: &ClaimTerms) -> Claims {
        merged(local, &self.claims(), LookedAt { remote: &self.remote, now: terms.now, grace: terms.grace })
    }

    /// The notes that are no claims, a sentence each.
    pub(crate) fn odd(&self) -> Vec<String> {
        let why = |note: &Note| Some(format!("{}{} on {} {}", self.place, note.end, self.remote, read(note).err()?));
        self.notes.iter().filter_map(why).collect()
    }

    /// When the claim on a series was written, by the clock that wrote it.
    pub(in crate::app::claim) fn ts(&self, series: &ClaimSeries) -> Option<Timestamp> {
        self.claim(series).map(|claim| claim.ts)
    }

    /// The claims that were written in what is the future here, a sentence each: one of two clocks is wrong.
    pub(crate) fn ahead(&self, now: Timestamp, names: &NodeNames) -> Vec<String> {
        let ahead = self.claims.iter().map(|(_, claim)| claim).filter(|claim| claim.ts.millis > now.millis + SKEW);
        ahead
            .map(|claim| {
                let seconds = (claim.ts.millis - now.millis) / 1000;
                let what = names.series(&claim.series);
                format!("the claim of {} on {what} was written {seconds} s ahead of this clock", echo(&claim.owner))
            })
            .collect()
    }

    /// The notes of free series that were written before that moment: the ends of their refs, and the commits.
    pub(super) fn free_before(&self, moment: Timestamp) -> Vec<(String, Oid)> {
        let old = self.claims.iter().filter(|(_, claim)| !claim.is_held && claim.ts < moment);
        old.map(|(id, claim)| (ref_end(&claim.series), *id)).collect()
    }

    pub(super) fn note(&self, series: &ClaimSeries) -> Option<&Note> {
        let end = ref_end(series);
        self.notes.iter().find(|note| note.end == end)
    }

    pub(super) fn id(&self, series: &ClaimSeries) -> Option<Oid> {
        self.note(series).map(|note| note.id)
    }

    /// When somebody lost the series, for whoever takes it at `now`: who has it is about to, and who lost it before may still
    /// not know.
    pub(super) fn displaced(&self, series: &ClaimSeries, now: Timestamp) -> Option<Timestamp> {
        let shown = self.claim(series)?;
        if shown.is_held { Some(now) } else { remembered(shown.displaced, now) }
    }

    pub(super) fn claim(&self, series: &ClaimSeries) -> Option<&PublicClaim> {
        self.claims.iter().map(|(_, claim)| claim).find(|claim| claim.series == *series)
    }

    /// Nothing can be decided of a series whose note nobody understands.
    pub(in crate::app::claim) fn refuse_odd(&self, series: &ClaimSeries, names: &NodeNames) -> Result<()> {
        let Some(why) = self.note(series).and_then(|note| read(note).err()) else { return Ok(()) };
        let called = names.called();
        let hint = ClaimRefusal::NotHeld(series.clone()).force(&called);
        Err(Error::refused(format!("{} has no valid claim for {}: the entry {why}", self.remote, names.series(series)))
            .because(Refusal::Invalid)
            .hint(format!("end the claim, also if another owner wrote it: `{hint}`")))
    }
}

/// The claim of a note.
pub(super) fn read(note: &Note) -> std::result::Result<PublicClaim, String> {
    let message = note.message.as_ref().map_err(|why| echo(why).into_owned())?;
    let claim = PublicClaim::parse(message)?;
    // one note cannot speak for two scenarios, nor hide another one's
    if ref_end(&claim.series) == note.end { Ok(claim) } else { Err("is another scenario's".to_owned()) }
}
