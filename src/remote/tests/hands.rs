//! Both ends of a transfer in a test: files to send, and received bytes.

use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::remote::{Offered, Piece, Supply, Taker};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::PathBuf;

/// Hands out files of a scratch directory, and keeps received pieces.
pub(crate) struct Hands {
    scratch: tempfile::TempDir,
    /// The received pieces with the right name.
    pub taken: BTreeMap<EvidenceHash, Vec<u8>>,
    /// The pieces that were offered with other bytes.
    pub lies: Vec<EvidenceHash>,
    /// The size of the largest offer in bytes.
    pub most: usize,
    /// Whether nothing more can be taken, as on a full disk.
    pub full: bool,
    /// The number of bytes that were reported as done.
    pub done: u64,
}

impl Hands {
    pub fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        Self { scratch, taken: BTreeMap::new(), lies: Vec::new(), most: 0, full: false, done: 0 }
    }

    /// A new local piece.
    pub fn piece(&self, bytes: &[u8]) -> Piece {
        let piece = piece_of(bytes);
        fs::write(self.path(&piece.hash), bytes).unwrap();
        piece
    }

    /// New small local pieces. `what` makes their content different from others.
    pub fn pieces(&self, what: &str, count: usize) -> Vec<Piece> {
        (0..count).map(|number| self.piece(format!("{what} {number}").as_bytes())).collect()
    }

    /// The path of a piece, whether it exists or not.
    pub fn path(&self, hash: &EvidenceHash) -> PathBuf {
        self.scratch.path().join(hash.to_string())
    }

    /// The received pieces, by name.
    pub fn names(&self) -> BTreeSet<EvidenceHash> {
        self.taken.keys().copied().collect()
    }
}

impl Supply for Hands {
    fn file(&mut self, piece: &Piece) -> Result<PathBuf> {
        let path = self.path(&piece.hash);
        if path.exists() { Ok(path) } else { Err(Error::unchecked("it vanished")) }
    }

    fn done(&mut self, bytes: u64) {
        self.done += bytes;
    }
}

impl Taker for Hands {
    fn take(&mut self, hash: &EvidenceHash, bytes: &mut dyn Read) -> Result<Offered> {
        if self.full {
            return Err(Error::unchecked("the disk is full"));
        }
        let mut all = Vec::new();
        bytes.read_to_end(&mut all).map_err(|error| Error::unchecked(error.to_string()))?;
        self.most = self.most.max(all.len());
        if piece_of(&all).hash == *hash {
            self.taken.insert(*hash, all);
            return Ok(Offered::Right);
        }
        self.lies.push(*hash);
        Ok(Offered::Lie)
    }
}

/// The piece with these bytes.
pub(crate) fn piece_of(bytes: &[u8]) -> Piece {
    Piece { hash: EvidenceHash(Sha256::digest(bytes).into()), size: bytes.len() as u64 }
}

/// The names of pieces, in their order.
pub(crate) fn hashes(pieces: &[Piece]) -> Vec<EvidenceHash> {
    pieces.iter().map(|piece| piece.hash).collect()
}
