//! A memo in the common git directory of the pieces that a bucket acknowledged to this machine or that were read from it and
//! found right, with the version of each. A piece with the same version need not be read again. The memo may be deleted at
//! any time and is not synced to disk, because a lost entry only costs one more read.

use super::wire::StoredVersion;
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::remote::Piece;
use crate::store::Store;
use crate::store::memo::MemoKind;
use std::collections::BTreeMap;
use std::fs;

/// The version of the file format.
const GENERATION: &str = "1";
/// A larger file is not read, because this program never writes one.
const MOST: u64 = 256 << 20;

/// The pieces of one bucket. A piece without a version from the store counts for this run only.
#[derive(Debug, Default)]
pub(super) struct BucketReceipts {
    known: BTreeMap<Piece, Option<StoredVersion>>,
    is_changed: bool,
}

impl BucketReceipts {
    /// The remembered pieces of the bucket `url`; none if the memo is of another bucket.
    pub(super) fn of(store: &Store, url: &str) -> Self {
        let path = MemoKind::Receipts.path(store.common_dir(), GENERATION);
        let is_sane = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= MOST);
        let text = is_sane.then(|| fs::read_to_string(&path).ok()).flatten().unwrap_or_default();
        let mut lines = text.lines();
        let known = match lines.next() {
            Some(first) if first == url => lines.filter_map(parse).collect(),
            _ => BTreeMap::new(),
        };
        Self { known, is_changed: false }
    }

    /// Notes a piece.
    pub(super) fn add(&mut self, piece: Piece, version: Option<StoredVersion>) {
        self.is_changed |= self.known.insert(piece, version) != Some(version) && version.is_some();
    }

    /// Forgets pieces that are gone.
    pub(super) fn forget(&mut self, is_gone: &dyn Fn(&EvidenceHash) -> bool) {
        let before = self.known.len();
        self.known.retain(|piece, _| !is_gone(&piece.hash));
        self.is_changed |= self.known.len() != before;
    }

    /// Whether the object in the bucket, with this `version`, is the acknowledged or verified one.
    pub(super) fn prove(&self, piece: &Piece, version: Option<StoredVersion>) -> bool {
        self.known.get(piece).is_some_and(|known| *known == version)
    }

    /// Writes the memo for the next run, if it changed.
    pub(super) fn remember(&mut self, store: &Store, url: &str) -> Result<()> {
        if !std::mem::take(&mut self.is_changed) {
            return Ok(());
        }
        let line = |(piece, version): (&Piece, &Option<StoredVersion>)| {
            Some(format!("{} {} {}\n", piece.hash, piece.size, version.as_ref()?))
        };
        let text = format!("{url}\n{}", self.known.iter().filter_map(line).collect::<String>());
        MemoKind::Receipts.replace(store.common_dir(), GENERATION, text.as_bytes(), store.shared())
    }
}

/// One line; `None` for a malformed line, for example at the end of a truncated file.
fn parse(line: &str) -> Option<(Piece, Option<StoredVersion>)> {
    let [hash, size, version] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
    let piece = Piece { hash: EvidenceHash::from_hex(hash.as_bytes())?, size: size.parse().ok()? };
    Some((piece, Some(StoredVersion::parse(version)?)))
}
