//! `ledger-history`: what was filed stays filed.

use super::Change;
use super::wording::{file, shell_word};
use crate::engine::history::Lost;
use crate::finding::{Finding, NodeRef, RuleId};
use crate::model::node::Node;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    let bases = change.bases.iter().flat_map(|base| &base.workspace.nodes);
    let nodes: Vec<&Node> = change.view.workspace.nodes.iter().chain(bases).collect();
    found.extend(change.lost.iter().map(|lost| finding(lost, &nodes)));
}

fn finding(lost: &Lost, nodes: &[&Node]) -> Finding {
    let of = lost.scenario.as_ref().map_or(String::new(), |name| format!(" of {name}"));
    let mut finding = Finding::new(
        RuleId::LedgerHistory,
        format!("a committed ledger line{of} is gone or was edited: {}", String::from_utf8_lossy(&lost.line)),
    );
    let id = nodes.iter().find(|node| node.dir == lost.dir).map_or_else(String::new, |node| node.id.clone());
    finding.node = Some(NodeRef { dir: lost.dir.to_bstring(), id });
    finding.scenario = lost.scenario.clone();
    finding.location = file(&lost.ledger);
    finding.help = format!(
        "put it back: yatsu-hook repair {} --restore HEAD   (to withdraw a reading, retract it)",
        shell_word(&lost.dir.to_string())
    );
    finding.key = String::from_utf8_lossy(&lost.line).into_owned();
    finding
}
