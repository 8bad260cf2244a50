//! `share push`: sends the pieces that published readings name, this machine has and the remote lacks. Every piece is
//! searched for tokens first.

use super::published::{self, NamedPieces, PublishedTips};
use super::search::{SearchedPiece, look};
use super::{AskedPlace, SharingDesk, largest, row};
use crate::app::progress::ProgressStep;
use crate::error::Result;
use crate::features::sharing::model::receipts::{ShareReceipt, ShareStep, SharedPieceRow};
use crate::model::ledger::EvidenceHash;
use crate::remote::{FromCache, Held, Piece, PutReceipt};
use crate::text::plural;
use crate::tree::oid::Oid;
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default)]
pub(crate) struct PushWish {
    /// Send for the readings of every local branch, not only of published ones.
    pub all: bool,
    /// Send for the readings at these commits, in place of branches, because they are about to be pushed.
    pub tips: Option<BTreeSet<Oid>>,
    /// Pieces to send although they seem to hold a token.
    pub allow: BTreeSet<EvidenceHash>,
    /// List the pieces, and send nothing.
    pub dry_run: bool,
}

/// Sends the missing pieces.
///
/// # Errors
/// Unchecked when the remote cannot be asked. Pieces sent until then stay, and a repetition continues there.
pub(crate) fn push(sharing: &SharingDesk<'_>, wish: &PushWish) -> Result<ShareReceipt> {
    let mut asked = AskedPlace::of(sharing, sharing.place()?)?;
    let mut receipt = ShareReceipt::new(ShareStep::Push, Some(asked.place.to_string()));
    let tips = match (&wish.tips, wish.all) {
        (Some(tips), _) => tips.clone(),
        (None, true) => published::local(sharing.repo)?,
        (None, false) => {
            let tips = asked.tips(sharing)?;
            receipt.notes.extend(unfetched(&tips, &asked));
            tips.here
        }
    };
    let named = sharing.named(&tips)?;
    let sent = send(sharing, &mut asked, &named, wish, &mut receipt);
    // answers and sent pieces are recorded, even if the rest failed
    asked.close(sharing, &mut receipt);
    sent.map(|()| receipt)
}

/// A note about unfetched branches: their pieces were not checked, because their commits are not here.
pub(super) fn unfetched(tips: &PublishedTips, asked: &AskedPlace) -> Option<String> {
    let count = tips.away.len();
    let what = if count == 1 { "branch" } else { "branches" };
    (count > 0).then(|| format!("{count} {what} of {} not fetched, and not looked at", asked.place))
}

/// Sends the named pieces that this machine has and the remote lacks, and records that in the receipt.
pub(super) fn send(
    sharing: &SharingDesk<'_>,
    asked: &mut AskedPlace,
    named: &NamedPieces,
    wish: &PushWish,
    receipt: &mut ShareReceipt,
) -> Result<()> {
    let pieces = lacking(sharing, asked, named, receipt)?;
    deliver(sharing, asked, &pieces, named, wish, receipt)
}

/// Searches these pieces, which readings in `named` name, for tokens, and sends the clean ones.
pub(super) fn deliver(
    sharing: &SharingDesk<'_>,
    asked: &mut AskedPlace,
    pieces: &[Piece],
    named: &NamedPieces,
    wish: &PushWish,
    receipt: &mut ShareReceipt,
) -> Result<()> {
    let may_go = search(sharing, asked, pieces, named, wish, receipt)?;
    receipt.dry_run = wish.dry_run;
    let taken = match (may_go.as_slice(), receipt.dry_run) {
        ([], _) => return Ok(()),
        // the remote decides in both cases, so that a dry run promises nothing that the real run would not do
        (may_go, true) => asked.remote.would_put(may_go)?,
        (may_go, false) => put(sharing, asked, may_go)?,
    };
    receipt.moved = taken.sent.len();
    receipt.bytes = taken.sent.iter().map(|piece| piece.size).sum();
    receipt.there += taken.there.len();
    receipt.left.extend(taken.refused.into_iter().map(|(piece, why)| SharedPieceRow {
        why: Some(why),
        ..row(&piece.hash, Some(piece.size), named.get(&piece.hash))
    }));
    Ok(())
}

