//! `share`: evidence that other machines need, sent and fetched through a place that a team already has. Requests in,
//! receipts out; prints nothing. Purpose: what published readings name can be looked at elsewhere. It is never needed to
//! judge, off until somebody turns it on, and asked for by name each time.
//!
//! Nothing that a remote says is believed: what arrives is hashed, and only names that a reading gives are asked for.

mod check;
mod drop;
mod get;
pub(crate) mod known;
pub(crate) mod place;
pub(crate) mod published;
mod push;
mod search;
mod setting;

pub(crate) use check::{CheckWish, check};
pub(crate) use drop::drop_pieces;
pub(crate) use get::{GetWish, get};
pub(crate) use push::{PushWish, push};
pub(crate) use setting::{off, on, state};

use super::evidence::NamingReading;
use crate::app::progress::Tell;
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::model::node::Node;
use crate::remote::{Directory, Held, Remote};
use crate::repo::Repo;
use crate::report::view::receipt::ReadingName;
use crate::report::view::share::SharedPieceRow;
use crate::store::Store;
use known::KnownThere;
use place::SharePlace;
use published::NamedPieces;
use std::collections::BTreeMap;

/// What the verbs of sharing work with.
#[derive(Clone, Copy)]
pub(crate) struct Sharing<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// Its evidence.
    pub store: &'a Store,
    /// What its directories are called, and whose readings are asked for.
    pub nodes: &'a [Node],
    /// Told how far it is.
    pub tell: Tell<'a>,
}

impl Sharing<'_> {
    /// Where this repository shares.
    ///
    /// # Errors
    /// Configuration where sharing is off, or is configured wrong.
    pub(crate) fn place(&self) -> Result<SharePlace> {
        SharePlace::configured(&self.repo.config()?)?.ok_or_else(|| {
            Error::config("sharing is off in this repository").hint("turn it on: yatsu-hook share on PLACE")
        })
    }

    /// What published readings name; with `all` what those of every local branch name.
    fn named(&self, all: bool) -> Result<NamedPieces> {
        let tips = if all { published::local(self.repo)? } else { published::tracked(self.repo)? };
        published::named(self.repo, &tips, self.nodes)
    }

    /// The sizes of the pieces that are here.
    fn sizes(&self) -> Result<BTreeMap<EvidenceHash, u64>> {
        Ok(self.store.evidence().ls()?.into_iter().map(|blob| (blob.hash, blob.size)).collect())
    }
}

/// A place that was asked, and what it said.
struct Asked {
    place: SharePlace,
    remote: Box<dyn Remote>,
    known: KnownThere,
}

impl Asked {
    fn of(sharing: &Sharing<'_>, place: SharePlace) -> Self {
        let known = KnownThere::of(sharing.store.common_dir(), &place);
        Self { remote: engine(&place), known, place }
    }

    /// What the remote says of these pieces, in their order.
    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>> {
        let held = self.remote.has(hashes)?;
        if held.len() != hashes.len() {
            return Err(Error::unchecked(format!("{} answered another question", self.place)));
        }
        for (hash, held) in hashes.iter().zip(&held) {
            self.known.learn(*hash, *held != Held::No);
        }
        Ok(held)
    }
}

/// What speaks to a place. Nothing is opened yet.
fn engine(place: &SharePlace) -> Box<dyn Remote> {
    match place {
        SharePlace::Directory(path) => Box::new(Directory::new(path.clone())),
    }
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
