//! `yatsu-uncovered`: a node that governs source code and declares no scenario.

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

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, WORKS};

    const NODE_OVER_SOURCE: &str = "---\ntitle: m\ncode: src\n---\n";

    #[test]
    fn a_node_over_source_that_declares_nothing_is_named() {
        let case = Case::new().with(".spec/m/spec.md", NODE_OVER_SOURCE);
        insta::assert_snapshot!(case.told(RuleId::YatsuUncovered), @"
        .spec/m/spec.md: warning[yatsu-uncovered] m: governs src/a.rs and declares no scenario
            help: declare how to measure it in .spec/m/yatsu.md
        ");
    }

    #[test]
    fn a_node_with_a_scenario_and_a_node_over_prose_are_fine() {
        let declared = Case::new().with(".spec/m/spec.md", NODE_OVER_SOURCE).with(".spec/m/yatsu.md", WORKS);
        assert_eq!(declared.told(RuleId::YatsuUncovered), "");
        let prose =
            Case::new().with("notes.md", "words").with(".spec/m/spec.md", "---\ntitle: m\ncode: notes.md\n---\n");
        assert_eq!(prose.told(RuleId::YatsuUncovered), "");
    }
}
