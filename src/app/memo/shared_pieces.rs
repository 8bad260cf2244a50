//! What the remote had when it was last asked, as a memo in the common git directory: whoever misses a piece is told where it
//! is without a connection. It is no proof of anything, and may be deleted at any time.

use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::store::Store;
use crate::store::memo::MemoKind;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The generation of its form.
const GENERATION: &str = "1";
/// A larger one is not read: nobody wrote it.
const MAX_MEMO: u64 = 1 << 30;

/// So many digits of a hash name a piece in a command.
const SHOWN_DIGITS: usize = 12;

/// The place, and the pieces that it had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownThere {
    /// What the place is called.
    pub place: String,
    /// What it had.
    pub pieces: BTreeSet<EvidenceHash>,
}

impl KnownThere {
    /// What is remembered; `None` where sharing was never on, or was turned off.
    pub(crate) fn recall(common_dir: &Path) -> Option<Self> {
        let path = MemoKind::Shared.path(common_dir, GENERATION);
        let is_sane = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= MAX_MEMO);
        let text = is_sane.then(|| fs::read_to_string(&path).ok()).flatten()?;
        let mut lines = text.lines();
        let place = lines.next()?.to_owned();
        Some(Self { place, pieces: lines.filter_map(|line| EvidenceHash::from_hex(line.as_bytes())).collect() })
    }

    /// The same of this place; nothing is known of another one.
    pub(crate) fn of(common_dir: &Path, place: &str) -> Self {
        let place = place.to_owned();
        let known = Self::recall(common_dir).filter(|known| known.place == place);
        known.unwrap_or(Self { place, pieces: BTreeSet::new() })
    }

    /// Takes note of an answer.
    pub(crate) fn learn(&mut self, hash: EvidenceHash, is_there: bool) {
        if is_there {
            self.pieces.insert(hash);
        } else {
            self.pieces.remove(&hash);
        }
    }

    /// Leaves it for the next one who asks.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn remember(&self, store: &Store) -> Result<()> {
        let pieces: String = self.pieces.iter().map(|hash| format!("{hash}\n")).collect();
        let text = format!("{}\n{pieces}", self.place);
        MemoKind::Shared.replace(store.common_dir(), GENERATION, text.as_bytes(), store.shared())
    }

    /// Forgets everything: sharing is off.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn forget(store: &Store) -> Result<()> {
        MemoKind::Shared.remove(store.common_dir(), GENERATION)
    }

    /// Where a piece was last seen.
    pub(crate) fn place_of(&self, hash: &EvidenceHash) -> Option<&str> {
        self.pieces.contains(hash).then_some(&self.place)
    }

    /// What to say of a piece that is not here.
    pub(crate) fn of_missing(&self, hash: &EvidenceHash) -> String {
        match self.place_of(hash) {
            // by its hash: without one only the latest readings' pieces are fetched
            Some(place) => {
                let digits: String = hash.to_string().chars().take(SHOWN_DIGITS).collect();
                format!("not here, on {place}: yatsu-hook share get {digits}")
            }
            None => "not here, never shared".to_owned(),
        }
    }
}
