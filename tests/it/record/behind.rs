//! A scenario can be typed as NODE/SCENARIO, as receipts and lists print it, in every verb that takes a scenario.

use crate::support::{Scratch, one_node, scenarios};

/// Two scenarios of one node, one with a slash in its name.
fn two() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("and/or", "src/a.rs")]));
    scratch.write("spexcode.json", r#"{"yatsu": {"budgets": {"maxTaskTotalTokens": 5}}}"#);
    scratch.commit("first");
    scratch.git(&["config", "user.name", "Ann"]);
    scratch
}

#[test]
fn a_scenario_is_named_behind_its_node_by_every_verb_that_asks_for_one() {
    let scratch = two();
    for node in ["n", ".spec/n"] {
        for name in ["works", "and/or"] {
            let place = format!("{node}/{name}");
            let token = scratch.yatsu(&["claim", "take", &place, "--export"]).expect(0).out;
            assert!(token.starts_with("export YATSU_CLAIM="), "{token}");
            scratch.yatsu(&["claim", "release", "--force", &place, "--reason", "its machine is gone"]).expect(0);
            let filed = scratch.yatsu(&["eval", &place, "--pass"]).expect(0).out;
            assert!(filed.starts_with(&format!("filed n/{name} pass @ ")), "{filed}");
            let shown = scratch.yatsu(&["show", &place]).expect(0).out;
            assert!(shown.contains(&format!("n/{name} ")), "{shown}");
            let other = if name == "works" { "n/and/or " } else { "n/works " };
            assert!(!shown.contains(other), "{shown}");
            let told = scratch.yatsu(&["retract", &place]).expect(0).out;
            assert!(told.starts_with(&format!("retracted n/{name} ")), "{told}");
        }
    }
}

#[test]
fn a_line_is_taken_out_and_a_breach_let_pass_of_what_is_named_behind_its_node() {
    let scratch = two();
    scratch.yatsu(&["eval", "n/works", "--pass", "--tokens", "5,5", "--token-source", "x"]).expect(0);
    let waived = scratch.yatsu(&["claim", "waive-budget", "n/works", "--reason", "slow machine"]).expect(0).out;
    assert!(waived.starts_with("waived n/works at "), "{waived}");
    let shown = scratch.yatsu(&["show", "n/works", "--format", "json"]).expect(0).out;
    let ts = shown.split("\"ts\":\"").nth(1).and_then(|rest| rest.get(..24)).expect("a time").to_owned();
    let told = scratch.yatsu(&["redact", "n/works", "--ts", &ts, "--reason", "a name"]).expect(0).out;
    assert!(told.starts_with(&format!("redacted n/works {ts}")), "{told}");
}

#[test]
fn a_node_is_enough_for_every_verb_where_it_declares_one_scenario() {
    let scratch = one_node();
    scratch.git(&["config", "user.name", "Ann"]);
    scratch.write("spexcode.json", r#"{"yatsu": {"budgets": {"maxTaskTotalTokens": 5}}}"#);
    scratch.yatsu(&["claim", "take", "n"]).expect(0);
    scratch.yatsu(&["claim", "release", "--force", "n", "--reason", "its machine is gone"]).expect(0);
    scratch.yatsu(&["eval", "n", "--pass", "--tokens", "5,5", "--token-source", "x"]).expect(0);
    let waived = scratch.yatsu(&["claim", "waive-budget", "n", "--reason", "slow machine"]).expect(0).out;
    assert!(waived.starts_with("waived n/works at "), "{waived}");
    scratch.yatsu(&["eval", "n", "--fail"]).expect(0);
    let said = scratch.yatsu(&["retract", "n"]).expect(0);
    assert!(said.out.starts_with("retracted n/works "), "{}", said.out);
    let shown = scratch.yatsu(&["show", "n", "--format", "json"]).expect(0).out;
    let ts = shown.split("\"ts\":\"").nth(1).and_then(|rest| rest.get(..24)).expect("a time").to_owned();
    let told = scratch.yatsu(&["redact", "n", "--ts", &ts, "--reason", "a name"]).expect(0).out;
    assert!(told.starts_with(&format!("redacted n/works {ts}")), "{told}");
}

#[test]
fn who_names_no_scenario_or_one_that_is_none_is_told_what_there_is() {
    let scratch = two();
    let time = "2026-01-01T00:00:00.000Z";
    for args in [
        &["retract", "n"][..],
        &["redact", "n", "--ts", time, "--reason", "r"],
        &["claim", "take", "n"],
        &["claim", "waive-budget", "n", "--reason", "r"],
        &["claim", "release", "--force", "n", "--reason", "r"],
    ] {
        let said = scratch.yatsu(args).expect(2).err;
        let several = said.contains("declares several scenarios; name one, as NODE/SCENARIO");
        assert!(several && said.contains("hint: works") && said.contains("hint: and/or"), "{args:?}: {said}");
    }
    for args in [&["eval", "n/wroks", "--pass"][..], &["claim", "take", "n/wroks"]] {
        let said = scratch.yatsu(args).expect(2).err;
        assert!(
            said.contains("declares no scenario `wroks`, only these") && said.contains("works"),
            "{args:?}: {said}"
        );
    }
    let said = scratch.yatsu(&["show", "n/wroks"]).expect(2).err;
    assert!(said.contains("declares no scenario `wroks`") && said.contains("hint: works"), "{said}");
    // together with --scenario it is a node, and there is no such node
    let said = scratch.yatsu(&["eval", "n/works", "--scenario", "works", "--pass"]).expect(2).err;
    assert!(said.contains("no node is called `n/works`"), "{said}");
}

#[test]
fn a_node_whose_path_could_be_cut_stays_that_node() {
    let scratch = two();
    scratch.write(".spec/n/works/yatsu.md", scenarios(&[("deep", "src/a.rs")]));
    scratch.commit("a node below");
    let refused = scratch.yatsu(&["eval", ".spec/n/works", "--pass"]).expect(2).err;
    assert!(refused.contains("is a node, and a scenario of another node"), "{refused}");
    let filed = scratch.yatsu(&["eval", ".spec/n/works/", "--pass"]).expect(0).out;
    assert!(filed.contains("/deep pass @ "), "{filed}");
    let shown = scratch.yatsu(&["show", ".spec/n/works/"]).expect(0).out;
    assert!(shown.contains("deep") && !shown.contains("and/or"), "{shown}");
    let filed = scratch.yatsu(&["eval", "n/works", "--pass"]).expect(0).out;
    assert!(filed.starts_with("filed n/works pass @ "), "{filed}");
}
