//! The journal of claims, `<common dir>/yatsu/claims.ndjson`: the only store of claims (claims.md). A line is durable before
//! its claim is reported. Input: lines; output: the bytes of all lines. The store does not interpret them; the caller that
//! replaces the journal chooses the lines to keep.
//!
//! It is written like a ledger ([`super`], steps 7 to 11), with one difference. A ledger with a torn last line waits for a
//! person. The journal drops a torn last line under the lock and reports that, because a claim is printed only after its
//! line is durable: a torn claim was never reported. A complete last line that only lacks its line end is kept, because its
//! claim may be valid.

use super::folder::{Folder, failed};
use super::ledger::{OpenLedger, Tail, tail};
use super::lock::{DIRECTORY, LedgerLock};
use crate::error::{Error, Result};
use crate::sys::Access;
use crate::text::shell;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};

const NAME: &str = "claims.ndjson";

/// Size limit: a longer journal is neither read nor written. The limit allows some hundred thousand claims at once; reading
/// more would make every query for a claim slow.
const MAX_JOURNAL: u64 = 32 << 20;

/// A torn last line has at most this many bytes, because no line is longer.
const MAX_TORN: usize = super::ledger::MAX_LINE;

/// The journal, open under the lock. No other process changes it while this value lives.
#[derive(Debug)]
pub(crate) struct Journal<'l> {
    lock: &'l LedgerLock,
    common_dir: PathBuf,
    bytes: Vec<u8>,
    cut: usize,
}

/// The path of the journal of a repository.
pub(crate) fn path(common_dir: &Path) -> PathBuf {
    common_dir.join(DIRECTORY).join(NAME)
}

/// The complete lines of the journal, read without a lock. A line that is being written at this moment is missing.
///
/// # Errors
/// When the journal exists and cannot be read.
pub(crate) fn read(common_dir: &Path) -> Result<Vec<u8>> {
    let Some(folder) = Folder::open(common_dir)?.below(OsStr::new(DIRECTORY))? else { return Ok(Vec::new()) };
    let path = folder.join(OsStr::new(NAME));
    let Some(mut file) = folder.open_file(OsStr::new(NAME), Access::Read)? else { return Ok(Vec::new()) };
    let length = file.metadata().map_err(|error| failed("examine", &path, error))?.len();
    // before a byte is read: an endless file would use up the memory of every command that asks for claims
    refuse_endless(&path, length)?;
    let mut bytes = Vec::new();
    // limited again: the file may grow while it is read, since a reader holds no lock
    Read::take(&mut file, MAX_JOURNAL).read_to_end(&mut bytes).map_err(|error| failed("read", &path, error))?;
    let whole = whole(&path, &bytes)?;
    bytes.truncate(whole);
    Ok(bytes)
}

fn refuse_endless(path: &Path, length: u64) -> Result<()> {
    if length <= MAX_JOURNAL {
        return Ok(());
    }
    Err(unreadable(path, &format!("is {length} bytes long; no journal of claims gets so long")))
}

/// The error of a damaged journal. With this error no claim is given or taken.
pub(crate) fn unreadable(path: &Path, what: &str) -> Error {
    let (here, there) = (path.display().to_string(), path.with_extension("unreadable").display().to_string());
    Error::unchecked(format!("{} {what}; no claim is given or taken", path.display())).hint(format!(
        "restore it, or, while no claim is in use, move it away (every claim is then forgotten, and no reading with it): \
         `mv {} {}`",
        shell::word(&here),
        shell::word(&there)
    ))
}

/// The length of the complete lines, in bytes.
fn whole(path: &Path, bytes: &[u8]) -> Result<usize> {
    if !matches!(tail(bytes), Tail::Torn { .. }) {
        return Ok(bytes.len());
    }
    let start = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    // This program never writes so long a line: the file is damaged, and cutting the line away could lose claims.
    if bytes.len() - start > MAX_TORN {
        return Err(unreadable(path, "ends in bytes that are no line of the journal"));
    }
    Ok(start)
}

