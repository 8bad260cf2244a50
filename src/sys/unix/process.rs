//! This process: its user, its time, random bytes for it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};
use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The effective user id.
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// How to end another process that may be stopped.
pub(crate) fn end_hint(pid: u32) -> String {
    format!("if it is stopped, continue or end it (kill -CONT {pid}, kill {pid})")
}

/// The variable with the user's directory for temporary files, and the directory if it is not set.
pub(crate) const TEMPORARY: (&str, &str) = ("TMPDIR", "/tmp");

/// The variable with the user's own directory.
pub(crate) const HOME: &str = "HOME";

/// The name of an environment variable, as programs spell it.
pub(crate) fn variable(name: OsString) -> OsString {
    name
}

/// The current directory as the system reports it: absolute and without links.
pub(crate) fn working_directory() -> io::Result<PathBuf> {
    std::env::current_dir()
}

/// The CPU time of this thread.
pub(crate) fn worked() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Fills `bytes` with random bytes from the kernel.
pub(crate) fn random(bytes: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        filled += match getrandom(&mut bytes[filled..], GetRandomFlags::empty()) {
            Ok(count) => count,
            Err(Errno::INTR) => 0,
            Err(error) => return Err(error.into()),
        };
    }
    Ok(())
}

/// Whether standard input has bytes or ends, within this time.
pub(crate) fn has_input(wait: Duration) -> io::Result<bool> {
    let wait = Timespec { tv_sec: wait.as_secs().cast_signed(), tv_nsec: wait.subsec_nanos().into() };
    Ok(poll(&mut [PollFd::new(&io::stdin(), PollFlags::IN)], Some(&wait))? > 0)
}
