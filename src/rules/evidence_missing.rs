//! `evidence-missing`: a new reading names bytes that are not here.

use super::wording::place;
use super::{Change, Door};
use crate::finding::{Finding, RuleId};
use crate::model::ledger::{Event, EvidenceHash, Reading};
use crate::model::source::Position;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    // a machine that never had evidence, a server or a CI runner, would miss every piece of it
    if change.door == Door::Commits && change.no_evidence {
        return;
    }
    for added in change.added.iter().filter(|added| !added.moved) {
        let Event::Reading(reading) = &added.line.event else { continue };
        for hash in hashes(reading).filter(|hash| change.absent_evidence.contains(hash)) {
            let message = format!("this evidence cache does not hold {hash}");
            let mut finding = Finding::new(RuleId::EvidenceMissing, message);
            finding.node = Some(added.node.clone());
            finding.scenario = Some(reading.scenario.clone());
            finding.location = place(&added.ledger, Position { line: added.line.number, column: 1 });
            finding.help = "fetch the bytes from where they were measured: yatsu-hook evidence put FILE".into();
            finding.key = format!("{}|{hash}", reading.ts);
            found.push(finding);
        }
    }
}

fn hashes(reading: &Reading) -> impl Iterator<Item = EvidenceHash> {
    reading.evidence.iter().map(|evidence| evidence.hash).chain(reading.timeline)
}
