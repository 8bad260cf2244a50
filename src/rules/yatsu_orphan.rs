//! `yatsu-orphan`: readings of a scenario that is not declared any more.

use super::wording::{file, of_node};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::node::Node;
use crate::text::plural;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, filings) in facts.workspace.nodes.iter().zip(&facts.filings) {
        for (scenario, readings) in &filings.orphans {
            if may_be_declared(node) {
                continue;
            }
            let message = format!("{} of a scenario that is not declared here", plural(*readings, "reading"));
            let mut finding = of_node(RuleId::YatsuOrphan, node, message);
            finding.scenario = Some(scenario.clone());
            finding.location = node.ledgers.first().and_then(|ledger| file(&ledger.path));
            finding.help = "declare the scenario again under its old name, or leave its history as it is".into();
            found.push(finding);
        }
    }
}

/// An unreadable entry, or the unread rest of a file, may declare the scenario.
fn may_be_declared(node: &Node) -> bool {
    node.file.as_ref().is_some_and(|file| file.cut_short)
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LEDGER, reading};

    #[test]
    fn readings_of_what_nobody_declares_are_named() {
        let gone = reading("pass", 1).replace("works", "shines");
        insta::assert_snapshot!(Case::new().with(LEDGER, gone).told(RuleId::YatsuOrphan), @"
        .spec/n/yatsu.evals.ndjson: info[yatsu-orphan] n/shines: 1 reading of a scenario that is not declared here
            help: declare the scenario again under its old name, or leave its history as it is
        ");
    }

    #[test]
    fn readings_of_what_is_declared_are_fine() {
        assert_eq!(Case::new().with(LEDGER, reading("pass", 1)).told(RuleId::YatsuOrphan), "");
    }
}
