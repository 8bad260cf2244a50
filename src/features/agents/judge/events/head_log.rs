//! HEAD's log (git-reflog(1)) of one work tree: which commits were made here. A commit that a pull, a fast-forward or a checkout
//! brought is in it, too, and was made elsewhere or before. Input: the file `logs/HEAD`, which git only appends to, and
//! shortens when it expires entries. Writes nothing.

use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::tree::oid::Oid;
use bstr::ByteSlice;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How many bytes of an entry identify it, from its end. Most entries are shorter; they begin with two ids and a time.
const MARK: usize = 4 << 10;

/// The log of HEAD of one work tree.
pub(crate) struct HeadLog {
    bytes: Vec<u8>,
}

impl HeadLog {
    /// The log; `None` if there is none: git is told not to keep one, or keeps it in the reftable format.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn of(repo: &Repo) -> Result<Option<Self>> {
        let path = place(repo);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(Self { bytes })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::unread(path.display(), &error)),
        }
    }

    /// Whether there is a log.
    pub(crate) fn is_kept(repo: &Repo) -> bool {
        place(repo).exists()
    }

    /// The last entry of the log, or its end, for [`Self::made_since`]; empty without an entry. Reads no more than that.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn end_of(repo: &Repo) -> Result<Vec<u8>> {
        let path = place(repo);
        match end(&path) {
            Ok(bytes) => Ok(last_entry(&bytes).to_vec()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::unread(path.display(), &error)),
        }
    }

    /// The commits that were made here after the entry that `is_mark` recognizes, the newest first; all if it recognizes none,
    /// because older entries expire.
    pub(crate) fn made_since(&self, is_mark: impl Fn(&[u8]) -> bool) -> Vec<Oid> {
        let entries = self.bytes.rsplit(|byte| *byte == b'\n').filter(|entry| !entry.is_empty());
        entries.take_while(|entry| !is_mark(marked(entry))).filter_map(made_commit).collect()
    }
}

fn place(repo: &Repo) -> PathBuf {
    repo.git_dir.join("logs/HEAD")
}

