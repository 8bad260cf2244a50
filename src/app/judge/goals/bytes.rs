//! What the bytes of readings say, as far as this cache holds them.

use crate::engine::goal::collect::{GoalEvidence, HeldBytes};
use crate::engine::goal::facts::GoalBytes;
use crate::error::Result;
use crate::model::ledger::{EvidenceHash, EvidenceKind, Reading};
use crate::store::evidence::Cache;
use crate::text::markers::MarkerReader;
use std::io::{self, Write};

/// The evidence of one cache.
pub(super) struct CachedEvidence<'a> {
    /// The cache.
    pub(super) cache: &'a Cache,
}

/// The pieces of a reading as they were looked at.
#[derive(Default)]
struct Seen {
    /// All texts, each of its own, as they were read at filing.
    texts: Text,
    has_text: bool,
    corrupt: Option<EvidenceHash>,
    lacks_text: bool,
    lacks_any: bool,
}

impl GoalEvidence for CachedEvidence<'_> {
    fn held(&self, reading: &Reading) -> Result<HeldBytes> {
        let mut seen = Seen::default();
        for piece in &reading.evidence {
            self.look(&mut seen, &piece.hash, piece.kind == EvidenceKind::Transcript)?;
        }
        if let Some(hash) = &reading.timeline {
            self.look(&mut seen, hash, false)?;
        }
        let mut held = HeldBytes { says: GoalBytes::NoText, absent: Default::default(), is_whole: true };
        for (name, hash) in &reading.measures.artifacts {
            if !self.look(&mut seen, hash, false)? {
                held.absent.insert(name.clone());
            }
        }
        held.is_whole = !seen.lacks_any;
        held.says = match seen {
            Seen { corrupt: Some(hash), .. } => GoalBytes::Corrupt(hash.to_string()),
            Seen { lacks_text: true, .. } => GoalBytes::Absent,
            Seen { has_text: false, .. } => GoalBytes::NoText,
            Seen { texts, .. } => GoalBytes::Say(texts.0.finish()),
        };
        Ok(held)
    }
}

impl CachedEvidence<'_> {
    /// Looks at one piece, and says whether it is here.
    fn look(&self, seen: &mut Seen, hash: &EvidenceHash, is_text: bool) -> Result<bool> {
        let found = match is_text {
            true => {
                seen.texts.0.next_text();
                self.cache.see(hash, &mut seen.texts)?
            }
            false => self.cache.see(hash, &mut io::sink())?,
        };
        match found {
            Some(actual) if actual == *hash => seen.has_text |= is_text,
            Some(_) => seen.corrupt = Some(*hash),
            None => {
                seen.lacks_any = true;
                seen.lacks_text |= is_text;
            }
        }
        Ok(found.is_some())
    }
}

/// A transcript that is read while it passes.
#[derive(Default)]
struct Text(MarkerReader);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.take(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
