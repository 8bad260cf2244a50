//! Standard output and standard error, as streams that may fail. A reader that went away is nobody's error; any other
//! failure is said on standard error where that still works. Nothing here panics.

use crate::error::{Error, Result};
use std::io::{self, ErrorKind, Write};

/// Writes what was asked for to standard output: text that is the whole purpose of a verb.
///
/// # Errors
/// When not all of it could be written, except to a pipe that nobody reads any more.
pub(super) fn print(text: &[u8]) -> Result<()> {
    write(text).map_err(|error| Error::unchecked(cannot_write(&error)))
}

/// Writes the report on something that is already decided or done. Lost output is said on standard error and changes
/// nothing.
pub(super) fn print_outcome(text: &[u8]) {
    if let Err(error) = write(text) {
        tell(format!("yatsu-hook: {}; the exit code stands\n", cannot_write(&error)).as_bytes());
    }
}

/// The same for what `write` makes of it.
pub(super) fn print_made(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    print_outcome(&made(write));
}

/// What `write` writes. It must fail only when its stream does, and a vector takes everything.
pub(super) fn made(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Vec<u8> {
    let mut text = Vec::new();
    let _ = write(&mut text);
    text
}

/// Writes a diagnostic to standard error. Where that fails there is nowhere left to say so.
pub(super) fn tell(text: &[u8]) {
    let _ = io::stderr().lock().write_all(text);
}

fn write(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn cannot_write(error: &io::Error) -> String {
    format!("cannot write to standard output: {error}")
}

/// Standard output for bytes of any size. A reader that went away takes the rest as read.
pub(super) struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