fn end(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MARK as u64)))?;
    let mut bytes = Vec::new();
    file.take(MARK as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The last entry in `bytes`, the end of a log.
fn last_entry(bytes: &[u8]) -> &[u8] {
    let ended = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    marked(ended.rsplit(|byte| *byte == b'\n').next().unwrap_or_default())
}

/// The part of an entry that identifies it.
fn marked(entry: &[u8]) -> &[u8] {
    // one byte less than is read at the end of a log, where the entry ends with a line break
    &entry[entry.len().saturating_sub(MARK - 1)..]
}

/// The commit of an entry, if its action made one: `<old> <new> <who> <when>\t<action>: <text>`.
fn made_commit(entry: &[u8]) -> Option<Oid> {
    let (ids, message) = entry.split_once_str("\t").unwrap_or((entry, b""));
    let mut ids = ids.split(|byte| *byte == b' ').map(Oid::from_hex);
    let (old, new) = (ids.next()??, ids.next()??);
    // the first entry of a clone and of a linked work tree names the commit where it begins
    let is_first = old.is_zero() && !message.starts_with(b"commit");
    (!new.is_zero() && !is_first && is_making(message)).then_some(new)
}

/// Whether the message of an entry is about a new commit. Actions are words of git's own, and are never translated; the text
/// after them may be a subject.
fn is_making(message: &[u8]) -> bool {
    let (action, text) = message.split_once_str(": ").unwrap_or((message, b""));
    let stage = action.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    match action.split(|byte| *byte == b' ').next().unwrap_or_default() {
        b"commit" | b"cherry-pick" | b"revert" | b"am" => true,
        b"checkout" | b"reset" | b"clone" | b"branch" | b"fetch" => false,
        _ if [&b"(start)"[..], b"(finish)", b"(abort)", b"(reset)", b"finished"].contains(&stage) => false,
        // the start of a rebase as git before 2.39 wrote it
        b"rebase" | b"pull" if text.strip_prefix(b"checkout ").is_some_and(|to| !to.contains(&b' ')) => false,
        _ => !text.starts_with(b"Fast-forward") && !text.starts_with(b"fast-forward"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u8, message: &str) -> String {
        let id = |number: u8| format!("{number:02x}").repeat(20);
        format!("{} {} A <a@b> 1767225600 +0000\t{message}\n", id(number - 1), id(number))
    }

    /// The messages that git writes, and whether each made a commit.
    const MESSAGES: [(&str, bool); 31] = [
        ("commit: reset: the page", true),
        ("commit (initial): first", true),
        ("commit (amend): x", true),
        ("commit (merge): Merge branch 'side'", true),
        ("commit (cherry-pick): x", true),
        ("commit: Fast-forward the cache", true),
        ("merge side: Merge made by the 'ort' strategy.", true),
        ("merge origin/main: Fast-forward", false),
        ("merge origin/main: Fast-forward (no commit created; -m option ignored)", false),
        ("pull: Fast-forward", false),
        ("pull -q --ff-only origin main: Fast-forward", false),
        ("pull: Merge made by the 'ort' strategy.", true),
        ("pull --rebase (start): checkout 0123abc", false),
        ("pull --rebase (pick): checkout page mended", true),
        ("pull --rebase (finish): returning to refs/heads/main", false),
        ("rebase (start): checkout main", false),
        ("rebase (pick): x", true),
        ("rebase (fixup): x", true),
        ("rebase (squash): x", true),
        ("rebase (reword): x", true),
        ("rebase (continue): x", true),
        ("rebase (abort): returning to refs/heads/side", false),
        ("rebase (reset): '0123abc'", false),
        ("rebase: checkout main", false),
        ("rebase: checkout page mended", true),
        ("rebase finished: returning to refs/heads/side", false),
        ("checkout: moving from main to side", false),
        ("reset: moving to HEAD~1", false),
        ("clone: from /x", false),
        ("cherry-pick: x", true),
        ("", true),
    ];

    #[test]
    fn only_the_entry_of_a_new_commit_makes_one() {
        for (number, (message, is_made)) in (2..).zip(MESSAGES) {
            let made = HeadLog { bytes: entry(number, message).into_bytes() }.made_since(|_| false);
            assert_eq!(made.len(), usize::from(is_made), "{message}");
        }
        assert_eq!(HeadLog { bytes: entry(1, "").into_bytes() }.made_since(|_| false), [], "a linked work tree begins");
        assert_eq!(HeadLog { bytes: entry(1, "commit (initial): x").into_bytes() }.made_since(|_| false).len(), 1);
        for broken in
            ["", "\n", "x\n", "x y\tcommit: z\n", &format!("{} {}\tcommit: z\n", "1".repeat(40), "0".repeat(40))]
        {
            assert_eq!(HeadLog { bytes: broken.into() }.made_since(|_| false), [], "{broken}");
        }
    }

    #[test]
    fn the_commits_after_a_place_are_found_although_older_entries_expire() {
        let entries: Vec<String> = (1..=9).map(|number| entry(number, "commit: x")).collect();
        let log = |from: usize| HeadLog { bytes: entries[from..].concat().into_bytes() };
        let whole = entries[..5].concat();
        let mark = last_entry(whole.as_bytes());
        let count = |from: usize| log(from).made_since(|entry| entry == mark).len();
        assert_eq!((count(0), count(4), count(6)), (4, 4, 3), "the entry and all before it expired at last");
        assert_eq!(log(0).made_since(|entry| entry == mark)[0], Oid::from_hex("09".repeat(20).as_bytes()).unwrap());
    }

    #[test]
    fn the_end_of_a_log_is_read_without_the_rest() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("HEAD");
        for length in [0, 100, MARK - 200, MARK - 120, MARK, 3 * MARK] {
            let text = entry(1, "commit: one") + &entry(2, &format!("commit: {}", "x".repeat(length)));
            fs::write(&path, &text).unwrap();
            let read = end(&path).unwrap();
            let log = HeadLog { bytes: text.into_bytes() };
            assert!(read.len() <= MARK);
            assert_eq!(log.made_since(|entry| entry == last_entry(&read)), [], "{length}");
        }
        assert_eq!(last_entry(b""), b"");
    }
}
