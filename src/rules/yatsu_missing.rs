//! `yatsu-missing`: a scenario that nobody has measured.

use super::wording::{eval_command, of_scenario};
use crate::engine::facts::{Facts, Standing};
use crate::finding::{Finding, RuleId};

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, scenario, score) in facts.scenarios() {
        if matches!(score.standing, Standing::Missing) {
            let mut finding = of_scenario(RuleId::YatsuMissing, node, scenario, "declared, never measured".into());
            // its only reading was lost or damaged by the same change: that is said where it happened
            finding.follows = &[RuleId::LedgerHistory, RuleId::LedgerSchema];
            finding.help = format!("measure it, then: {}", eval_command(node, scenario));
            found.push(finding);
        }
    }
}
