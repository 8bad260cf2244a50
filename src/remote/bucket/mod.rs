//! Object storage. The keys are the same as in a shared directory, `<prefix>/<2 hex>/<64 hex>`. Only a program with the
//! feature `cloud`, `yatsu-hook-cloud`, can talk to it: the hook has no network code, and knows no more than the address.

mod open;
mod receipts;
mod shelf;

use super::{
    BucketUrl, Expired, Held, Listed, Month, Offered, Piece, PutReceipt, Remote, Supply, Taker, Withheld, read_piece,
};
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::store::Store;
use crate::store::atomic::Temp;
use crate::sys;
use futures_util::{StreamExt, TryStreamExt, pin_mut, stream};
use object_store::ObjectStore;
use receipts::{BucketReceipts, stored_version};
use shelf::{Failure, Shelf, is_denied, text_of, version_of, wrong_config};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// How many pieces are worked on at once.
const AT_ONCE: usize = 8;

/// Opens the store of a bucket, without a request to it.
type OpenStore = Box<dyn Fn(&BucketUrl) -> object_store::Result<Arc<dyn ObjectStore>> + Send>;

pub struct Bucket {
    url: BucketUrl,
    open: OpenStore,
    /// The store in which received bytes are first written.
    store: Store,
    connection: Option<Arc<Connection>>,
    /// The pieces that the bucket acknowledged or that were read back, in this run or before.
    receipts: BucketReceipts,
    /// The pieces that were read in this run and had other content than their name says.
    lies: BTreeSet<EvidenceHash>,
}

/// An open bucket, and the threads of its connections.
struct Connection {
    runtime: Runtime,
    shelf: Shelf,
}

impl Bucket {
    /// The bucket at `url`. Received bytes wait in the cache's directory of `store`, in a file without a piece's name, until
    /// they are taken.
    #[must_use]
    pub fn new(url: BucketUrl, store: &Store) -> Self {
        Self::over(url, store, Box::new(open::open))
    }

    fn over(url: BucketUrl, store: &Store, open: OpenStore) -> Self {
        let receipts = BucketReceipts::of(store, url.to_string());
        Self { url, open, store: store.clone(), connection: None, receipts, lies: BTreeSet::new() }
    }

    /// The open bucket; opens and tries it at first use.
    fn connection(&mut self) -> Result<Arc<Connection>> {
        if let Some(connection) = &self.connection {
            return Ok(Arc::clone(connection));
        }
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|error| {
            Error::unchecked(format!("no threads for {}: {error}", self.url))
                .hint("the system may have nothing left to give: run the same command again later")
        })?;
        let store = (self.open)(&self.url).map_err(|error| wrong_config(&self.name(), &text_of(&error)))?;
        let shelf = runtime.block_on(Shelf::open(store, &self.url))?;
        let connection = Arc::new(Connection { runtime, shelf });
        self.connection = Some(Arc::clone(&connection));
        Ok(connection)
    }

    /// Every piece with the time when it was put, or why not all can be seen.
    fn show(&mut self, see: &mut dyn FnMut(Piece, i64)) -> Result<Listed> {
        let connection = self.connection()?;
        let mut shown = BTreeSet::new();
        let mut once = |piece: Piece, put| {
            if shown.insert(piece.hash) {
                see(piece, put);
            }
        };
        let listed = connection.runtime.block_on(connection.shelf.list(&mut once));
        match listed {
            Ok(()) => Ok(Listed::Whole),
            Err(error) if is_denied(&error) => {
                Ok(Listed::Partly(vec![format!("{} does not allow listing: {}", self.name(), text_of(&error))]))
            }
            Err(error) => Err(connection.shelf.failed(&error)),
        }
    }

    /// Deletes objects of these pieces that are known to have wrong content. Otherwise the bucket would keep its content and
    /// the put would find the piece there. An object that may not be deleted stays and counts as there.
    fn make_room(&mut self, pieces: &[Piece]) -> Result<()> {
        let connection = self.connection()?;
        let lies: Vec<_> = pieces.iter().map(|piece| piece.hash).filter(|hash| self.lies.remove(hash)).collect();
        connection.runtime.block_on(async {
            for hash in lies {
                let _ = connection.shelf.delete(&hash, None).await;
            }
        });
        Ok(())
    }

    /// Deletes the objects of these pieces, each if it was put at the given time; returns for each whether it is gone. All
    /// are tried before the first error is returned: an object that may not be deleted must not keep the others forever.
    fn take_away(&mut self, pieces: &[(EvidenceHash, Option<i64>)]) -> Result<Vec<bool>> {
        let connection = self.connection()?;
        let gone = stream::iter(pieces).map(|(hash, put)| connection.shelf.delete(hash, *put)).buffered(AT_ONCE);
        let gone: Vec<_> = connection.runtime.block_on(gone.collect());
        gone.into_iter().collect()
    }

    /// Offers the received bytes to the taker; the reason if they are not right.
    fn offer(&mut self, hash: EvidenceHash, temp: &Temp, cap: u64, taker: &mut dyn Taker) -> Result<Option<Piece>> {
        let size = temp.size()?;
        if taker.take(&hash, &mut temp.reader()?.take(cap))? == Offered::Right {
            return Ok(Some(Piece { hash, size }));
        }
        self.lies.insert(hash);
        self.receipts.forget(&[hash]);
        Ok(None)
    }
}

