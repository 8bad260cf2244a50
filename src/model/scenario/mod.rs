//! Scenario files: `yatsu.md`, or `eval.md` by its newer name (formats.md, "yatsu.md").
//!
//! Input: bytes. Output: the usable scenarios and every violation, with places. Never fails, and knows no view: whether a
//! path exists is checked later.

mod entry;
pub(in crate::model) mod fields;
mod identity;
pub(crate) mod placeholder;
mod problems;
mod read;
mod repeats;
#[cfg(test)]
mod tests;

pub(crate) use entry::NamedByEntry;
pub(crate) use identity::text_hash;
pub(crate) use read::{command_lines, named};
pub use read::{parse, texts};
pub use repeats::RunsRule;

use super::contract::Goal;
use super::governed::Governed;
use super::labels::EnvName;
use super::ledger::EvidenceHash;
use super::selector::Selector;
use super::source::{Position, Problem};
use crate::tree::path::RepoPath;
use std::rc::Rc;

/// Largest scenario file in bytes.
pub(crate) const MAX_FILE: u64 = 256 << 10;
/// How many scenarios one file may have.
pub(crate) const MAX_SCENARIOS: usize = 500;
/// How many tags one scenario may have.
pub(crate) const MAX_TAGS: usize = 32;
/// Longest tag, in bytes.
pub(crate) const MAX_TAG: usize = 64;

/// One declared scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Unique in its file after NFC; as written.
    pub name: String,
    pub(crate) description: String,
    pub(crate) expected: String,
    /// As written, without duplicates. In a file without problems: at least one, each from the library.
    pub tags: Vec<String>,
    /// A test file, never run by this program; relative to the repository or the node.
    pub test: Option<Governed>,
    /// The test in that file; all tests if none is named.
    pub test_name: Option<String>,
    /// The command that measures the scenario, on one line and never run by this program: an agent's shell call of exactly
    /// this command is an observation.
    pub test_command: Option<String>,
    /// Whether a test report is a pass of the scenario if some of its cases, but not all, were skipped.
    pub test_skips: bool,
    /// Its own governed list; if empty, the node's list applies.
    pub code: Vec<Governed>,
    /// Referenced, not governed.
    pub related: Vec<Governed>,
    /// How many of its newest runs must pass; `None` if one reading answers for it.
    pub runs: Option<RunsRule>,
    /// The environments that each need an answer; empty if it is measured in one.
    pub env: Vec<EnvName>,
    pub(crate) at: Position,
    /// sha256 of description and expected, folded (formats.md, `scenarioHash`).
    pub text_hash: EvidenceHash,
    pub(crate) unread: Unread,
}

impl Scenario {
    /// Whether more than one reading may have to answer for it: it has the key `runs` or `env`.
    pub(crate) fn is_repeated(&self) -> bool {
        self.runs.is_some() || !self.env.is_empty()
    }

    /// Its test as an entry of a list: the file, narrowed to the named test if it has one. Runners join the names around a
    /// test with `::`, selectors with a dot.
    pub(crate) fn test_entry(&self) -> Option<Governed> {
        let symbol = self.test_name.as_ref().and_then(|name| Selector::new(&name.replace("::", ".")));
        Some(Governed { selector: symbol, ..self.test.clone()? })
    }
}

/// The unreadable parts of an entry. Their meaning is unknown, so no conclusion may be drawn from them. Each has a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// The description or the expected text. Also set if the entry is no valid YAML, because its texts may then be wrong.
    pub text: bool,
    /// A part of its governed list.
    pub code: bool,
}

/// One scenario file: its readable content, and every violation.
#[derive(Clone, Debug, Default)]
pub struct ScenarioFile {
    pub(crate) path: RepoPath,
    /// The usable entries in file order: those with a readable name. If two have one name, the first counts.
    pub scenarios: Vec<Scenario>,
    pub(crate) goal: Goal,
    /// Every violation of the file itself, in text order; ghosts are found later, by resolving paths in a view.
    pub problems: Vec<Problem>,
    /// Whether the file may declare more than `scenarios`: reading stopped early (syntax, size, number), or an entry has no
    /// readable name. There is a problem then.
    pub cut_short: bool,
}

/// One scenario in an old version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldScenario {
    /// The name as written, not yet in NFC.
    pub name: String,
    /// What to measure; empty if unreadable.
    pub description: String,
    /// The perfect result; empty if unreadable.
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
