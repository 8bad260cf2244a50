//! The ledger: events in the order of their lines, every generation of them (formats.md). Bytes in ([`parse`]), a
//! [`Ledger`] with every violation out; an event in, the line to append out ([`encode_reading`]). Never fails, never
//! judges what may be added.

mod encode;
mod fields;
mod parse;
mod redaction;
#[cfg(test)]
mod tests;
mod time;

pub use encode::{MAX_STAMPED_FILES, MAX_WRITTEN_LINE, encode_reading, encode_redaction, encode_retraction};
pub use parse::{MAX_LEDGER, MAX_LINE, MAX_LINES, parse};
pub use redaction::{LineHash, Redacted, Redaction, redact};
pub use time::Timestamp;

use super::source::Problem;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;

/// The name of evidence bytes: their sha256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceHash(pub [u8; 32]);

impl EvidenceHash {
    /// The hash of 64 lower-case hex digits; `None` for anything else.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let id = Oid::from_hex(hex)?;
        id.as_bytes().try_into().ok().map(Self)
    }
}

impl Stamped {
    /// The spelling in a stamp.
    pub fn to_text(self) -> String {
        match self {
            Self::File(id) => id.to_string(),
            Self::Exec(id) => format!("x:{id}"),
            Self::Link(id) => format!("l:{id}"),
            Self::Submodule(id) => format!("m:{id}"),
            Self::Absent => "-".into(),
        }
    }

    /// The id that it holds.
    pub fn id(self) -> Option<Oid> {
        match self {
            Self::File(id) | Self::Exec(id) | Self::Link(id) | Self::Submodule(id) => Some(id),
            Self::Absent => None,
        }
    }

    /// What a stamp's spelling says; `None` for anything that is not exactly one.
    pub fn parse(text: &str) -> Option<Self> {
        let id = |hex: &str| Oid::from_hex(hex.as_bytes());
        match text.split_once(':') {
            None if text == "-" => Some(Self::Absent),
            None => id(text).map(Self::File),
            Some(("x", hex)) => id(hex).map(Self::Exec),
            Some(("l", hex)) => id(hex).map(Self::Link),
            Some(("m", hex)) => id(hex).map(Self::Submodule),
            Some(_) => None,
        }
    }
}

impl std::fmt::Display for EvidenceHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for EvidenceHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// What sort of evidence it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    /// A picture.
    Image,
    /// Text.
    Transcript,
    /// A recording.
    Video,
    /// A JSON object or array.
    Data,
}

impl EvidenceKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Image, Self::Transcript, Self::Video, Self::Data];

    /// The spelling in ledgers and configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Transcript => "transcript",
            Self::Video => "video",
            Self::Data => "data",
        }
    }

    /// The kind of that spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// One piece of evidence of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Its name.
    pub hash: EvidenceHash,
    /// Its sort.
    pub kind: EvidenceKind,
}

/// Pass or fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// As expected.
    Pass,
    /// Not as expected.
    Fail,
}

/// What was measured, as the reading testifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadingVerdict {
    /// `pass` or `fail`.
    Measured(Status),
    /// Filed before verdicts existed, or note-only.
    Legacy,
}

/// A stamped file: what the governed list expanded to at filing (formats.md, "The stamp").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stamped {
    /// A regular file: `<id>`.
    File(Oid),
    /// An executable: `x:<id>`.
    Exec(Oid),
    /// A symbolic link: `l:<id>`.
    Link(Oid),
    /// A submodule: `m:<id>`.
    Submodule(Oid),
    /// Not there: `-`.
    Absent,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The scenario's name.
    pub scenario: String,
    /// The commit it was measured at; `None` when the line has none (a finding when such a line is added).
    pub code_sha: Option<Oid>,
    /// sha256 of the folded description and expected, lower-case hex.
    pub scenario_hash: Option<EvidenceHash>,
    /// Evidence, whichever generation spelled it.
    pub evidence: Vec<Evidence>,
    /// A step timeline's bytes.
    pub timeline: Option<EvidenceHash>,
    /// `name@version`.
    pub evaluator: Option<String>,
    /// The stamp.
    pub governed: Option<BTreeMap<RepoPath, Stamped>>,
    /// Whether a governed file differed from the commit's tree.
    pub dirty: bool,
    /// Who measured.
    pub by: Option<String>,
    /// The verdict.
    pub verdict: ReadingVerdict,
    /// The annotation on the verdict.
    pub note: Option<String>,
    /// When.
    pub ts: Timestamp,
}

/// The withdrawal of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retraction {
    /// The scenario's name.
    pub scenario: String,
    /// The time of the reading that it withdraws.
    pub retracts: Timestamp,
    /// Why.
    pub note: Option<String>,
    /// Who.
    pub by: Option<String>,
    /// When.
    pub ts: Timestamp,
    /// The line that it replaces: the same withdrawal with words that had to go.
    pub redacted: Option<Redacted>,
}

/// One event of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A measurement.
    Reading(Box<Reading>),
    /// A withdrawal.
    Retraction(Retraction),
    /// What stands in place of a line whose words had to go.
    Redaction(Redaction),
    /// A known kind of other tools: kept, ignored.
    Other,
    /// A kind that this version does not know, by its name: kept, ignored. An older program must not block a newer
    /// repository.
    Unknown(String),
}

/// One physical line that holds an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Physical line number, from 1.
    pub number: u32,
    /// The line's bytes, without its end.
    pub bytes: Vec<u8>,
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
    pub raw: Vec<Vec<u8>>,
    /// The last line has no line end: a writer must add one before it appends.
    pub missing_final_newline: bool,
    /// The last line has no line end and is no whole JSON value: a write was cut short.
    pub torn: bool,
}
