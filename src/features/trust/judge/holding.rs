//! Which signatures hold for which lines, apart from the key: the place, the project and the time. States and lines in,
//! reasons out; asks no program.

use crate::error::Result;
use crate::model::ledger::{Event, Ledger, Line, LineHash, Reading, Signature};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::tree::path::RepoPath;
use std::collections::HashMap;

/// A signature in a ledger of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FiledSignature<'w> {
    pub(crate) node: &'w Node,
    pub(crate) line: &'w Line,
    pub(crate) signature: &'w Signature,
}

/// Every signature in the ledgers of `node`.
pub(crate) fn signatures(node: &Node) -> impl Iterator<Item = FiledSignature<'_>> {
    node.ledgers.iter().flat_map(|ledger: &Ledger| &ledger.lines).filter_map(move |line| match &line.event {
        Event::Signature(signature) => Some(FiledSignature { node, line, signature }),
        _ => None,
    })
}

/// The lines in the ledgers of `node` by their hash, in their order.
pub(crate) fn lines_by_hash(node: &Node) -> HashMap<LineHash, Vec<&Line>> {
    let mut found: HashMap<LineHash, Vec<&Line>> = HashMap::new();
    for line in node.ledgers.iter().flat_map(|ledger| &ledger.lines) {
        found.entry(LineHash::of_object(&line.bytes)).or_default().push(line);
    }
    found
}

impl FiledSignature<'_> {
    /// Why it does not hold for `line`, which it names and which stands in a ledger of the same node of `view`. The reason is
    /// the end of a sentence about the signature. `project` is the base's. `was_in` says whether a ledger in a directory held
    /// the line before; it is asked only about a line that may have moved.
    ///
    /// # Errors
    /// Those of `was_in`.
    pub(crate) fn misfit(
        &self,
        view: &Workspace,
        project: Option<&str>,
        line: &Line,
        was_in: &dyn Fn(&RepoPath) -> Result<bool>,
    ) -> Result<Option<&'static str>> {
        let Signature { home, ts, wrong, .. } = self.signature;
        if !wrong.is_empty() {
            return Ok(Some("has a fault"));
        }
        if self.signature.project.as_deref() != project {
            return Ok(Some("is for another project"));
        }
        if line.event.ts() > *ts {
            return Ok(Some("is older than a line that it signs"));
        }
        let Some(home) = home else { return Ok(Some("has a fault")) };
        // a home that never held the line may be any word: its key would speak for a line that it never saw there
        let fits = *home == self.node.dir || may_have_moved(view, home, &line.event) && was_in(home)?;
        Ok((!fits).then_some("was made for another ledger"))
    }
}

/// Whether `event` may have come from the ledger in `home` with its scenario, which `home` declares no more. A reading must
/// carry its content: otherwise it could speak for other files of the same names.
fn may_have_moved(view: &Workspace, home: &RepoPath, event: &Event) -> bool {
    let Some(name) = event.scenario() else { return false };
    let declares = |node: &Node| {
        let cut_short = node.file.as_ref().is_some_and(|file| file.cut_short);
        cut_short || node.scenario(name).is_some()
    };
    let is_stamped = |reading: &Reading| reading.governed.is_some() && reading.scenario_hash.is_some();
    event.reading().is_none_or(is_stamped) && !view.node(home).is_some_and(declares)
}
