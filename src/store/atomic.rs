//! A file that appears under its name complete or not at all: write a temporary file beside it, fsync, rename, fsync the
//! directory (the write protocol of [`super`], steps 2 to 6).

use super::folder::{Folder, failed};
use super::signals;
use crate::error::{Error, Result};
use crate::sys;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Prefix of the names of temporary files. No other file in the store's directories has it.
pub(crate) const PREFIX: &str = ".yatsu-tmp-";

/// The rights of owner, group and others in a mode.
const RIGHTS: u32 = 0o777;
/// The mode of a temporary file that gets another one before it is published.
const PRIVATE: u32 = 0o600;

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A temporary file; removed when dropped unless it was published.
#[derive(Debug)]
pub(crate) struct Temp {
    folder: Arc<Folder>,
    name: OsString,
    file: File,
    gone: bool,
}

impl Temp {
    /// A new, empty file in `folder`.
    pub(crate) fn create(folder: &Arc<Folder>, mode: u32) -> Result<Self> {
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!("{PREFIX}{}-{number}", std::process::id()));
            match signals::remember(folder, &name, || folder.create_new(&name, mode)) {
                Ok(file) => return Ok(Self { folder: Arc::clone(folder), name, file, gone: false }),
                // A killed process with the same pid, here or in another container, left this file behind.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed("make a file in", folder.path(), error)),
            }
        }
    }

    /// Appends all of `bytes`.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| failed("write in", self.folder.path(), error))
    }

    /// Its path, for another program that writes or reads the file.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Its size in bytes.
    pub(crate) fn size(&self) -> Result<u64> {
        self.file.metadata().map(|about| about.len()).map_err(|error| failed("examine", &self.path(), error))
    }

    /// Its content from the beginning. Works even after another process removed the name, as `clean` may.
    #[cfg(feature = "cloud")]
    pub(crate) fn reader(&self) -> Result<File> {
        let cannot = |error| failed("read", &self.path(), error);
        let mut file = self.file.try_clone().map_err(cannot)?;
        io::Seek::rewind(&mut file).map_err(cannot)?;
        Ok(file)
    }

    /// Makes the content durable. `size` is the expected length in bytes: a write that lost bytes shows here at no cost.
    pub(crate) fn sync(&self, size: u64) -> Result<()> {
        let path = self.path();
        self.file.sync_all().map_err(|error| failed("make durable", &path, error))?;
        let found = self.size()?;
        if found == size {
            return Ok(());
        }
        Err(Error::unchecked(format!("{} has {found} bytes after {size} were written to it", path.display()))
            .hint("the disk or its driver is failing: look after it before anything else"))
    }

    /// Gives the file exactly this mode, whatever the umask.
    pub(super) fn set_mode(&self, mode: u32) -> Result<()> {
        sys::set_mode(&self.file, mode).map_err(|error| failed("set the mode of", &self.path(), error))
    }

    /// Gives the file the rights `mode` of the file that it replaces. A system without rights has the same ones for all files.
    pub(super) fn keep_mode(&self, mode: u32) -> Result<()> {
        let now = sys::about_file(&self.file).map_err(|error| failed("examine", &self.path(), error))?.mode;
        if now & RIGHTS == mode & RIGHTS { Ok(()) } else { self.set_mode(mode & RIGHTS) }
    }

    /// Renames the synced file to `name`, replacing a file of that name, and makes the name durable.
    pub(crate) fn publish(mut self, name: &OsStr) -> Result<()> {
        self.rename(name)?;
        self.folder.sync()
    }

    /// Like [`Self::publish`], but never replaces: returns `false` and drops the file if `name` is taken.
    pub(super) fn publish_new(mut self, name: &OsStr) -> Result<bool> {
        if !self.folder.rename_free(&self.name, name)? {
            return Ok(false);
        }
        self.gone = true;
        signals::forget(&self.folder, &self.name);
        self.folder.sync()?;
        Ok(true)
    }

    fn rename(&mut self, name: &OsStr) -> Result<()> {
        self.folder.rename(&self.name, &self.folder, name)?;
        // the temporary name is free now, and a process in another container may take it: this process must not remove it
        self.gone = true;
        signals::forget(&self.folder, &self.name);
        Ok(())
    }
}

impl Write for Temp {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if !self.gone {
            // If this fails, the next `clean` removes the file; the failure that led here is the one to report.
            let _ = self.folder.unlink(&self.name);
            signals::forget(&self.folder, &self.name);
        }
    }
}

/// Replaces the file `name` by one with these bytes and this mode.
pub(crate) fn replace(folder: &Arc<Folder>, name: &OsStr, bytes: &[u8], mode: u32) -> Result<()> {
    let mut temp = Temp::create(folder, mode)?;
    temp.append(bytes)?;
    temp.sync(bytes.len() as u64)?;
    // only after the bytes are durable: otherwise a power cut could leave the name without content
    temp.publish(name)
}

/// Like [`replace`], but the new file has exactly the mode of the old one: without it a private file would be opened to others, and a
/// shared one closed to them.
pub(crate) fn replace_keeping(folder: &Arc<Folder>, name: &OsStr, bytes: &[u8], mode: u32) -> Result<()> {
    let mut temp = Temp::create(folder, PRIVATE)?;
    temp.append(bytes)?;
    temp.keep_mode(mode)?;
    temp.sync(bytes.len() as u64)?;
    temp.publish(name)
}

/// Like [`replace`], but without waiting for the disk: after a power cut the file may hold anything. Only for files that can
/// be lost, and that carry a check by which their reader sees that they are complete.
pub(crate) fn replace_unsynced(folder: &Arc<Folder>, name: &OsStr, bytes: &[u8], mode: u32) -> Result<()> {
    let mut temp = Temp::create(folder, mode)?;
    temp.append(bytes)?;
    // ext4 begins to write a file that replaces another by rename, which takes five times as long as an exchange
    if temp.folder.exchange(&temp.name, name) {
        return Ok(()); // the drop removes the old file, which has the temporary name now
    }
    temp.rename(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_leaves_nothing_and_a_published_one_only_its_name() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Arc::new(Folder::open(scratch.path()).unwrap());
        let mut temp = Temp::create(&folder, 0o444).unwrap();
        temp.append(b"half").unwrap();
        drop(temp);
        assert_eq!(folder.names().unwrap(), Vec::<OsString>::new());
        replace(&folder, OsStr::new("a"), b"old", 0o644).unwrap();
        replace(&folder, OsStr::new("a"), b"new", 0o644).unwrap();
        assert_eq!(folder.names().unwrap(), ["a"]);
        assert_eq!(std::fs::read(scratch.path().join("a")).unwrap(), b"new");
        replace_unsynced(&folder, OsStr::new("a"), b"newer", 0o644).unwrap();
        assert_eq!(folder.names().unwrap(), ["a"]);
        assert_eq!(std::fs::read(scratch.path().join("a")).unwrap(), b"newer");
    }
}
