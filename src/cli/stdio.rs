//! Standard output and standard error, as streams that may fail. A reader that went away is nobody's error; any other
//! failure is said on standard error where that still works. Nothing here panics.

use super::Exit;
use crate::error::{Error, Result};
use std::io::{self, ErrorKind, Write};

/// Writes what was asked for to standard output: text that is the whole purpose of a verb.
///
/// # Errors
/// When not all of it could be written, except to a pipe that nobody reads any more.
pub(super) fn print(text: &[u8]) -> Result<()> {
    write(text).map_err(|error| lost(&error))
}

/// Writes the report on what was judged, and returns the exit code that is right then. Lost output is said on standard error,
/// and nobody is told by an exit code of 0 that all is well who was to read how.
pub(super) fn print_outcome(text: &[u8], exit: Exit) -> Exit {
    let Err(error) = write(text) else { return exit };
    let (exit, rest) = match exit {
        Exit::CLEAN => (Exit::UNCHECKED, "the findings were not printed"),
        exit => (exit, "the exit code stands"),
    };
    tell(format!("yatsu-hook: {}; {rest}\n", cannot_write(&error)).as_bytes());
    exit
}

/// The same for what `write` makes of it.
pub(super) fn print_made(exit: Exit, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    print_outcome(&made(write), exit)
}

/// Writes the receipt of a verb that writes data, and returns `exit`. The exit code says what became of the data, and that
/// alone: what is there is there, whether or not anybody could be told. Whoever ran the same command again because of a full
/// disk under a log would file it twice. A receipt that is lost is said on standard error.
pub(super) fn print_receipt(exit: Exit, write_it: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    if let Err(error) = write(&made(write_it)) {
        tell(format!("yatsu-hook: {}; the exit code says what was done\n", cannot_write(&error)).as_bytes());
    }
    exit
}

/// Writes what exists nowhere else once it is lost. A reader that went away has not read it either.
///
/// # Errors
/// When not all of it could be written, whatever the reason.
pub(super) fn hand_out(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(&made(write)).and_then(|()| out.flush());
    written.map_err(|error| lost(&error))
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

/// The error of an answer that did not reach whoever asked.
fn lost(error: &io::Error) -> Error {
    Error::unchecked(cannot_write(error)).hint(match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "make room at the target of the output, then run the same command again"
        }
        _ => "let standard output lead to a terminal, a pipe or a file, then run the same command again",
    })
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
