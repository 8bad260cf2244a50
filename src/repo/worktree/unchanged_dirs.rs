//! Directories that need not be listed again: a remembered listing is valid as long as the disk and the index show the same
//! state. This module decides when that state can be trusted; in doubt a directory is listed.

use super::{WorkTreeView, disk};
use crate::repo::native::index::Tracked;
use crate::sys::{self, MetadataExt};
use crate::tree::ListedState;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use foldhash::quality::FixedState;
use std::hash::{BuildHasher, Hasher};

/// Magic numbers of file systems on which every added or removed name changes the times of its directory: ext2 to ext4, XFS,
/// Btrfs, tmpfs, overlayfs, F2FS, ZFS, bcachefs. Network and foreign file systems are left out, because they update such
/// times late, coarsely or never.
const TELLING: [i128; 8] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e];

/// An arbitrary number. If two programs use different ones, a directory is only listed again.
const SEED: u64 = 0x7961_7473_7521;

impl WorkTreeView {
    /// The state of the directory `dir`; `entries` are the index entries below it. `None` if no memory of listings is set,
    /// or if the directory's times cannot be trusted.
    pub(super) fn listed_state(&self, dir: &RepoPath, entries: &[Tracked]) -> Option<ListedState> {
        self.listings.get()?;
        let device = (*self.telling_device.get_or_init(|| telling_device(self)))?;
        // taken before the listing: a later change gives the directory another state
        let about = disk::look(&self.root, dir).ok()??;
        let tells = about.is_dir() && about.dev() == device;
        tells.then(|| ListedState { stamp: disk::stamp_of(&about), index: names_in_index(dir, entries) })
    }
}

/// The device of the work tree's top, if its file system is in [`TELLING`]. A file system mounted below has another device.
fn telling_device(view: &WorkTreeView) -> Option<u64> {
    let magic = sys::filesystem_type(&view.root)?;
    let about = disk::look(&view.root, &RepoPath::root()).ok()??;
    TELLING.contains(&magic).then(|| about.dev())
}

/// A hash of the names that the index has in `dir` itself, each with whether it is a submodule. With the same names in the
/// index, the same names on disk are untracked.
fn names_in_index(dir: &RepoPath, entries: &[Tracked]) -> u64 {
    let mut hasher = FixedState::with_seed(SEED).build_hasher();
    let start = if dir.is_root() { 0 } else { dir.as_bstr().len() + 1 };
    for entry in entries {
        let name = &entry.path.as_bstr().as_bytes()[start..];
        if name.contains(&b'/') {
            continue;
        }
        hasher.write(name);
        // a separator that no name contains
        hasher.write_u8(b'/');
        hasher.write_u8(entry.is_submodule().into());
    }
    hasher.finish()
}
