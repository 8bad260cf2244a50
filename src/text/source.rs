//! Places in a text, and faults there.

/// A place in a text. Both count from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line in the whole file, from 1.
    pub line: u32,
    /// The character in that line, from 1.
    pub column: u32,
}

impl Position {
    /// The beginning of a text.
    pub(crate) const START: Self = Self { line: 1, column: 1 };
}

/// One violation, before its entry in the file is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it begins in the whole file, front matter included.
    pub at: Position,
    /// A short constant word for the violation (`missing`, `duplicate-key`): part of the finding's identity.
    pub kind: &'static str,
    /// Distinguishes it from others of its kind in the same entry: a key, a path, a tag. Never a position.
    pub(crate) detail: String,
    /// What is wrong, one sentence, unescaped.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Fault {
    /// A fault at `at`. It needs no detail if an entry can hold only one fault of its kind.
    pub(crate) fn new(at: Position, kind: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at, kind, detail: String::new(), message: message.into(), help: help.into() }
    }

    /// Adds the detail that distinguishes it from others of its kind.
    #[must_use]
    pub(crate) fn about(self, detail: &str) -> Self {
        Self { detail: detail.into(), ..self }
    }
}
