//! `evidence-kind`: a pass carries what its tag asks for.

use super::wording::{of_scenario, pass_command};
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
            let flags: Vec<&str> = kinds.iter().map(|kind| flag(*kind)).collect();
            finding.help =
                format!("file it again with that evidence: {} {}", pass_command(node, scenario), flags.join(" or "));
            finding.key.clone_from(tag);
            found.push(finding);
        }
    }
}

/// The flag of `eval` that files evidence of this kind.
fn flag(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::Image => "--image FILE",
        EvidenceKind::Video => "--video FILE",
        EvidenceKind::Transcript | EvidenceKind::Data => "--result FILE",
    }
}

fn carries(reading: &Reading, kinds: &[EvidenceKind]) -> bool {
    reading.evidence.iter().any(|evidence| kinds.contains(&evidence.kind))
}
