//! `ledger-schema`: every ledger line is one whole event, and a line that is added testifies to something.

use super::wording::{of_node, of_problem, place};
use super::{AddedLine, Change};
use crate::engine::facts::{Facts, Filings};
use crate::finding::{Finding, Level, RuleId};
use crate::model::node::Node;
use crate::model::reading::{Event, Reading, Timestamp, Verdict};
use crate::model::source::Position;

const RULE: RuleId = RuleId::LedgerSchema;
const DAY: i64 = 24 * 60 * 60 * 1000;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, filings) in facts.workspace.nodes.iter().zip(&facts.filings) {
        for ledger in &node.ledgers {
            found.extend(ledger.problems.iter().map(|problem| of_problem(RULE, node, &ledger.path, problem)));
        }
        found.extend(events(node, filings));
    }
}

/// What is whole line by line and odd together: never more than advice.
fn events(node: &Node, filings: &Filings) -> Vec<Finding> {
    let unmatched = filings.unmatched.iter().map(|(scenario, retracts)| {
        let text = format!("the retraction of {retracts} of {scenario} withdraws nothing");
        let mut finding = advice(node, text, scenario, Level::Info);
        finding.help = "nothing to do; it stays without effect".into();
        finding.key = format!("unmatched|{retracts}");
        finding
    });
    let collisions = filings.collisions.iter().map(|(scenario, ts)| {
        let text = format!("two different readings of {scenario} carry the time {ts}");
        let mut finding = advice(node, text, scenario, Level::Warning);
        finding.help =
            "delete the one that no commit holds; where both are committed, a retraction of that time withdraws both"
                .into();
        finding.key = format!("collision|{ts}");
        finding
    });
    unmatched.chain(collisions).collect()
}

fn advice(node: &Node, message: String, scenario: &str, level: Level) -> Finding {
    let mut finding = of_node(RULE, node, message);
    finding.scenario = Some(scenario.to_owned());
    finding.location = node.ledgers.first().and_then(|ledger| super::wording::file(&ledger.path));
    finding.at_most = Some(level);
    finding
}

/// What may stand in an old line but not be added: a reading that commits to nothing, a time that has not come, a
/// stamp that its commit contradicts.
pub(super) fn added(change: &Change<'_>, found: &mut Vec<Finding>) {
    found.extend(change.added.iter().flat_map(|added| of_line(added, change.now)));
}

fn of_line(added: &AddedLine, now: Timestamp) -> Vec<Finding> {
    let (scenario, ts) = match &added.line.event {
        Event::Reading(reading) => (&reading.scenario, reading.ts),
        Event::Retraction(retraction) => (&retraction.scenario, retraction.ts),
        Event::Other => return Vec::new(),
    };
    let mut said = Vec::new();
    if ts.millis - now.millis > DAY {
        said.push((
            "future",
            format!("its time {ts} lies more than a day ahead"),
            "set the clock right and file again",
        ));
    }
    if let Event::Reading(reading) = &added.line.event {
        said.extend(of_reading(reading, added));
    }
    let finding = |(kind, message, help): (&str, String, &str)| {
        let mut finding = Finding::new(RULE, message);
        finding.node = Some(added.node.clone());
        finding.scenario = Some(scenario.clone());
        finding.location = place(&added.ledger, Position { line: added.line.number, column: 1 });
        finding.help = help.into();
        finding.key = format!("added-{kind}|{}", String::from_utf8_lossy(&added.line.bytes));
        finding
    };
    said.into_iter().map(finding).collect()
}

fn of_reading(reading: &Reading, added: &AddedLine) -> Vec<(&'static str, String, &'static str)> {
    let mut said = Vec::new();
    if reading.verdict == Verdict::Legacy {
        said.push(("verdict", "a new reading needs a verdict of pass or fail".into(), "file it with yatsu-hook eval"));
    }
    if reading.code_sha.is_none() {
        let message = "a new reading needs codeSha, the commit that was measured".into();
        said.push(("commit", message, "file it with yatsu-hook eval"));
    }
    if added.not_a_commit {
        let message = "its codeSha names an object that is no commit".into();
        said.push(("commit", message, "file it with yatsu-hook eval"));
    }
    if let Some(path) = added.contradicted.first() {
        let message = format!("its stamp of {path} is not what its commit holds, and it does not say dirty");
        said.push(("stamp", message, "measure again and file with yatsu-hook eval"));
    }
    said
}
