//! A memo in the common git directory of the pieces that a bucket acknowledged to this machine or that were read from it and
//! found right, with the version of each. A piece with the same version need not be read again. The memo may be deleted at
//! any time and is not synced to disk, because a lost entry only costs one more read.

use crate::model::ledger::EvidenceHash;
use crate::remote::Piece;
use crate::store::Store;
use crate::store::memo::MemoKind;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The version of the file format.
const GENERATION: &str = "1";
/// A larger file is not read, because this program never writes one.
const MOST: u64 = 256 << 20;

/// Identifies one put of an object, as 32 hex digits: if other content is put under the same name, the version differs. Made
/// from the store's own tag and version; `None` if it has neither.
pub(super) fn stored_version(tag: Option<&str>, version: Option<&str>) -> Option<String> {
    // some answers of a store quote the tag and others do not
    let (tag, version) = (tag.unwrap_or_default().trim_matches('"'), version.unwrap_or_default());
    let digest = EvidenceHash(Sha256::digest(format!("{version}\n{tag}")).into()).to_string();
    (!tag.is_empty() || !version.is_empty()).then(|| digest[..32].to_owned())
}

/// The pieces of one bucket. A piece without a version from the store counts for this run only.
#[derive(Debug)]
pub(super) struct BucketReceipts {
    store: Store,
    url: String,
    known: BTreeMap<Piece, Option<String>>,
}

impl BucketReceipts {
    /// The remembered pieces of the bucket `url`; none if the memo is of another bucket.
    pub(super) fn of(store: &Store, url: String) -> Self {
        let path = MemoKind::Receipts.path(store.common_dir(), GENERATION);
        let is_sane = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= MOST);
        let text = is_sane.then(|| fs::read_to_string(&path).ok()).flatten().unwrap_or_default();
        let mut lines = text.lines();
        let known = match lines.next() {
            Some(first) if first == url => lines.filter_map(parse).collect(),
            _ => BTreeMap::new(),
        };
        Self { store: store.clone(), url, known }
    }

    /// Notes pieces for this run, and those with a version for later runs.
    pub(super) fn add(&mut self, pieces: Vec<(Piece, Option<String>)>) {
        let mut is_changed = false;
        for (piece, version) in pieces {
            let is_kept = version.is_some();
            is_changed |= self.known.insert(piece, version.clone()) != Some(version) && is_kept;
        }
        self.remember(is_changed);
    }

    /// Forgets pieces that are gone, or about to go.
    pub(super) fn forget(&mut self, gone: &[EvidenceHash]) {
        let (before, gone) = (self.known.len(), gone.iter().collect::<BTreeSet<_>>());
        self.known.retain(|piece, _| !gone.contains(&piece.hash));
        self.remember(self.known.len() != before);
    }

    /// Whether the object in the bucket, with this `version`, is the acknowledged or verified one.
    pub(super) fn prove(&self, piece: &Piece, version: Option<&String>) -> bool {
        self.known.get(piece).is_some_and(|known| known.as_ref() == version)
    }

    /// Writes the memo for the next run. If it cannot be written, the pieces are only read once more.
    fn remember(&self, is_changed: bool) {
        let line = |(piece, version): (&Piece, &Option<String>)| {
            Some(format!("{} {} {}\n", piece.hash, piece.size, version.as_ref()?))
        };
        if is_changed {
            let text = format!("{}\n{}", self.url, self.known.iter().filter_map(line).collect::<String>());
            let (dir, shared) = (self.store.common_dir(), self.store.shared());
            let _ = MemoKind::Receipts.replace(dir, GENERATION, text.as_bytes(), shared);
        }
    }
}

/// One line; `None` for a malformed line. A version that was cut off is the version of no object.
fn parse(line: &str) -> Option<(Piece, Option<String>)> {
    let [hash, size, version] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
    let piece = Piece { hash: EvidenceHash::from_hex(hash.as_bytes())?, size: size.parse().ok()? };
    Some((piece, Some(version.to_owned())))
}