impl Remote for Bucket {
    fn name(&self) -> String {
        self.url.to_string()
    }

    fn probe(&mut self) -> Result<()> {
        let mut odd = [0; 16];
        sys::random(&mut odd).map_err(Error::no_random)?;
        let mut temp = Temp::create(&self.store.evidence().to_write()?, 0o600)?;
        temp.append(format!("yatsu-hook: may this bucket keep evidence? {odd:02x?}\n").as_bytes())?;
        let mut sample = Sample { piece: content(&mut temp.reader()?)?, path: temp.path() };
        let (piece, name) = (sample.piece, self.name());
        let step = |what: &str| {
            Error::unchecked(format!("{name} {what}"))
                .hint("the credentials need the right to put, get, list and delete there; what else is in between?")
        };
        let put = self.put(&[piece], &mut sample).map_err(|error| error.context("nothing can be put there"))?;
        if let Some((_, why)) = put.refused.first() {
            return Err(step(&format!("takes nothing: {why}")));
        }
        let held = self.has(&[piece.hash]).map_err(|error| error.context("what was put there cannot be asked for"))?;
        let withheld = self.get(&[piece.hash], piece.size, &mut sample);
        let withheld = withheld.map_err(|error| error.context("what was put there cannot be read"))?;
        self.delete(&[piece.hash], "it was a question").map_err(|error| {
            error.context("what was put there cannot be deleted").hint(format!("delete {} yourself", piece.hash))
        })?;
        match (&held[..], &withheld[..]) {
            ([Held::Proven { .. }], []) => Ok(()),
            _ => Err(step("does not give back what was put there")),
        }
    }

    fn list(&mut self, see: &mut dyn FnMut(Piece)) -> Result<Listed> {
        self.show(&mut |piece, _| see(piece))
    }

    fn has(&mut self, hashes: &[EvidenceHash]) -> Result<Vec<Held>> {
        let connection = self.connection()?;
        let found = stream::iter(hashes).map(|hash| connection.shelf.head(hash)).buffered(AT_ONCE);
        let found: Vec<_> = connection.runtime.block_on(found.try_collect())?;
        let held = hashes.iter().zip(found).map(|(hash, found)| {
            let Some(meta) = found else { return Held::No };
            let (size, version) = (meta.size, version_of(&meta));
            match self.receipts.prove(&Piece { hash: *hash, size }, version.as_ref()) {
                true => Held::Proven { size },
                false => Held::Said { by: self.name(), size, is_hearsay: false },
            }
        });
        Ok(held.collect())
    }

    fn get(&mut self, wanted: &[EvidenceHash], cap: u64, taker: &mut dyn Taker) -> Result<Vec<Withheld>> {
        let (connection, folder) = (self.connection()?, self.store.evidence().to_write()?);
        let (mut read, mut withheld) = (Vec::new(), Vec::new());
        let end = connection.runtime.block_on(async {
            let coming = stream::iter(wanted).map(async |hash| {
                let mut temp = Temp::create(&folder, 0o600)?;
                let version = connection.shelf.get(hash, cap, &mut temp).await;
                Ok::<_, Error>((*hash, temp, version))
            });
            let coming = coming.buffered(AT_ONCE);
            pin_mut!(coming);
            while let Some((hash, temp, version)) = coming.try_next().await? {
                let why = match version {
                    Ok(version) => match self.offer(hash, &temp, cap, taker)? {
                        Some(piece) => {
                            read.push((piece, version));
                            continue;
                        }
                        None => "the object under that name has other content".to_owned(),
                    },
                    Err(Failure::Piece(why)) => why,
                    Err(Failure::All(error)) => return Err(error),
                };
                withheld.push(Withheld { hash, why });
            }
            Ok(())
        });
        self.receipts.add(read);
        end.map(|()| withheld)
    }

