//! `share push`: what published readings name, this machine has and the remote lacks. Every piece is searched for tokens
//! first.

use super::published::{self, NamedPieces, PublishedTips};
use super::search::{SearchedPiece, look};
use super::{AskedPlace, SharingDesk, largest, row};
use crate::app::progress::ProgressStep;
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::remote::{FromCache, Held, Piece, PutReceipt};
use crate::report::view::share::{ShareReceipt, ShareStep, SharedPieceRow};
use crate::text::plural;
use crate::tree::oid::Oid;
use std::collections::BTreeSet;

/// What is to be sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct PushWish {
    /// What readings of every local branch name, not of published ones alone.
    pub all: bool,
    /// What readings at these commits name, in place of branches: they are about to be pushed.
    pub tips: Option<BTreeSet<Oid>>,
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
    // what was learned and sent is remembered, whatever became of the rest
    asked.close(sharing, &mut receipt);
    sent.map(|()| receipt)
}

/// Says that branches were not looked at whose commits are not here: nothing of them could be sent from here.
pub(super) fn unfetched(tips: &PublishedTips, asked: &AskedPlace) -> Option<String> {
    let count = tips.away.len();
    let what = if count == 1 { "branch" } else { "branches" };
    (count > 0).then(|| format!("{count} {what} of {} not fetched, and not looked at", asked.place))
}

/// Sends what `named` names, is here and is missing there, and writes that into the receipt.
pub(super) fn send(
    sharing: &SharingDesk<'_>,
    asked: &mut AskedPlace,
    named: &NamedPieces,
    wish: &PushWish,
    receipt: &mut ShareReceipt,
) -> Result<()> {
    let pieces = lacking(sharing, asked, named, receipt)?;
    deliver(sharing, asked, &ToSend { pieces, named, wish }, receipt)
}

/// Sends these pieces, each searched first.
pub(super) fn deliver(
    sharing: &SharingDesk<'_>,
    asked: &mut AskedPlace,
    wanted: &ToSend<'_>,
    receipt: &mut ShareReceipt,
) -> Result<()> {
    let may_go = search(sharing, asked, wanted, receipt)?;
    receipt.dry_run = wanted.wish.dry_run;
    let taken = match (may_go.as_slice(), receipt.dry_run) {
        ([], _) => return Ok(()),
        // the remote judges both, or a trial would promise what the run does not do
        (may_go, true) => asked.remote.would_put(may_go)?,
        (may_go, false) => put(sharing, asked, may_go)?,
    };
    receipt.moved = taken.sent.len();
    receipt.bytes = taken.sent.iter().map(|piece| piece.size).sum();
    receipt.there += taken.there.len();
    receipt.left.extend(taken.refused.into_iter().map(|(piece, why)| SharedPieceRow {
        why: Some(why),
        ..row(&piece.hash, Some(piece.size), wanted.named.get(&piece.hash))
    }));
    Ok(())
}

/// The pieces that are here and that the remote does not have, or that only a writer says it has.
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
        // it was seen there before
        None => false,
        Some(Held::No) => true,
        // another size is another content: what lies there is a lie, and the truth heals it
        Some(Held::Said { size, is_hearsay, .. }) => *is_hearsay || *size != piece.size,
        Some(Held::Proven { size }) => *size != piece.size,
    };
    let wanted: Vec<Piece> = here.iter().filter(|piece| is_missing(piece)).copied().collect();
    (receipt.named, receipt.here, receipt.there) = (named.len(), here.len(), here.len() - wanted.len());
    Ok(wanted)
}

/// Those of `wanted` that may go.
fn search(
    sharing: &SharingDesk<'_>,
    asked: &AskedPlace,
    wanted: &ToSend<'_>,
    receipt: &mut ShareReceipt,
) -> Result<Vec<Piece>> {
    let (cache, of) = (sharing.store.evidence(), wanted.pieces.len());
    let (mut may_go, mut unsearched) = (Vec::new(), 0);
    for (at, piece) in wanted.pieces.iter().enumerate() {
        (sharing.tell)(ProgressStep::Count { what: "searching for secrets", done: at + 1, of });
        let is_large = largest(&asked.place).is_some_and(|largest| piece.size > largest);
        let looked = if is_large { SearchedPiece::Large } else { look(&cache, &piece.hash, piece.size)? };
        unsearched += usize::from(looked == SearchedPiece::Unsearched);
        match stays(&looked, piece, wanted.wish) {
            None => may_go.push(*piece),
            Some([why, help]) => receipt.left.push(SharedPieceRow {
                why: Some(why),
                help: Some(help),
                ..row(&piece.hash, Some(piece.size), wanted.named.get(&piece.hash))
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

/// Why a piece stays, and what to do about it; `None` where it may go.
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
