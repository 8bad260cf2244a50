//! Kernel locks as guard types. Lock files are in `<common dir>/yatsu/` and are never deleted. They hold the pid of the last
//! holder, for the message of a process that waits in vain (the reasons are in [`super`], steps 1, 7 and 12).

use super::Store;
use super::folder::{Folder, failed};
use crate::error::{Error, Result};
use crate::sys::{self, Access};
use crate::tree::shared::SharedMode;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The directory of lock files and of the trash, in the common git directory.
pub(crate) const DIRECTORY: &str = "yatsu";

/// The right to write ledgers of this repository.
#[derive(Debug)]
pub struct LedgerLock {
    pub(super) _file: File,
    /// How others may use the files that are made under the lock.
    pub(super) shared: Option<SharedMode>,
}

/// The right to add evidence; many processes may hold it at once.
#[derive(Debug)]
pub struct GcShared {
    pub(super) _file: File,
}

/// The right to move evidence away; no other process holds this right or [`GcShared`] meanwhile.
#[derive(Debug)]
pub(crate) struct GcExclusive {
    pub(super) _file: File,
}

/// The right to work in the repository that shares evidence: one process of a clone at a time.
#[derive(Debug)]
pub(crate) struct SharingLock {
    pub(super) _file: File,
}

/// How many processes may hold a lock at once: many, or one.
#[derive(Clone, Copy)]
pub(super) enum Sharing {
    Shared,
    Exclusive,
}

impl Sharing {
    fn at_once(self, file: &File) -> Result<(), TryLockError> {
        match self {
            Self::Shared => file.try_lock_shared(),
            Self::Exclusive => file.try_lock(),
        }
    }

    /// Waits in the kernel's queue. A signal that has a handler does not end the wait.
    fn in_turn(self, file: &File) -> io::Result<()> {
        loop {
            let outcome = match self {
                Self::Shared => file.lock_shared(),
                Self::Exclusive => file.lock(),
            };
            match outcome {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return outcome,
            }
        }
    }
}

/// Locks the lock file `name` of the store; waits for at most the time of the store.
pub(super) fn take(store: &Store, name: &str, mode: Sharing) -> Result<File> {
    let folder = store.folder()?;
    let path = folder.join(OsStr::new(name));
    let file = open(&folder, name)?;
    // where other processes cannot read a locked file, the holder's pid stands beside it
    let beside = if sys::READS_LOCKED { None } else { Some(open(&folder, &format!("{name}.holder"))?) };
    let file = match mode.at_once(&file) {
        Ok(()) => file,
        Err(TryLockError::WouldBlock) => wait_in_turn(file, beside.as_ref(), &path, mode, sys::time_limit(store.wait))?,
        Err(TryLockError::Error(error)) => return Err(failed("lock", &path, error)),
    };
    // after the lock: before it, a process that only waits would overwrite the pid of the holder
    sign(beside.as_ref().unwrap_or(&file));
    Ok(file)
}

fn open(folder: &Folder, name: &str) -> Result<File> {
    let name = OsStr::new(name);
    if folder.stat_of(name)?.is_none() {
        match folder.create_new(name, 0o666) {
            Ok(_) => {}
            // another process created it in between, which is fine: only the kernel's lock on the file counts
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed("make", &folder.join(name), error)),
        }
    }
    let file = match folder.open_file(name, Access::Write) {
        // Another member of the group created it: read access is enough to lock.
        Err(_) => folder.open_file(name, Access::Read)?,
        opened => opened?,
    };
    file.ok_or_else(|| failed("open", &folder.join(name), io::ErrorKind::NotFound))
}

/// Waits in the kernel's queue, which is fair, unlike polling. A second thread waits, because the lock itself has no time
/// limit. If the thread gets the lock after the limit, its message has no receiver and it releases the lock.
fn wait_in_turn(file: File, beside: Option<&File>, path: &Path, mode: Sharing, wait: Duration) -> Result<File> {
    let problem = |error: io::Error| failed("lock", path, error);
    // a second handle, to read the holder's pid: the first goes to the thread, which may wait forever
    let own = beside.unwrap_or(&file).try_clone().map_err(problem)?;
    let (sender, receiver) = channel();
    let waiter = move || {
        let outcome = mode.in_turn(&file);
        // After the time limit there is no receiver: the message is dropped, with it the file, and with the file the lock.
        let _ = sender.send(outcome.map(|()| file));
    };
    std::thread::Builder::new().name("lock".into()).spawn(waiter).map_err(problem)?;
    match receiver.recv_timeout(wait) {
        Ok(outcome) => outcome.map_err(|error| failed("lock", path, error)),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(held(&own, path, wait)),
    }
}

fn held(file: &File, path: &Path, wait: Duration) -> Error {
    let mut text = [0; 20];
    let length = sys::read_at(file, &mut text, 0).unwrap_or(0);
    let pid = std::str::from_utf8(&text[..length]).ok().and_then(|text| text.trim().parse::<u32>().ok());
    let holder = pid.map_or("another process".to_owned(), |pid| format!("process {pid}"));
    let hint = match pid {
        Some(pid) => format!("{}; the lock then frees itself", sys::end_hint(pid)),
        None => "end the process that holds it; the lock then frees itself".to_owned(),
    };
    Error::unchecked(format!("{} is held by {holder}; waited {} s", path.display(), wait.as_secs()))
        .hint(hint)
        .hint("never delete the lock file: the kernel keeps the lock, not the file")
}

/// Writes the holder's pid. Only a message needs the pid, so an error here is ignored.
fn sign(file: &File) {
    // fixed width: a shorter number would leave the last digits of the previous pid
    let text = format!("{:<10}\n", std::process::id());
    let _ = sys::write_at(file, text.as_bytes(), 0);
}
