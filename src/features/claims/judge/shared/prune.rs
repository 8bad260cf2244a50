//! Prunes old notes of free series on a remote. Such a note keeps what the next claim must know, e.g. the attempt.

use super::{BoardPatience, NoteBoard, RemoteLook, board};
use crate::error::Result;
use crate::features::claims::judge::board::Swapped;
use crate::model::ledger::Timestamp;
use crate::repo::Repo;
use crate::store::Store;

/// How long a free note is kept, in milliseconds. After a month attempts are counted from the first again.
pub(super) const KEPT: i64 = 31 * 24 * 3_600_000;

/// Prunes the remote on which claims are shared, if they are, and says in a sentence what went.
///
/// # Errors
/// As [`board`] and [`prune_free`].
pub(crate) fn prune_remote(
    repo: &Repo,
    store: &Store,
    patience: BoardPatience,
    now: Timestamp,
    dry_run: bool,
) -> Result<Option<String>> {
    let Some(mut board) = board(repo, store, patience)? else { return Ok(None) };
    let gone = prune_free(&mut *board, now, dry_run)?;
    let what = if gone == 1 { "1 free claim".to_owned() } else { format!("{gone} free claims") };
    let went = if dry_run { "would go from" } else { "went from" };
    Ok((gone > 0).then(|| format!("{what} older than a month {went} {}", board.remote())))
}

/// Deletes the free notes that are older than a month, by the clock that wrote them, and returns how many were or would
/// be deleted. A note that changes meanwhile stays. Held and unreadable notes are never touched.
///
/// # Errors
/// If the remote gives no answer; notes that were deleted until then stay deleted.
pub(super) fn prune_free(board: &mut dyn NoteBoard, now: Timestamp, dry_run: bool) -> Result<usize> {
    let look = RemoteLook::at_one(board, None)?;
    let mut gone = 0;
    for (end, id) in look.free_before(Timestamp { millis: now.millis.saturating_sub(KEPT) }) {
        if dry_run || board.swap(&end, Some(id), None)? == Swapped::Won {
            gone += 1;
        }
    }
    Ok(gone)
}
