//! The ledger: events in the order of their lines, every generation of them (formats.md, "The ledger"). Bytes in
//! ([`parse`]), a [`Ledger`] with every violation out; an event in, the line to append out ([`Event::encode`]). Never fails,
//! never judges what may be added. Each kind of event has a file of its own and a row of [`KINDS`].

mod decision;
mod evidence;
mod fields;
mod kinds;
mod latest;
mod measures;
mod mentioned;
mod parse;
mod reading;
mod redacted;
mod redaction;
mod replace;
mod retraction;
mod stamped;
mod terms;
#[cfg(test)]
mod tests;
mod time;

pub use decision::PatchDecisionKind;
pub(crate) use decision::{Decision, GoalDecisionKind};
pub use evidence::{Evidence, EvidenceHash, EvidenceKind};
pub use kinds::{Event, EventKind, KINDS, is_also_decision};
pub(crate) use latest::{MOST_SEARCHED, may_count};
pub use measures::Measures;
pub(crate) use mentioned::{hashes, unit_paths};
pub(crate) use parse::event;
pub use parse::{MAX_LEDGER, MAX_LINE, MAX_LINES, parse};
pub use reading::{MAX_STAMPED_FILES, MAX_WRITTEN_LINE, Reading, ReadingVerdict, Status, encode_reading};
pub(crate) use redacted::{LineHash, Redacted, UsedKey};
pub use redaction::{Redaction, encode_redaction};
pub use replace::redact;
pub use retraction::{Retraction, encode_retraction};
pub use stamped::{Stamped, StampedUnit};
pub use terms::FilingTerms;
pub use time::Timestamp;

use super::source::Problem;
use crate::tree::path::RepoPath;
use std::rc::Rc;

/// One physical line that holds an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Physical line number, from 1.
    pub number: u32,
    /// The line's bytes, without its end.
    pub bytes: Rc<[u8]>,
    /// What it says.
    pub event: Event,
}

/// One ledger file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Where it lies.
    pub path: RepoPath,
    /// Its well-formed lines in file order; blank lines are skipped, malformed ones are problems.
    pub lines: Vec<Line>,
    /// Every violation. `Problem::key` of a line's problem holds the hash of its bytes.
    pub problems: Vec<Problem>,
    /// Every non-blank physical line's bytes, well-formed or not: what the history rule compares.
    pub raw: Vec<Rc<[u8]>>,
    /// The last line has no line end: a writer must add one before it appends.
    pub missing_final_newline: bool,
    /// The last line has no line end and is no whole JSON value: a write was cut short.
    pub torn: bool,
    /// What readings name that are left out of `lines` and `raw`, because a later one of their scenario counts. Empty in a
    /// ledger that was parsed: only who asked how scenarios stand now, and nothing else, is given others ([`latest`]).
    pub superseded: Vec<EvidenceHash>,
}
