//! The cache of this machine at either end of a transfer. Received pieces enter only through [`IntoCache`], which
//! verifies them. Sent pieces are verified before they leave.

use super::{Offered, Piece, Supply, Taker};
use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::store::Store;
use std::io::{self, Read};
use std::path::PathBuf;

/// The hint for a piece that is missing or corrupt here.
const HEALED: &str = "`yatsu-hook evidence put FILE` with the original bytes heals it";

/// Puts received pieces into the cache, each under the name that its bytes have.
pub struct IntoCache<'a> {
    store: &'a Store,
    cap: u64,
    done: &'a mut dyn FnMut(u64),
}

impl<'a> IntoCache<'a> {
    /// Into the cache of `store`. No piece may be larger than `cap` bytes. `done` gets the number of bytes after each
    /// read.
    pub fn new(store: &'a Store, cap: u64, done: &'a mut dyn FnMut(u64)) -> Self {
        Self { store, cap, done }
    }
}

impl Taker for IntoCache<'_> {
    fn take(&mut self, hash: &EvidenceHash, bytes: &mut dyn Read) -> Result<Offered> {
        // one lock per piece: a collector need not wait for the whole transfer, and it keeps new pieces
        let right = self.store.share_evidence()?;
        let mut counted = Counted { inner: bytes, done: self.done };
        let is_right = self.store.evidence().arrive(&right, hash, &mut counted, self.cap)?;
        Ok(if is_right { Offered::Right } else { Offered::Lie })
    }
}

/// A reader that reports how much was read.
struct Counted<'a> {
    inner: &'a mut dyn Read,
    done: &'a mut dyn FnMut(u64),
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        (self.done)(count as u64);
        Ok(count)
    }
}

/// Hands out files of the cache. Each file is first read whole and checked against its name.
pub struct FromCache<'a> {
    store: &'a Store,
    done: &'a mut dyn FnMut(u64),
}

impl<'a> FromCache<'a> {
    /// From the cache of `store`. `done` gets the number of bytes after each sending.
    pub fn new(store: &'a Store, done: &'a mut dyn FnMut(u64)) -> Self {
        Self { store, done }
    }
}

impl Supply for FromCache<'_> {
    fn file(&mut self, piece: &Piece) -> Result<PathBuf> {
        match self.store.evidence().verified(&piece.hash)? {
            Some((path, size)) if size == piece.size => Ok(path),
            Some((path, size)) => {
                Err(Error::unchecked(format!("{} has {size} bytes, not {}", path.display(), piece.size)).hint(HEALED))
            }
            None => {
                Err(Error::unchecked(format!("miss original file: no evidence {} in this cache", piece.hash))
                    .hint(HEALED))
            }
        }
    }

    fn done(&mut self, bytes: u64) {
        (self.done)(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::{Directory, Remote};
    use sha2::{Digest, Sha256};

    #[test]
    fn a_piece_goes_from_one_cache_to_another_and_a_lie_into_none() {
        let (here, there, shared) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (here, there) = (Store::new(here.path()), Store::new(there.path()));
        let piece = Piece { hash: EvidenceHash(Sha256::digest(b"measured").into()), size: 8 };
        let mut remote = Directory::new(shared.path().to_owned());
        let mut sent = 0;
        let mut count = |bytes| sent += bytes;
        let refused = remote.put(&[piece], &mut FromCache::new(&here, &mut |_| {})).unwrap().refused;
        assert!(refused[0].1.contains("miss original file"), "{refused:?}");
        let right = here.share_evidence().unwrap();
        assert!(here.evidence().arrive(&right, &piece.hash, &mut &b"measured"[..], 8).unwrap());
        let larger = Piece { size: 9, ..piece };
        assert!(FromCache::new(&here, &mut |_| {}).file(&larger).unwrap_err().message.contains("8 bytes, not 9"));
        assert_eq!(remote.put(&[piece], &mut FromCache::new(&here, &mut count)).unwrap().sent, [piece]);
        assert_eq!(remote.get(&[piece.hash], 8, &mut IntoCache::new(&there, 8, &mut count)).unwrap(), []);
        assert_eq!(sent, 16);
        assert_eq!(there.evidence().verified(&piece.hash).unwrap().unwrap().1, 8);
        let mut never = |_| {};
        let mut taker = IntoCache::new(&there, 8, &mut never);
        assert_eq!(taker.take(&EvidenceHash([7; 32]), &mut &b"measured"[..]).unwrap(), Offered::Lie);
        assert_eq!(there.evidence().ls().unwrap().len(), 1);
    }
}
