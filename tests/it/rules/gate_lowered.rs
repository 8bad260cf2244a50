//! `gate-lowered`: a change that weakens the gate is reported.

use super::{measured, one_node, only, silent, staged};
use crate::support::{Scratch, every_door, reading, reading_line, sha256};
use serde_json::json;

#[test]
fn a_lower_level_is_named_and_a_higher_one_is_not() {
    let scratch = one_node();
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"stray-blob\": \"warning\"}}}");
    only(staged(&scratch, "gate-lowered"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"yatsu-drift\": \"error\"}}}");
    silent(staged(&scratch, "gate-lowered"));
}

/// A node with a committed reading, and a commit that edits the line while it changes the configuration.
fn hidden_loss(config: &str) -> crate::support::Said {
    let scratch = measured("fail");
    scratch.write("spexcode.json", config);
    scratch.write(LEDGER, scratch.read(LEDGER).replace("\"fail\"", "\"pass\""));
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

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const EVIDENCE: &str = "a transcript of some thirty-two bytes and more";

/// Every door reports `change`, made on top of one measured node.
#[track_caller]
fn every_door_refuses(rule: &str, change: &dyn Fn(&Scratch)) {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "fail", 1);
    let base = scratch.commit("measured");
    scratch.write(&format!(".git/spexcode/yatsu-blobs/{}", sha256(EVIDENCE)), EVIDENCE);
    change(&scratch);
    for (door, said) in every_door(&scratch, &base) {
        let text = format!("{}{}", said.out, said.err);
        assert!(said.code == 1 && text.contains(&format!("error[{rule}]")), "door {door}: {} {text}", said.code);
        assert!(text.contains("warning[gate-lowered]"), "door {door}: {text}");
    }
}

fn file_from_the_future(scratch: &Scratch) {
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let line = reading_line(&head, "works", "pass", 2).replace("2026-01", "2099-01");
    scratch.write(LEDGER, scratch.read(LEDGER) + &line);
}

#[test]
fn no_change_switches_off_the_judgement_of_the_lines_that_it_adds() {
    every_door_refuses("ledger-schema", &|scratch| {
        file_from_the_future(scratch);
        scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"ledger-schema\": \"off\"}}}");
    });
    every_door_refuses("ledger-schema", &|scratch| {
        scratch.write(LEDGER, scratch.read(LEDGER) + "{\"scenario\": torn\n");
        scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"ledger-schema\": \"info\"}}}");
    });
}

#[test]
fn what_stood_there_before_is_judged_by_the_gate_of_today() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.write(LEDGER, scratch.read(LEDGER) + "{\"scenario\": torn\n");
    let base = scratch.commit("past the gate");
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"ledger-schema\": \"off\"}}}");
    scratch.git(&["add", "-A"]);
    let mut said = vec![scratch.yatsu(&["pre-commit"]), scratch.yatsu(&["check", "--staged"])];
    let tip = scratch.commit("switched off");
    said.push(scratch.yatsu(&["check", "--from", &base, "--to", &tip, "--inherited", "list"]));
    for said in said {
        let text = format!("{}{}", said.out, said.err);
        assert!(said.code == 0 && text.contains("warning[gate-lowered]"), "{text}");
        assert!(!text.contains("ledger-schema]") && !text.contains("older finding"), "{text}");
    }
}

#[test]
fn no_change_puts_the_lines_that_it_adds_out_of_sight() {
    for config in ["{\"yatsu\": {\"exclude\": [\".spec/n\"]}}", "{\"yatsu\": {\"exclude\": [\"**\"]}}"] {
        every_door_refuses("ledger-history", &|scratch| {
            file_from_the_future(scratch);
            scratch.write("spexcode.json", config);
        });
    }
}

#[test]
fn no_change_allows_itself_the_evidence_that_it_adds() {
    for config in ["{\"yatsu\": {\"rules\": {\"stray-blob\": \"off\"}}}", "{\"yatsu\": {\"allowInTree\": [\"**\"]}}"] {
        every_door_refuses("stray-blob", &|scratch| {
            scratch.write("docs/shot.txt", EVIDENCE);
            scratch.write("spexcode.json", config);
        });
    }
}

#[test]
fn where_nothing_was_ours_there_was_no_gate_to_lower() {
    let scratch = Scratch::new();
    scratch.write("a", "a");
    scratch.commit("nothing of ours");
    scratch.write(".spec/n/yatsu.md", crate::support::scenarios(&[("works", "a")]));
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write(LEDGER, reading_line(&head, "works", "pass", 2).replace("\"verdict\":{\"status\":\"pass\"},", ""));
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"ledger-schema\": \"info\"}}}");
    scratch.git(&["add", "-A"]);
    scratch.yatsu(&["pre-commit"]).expect(0);
}

#[test]
fn a_contract_that_asks_for_less_is_named_and_one_that_is_reworded_or_stricter_is_not() {
    let changed = |from: &str, to: &str| {
        let scratch = crate::goals::repository();
        let text = scratch.read(crate::goals::FILE);
        assert!(text.contains(from), "{from}");
        scratch.write(crate::goals::FILE, text.replace(from, to));
        staged(&scratch, "gate-lowered")
    };
    let eased = only(changed("target: 0.9", "target: 0.8"));
    assert_eq!((&eased["level"], &eased["node"]), (&json!("warning"), &json!("model")));
    let message = eased["message"].as_str().expect("a message");
    assert!(message.contains("asks for less: criterion AC1 asks for something else"), "{message}");
    silent(changed("target: 0.9", "target: 0.95"));
    silent(changed("tell flowers apart", "in other words"));
    let gone = only(changed("goal_contract:", "goal_contrac:"));
    assert!(gone["message"].as_str().is_some_and(|text| text.contains("it is gone, or cannot be read")), "{gone}");
}

#[test]
fn an_unblock_and_weaker_settings_of_goals_are_named() {
    let scratch = crate::goals::repository();
    crate::goals::measured(&scratch, 0.5, json!({}));
    scratch.commit("measured");
    crate::goals::decide(&scratch, "unblock", &[]).expect(0);
    let found = only(staged(&scratch, "gate-lowered"));
    assert!(found["message"].as_str().is_some_and(|text| text.contains("unblocked by Ann: because")), "{found}");
    scratch.commit("unblocked");
    scratch.write("spexcode.json", r#"{"yatsu": {"goals": {"gate": "off"}}}"#);
    let found = only(staged(&scratch, "gate-lowered"));
    assert_eq!(found["message"], "yatsu.goals.gate is lowered from claimed to off");
}

#[test]
fn who_measured_may_approve_again_weakens_the_gate() {
    let s = one_node();
    s.write("spexcode.json", "{\"yatsu\": {\"patches\": {\"requireOther\": true}}}");
    s.commit("two pairs of eyes");
    s.write("spexcode.json", "{}");
    let found = only(staged(&s, "gate-lowered"));
    assert_eq!(found["message"], "yatsu.patches.requireOther is switched off: the person who measured may approve");
    s.write("spexcode.json", "{\"yatsu\": {\"patches\": {\"requireOther\": true}, \"exclude\": []}}");
    silent(staged(&s, "gate-lowered"));
}
