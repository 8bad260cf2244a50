//! What parsers say about a text besides its value: positions and problems.

pub use crate::text::source::{Fault, Position};

/// A violation of a format, found by a parser that went on reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line and column in the file, both from 1.
    pub at: Position,
    /// The scenario concerned, where the entry has a readable name.
    pub scenario: Option<String>,
    /// What is wrong, one sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Stable identity: the kind of the violation and the text it stands in, never a line number.
    pub key: String,
    /// Whether it is advice only, whatever the rule's level (a file limit of an append-only ledger, say).
    pub advice: bool,
}
