//! `share drop`: removes pieces from the remote. Copies at a host, in forks and in other clones cannot be removed, and the
//! receipt says so.

use super::{AskedPlace, SharingDesk, row};
use crate::app::progress::ProgressStep;
use crate::app::site::MAX_NOTE;
use crate::app::site::one_line;
use crate::app::upkeep::evidence::{readings_with, which};
use crate::error::Result;
use crate::features::sharing::model::place::SharePlace;
use crate::features::sharing::model::receipts::{ShareReceipt, ShareStep, SharedPieceRow};
use crate::model::ledger::EvidenceHash;
use crate::remote::Held;
use std::collections::BTreeSet;

/// Removes the pieces for these words.
///
/// # Errors
/// Usage for an unknown word; unchecked when the remote cannot be asked, or does not delete them.
pub(crate) fn drop_pieces(sharing: &SharingDesk<'_>, words: &[String], reason: &str) -> Result<ShareReceipt> {
    one_line("reason", Some(reason), MAX_NOTE)?;
    let hashes: BTreeSet<EvidenceHash> = words
        .iter()
        .map(|word| which(sharing.repo, sharing.store, sharing.nodes, word, None))
        .collect::<Result<_>>()?;
    let hashes: Vec<EvidenceHash> = hashes.into_iter().collect();
    let mut asked = AskedPlace::of(sharing, sharing.place()?)?;
    let here = sharing.sizes()?;
    (sharing.tell)(ProgressStep::Work("asking what is there"));
    let held = asked.has(&hashes)?;
    (sharing.tell)(ProgressStep::Work("taking it away"));
    asked.remote.delete(&hashes, reason)?;
    let mut receipt = ShareReceipt::new(ShareStep::Drop, Some(asked.place.to_string()));
    receipt.named = hashes.len();
    for (hash, held) in hashes.iter().zip(held) {
        asked.known.learn(*hash, false);
        let size = match held {
            Held::No => None,
            Held::Said { size, .. } | Held::Proven { size } => Some(size),
        };
        receipt.there += usize::from(size.is_some());
        receipt.bytes += size.unwrap_or_default();
        receipt.gone.push(gone(sharing, &asked.place, hash, size));
        if size.is_some() && !here.contains_key(hash) {
            receipt.notes.push(format!("no copy of {hash} is here: the deleted copy may have been the last one"));
        }
    }
    receipt.moved = receipt.there;
    receipt.notes.push("the remote's host, forks and clones may keep the bytes: change what was secret".to_owned());
    asked.close(sharing, &mut receipt);
    Ok(receipt)
}

fn gone(sharing: &SharingDesk<'_>, place: &SharePlace, hash: &EvidenceHash, size: Option<u64>) -> SharedPieceRow {
    let readings = readings_with(sharing.nodes, hash);
    // only a git server keeps a record of the drop; other places have none
    let help = match place {
        SharePlace::Remote(_) => "a reading names it: retract or redact that one; no push sends the piece again",
        SharePlace::Bucket(_) | SharePlace::Directory(_) => {
            "a reading names it: retract or redact that one, or the next push may send it again"
        }
    };
    let help = (!readings.is_empty()).then(|| help.to_owned());
    let why = size.is_none().then(|| "it was not there".to_owned());
    SharedPieceRow { why, help, ..row(hash, size, Some(&readings)) }
}
