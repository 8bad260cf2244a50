//! The index file, mapped and read by ourselves (gitformat-index).

use crate::repo::oid::Oid;
use crate::repo::path::RepoPath;
use crate::repo::staged::Mode;

/// One entry of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Where.
    pub path: RepoPath,
    /// What it is.
    pub mode: Mode,
    /// Its content.
    pub oid: Oid,
    /// 0, or the side of a conflict: 1 base, 2 ours, 3 theirs.
    pub stage: u8,
    /// `git add -N`: announced, without content.
    pub intent_to_add: bool,
    /// Not checked out (sparse checkout).
    pub skip_worktree: bool,
    /// The user promised that the file does not change.
    pub assume_valid: bool,
    /// The file's stat data when it was added.
    pub stat: Option<Stat>,
}

/// Stat data as the index stores it: every field cut to 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Stat {
    pub mtime_s: u32,
    pub mtime_ns: u32,
    pub ctime_s: u32,
    pub ctime_ns: u32,
    pub dev: u32,
    pub ino: u32,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub size: u32,
}