impl<'l> Journal<'l> {
    /// Opens the journal and removes a torn last line.
    ///
    /// # Errors
    /// When it cannot be read, or the torn line cannot be removed.
    pub(crate) fn open(lock: &'l LedgerLock, common_dir: &Path) -> Result<Self> {
        let mut journal = Self { lock, common_dir: common_dir.to_owned(), bytes: Vec::new(), cut: 0 };
        let file = journal.file()?;
        refuse_endless(&path(common_dir), file.length())?;
        let mut bytes = file.read()?;
        let whole = whole(&path(common_dir), &bytes)?;
        journal.cut = bytes.len() - whole;
        bytes.truncate(whole);
        // No other process writes while the lock is held: a torn line stays torn, and an appended line would be lost.
        if journal.cut > 0 {
            file.replace(&bytes)?;
        }
        journal.bytes = bytes;
        Ok(journal)
    }

    /// Its complete lines.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The length of the removed torn line in bytes; 0 if there was none.
    pub(crate) fn cut(&self) -> usize {
        self.cut
    }

    /// Appends a line, given without its line end, and returns when it is durable.
    ///
    /// # Errors
    /// When it could not be written; the journal is then unchanged.
    pub(crate) fn append(&mut self, line: &str) -> Result<()> {
        // a journal over the limit is never read again and would block every user
        let length = (self.bytes.len() + line.len() + 2) as u64;
        if length > MAX_JOURNAL {
            let path = path(&self.common_dir);
            return Err(Error::unchecked(format!("{} would become longer than {MAX_JOURNAL} bytes", path.display()))
                .hint("file or release some of what is held; see what: `yatsu-hook claim ls`"));
        }
        self.file()?.append(line)?;
        // the file got the missing line end too: without it the next event would be read as part of the last line
        if self.bytes.last().is_some_and(|byte| *byte != b'\n') {
            self.bytes.push(b'\n');
        }
        self.bytes.extend_from_slice(line.as_bytes());
        self.bytes.push(b'\n');
        Ok(())
    }

    /// Replaces the whole journal in one rename.
    ///
    /// # Errors
    /// When it could not be written; the old journal then stays.
    pub(crate) fn replace(&mut self, lines: &[String]) -> Result<()> {
        let bytes: Vec<u8> = lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect();
        self.file()?.replace(&bytes)?;
        // after the rename: if it fails, the old lines stay both in the file and here
        self.bytes = bytes;
        Ok(())
    }

    fn file(&self) -> Result<OpenLedger<'l>> {
        let folder = Folder::open(&self.common_dir)?.shared_by(self.lock.shared).ensure_below(OsStr::new(DIRECTORY))?;
        OpenLedger::open_in(self.lock, folder, OsStr::new(NAME))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use proptest::prelude::*;

    fn with_journal(bytes: &[u8]) -> (tempfile::TempDir, Store) {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir(scratch.path().join(DIRECTORY)).unwrap();
        std::fs::write(path(scratch.path()), bytes).unwrap();
        let store = Store::new(scratch.path());
        (scratch, store)
    }

    fn stored(store: &Store) -> Vec<u8> {
        std::fs::read(path(store.common_dir())).unwrap()
    }

