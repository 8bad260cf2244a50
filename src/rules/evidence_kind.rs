//! `evidence-kind`: a pass carries what its tag asks for.

use super::wording::{of_scenario, pass_command};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::config::Config;
use crate::model::ledger::{Evidence, EvidenceKind, ReadingVerdict, Status};
use crate::model::scenario::Scenario;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    let config = &facts.workspace.config;
    for (node, scenario, score) in facts.scenarios() {
        let Some(reading) =
            score.latest.as_ref().filter(|reading| reading.verdict == ReadingVerdict::Measured(Status::Pass))
        else {
            continue;
        };
        for lack in lacking(config, scenario, &reading.evidence) {
            let mut finding = of_scenario(RuleId::EvidenceKind, node, scenario, lack.message);
            finding.help = format!("file it again with that evidence: {} {}", pass_command(node, scenario), lack.flags);
            finding.key = lack.tag;
            found.push(finding);
        }
    }
}

/// What a tag asks of a pass, and the pass has not.
pub struct Lack {
    /// The tag.
    pub tag: String,
    /// What it asks for, one sentence.
    pub message: String,
    /// The flags of `eval` that bring it.
    pub flags: String,
}

/// What a pass of `scenario` with this evidence lacks.
pub fn lacking(config: &Config, scenario: &Scenario, evidence: &[Evidence]) -> Vec<Lack> {
    let asks = scenario.tags.iter().filter_map(|tag| config.evidence_for.get_key_value(tag));
    let lack = |(tag, kinds): (&String, &Vec<EvidenceKind>)| {
        let list: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        let flags: Vec<&str> = kinds.iter().map(|kind| flag(*kind)).collect();
        let message = format!("a pass under the tag {tag} needs evidence of kind {}", list.join(" or "));
        Lack { tag: tag.clone(), message, flags: flags.join(" or ") }
    };
    asks.filter(|(_, kinds)| !evidence.iter().any(|piece| kinds.contains(&piece.kind))).map(lack).collect()
}

/// The flag of `eval` that files evidence of this kind.
fn flag(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::Image => "--image FILE",
        EvidenceKind::Video => "--video FILE",
        EvidenceKind::Transcript | EvidenceKind::Data => "--result FILE",
    }
}
