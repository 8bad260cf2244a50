//! What lies between two states of a repository, path by path, whoever compared them: two trees, an index and a tree, or the
//! git program.

use super::mode::Mode;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;

/// One path that differs. A rename is two of them: a deletion and an addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// The path of a file, a link or a submodule; never of a directory.
    pub path: RepoPath,
    /// What the older state holds; `None`: nothing.
    pub old: Option<(Mode, Oid)>,
    /// What the newer state holds; `None`: nothing, an intent to add, or an unresolved conflict.
    pub new: Option<(Mode, Oid)>,
    /// The path is in conflict: the index holds no content for it.
    pub unmerged: bool,
}
