//! One state, asked where a line stands and who declares a scenario. What is asked for is indexed on the first question:
//! most changes only append, and ask nothing.

use super::raw_lines;
use crate::engine::redaction::Redactions;
use crate::model::ids::nfc;
use crate::model::ledger::EvidenceHash;
use crate::model::node::Node;
use crate::model::scenario::{Scenario, ScenarioFile};
use crate::model::workspace::Workspace;
use crate::tree::path::RepoPath;
use std::cell::OnceCell;
use std::collections::HashMap;

/// A workspace with its indexes.
pub(super) struct IndexedWorkspace<'w> {
    workspace: &'w Workspace,
    homes: OnceCell<HashMap<&'w [u8], Vec<&'w Node>>>,
    declaring: OnceCell<HashMap<String, Vec<(&'w Node, &'w Scenario)>>>,
    redactions: OnceCell<Redactions<'w>>,
}

impl<'w> IndexedWorkspace<'w> {
    /// Nothing is indexed yet.
    pub(super) fn of(workspace: &'w Workspace) -> Self {
        Self { workspace, homes: OnceCell::new(), declaring: OnceCell::new(), redactions: OnceCell::new() }
    }

    /// The node of a directory.
    pub(super) fn node(&self, dir: &RepoPath) -> Option<&'w Node> {
        self.workspace.node(dir)
    }

    /// The nodes that hold a line, in their order.
    pub(super) fn homes(&self, line: &[u8]) -> &[&'w Node] {
        let homes = self.homes.get_or_init(|| {
            let mut homes: HashMap<&[u8], Vec<&Node>> = HashMap::new();
            for node in &self.workspace.nodes {
                raw_lines(node).for_each(|line| homes.entry(line).or_default().push(node));
            }
            homes
        });
        homes.get(line).map_or(&[], Vec::as_slice)
    }

    /// The nodes whose files name a scenario, in their order.
    pub(super) fn declaring(&self, scenario: &str) -> &[(&'w Node, &'w Scenario)] {
        let declaring = self.declaring.get_or_init(|| {
            let mut declaring: HashMap<String, Vec<(&Node, &Scenario)>> = HashMap::new();
            for node in &self.workspace.nodes {
                let declared = node.file.iter().flat_map(|file| &file.scenarios);
                declared.for_each(|scenario| declaring.entry(nfc(&scenario.name)).or_default().push((node, scenario)));
            }
            declaring
        });
        declaring.get(nfc(scenario).as_str()).map_or(&[], Vec::as_slice)
    }

    /// What stands for a line.
    pub(super) fn redactions(&self) -> &Redactions<'w> {
        self.redactions.get_or_init(|| Redactions::of(self.workspace.nodes.iter().flat_map(|node| &node.ledgers)))
    }

    /// The text with which `node` declares a scenario.
    pub(super) fn text(&self, node: &Node, scenario: &str) -> Option<EvidenceHash> {
        self.declaring(scenario).iter().find(|(at, _)| at.dir == node.dir).map(|(_, declared)| declared.text_hash)
    }
}

/// Whether the directory of `node` declares the scenario for all that can be told: of a file that could not be read to its
/// end, and of a second one, nobody knows.
pub(super) fn may_declare(node: &Node, scenario: &str) -> bool {
    let wanted = nfc(scenario);
    let names =
        |file: &ScenarioFile| file.cut_short || file.scenarios.iter().any(|declared| nfc(&declared.name) == wanted);
    node.second_file.is_some() || node.file.as_ref().is_some_and(names)
}
