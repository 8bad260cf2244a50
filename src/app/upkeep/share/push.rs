//! `share push`: what published readings name, this machine has and the remote lacks. Every piece is searched for tokens
//! first.

use super::published::NamedPieces;
use super::search::{Looked, look};
use super::{Asked, Sharing, row};
use crate::app::progress::ProgressStep;
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::remote::{FromCache, Held, Piece};
use crate::report::view::share::{ShareReceipt, ShareStep, SharedPieceRow};
use crate::text::plural;
use std::collections::BTreeSet;

/// What is to be sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct PushWish {
    /// What readings of every local branch name, not of published ones alone.
    pub all: bool,
    /// Pieces that go although something in them looks like a token.
    pub allow: BTreeSet<EvidenceHash>,
    /// Say what would go, and send nothing.
    pub dry_run: bool,
}

/// Pieces that are about to be sent.
pub(super) struct ToSend<'a> {
    /// What is here.
    pub(super) pieces: Vec<Piece>,
    /// The readings that name them.
    pub(super) named: &'a NamedPieces,
    /// How.
    pub(super) wish: &'a PushWish,
}

/// Sends what is missing there.
///
/// # Errors
/// Unchecked where the remote cannot be asked; what was sent until then stays, and a repetition goes on from there.
pub(crate) fn push(sharing: &Sharing<'_>, wish: &PushWish) -> Result<ShareReceipt> {
    let mut asked = Asked::of(sharing, sharing.place()?);
    let named = sharing.named(wish.all)?;
    let receipt = ShareReceipt::new(ShareStep::Push, Some(asked.place.to_string()));
    send(sharing, &mut asked, &named, wish, receipt)
}

/// Sends what `named` names, is here and is missing there, and writes that into the receipt.
pub(super) fn send(
    sharing: &Sharing<'_>,
    asked: &mut Asked,
    named: &NamedPieces,
    wish: &PushWish,
    mut receipt: ShareReceipt,
) -> Result<ShareReceipt> {
    let pieces = lacking(sharing, asked, named, &mut receipt)?;
    deliver(sharing, asked, &ToSend { pieces, named, wish }, &mut receipt)?;
    Ok(receipt)
}

/// Sends these pieces, each searched first.
pub(super) fn deliver(
    sharing: &Sharing<'_>,
    asked: &mut Asked,
    wanted: &ToSend<'_>,
    receipt: &mut ShareReceipt,
) -> Result<()> {
    let may_go = search(sharing, wanted, receipt)?;
    receipt.dry_run = wanted.wish.dry_run;
    if receipt.dry_run {
        (receipt.moved, receipt.bytes) = (may_go.len(), may_go.iter().map(|piece| piece.size).sum());
        return Ok(());
    }
    let sent = put(sharing, asked, &may_go, wanted.named, receipt);
    // what was learned is worth keeping whatever became of the rest; it is a memo, which may be missing
    let _ = asked.known.remember(sharing.store);
    sent
}

/// The pieces that are here and that the remote does not say it has.
fn lacking(
    sharing: &Sharing<'_>,
    asked: &mut Asked,
    named: &NamedPieces,
    receipt: &mut ShareReceipt,
) -> Result<Vec<Piece>> {
    (sharing.tell)(ProgressStep::Work("asking what is there"));
    let sizes = sharing.sizes()?;
    let here: Vec<Piece> =
        named.keys().filter_map(|hash| Some(Piece { hash: *hash, size: *sizes.get(hash)? })).collect();
    let held = asked.has(&here.iter().map(|piece| piece.hash).collect::<Vec<_>>())?;
    let is_missing = |piece: &Piece, held: &Held| match held {
        Held::No => true,
        // another size is another content: what lies there is a lie, and the truth heals it
        Held::Said { size, .. } | Held::Proven { size } => *size != piece.size,
    };
    let wanted: Vec<Piece> =
        here.iter().zip(&held).filter(|(piece, held)| is_missing(piece, held)).map(|(piece, _)| *piece).collect();
    (receipt.named, receipt.here, receipt.there) = (named.len(), here.len(), here.len() - wanted.len());
    Ok(wanted)
}

/// Those of `wanted` that may go.
fn search(sharing: &Sharing<'_>, wanted: &ToSend<'_>, receipt: &mut ShareReceipt) -> Result<Vec<Piece>> {
    let (cache, of) = (sharing.store.evidence(), wanted.pieces.len());
    let (mut may_go, mut unsearched) = (Vec::new(), 0);
    for (at, piece) in wanted.pieces.iter().enumerate() {
        (sharing.tell)(ProgressStep::Count { what: "searching for secrets", done: at + 1, of });
        let stays = match look(&cache, &piece.hash, piece.size)? {
            Looked::Clean => None,
            Looked::Unsearched => {
                unsearched += 1;
                None
            }
            Looked::Secret { .. } if wanted.wish.allow.contains(&piece.hash) => None,
            Looked::Secret { line, kind } => Some((
                format!("line {line} looks like a secret ({kind})"),
                format!("look at it; if it is none: yatsu-hook share push --allow {}", piece.hash),
            )),
            Looked::Corrupt => {
                Some(("its bytes here are not what its name says".to_owned(), "yatsu-hook evidence check".to_owned()))
            }
        };
        match stays {
            None => may_go.push(*piece),
            Some((why, help)) => receipt.left.push(SharedPieceRow {
                why: Some(why),
                help: Some(help),
                ..row(&piece.hash, Some(piece.size), wanted.named.get(&piece.hash))
            }),
        }
    }
    if unsearched > 0 {
        receipt.notes.push(format!(
            "{} not searched for secrets: pictures, video and what is over 4 MiB cannot be",
            plural(unsearched, "piece")
        ));
    }
    Ok(may_go)
}

fn put(
    sharing: &Sharing<'_>,
    asked: &mut Asked,
    wanted: &[Piece],
    named: &NamedPieces,
    receipt: &mut ShareReceipt,
) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let total = wanted.iter().map(|piece| piece.size).sum();
    let mut done = 0;
    let mut count = |bytes| {
        done += bytes;
        (sharing.tell)(ProgressStep::Bytes { what: "sending", done, of: Some(total) });
    };
    let taken = asked.remote.put(wanted, &mut FromCache::new(sharing.store, &mut count))?;
    taken.sent.iter().chain(&taken.there).for_each(|piece| asked.known.learn(piece.hash, true));
    receipt.moved = taken.sent.len();
    receipt.bytes = taken.sent.iter().map(|piece| piece.size).sum();
    receipt.there += taken.there.len();
    receipt.left.extend(taken.refused.into_iter().map(|(piece, why)| SharedPieceRow {
        why: Some(why),
        ..row(&piece.hash, Some(piece.size), named.get(&piece.hash))
    }));
    Ok(())
}
