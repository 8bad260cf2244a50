//! `yatsu-uncovered`: a node that governs source code and says nothing about how to measure it.

use super::wording::of_node;
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::text::escape::echo;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let nodes = &facts.workspace.nodes;
    for (node, source) in nodes.iter().zip(&facts.source_files) {
        let (None, Some(source)) = (&node.file, source) else { continue };
        let message = format!("governs {} and declares no scenario", echo(&source.to_string()));
        let mut finding = of_node(RuleId::YatsuUncovered, node, message);
        finding.help = format!("declare how to measure it in {}", node.scenario_file(nodes));
        found.push(finding);
    }
}
