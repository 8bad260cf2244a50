//! The entries that say which files a scenario is judged by, beside the files that its latest reading stamped. Nodes in,
//! entries of lists out. Pure.

use super::effective::Effective;
use super::freshness::governed;
use crate::model::governed::Governed;
use crate::model::ledger::Reading;
use crate::model::node::Node;
use crate::model::scenario::Scenario;

/// The test of a scenario, if its latest reading has no stamp of it: then no reading names the files of the test.
pub(crate) fn unstamped_test<'n>(node: &Node, scenario: &'n Scenario) -> Option<&'n Governed> {
    let test = scenario.test.as_ref().filter(|_| node.readings().any(Reading::has_unstamped_test))?;
    Effective::of(node).latest(&scenario.name).filter(|latest| latest.has_unstamped_test()).map(|_| test)
}

/// The entries that say which files a scenario is judged by: its list, and its test if no stamp says which files that had.
/// Every door that asks which scenarios a path concerns asks these, beside the files that the latest reading stamped.
pub(crate) fn watched<'n>(node: &'n Node, scenario: &'n Scenario) -> impl Iterator<Item = &'n Governed> {
    governed(node, scenario).iter().chain(unstamped_test(node, scenario))
}
