//! Places in a text, and what is wrong there.

/// A place in a text. Both count from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1, of the whole file.
    pub line: u32,
    /// The character, from 1, in that line.
    pub column: u32,
}

impl Position {
    /// The beginning of a text.
    pub(crate) const START: Self = Self { line: 1, column: 1 };
}

/// One violation, before it is known which entry of the file it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it begins in the whole file, front matter included.
    pub at: Position,
    /// A short constant word for what is wrong (`missing`, `duplicate-key`): part of the finding's identity.
    pub kind: &'static str,
    /// What tells it apart from others of its sort in the same entry: a key, a path, a tag. No position.
    pub detail: String,
    /// What is wrong, one sentence, unescaped.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Fault {
    /// A fault at `at`: its kind, what is wrong, what to do. It needs no detail while an entry can hold one of its kind only.
    pub(crate) fn new(at: Position, kind: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at, kind, detail: String::new(), message: message.into(), help: help.into() }
    }

    /// The same about `detail`, which tells it apart from others of its kind.
    #[must_use]
    pub(crate) fn about(self, detail: &str) -> Self {
        Self { detail: detail.into(), ..self }
    }
}
