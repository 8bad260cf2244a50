//! Where evidence is kept for other machines: one trait, and the engines behind it. Input: names of pieces, and files of
//! the cache; output: bytes on a remote, or bytes from it into the hands of the caller. Purpose: a reviewer elsewhere can
//! look at what was measured. It judges nothing and decides nothing about readings, it writes into
//! the cache through [`IntoCache`] alone, and it believes nothing: what arrives is hashed there, and only then gets its name.
//!
//! Nothing in here runs unless somebody asked for it: no hook opens a connection.

pub(crate) mod board;
pub mod bucket;
mod cache;
mod dir;
mod git;

pub use bucket::{Bucket, BucketUrl, CloudProgram};
pub use cache::{FromCache, IntoCache};
pub use dir::Directory;
pub(crate) use git::LARGEST as LARGEST_IN_REFS;
pub use git::{GitRefs, GitRefsOptions, RefSpace};

use crate::error::{Error, Result};
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::tree::oid::Oid;
use bstr::BString;
use std::fmt;
use std::io::Read;
use std::path::PathBuf;

/// A piece of evidence: its name, which is the SHA-256 of its bytes, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// Its name.
    pub hash: EvidenceHash,
    /// Its size in bytes. What a remote says of it is a claim until the bytes were read.
    pub size: u64,
}

/// Whether a remote has a piece, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// It says that it has nothing of that name.
    No,
    /// It, or a writer on it, says so. Nobody has looked: good enough not to send it again to be polite, never good
    /// enough to delete the copy that is here.
    Said {
        /// Who says so, for messages.
        by: String,
        /// The size that goes with it.
        size: u64,
        /// Whether it is a writer's word alone, which no server checks, and this machine never read the bytes from there. What
        /// is hearsay is sent again by whoever has it: or a false word would keep the truth away.
        is_hearsay: bool,
    },
    /// This machine put it there and the remote still holds what was put; or its right bytes were read in this run from where
    /// the remote keeps them. A git server gives an object by its id also when no ref leads to it any more, and loses it at its
    /// next collection: there only what came with the ref itself counts.
    Proven {
        /// Its size in bytes.
        size: u64,
    },
}

/// What became of a put.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutReceipt {
    /// What the remote took.
    pub sent: Vec<Piece>,
    /// What it had already.
    pub there: Vec<Piece>,
    /// What it did not take, and why.
    pub refused: Vec<(Piece, String)>,
}

/// A piece that was asked for and did not come, and why: nobody has it, it is larger than allowed, every offer was a lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// What was asked for.
    pub hash: EvidenceHash,
    /// One sentence without the hash; may hold text of a remote: escape it before printing.
    pub why: String,
}

/// What the taker found the bytes of an offer to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// They have the hash that was asked for, and are kept.
    Right,
    /// They have another hash, or there were more of them than allowed. The engine may offer another source's.
    Lie,
}

/// Where bytes from a remote go. It hashes what it reads and keeps only what has the right name.
pub trait Taker {
    /// Reads one offer for `hash` to its end, or up to its cap.
    ///
    /// # Errors
    /// When the bytes cannot be read or kept here. A lie is no error.
    fn take(&mut self, hash: &EvidenceHash, bytes: &mut dyn Read) -> Result<Offered>;
}

/// Where bytes for a remote come from.
pub trait Supply {
    /// The file that holds the verified bytes of `piece`. The engine reads it and never changes it.
    ///
    /// # Errors
    /// When they are not here or not what their name says.
    fn file(&mut self, piece: &Piece) -> Result<PathBuf>;

    /// Takes note that so many bytes more are done: for whoever waits.
    fn done(&mut self, bytes: u64);
}

/// Whether a list names everything that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Everything.
    Whole,
    /// Not everything, or nothing: the remote does not let us see it, or a part could not be read. The reasons, for messages.
    Partly(Vec<String>),
}

/// A month, in UTC: the unit in which what nobody needs any more goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: u16,
    month: u8,
}

impl Month {
    /// The month of this year and number from 1 to 12.
    ///
    /// # Errors
    /// Usage where there is no such month.
    pub fn new(year: u16, month: u8) -> Result<Self> {
        if (1..=12).contains(&month) && (1970..=9999).contains(&year) {
            return Ok(Self { year, month });
        }
        Err(Error::usage(format!("{year}-{month} is no month")).hint("write it YYYY-MM, as in 2026-11"))
    }

