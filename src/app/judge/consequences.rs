//! What follows from another finding of the same change is not said beside it: who deletes a governed file reads that
//! once, and not that its scenario is stale and governs nothing, too. A rule says by itself which rules would say its
//! cause ([`Finding::follows`]); here they meet, once levels are known.

use crate::finding::{Finding, Origin};

/// Drops every introduced finding whose cause is introduced, too, and no less severe: what is only advice, or switched
/// off, would hide something worse.
pub(crate) fn drop(findings: &mut Vec<Finding>) {
    let said: Vec<Finding> = findings.iter().filter(|finding| is_introduced(finding)).cloned().collect();
    findings.retain(|finding| !is_introduced(finding) || !said.iter().any(|cause| explains(cause, finding)));
}

fn is_introduced(finding: &Finding) -> bool {
    finding.origin == Some(Origin::Introduced)
}

/// Whether `cause` is about the same scenario, or about the whole node, and says why `finding` is there.
fn explains(cause: &Finding, finding: &Finding) -> bool {
    finding.follows.contains(&cause.rule)
        && cause.level >= finding.level
        && cause.node.as_ref().map(|node| &node.dir) == finding.node.as_ref().map(|node| &node.dir)
        && (cause.scenario.is_none() || cause.scenario == finding.scenario)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Level, NodeRef, RuleId};

    fn finding(rule: RuleId, dir: &str, scenario: Option<&str>) -> Finding {
        Finding {
            level: rule.default_level(),
            origin: Some(Origin::Introduced),
            node: Some(NodeRef { dir: dir.into(), id: dir.into() }),
            scenario: scenario.map(str::to_owned),
            follows: if rule == RuleId::YatsuDrift { &[RuleId::YatsuSchema] } else { &[] },
            ..Finding::new(rule, "")
        }
    }

    fn kept(cause: Finding) -> usize {
        let mut both = vec![finding(RuleId::YatsuDrift, "a", Some("one")), cause];
        drop(&mut both);
        both.len()
    }

    #[test]
    fn only_a_cause_about_the_same_thing_in_the_same_change_hides_what_follows() {
        let cause = |dir, scenario| finding(RuleId::YatsuSchema, dir, scenario);
        assert_eq!(kept(cause("a", Some("one"))), 1);
        assert_eq!(kept(cause("a", None)), 1, "the whole node");
        assert_eq!(kept(cause("a", Some("two"))), 2);
        assert_eq!(kept(cause("b", Some("one"))), 2);
        assert_eq!(kept(Finding { level: Level::Info, ..cause("a", None) }), 2, "advice hides nothing worse");
        assert_eq!(kept(Finding { origin: Some(Origin::Inherited), ..cause("a", None) }), 2);
        assert_eq!(kept(finding(RuleId::LedgerSchema, "a", None)), 2);
    }

    #[test]
    fn what_was_there_before_stays() {
        let old = Finding { origin: Some(Origin::Inherited), ..finding(RuleId::YatsuDrift, "a", Some("one")) };
        let mut both = vec![old, finding(RuleId::YatsuSchema, "a", None)];
        drop(&mut both);
        assert_eq!(both.len(), 2);
    }
}
