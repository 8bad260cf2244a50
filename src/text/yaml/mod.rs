//! YAML 1.2 with a position on every value, without anchors, aliases, merge keys, tags and further documents.
//!
//! Input: the block of a frontmatter. Output: one tree and every fault. It reads the parser's events instead of the
//! parser's tree, because only the events show refused features. Scalars get their type by the core schema. Never fails:
//! after a fault in a value reading goes on, and after a syntax error the tree holds the pieces that are valid by
//! themselves.

mod build;
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
    /// Its beginning; for a block scalar the beginning of its text.
    pub at: Position,
    /// The place just after it; for a list or map in block style the beginning of the following text.
    pub end: Position,
    /// The value itself.
    pub kind: YamlKind,
}

/// The content of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum YamlKind {
    /// Text, number, bool or null.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Value>),
    /// A map, in the order of the file. If a key occurs twice, the first entry counts.
    Mapping(Vec<YamlEntry>),
    /// Something that is not allowed and has a fault already, for example an alias.
    Refused,
}

/// A value that is neither list nor map.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Its text: unquoted, unfolded.
    pub text: String,
    /// Whether it was written in quotes or as a block, and is therefore always text.
    pub quoted: bool,
    /// Its type in YAML.
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
    /// The text of the key.
    pub key: String,
    /// The beginning of the key.
    pub at: Position,
    /// The value of the key, with its own position.
    pub value: Value,
}

/// The result of parsing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parsed {
    /// The document; `None` if there is none.
    pub value: Option<Value>,
    /// All faults, in the order of the text.
    pub faults: Vec<Fault>,
    /// Whether parts of the block may be missing: reading stopped early, and the rest could not be split into pieces.
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

/// Reads one block. Positions refer to the whole file.
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
