//! `share`: evidence that other machines need, sent and fetched through a place that a team already has. Requests in,
//! receipts out; prints nothing. Purpose: what published readings name can be looked at elsewhere. It is never needed to
//! judge, off until somebody turns it on, and asked for by name each time.
//!
//! Nothing that a remote says is believed: what arrives is hashed, and only names that a reading gives are asked for.

mod check;
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
pub(crate) use get::{GetWish, get};
pub(crate) use proven::proven;
pub(crate) use prune::prune;
pub(crate) use push::{PushWish, push};
pub(crate) use setting::{OnWish, off, on, state};

use super::evidence::NamingReading;
use crate::app::memo::shared_pieces::KnownThere;
use crate::app::progress::{ProgressStep, Tell};
use crate::app::site::share_place::{BRANCHES, SharePlace};
use crate::error::{Error, Result};
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::model::node::Node;
use crate::remote::{
    Bucket, CloudProgram, Directory, GitRefs, GitRefsOptions, Held, LARGEST_IN_REFS, RefSpace, Remote,
};
use crate::repo::Repo;
use crate::report::view::receipt::ReadingName;
use crate::report::view::share::{ShareReceipt, SharedPieceRow};
use crate::store::Store;
use crate::tree::oid::Oid;
use published::{NamedPieces, PublishedTips};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;

/// What the verbs of sharing work with.
#[derive(Clone, Copy)]
pub(crate) struct SharingDesk<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// Its evidence.
    pub store: &'a Store,
    /// What its directories are called, and whose readings are asked for.
    pub nodes: &'a [Node],
    /// Told how far it is.
    pub tell: Tell<'a>,
    /// What this process runs in.
    pub around: &'a SharingMeans,
}

/// What a process runs in, as far as connections need it.
#[derive(Clone, Debug)]
pub(crate) struct SharingMeans {
    /// Its environment, in which the credentials of buckets are.
    pub environment: Vec<(OsString, OsString)>,
    /// Our own program, beside which others of ours lie.
    pub program: Option<PathBuf>,
    /// Whether somebody sits at a terminal and may be asked for a password.
    pub terminal: bool,
    /// The clock.
    pub now: Timestamp,
}

impl SharingDesk<'_> {
    /// Where this repository shares.
    ///
    /// # Errors
    /// Configuration where sharing is off, or is configured wrong.
    pub(crate) fn place(&self) -> Result<SharePlace> {
        SharePlace::required(self.repo.config()?)
    }

    /// What readings at these tips name.
    fn named(&self, tips: &BTreeSet<Oid>) -> Result<NamedPieces> {
        published::named(self.repo, tips, self.nodes)
    }

    /// The sizes of the pieces that are here.
    fn sizes(&self) -> Result<BTreeMap<EvidenceHash, u64>> {
        Ok(self.store.evidence().ls()?.into_iter().map(|blob| (blob.hash, blob.size)).collect())
    }
}

/// The largest piece that a place takes, in bytes, where it is known beforehand.
fn largest(place: &SharePlace) -> Option<u64> {
    match place {
        SharePlace::Remote(_) => Some(LARGEST_IN_REFS),
        SharePlace::Bucket(_) | SharePlace::Directory(_) => None,
    }
}

/// A place that was asked, and what it said.
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

    /// The same where a git server keeps it in `space`.
    fn within(sharing: &SharingDesk<'_>, place: SharePlace, space: RefSpace) -> Result<Self> {
        let known = KnownThere::of(sharing.store.common_dir(), &place.to_string());
        Ok(Self { remote: engine(sharing, &place, space)?, known, place })
    }

    /// The tips of published branches: of a git remote as it says they are now, else of all remotes as they were last fetched.
    fn tips(&mut self, sharing: &SharingDesk<'_>) -> Result<PublishedTips> {
        (sharing.tell)(ProgressStep::Work("asking for branches"));
        match self.remote.branches()? {
            Some(branches) => published::standing(sharing.repo, branches),
            None => Ok(PublishedTips { here: published::tracked(sharing.repo)?, away: Vec::new() }),
        }
    }

    /// What the remote says of everything that is named. Of a bucket, which is asked for one piece at a time, only what it was
    /// not seen to have yet: `share check` asks for the rest.
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

    /// What the remote says of these pieces, in their order.
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

    /// Ends it: what was learned is kept for whoever asks without a connection, and what the engine had to say goes into the
    /// receipt.
    fn close(mut self, sharing: &SharingDesk<'_>, receipt: &mut ShareReceipt) {
        // a memo, which may be missing
        let _ = self.known.remember(sharing.store);
        for note in self.remote.notes() {
            if !receipt.notes.contains(&note) {
                receipt.notes.push(note);
            }
        }
    }
}

/// What speaks to a place. Nothing is connected yet.
fn engine(sharing: &SharingDesk<'_>, place: &SharePlace, space: RefSpace) -> Result<Box<dyn Remote>> {
    let around = sharing.around;
    Ok(match place {
        SharePlace::Remote(name) => {
            let options = GitRefsOptions { remote: name, space, terminal: around.terminal, now: around.now };
            Box::new(GitRefs::open(sharing.repo, &options)?)
        }
        SharePlace::Bucket(url) => {
            let program = CloudProgram::locate(around.program.as_deref(), around.environment.clone())?;
            Box::new(Bucket::new(url.clone(), program, sharing.store))
        }
        SharePlace::Directory(path) => Box::new(Directory::new(path.clone())),
    })
}

/// A piece for a receipt.
fn row(hash: &EvidenceHash, size: Option<u64>, readings: Option<&Vec<NamingReading>>) -> SharedPieceRow {
    let name = |by: &NamingReading| ReadingName {
        node: by.node.clone(),
        scenario: by.scenario.clone(),
        ts: by.ts.to_string(),
    };
    let readings = readings.into_iter().flatten().map(name).collect();
    SharedPieceRow { hash: hash.to_string(), size, why: None, help: None, readings }
}
