//! `yatsu-ungoverned`: a scenario that no change of code can make stale.

use super::wording::of_scenario;
use crate::engine::facts::Facts;
use crate::engine::freshness::governed;
use crate::finding::{Finding, RuleId};
use crate::model::governed::{Found, Governed};
use crate::names::SPEC;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, scenario, _) in facts.scenarios() {
        if !scenario.unread.code && governed(node, scenario).iter().all(is_ghost) {
            let message = "governs no file that exists: no change of code will make its readings stale".into();
            let mut finding = of_scenario(RuleId::YatsuUngoverned, node, scenario, message);
            finding.help = format!("list the measured files under `code:`, here or in {}/{SPEC}", node.dir);
            found.push(finding);
        }
    }
}

fn is_ghost(path: &Governed) -> bool {
    !matches!(path.found, Found::Path | Found::Glob | Found::Absent | Found::Untracked)
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, WORKS};

    #[test]
    fn a_scenario_over_nothing_is_named() {
        let over_nothing = Case::new().with(FILE, WORKS.replace("    code: src/a.rs\n", ""));
        insta::assert_snapshot!(over_nothing.told(RuleId::YatsuUngoverned), @"
        .spec/n/yatsu.md:3:5: warning[yatsu-ungoverned] n/works: governs no file that exists: no change of code will make its readings stale
            tags: cli
            help: list the measured files under `code:`, here or in .spec/n/spec.md
        ");
    }

    #[test]
    fn a_scenario_that_governs_by_itself_or_by_its_node_is_fine() {
        assert_eq!(Case::new().told(RuleId::YatsuUngoverned), "");
        let inherits = Case::new().with(FILE, WORKS.replace("    code: src/a.rs\n", ""));
        let inherits = inherits.with(".spec/n/spec.md", "---\ntitle: n\ncode: src/a.rs\n---\n");
        assert_eq!(inherits.told(RuleId::YatsuUngoverned), "");
    }
}
