//! The ledger: events in the order of their lines, in every generation of the format (formats.md, "The ledger"). Reads
//! bytes ([`parse`]) to a [`Ledger`] with every violation; writes an event as a line ([`Event::encode`]). Never fails, and
//! never judges which event may be added. Each kind of event has its own file and a row of [`KINDS`].

mod approved;
mod blocked;
mod coverage;
mod decision;
mod evidence;
mod fields;
mod how;
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
mod runs;
mod signature;
mod stamped;
mod terms;
mod tested;
#[cfg(test)]
mod tests;
mod time;

pub use approved::{ApprovedContent, ContentMap};
pub use coverage::CoverageOf;
pub use decision::PatchDecisionKind;
pub(crate) use decision::{Decision, GoalDecisionKind};
pub use evidence::{Evidence, EvidenceHash, EvidenceKind};
pub use how::{Grade, Observed};
pub use kinds::{Event, EventKind, KINDS, is_also_decision, is_also_signature};
pub(crate) use latest::{MOST_SEARCHED, may_count};
pub use measures::Measures;
pub(crate) use mentioned::{decides_patches, hashes, ran_paths, see_stamps, unit_paths};
pub(crate) use parse::event;
pub use parse::{MAX_LEDGER, MAX_LINE, MAX_LINES, parse};
pub(crate) use reading::stamp_value;
pub use reading::{MAX_WRITTEN_LINE, Reading, ReadingVerdict, Status, encode_reading};
pub(crate) use redacted::{LineHash, Redacted, UsedKey};
pub use redaction::{Redaction, encode_redaction};
pub use replace::redact;
pub use retraction::{Retraction, encode_retraction};
pub use runs::RunCounts;
pub(crate) use signature::signed_bytes;
pub use signature::{MAX_SIGNATURE, MAX_SIGNED_LINES, Signature, encode_signature};
pub(crate) use stamped::StampKind;
pub use stamped::{MAX_STAMPED_FILES, Stamped, StampedUnit};
pub use terms::FilingTerms;
pub(crate) use tested::value as test_value;
pub use tested::{StampedTest, TestAtCommit};
pub use time::Timestamp;
pub(crate) use time::epoch;

use super::source::Problem;
use crate::tree::path::RepoPath;
use std::rc::Rc;

/// One physical line with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Physical line number, from 1.
    pub number: u32,
    /// The bytes of the line, without its line end.
    pub bytes: Rc<[u8]>,
    /// The event.
    pub event: Event,
}

/// One ledger file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The path of the file.
    pub path: RepoPath,
    /// Its well-formed lines in file order. Blank lines are skipped; malformed ones are problems.
    pub lines: Vec<Line>,
    /// Every violation. `Problem::key` of a line's problem holds the hash of its bytes.
    pub problems: Vec<Problem>,
    /// The bytes of every non-blank physical line, well-formed or not, for the history rule.
    pub raw: Vec<Rc<[u8]>>,
    /// The last line has no line end: a writer must add one before it appends.
    pub missing_final_newline: bool,
    /// The last line has no line end and no complete JSON value, because a write was interrupted.
    pub torn: bool,
    /// The hashes in readings that are omitted from `lines` and `raw`, because a later reading of their scenario counts.
    /// Empty in a parsed ledger. Only a ledger reduced to its latest readings has any ([`latest`]).
    pub superseded: Vec<EvidenceHash>,
}
