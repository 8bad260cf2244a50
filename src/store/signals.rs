//! INT, TERM and HUP: temporary files are removed, a ledger line is never cut in half, and the process then ends by the
//! very signal, so that a shell sees the conventional status (128 + number).
//!
//! A thread waits for the signals instead of a handler doing the work: handlers may call next to nothing. Nameless
//! temporary files (`O_TMPFILE`) would need no cleaning at all, but not every file system has them, and replacing a
//! corrupt file needs a name to rename anyway; one way for everybody is simpler than two.
//! Locks need nothing: the kernel frees them.

use super::folder::Folder;
use crate::error::{Error, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::ffi::OsString;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Temporary files that exist now.
static TEMPORARY: Mutex<Vec<(Arc<Folder>, OsString)>> = Mutex::new(Vec::new());
/// Held while a file is being changed in place.
static CHANGING: Mutex<()> = Mutex::new(());

/// While it lives, a signal waits before it ends the process: between the write of a line and its possible undoing.
#[must_use]
pub(crate) struct Shield {
    _held: MutexGuard<'static, ()>,
}

/// Keeps signals from ending the process until the guard is dropped. Not reentrant.
pub(crate) fn shield() -> Shield {
    Shield { _held: CHANGING.lock().unwrap_or_else(PoisonError::into_inner) }
}

/// Runs `make`, which creates the temporary file `name`, and remembers it; no signal comes between the two.
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

/// The temporary file `name` is gone, or has got its final name.
pub(super) fn forget(folder: &Arc<Folder>, name: &OsString) {
    let mut files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    files.retain(|(at, known)| !(Arc::ptr_eq(at, folder) && known == name));
}

/// Starts to listen, once, at the start of a program that writes. A signal that the parent told this process to ignore
/// (`nohup`, a background job) stays ignored.
pub fn install() -> Result<()> {
    outlive_size_limit()?;
    let ignored = ignored_signals();
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = Signals::new(wanted).map_err(problem)?;
    let listen = move || {
        if let Some(signal) = signals.forever().next() {
            end_by(signal);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).map_err(problem)?;
    Ok(())
}

/// SIGXFSZ gets a handler that only raises a flag nobody reads: a write beyond the file-size limit then fails like any
/// other write, instead of killing the process, and programs we start do not inherit the difference.
pub(super) fn outlive_size_limit() -> Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop).map_err(problem)
}

fn problem(error: std::io::Error) -> Error {
    Error::unchecked(format!("cannot listen to signals: {error}"))
        .hint("the system may have nothing left to give: run the same command again later")
}

/// The mask of ignored signals as Linux tells it; nothing elsewhere.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0)
}

/// Removes the temporary files of a process that is about to end with its work undone.
pub(crate) fn clear() {
    let files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    for (folder, name) in files.iter() {
        // ending anyway; what cannot be removed is removed by the next `clean`
        let _ = folder.unlink(name);
    }
}

/// Both locks stay held to the end: nothing new begins while the process dies.
fn end_by(signal: i32) {
    let _no_change = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    for (folder, name) in files.iter() {
        // Dying anyway; what cannot be removed is removed by the next `clean`.
        let _ = folder.unlink(name);
    }
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
