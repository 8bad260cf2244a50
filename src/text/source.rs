//! Places in a text, and what is wrong there.

/// A place in a text. Both count from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl Position {
    /// The beginning of a text.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// One violation, before it is known which entry of the file it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub at: Position,
    /// Its sort, a short constant word.
    pub kind: &'static str,
    /// What tells it apart from others of its sort in the same entry: a key, a path, a tag. No position.
    pub detail: String,
    /// What is wrong, one sentence, unescaped.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Fault {
    /// A fault at `at`: its kind and detail, what is wrong, what to do.
    pub fn new(
        at: Position,
        (kind, detail): (&'static str, &str),
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { at, kind, detail: detail.into(), message: message.into(), help: help.into() }
    }
}
