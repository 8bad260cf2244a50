//! The difference of two states of a repository, path by path. The states may be two trees, or an index and a tree; the
//! comparison is native or the git program's.

use super::mode::Mode;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;

/// One path that differs. A rename is two entries: a deletion and an addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// The path of a file, a link or a submodule; never of a directory.
    pub path: RepoPath,
    /// Mode and id in the older state; `None` if it has no such file.
    pub old: Option<(Mode, Oid)>,
    /// Mode and id in the newer state; `None` for no file, an intent to add, or an unresolved conflict.
    pub new: Option<(Mode, Oid)>,
    /// The path is in conflict: the index holds no content for it.
    pub unmerged: bool,
}
