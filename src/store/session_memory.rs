//! The memory of a coding agent's session: one file in `<common dir>/yatsu/agents/`, changed under a lock. Input: the name
//! of the session and a function that changes bytes. The store does not interpret them. Only the owner may read the file,
//! in a shared repository too.

use super::atomic;
use super::folder::{Folder, failed};
use super::lock::{self, DIRECTORY, Sharing};
use super::{Store, signals};
use crate::error::{Error, Result};
use crate::sys::Access;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The largest file.
pub(crate) const MAX_MEMORY: usize = 64 << 10;
/// The directory of the files, beside the memos.
const SESSIONS: &str = "agents";
/// How many sessions are kept; the oldest ones go.
const KEPT: usize = 200;
/// How long one event waits for another one of the repository.
const WAIT: Duration = Duration::from_secs(2);
const MODE: u32 = 0o600;

/// The right to change the memories of sessions.
pub(crate) struct SessionsLock {
    _file: File,
    folder: Arc<Folder>,
}

/// The memory of a session; `None` if it has none.
///
/// # Errors
/// When the file is larger than a memory may be, is no regular file, or cannot be read.
pub(crate) fn read(common_dir: &Path, session: &str) -> Result<Option<Vec<u8>>> {
    // one look instead of one for each directory: most events end after it
    if !common_dir.join(DIRECTORY).join(SESSIONS).join(file(session)).exists() {
        return Ok(None);
    }
    let Some(ours) = Folder::open(common_dir)?.below(OsStr::new(DIRECTORY))? else { return Ok(None) };
    let Some(sessions) = ours.below(OsStr::new(SESSIONS))? else { return Ok(None) };
    read_in(&sessions, session)
}

/// The memories of all other sessions.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_others(common_dir: &Path, session: &str) -> Result<Vec<Vec<u8>>> {
    let Some(ours) = Folder::open(common_dir)?.below(OsStr::new(DIRECTORY))? else { return Ok(Vec::new()) };
    let Some(sessions) = ours.below(OsStr::new(SESSIONS))? else { return Ok(Vec::new()) };
    let own = file(session);
    let names = sessions.names()?.into_iter().filter_map(|name| name.into_string().ok());
    let others = names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).filter(|name| file(name) != own);
    others.filter_map(|other| read_in(&sessions, &other).transpose()).collect()
}

fn read_in(folder: &Folder, session: &str) -> Result<Option<Vec<u8>>> {
    let name = file(session);
    let Some(opened) = folder.open_file(&name, Access::Read)? else { return Ok(None) };
    // most memories fit, and are read at once
    let mut bytes = Vec::with_capacity(4 << 10);
    let read = opened.take(MAX_MEMORY as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed("read", &folder.join(&name), error))?;
    if bytes.len() > MAX_MEMORY { Err(too_large(folder, &name)) } else { Ok(Some(bytes)) }
}

fn file(session: &str) -> OsString {
    OsString::from(format!("{session}.json"))
}

fn too_large(folder: &Folder, name: &OsStr) -> Error {
    Error::unchecked(format!("{} is larger than {MAX_MEMORY} bytes", folder.join(name).display()))
        .hint("remove the file: the session then begins afresh")
}

impl Store {
    /// Waits for the other events of this repository.
    ///
    /// # Errors
    /// When another process holds the lock too long, or the directory cannot be made.
    pub(crate) fn lock_sessions(&self) -> Result<SessionsLock> {
        signals::outlive_size_limit()?;
        let file = lock::take(&self.clone().with_wait(WAIT), "agents.lock", Sharing::Exclusive)?;
        // others who share the repository have sessions of their own, and none reads a file of another one
        let folder = self.folder()?.ensure_below_unsynced(OsStr::new(SESSIONS))?.shared_by(None);
        Ok(SessionsLock { _file: file, folder: Arc::new(folder) })
    }
}

