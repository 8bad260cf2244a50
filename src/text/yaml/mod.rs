//! YAML 1.2 with a position on every value, without anchors, aliases, merge keys, tags and further documents.
//!
//! In: the block of a frontmatter. Out: one tree and every fault. The parser's events are read instead of its tree
//! because only they show what is refused here; scalars get their type by the core schema. Never fails: after a fault
//! in a value reading goes on; after a fault in the syntax the tree holds the pieces that are right by themselves.

mod build;
mod decoded;
mod recover;
mod screen;
#[cfg(test)]
mod tests;
pub(crate) mod write;

use super::frontmatter::Frontmatter;
use super::source::{Fault, Position};

/// Largest block that is parsed, in bytes.
pub(crate) const MAX_BYTES: usize = 256 * 1024;
/// Deepest nesting of lists and maps.
pub(crate) const MAX_NESTING: usize = 16;
/// Faults after which reading stops.
pub(crate) const MAX_FAULTS: usize = 500;

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Where it begins; a block scalar begins at its text.
    pub at: Position,
    /// Just behind it; for a list or map in block style the beginning of whatever follows.
    pub end: Position,
    /// What it is.
    pub kind: YamlKind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum YamlKind {
    /// Text, number, bool or null.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Value>),
    /// A map, in the order of the file; of two equal keys the first.
    Mapping(Vec<YamlEntry>),
    /// Something that is not allowed and has a fault already (an alias).
    Refused,
}

/// A value that is neither list nor map.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Its text: unquoted, unfolded.
    pub text: String,
    /// Whether it was written in quotes or as a block, and so is text whatever it looks like.
    pub quoted: bool,
    /// What YAML makes of it.
    pub resolved: Resolved,
}

/// The type of a scalar by the core schema of YAML 1.2 (chapter 10.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// An integer or a floating point number.
    Number,
    /// Everything else, `no`, `on` and dates included.
    Text,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlEntry {
    /// The key's text.
    pub key: String,
    /// Where the key begins.
    pub at: Position,
    /// What stands under the key, with its own position.
    pub value: Value,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parsed {
    /// The document; `None` when there is none.
    pub value: Option<Value>,
    /// Everything that is not allowed, in the order of the text.
    pub faults: Vec<Fault>,
    /// Whether something of the block may be missing: reading stopped before its end, and the rest could not be told apart.
    pub cut_short: bool,
}

impl Value {
    /// The word for it in a sentence.
    pub(crate) fn describe(&self) -> &'static str {
        match &self.kind {
            YamlKind::Scalar(scalar) => scalar.resolved.describe(),
            YamlKind::Sequence(_) => "a list",
            YamlKind::Mapping(_) => "a map",
            YamlKind::Refused => "a reference",
        }
    }
}

impl Resolved {
    /// The word for it in a sentence.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Null => "empty",
            Self::Bool => "a bool",
            Self::Number => "a number",
            Self::Text => "text",
        }
    }
}

/// Reads one block. Positions are those of the file that the block was cut from.
pub(crate) fn parse(front: &Frontmatter<'_>) -> Parsed {
    if front.block.len() > MAX_BYTES {
        return Parsed { value: None, faults: vec![screen::too_big(front)], cut_short: true };
    }
    let (text, mut faults) = screen::text_of(front);
    let mut parsed = build::tree(&text, front.first_line);
    let gave_up = parsed.cut_short && parsed.faults.len() < MAX_FAULTS;
    if gave_up && parsed.faults.iter().all(|fault| !matches!(fault.kind, "document" | "nesting")) {
        parsed = recover::recover(&text, front.first_line).unwrap_or(parsed);
    }
    faults.append(&mut parsed.faults);
    faults.sort_by_key(|fault| fault.at);
    Parsed { faults, ..parsed }
}
