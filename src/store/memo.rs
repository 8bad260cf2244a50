//! Files of memos: written whole or not at all. What they mean is none of the store's business, and nothing is lost with
//! them: they may be deleted at any time, and are not worth waiting for the disk.

use super::atomic;
use super::folder::Folder;
use super::lock::DIRECTORY;
use crate::error::Result;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which memo.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemoKind {
    /// What paths concern which node.
    Paths,
    /// What the trees of anchors hold.
    Anchors,
}

impl MemoKind {
    fn name(self) -> &'static str {
        match self {
            Self::Paths => "memo",
            Self::Anchors => "anchors",
        }
    }

    /// Where it lies in the repository with this common git directory.
    pub(crate) fn path(self, common_dir: &Path) -> PathBuf {
        common_dir.join(DIRECTORY).join(self.name())
    }

    /// Replaces it.
    ///
    /// # Errors
    /// When it cannot be written; the old one then stands.
    pub(crate) fn replace(self, common_dir: &Path, bytes: &[u8]) -> Result<()> {
        let folder = Folder::open(common_dir)?.ensure_below(OsStr::new(DIRECTORY))?;
        atomic::replace_unsynced(&Arc::new(folder), OsStr::new(self.name()), bytes, 0o644)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_memo_stands() {
        let scratch = tempfile::tempdir().unwrap();
        MemoKind::Paths.replace(scratch.path(), b"one").unwrap();
        MemoKind::Anchors.replace(scratch.path(), b"another").unwrap();
        MemoKind::Paths.replace(scratch.path(), b"two").unwrap();
        assert_eq!(std::fs::read(MemoKind::Paths.path(scratch.path())).unwrap(), b"two");
    }
}