impl SessionsLock {
    /// The memory of a session as it is under the lock.
    ///
    /// # Errors
    /// As [`read`].
    pub(crate) fn read(&self, session: &str) -> Result<Option<Vec<u8>>> {
        read_in(&self.folder, session)
    }

    /// Replaces the memory of a session. `durable`: it is on the disk when this returns.
    ///
    /// # Errors
    /// When it is too large or cannot be written; the old memory then stays.
    pub(crate) fn replace(&self, session: &str, bytes: &[u8], durable: bool) -> Result<()> {
        let name = file(session);
        if bytes.len() > MAX_MEMORY {
            return Err(too_large(&self.folder, &name));
        }
        let is_new = self.folder.stat_of(&name)?.is_none();
        match durable {
            true => atomic::replace(&self.folder, &name, bytes, MODE)?,
            false => atomic::replace_unsynced(&self.folder, &name, bytes, MODE)?,
        }
        if is_new { self.forget_oldest(&name) } else { Ok(()) }
    }

    fn forget_oldest(&self, new: &OsStr) -> Result<()> {
        let names = self.folder.names()?;
        let surplus = names.len().saturating_sub(KEPT);
        if surplus == 0 {
            return Ok(());
        }
        let mut aged = Vec::new();
        for name in names.into_iter().filter(|name| name != new) {
            aged.push((self.folder.stat_of(&name)?.map(|about| about.modified), name));
        }
        aged.sort();
        aged.iter().take(surplus).try_for_each(|(_, name)| self.folder.unlink(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::shared::SharedMode;
    use std::os::unix::fs::PermissionsExt;

    fn remember(store: &Store, session: &str, bytes: &[u8], durable: bool) -> Result<()> {
        store.lock_sessions()?.replace(session, bytes, durable)
    }

    #[test]
    fn a_memory_is_read_as_it_was_written_and_only_its_owner_may_read_it() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::new(scratch.path()).shared_by(Some(SharedMode::Exactly(0o666)));
        assert_eq!(read(scratch.path(), "a").unwrap(), None);
        for durable in [false, true] {
            remember(&store, "a", b"{}", durable).unwrap();
            assert_eq!(read(scratch.path(), "a").unwrap().as_deref(), Some(&b"{}"[..]));
            let about = std::fs::metadata(scratch.path().join("yatsu/agents/a.json")).unwrap();
            assert_eq!(about.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_memory_that_grows_too_large_is_refused_and_the_old_one_stays() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::new(scratch.path());
        remember(&store, "a", &[b' '; MAX_MEMORY], false).unwrap();
        assert!(remember(&store, "a", &[b'x'; MAX_MEMORY + 1], true).is_err());
        assert_eq!(read(scratch.path(), "a").unwrap(), Some(vec![b' '; MAX_MEMORY]));
        std::fs::write(scratch.path().join("yatsu/agents/a.json"), [b' '; MAX_MEMORY + 1]).unwrap();
        assert!(read(scratch.path(), "a").is_err());
    }

    #[test]
    fn the_oldest_sessions_are_forgotten() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::new(scratch.path());
        for number in 0..KEPT + 3 {
            remember(&store, &format!("{number}"), b"{}", false).unwrap();
            let written = std::time::UNIX_EPOCH + Duration::from_secs(number as u64);
            let path = scratch.path().join(format!("yatsu/agents/{number}.json"));
            File::open(path).unwrap().set_modified(written).unwrap();
        }
        let left = |session: usize| read(scratch.path(), &session.to_string()).unwrap().is_some();
        assert_eq!((0..KEPT + 3).map(left).filter(|left| *left).count(), KEPT);
        assert_eq!([0, 2, 3, KEPT + 2].map(left), [false, false, true, true]);
        assert_eq!(read_others(scratch.path(), "3").unwrap().len(), KEPT - 1);
        assert_eq!(read_others(&scratch.path().join("yatsu"), "3").unwrap(), [] as [Vec<u8>; 0]);
    }
}
