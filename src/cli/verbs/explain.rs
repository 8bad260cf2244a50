//! `explain`: what the rules mean.

use crate::cli::{Exit, stdio};
use crate::error::Result;
use crate::finding::RuleId;
use crate::rules;

/// Prints what a rule means, why it is there and how to mend a finding; without one, every rule's summary.
pub(super) fn explain(rule: Option<RuleId>) -> Result<Exit> {
    let text = match rule {
        Some(rule) => {
            let text = rules::explain(rule);
            format!("{}: {}\n\nWhy: {}\n\nTo mend: {}\n", rule.as_str(), text.summary, text.why, text.mend)
        }
        None => RuleId::ALL.map(|rule| format!("{:<18} {}\n", rule.as_str(), rules::explain(rule).summary)).concat(),
    };
    stdio::print(text.as_bytes()).map(|()| Exit::CLEAN)
}
