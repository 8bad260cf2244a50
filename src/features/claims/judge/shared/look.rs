//! The claims that a remote shows at one moment. Everyone who may push there could have written the notes, so they are
//! parsed strictly; a note that is no claim is named and ignored.

use super::{SharedBoard, offline, remembered};
use crate::error::{Error, Refusal, Result};
use crate::features::claims::judge::board::{Note, NoteBoard};
use crate::features::claims::judge::engine::{ClaimTerms, Claims, NodeNames, merged};
use crate::features::claims::model::{Claim, ClaimSeries, ClaimToken, PublicClaim, ref_end};
use crate::model::ledger::Timestamp;
use crate::text::escape::echo;
use crate::tree::oid::Oid;
use std::collections::HashMap;

/// The longest claim, in milliseconds. A claim that ends later, beyond the grace, was written by a wrong clock.
const LONGEST: i64 = 24 * 3_600_000;

/// The difference of clocks that needs no warning, in milliseconds.
const SKEW: i64 = 2_000;

/// The notes of a remote at one moment; none if claims are not shared.
#[derive(Default)]
pub(crate) struct RemoteLook {
    pub(in crate::features::claims::judge) remote: Option<String>,
    place: String,
    notes: Vec<Note>,
    claims: Vec<(Oid, PublicClaim)>,
    /// When this machine first saw notes that seem to outlast the longest claim.
    sights: HashMap<Oid, Timestamp>,
}

impl RemoteLook {
    /// Looks at all notes of the board, and remembers when a note that seems to outlast the longest claim was first seen. If
    /// the remote cannot be asked, nothing is claimed.
    pub(crate) fn of(board: &mut SharedBoard, terms: &ClaimTerms) -> Result<Self> {
        let Some(board) = board.as_deref_mut() else { return Ok(Self::default()) };
        let look = Self::at_one(board, None).map_err(|error| offline(board.remote(), error))?;
        let latest = terms.now.millis.saturating_add(LONGEST).saturating_add(terms.limits.grace);
        let long = look.claims.iter().filter(|(_, claim)| claim.is_held && claim.until.millis > latest);
        let long: Vec<Oid> = long.map(|(id, _)| *id).collect();
        let all: Vec<Oid> = look.notes.iter().map(|note| note.id).collect();
        Ok(Self { sights: board.first_seen(&long, &all, terms.now), ..look })
    }

    pub(super) fn at_one(board: &mut dyn NoteBoard, end: Option<&str>) -> Result<Self> {
        let notes = board.look(end)?;
        let claims = notes.iter().filter_map(|note| Some((note.id, read(note).ok()?))).collect();
        let (remote, place) = (Some(board.remote().to_owned()), board.place());
        Ok(Self { remote, place, notes, claims, sights: HashMap::new() })
    }

    /// The shown claims by this machine's clock: a claim that seems to outlast the longest claim counts from when it was
    /// first seen here.
    fn claims(&self) -> Vec<PublicClaim> {
        let by_our_clock = |(id, claim): &(Oid, PublicClaim)| match self.sights.get(id) {
            Some(first) => {
                PublicClaim { until: claim.until.min(Timestamp { millis: first.millis + LONGEST }), ..claim.clone() }
            }
            None => claim.clone(),
        };
        self.claims.iter().map(by_our_clock).collect()
    }

    /// The local claims with the shown ones: the state in which a command is decided.
    pub(in crate::features::claims::judge) fn over(&self, local: &Claims, terms: &ClaimTerms) -> Claims {
        match &self.remote {
            Some(remote) => merged(local, &self.claims(), remote, terms),
            None => local.clone(),
        }
    }

    /// A sentence for each note that is no claim.
    pub(crate) fn odd(&self) -> Vec<String> {
        let remote = self.remote.as_deref().unwrap_or_default();
        let why = |note: &Note| Some(format!("{}{} on {remote} {}", self.place, note.end, read(note).err()?));
        self.notes.iter().filter_map(why).collect()
    }

    /// A sentence for each claim that was written in the future of this clock: one of the two clocks is wrong.
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

    /// The free notes that were written before `moment`: the ends of their refs, and their commits.
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

    /// The `displaced` time for a take at `now`: `now` if the series is held, because its holder loses it; else the time
    /// of an earlier loss, if its holder may not know it yet.
    pub(super) fn displaced(&self, series: &ClaimSeries, now: Timestamp) -> Option<Timestamp> {
        let shown = self.claim(series)?;
        if shown.is_held { Some(now) } else { remembered(shown.displaced, now) }
    }

    pub(in crate::features::claims::judge) fn claim(&self, series: &ClaimSeries) -> Option<&PublicClaim> {
        self.claims.iter().map(|(_, claim)| claim).find(|claim| claim.series == *series)
    }

    /// Refuses to decide about a series with an unreadable note.
    pub(in crate::features::claims::judge) fn refuse_odd(&self, series: &ClaimSeries, names: &NodeNames) -> Result<()> {
        let Some(why) = self.note(series).and_then(|note| read(note).err()) else { return Ok(()) };
        let (remote, hint) = (self.remote.as_deref().unwrap_or_default(), names.force(series));
        Err(Error::refused(format!("{remote} has no valid claim for {}: the entry {why}", names.series(series)))
            .because(Refusal::Invalid)
            .hint(format!("end the claim, also if another owner wrote it: `{hint}`")))
    }

    /// A stand-in claim for an unreadable note of a series, if there is one.
    pub(in crate::features::claims::judge) fn unreadable(&self, series: &ClaimSeries, now: Timestamp) -> Option<Claim> {
        let note = self.note(series).filter(|note| read(note).is_err())?;
        let mut token = [0; 16];
        token.copy_from_slice(&note.id.as_bytes()[..16]);
        let (owner, remote, token) = ("nobody".to_owned(), self.remote.clone(), ClaimToken(token));
        let series = series.clone();
        Some(Claim { series, owner, token, attempt: 1, run: None, until: now, text: None, remote, session: None })
    }
}

/// Parses the claim of a note.
fn read(note: &Note) -> std::result::Result<PublicClaim, String> {
    let message = note.message.as_ref().map_err(|why| echo(why).into_owned())?;
    let claim = PublicClaim::parse(message)?;
    // a note must stand at the ref of its series: it speaks for no second one, and hides no other note
    if ref_end(&claim.series) == note.end { Ok(claim) } else { Err("is another claim's".to_owned()) }
}