    fn put(&mut self, pieces: &[Piece], supply: &mut dyn Supply) -> Result<PutReceipt> {
        self.make_room(pieces)?;
        let connection = self.connection()?;
        let (supply, refused) = (RefCell::new(supply), RefCell::new(Vec::new()));
        let (mut receipt, mut versions) = (PutReceipt::default(), Vec::new());
        let end = connection.runtime.block_on(async {
            let files = pieces.iter().filter_map(|piece| match supply.borrow_mut().file(piece) {
                Ok(file) => Some((piece, file)),
                // a piece that is missing or corrupt here does not stop the others
                Err(error) => {
                    refused.borrow_mut().push((*piece, error.message));
                    None
                }
            });
            let done = |bytes| supply.borrow_mut().done(bytes);
            let going = stream::iter(files)
                .map(async |(piece, file)| (*piece, connection.shelf.put(piece, &file, &done).await))
                .buffered(AT_ONCE);
            pin_mut!(going);
            while let Some((piece, put)) = going.next().await {
                match put {
                    Ok(Some(put)) => {
                        receipt.sent.push(piece);
                        versions.push(stored_version(put.e_tag.as_deref(), put.version.as_deref()));
                    }
                    Ok(None) => receipt.there.push(piece),
                    Err(Failure::Piece(why)) => refused.borrow_mut().push((piece, why)),
                    Err(Failure::All(error)) => return Err(error),
                }
            }
            Ok(())
        });
        receipt.refused = refused.into_inner();
        self.receipts.add(receipt.sent.iter().copied().zip(versions).collect());
        end.map(|()| receipt)
    }

    fn would_put(&mut self, pieces: &[Piece]) -> Result<PutReceipt> {
        let hashes: Vec<_> = pieces.iter().map(|piece| piece.hash).collect();
        let (held, mut receipt) = (self.has(&hashes)?, PutReceipt::default());
        for (piece, held) in pieces.iter().zip(held) {
            let is_there = match held {
                Held::Said { size, .. } | Held::Proven { size } => size == piece.size,
                Held::No => false,
            };
            // a known lie will be replaced, so it is sent
            let is_kept = is_there && !self.lies.contains(&piece.hash);
            if is_kept { receipt.there.push(*piece) } else { receipt.sent.push(*piece) }
        }
        Ok(receipt)
    }

    fn delete(&mut self, hashes: &[EvidenceHash], _reason: &str) -> Result<()> {
        self.receipts.forget(hashes);
        self.take_away(&hashes.iter().map(|hash| (*hash, None)).collect::<Vec<_>>()).map(drop)
    }

    fn expire(
        &mut self,
        before: Month,
        is_needed: &mut dyn FnMut(&EvidenceHash) -> bool,
        dry_run: bool,
    ) -> Result<Expired> {
        let end = before.begins().map_or(i64::MIN, |begin| begin.millis.div_euclid(1000));
        let (mut expired, mut old) = (Expired::default(), Vec::new());
        let listed = self.show(&mut |piece, put| {
            if put < end && is_needed(&piece.hash) {
                expired.kept += 1;
            } else if put < end {
                old.push((piece, put));
            }
        })?;
        if let Listed::Partly(why) = listed {
            return Err(Error::unchecked(format!("nothing was deleted: {}", why.join("; ")))
                .hint("give the right to list it, or let a lifecycle rule of the bucket take away what is old"));
        }
        if dry_run {
            expired.gone = old.into_iter().map(|(piece, _)| piece).collect();
            return Ok(expired);
        }
        // with its time, so that a piece that was put again meanwhile stays
        let asked: Vec<_> = old.iter().map(|(piece, put)| (piece.hash, Some(*put))).collect();
        let gone = self.take_away(&asked)?;
        expired.kept += gone.iter().filter(|is_gone| !**is_gone).count();
        expired.gone = old.into_iter().zip(gone).filter(|(_, is_gone)| *is_gone).map(|((piece, _), _)| piece).collect();
        self.receipts.forget(&expired.gone.iter().map(|piece| piece.hash).collect::<Vec<_>>());
        Ok(expired)
    }
}

/// The single piece of a probe, both sent and received.
struct Sample {
    piece: Piece,
    path: PathBuf,
}

fn content(from: &mut dyn Read) -> Result<Piece> {
    read_piece(from, |error| Error::unread("the probe", &error), |_| Ok(()))
}

impl Supply for Sample {
    fn file(&mut self, _piece: &Piece) -> Result<PathBuf> {
        Ok(self.path.clone())
    }

    fn done(&mut self, _bytes: u64) {}
}

impl Taker for Sample {
    fn take(&mut self, _hash: &EvidenceHash, bytes: &mut dyn Read) -> Result<Offered> {
        Ok(if content(bytes)? == self.piece { Offered::Right } else { Offered::Lie })
    }
}

#[cfg(test)]
mod tests;
