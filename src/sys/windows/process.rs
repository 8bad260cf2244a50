//! This process: its user, its time, random bytes for it, its input.

use super::calls;
use super::child::STARTING;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often the input is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// The number of this user among owners: 0, see [`super::file::owner`].
pub(crate) fn user() -> u32 {
    0
}

/// How to end another process.
pub(crate) fn end_hint(pid: u32) -> String {
    format!("end it in the task manager, or: taskkill /PID {pid} /F")
}

/// The variable with the user's directory for temporary files, and the directory if it is not set.
pub(crate) const TEMPORARY: (&str, &str) = ("TEMP", "C:/Windows/Temp");

/// The variable with the user's own directory.
pub(crate) const HOME: &str = "USERPROFILE";

/// The name of an environment variable, as programs spell it: `Path` and `PATH` are one variable. Other names keep their
/// case, because git's `GITHEAD_<id>` has an id in small letters.
pub(crate) fn variable(name: OsString) -> OsString {
    let is_of_system =
        name.eq_ignore_ascii_case("PATH") || STARTING.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is_of_system { name.to_ascii_uppercase() } else { name }
}

/// The current directory, spelled as the disk spells it: a shell may have entered it as `z:\\Work`.
pub(crate) fn working_directory() -> io::Result<PathBuf> {
    let here = std::env::current_dir()?;
    Ok(super::path::canonical(&here).unwrap_or(here))
}

/// The CPU time of this thread.
pub(crate) fn worked() -> Duration {
    calls::worked()
}

/// Fills `bytes` with random bytes of the system.
pub(crate) fn random(bytes: &mut [u8]) -> io::Result<()> {
    calls::random(bytes)
}

/// Whether standard input has bytes or ends, within this time.
pub(crate) fn has_input(wait: Duration) -> io::Result<bool> {
    let until = Instant::now() + wait;
    loop {
        if calls::has_input()? {
            return Ok(true);
        }
        if Instant::now() >= until {
            return Ok(false);
        }
        std::thread::sleep(PAUSE);
    }
}
