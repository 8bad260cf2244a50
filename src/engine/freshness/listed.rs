//! Gates ask more of a reading without a stamp than a score does: the commit says what the list governed, and another list
//! since then may leave out what was measured (freshness.md, "A shorter list").

use super::{Judge, governed};
use crate::engine::anchors::Testimony;
use crate::error::Result;
use crate::model::governed::Governed;
use crate::model::ledger::Reading;
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

impl Judge<'_> {
    /// Whether a stamp says what `reading` measured, or its commit declares the list of the view.
    ///
    /// # Errors
    /// The commit's tree cannot be read.
    pub(crate) fn knows_list(&self, node: &Node, scenario: &Scenario, reading: &Reading) -> Result<bool> {
        if reading.governed.is_some() {
            return Ok(true);
        }
        let Testimony::Tree(anchor) = self.measured(reading.code_sha)? else { return Ok(false) };
        let now: BTreeSet<RepoPath> = governed(node, scenario).iter().flat_map(spelled).collect();
        self.old.scenarios.declares_list(&anchor, self.contents.view, Declared { node, scenario }, &now)
    }
}

/// The paths that an entry means in some view, as a parser leaves it.
fn spelled(entry: &Governed) -> Vec<RepoPath> {
    let paths = |entry: &Governed| entry.literals().chain(entry.wholes()).cloned().collect();
    // this view has a path of the whole text, so the other meaning was dropped
    let is_resolved = entry.whole.is_none() && entry.text.contains('#');
    if is_resolved { paths(&Governed::parse(&entry.text, entry.at, None)) } else { paths(entry) }
}
