//! Whether a file is clean against the index by its stat data alone, by git's own rules (`ie_match_stat`, and the
//! technical note "racy-git"). When in doubt it is not, and the content decides.

use super::Settings;
use crate::repo::index::{Stat, Tracked};
use crate::repo::oid::Oid;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

const TYPE: u32 = 0o170_000;
const GITLINK: u32 = 0o160_000;
const LINK: u32 = 0o120_000;

/// Whether an index entry is a submodule.
pub(super) fn is_gitlink(entry: &Tracked) -> bool {
    entry.entry.mode.bits() & TYPE == GITLINK
}

/// Whether an index entry is a symbolic link.
pub(super) fn is_link(entry: &Tracked) -> bool {
    entry.entry.mode.bits() & TYPE == LINK
}

/// Whether an index entry is an executable file.
pub(super) fn is_executable(entry: &Tracked) -> bool {
    entry.entry.mode.bits() & TYPE == 0o100_000 && entry.entry.mode.bits() & 0o111 != 0
}

/// Whether the file described by `disk` still has the content that `entry` names. `index_mtime` is the time, in
/// seconds, at which the index file was written.
pub(super) fn is_clean(entry: &Tracked, disk: &Metadata, settings: &Settings, index_mtime: Option<i64>) -> bool {
    let stat = &entry.entry.stat;
    !entry.entry.intent_to_add
        && entry.entry.stage == 0
        && entry.entry.mode.bits() & TYPE == disk.mode() & TYPE
        && !is_racy(stat, index_mtime)
        && !is_smudged(stat, &entry.entry.id)
        && same_times(stat, disk, settings)
        && (settings.minimal_stat || same_file(stat, disk))
        && stat.size == disk.size() as u32
}

/// A file written in the second in which the index was written, or after it, may have changed once more without a trace.
fn is_racy(stat: &Stat, index_mtime: Option<i64>) -> bool {
    index_mtime.is_none_or(|written| written <= i64::from(stat.mtime.0))
}

/// git sets the size to 0 to say "compare the content".
fn is_smudged(stat: &Stat, oid: &Oid) -> bool {
    stat.size == 0 && super::hash::blob_id(oid.kind(), b"").ok().as_ref() != Some(oid)
}

fn same_times(stat: &Stat, disk: &Metadata, settings: &Settings) -> bool {
    let same_mtime = same_time(stat.mtime, (disk.mtime(), disk.mtime_nsec()), settings);
    let ctime_counts = settings.trust_ctime && !settings.minimal_stat;
    same_mtime && (!ctime_counts || same_time(stat.ctime, (disk.ctime(), disk.ctime_nsec()), settings))
}

/// Nanoseconds count when the writer of the index recorded them.
fn same_time(index: (u32, u32), disk: (i64, i64), settings: &Settings) -> bool {
    let nanoseconds_count = index.1 != 0 && !settings.minimal_stat;
    index.0 == disk.0 as u32 && (!nanoseconds_count || i64::from(index.1) == disk.1)
}

fn same_file(stat: &Stat, disk: &Metadata) -> bool {
    stat.uid == disk.uid() && stat.gid == disk.gid() && stat.ino == disk.ino() as u32
}
