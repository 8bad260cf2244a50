//! `signature-broken`: a change adds a signature that no key made of its line.

use super::{Change, WrongSignature};
use crate::finding::{Finding, RuleId};

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    found.extend(change.signatures.iter().filter(|one| one.is_broken).map(|one| finding(change, one)));
}

fn finding(change: &Change<'_>, one: &WrongSignature) -> Finding {
    let mut finding = of_signature(change, one, RuleId::SignatureBroken);
    finding.help = "delete the line and sign again: yatsu-hook sign NODE".into();
    finding
}

/// The finding about one signature line.
pub(super) fn of_signature(change: &Change<'_>, one: &WrongSignature, rule: RuleId) -> Finding {
    let added = &change.added[one.at];
    let mut finding = added.finding(rule, format!("this signature {}", one.why));
    finding.key = String::from_utf8_lossy(&added.line.bytes).into_owned();
    finding
}
