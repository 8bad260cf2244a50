//! Positions and problems that parsers report besides the value.

pub use crate::text::source::{Fault, Position};

/// A violation of a format. The parser went on after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line and column in the file, both from 1.
    pub at: Position,
    /// The scenario concerned, if the entry has a readable name.
    pub scenario: Option<String>,
    /// What is wrong, one sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Stable identity: the kind of the violation and the text with the violation, never a line number.
    pub key: String,
    /// Whether it is only advice at any level of its rule, for example the size limit of an append-only ledger.
    pub advice: bool,
}
