//! Directories that need not be listed again: what was found in one stands as long as the disk and the index say that it is
//! in the same state. What may be trusted is told here; when in doubt a directory is listed.

use super::{WorkTreeView, disk, stat};
use crate::repo::native::index::Tracked;
use crate::tree::path::RepoPath;
use crate::tree::{ListedState, StrayName};
use bstr::ByteSlice;
use foldhash::quality::FixedState;
use rustix::fs::statfs;
use std::hash::{BuildHasher, Hasher};
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

/// File systems, by their magic numbers, on which no name comes or goes without new times of the directory that holds it:
/// ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS, bcachefs. Not those of other machines or systems, which keep
/// such times late, coarsely or not at all.
const TELLING: [i128; 8] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e];

/// Any number: that of two programs differs only where one of them lists again.
const SEED: u64 = 0x7961_7473_7521;

impl WorkTreeView {
    /// In which state the directory `dir` is, whose entries in the index are `entries`; `None` where nobody remembers any, and
    /// where its times do not tell.
    pub(super) fn listed_state(&self, dir: &RepoPath, entries: &[Tracked]) -> Option<ListedState> {
        self.listings.get()?;
        let device = (*self.telling_device.get_or_init(|| telling_device(self)))?;
        // taken before it is listed: what comes meanwhile gives it another one
        let about = disk::look(&self.root, dir).ok()??;
        let tells = about.is_dir() && about.dev() == device;
        tells.then(|| ListedState { stamp: disk::stamp_of(&about), index: names_in_index(dir, entries) })
    }

    /// What was found in `dir` when it was in this state.
    pub(super) fn found_before(&self, dir: &RepoPath, state: &ListedState) -> Option<Rc<[StrayName]>> {
        self.listings.get()?.found(dir, state)
    }

    /// Tells whoever remembers what was found in `dir`.
    pub(super) fn learn_listed(&self, dir: &RepoPath, state: &ListedState, found: Vec<StrayName>) {
        if let Some(before) = self.listings.get() {
            before.learn(dir, state, &found.into());
        }
    }
}

/// The device of the top of the work tree, where its file system tells. A file system that is mounted below it is another.
fn telling_device(view: &WorkTreeView) -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let magic = statfs(&view.root).ok()?.f_type;
    // as wide as the system has it, and on some with its sign
    let magic = i128::from(magic) & 0xffff_ffff;
    let about = disk::look(&view.root, &RepoPath::root()).ok()??;
    TELLING.contains(&magic).then(|| about.dev())
}

/// A hash of the names that the index has in `dir` itself, each with what decides whether a directory of that name is
/// entered: as long as they are the same, the same names on disk are strays.
fn names_in_index(dir: &RepoPath, entries: &[Tracked]) -> u64 {
    let mut hasher = FixedState::with_seed(SEED).build_hasher();
    let start = if dir.is_root() { 0 } else { dir.as_bstr().len() + 1 };
    for entry in entries {
        let name = &entry.path.as_bstr().as_bytes()[start..];
        if name.contains(&b'/') {
            continue;
        }
        hasher.write(name);
        // no name holds it
        hasher.write_u8(b'/');
        hasher.write_u8(stat::is_gitlink(entry).into());
    }
    hasher.finish()
}
