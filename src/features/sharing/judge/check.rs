//! `share check`: checks whether the remote has the pieces that published readings name. `--heal` sends missing ones.

use super::published::NamedPieces;
use super::push::{PushWish, deliver};
use super::{AskedPlace, SharingDesk, row};
use crate::app::progress::ProgressStep;
use crate::error::{Error, Result};
use crate::features::sharing::model::receipts::{ShareReceipt, ShareStep, SharedPieceRow};
use crate::model::ledger::EvidenceHash;
use crate::model::reference::scenario_word;
use crate::remote::{Held, Offered, Piece, Taker, read_piece};
use crate::report::view::receipt::ReadingName;
use crate::store::evidence::MAX_BLOB;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

/// The thoroughness of a check.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CheckWish {
    /// Send pieces that the remote lacks and this machine has.
    pub heal: bool,
    /// Read and hash every piece, because a piece listed by the remote may be damaged.
    pub deep: bool,
}

/// Compares the pieces that published readings name with the pieces on the remote.
///
/// # Errors
/// Unchecked when the remote cannot be asked, or when this clone lacks a published branch.
pub(crate) fn check(sharing: &SharingDesk<'_>, wish: CheckWish) -> Result<ShareReceipt> {
    let mut asked = AskedPlace::of(sharing, sharing.place()?)?;
    let tips = asked.tips(sharing)?.whole(&asked.place.to_string())?;
    let named = sharing.named(&tips)?;
    let hashes: Vec<EvidenceHash> = named.keys().copied().collect();
    (sharing.tell)(ProgressStep::Work("asking what is there"));
    let (held, sizes) = (asked.has(&hashes)?, sharing.sizes()?);
    let mut missing: BTreeMap<EvidenceHash, String> = BTreeMap::new();
    let (mut there, mut dropped) = (Vec::new(), Vec::new());
    for (hash, held) in hashes.iter().zip(held) {
        match held {
            Held::No if asked.remote.why_dropped(hash).is_some() => dropped.push(*hash),
            Held::No => drop(missing.insert(*hash, "it is not there".to_owned())),
            Held::Said { size, .. } | Held::Proven { size } => match sizes.get(hash).filter(|here| **here != size) {
                // A different size means different content, unless the local copy is damaged. With the same size only
                // --deep finds a difference.
                Some(here) if is_whole_here(sharing, hash)? => drop(missing.insert(*hash, wrong_size(size, *here))),
                _ => there.push(*hash),
            },
        }
    }
    if wish.deep {
        missing.extend(read_all(sharing, &mut asked, &there)?);
    }
    let mut receipt = ShareReceipt::new(ShareStep::Check, Some(asked.place.to_string()));
    if wish.heal && !missing.is_empty() {
        let healed = send_missing(sharing, &mut asked, &named, &mut missing, &mut receipt)?;
        if wish.deep {
            // a remote may list a piece but hold other bytes under its name
            missing.extend(read_all(sharing, &mut asked, &healed)?);
        }
    }
    (receipt.named, receipt.here) = (named.len(), named.keys().filter(|hash| sizes.contains_key(hash)).count());
    receipt.there = named.len() - missing.len() - dropped.len();
    for hash in &dropped {
        // no push repairs this; it ends when no reading names the piece any more
        let why = asked.remote.why_dropped(hash).map(|reason| format!("it was dropped: {reason}"));
        let help = named.get(hash).and_then(|readings| readings.first()).map(withdrawal);
        receipt.left.push(SharedPieceRow { why, help, ..row(hash, sizes.get(hash).copied(), named.get(hash)) });
    }
    for (hash, why) in &missing {
        if !receipt.left.iter().any(|row| row.hash == hash.to_string()) {
            let size = sizes.get(hash).copied();
            let help = match size {
                Some(_) => "yatsu-hook share check --heal",
                None => "the machine where it was filed has the bytes: yatsu-hook share push, on that machine",
            };
            let told = row(hash, size, named.get(hash));
            receipt.left.push(SharedPieceRow { why: Some(why.clone()), help: Some(help.to_owned()), ..told });
        }
    }
    asked.close(sharing, &mut receipt);
    Ok(receipt)
}

fn is_whole_here(sharing: &SharingDesk<'_>, hash: &EvidenceHash) -> Result<bool> {
    Ok(sharing.store.evidence().see(hash, &mut std::io::sink())?.as_ref() == Some(hash))
}

fn wrong_size(there: u64, here: u64) -> String {
    format!("what lies there has {there} bytes, and the piece has {here}")
}

fn withdrawal(by: &ReadingName) -> String {
    let word = scenario_word(&by.node, &by.scenario);
    format!("withdraw the reading: yatsu-hook retract {word} --ts {}", by.ts)
}

/// Sends the missing pieces that this machine has, removes them from `missing`, and returns them.
fn send_missing(
    sharing: &SharingDesk<'_>,
    asked: &mut AskedPlace,
    named: &NamedPieces,
    missing: &mut BTreeMap<EvidenceHash, String>,
    receipt: &mut ShareReceipt,
) -> Result<Vec<EvidenceHash>> {
    let sizes = sharing.sizes()?;
    let here = missing.keys().filter_map(|hash| Some(Piece { hash: *hash, size: *sizes.get(hash)? }));
    let here: Vec<Piece> = here.collect();
    deliver(sharing, asked, &here, named, &PushWish::default(), receipt)?;
    let stays = |hash: &EvidenceHash| receipt.left.iter().any(|row| row.hash == hash.to_string());
    let healed: Vec<_> = here.iter().map(|piece| piece.hash).filter(|hash| !stays(hash)).collect();
    healed.iter().for_each(|hash| drop(missing.remove(hash)));
    Ok(healed)
}

/// Reads these pieces completely, and returns the wrong ones with the reason.
fn read_all(
    sharing: &SharingDesk<'_>,
    asked: &mut AskedPlace,
    there: &[EvidenceHash],
) -> Result<BTreeMap<EvidenceHash, String>> {
    let mut taker = OnlyHash { sharing, read: 0 };
    let withheld = asked.remote.get(there, MAX_BLOB, &mut taker)?;
    let lies: BTreeMap<EvidenceHash, String> = withheld.into_iter().map(|one| (one.hash, one.why)).collect();
    let asked_for: BTreeSet<&EvidenceHash> = there.iter().collect();
    lies.keys().filter(|hash| asked_for.contains(hash)).for_each(|hash| asked.known.learn(*hash, false));
    Ok(lies)
}

/// Hashes the received bytes without storing them.
pub(super) struct OnlyHash<'s> {
    pub(super) sharing: &'s SharingDesk<'s>,
    pub(super) read: u64,
}

impl Taker for OnlyHash<'_> {
    fn take(&mut self, hash: &EvidenceHash, bytes: &mut dyn Read) -> Result<Offered> {
        let ended = |error| {
            Error::unchecked(format!("the transfer of {hash} ended early: {error}")).hint("run the same command again")
        };
        let piece = read_piece(bytes, ended, |part| {
            self.read += part.len() as u64;
            (self.sharing.tell)(ProgressStep::Bytes { what: "reading it all", done: self.read, of: None });
            Ok(())
        });
        let is_right = piece?.hash == *hash;
        Ok(if is_right { Offered::Right } else { Offered::Lie })
    }
}
