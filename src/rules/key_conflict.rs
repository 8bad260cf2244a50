//! `key-conflict`: one idempotency key stands for one reading. Two writers that used the same key for different readings,
//! each in a clone of its own, meet here.

use super::wording::{at_line, of_node};
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::model::reference::scenario_word;
use crate::text::escape::echo;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, filings) in facts.workspace.nodes.iter().zip(&facts.filings) {
        for conflict in &filings.conflicts {
            let [first, second] = conflict.times;
            let key = echo(&conflict.key);
            let message = format!("the key {key} stands for two different readings, of {first} and of {second}");
            let mut finding = of_node(RuleId::KeyConflict, node, message);
            finding.scenario = Some(conflict.scenario.clone());
            finding.location = at_line(&conflict.ledger, conflict.line);
            finding.help = format!(
                "withdraw the wrong one: yatsu-hook retract {} --ts {second}   (or --ts {first})",
                scenario_word(&node.id, &conflict.scenario)
            );
            finding.key = format!("{}|{first}|{second}", conflict.key);
            finding.names = vec![conflict.key.clone()];
            found.push(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LEDGER, reading};

    fn keyed(status: &str, minute: u32, terms: &str) -> String {
        reading(status, minute).replace("\"ts\"", &format!("{terms},\"ts\""))
    }

    #[test]
    fn one_key_for_two_different_readings_is_named_until_one_is_withdrawn() {
        let two = keyed("pass", 1, "\"key\":\"k\"") + &keyed("fail", 2, "\"key\":\"k\"");
        insta::assert_snapshot!(Case::new().with(LEDGER, &two).told(RuleId::KeyConflict), @"
        .spec/n/yatsu.evals.ndjson:2:1: error[key-conflict] n/works: the key k stands for two different readings, of 2026-01-01T00:01:00.000Z and of 2026-01-01T00:02:00.000Z
            help: withdraw the wrong one: yatsu-hook retract n/works --ts 2026-01-01T00:02:00.000Z   (or --ts 2026-01-01T00:01:00.000Z)
        ");
        let withdrawn =
            "{\"retracts\":\"2026-01-01T00:02:00.000Z\",\"scenario\":\"works\",\"ts\":\"2026-01-01T00:03:00.000Z\"}\n";
        assert_eq!(Case::new().with(LEDGER, two + withdrawn).told(RuleId::KeyConflict), "");
    }

    #[test]
    fn the_same_reading_twice_another_attempt_and_another_key_are_fine() {
        let lines = keyed("pass", 1, "\"key\":\"k\"")
            + &keyed("pass", 2, "\"key\":\"k\"")
            + &keyed("fail", 3, "\"key\":\"k\",\"attempt\":2")
            + &keyed("fail", 4, "\"key\":\"l\"")
            + &reading("fail", 5);
        let case = Case::new().with(LEDGER, lines);
        assert_eq!(case.told(RuleId::KeyConflict), "");
        insta::assert_snapshot!(case.told(RuleId::LedgerDuplicate), @"
        .spec/n/yatsu.evals.ndjson:2:1: info[ledger-duplicate] n: the same reading as line 1, filed again under its key
            help: nothing to do; it counts once
        ");
    }
}
