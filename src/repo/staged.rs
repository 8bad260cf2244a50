//! What is staged: the difference between HEAD and the index, by the shortest exact way.

use crate::repo::oid::Oid;
use crate::repo::path::RepoPath;

/// A mode as git stores it, such as `0o100644`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode(pub u32);

/// One path whose entry differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub path: RepoPath,
    /// Before; `None` when it was added.
    pub old: Option<(Mode, Oid)>,
    /// After; `None` when it was deleted.
    pub new: Option<(Mode, Oid)>,
    /// Whether a merge left it in conflict; there is no `new` then.
    pub unmerged: bool,
}
