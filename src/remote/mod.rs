//! Places that keep evidence for other machines: one trait and its engines. Input: names of pieces, and files of the cache.
//! Output: bytes on a remote, or bytes from it to the caller. With them a reviewer on another machine can look at the
//! evidence. This module decides nothing about readings. It writes into the cache only through [`IntoCache`], which hashes
//! received bytes before they get a name.
//!
//! Nothing here runs unless the user asked for it: no hook opens a connection by itself.

#[cfg(feature = "cloud")]
mod bucket;
mod bucket_url;
mod cache;
mod dir;
pub(crate) mod git;

#[cfg(feature = "cloud")]
pub use bucket::Bucket;
pub use bucket_url::BucketUrl;
pub use cache::{FromCache, IntoCache};
pub use dir::Directory;
pub(crate) use git::LARGEST as LARGEST_IN_REFS;
pub use git::{GitRefs, RefSpace};

use crate::error::{Error, Result};
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::tree::oid::Oid;
use bstr::BString;
use sha2::{Digest, Sha256};
use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;

/// How many bytes are read at once.
const BUFFER: usize = 128 * 1024;

/// A piece of evidence: its name, which is the SHA-256 of its bytes, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    pub hash: EvidenceHash,
    /// Its size in bytes. A size from a remote is unverified until the bytes are read.
    pub size: u64,
}

/// Whether a remote has a piece, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// The remote says that it has no such piece.
    No,
    /// The remote, or a writer on it, says so, unverified. That is enough to skip sending the piece, but never enough to
    /// delete the local copy.
    Said {
        /// The name of the remote or writer, for messages.
        by: String,
        /// The claimed size.
        size: u64,
        /// Whether only a writer's line claims it, which no server checks, and this machine never read the bytes from there.
        /// Such a piece is sent again, because a false line would otherwise keep the true bytes away.
        is_hearsay: bool,
    },
    /// This machine put it there and the remote still holds it, or its right bytes were read in this run from where the
    /// remote keeps them. A git server also gives objects that no ref leads to, and deletes them at its next collection. So
    /// for a git server only bytes that came with the ref itself count.
    Proven {
        /// Its size in bytes.
        size: u64,
    },
}

/// The result of a put.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutReceipt {
    /// The pieces that the remote took.
    pub sent: Vec<Piece>,
    /// The pieces that it had already.
    pub there: Vec<Piece>,
    /// The pieces that it did not take, with the reason.
    pub refused: Vec<(Piece, String)>,
}

/// A requested piece that did not come, and why: no writer has it, it is too large, or every offer was a lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    pub hash: EvidenceHash,
    /// One sentence without the hash. It may hold text of a remote: escape it before printing.
    pub why: String,
}

/// The taker's verdict on the bytes of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// They have the requested hash, and are kept.
    Right,
    /// They have another hash, or are larger than allowed. The engine may offer another source.
    Lie,
}

/// The receiver of bytes from a remote. It hashes them and keeps only bytes with the right name.
pub trait Taker {
    /// Reads one offer for `hash` to its end, or up to its cap.
    ///
    /// # Errors
    /// If the bytes cannot be read or kept here. A lie is no error.
    fn take(&mut self, hash: &EvidenceHash, bytes: &mut dyn Read) -> Result<Offered>;
}

/// The source of bytes for a remote.
pub trait Supply {
    /// The file with the verified bytes of `piece`. The engine only reads it.
    ///
    /// # Errors
    /// If the piece is missing here or corrupt.
    fn file(&mut self, piece: &Piece) -> Result<PathBuf>;

    /// Reports that this many more bytes are done, for a progress display.
    fn done(&mut self, bytes: u64);
}

/// Whether a list is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// It is complete.
    Whole,
    /// It is incomplete: the remote does not show it, or a part could not be read. The reasons are for messages.
    Partly(Vec<String>),
}

/// A month in UTC, the unit in which unneeded pieces expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: u16,
    month: u8,
}

impl Month {
    /// The month with this year and number, from 1 to 12.
    ///
    /// # Errors
    /// Usage if there is no such month.
    pub fn new(year: u16, month: u8) -> Result<Self> {
        if (1..=12).contains(&month) && (1970..=9999).contains(&year) {
            return Ok(Self { year, month });
        }
        Err(Error::usage(format!("{year}-{month} is no month")).hint("write it YYYY-MM, as in 2025-11"))
    }

    /// Parses the spelling `YYYY-MM`.
    ///
    /// # Errors
    /// Usage for any other spelling.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || Error::usage(format!("`{text}` is no month")).hint("write it YYYY-MM, as in 2025-11");
        let (year, month) = text.split_once('-').ok_or_else(wrong)?;
        let digits = |part: &str, count| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(year, 4) || !digits(month, 2) {
            return Err(wrong());
        }
        Self::new(year.parse().map_err(|_| wrong())?, month.parse().map_err(|_| wrong())?)
    }

    /// The time of its beginning.
    pub(crate) fn begins(self) -> Option<Timestamp> {
        Timestamp::parse(&format!("{self}-01T00:00:00.000Z"))
    }

    /// The number of months from `earlier` to this one.
    #[must_use]
    pub fn since(self, earlier: Self) -> i32 {
        let count = |at: Self| i32::from(at.year) * 12 + i32::from(at.month);
        count(self) - count(earlier)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

/// The result of an expiry, or of its dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// The pieces that were deleted.
    pub gone: Vec<Piece>,
    /// How many pieces are as old but still needed, and stay.
    pub kept: usize,
}

