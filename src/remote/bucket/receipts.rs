//! What a bucket acknowledged to this machine, or was read from it and found right, with the version that lay there then: as a
//! memo in the common git directory. Where the same version still lies there nobody need read it again. It may be deleted at any
//! time, and is not worth waiting for the disk: a lost one is a piece that is read once more.

use super::wire::StoredVersion;
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::remote::Piece;
use crate::store::Store;
use crate::store::memo::MemoKind;
use std::collections::BTreeMap;
use std::fs;

/// The generation of its form.
const GENERATION: &str = "1";
/// A larger one is not read: nobody wrote it.
const MOST: u64 = 256 << 20;

/// The pieces of one bucket. Those of which the store told no version hold for this run alone.
#[derive(Debug, Default)]
pub(super) struct BucketReceipts {
    known: BTreeMap<Piece, Option<StoredVersion>>,
    is_changed: bool,
}

impl BucketReceipts {
    /// What is remembered of the bucket `url`; nothing of another one.
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

    /// Takes note of a piece.
    pub(super) fn add(&mut self, piece: Piece, version: Option<StoredVersion>) {
        self.is_changed |= self.known.insert(piece, version) != Some(version) && version.is_some();
    }

    /// Forgets what is not there any more.
    pub(super) fn forget(&mut self, is_gone: &dyn Fn(&EvidenceHash) -> bool) {
        let before = self.known.len();
        self.known.retain(|piece, _| !is_gone(&piece.hash));
        self.is_changed |= self.known.len() != before;
    }

    /// Whether what lies there now, as `version`, is what was acknowledged or read.
    pub(super) fn prove(&self, piece: &Piece, version: Option<StoredVersion>) -> bool {
        self.known.get(piece).is_some_and(|known| *known == version)
    }

    /// Leaves them for the next run, where there is anything new.
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

/// One line; a file that was cut off has one that is none.
fn parse(line: &str) -> Option<(Piece, Option<StoredVersion>)> {
    let [hash, size, version] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
    let piece = Piece { hash: EvidenceHash::from_hex(hash.as_bytes())?, size: size.parse().ok()? };
    Some((piece, Some(StoredVersion::parse(version)?)))
}
