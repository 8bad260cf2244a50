//! The memo of the remote's last answers, in the common git directory. It shows the place of a missing piece without a
//! connection. It proves nothing, and may be deleted at any time.

use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::store::Store;
use crate::store::memo::MemoKind;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The version of the memo's format.
const GENERATION: &str = "1";
/// The maximal size in bytes; this program never writes a larger memo.
const MAX_MEMO: u64 = 1 << 30;

/// The number of hash digits in a suggested command.
const SHOWN_DIGITS: usize = 12;

/// The place, and its known pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownThere {
    pub place: String,
    /// The pieces last seen there.
    pub pieces: BTreeSet<EvidenceHash>,
}

impl KnownThere {
    /// The stored memo; `None` if sharing is off.
    pub(crate) fn recall(common_dir: &Path) -> Option<Self> {
        let path = MemoKind::Shared.path(common_dir, GENERATION);
        let is_sane = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= MAX_MEMO);
        let text = is_sane.then(|| fs::read_to_string(&path).ok()).flatten()?;
        let mut lines = text.lines();
        let place = lines.next()?.to_owned();
        Some(Self { place, pieces: lines.filter_map(|line| EvidenceHash::from_hex(line.as_bytes())).collect() })
    }

    /// The stored memo of this place; empty if the memo is about another place.
    pub(crate) fn of(common_dir: &Path, place: &str) -> Self {
        let place = place.to_owned();
        let known = Self::recall(common_dir).filter(|known| known.place == place);
        known.unwrap_or(Self { place, pieces: BTreeSet::new() })
    }

    /// Records one answer.
    pub(crate) fn learn(&mut self, hash: EvidenceHash, is_there: bool) {
        if is_there {
            self.pieces.insert(hash);
        } else {
            self.pieces.remove(&hash);
        }
    }

    /// Stores the memo.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn remember(&self, store: &Store) -> Result<()> {
        let pieces: String = self.pieces.iter().map(|hash| format!("{hash}\n")).collect();
        let text = format!("{}\n{pieces}", self.place);
        MemoKind::Shared.replace(store.common_dir(), GENERATION, text.as_bytes(), store.shared())
    }

    /// Deletes the memo, when sharing is turned off.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn forget(store: &Store) -> Result<()> {
        MemoKind::Shared.remove(store.common_dir(), GENERATION)
    }

    /// The place where a piece was last seen.
    pub(crate) fn place_of(&self, hash: &EvidenceHash) -> Option<&str> {
        self.pieces.contains(hash).then_some(&self.place)
    }

    /// The message about a missing piece.
    pub(crate) fn of_missing(&self, hash: &EvidenceHash) -> String {
        match self.place_of(hash) {
            // with a hash, because without one only the latest readings' pieces are fetched
            Some(place) => {
                let digits: String = hash.to_string().chars().take(SHOWN_DIGITS).collect();
                format!("not here, on {place}: yatsu-hook share get {digits}")
            }
            None => "not here, never shared".to_owned(),
        }
    }
}
