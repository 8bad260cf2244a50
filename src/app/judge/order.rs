//! The order in which findings are listed.

use crate::finding::{Finding, Origin};
use std::cmp::Reverse;

/// What the change introduced before what it fixed, and what was there before last; each grouped by file, in the order of
/// lines, the worst first where no line is known.
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

/// What the change caused comes first, and what it did not cause last.
fn origin_order(origin: Option<Origin>) -> u8 {
    match origin {
        None | Some(Origin::Introduced) => 0,
        Some(Origin::Fixed | Origin::Deleted | Origin::Reworded | Origin::Withdrawn) => 1,
        Some(Origin::Inherited) => 2,
    }
}
