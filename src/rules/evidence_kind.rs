//! `evidence-kind`: a pass carries what its tag asks for.

use super::wording::{eval_command, of_scenario};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::reading::{EvidenceKind, Reading, Status, Verdict};

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let wanted = &facts.workspace.config.evidence_for;
    for (node, scenario, score) in facts.scenarios() {
        let Some(reading) = score.latest.as_ref().filter(|reading| reading.verdict == Verdict::Measured(Status::Pass))
        else {
            continue;
        };
        for (tag, kinds) in scenario.tags.iter().filter_map(|tag| wanted.get_key_value(tag)) {
            if carries(reading, kinds) {
                continue;
            }
            let list: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
            let message = format!("a pass under the tag {tag} needs evidence of kind {}", list.join(" or "));
            let mut finding = of_scenario(RuleId::EvidenceKind, node, scenario, message);
            finding.help = format!("file it again with that evidence: {}", eval_command(node, scenario));
            finding.key.clone_from(tag);
            found.push(finding);
        }
    }
}

fn carries(reading: &Reading, kinds: &[EvidenceKind]) -> bool {
    reading.evidence.iter().any(|evidence| kinds.contains(&evidence.kind))
}
