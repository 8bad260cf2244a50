//! Decisions that move: they stay with the ledger or go with an heir, and at another goal they count as new.

use super::*;
use crate::support::findings;

const OTHER: &str = ".spec/other/yatsu.md";
const OTHER_LEDGER: &str = ".spec/other/yatsu.evals.ndjson";

/// The findings of a rule on the last commit, without infos.
fn of_last(s: &Scratch, rule: &str) -> Vec<Value> {
    let found = findings(s, rule, &["--from", "HEAD~1", "--to", "HEAD"]);
    found.into_iter().filter(|one| one["level"] != "info").collect()
}

/// The scenario file of [`contract`] without its contract.
fn without_goal(text: &str) -> String {
    format!("---\n{}", &text[text.find("scenarios:").expect("scenarios")..])
}

/// The scenario file of another node with a lower goal.
fn other() -> String {
    contract(&ACCURATE.replace("0.9", "0.1")).replace("learns", "guesses")
}

/// Removes the decisions from the node's ledger, and returns them.
fn taken(s: &Scratch) -> String {
    let ledger = s.read(LEDGER);
    let (decisions, rest): (Vec<&str>, Vec<&str>) = ledger.lines().partition(|line| line.contains("\"decision\""));
    s.write(LEDGER, rest.iter().map(|line| format!("{line}\n")).collect::<String>());
    decisions.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_was_decided_stays_with_its_ledger_where_the_contract_alone_moves() {
    let s = repository();
    s.write(OTHER, without_goal(&other()));
    measured(&s, 0.5, json!({}));
    decide(&s, "pivot", &[]).expect(0);
    s.commit("tried");
    s.write(FILE, without_goal(&s.read(FILE)));
    s.write(OTHER, contract(ACCURATE).replace("learns", "guesses"));
    s.commit("the contract moves");
    assert_eq!(of_last(&s, "ledger-history"), [] as [Value; 0]);
    s.git(&["reset", "-q", "--soft", "HEAD~1"]);
    s.write(OTHER_LEDGER, taken(&s));
    s.commit("and what was decided about it");
    assert_eq!(of_last(&s, "ledger-history").len(), 1, "the other node is heir to no scenario");
}

#[test]
fn attempts_are_not_shed_to_another_goal_on_the_way_to_a_new_place() {
    let s = repository();
    s.write(OTHER, other());
    measured(&s, 0.5, json!({}));
    decide(&s, "pivot", &[]).expect(0);
    s.commit("tried");
    s.write(OTHER_LEDGER, taken(&s));
    s.commit("shed where it stands");
    let found = of_last(&s, "ledger-history");
    assert_eq!(found.len(), 1, "{found:#?}");
    s.git(&["mv", ".spec/model", ".spec/renamed"]);
    s.git(&["commit", "-q", "--amend", "-m", "shed with a rename"]);
    let found = of_last(&s, "ledger-history");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].to_string().contains(".spec/renamed"), "{found:#?}");
    let pushed = s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]);
    assert_eq!(pushed.code, 1, "{}", pushed.err);
}

#[test]
fn an_unblock_that_comes_from_a_node_that_goes_is_named_at_the_goal_that_it_opens() {
    let s = repository();
    s.write(OTHER, other());
    s.commit("two goals");
    measured(&s, 0.5, json!({}));
    decide(&s, "block", &[]).expect(0);
    decide(&s, "unblock", &[]).expect(0);
    s.commit("opened");
    let line = taken(&s).lines().last().map(str::to_owned).expect("an unblock");
    s.git(&["rm", "-r", "-q", "-f", ".spec/model"]);
    s.write(OTHER_LEDGER, format!("{line}\n"));
    s.commit("opened elsewhere");
    let lowered = of_last(&s, "gate-lowered");
    assert!(
        lowered.iter().any(|one| one["message"].as_str().is_some_and(|text| text.contains("unblocked"))),
        "{lowered:#?}"
    );
}

#[test]
fn a_claim_that_moves_with_its_node_is_no_new_one_and_at_another_goal_it_is() {
    let s = repository();
    s.write(OTHER, contract(ACCURATE).replace("learns", "guesses"));
    s.commit("two goals of one content");
    measured(&s, 0.95, json!({}));
    decide(&s, "complete", &[]).expect(0);
    s.commit("claimed");
    s.write("src/model.py", "model = 2\n");
    s.commit("regressed");
    s.git(&["mv", ".spec/model", ".spec/renamed"]);
    s.commit("renamed");
    assert_eq!(of_last(&s, "goal-gate"), [] as [Value; 0], "whoever renames claims nothing");
    s.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let claim = taken(&s);
    s.git(&["rm", "-r", "-q", "-f", ".spec/model"]);
    s.write(OTHER_LEDGER, claim);
    s.commit("handed over");
    assert_eq!(of_last(&s, "goal-gate").len(), 1, "the other goal was reached by nobody");
}
