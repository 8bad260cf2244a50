//! The right to change a remote's claims, with a directory for temporary files. The directory is the same each time: each
//! holder empties it first, so that nothing of a killed holder stays.

use super::folder::{Folder, failed};
use crate::error::Result;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

const NAME: &str = "claims.tmp";

/// The right, until it is dropped.
#[derive(Debug)]
pub(crate) struct Passing {
    path: PathBuf,
    _lock: File,
}

impl Passing {
    /// Empties the directory in the store's `folder`. The lock allows this.
    pub(super) fn begin(folder: &Folder, lock: File) -> Result<Self> {
        let path = folder.join(OsStr::new(NAME));
        if folder.stat_of(OsStr::new(NAME))?.is_some() {
            fs::remove_dir_all(&path).map_err(|error| failed("remove", &path, error))?;
        }
        folder.ensure_private_below(OsStr::new(NAME))?;
        Ok(Self { path, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // If this fails, the next holder removes the directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use crate::store::Store;
    use std::time::Duration;

    #[test]
    fn the_turn_is_one_ones_and_begins_with_an_empty_directory() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::new(scratch.path());
        let first = store.pass_claims(Duration::ZERO).unwrap();
        std::fs::write(first.path().join("x"), "x").unwrap();
        let error = store.pass_claims(Duration::ZERO).unwrap_err();
        assert!(error.message.contains("claims.lock is held"), "{error}");
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
        // as a killed process leaves it
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("x"), "x").unwrap();
        let second = store.pass_claims(Duration::ZERO).unwrap();
        assert!(!second.path().join("x").exists());
    }
}
