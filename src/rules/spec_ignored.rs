//! `spec-ignored`: git ignores a root or a file of ours, and what git does not see nothing here judges.

use super::wording::{file, place};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::source::Position;
use crate::model::workspace::Hidden;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    found.extend(facts.hidden.iter().map(finding));
}

/// It stands where the rule stands, as far as that can be edited in the repository.
fn finding(hidden: &Hidden) -> Finding {
    let mut finding = Finding::new(RuleId::SpecIgnored, hidden.sentence());
    finding.location = match hidden.rule.tracked_file() {
        Some(path) => place(&path, Position { line: hidden.rule.line, column: 1 }),
        None => file(&hidden.path),
    };
    finding.about = std::iter::once(&hidden.path).chain(&hidden.files).map(|path| path.to_bstring()).collect();
    finding.help = hidden.repair();
    finding.key = format!("{}|{}", hidden.path, hidden.rule.pattern);
    finding
}
