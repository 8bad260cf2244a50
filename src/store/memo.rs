//! Memo files, written complete or not at all. The store does not interpret them. They may be deleted at any time without
//! loss, so writing does not wait for the disk.

use super::atomic;
use super::folder::Folder;
use super::lock::DIRECTORY;
use super::signals;
use crate::error::Result;
use crate::tree::shared::SharedMode;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The kinds of memo, each with its own file name prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemoKind {
    /// Which paths concern which node.
    Paths,
    /// The content of the trees of anchors.
    Anchors,
    /// Facts parsed from files of the working tree.
    Parsed,
    /// The symbols in source files.
    Units,
    /// Which keys made which signatures.
    Signatures,
    /// Which commits touched which paths.
    Logs,
    /// Which pieces of evidence the remote had when it was last asked.
    Shared,
    /// Which versions of pieces of evidence a bucket confirmed to this machine.
    #[cfg_attr(
        not(feature = "cloud"),
        expect(dead_code, reason = "only a program with network code talks to a bucket")
    )]
    Receipts,
    /// When this machine first saw a claim with an unbelievable end time.
    Sights,
}

/// How many generations of a memo are kept. With two, a user can switch between two versions of the program without losing
/// either memo.
const KEPT: usize = 2;

impl MemoKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Paths => "memo-",
            Self::Anchors => "anchors-",
            Self::Parsed => "parsed-",
            Self::Units => "units-",
            Self::Signatures => "signatures-",
            Self::Logs => "logs-",
            Self::Shared => "shared-",
            Self::Receipts => "receipts-",
            Self::Sights => "sights-",
        }
    }

    /// The path of the memo below a git directory, for programs of this generation.
    pub(crate) fn path(self, git_dir: &Path, generation: &str) -> PathBuf {
        git_dir.join(DIRECTORY).join(self.prefix().to_owned() + generation)
    }

    /// Replaces the memo and removes all but the newest generations. `shared` sets the mode of the file in a shared
    /// repository; without it the umask of the process does.
    ///
    /// # Errors
    /// When it cannot be written; the old memo then stays.
    pub(crate) fn replace(
        self,
        git_dir: &Path,
        generation: &str,
        bytes: &[u8],
        shared: Option<SharedMode>,
    ) -> Result<()> {
        // without this, SIGXFSZ could kill a hook while it writes a memo, and so stop the commit
        signals::outlive_size_limit()?;
        let folder = Arc::new(Folder::open(git_dir)?.shared_by(shared).ensure_below_unsynced(OsStr::new(DIRECTORY))?);
        let name = self.prefix().to_owned() + generation;
        atomic::replace_unsynced(&folder, OsStr::new(&name), bytes, 0o644)?;
        self.forget_others(&folder, &name)
    }

    /// Removes the memo of this generation, if it exists.
    ///
    /// # Errors
    /// When the file exists and cannot be removed.
    pub(crate) fn remove(self, git_dir: &Path, generation: &str) -> Result<()> {
        let name = self.prefix().to_owned() + generation;
        let Some(folder) = Folder::open(git_dir)?.below(OsStr::new(DIRECTORY))? else { return Ok(()) };
        match folder.stat_of(OsStr::new(&name))? {
            Some(_) => folder.unlink(OsStr::new(&name)),
            None => Ok(()),
        }
    }

    /// Removes surplus memos of other generations, the oldest first.
    fn forget_others(self, folder: &Folder, own: &str) -> Result<()> {
        let mut others = Vec::new();
        for name in folder.names()? {
            let text = name.to_string_lossy();
            if text != own && text.starts_with(self.prefix()) {
                let age = folder.stat_of(&name)?.map(|about| about.modified);
                others.push((age, name));
            }
        }
        others.sort_by(|a, b| b.cmp(a));
        others.iter().skip(KEPT - 1).try_for_each(|(_, name)| folder.unlink(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_last_memo_stands() {
        let scratch = tempfile::tempdir().unwrap();
        let replace = |of: MemoKind, bytes: &[u8]| of.replace(scratch.path(), "1", bytes, None).unwrap();
        replace(MemoKind::Paths, b"one");
        replace(MemoKind::Anchors, b"another");
        replace(MemoKind::Paths, b"two");
        assert_eq!(std::fs::read(MemoKind::Paths.path(scratch.path(), "1")).unwrap(), b"two");
    }

    #[test]
    fn two_generations_stand_side_by_side_and_a_third_ends_the_oldest() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join(DIRECTORY);
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("anchors-0"), "another kind").unwrap();
        let mut age = 0;
        for (generation, expected) in [
            ("1", &["anchors-0", "memo-1"][..]),
            ("2", &["anchors-0", "memo-1", "memo-2"]),
            ("1", &["anchors-0", "memo-1", "memo-2"]),
            ("3", &["anchors-0", "memo-1", "memo-3"]),
        ] {
            MemoKind::Paths.replace(scratch.path(), generation, b"x", None).unwrap();
            // the clock of a file system may not advance between two writes
            age += 1;
            let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(age);
            std::fs::File::open(MemoKind::Paths.path(scratch.path(), generation))
                .unwrap()
                .set_modified(written)
                .unwrap();
            let names = Folder::open(&dir).unwrap().names().unwrap();
            assert_eq!(names, expected, "after {generation}");
        }
    }

    #[test]
    fn who_shares_the_repository_can_replace_it() {
        let scratch = tempfile::tempdir().unwrap();
        MemoKind::Paths.replace(scratch.path(), "1", b"x", Some(SharedMode::Exactly(0o660))).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&MemoKind::Paths.path(scratch.path(), "1")), 0o660);
        assert_eq!(mode(&scratch.path().join(DIRECTORY)), 0o2770);
    }
}
