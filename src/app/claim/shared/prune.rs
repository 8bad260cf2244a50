//! Notes on a remote that keep the number of an attempt for whoever goes on, and that nobody went on with.

use super::{NoteBoard, RemoteLook};
use crate::error::Result;
use crate::model::ledger::Timestamp;
use crate::remote::board::Swapped;

/// As long a free note is kept, in milliseconds: after a month whoever measures begins again at the first attempt.
pub(super) const KEPT: i64 = 31 * 24 * 3_600_000;

/// Takes away the free notes that were written a month ago, by the clock that wrote them, and says how many went, or would. One
/// that changes hands meanwhile stays. A note that somebody holds, or that nobody understands, is never touched here.
///
/// # Errors
/// Where the remote gives no answer; what went until then is gone.
pub(crate) fn prune_free(board: &mut dyn NoteBoard, now: Timestamp, dry_run: bool) -> Result<usize> {
    let look = RemoteLook::at(board)?;
    let mut gone = 0;
    for (end, id) in look.free_before(Timestamp { millis: now.millis.saturating_sub(KEPT) }) {
        if dry_run || board.swap(&end, Some(id), None)? == Swapped::Won {
            gone += 1;
        }
    }
    Ok(gone)
}
