//! Says when the segments of ledgers are many enough to fold them.

use crate::model::node::Node;
use crate::names::is_segment;
use crate::text::plural;

/// From so many segments in one home a fold is worth its commit.
const MANY_IN_ONE: usize = 50;
/// The same for all homes together.
const MANY_IN_ALL: usize = 500;

/// How many segments there are, and the command against that; `None` while they are few.
pub(crate) fn many(nodes: &[Node]) -> Option<(String, String)> {
    let of = |node: &Node| node.ledgers.iter().filter(|ledger| is_segment(ledger.path.name())).count();
    let counts: Vec<usize> = nodes.iter().map(of).collect();
    let (most, all) = (counts.iter().max().copied().unwrap_or(0), counts.iter().sum());
    let is_many = most >= MANY_IN_ONE || all >= MANY_IN_ALL;
    is_many.then(|| (plural(all, "segment"), "yatsu-hook fold, on main".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::Ledger;
    use crate::tree::path::RepoPath;

    fn nodes(counts: &[usize]) -> Vec<Node> {
        let ledger = |name: String| Ledger { path: RepoPath::from_git(name), ..Ledger::default() };
        let node = |count: &usize| Node {
            ledgers: (0..*count)
                .map(|number| ledger(format!("n/yatsu.{number}.evals.ndjson")))
                .chain([ledger("n/yatsu.evals.ndjson".into())])
                .collect(),
            ..Node::default()
        };
        counts.iter().map(node).collect()
    }

    #[test]
    fn a_fold_is_advised_from_fifty_in_a_home_or_five_hundred_in_all() {
        let said = |counts: &[usize]| many(&nodes(counts)).map(|(what, _)| what);
        assert_eq!(said(&[49, 3]), None);
        assert_eq!(said(&[50, 3]), Some("53 segments".into()));
        assert_eq!(said(&[45; 11]), None);
        assert_eq!(said(&[46; 11]), Some("506 segments".into()));
    }
}
