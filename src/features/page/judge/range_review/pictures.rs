//! The pictures of a scenario before and after a range. A picture is recognised by its bytes, never by the ledger.

use crate::error::Result;
use crate::features::page::judge::page::Looked;
use crate::features::page::model::range_review::{Picture, PicturePair};
use crate::model::ledger::{EvidenceHash, EvidenceKind, Reading};
use crate::store::evidence::Cache;
use crate::text::picture::PictureHeader;

/// The largest picture that a comment shows, in bytes: forges refuse larger ones.
const LARGEST: u64 = 10_000_000;

/// The first picture of each reading; `None` if the later reading has none.
pub(super) fn pair(cache: &Cache, before: Option<&Reading>, after: Option<&Reading>) -> Result<Option<PicturePair>> {
    let first = |reading: Option<&Reading>| reading.map_or(Ok(None), |reading| first(cache, reading));
    let Some(after) = first(after)? else { return Ok(None) };
    Ok(Some(PicturePair { before: first(before)?, after }))
}

/// The first picture that can be shown, else the first one that the reading names.
fn first(cache: &Cache, reading: &Reading) -> Result<Option<Picture>> {
    let mut named = None;
    for piece in reading.evidence.iter().filter(|piece| piece.kind == EvidenceKind::Image) {
        let picture = look(cache, &piece.hash)?;
        if picture.extension.is_some() {
            return Ok(Some(picture));
        }
        named.get_or_insert(picture);
    }
    Ok(named)
}

fn look(cache: &Cache, hash: &EvidenceHash) -> Result<Picture> {
    let size = cache.size(hash)?;
    let seen = if size.is_some_and(|size| size <= LARGEST) { Looked::at(cache, hash)? } else { None };
    let extension = seen.and_then(|seen| extension_of(PictureHeader::of(&seen.head)?.mime));
    Ok(Picture { hash: hash.to_string(), size, extension })
}

fn extension_of(mime: &str) -> Option<&'static str> {
    match mime {
        "image/png" => Some("png"),
        "image/jpeg" => Some("jpg"),
        "image/gif" => Some("gif"),
        "image/webp" => Some("webp"),
        _ => None,
    }
}
