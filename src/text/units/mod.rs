//! Units: the named declarations of a source file, for selectors `path#symbol` (docs/selectors.md). In: the bytes of a file
//! and its language. Out: every unit with its name from the outside in and the pieces of the file that are its bytes, or
//! why the file cannot be read. Pure; knows neither git nor scenarios.
//!
//! One walker goes over the syntax tree of any language; a table a language says which nodes are units (`tables`).

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
pub use language::{GRAMMARS, Language, language};
#[cfg(feature = "units")]
pub use parse::read;
pub use together::{ReadUnits, UnitsRead, read_together};

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Largest source file that is read, in bytes.
pub const MAX_SOURCE: usize = 1 << 20;

/// A named declaration. All declarations of one exact name are one unit: overloads and their signatures, get and set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The names from the outside in, joined with `.`; it is a selector.
    pub name: String,
    /// What its first piece is, in the words of the language: `function`, `class`.
    pub kind: &'static str,
    /// Where its declarations lie, as byte offsets, in the order of the file; never empty.
    pub pieces: Vec<Range<usize>>,
    /// Its first and its last line, from 1.
    pub lines: (usize, usize),
    /// The line of a syntax error in the outermost unit that holds it: its extent is a guess then.
    pub broken: Option<usize>,
}

impl Unit {
    /// Its bytes in `source`, the file that it was read from: the pieces in order, one newline between them.
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
    /// Their numbers by their names read backwards, so that those that end alike lie together.
    ends: Vec<usize>,
    /// The line of the first error in a unit whose name ends so, by the last part of the name.
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

/// Why the units of a file are not known: it is compared as a whole then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnreadUnits {
    /// No language is known for a name like this: its extension, or the whole name without one.
    Language(String),
    /// A syntax error between the units, at this line.
    Syntax(usize),
    /// It is larger than [`MAX_SOURCE`].
    Large,
    /// A NUL among its first bytes, or UTF-16.
    Binary,
    /// It costs more than a source file of its size does.
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

/// As `read` of a program with parsers; this one has none.
///
/// # Errors
/// Always [`UnreadUnits::NotBuilt`].
#[cfg(not(feature = "units"))]
pub fn read(_: Language, _: &[u8], _: &mut dyn FnMut() -> bool) -> Result<Units, UnreadUnits> {
    Err(UnreadUnits::NotBuilt)
}
