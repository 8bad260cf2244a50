//! Appending to a ledger, and replacing one in a repair or a redaction (write protocol of [`super`], steps 7 to 11).

use super::atomic;
use super::folder::{Folder, failed};
use super::lock::LedgerLock;
use super::signals;
use crate::error::{Error, Refusal, Result};
use crate::model::ledger::{Ledger, Timestamp};
use crate::sys::{self, Access};
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use serde::de::IgnoredAny;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest line in bytes.
pub(crate) const MAX_LINE: usize = 64 * 1024;

/// The form of a line of a file.
pub(crate) struct LineForm {
    /// Its name in messages.
    pub(crate) what: &'static str,
    /// Limit in bytes; the line must be shorter.
    pub(crate) max: usize,
    /// What the user can do to shorten it.
    pub(crate) shorter: &'static str,
}

/// A line of a ledger or of the journal.
const LEDGER_LINE: LineForm =
    LineForm { what: "a ledger line", max: MAX_LINE, shorter: "shorten the note, or attach fewer pieces of evidence" };

/// A ledger of a work tree, open under the lock for one change. Only its end is read unless the caller reads all of it.
#[derive(Debug)]
pub struct OpenLedger<'l> {
    _lock: &'l LedgerLock,
    folder: Arc<Folder>,
    name: OsString,
    file: Option<File>,
    length: u64,
}

/// How a ledger ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    /// Ends in a newline, or is empty.
    Whole,
    /// Ends in a complete JSON object without its newline.
    NoNewline,
    /// Ends in something else: a write was cut off.
    Torn {
        /// The line number in the file, from 1.
        line: usize,
    },
}

/// How these bytes of a ledger end.
pub(crate) fn tail(bytes: &[u8]) -> Tail {
    let start = bytes.rfind_byte(b'\n').map_or(0, |at| at + 1);
    let last = bytes[start..].trim();
    let object = || last.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(last).is_ok();
    if start == bytes.len() {
        Tail::Whole
    } else if object() && last.to_str().is_ok() {
        Tail::NoNewline
    } else {
        Tail::Torn { line: bytes[..start].find_iter(b"\n").count() + 1 }
    }
}

/// The time for a new line: `now`, or one millisecond after the last time in these ledgers if the clock is behind it. All
/// ledgers of a node count together, so a new line in one sorts after the lines of the others. A time is ignored if its
/// follower would lie more than ten minutes ahead: otherwise one wrong clock would date every later line so far ahead that no
/// gate takes it.
pub(crate) fn next_ts<'l>(ledgers: impl IntoIterator<Item = &'l Ledger>, now: Timestamp) -> Timestamp {
    // a redaction keeps the time of the line that it replaced; that time counts too
    let lines = ledgers.into_iter().flat_map(|ledger| &ledger.lines);
    let followers = lines.filter_map(|line| line.event.ts()).map(Timestamp::next);
    followers.filter(|next| !next.is_far_ahead(now)).fold(now, Timestamp::max)
}

/// The directory of the ledger `path`; `below` opens each directory on the way.
fn way_to(top: Folder, path: &RepoPath, below: impl Fn(Folder, &OsStr) -> Result<Folder>) -> Result<Folder> {
    let dir = path.parent().ok_or_else(|| Error::usage("a ledger needs a name"))?;
    dir.components().try_fold(top, |folder, part| below(folder, &sys::in_tree(part)))
}

/// The content of a file of the work tree, read without a lock; `None` if it does not exist. Links are not followed.
///
/// # Errors
/// When the file exists and cannot be read, or is not a regular file.
pub(crate) fn look(work_dir: &Path, path: &RepoPath) -> Result<Option<Vec<u8>>> {
    let Some(mut file) = open_to_look(work_dir, path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    let place = || work_dir.join(sys::in_tree(path.as_bstr()));
    file.read_to_end(&mut bytes).map_err(|error| failed("read", &place(), error))?;
    Ok(Some(bytes))
}

/// The same file, for reading as a stream.
///
/// # Errors
/// As [`look`].
pub(crate) fn open_to_look(work_dir: &Path, path: &RepoPath) -> Result<Option<File>> {
    let mut folder = Folder::open(work_dir)?;
    for part in path.parent().unwrap_or_default().components() {
        let Some(below) = folder.below(&sys::in_tree(part))? else { return Ok(None) };
        folder = below;
    }
    folder.open_file(&sys::in_tree(path.name()), Access::Read)
}

/// Removes files of the directory `dir` that still have the bytes that were read from them, and returns when that is durable.
///
/// # Errors
/// Unchecked when a file has other bytes: another program wrote to it without the lock.
pub(crate) fn remove_read<'b>(
    lock: &LedgerLock,
    work_dir: &Path,
    dir: &RepoPath,
    files: impl IntoIterator<Item = (&'b RepoPath, &'b [u8])>,
) -> Result<()> {
    let mut last = None;
    for (path, bytes) in files {
        let open = OpenLedger::open(lock, work_dir, path)?;
        if open.read()? != bytes {
            return Err(open.replaced());
        }
        last = Some(open.unlink()?);
    }
    last.map_or(Ok(()), |folder| folder.sync()).map_err(|error| error.context(dir.to_string()))
}

