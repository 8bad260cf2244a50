//! The stamp of a file or a directory in the bytes of a memo, and the age from which a stamp is reliable.

use super::wire::{self, Remaining};
use crate::model::ledger::Timestamp;
use crate::tree::FileStamp;

/// After this number of seconds, a file that changes has another stamp on every file system.
pub(super) const SETTLED: i64 = 3;
/// Whether the file was unchanged long enough before `now`. A file that just changed may change again within the
/// resolution of its stamp, and that would go unnoticed.
pub(super) fn is_settled(stamp: &FileStamp, now: Option<Timestamp>) -> bool {
    let last = stamp.modified.0.max(stamp.changed.0);
    let settled = last.checked_add(SETTLED).zip(now);
    settled.is_some_and(|(settled, now)| settled <= now.millis.div_euclid(1000))
}

pub(super) fn put_stamp(body: &mut Vec<u8>, stamp: &FileStamp) {
    let FileStamp { device, inode, size, modified, changed } = *stamp;
    [device, inode, size].into_iter().for_each(|number| wire::put_long(body, number));
    let times = [modified.0, modified.1, changed.0, changed.1];
    times.into_iter().for_each(|number| wire::put_long(body, number.cast_unsigned()));
}

pub(super) fn stamp(cursor: &mut Remaining<'_>) -> Option<FileStamp> {
    let [device, inode, size] = [cursor.long()?, cursor.long()?, cursor.long()?];
    let mut time = || Some((cursor.long()?.cast_signed(), cursor.long()?.cast_signed()));
    Some(FileStamp { device, inode, size, modified: time()?, changed: time()? })
}
