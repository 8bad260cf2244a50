//! Ctrl-C, Ctrl-Break and a closed console. The end of a process by another one (`TerminateProcess`) is not seen.

use super::calls;
use std::io;

/// Has `end` called when the console asks this process to end. `end` gets the function that ends the process.
pub(crate) fn at_end(end: fn(&dyn Fn())) -> io::Result<()> {
    calls::at_end(end)
}

/// Windows has no limit of file size.
pub(crate) fn outlive_size_limit() -> io::Result<()> {
    Ok(())
}
