//! The order in which findings are listed.

use crate::finding::{Finding, Origin};
use std::cmp::Reverse;

/// Introduced findings first, then ended ones, then inherited ones. Each group is sorted by file and line; without a
/// line, by level, the worst first.
pub(super) fn listed(finding: &Finding) -> impl Ord {
    let place = finding.location.clone();
    (
        origin_order(finding.origin),
        place,
        Reverse(finding.level),
        finding.rule,
        finding.scenario.clone(),
        finding.key.clone(),
    )
}

/// The position of an origin: introduced first, inherited last.
fn origin_order(origin: Option<Origin>) -> u8 {
    match origin {
        None | Some(Origin::Introduced) => 0,
        Some(Origin::Fixed | Origin::Deleted | Origin::Reworded | Origin::Withdrawn) => 1,
        Some(Origin::Inherited) => 2,
    }
}
