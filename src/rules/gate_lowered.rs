//! `gate-lowered`: a change that weakens the gate says so.

use super::Change;
use crate::finding::{Finding, Location, RuleId};
use crate::model::config::lowered;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    // where nothing of ours was before there was no gate to lower
    let Some(base) = change.bases.first().filter(|base| !base.workspace.nodes.is_empty()) else { return };
    for sentence in lowered(&base.workspace.config, change.own) {
        let mut finding = Finding::new(RuleId::GateLowered, sentence.clone());
        finding.location = Some(Location { path: "spexcode.json".into(), line: None, column: None });
        finding.help =
            "say in the commit message why, or take it back; what judges changes follows it from the next change on"
                .into();
        finding.key = sentence;
        found.push(finding);
    }
}