impl<'l> OpenLedger<'l> {
    /// Opens the ledger `path` of the work tree at `work_dir`. The ledger need not exist yet; its directory must. Refused if
    /// the ledger, or a directory on the way to it, is a symbolic link.
    pub fn open(lock: &'l LedgerLock, work_dir: &Path, path: &RepoPath) -> Result<Self> {
        let gone = |folder: &Folder, part: &OsStr| failed("open", &folder.join(part), io::ErrorKind::NotFound);
        let below = |folder: Folder, part: &OsStr| folder.below(part)?.ok_or_else(|| gone(&folder, part));
        let top = Folder::open(work_dir)?.shared_by(lock.shared);
        Self::open_in(lock, way_to(top, path, below)?, &sys::in_tree(path.name()))
    }

    /// Like [`Self::open`], but creates the directory again if it was removed with the ledger.
    pub(crate) fn open_again(lock: &'l LedgerLock, work_dir: &Path, path: &RepoPath) -> Result<Self> {
        let top = Folder::open(work_dir)?.shared_by(lock.shared);
        let folder = way_to(top, path, |folder, part| folder.ensure_below(part))?;
        Self::open_in(lock, folder, &sys::in_tree(path.name()))
    }

    /// Like [`Self::open`], for a file of lines in a directory that is open already.
    pub(super) fn open_in(lock: &'l LedgerLock, folder: Folder, name: &OsStr) -> Result<Self> {
        let file = folder.open_file(name, Access::Read)?;
        let length = file.as_ref().map(|file| file.metadata().map(|data| data.len())).transpose();
        let length = length.map_err(|error| failed("examine", &folder.join(name), error))?.unwrap_or(0);
        Ok(Self { _lock: lock, folder: Arc::new(folder), name: name.to_owned(), file, length })
    }

    /// Its length in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Its content; empty if it does not exist.
    pub fn read(&self) -> Result<Vec<u8>> {
        self.read_last(self.length)
    }

    fn read_last(&self, count: u64) -> Result<Vec<u8>> {
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let count = count.min(self.length);
        let mut bytes = vec![0; usize::try_from(count).map_err(|_| self.failed("read", io::ErrorKind::FileTooLarge))?];
        sys::read_exact_at(file, &mut bytes, self.length - count).map_err(|error| self.failed("read", error))?;
        Ok(bytes)
    }

    /// Appends one line, given without its newline, and returns when it is durable and was read back. On an error the file
    /// has its old length again, unless the message says otherwise.
    pub fn append(self, line: &str) -> Result<()> {
        self.append_all(&[line], &LEDGER_LINE)
    }

    /// Appends several lines in one write: all of them or none.
    pub(crate) fn append_lines(self, lines: &[String]) -> Result<()> {
        self.append_all(lines, &LEDGER_LINE)
    }

    /// Appends lines of the given form in one write.
    pub(crate) fn append_all<T: AsRef<str>>(self, lines: &[T], form: &LineForm) -> Result<()> {
        let text = self.text_to_write(lines, form)?;
        let made = self.file.is_none();
        // a signal between the write and its check would leave half a line that is never undone (step 9)
        let _shield = signals::shield();
        let file = match &self.file {
            Some(_) => self.reopen()?,
            None => self.create()?,
        };
        let written = self.write_durably(&file, &text, made);
        written.map_err(|error| self.undo(&file, made, text.len(), error))
    }

    /// Replaces the whole content by a temporary file and a rename. The mode is kept.
    pub(crate) fn replace(self, bytes: &[u8]) -> Result<()> {
        let old = self.file.as_ref().map(File::metadata).transpose().map_err(|error| self.failed("examine", error))?;
        // an open file may not be replaced on every system
        drop(self.file);
        match old {
            // a rename brings a new file: without the old mode a shared ledger would be closed to all other users
            Some(old) => atomic::replace_keeping(&self.folder, &self.name, bytes, sys::rights(&old)),
            None => atomic::replace(&self.folder, &self.name, bytes, 0o666),
        }
    }

    /// Removes the file, and returns when that is durable.
    pub(crate) fn remove(self) -> Result<()> {
        self.unlink()?.sync()
    }

    /// Removes the file, and returns its directory, which is to be synced.
    fn unlink(self) -> Result<Arc<Folder>> {
        // an open file cannot be removed on every system
        drop(self.file);
        self.folder.unlink(&self.name)?;
        Ok(self.folder)
    }