    #[test]
    fn lines_are_there_in_the_order_in_which_they_were_appended() {
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(read(scratch.path()).unwrap(), b"");
        let store = Store::new(scratch.path());
        let lock = store.lock_ledger().unwrap();
        let mut journal = Journal::open(&lock, scratch.path()).unwrap();
        journal.append(r#"{"a":1}"#).unwrap();
        journal.append(r#"{"b":2}"#).unwrap();
        assert_eq!(journal.bytes(), b"{\"a\":1}\n{\"b\":2}\n");
        assert_eq!(stored(&store), journal.bytes());
        assert_eq!(read(scratch.path()).unwrap(), journal.bytes());
        journal.replace(&[r#"{"b":2}"#.into()]).unwrap();
        journal.append(r#"{"c":3}"#).unwrap();
        assert_eq!(stored(&store), b"{\"b\":2}\n{\"c\":3}\n");
        assert_eq!(stored(&store), journal.bytes());
    }

    #[test]
    fn a_line_that_was_cut_off_at_any_byte_goes_and_the_next_one_stands_alone() {
        let (line, next) = (r#"{"a":1}"#, r#"{"b":2}"#);
        for cut in 1..line.len() {
            let (scratch, store) = with_journal(format!("{line}\n{}", &line[..cut]).as_bytes());
            assert_eq!(read(scratch.path()).unwrap(), format!("{line}\n").as_bytes(), "a reader passes it over");
            let lock = store.lock_ledger().unwrap();
            let mut journal = Journal::open(&lock, scratch.path()).unwrap();
            assert_eq!(journal.cut(), cut);
            assert_eq!(stored(&store), format!("{line}\n").as_bytes());
            journal.append(next).unwrap();
            assert_eq!(stored(&store), format!("{line}\n{next}\n").as_bytes());
            assert_eq!(Journal::open(&lock, scratch.path()).unwrap().cut(), 0, "said once");
        }
    }

    #[test]
    fn a_whole_line_without_its_line_end_is_kept() {
        let (scratch, store) = with_journal(br#"{"a":1}"#);
        let lock = store.lock_ledger().unwrap();
        let mut journal = Journal::open(&lock, scratch.path()).unwrap();
        assert_eq!(journal.cut(), 0);
        journal.append(r#"{"b":2}"#).unwrap();
        assert_eq!(stored(&store), b"{\"a\":1}\n{\"b\":2}\n");
        assert_eq!(stored(&store), journal.bytes());
    }

    #[test]
    fn what_no_write_of_ours_leaves_behind_is_not_cut_away() {
        let (scratch, store) = with_journal(&vec![b'x'; MAX_TORN + 1]);
        let lock = store.lock_ledger().unwrap();
        let error = Journal::open(&lock, scratch.path()).unwrap_err();
        assert_eq!(error.kind.exit_code(), 3);
        assert!(error.message.contains("no claim is given or taken"), "{error}");
        assert_eq!(stored(&store).len(), MAX_TORN + 1);
        assert!(read(scratch.path()).is_err());
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(path(scratch.path())).unwrap();
        let store = Store::new(scratch.path());
        let lock = store.lock_ledger().unwrap();
        assert!(Journal::open(&lock, scratch.path()).is_err());
        assert!(read(scratch.path()).is_err());
        std::fs::remove_dir(path(scratch.path())).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", path(scratch.path())).unwrap();
        assert!(Journal::open(&lock, scratch.path()).unwrap_err().message.contains("symbolic link"));
        assert!(read(scratch.path()).unwrap_err().message.contains("symbolic link"));
    }

    #[test]
    fn a_journal_without_end_is_not_read() {
        let (scratch, store) = with_journal(b"");
        let file = std::fs::OpenOptions::new().write(true).open(path(scratch.path())).unwrap();
        file.set_len(MAX_JOURNAL + 1).unwrap();
        let lock = store.lock_ledger().unwrap();
        assert!(Journal::open(&lock, scratch.path()).unwrap_err().message.contains("no journal of claims"));
        assert!(read(scratch.path()).unwrap_err().message.contains("no journal of claims"));
    }

    #[test]
    fn a_journal_never_gets_so_long_that_nobody_reads_it() {
        let (scratch, store) = with_journal(&vec![b'\n'; usize::try_from(MAX_JOURNAL).unwrap() - 9]);
        let lock = store.lock_ledger().unwrap();
        let mut journal = Journal::open(&lock, scratch.path()).unwrap();
        let error = journal.append(r#"{"a":12}"#).unwrap_err();
        assert!(error.message.contains("would become longer"), "{error}");
        journal.append(r#"{"a":1}"#).unwrap();
        assert!(Journal::open(&lock, scratch.path()).is_ok() && read(scratch.path()).is_ok());
        assert!(journal.append("{}").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_bytes_panic_and_whole_lines_survive(bytes in "[{}\"a1:,\\n\\x00\u{e9}]{0,40}") {
            let (scratch, store) = with_journal(bytes.as_bytes());
            let lock = store.lock_ledger().unwrap();
            let mut journal = Journal::open(&lock, scratch.path()).unwrap();
            let kept = bytes.len() - journal.cut();
            prop_assert_eq!(&bytes.as_bytes()[..kept], journal.bytes());
            prop_assert!(journal.cut() == 0 || kept == 0 || bytes.as_bytes()[kept - 1] == b'\n');
            journal.append("{}").unwrap();
            prop_assert_eq!(stored(&store), journal.bytes());
            let last = b"{}\n";
            prop_assert!(journal.bytes().ends_with(last));
        }
    }
}
