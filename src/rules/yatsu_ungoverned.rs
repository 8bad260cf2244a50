//! `yatsu-ungoverned`: a scenario that no change of code can make stale.

use super::wording::of_scenario;
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::governed::{Found, Governed};
use crate::model::node::Node;
use crate::model::scenario::Scenario;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, scenario, _) in facts.scenarios() {
        if governed(node, scenario).iter().all(is_ghost) {
            let message = "governs nothing that exists: no change of code will make its readings stale".into();
            let mut finding = of_scenario(RuleId::YatsuUngoverned, node, scenario, message);
            finding.help = format!("name what it measures under `code:`, here or in {}/spec.md", node.dir);
            found.push(finding);
        }
    }
}

fn governed<'a>(node: &'a Node, scenario: &'a Scenario) -> &'a [Governed] {
    match &node.spec {
        Some(spec) if scenario.code.is_empty() => &spec.code,
        _ => &scenario.code,
    }
}

fn is_ghost(path: &Governed) -> bool {
    !matches!(path.found, Found::Path | Found::Glob | Found::Absent | Found::Untracked)
}
