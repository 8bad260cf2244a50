//! A directory for the files of one run of another program, for example a signature and the keys that it is compared with.
//! No other user can read or replace them. Dropping it deletes everything.

use super::folder::failed;
use crate::error::Result;
use crate::sys;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The directory; only this user may enter it.
#[derive(Debug)]
pub(crate) struct PrivateDir(PathBuf);

impl PrivateDir {
    /// A new, empty directory in `at`, usually the directory for temporary files.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn make(at: &Path) -> Result<Self> {
        let mut random = [0_u8; 8];
        sys::random(&mut random).map_err(|error| failed("make a directory in", at, error))?;
        let path = at.join(format!("yatsu-hook-{:016x}", u64::from_le_bytes(random)));
        // fails if something of this name is there: a link of another user must not lead the files elsewhere
        sys::make_private_dir(&path).map_err(|error| failed("make", &path, error))?;
        Ok(Self(path))
    }

    /// Writes a new file and returns its path.
    ///
    /// # Errors
    /// When it cannot be written, or when there is a file of this name.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.0.join(name);
        let made = sys::make_private_file(&path);
        made.and_then(|mut file| file.write_all(bytes)).map_err(|error| failed("write", &path, error))?;
        Ok(path)
    }

    /// The path of the file `name`, which is written if it is not there yet. The name must say what the file holds.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write_again(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.0.join(name);
        if path.exists() { Ok(path) } else { self.write(name, bytes) }
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        // If this fails, the system deletes what stays among its temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_this_user_can_enter_and_nothing_stays() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = PrivateDir::make(scratch.path()).unwrap();
        let file = dir.write("a", b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir.0), mode(&file)), (0o700, 0o600));
        assert!(dir.write("a", b"y").is_err(), "a file that is there is not overwritten");
        drop(dir);
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}
