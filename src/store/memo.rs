//! Files of memos: written whole or not at all. What they mean is none of the store's business, and nothing is lost with
//! them: they may be deleted at any time, and are not worth waiting for the disk.

use super::atomic;
use super::folder::Folder;
use super::lock::DIRECTORY;
use super::signals;
use crate::error::Result;
use crate::tree::shared::SharedMode;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The memos that there are, each with a file name of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemoKind {
    /// What paths concern which node.
    Paths,
    /// What the trees of anchors hold.
    Anchors,
    /// What files of the working tree say.
    Parsed,
    /// What symbols are in source files.
    Units,
    /// Which pieces of evidence the remote had when it was last asked.
    Shared,
    /// Which versions of pieces a bucket acknowledged to this machine.
    Receipts,
    /// When claims were first seen whose end cannot be meant.
    Sights,
}

/// So many generations of a memo are kept: people who try a new program, or use two, do not spoil each other's.
const KEPT: usize = 2;

impl MemoKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Paths => "memo-",
            Self::Anchors => "anchors-",
            Self::Parsed => "parsed-",
            Self::Units => "units-",
            Self::Shared => "shared-",
            Self::Receipts => "receipts-",
            Self::Sights => "sights-",
        }
    }

    /// Where programs of this generation look for it below a git directory.
    pub(crate) fn path(self, git_dir: &Path, generation: &str) -> PathBuf {
        git_dir.join(DIRECTORY).join(self.prefix().to_owned() + generation)
    }

    /// Replaces it, and removes those of all generations but the newest. `shared` says who may write where several
    /// people share the repository; else the process does.
    ///
    /// # Errors
    /// When it cannot be written; the old one then stands.
    pub(crate) fn replace(
        self,
        git_dir: &Path,
        generation: &str,
        bytes: &[u8],
        shared: Option<SharedMode>,
    ) -> Result<()> {
        // a hook that is killed while it leaves advice would stop the commit
        signals::outlive_size_limit()?;
        let folder = Arc::new(Folder::open(git_dir)?.shared_by(shared).ensure_below_unsynced(OsStr::new(DIRECTORY))?);
        let name = self.prefix().to_owned() + generation;
        atomic::replace_unsynced(&folder, OsStr::new(&name), bytes)?;
        self.forget_others(&folder, &name)
    }

    /// Removes the one of this generation, if there is one.
    ///
    /// # Errors
    /// When it is there and stays.
    pub(crate) fn remove(self, git_dir: &Path, generation: &str) -> Result<()> {
        let name = self.prefix().to_owned() + generation;
        let Some(folder) = Folder::open(git_dir)?.below(OsStr::new(DIRECTORY))? else { return Ok(()) };
        match folder.stat_of(OsStr::new(&name))? {
            Some(_) => folder.unlink(OsStr::new(&name)),
            None => Ok(()),
        }
    }

    /// Removes the memos of other generations that are too many, the oldest first.
    fn forget_others(self, folder: &Folder, own: &str) -> Result<()> {
        let mut others = Vec::new();
        for name in folder.names()? {
            let text = name.to_string_lossy();
            if text != own && text.starts_with(self.prefix()) {
                let age = folder.stat_of(&name)?.map(|about| (about.st_mtime, about.st_mtime_nsec));
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
            // the clock of a file system may stand still between two writes
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
