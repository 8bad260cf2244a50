//! `ledger-duplicate`: a line that a ledger holds twice counts once.

use super::wording::{at_line, of_node};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, filings) in facts.workspace.nodes.iter().zip(&facts.filings) {
        for repeated in &filings.repeated {
            let message = match repeated.is_keyed {
                true => format!("the same reading as line {}, filed again under its key", repeated.before),
                false => format!("the same line as line {}", repeated.before),
            };
            let mut finding = of_node(RuleId::LedgerDuplicate, node, message);
            finding.location = at_line(&repeated.ledger, repeated.number);
            finding.help = match repeated.is_keyed {
                true => "nothing to do; it counts once".into(),
                false => "it counts once; a copy that is not committed yet goes with: yatsu-hook repair".into(),
            };
            // the key is the line itself, because its number shifts when an earlier line goes
            finding.key = String::from_utf8_lossy(&repeated.bytes).into_owned();
            finding.names = repeated.key.iter().cloned().collect();
            found.push(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LEDGER, reading};

    #[test]
    fn the_second_of_two_equal_lines_is_named() {
        let twice = reading("pass", 1) + &reading("fail", 2) + &reading("pass", 1);
        insta::assert_snapshot!(Case::new().with(LEDGER, twice).told(RuleId::LedgerDuplicate), @"
        .spec/n/yatsu.evals.ndjson:3:1: info[ledger-duplicate] n: the same line as line 1
            help: it counts once; a copy that is not committed yet goes with: yatsu-hook repair
        ");
    }

    #[test]
    fn lines_that_differ_are_fine() {
        let two = reading("pass", 1) + &reading("pass", 2);
        assert_eq!(Case::new().with(LEDGER, two).told(RuleId::LedgerDuplicate), "");
    }
}