    fn text_to_write<T: AsRef<str>>(&self, lines: &[T], form: &LineForm) -> Result<Vec<u8>> {
        let LineForm { what, max, shorter } = form;
        let lines = || lines.iter().map(AsRef::as_ref);
        if let Some(line) = lines().find(|line: &&str| line.len() >= *max || line.contains('\n')) {
            let message = format!("{what} is one line of less than {max} bytes, not {}", line.len());
            return Err(Error::refused(message).because(Refusal::Invalid).hint(*shorter));
        }
        let mut text = Vec::new();
        // Twice the longest line, so that the last line is complete in it. Half a line would look torn, and a sound ledger
        // would be refused.
        match tail(&self.read_last(2 * *max as u64)?) {
            Tail::Whole => {}
            Tail::NoNewline => text.push(b'\n'),
            Tail::Torn { .. } => {
                let line = self.read()?.find_iter(b"\n").count() + 1;
                return Err(torn(&self.path(), line));
            }
        }
        for line in lines() {
            text.extend_from_slice(line.as_bytes());
            text.push(b'\n');
        }
        Ok(text)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    fn failed(&self, doing: &str, error: impl Into<io::Error>) -> Error {
        failed(doing, &self.path(), error)
    }

    fn create(&self) -> Result<File> {
        self.folder.create_new(&self.name, 0o666).map_err(|error| self.failed("make", error))
    }

    /// Opens the file for writing, with O_APPEND: a program that ignores the lock then never loses a line to us.
    fn reopen(&self) -> Result<File> {
        let file = self.folder.open_file(&self.name, Access::Append)?.ok_or_else(|| self.replaced())?;
        let length = file.metadata().map_err(|error| self.failed("examine", error))?.len();
        // the decision rests on the content that was read: a file that a checkout replaced since, or that grew, differs
        // (step 8)
        let same = match &self.file {
            Some(read) => self.same_file(read, &file)? && length == self.length,
            None => false,
        };
        if same { Ok(file) } else { Err(self.replaced()) }
    }

    fn same_file(&self, one: &File, other: &File) -> Result<bool> {
        sys::is_same_file(one, other).map_err(|error| self.failed("examine", error))
    }

    fn write_durably(&self, file: &File, text: &[u8], made: bool) -> Result<()> {
        // One call: a second one could come after another program's line, in the middle of this line (step 9).
        let written = write_once(file, text).map_err(|error| self.failed("append to", error))?;
        if written != text.len() {
            return Err(self.failed("append to", io::Error::from(io::ErrorKind::StorageFull)));
        }
        file.sync_data().map_err(|error| self.failed("make durable", error))?;
        if made {
            self.folder.sync()?;
        }
        self.read_back(file, text)
    }

    fn read_back(&self, file: &File, text: &[u8]) -> Result<()> {
        // By name, not by handle: after a checkout the handle still holds the line, in a file that has no name (step 11).
        let named = self.folder.open_file(&self.name, Access::Read)?;
        let named = named.ok_or_else(|| self.replaced())?;
        if !self.same_file(&named, file)? {
            return Err(self.replaced());
        }
        let mut back = vec![0; text.len()];
        match sys::read_exact_at(&named, &mut back, self.length) {
            Ok(()) if back == text => Ok(()),
            Ok(()) => {
                Err(Error::unchecked(format!("{} does not hold what was just written to it", self.path().display()))
                    .hint("another program writes to it without the lock, or the disk is failing"))
            }
            Err(error) => Err(self.failed("read back", error)),
        }
    }

    fn replaced(&self) -> Error {
        Error::unchecked(format!(
            "{} was replaced or changed by another program while it was written",
            self.path().display()
        ))
        .hint("a checkout or an editor ran at the same time: run the same command again")
    }

    /// Restores the old length, but never cuts off bytes that another program appended later.
    fn undo(&self, file: &File, made: bool, ours: usize, error: Error) -> Error {
        let old = self.length;
        // an unknown length counts as the longest: bytes of another program may be there, so nothing is cut off
        let length = file.metadata().map_or(u64::MAX, |data| data.len());
        let undone = if length > old + ours as u64 {
            Err(())
        } else if made {
            // an empty file left behind would be a ledger without any reading
            self.folder.unlink(&self.name).map_err(|_| ())
        } else if length > old {
            file.set_len(old).and_then(|()| file.sync_data()).map_err(|_| ())
        } else {
            Ok(())
        };
        match undone {
            Ok(()) => error,
            Err(()) => error.hint(format!(
                "what was written could not be undone: look at the end of {} with `yatsu-hook repair --dry-run`",
                self.path().display()
            )),
        }
    }
}

/// One call of the system; it is repeated only if a signal came before it wrote anything.
fn write_once(file: &File, text: &[u8]) -> io::Result<usize> {
    loop {
        match sys::append(file, text) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            written => return written,
        }
    }
}

/// The refusal of a ledger with a torn last line.
pub(crate) fn torn(path: &Path, line: usize) -> Error {
    Error::refused(format!(
        "{}:{line}: the last line is torn (a write was cut off); nothing is appended to it",
        path.display()
    ))
    .because(Refusal::Invalid)
    .argv(["repair", "--dry-run"])
    .hint("`yatsu-hook repair --dry-run` shows what is left of it, `yatsu-hook repair` removes it")
}

#[cfg(test)]
mod tests;
