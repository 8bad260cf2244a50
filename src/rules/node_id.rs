//! `node-id`: an id names one node.

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

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, WORKS};

    /// Two directories that give the same node id, and a third.
    fn alike(third: &str) -> Case {
        let files = [".spec/a/b_c/yatsu.md", ".spec/y/c/yatsu.md", third];
        files.into_iter().fold(Case::new(), |case, path| case.with(path, WORKS))
    }

    #[test]
    fn both_nodes_of_one_name_are_named() {
        insta::assert_snapshot!(alike(".spec/z/b/c/yatsu.md").told(RuleId::NodeId), @"
        .spec/a/b_c/yatsu.md: error[node-id] b_c: the node id b_c also names .spec/z/b/c
            help: rename one of the directories so that their names differ
        .spec/z/b/c/yatsu.md: error[node-id] b_c: the node id b_c also names .spec/a/b_c
            help: rename one of the directories so that their names differ
        ");
    }

    #[test]
    fn directories_that_end_alike_have_names_of_their_own() {
        assert_eq!(alike(".spec/z/c/yatsu.md").told(RuleId::NodeId), "");
    }
}
