//! `promoted-unproven` in the graph: branches that are already in the main branch.

use crate::features::graph::judge::gaps::GraphGaps;
use crate::finding::{Finding, RuleId};
use crate::text::escape::echo;
use crate::text::first_of;

/// The number of scenarios that a finding names.
const NAMED: usize = 3;

pub(crate) fn check(gaps: &GraphGaps, found: &mut Vec<Finding>) {
    for patch in &gaps.unproven {
        let named = first_of(patch.touches.iter().map(|name| echo(name)), NAMED);
        let message = format!("{} was promoted without proof; it touches {named}", echo(&patch.branch));
        let mut finding = Finding::new(RuleId::PromotedUnproven, message);
        finding.help = "measure its scenarios on the main branch: `yatsu-hook scan` names them".to_owned();
        finding.key.clone_from(&patch.branch);
        found.push(finding);
    }
}
