//! `share`: sends and fetches evidence for other machines, through a place that the team already has. Requests in, receipts
//! out; prints nothing. With it, others can look at the evidence of published readings. Judging never needs it. It is off
//! by default, and each transfer is an explicit command.
//!
//! No answer of a remote is trusted: received bytes are hashed, and only hashes named by readings are requested.

mod check;
pub(crate) mod diagnosis;
mod drop;
mod get;
mod proven;
mod prune;
pub(crate) mod published;
mod push;
mod search;
mod setting;

pub(crate) use check::{CheckWish, check};
pub(crate) use drop::drop_pieces;
pub(crate) use get::get;
pub(crate) use proven::proven;
pub(crate) use prune::prune;
pub(crate) use push::{PushWish, push};
pub(crate) use setting::{OnWish, off, on, state};

use crate::app::memo::shared_pieces::KnownThere;
use crate::app::progress::{ProgressStep, Tell};
use crate::error::{Error, Result};
use crate::features::sharing::model::place::{BRANCHES, SharePlace};
use crate::features::sharing::model::receipts::{ShareReceipt, SharedPieceRow};
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::model::node::Node;
#[cfg(feature = "cloud")]
use crate::remote::Bucket;
use crate::remote::{Directory, GitRefs, Held, LARGEST_IN_REFS, RefSpace, Remote};
use crate::repo::Repo;
use crate::report::view::receipt::ReadingName;
use crate::store::Store;
use crate::tree::oid::Oid;
use published::{NamedPieces, PublishedTips};
use std::collections::{BTreeMap, BTreeSet};

/// The working context of the sharing commands.
#[derive(Clone, Copy)]
pub(crate) struct SharingDesk<'a> {
    pub repo: &'a Repo,
    pub store: &'a Store,
    /// The nodes with the readings, and their names for messages.
    pub nodes: &'a [Node],
    pub tell: Tell<'a>,
    /// Whether a terminal is there to ask for a password.
    pub terminal: bool,
    pub now: Timestamp,
}

impl SharingDesk<'_> {
    /// The place where this repository shares.
    ///
    /// # Errors
    /// Configuration when sharing is off, or configured wrongly.
    pub(crate) fn place(&self) -> Result<SharePlace> {
        SharePlace::required(self.repo.config()?)
    }

    /// The pieces that readings at these tips name.
    fn named(&self, tips: &BTreeSet<Oid>) -> Result<NamedPieces> {
        published::named(self.repo, tips, self.nodes)
    }

    /// The sizes of the pieces on this machine.
    fn sizes(&self) -> Result<BTreeMap<EvidenceHash, u64>> {
        Ok(self.store.evidence().ls()?.into_iter().map(|blob| (blob.hash, blob.size)).collect())
    }
}

/// The size limit of a place for one piece, in bytes, if it is known beforehand.
fn largest(place: &SharePlace) -> Option<u64> {
    match place {
        SharePlace::Remote(_) => Some(LARGEST_IN_REFS),
        SharePlace::Bucket(_) | SharePlace::Directory(_) => None,
    }
}

/// A place with a remote, and its answers.
struct AskedPlace {
    place: SharePlace,
    remote: Box<dyn Remote>,
    known: KnownThere,
}

impl AskedPlace {
    fn of(sharing: &SharingDesk<'_>, place: SharePlace) -> Result<Self> {
        let branches = sharing.repo.config()?.boolean(BRANCHES)?.unwrap_or(false);
        Self::within(sharing, place, if branches { RefSpace::Branches } else { RefSpace::Hidden })
    }

    /// The same, with the ref space `space` on a git server.
    fn within(sharing: &SharingDesk<'_>, place: SharePlace, space: RefSpace) -> Result<Self> {
        let known = KnownThere::of(sharing.store.common_dir(), &place.to_string());
        Ok(Self { remote: engine(sharing, &place, space)?, known, place })
    }

    /// The tips of published branches: of a git remote as of now, else of all remotes as of the last fetch.
    fn tips(&mut self, sharing: &SharingDesk<'_>) -> Result<PublishedTips> {
        (sharing.tell)(ProgressStep::Work("asking for branches"));
        match self.remote.branches()? {
            Some(branches) => published::standing(sharing.repo, branches),
            None => Ok(PublishedTips { here: published::tracked(sharing.repo)?, away: Vec::new() }),
        }
    }

    /// The remote's answers about all named pieces. A bucket needs one request for each piece, so pieces already seen there
    /// are skipped; `share check` asks about them.
    fn all_of(&mut self, named: &NamedPieces) -> Result<BTreeMap<EvidenceHash, Held>> {
        let is_bucket = self.is_bucket();
        let is_asked = |hash: &&EvidenceHash| !is_bucket || !self.known.pieces.contains(hash);
        let hashes: Vec<EvidenceHash> = named.keys().filter(is_asked).copied().collect();
        let held = self.has(&hashes)?;
        Ok(hashes.into_iter().zip(held).collect())
    }

    fn is_bucket(&self) -> bool {
        matches!(self.place, SharePlace::Bucket(_))
    }

    /// The remote's answers about these pieces, in their order.
    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>> {
        let held = self.remote.has(hashes)?;
        if held.len() != hashes.len() {
            return Err(Error::fault(format!("{} answered another question", self.place)));
        }
        for (hash, held) in hashes.iter().zip(&held) {
            self.known.learn(*hash, *held != Held::No);
        }
        Ok(held)
    }

    /// Ends the exchange: stores the answers in the memo, and adds the remote's notes to the receipt.
    fn close(mut self, sharing: &SharingDesk<'_>, receipt: &mut ShareReceipt) {
        // the memo is optional, so an error is ignored
        let _ = self.known.remember(sharing.store);
        for note in self.remote.notes() {
            if !receipt.notes.contains(&note) {
                receipt.notes.push(note);
            }
        }
    }
}

/// The implementation for a place. Does not connect yet.
fn engine(sharing: &SharingDesk<'_>, place: &SharePlace, space: RefSpace) -> Result<Box<dyn Remote>> {
    Ok(match place {
        SharePlace::Remote(name) => Box::new(GitRefs::open(sharing.repo, name, space, sharing.terminal, sharing.now)?),
        #[cfg(feature = "cloud")]
        SharePlace::Bucket(url) => Box::new(Bucket::new(url.clone(), sharing.store)),
        #[cfg(not(feature = "cloud"))]
        SharePlace::Bucket(url) => return Err(Error::fault(format!("{url} was not left to yatsu-hook-cloud"))),
        SharePlace::Directory(path) => Box::new(Directory::new(path.clone())),
    })
}

/// The row of a piece in a receipt.
fn row(hash: &EvidenceHash, size: Option<u64>, readings: Option<&Vec<ReadingName>>) -> SharedPieceRow {
    let readings = readings.cloned().unwrap_or_default();
    SharedPieceRow { hash: hash.to_string(), size, why: None, help: None, readings }
}
