//! The memo's file: written whole or not at all. What it means is none of the store's business, and nothing is lost with
//! it: it may be deleted at any time.

use super::atomic;
use super::folder::Folder;
use super::lock::DIRECTORY;
use crate::error::Result;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAME: &str = "memo";

/// Where the memo of the repository with this common git directory lies.
pub fn path(common_dir: &Path) -> PathBuf {
    common_dir.join(DIRECTORY).join(NAME)
}

/// Replaces the memo.
///
/// # Errors
/// When it cannot be written; the old one then stands.
pub fn replace(common_dir: &Path, bytes: &[u8]) -> Result<()> {
    let folder = Folder::open(common_dir)?.ensure_below(OsStr::new(DIRECTORY))?;
    atomic::replace(&Arc::new(folder), OsStr::new(NAME), bytes, 0o644)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_memo_stands() {
        let scratch = tempfile::tempdir().unwrap();
        replace(scratch.path(), b"one").unwrap();
        replace(scratch.path(), b"two").unwrap();
        assert_eq!(std::fs::read(path(scratch.path())).unwrap(), b"two");
    }
}
