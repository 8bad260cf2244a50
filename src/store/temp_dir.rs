//! A directory for temporary files, deleted with all its content when it is dropped. A killed process leaves its directory
//! behind; the next process that holds the lock deletes it.

use super::atomic::PREFIX;
use super::folder::{Folder, failed};
use super::lock::SharingLock;
use crate::error::Result;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A temporary directory; dropping it deletes it.
#[derive(Debug)]
pub(crate) struct ApartDir {
    path: PathBuf,
}

impl ApartDir {
    /// A new, empty directory in the directory `at`.
    pub(crate) fn make(_right: &SharingLock, at: &Path) -> Result<Self> {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let folder = Folder::open(at)?.ensure_private_below(name.as_ref())?;
        Ok(Self { path: folder.path().to_owned() })
    }

    /// Makes the empty file `name` in the directory, replacing a file of that name.
    pub(crate) fn make_file(&self, name: &str) -> Result<File> {
        let folder = Folder::open(&self.path)?;
        if folder.stat_of(name.as_ref())?.is_some() {
            folder.unlink(name.as_ref())?;
        }
        folder.create_new(name.as_ref(), 0o600).map_err(|error| failed("make", &self.path.join(name), error))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes what killed processes left in `at`. No other process uses `at` while the lock is held.
    pub(crate) fn sweep(_right: &SharingLock, at: &Path) -> Result<()> {
        let folder = Folder::open(at)?;
        for name in folder.names()? {
            if name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
                // the temporary file of an interrupted write, or a directory made here: neither may fail every later run
                let path = folder.join(&name);
                let is_dir = fs::symlink_metadata(&path).is_ok_and(|about| about.is_dir());
                let removed = if is_dir { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.map_err(|error| failed("remove", &path, error))?;
            }
        }
        Ok(())
    }
}

impl Drop for ApartDir {
    fn drop(&mut self) {
        // If this fails, the next run deletes the directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn nothing_stays_of_what_passed_through_and_of_what_a_killed_one_left() {
        let scratch = tempfile::tempdir().unwrap();
        let right = Store::new(scratch.path()).lock_sharing().unwrap();
        let apart = ApartDir::make(&right, scratch.path()).unwrap();
        fs::write(apart.path().join("x"), "x").unwrap();
        let path = apart.path().to_owned();
        drop(apart);
        assert!(!path.exists());
        std::mem::forget(ApartDir::make(&right, scratch.path()).unwrap());
        fs::write(scratch.path().join(format!("{PREFIX}1-1")), "half a file").unwrap();
        fs::write(scratch.path().join("kept"), "x").unwrap();
        ApartDir::sweep(&right, scratch.path()).unwrap();
        assert_eq!(Folder::open(scratch.path()).unwrap().names().unwrap(), ["kept", "yatsu"]);
    }
}