    /// The month that is spelled `YYYY-MM`.
    ///
    /// # Errors
    /// Usage for any other spelling.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || Error::usage(format!("`{text}` is no month")).hint("write it YYYY-MM, as in 2026-11");
        let (year, month) = text.split_once('-').ok_or_else(wrong)?;
        let digits = |part: &str, count| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(year, 4) || !digits(month, 2) {
            return Err(wrong());
        }
        Self::new(year.parse().map_err(|_| wrong())?, month.parse().map_err(|_| wrong())?)
    }

    /// When it begins.
    pub(crate) fn begins(self) -> Option<Timestamp> {
        Timestamp::parse(&format!("{self}-01T00:00:00.000Z"))
    }

    /// How many months lie between it and an earlier one.
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

/// What an expiry took away, or would.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// The pieces that went.
    pub gone: Vec<Piece>,
    /// Pieces as old that are still needed, and stay.
    pub kept: usize,
}

/// A place where evidence is kept for other machines. Batches throughout: never one connection a piece.
///
/// Every engine keeps these promises, and the conformance suite asks each of them for all of them:
/// a name is only ever built from a hash; what was acknowledged survives the death of either side; a put of what is
/// there is no error; a get never shows the taker bytes beyond the cap; no message holds a password or a token.
pub trait Remote {
    /// What it is called in messages, without credentials.
    fn name(&self) -> String;

    /// Whether it can be used: something tiny is put, seen, read back and deleted.
    ///
    /// # Errors
    /// Unchecked, with a sentence for each step that can fail, and what to do about it.
    fn probe(&mut self) -> Result<()>;

    /// The branches of the git server that keeps the pieces, as they are now; `None` where it is kept elsewhere. They come
    /// over the connection that asks what is there, and [`Remote::has`] goes on from the same answer.
    ///
    /// # Errors
    /// Unchecked where it cannot be asked.
    fn branches(&mut self) -> Result<Option<Vec<(BString, Oid)>>> {
        Ok(None)
    }

    /// Shows every piece that it says it has, each once, in any order.
    ///
    /// # Errors
    /// Unchecked where it cannot be asked at all.
    fn list(&mut self, see: &mut dyn FnMut(Piece)) -> Result<Listed>;

    /// Which of these it has, in the order asked.
    ///
    /// # Errors
    /// Unchecked where it cannot be asked.
    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>>;

    /// Brings the bytes of these to `taker`, none larger than `cap` bytes, and returns what did not come.
    ///
    /// # Errors
    /// Unchecked where it cannot be asked; what was taken until then is kept.
    fn get(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>>;

    /// Like [`Remote::get`], and reads a piece only from where the remote keeps it: [`Remote::has`] answers [`Held::Proven`] of
    /// what came, as long as the remote stands as it did. It may cost more than a get.
    ///
    /// # Errors
    /// Like those of [`Remote::get`].
    fn prove(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>> {
        self.get(wanted, cap, taker)
    }

    /// Puts these there. A piece is in [`PutReceipt::sent`] only when the remote has acknowledged it. One that `supply` does
    /// not hand out, or that is another by then, is refused, and the others go.
    ///
    /// # Errors
    /// Unchecked where it cannot be asked; what was sent until then stays, and a repetition goes on from there.
    fn put(&mut self, pieces: &[Piece], supply: &mut dyn Supply) -> Result<PutReceipt>;

    /// What a put of these would do now, by the judgement of the put itself: [`PutReceipt::sent`] is what would be sent. Puts
    /// nothing. What only the remote can refuse while it takes them is not known beforehand.
    ///
    /// # Errors
    /// Unchecked where it cannot be asked.
    fn would_put(&mut self, pieces: &[Piece]) -> Result<PutReceipt>;

    /// Takes these away, for `reason`, so that nobody who knows of it puts or gets them again where the engine can say so.
    ///
    /// # Errors
    /// Unchecked where it cannot be asked or does not let us.
    fn delete(&mut self, hashes: &[EvidenceHash], reason: &str) -> Result<()>;

    /// Takes away what was put before the month `before` and is not needed; with `dry_run` only says what would go.
    ///
    /// # Errors
    /// Unchecked on any doubt, and then nothing is deleted.
    fn expire(
        &mut self,
        before: Month,
        is_needed: &mut dyn FnMut(&EvidenceHash) -> bool,
        dry_run: bool,
    ) -> Result<Expired>;

    /// Why a piece must not be there, as the last answer of [`Remote::has`] said; may hold text of a remote: escape it before
    /// printing. `None` where nobody says so, or the engine cannot say such a thing.
    fn why_dropped(&self, _hash: &EvidenceHash) -> Option<String> {
        None
    }

    /// What came up since this was last asked and that no answer has a place for: somebody's lie that was passed over, a part
    /// that could not be read. One sentence each; may hold text of a remote: escape it before printing.
    fn notes(&mut self) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
