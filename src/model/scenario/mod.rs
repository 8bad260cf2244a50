//! Scenario files: `yatsu.md`, or `eval.md` by its newer name (formats.md, "yatsu.md").
//!
//! In: bytes. Out: the usable scenarios and every violation, with places. Never fails, and knows no view: whether a
//! path exists is asked later.

mod entry;
pub(in crate::model) mod fields;
mod identity;
pub(crate) mod placeholder;
mod problems;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use identity::text_hash;
pub(crate) use read::governed;
pub use read::{parse, texts};

use super::contract::Goal;
use super::governed::Governed;
use super::ledger::EvidenceHash;
use super::source::{Position, Problem};
use crate::tree::path::RepoPath;
use std::rc::Rc;

/// Largest scenario file that is read, in bytes.
pub(crate) const MAX_FILE: u64 = 256 << 10;
/// Most scenarios of one file.
pub(crate) const MAX_SCENARIOS: usize = 500;
/// Most tags of one scenario.
pub(crate) const MAX_TAGS: usize = 32;
/// Longest tag, in bytes.
pub(crate) const MAX_TAG: usize = 64;

/// One declared scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Unique in its file after NFC; as written.
    pub name: String,
    /// What to measure.
    pub description: String,
    /// What zero loss looks like.
    pub expected: String,
    /// As written, without repeats. In a file without problems: at least one, each from the library.
    pub tags: Vec<String>,
    /// A runnable file that is never run; repository- or node-relative.
    pub test: Option<Governed>,
    /// The test of that file that measures it; all of them where none is named.
    pub test_name: Option<String>,
    /// Its own governed list; empty means the node's.
    pub code: Vec<Governed>,
    /// Referenced, not governed.
    pub related: Vec<Governed>,
    /// Where the entry begins.
    pub at: Position,
    /// sha256 of description and expected, folded (formats.md, `scenarioHash`).
    pub text_hash: EvidenceHash,
    /// What of it could not be read.
    pub unread: Unread,
}

/// What of an entry could not be read, and so says nothing of what was meant: nothing follows from it. There is a problem
/// then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// The description or the expected text; or the entry is no YAML, and they may be other ones.
    pub text: bool,
    /// Something of its governed list.
    pub code: bool,
}

/// One scenario file: what could be read, and every violation.
#[derive(Clone, Debug, Default)]
pub struct ScenarioFile {
    /// Where it lies.
    pub path: RepoPath,
    /// The usable entries in file order: those with a readable name. Of two with one name
    /// the first.
    pub scenarios: Vec<Scenario>,
    /// What it says of the node's goal.
    pub goal: Goal,
    /// Every violation of the file itself, in the order of the text; ghosts are found by resolving paths in a view.
    pub problems: Vec<Problem>,
    /// Whether the file may declare more than `scenarios`: reading stopped before the end (syntax, size, number), or an entry
    /// has no name that can be read. There is a problem then.
    pub cut_short: bool,
}

/// What an old version of a file says of one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldScenario {
    /// The name as written, not yet in NFC.
    pub name: String,
    /// What to measure; empty where it cannot be read.
    pub description: String,
    /// What zero loss looks like; empty where it cannot be read.
    pub expected: String,
    /// Its own governed list.
    pub code: Rc<[Governed]>,
}

impl OldScenario {
    /// Its `scenarioHash` (formats.md).
    pub(crate) fn text_hash(&self) -> EvidenceHash {
        text_hash(&self.description, &self.expected)
    }
}
