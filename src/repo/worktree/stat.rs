//! Whether a file is unchanged since the index was written, judged by stat data alone, by git's own rules (`ie_match_stat`,
//! and the technical note "racy-git"). In doubt the file counts as changed, and the caller compares its content.

use crate::repo::native::index::{Stat, Tracked};
use crate::sys::MetadataExt;
use crate::tree::oid::Oid;
use std::fs::Metadata;

const TYPE: u32 = 0o170_000;

/// Which stat data must match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatRules {
    /// `core.trustctime`.
    pub(crate) trust_ctime: bool,
    /// `core.checkStat=minimal`.
    pub minimal: bool,
}

impl StatRules {
    /// git's defaults, the strictest rules: a file that is clean by them is clean by any others.
    pub(super) const STRICT: Self = Self { trust_ctime: true, minimal: false };
}

/// Whether the file with the metadata `disk` still has the content of `entry`. `written` is the time, in seconds and
/// nanoseconds, at which the index file was written.
pub(super) fn is_clean(entry: &Tracked, disk: &Metadata, rules: StatRules, written: Option<(i64, i64)>) -> bool {
    let stat = &entry.entry.stat;
    !entry.entry.intent_to_add
        && entry.entry.stage == 0
        && entry.entry.mode.bits() & TYPE == disk.mode() & TYPE
        && !is_racy(stat, rules, written)
        && !is_smudged(stat, &entry.entry.id)
        && same_times(stat, disk, rules)
        && (rules.minimal || same_file(stat, disk))
        && stat.size == disk.size() as u32
}

/// A file with the time of the index, or a later one, may have changed once more without a trace. If nanoseconds do not
/// count, a time means its whole second.
fn is_racy(stat: &Stat, rules: StatRules, written: Option<(i64, i64)>) -> bool {
    let mtime = (i64::from(stat.mtime.0), i64::from(stat.mtime.1));
    let exact = nanoseconds_count(stat.mtime, rules);
    written.is_none_or(|written| if exact { written <= mtime } else { written.0 <= mtime.0 })
}

/// git sets the size to 0 to mean "compare the content".
fn is_smudged(stat: &Stat, oid: &Oid) -> bool {
    stat.size == 0 && super::hash::blob_id(oid.kind(), b"").ok().as_ref() != Some(oid)
}

fn same_times(stat: &Stat, disk: &Metadata, rules: StatRules) -> bool {
    let same_mtime = same_time(stat.mtime, (disk.mtime(), disk.mtime_nsec()), rules);
    let ctime_counts = rules.trust_ctime && !rules.minimal;
    same_mtime && (!ctime_counts || same_time(stat.ctime, (disk.ctime(), disk.ctime_nsec()), rules))
}

/// Compares two times; nanoseconds count only if the index recorded them.
fn same_time(index: (u32, u32), disk: (i64, i64), rules: StatRules) -> bool {
    index.0 == disk.0 as u32 && (!nanoseconds_count(index, rules) || i64::from(index.1) == disk.1)
}

fn nanoseconds_count(index: (u32, u32), rules: StatRules) -> bool {
    index.1 != 0 && !rules.minimal
}

fn same_file(stat: &Stat, disk: &Metadata) -> bool {
    stat.uid == disk.uid() && stat.gid == disk.gid() && stat.ino == disk.ino() as u32
}
