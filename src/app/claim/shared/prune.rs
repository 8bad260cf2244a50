//! Prunes old notes of free series on a remote. Such a note keeps what the next claim must know, e.g. the attempt.

use super::{NoteBoard, RemoteLook};
use crate::error::Result;
use crate::model::ledger::Timestamp;
use crate::remote::board::Swapped;

/// How long a free note is kept, in milliseconds. After a month attempts are counted from the first again.
pub(super) const KEPT: i64 = 31 * 24 * 3_600_000;

/// Deletes the free notes that are older than a month, by the clock that wrote them, and returns how many were or would
/// be deleted. A note that changes meanwhile stays. Held and unreadable notes are never touched.
///
/// # Errors
/// If the remote gives no answer; notes that were deleted until then stay deleted.
pub(crate) fn prune_free(board: &mut dyn NoteBoard, now: Timestamp, dry_run: bool) -> Result<usize> {
    let look = RemoteLook::at_one(board, None)?;
    let mut gone = 0;
    for (end, id) in look.free_before(Timestamp { millis: now.millis.saturating_sub(KEPT) }) {
        if dry_run || board.swap(&end, Some(id), None)? == Swapped::Won {
            gone += 1;
        }
    }
    Ok(gone)
}
