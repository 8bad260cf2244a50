//! A path as a governed or related list spells it.

use super::source::Position;
use crate::repo::path::{PathProblem, RepoPath};

/// One entry of a `code`, `related` or `test` value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Governed {
    /// As written, without quotes, a leading `?` or a `#symbol` tail.
    pub text: String,
    /// May be absent without being a ghost (`?path`).
    pub optional: bool,
    /// The text as a literal path, or why it is none. A text with glob characters is a literal path where the view
    /// holds one of that name, else a glob.
    pub path: Result<RepoPath, PathProblem>,
    /// Where it stands.
    pub at: Position,
    /// What it is in the view that was loaded; a parser leaves it [`Found::Unresolved`].
    pub found: Found,
}

impl Governed {
    /// Reads one path.
    pub fn parse(text: &str, _quoted: bool, at: Position, _base: Option<&RepoPath>) -> Self {
        let (optional, text) = text.strip_prefix('?').map_or((false, text), |rest| (true, rest));
        let path = RepoPath::parse(text.as_bytes());
        Self { text: text.to_owned(), optional, path, at, found: Found::Unresolved }
    }
}

/// What a governed path is in a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// Not looked up yet.
    #[default]
    Unresolved,
    /// Something sits at the literal path.
    Path,
    /// A glob that matches at least one path of the view.
    Glob,
    /// Nothing there, and it may be absent.
    Absent,
    /// Nothing there.
    Ghost,
    /// On disk, but git does not track it.
    Untracked,
    /// A symbolic link on the way, or the path itself, leads out of the repository or in a circle.
    LeavesByLink,
    /// A glob beyond the limits.
    GlobLimit,
    /// No path at all; the reason is in [`Governed::path`].
    NoPath,
}
