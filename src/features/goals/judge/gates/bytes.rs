//! Reads the bytes of readings, as far as this cache holds them.

use crate::error::Result;
use crate::features::goals::judge::engine::collect::{GoalEvidence, HeldBytes};
use crate::features::goals::judge::engine::facts::GoalBytes;
use crate::model::ledger::{EvidenceHash, EvidenceKind, Reading};
use crate::store::evidence::Cache;
use crate::text::markers::MarkerReader;
use std::io::{self, Write};

/// How much of a piece is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    Text,
    /// The printed output of its cells, if it is a notebook.
    Notebook {
        /// Whether the reading records markers, which only text can hold.
        may_be: bool,
    },
    /// Nothing but the hash, to compare with the name.
    Nothing,
}

/// The pieces of a reading that were read so far.
#[derive(Default)]
struct Seen {
    /// All texts, kept apart, as they were read at filing.
    texts: Text,
    has_text: bool,
    corrupt: Option<EvidenceHash>,
    lacks_text: bool,
    lacks_any: bool,
}

impl GoalEvidence for Cache {
    fn held(&self, reading: &Reading) -> Result<HeldBytes> {
        let mut seen = Seen::default();
        // Markers come only from printed text. So with markers, an absent data file may have been a notebook.
        let has_markers = !reading.measures.marked.markers.is_empty();
        for piece in &reading.evidence {
            let read = match piece.kind {
                EvidenceKind::Transcript => Read::Text,
                EvidenceKind::Data => Read::Notebook { may_be: has_markers },
                EvidenceKind::Image | EvidenceKind::Video => Read::Nothing,
            };
            look(self, &mut seen, &piece.hash, read)?;
        }
        if let Some(hash) = &reading.timeline {
            look(self, &mut seen, hash, Read::Nothing)?;
        }
        let mut held = HeldBytes { says: GoalBytes::NoText, absent: Default::default(), is_whole: true };
        for (name, hash) in &reading.measures.artifacts {
            if !look(self, &mut seen, hash, Read::Nothing)? {
                held.absent.insert(name.clone());
            }
        }
        held.is_whole = !seen.lacks_any;
        held.says = match seen {
            Seen { corrupt: Some(hash), .. } => GoalBytes::Corrupt(hash.to_string()),
            Seen { lacks_text: true, .. } => GoalBytes::Absent,
            Seen { has_text, texts, .. } => match texts.0.finish() {
                shown if has_text || shown.of_cells => GoalBytes::Say(shown),
                _ => GoalBytes::NoText,
            },
        };
        Ok(held)
    }
}

/// Reads one piece, and returns whether the cache holds it.
fn look(cache: &Cache, seen: &mut Seen, hash: &EvidenceHash, read: Read) -> Result<bool> {
    let found = match read {
        Read::Text | Read::Notebook { .. } => {
            seen.texts.0.next_text();
            cache.see(hash, &mut seen.texts)?
        }
        Read::Nothing => cache.see(hash, &mut io::sink())?,
    };
    match found {
        Some(actual) if actual == *hash => seen.has_text |= read == Read::Text,
        Some(_) => seen.corrupt = Some(*hash),
        None => {
            seen.lacks_any = true;
            seen.lacks_text |= matches!(read, Read::Text | Read::Notebook { may_be: true });
        }
    }
    Ok(found.is_some())
}

/// A transcript, scanned for markers while it streams through.
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
