//! `evidence-reused`: new readings with old bytes.

use super::wording::place;
use super::{AddedLine, Change};
use crate::finding::{Finding, RuleId};
use crate::model::node::Node;
use crate::model::reading::{Event, EvidenceHash, Reading};
use crate::model::source::Position;
use std::collections::HashMap;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    if change.added.is_empty() {
        return;
    }
    let carriers = carriers(&change.view.workspace.nodes);
    for added in &change.added {
        let Event::Reading(reading) = &added.line.event else { continue };
        let elsewhere = reading.evidence.iter().find_map(|evidence| {
            let of = carriers.get(&evidence.hash)?;
            of.iter().find(|(other, name)| *other.dir.as_bstr() != added.node.dir || *name != reading.scenario)
        });
        let message = match (elsewhere, added.reuses) {
            (Some((other, name)), _) => format!("carries the same bytes as a reading of {}/{name}", other.id),
            (None, Some(ts)) => format!("carries the same bytes as the reading of {ts}, although the code has changed"),
            (None, None) => continue,
        };
        found.push(finding(added, reading, message));
    }
}

/// Who carries which bytes: the first, and the first other one. Whoever asks for another than itself asks no further, and
/// thousands of readings may share one piece.
fn carriers(nodes: &[Node]) -> HashMap<EvidenceHash, Vec<(&Node, &str)>> {
    let mut carriers: HashMap<EvidenceHash, Vec<(&Node, &str)>> = HashMap::new();
    for node in nodes {
        for line in node.ledgers.iter().flat_map(|ledger| &ledger.lines) {
            let Event::Reading(reading) = &line.event else { continue };
            for evidence in &reading.evidence {
                let of = carriers.entry(evidence.hash).or_default();
                let is_new = |(other, name): &(&Node, &str)| other.dir != node.dir || *name != reading.scenario;
                if of.len() < 2 && of.first().is_none_or(is_new) {
                    of.push((node, &reading.scenario));
                }
            }
        }
    }
    carriers
}

fn finding(added: &AddedLine, reading: &Reading, message: String) -> Finding {
    let mut finding = Finding::new(RuleId::EvidenceReused, message);
    finding.node = Some(added.node.clone());
    finding.scenario = Some(reading.scenario.clone());
    finding.location = place(&added.ledger, Position { line: added.line.number, column: 1 });
    finding.help = "measure again and file what this measurement showed".into();
    finding.key = reading.ts.to_string();
    finding
}
