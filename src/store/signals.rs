//! INT, TERM and HUP: temporary files are removed, and a ledger line is never cut in half. The process then ends by the same
//! signal, so that a shell sees the usual status (128 + number).
//!
//! Nameless temporary files
//! (`O_TMPFILE`) would need no cleaning, but not every file system has them, and replacing a corrupt file needs a name to
//! rename anyway. One way for all files is simpler than two.
//! Locks need no work: the kernel frees them.

use super::folder::Folder;
use crate::error::{Error, Result};
use crate::sys;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The temporary files that exist now.
static TEMPORARY: Mutex<Vec<(Arc<Folder>, OsString)>> = Mutex::new(Vec::new());
/// Held while a file is being changed in place.
static CHANGING: Mutex<()> = Mutex::new(());

/// A guard: while it lives, a signal does not end the process. It covers the write of a line and its possible undoing.
#[must_use]
pub(crate) struct Shield {
    _held: MutexGuard<'static, ()>,
}

/// Keeps signals from ending the process until the guard is dropped. Not reentrant.
pub(crate) fn shield() -> Shield {
    Shield { _held: CHANGING.lock().unwrap_or_else(PoisonError::into_inner) }
}

/// Runs `make`, which creates the temporary file `name`, and registers the file. No signal can come in between.
pub(super) fn remember<E>(
    folder: &Arc<Folder>,
    name: &OsString,
    make: impl FnOnce() -> Result<std::fs::File, E>,
) -> Result<std::fs::File, E> {
    let mut files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    let file = make()?;
    files.push((Arc::clone(folder), name.clone()));
    Ok(file)
}

/// Unregisters the temporary file `name`, which was removed or renamed.
pub(super) fn forget(folder: &Arc<Folder>, name: &OsString) {
    let mut files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    files.retain(|(at, known)| !(Arc::ptr_eq(at, folder) && known == name));
}

/// Listens to the signals. Call it once, at the start of a program that writes.
pub fn install() -> Result<()> {
    outlive_size_limit()?;
    sys::at_end(end_by).map_err(problem)
}

/// A write beyond the file-size limit fails like any other write, and does not kill the process.
pub(super) fn outlive_size_limit() -> Result<()> {
    sys::outlive_size_limit().map_err(problem)
}

fn problem(error: std::io::Error) -> Error {
    Error::unchecked(format!("cannot listen to signals: {error}"))
        .hint("the system may have nothing left to give: run the same command again later")
}

/// Removes the temporary files of a process that is about to end without finishing its work.
pub(crate) fn clear() {
    let files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    for (folder, name) in files.iter() {
        // the process ends anyway; the next `clean` removes the rest
        let _ = folder.unlink(name);
    }
}

/// Ends the process by `die`. Both mutexes stay locked to the end, so nothing new begins while the process dies.
fn end_by(die: &dyn Fn()) {
    let _no_change = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    for (folder, name) in files.iter() {
        // The process ends anyway; the next `clean` removes the rest.
        let _ = folder.unlink(name);
    }
    die();
}
