//! Finds redacted lines: a redaction names the replaced line by its hash (formats.md, "A retraction and a redaction").
//! Ledgers in, answers about a line out. Pure.

use crate::model::ledger::{Ledger, Line, LineHash};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
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

    /// The redactions that `before` does not have.
    fn since(mut self, before: &Self) -> Self {
        self.0.retain(|hash, _| !before.0.contains_key(hash));
        self
    }

    /// `text` with blank lines in the place of the lines that a redaction replaces.
    pub(crate) fn blanked(&self, text: &[u8]) -> Vec<u8> {
        let line = |whole: &[u8]| {
            let line = whole.trim_end_with(|end| end == '\n');
            let is_redacted = self.cover(line.strip_suffix(b"\r").unwrap_or(line));
            if is_redacted { whole[line.len()..].to_vec() } else { whole.to_vec() }
        };
        text.split_inclusive(|byte| *byte == b'\n').flat_map(line).collect()
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

/// The lines of `base` that `view` newly redacts, each with the directory of its node.
pub(crate) fn redacted_since<'l>(base: &'l Workspace, view: &Workspace) -> Vec<(&'l RepoPath, &'l Line)> {
    fn all(workspace: &Workspace) -> Redactions<'_> {
        Redactions::of(workspace.nodes.iter().flat_map(|node| &node.ledgers))
    }
    // nothing is hashed unless the change redacts a line
    let new = all(view).since(&all(base));
    let lines = |node: &'l Node| node.ledgers.iter().flat_map(|ledger| &ledger.lines).map(|line| (&node.dir, line));
    base.nodes.iter().flat_map(lines).filter(|(_, line)| new.cover(&line.bytes)).collect()
}
