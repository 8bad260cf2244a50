//! `gate-lowered`: a change that weakens the gate says so.

use super::{one_node, only, silent, staged};

#[test]
fn a_lower_level_is_named_and_a_higher_one_is_not() {
    let scratch = one_node();
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"stray-blob\": \"warning\"}}}");
    let found = only(staged(&scratch, "gate-lowered"));
    assert!(found["message"].as_str().expect("text").contains("stray-blob"), "{found}");
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"yatsu-drift\": \"error\"}}}");
    silent(staged(&scratch, "gate-lowered"));
}

/// A node with a committed reading, and a commit that takes the line away while it changes the configuration.
fn hidden_loss(config: &str) -> crate::support::Said {
    let scratch = one_node();
    crate::support::reading(&scratch, ".spec/n", "works", "fail", 1);
    scratch.commit("measured");
    scratch.write("spexcode.json", config);
    scratch.git(&["rm", "-q", ".spec/n/yatsu.evals.ndjson"]);
    scratch.git(&["add", "-A"]);
    scratch.yatsu(&["pre-commit"])
}

#[test]
fn no_change_puts_a_loss_out_of_sight() {
    for config in [
        "{\"yatsu\": {\"exclude\": [\"**\"]}}",
        "{\"yatsu\": {\"exclude\": [\".spec/n\"]}}",
        "{\"yatsu\": {\"roots\": [\"elsewhere\"]}}",
    ] {
        let said = hidden_loss(config).expect(1);
        assert!(said.err.contains("error[ledger-history]"), "{config}: {}", said.err);
        assert!(said.err.contains("warning[gate-lowered]"), "{config}: {}", said.err);
    }
}

#[test]
fn no_change_switches_off_the_rule_that_it_breaks() {
    let off = "{\"yatsu\": {\"rules\": {\"ledger-history\": \"off\", \"gate-lowered\": \"off\"}}}";
    let said = hidden_loss(off).expect(1);
    assert!(said.err.contains("error[ledger-history]"), "{}", said.err);
    assert!(said.err.contains("warning[gate-lowered]"), "{}", said.err);
}
