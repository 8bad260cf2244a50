//! `promoted-unproven` in the graph: branches that are already in the main branch.

use crate::features::graph::judge::gaps::GraphGaps;
use crate::features::patches::rules::promoted_unproven::{NAMED, more_than};
use crate::finding::{Finding, RuleId};
use crate::text::escape::echo;

pub(crate) fn check(gaps: &GraphGaps, found: &mut Vec<Finding>) {
    for patch in &gaps.unproven {
        let named: Vec<_> = patch.touches.iter().take(NAMED).map(|name| echo(name)).collect();
        let more = more_than(patch.touches.len());
        let branch = echo(&patch.branch);
        let message = format!("{branch} was promoted without proof; it touches {}{more}", named.join(", "));
        let mut finding = Finding::new(RuleId::PromotedUnproven, message);
        finding.help = "measure its scenarios on the main branch: `yatsu-hook scan` names them".to_owned();
        finding.key.clone_from(&patch.branch);
        found.push(finding);
    }
}
