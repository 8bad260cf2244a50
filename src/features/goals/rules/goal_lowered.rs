//! Goal contracts that require less than before, and decisions that let a node try again. The findings have the rule
//! `gate-lowered`.

use crate::features::goals::judge::engine::collect::decided;
use crate::features::goals::model::weakened::weakened;
use crate::finding::{Finding, RuleId};
use crate::model::contract::Contract;
use crate::model::ledger::{Event, GoalDecisionKind};
use crate::model::node::Node;
use crate::rules::gate_lowered::gate;
use crate::rules::wording::of_node;
use crate::rules::{AddedLine, Change};
use crate::text::escape::echo;

pub(crate) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    let Some(base) = gate(change) else { return };
    let nodes = &change.view.workspace.nodes;
    let has = |content| nodes.iter().filter_map(contract).any(|now| now.content_hash() == content);
    for (old, was) in base.workspace.nodes.iter().filter_map(|node| Some((node, contract(node)?))) {
        let node = change.view.workspace.node(&old.dir);
        let said = match (node, node.and_then(contract)) {
            (_, Some(is)) => weakened(was, is),
            // the contract moved with its node
            (None, None) if has(was.content_hash()) => Vec::new(),
            (_, None) => vec!["it is gone, or cannot be read".to_owned()],
        };
        found.extend(said.into_iter().map(|sentence| eased(node.unwrap_or(old), &sentence)));
    }
    found.extend(change.added.iter().filter(|added| !added.moved).filter_map(unblocked));
}

fn contract(node: &Node) -> Option<&Contract> {
    node.file.as_ref().and_then(|file| file.goal.contract())
}

fn eased(node: &Node, sentence: &str) -> Finding {
    let mut finding = of_node(RuleId::GateLowered, node, format!("its goal contract asks for less: {sentence}"));
    finding.help = "say in the commit message why, or take it back; its attempts are counted anew".into();
    finding.key = format!("contract|{sentence}");
    finding
}

/// An added line that lets a node try again.
fn unblocked(added: &AddedLine) -> Option<Finding> {
    let Event::Decision(decision) = &added.line.event else { return None };
    let decision = decided(decision, &added.ledger, added.line.number)?;
    if decision.kind != GoalDecisionKind::Unblock {
        return None;
    }
    let (by, why) = (echo(&decision.by), decision.reason.as_deref().map(echo).unwrap_or_default());
    let mut finding = added.finding(RuleId::GateLowered, format!("its goal is unblocked by {by}: {why}"));
    finding.help = "its attempts are counted anew; say in the commit message why".into();
    finding.key = String::from_utf8_lossy(&added.line.bytes).into_owned();
    Some(finding)
}
