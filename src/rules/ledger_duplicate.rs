//! `ledger-duplicate`: the same line twice counts once.

use super::wording::{of_node, place, shell_word};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::source::Position;
use std::collections::HashMap;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for node in &facts.workspace.nodes {
        let mut first = HashMap::new();
        for ledger in &node.ledgers {
            for line in &ledger.lines {
                let Some(number) = first.insert(&line.bytes, line.number) else { continue };
                let mut finding = of_node(RuleId::LedgerDuplicate, node, format!("the same line as line {number}"));
                finding.location = place(&ledger.path, Position { line: line.number, column: 1 });
                finding.help = format!("it counts once; yatsu-hook repair {}", shell_word(&node.dir.to_string()));
                finding.key = String::from_utf8_lossy(&line.bytes).into_owned();
                found.push(finding);
            }
        }
    }
}
