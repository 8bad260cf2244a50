//! Searches each piece for well-known forms of tokens before its first byte is sent. Pictures, films and large pieces are
//! not searched. The token itself is never shown.

use crate::error::{Error, Result, remedy};
use crate::model::ledger::EvidenceHash;
use crate::store::evidence::Cache;
use crate::text::picture::{PictureHeader, film};
use crate::text::secrets;

/// Larger pieces, in bytes, are not searched.
const SEARCHED: u64 = 4 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SearchedPiece {
    /// No known form of a token.
    Clean,
    /// Not searched: a picture, a film, or too large.
    Unsearched,
    Secret {
        /// The line, from 1.
        line: usize,
        /// The sort of token.
        kind: &'static str,
    },
    /// Larger than the place accepts.
    Large,
    /// Damaged: the bytes do not have the hash of their name.
    Corrupt,
}

/// Searches the piece `hash` of `size` bytes.
///
/// # Errors
/// When it cannot be read.
pub(super) fn look(cache: &Cache, hash: &EvidenceHash, size: u64) -> Result<SearchedPiece> {
    let mut bytes = Vec::new();
    // Large pieces are still read, because a dry run must not promise to send a damaged piece.
    let mut away = std::io::sink();
    let out: &mut dyn std::io::Write = if size > SEARCHED { &mut away } else { &mut bytes };
    let actual = cache.see(hash, out)?;
    let gone = || Error::unchecked(format!("evidence {hash} is gone from this cache")).hint(remedy::CHANGING);
    if actual.ok_or_else(gone)? != *hash {
        return Ok(SearchedPiece::Corrupt);
    }
    if size > SEARCHED {
        return Ok(SearchedPiece::Unsearched);
    }
    if PictureHeader::of(&bytes).is_some() || film(&bytes).is_some() {
        return Ok(SearchedPiece::Unsearched);
    }
    Ok(secrets::find(&bytes).first().map_or(SearchedPiece::Clean, |found| SearchedPiece::Secret {
        line: 1 + bytes[..found.bytes.start].iter().filter(|byte| **byte == b'\n').count(),
        kind: found.kind,
    }))
}
