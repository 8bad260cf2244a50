//! `ledger-redacted`: a line was replaced by its redaction; the replacement is always shown.

use super::wording::{at_line, of_node};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::ledger::{Event, Ledger, Line, Redacted};
use crate::model::node::Node;
use crate::text::escape::echo;
use std::collections::HashSet;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for node in &facts.workspace.nodes {
        // equal lines in several files of a home are one
        let mut seen: HashSet<&[u8]> = HashSet::new();
        for ledger in &node.ledgers {
            let lines = ledger.lines.iter().filter(|line| line.event.redacted().is_none() || seen.insert(&line.bytes));
            found.extend(lines.filter_map(|line| finding(node, ledger, line)));
        }
    }
}

fn finding(node: &Node, ledger: &Ledger, line: &Line) -> Option<Finding> {
    let (what, scenario, ts, by) = match &line.event {
        Event::Redaction(of) => ("line", &of.scenario, of.ts, &of.by),
        Event::Retraction(of) => ("retraction", &of.scenario, of.ts, &of.by),
        Event::Reading(_) | Event::Decision(_) | Event::Signature(_) | Event::Other | Event::Unknown(_) => return None,
    };
    let Redacted { line: hash, reason } = line.event.redacted()?;
    let by = by.as_ref().map_or(String::new(), |by| format!(" by {}", echo(by)));
    let text = format!("the {what} of {ts} was redacted{by}: {}", echo(reason));
    let mut finding = of_node(RuleId::LedgerRedacted, node, text);
    finding.scenario = Some(scenario.clone());
    finding.location = at_line(&ledger.path, line.number);
    finding.help = "nothing to do; older commits still hold the line".into();
    finding.key = hash.to_string();
    Some(finding)
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::model::ledger::{Event, encode_redaction, redact};
    use crate::rules::tests::case::{Case, LEDGER, reading};

    /// The redaction of a failed reading, as a line.
    fn redacted() -> String {
        match redact(reading("fail", 1).trim_end().as_bytes(), "a name", Some("the keeper")) {
            Some(Event::Redaction(redaction)) => encode_redaction(&redaction),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_that_was_redacted_is_named_with_the_reason() {
        insta::assert_snapshot!(Case::new().with(LEDGER, redacted() + "\n").told(RuleId::LedgerRedacted), @"
        .spec/n/yatsu.evals.ndjson:1:1: info[ledger-redacted] n/works: the line of 2026-01-01T00:01:00.000Z was redacted by the keeper: a name
            help: nothing to do; older commits still hold the line
        ");
    }

    #[test]
    fn a_line_that_stands_as_it_was_filed_is_fine() {
        assert_eq!(Case::new().with(LEDGER, reading("fail", 1)).told(RuleId::LedgerRedacted), "");
    }
}