/// A place that keeps evidence for other machines. All calls are batches: never one connection per piece.
///
/// Every engine keeps these promises, and the conformance suite tests each engine for all of them: a name is only built from
/// a hash; an acknowledged piece survives the death of either side; a put of an existing piece is no error; a get never
/// shows the taker bytes beyond the cap; no message holds a password or a token.
pub trait Remote {
    /// Its name in messages, without credentials.
    fn name(&self) -> String;

    /// Tests whether it can be used: puts, lists, reads back and deletes something tiny.
    ///
    /// # Errors
    /// Unchecked, with a sentence and a remedy for each step that can fail.
    fn probe(&mut self) -> Result<()>;

    /// The current branches of the git server that keeps the pieces; `None` for other engines. They come over the connection
    /// that lists the pieces, and [`Remote::has`] uses the same answer.
    ///
    /// # Errors
    /// Unchecked if the remote cannot be asked.
    fn branches(&mut self) -> Result<Option<Vec<(BString, Oid)>>> {
        Ok(None)
    }

    /// Shows every piece that the remote lists, each once, in any order.
    ///
    /// # Errors
    /// Unchecked if the remote cannot be asked at all.
    #[cfg_attr(not(test), expect(dead_code, reason = "it shows tests what is there"))]
    fn list(&mut self, see: &mut dyn FnMut(Piece)) -> Result<Listed>;

    /// Whether it has each of these, in the given order.
    ///
    /// # Errors
    /// Unchecked if the remote cannot be asked.
    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>>;

    /// Gives the bytes of these to `taker`, none larger than `cap` bytes, and returns the pieces that did not come.
    ///
    /// # Errors
    /// Unchecked if the remote cannot be asked. Pieces taken until then are kept.
    fn get(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>>;

    /// Like [`Remote::get`], but reads a piece only from where the remote keeps it. Then [`Remote::has`] answers
    /// [`Held::Proven`] for it as long as the remote does not change. It may cost more than a get.
    ///
    /// # Errors
    /// As for [`Remote::get`].
    fn prove(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>> {
        self.get(wanted, cap, taker)
    }

    /// Puts these pieces. A piece is in [`PutReceipt::sent`] only after the remote acknowledged it. A piece that `supply`
    /// refuses, or that has changed meanwhile, is refused, and the others are sent.
    ///
    /// # Errors
    /// Unchecked if the remote cannot be asked. Pieces sent until then stay, and a repetition continues from there.
    fn put(&mut self, pieces: &[Piece], supply: &mut dyn Supply) -> Result<PutReceipt>;

    /// The result that a put of these would have now, by the put's own rules: [`PutReceipt::sent`] is what would be sent.
    /// Puts nothing. A refusal that the remote only makes during a put is not foreseen.
    ///
    /// # Errors
    /// Unchecked if the remote cannot be asked.
    fn would_put(&mut self, pieces: &[Piece]) -> Result<PutReceipt>;

    /// Deletes these for `reason`. If the engine can record that, other machines neither put nor get them again.
    ///
    /// # Errors
    /// Unchecked if the remote cannot be asked or refuses.
    fn delete(&mut self, hashes: &[EvidenceHash], reason: &str) -> Result<()>;

    /// Deletes the pieces that were put before the month `before` and are not needed; with `dry_run` only lists them.
    ///
    /// # Errors
    /// Unchecked on any doubt, and then nothing is deleted.
    fn expire(
        &mut self,
        before: Month,
        is_needed: &mut dyn FnMut(&EvidenceHash) -> bool,
        dry_run: bool,
    ) -> Result<Expired>;

    /// Why a piece must not be there, from the last answer of [`Remote::has`]; `None` if there is no such reason, or the
    /// engine has no drops. It may hold text of a remote: escape it before printing.
    fn why_dropped(&self, _hash: &EvidenceHash) -> Option<String> {
        None
    }

    /// Remarks since the last call that fit in no other answer, for example a lie that was passed over or an unreadable
    /// part. One sentence each. They may hold text of a remote: escape them before printing.
    fn notes(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Reads everything and returns the piece that it was. `each` gets the bytes part by part; `unread` makes the error of a
/// read that failed.
pub(crate) fn read_piece(
    from: &mut dyn Read,
    unread: impl Fn(io::Error) -> Error,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<Piece> {
    let (mut hasher, mut size, mut buffer) = (Sha256::new(), 0, vec![0; BUFFER]);
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(Piece { hash: EvidenceHash(hasher.finalize().into()), size }),
            Ok(count) => {
                hasher.update(&buffer[..count]);
                each(&buffer[..count])?;
                size += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unread(error)),
        }
    }
}

#[cfg(test)]
mod tests;