/// The local pieces that the remote lacks, or that it knows only from a writer's claim.
fn lacking(
    sharing: &SharingDesk<'_>,
    asked: &mut AskedPlace,
    named: &NamedPieces,
    receipt: &mut ShareReceipt,
) -> Result<Vec<Piece>> {
    (sharing.tell)(ProgressStep::Work("asking what is there"));
    let sizes = sharing.sizes()?;
    let here: Vec<Piece> =
        named.keys().filter_map(|hash| Some(Piece { hash: *hash, size: *sizes.get(hash)? })).collect();
    let held = asked.all_of(named)?;
    let is_missing = |piece: &Piece| match held.get(&piece.hash) {
        // seen there before
        None => false,
        Some(Held::No) => true,
        // a different size means wrong content there, and sending the piece repairs it
        Some(Held::Said { size, is_hearsay, .. }) => *is_hearsay || *size != piece.size,
        Some(Held::Proven { size }) => *size != piece.size,
    };
    let wanted: Vec<Piece> = here.iter().filter(|piece| is_missing(piece)).copied().collect();
    (receipt.named, receipt.here, receipt.there) = (named.len(), here.len(), here.len() - wanted.len());
    Ok(wanted)
}

/// The pieces that may be sent.
fn search(
    sharing: &SharingDesk<'_>,
    asked: &AskedPlace,
    pieces: &[Piece],
    named: &NamedPieces,
    wish: &PushWish,
    receipt: &mut ShareReceipt,
) -> Result<Vec<Piece>> {
    let (cache, of) = (sharing.store.evidence(), pieces.len());
    let (mut may_go, mut unsearched) = (Vec::new(), 0);
    for (at, piece) in pieces.iter().enumerate() {
        (sharing.tell)(ProgressStep::Count { what: "searching for secrets", done: at + 1, of });
        let is_large = largest(&asked.place).is_some_and(|largest| piece.size > largest);
        let looked = if is_large { SearchedPiece::Large } else { look(&cache, &piece.hash, piece.size)? };
        unsearched += usize::from(looked == SearchedPiece::Unsearched);
        match stays(&looked, piece, wish) {
            None => may_go.push(*piece),
            Some([why, help]) => receipt.left.push(SharedPieceRow {
                why: Some(why),
                help: Some(help),
                ..row(&piece.hash, Some(piece.size), named.get(&piece.hash))
            }),
        }
    }
    if unsearched > 0 {
        receipt.notes.push(format!(
            "{} not searched for secrets: pictures, video and files over 4 MiB cannot be searched",
            plural(unsearched, "piece")
        ));
    }
    Ok(may_go)
}

/// The reason why a piece is not sent, and the remedy; `None` if it may be sent.
fn stays(looked: &SearchedPiece, piece: &Piece, wish: &PushWish) -> Option<[String; 2]> {
    match looked {
        SearchedPiece::Secret { line, kind } if !wish.allow.contains(&piece.hash) => Some([
            format!("line {line} looks like a secret ({kind})"),
            format!("look at it; if it is not a secret: yatsu-hook share push --allow {}", piece.hash),
        ]),
        SearchedPiece::Corrupt => {
            Some(["its bytes here do not match its hash".to_owned(), "yatsu-hook evidence check".to_owned()])
        }
        SearchedPiece::Large => Some([
            "a git server takes pieces up to 10 MiB".to_owned(),
            "share through object storage or a directory: yatsu-hook share on PLACE".to_owned(),
        ]),
        SearchedPiece::Clean | SearchedPiece::Unsearched | SearchedPiece::Secret { .. } => None,
    }
}

fn put(sharing: &SharingDesk<'_>, asked: &mut AskedPlace, wanted: &[Piece]) -> Result<PutReceipt> {
    let total = wanted.iter().map(|piece| piece.size).sum();
    let mut done = 0;
    let mut count = |bytes| {
        done += bytes;
        (sharing.tell)(ProgressStep::Bytes { what: "sending", done, of: Some(total) });
    };
    let taken = asked.remote.put(wanted, &mut FromCache::new(sharing.store, &mut count))?;
    taken.sent.iter().chain(&taken.there).for_each(|piece| asked.known.learn(piece.hash, true));
    Ok(taken)
}
