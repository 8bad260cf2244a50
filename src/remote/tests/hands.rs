//! The two ends of a transfer in a test: files that are handed out, and bytes that were taken.

use crate::error::{Error, Result};
use crate::model::ledger::EvidenceHash;
use crate::remote::{Offered, Piece, Supply, Taker};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::PathBuf;

/// Hands out files of a scratch directory, and keeps what it is shown.
pub(crate) struct Hands {
    scratch: tempfile::TempDir,
    /// What was taken and had the right name.
    pub taken: BTreeMap<EvidenceHash, Vec<u8>>,
    /// What was offered under another name than its own.
    pub lies: Vec<EvidenceHash>,
    /// The most bytes that one offer had.
    pub most: usize,
    /// From here on nothing is taken any more: the disk is full, say.
    pub full: bool,
    /// How many bytes it was told to be done.
    pub done: u64,
}

impl Hands {
    pub fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        Self { scratch, taken: BTreeMap::new(), lies: Vec::new(), most: 0, full: false, done: 0 }
    }

    /// A piece that is here.
    pub fn piece(&self, bytes: &[u8]) -> Piece {
        let piece = piece_of(bytes);
        fs::write(self.path(&piece.hash), bytes).unwrap();
        piece
    }

    /// So many small pieces that are here, told apart by `what`.
    pub fn pieces(&self, what: &str, count: usize) -> Vec<Piece> {
        (0..count).map(|number| self.piece(format!("{what} {number}").as_bytes())).collect()
    }

    /// Where the bytes of that name lie, or would.
    pub fn path(&self, hash: &EvidenceHash) -> PathBuf {
        self.scratch.path().join(hash.to_string())
    }

    /// What was taken, by name.
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

/// What these bytes are as a piece.
pub(crate) fn piece_of(bytes: &[u8]) -> Piece {
    Piece { hash: EvidenceHash(Sha256::digest(bytes).into()), size: bytes.len() as u64 }
}

/// The names of pieces, in their order.
pub(crate) fn hashes(pieces: &[Piece]) -> Vec<EvidenceHash> {
    pieces.iter().map(|piece| piece.hash).collect()
}
