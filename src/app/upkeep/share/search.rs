//! What must not leave this machine unseen: the forms of well-known tokens in a piece, before its first byte goes. Pictures
//! and films cannot be searched, and what is larger is not. The token itself is told to nobody.

use crate::error::{Error, Result, remedy};
use crate::model::ledger::EvidenceHash;
use crate::store::evidence::Cache;
use crate::text::picture::{PictureHeader, film};
use crate::text::secrets;

/// A larger piece is not searched, in bytes.
const SEARCHED: u64 = 4 << 20;

/// What a look at a piece told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SearchedPiece {
    /// No known form stands in it.
    Clean,
    /// It cannot be searched: it is a picture or a film, or too large.
    Unsearched,
    /// Something that looks like a token stands on this line, from 1.
    Secret {
        /// The line.
        line: usize,
        /// Which sort of token.
        kind: &'static str,
    },
    /// It is larger than the place takes.
    Large,
    /// The bytes here are not what their name says.
    Corrupt,
}

/// Looks at the piece `hash`, which has so many bytes.
///
/// # Errors
/// When it cannot be read.
pub(super) fn look(cache: &Cache, hash: &EvidenceHash, size: u64) -> Result<SearchedPiece> {
    let mut bytes = Vec::new();
    // what is too large to be searched is still read: a trial must not promise to send what is damaged here
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
