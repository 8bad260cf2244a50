//! Units: the named declarations of a source file, for selectors `path#symbol` (docs/selectors.md). Input: the bytes of a
//! file and its language. Output: every unit with its name from the outside in and its byte ranges, or the reason why the
//! file cannot be read. Pure; knows neither git nor scenarios.
//!
//! One walker handles the syntax tree of any language; one table per language says which nodes are units (`tables`).

mod find;
mod language;
#[cfg(feature = "units")]
mod misread;
#[cfg(feature = "units")]
mod parse;
#[cfg(feature = "units")]
mod table;
#[cfg(feature = "units")]
mod tables;
#[cfg(all(test, feature = "units"))]
mod tests;
mod together;
#[cfg(feature = "units")]
mod walk;

pub use find::Found;
pub(crate) use language::GRAMMARS;
pub use language::{Language, language};
#[cfg(feature = "units")]
pub use parse::read;
pub(crate) use together::{ReadUnits, UnitsRead, read_together};

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Largest source file in bytes.
pub(crate) const MAX_SOURCE: usize = 1 << 20;

/// A named declaration. All declarations with the same full name are one unit: overloads with their signatures, getters and
/// setters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The names from the outside in, joined with `.`, for example `Cart.total`; usable as a selector.
    pub name: String,
    /// The kind of its first piece, in the language's own term: `function`, `class`.
    pub kind: &'static str,
    /// The byte ranges of its declarations, in file order; never empty.
    pub pieces: Vec<Range<usize>>,
    /// Its first and its last line, from 1.
    pub lines: (usize, usize),
    /// The line of a syntax error in the outermost unit that holds this one: then its extent is a guess.
    pub broken: Option<usize>,
}

impl Unit {
    /// Its bytes in `source`, the parsed file: the pieces in order, one newline between them.
    pub fn bytes<'a>(&self, source: &'a [u8]) -> Cow<'a, [u8]> {
        match self.pieces.as_slice() {
            [only] => Cow::Borrowed(&source[only.clone()]),
            pieces => Cow::Owned(pieces.iter().map(|piece| &source[piece.clone()]).collect::<Vec<_>>().join(&b'\n')),
        }
    }
}

/// The units of one file, in the order of their first pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units {
    all: Vec<Unit>,
    /// Indexes into `all`, sorted by reversed name, so that names with the same ending are adjacent.
    ends: Vec<usize>,
    /// The line of the first error in a unit, by the last part of the unit's name.
    broken: HashMap<String, usize>,
    /// The line of the first error in any unit.
    first_broken: Option<usize>,
}

impl Units {
    /// All of them.
    pub fn all(&self) -> &[Unit] {
        &self.all
    }
}

/// Why the units of a file are not known. The file is then compared as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnreadUnits {
    /// No language is known for this extension, or for this name without extension.
    Language(String),
    /// A syntax error between the units, at this line.
    Syntax(usize),
    /// It is larger than [`MAX_SOURCE`].
    Large,
    /// A NUL among its first bytes, or UTF-16.
    Binary,
    /// It costs more to parse than a file of its size should.
    Costly,
    /// This program was built without the parsers.
    NotBuilt,
}

impl std::fmt::Display for UnreadUnits {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Language(ending) => write!(out, "no units known for {ending}"),
            Self::Syntax(line) => write!(out, "the grammar cannot read it at line {line}"),
            Self::Large => out.write_str("larger than 1 MiB"),
            Self::Binary => out.write_str("binary"),
            Self::Costly => out.write_str("too costly to parse"),
            Self::NotBuilt => out.write_str("this program was built without parsers"),
        }
    }
}

/// `read` of a program that was built without parsers.
///
/// # Errors
/// Always [`UnreadUnits::NotBuilt`].
#[cfg(not(feature = "units"))]
pub fn read(_: Language, _: &[u8], _: &mut dyn FnMut() -> bool) -> Result<Units, UnreadUnits> {
    Err(UnreadUnits::NotBuilt)
}
