//! `signature-broken`: a change adds a signature that no key made of its line.

use crate::features::trust::judge::facts::{WrongSignature, WrongSignatures};
use crate::finding::{Finding, RuleId};
use crate::rules::{CHANGES, Change, Check, Explanation, Rule, plain_rule};

pub(crate) const RULE: Rule = plain_rule(
    RuleId::SignatureBroken,
    &Explanation::of(
        "A change adds a signature that no key made of this line: its bytes were edited, it was made for another program, or it is none.",
        "Such a line only looks like the word of a key's owner.",
        "Delete the line before it is committed, and sign again: yatsu-hook sign NODE.",
    ),
    CHANGES,
    &[Check::Change(check)],
);

fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    found.extend(wrong(change).iter().filter(|one| one.is_broken).map(|one| finding(change, one)));
}

fn finding(change: &Change<'_>, one: &WrongSignature) -> Finding {
    let mut finding = of_signature(change, one, RuleId::SignatureBroken);
    finding.help = "delete the line and sign again: yatsu-hook sign NODE".into();
    finding
}

/// The added signatures that do not hold.
pub(super) fn wrong<'c>(change: &'c Change<'_>) -> &'c [WrongSignature] {
    change.parts.get::<WrongSignatures>().map_or(&[], |all| &all.0)
}

/// The finding about one signature line.
pub(super) fn of_signature(change: &Change<'_>, one: &WrongSignature, rule: RuleId) -> Finding {
    let added = &change.added[one.at];
    let mut finding = added.finding(rule, format!("this signature {}", one.why));
    finding.key = String::from_utf8_lossy(&added.line.bytes).into_owned();
    finding
}
