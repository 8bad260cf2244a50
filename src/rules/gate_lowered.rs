//! `gate-lowered`: a change that weakens the gate says so.

use super::Change;
use crate::finding::{Finding, Location, RuleId};
use crate::model::config::lowered;
use crate::names::CONFIG_FILE;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    // of a merge the branch that takes it in, to which what the other side lowered is news; where nothing of ours was
    // before there was no gate to lower
    let Some(base) = change.bases.first().filter(|base| !base.workspace.nodes.is_empty()) else { return };
    for sentence in lowered(&base.workspace.config, change.own) {
        let mut finding = Finding::new(RuleId::GateLowered, sentence.clone());
        finding.location = Some(Location { path: CONFIG_FILE.into(), line: None, column: None });
        finding.help =
            "say in the commit message why, or take it back; what judges changes follows it from the next change on"
                .into();
        finding.key = sentence;
        found.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{CONFIG, Case, FILE, WORKS};

    fn with_rules(case: Case, rules: &str) -> Case {
        case.with(CONFIG, format!("{{\"yatsu\": {{\"rules\": {{{rules}}}}}}}"))
    }

    #[test]
    fn a_level_that_goes_down_is_named_also_where_the_rule_itself_is_switched_off() {
        let off = with_rules(Case::new().committed(), "\"stray-blob\": \"info\", \"gate-lowered\": \"off\"");
        insta::assert_snapshot!(off.told(RuleId::GateLowered), @"
        spexcode.json: warning[gate-lowered]: stray-blob is lowered from error to info
            help: say in the commit message why, or take it back; what judges changes follows it from the next change on
        spexcode.json: warning[gate-lowered]: gate-lowered is lowered from warning to off
            help: say in the commit message why, or take it back; what judges changes follows it from the next change on
        ");
    }

    #[test]
    fn a_level_that_goes_up_is_fine_and_so_is_a_first_configuration() {
        let up = with_rules(Case::new().committed(), "\"yatsu-drift\": \"error\"");
        assert_eq!(up.told(RuleId::GateLowered), "");
        let first = Case::new().without(FILE).committed().with(FILE, WORKS);
        assert_eq!(with_rules(first, "\"stray-blob\": \"info\"").told(RuleId::GateLowered), "");
    }
}
