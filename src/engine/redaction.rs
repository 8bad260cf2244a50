//! Finds redacted lines: a redaction names the replaced line by its hash (formats.md, "A retraction and a redaction").
//! Ledgers in, answers about a line out. Pure.

use crate::model::ledger::{Ledger, Line, LineHash};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(crate) struct Redactions<'l>(HashMap<LineHash, Vec<&'l Line>>);

impl<'l> Redactions<'l> {
    pub(crate) fn of(ledgers: impl IntoIterator<Item = &'l Ledger>) -> Self {
        Self::among(ledgers.into_iter().flat_map(|ledger| &ledger.lines))
    }

    pub(crate) fn among(lines: impl IntoIterator<Item = &'l Line>) -> Self {
        let mut found = Self::default();
        for line in lines {
            if let Some(redacted) = line.event.redacted() {
                found.0.entry(redacted.line).or_default().push(line);
            }
        }
        found
    }

    /// Whether a redaction replaces `line`. Without redactions, the usual case, nothing is hashed.
    pub(crate) fn cover(&self, line: &[u8]) -> bool {
        !self.in_place_of(line).is_empty()
    }

    pub(crate) fn in_place_of(&self, line: &[u8]) -> Vec<&'l [u8]> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let named = self.0.get(&LineHash::of(line)).into_iter().flatten();
        named.filter(|redaction| redaction.event.stands_for(line)).map(|redaction| &*redaction.bytes).collect()
    }
}
