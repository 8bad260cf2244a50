//! `node-id`: one name, one node.

use super::wording::of_node;
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::text::escape::echo;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for node in facts.workspace.nodes.iter().filter(|node| !node.same_id.is_empty()) {
        let others: Vec<String> = node.same_id.iter().map(ToString::to_string).collect();
        let message = format!(
            "the node id {} also names {}",
            echo(&node.id),
            others.iter().map(|dir| echo(dir)).collect::<Vec<_>>().join(", ")
        );
        let mut finding = of_node(RuleId::NodeId, node, message);
        finding.help = "rename one of the directories so that their names differ".into();
        finding.key.clone_from(&node.id);
        found.push(finding);
    }
}
