//! Standard output and standard error, as streams that may fail. A closed pipe is no error. Any other failure is reported on
//! standard error if possible. Nothing here panics.

use super::Exit;
use crate::error::{Error, Result};
use std::io::{self, ErrorKind, Write};

/// Writes text that is the whole purpose of a verb to standard output.
///
/// # Errors
/// If not all of it could be written. A closed pipe is no error.
pub(crate) fn print(text: &[u8]) -> Result<()> {
    write(text).map_err(|error| lost(&error))
}

/// Writes a report and returns the exit code. Lost output is reported on standard error. Then a clean exit becomes "could
/// not check", because 0 would claim that the reader was shown a clean result.
pub(crate) fn print_outcome(text: &[u8], exit: Exit) -> Exit {
    let Err(error) = write(text) else { return exit };
    let (exit, rest) = match exit {
        Exit::CLEAN => (Exit::UNCHECKED, "the output is not complete"),
        exit => (exit, "the exit code stands"),
    };
    tell(format!("yatsu-hook: {}; {rest}\n", cannot_write(&error)).as_bytes());
    exit
}

/// Writes the output of `write` like [`print_outcome`].
pub(crate) fn print_made(exit: Exit, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    print_outcome(&made(write), exit)
}

/// Writes the receipt of a verb that writes data, and returns `exit`, even if printing fails. The exit code only says
/// whether the data was saved. With another code a script would run the command again and file the data twice, for example
/// when the disk of its log is full. A lost receipt is reported on standard error.
pub(crate) fn print_receipt(exit: Exit, write_it: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    if let Err(error) = write(&made(write_it)) {
        tell(format!("yatsu-hook: {}; the exit code says what was done\n", cannot_write(&error)).as_bytes());
    }
    exit
}

/// Writes text that exists nowhere else. Here a closed pipe is an error too, because the reader did not get the text.
///
/// # Errors
/// If not all of it could be written, for any reason.
pub(crate) fn hand_out(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(&made(write)).and_then(|()| out.flush());
    written.map_err(|error| lost(&error))
}

/// The bytes that `write` writes. `write` may fail only when its stream does, and a vector never fails.
pub(crate) fn made(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Vec<u8> {
    let mut text = Vec::new();
    let _ = write(&mut text);
    text
}

/// Writes a diagnostic to standard error. A failure is ignored, because there is no stream left to report it on.
pub(crate) fn tell(text: &[u8]) {
    let _ = io::stderr().lock().write_all(text);
}

fn write(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// The error for an answer that could not be printed.
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

/// Standard output for bytes of any size. A closed pipe counts as success.
pub(super) struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
