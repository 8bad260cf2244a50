//! `evidence-kind`: a pass carries what its tag asks for.

use super::wording::{of_scenario, pass_command};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::ledger::{ReadingVerdict, Status};

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let config = &facts.workspace.config;
    for (node, scenario, score) in facts.scenarios() {
        let Some(reading) =
            score.latest.as_ref().filter(|reading| reading.verdict == ReadingVerdict::Measured(Status::Pass))
        else {
            continue;
        };
        for lack in config.lacking(&scenario.tags, &reading.evidence) {
            let mut finding = of_scenario(RuleId::EvidenceKind, node, scenario, lack.sentence());
            finding.help =
                format!("file it again with that evidence: {} {}", pass_command(node, scenario), lack.flags());
            finding.key = lack.tag;
            found.push(finding);
        }
    }
}
