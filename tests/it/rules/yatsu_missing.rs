//! `yatsu-missing`: declared, never measured.

use super::{measured, one_node, only, silent, staged};
use crate::support::{reading, scenarios};

#[test]
fn a_new_scenario_without_a_reading_is_named() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("holds", "src/b.rs")]));
    let found = staged(&scratch, "yatsu-missing");
    let of: Vec<_> = found.iter().filter(|f| f["origin"] == "introduced").map(|f| f["scenario"].as_str()).collect();
    assert_eq!(of, [Some("holds")]);
    reading(&scratch, ".spec/n", "holds", "pass", 1);
    silent(staged(&scratch, "yatsu-missing").into_iter().filter(|f| f["origin"] == "introduced").collect());
}

#[test]
fn scenarios_that_were_never_measured_are_one_line_and_the_way_on() {
    let scratch = one_node();
    let names: Vec<String> = (0..14).map(|at| format!("s{at:02}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src/b.rs")).collect();
    scratch.write(".spec/m/yatsu.md", scenarios(&list));
    insta::assert_snapshot!(scratch.session("yatsu-hook scan"));
    assert!(!scratch.yatsu(&["scan", "--limit", "0"]).expect(0).out.contains(" more: "), "all of them are named");
    assert_eq!(scratch.yatsu(&["scan", "-v"]).expect(0).out.matches("[yatsu-missing]").count(), 15);
    scratch.git(&["add", "."]);
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.write("spexcode.json", r#"{"yatsu": {"rules": {"yatsu-missing": "error"}}}"#);
    assert_eq!(scratch.yatsu(&["check"]).expect(1).out.matches("error[yatsu-missing]").count(), 15, "each blocks");
}

#[test]
fn retracting_the_only_reading_leaves_it_missing() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    silent(staged(&scratch, "yatsu-missing"));
    let ledger = scratch.read(".spec/n/yatsu.evals.ndjson");
    let retraction =
        "{\"retracts\":\"2026-01-01T00:01:00.000Z\",\"scenario\":\"works\",\"ts\":\"2026-01-01T00:02:00.000Z\"}\n";
    scratch.write(".spec/n/yatsu.evals.ndjson", ledger + retraction);
    let found = only(staged(&scratch, "yatsu-missing"));
    let message = found["message"].as_str().expect("a message");
    assert!(!message.contains("never measured") && message.contains("no reading of it counts any more"), "{message}");
}

#[test]
fn a_scenario_whose_only_reading_was_redacted_is_not_said_to_have_never_been_measured() {
    let scratch = measured("pass");
    scratch.yatsu(&["redact", "n", "--scenario", "works", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "a name"]);
    let found = only(staged(&scratch, "yatsu-missing"));
    assert!(!found["message"].as_str().expect("a message").contains("never measured"), "{found}");
}
