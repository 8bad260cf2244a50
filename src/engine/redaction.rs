//! Which lines were redacted: replaced by what names them by their hash (formats.md, "A retraction and a redaction"). Ledgers in,
//! answers about a line out. Pure.

use crate::model::ledger::{Ledger, Line, LineHash};
use std::collections::HashMap;

/// The redactions of some ledgers.
#[derive(Debug, Default)]
pub(crate) struct Redactions<'l>(HashMap<LineHash, Vec<&'l Line>>);

impl<'l> Redactions<'l> {
    /// Those of `ledgers`.
    pub(crate) fn of(ledgers: impl IntoIterator<Item = &'l Ledger>) -> Self {
        Self::among(ledgers.into_iter().flat_map(|ledger| &ledger.lines))
    }

    /// Those among `lines`.
    pub(crate) fn among(lines: impl IntoIterator<Item = &'l Line>) -> Self {
        let mut found = Self::default();
        for line in lines {
            if let Some(redacted) = line.event.redacted() {
                found.0.entry(redacted.line).or_default().push(line);
            }
        }
        found
    }

    /// Whether one of them stands for `line`. Nothing is hashed where there is none, which is nearly everywhere.
    pub(crate) fn cover(&self, line: &[u8]) -> bool {
        !self.in_place_of(line).is_empty()
    }

    /// The lines that stand for `line`.
    pub(crate) fn in_place_of(&self, line: &[u8]) -> Vec<&'l [u8]> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let named = self.0.get(&LineHash::of(line)).into_iter().flatten();
        named.filter(|redaction| redaction.event.stands_for(line)).map(|redaction| &*redaction.bytes).collect()
    }
}
