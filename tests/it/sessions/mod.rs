//! What the program says, as whole text: each verb where it does what it is for, and where it refuses. What the rules say
//! stands beside the tests of each rule.

mod needs_ssh_keygen;
mod refusals;
mod slips;
mod verbs;

use crate::support::Scratch;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use yatsu_hook::finding::RuleId;

/// All snapshots of a directory of tests.
fn snapshots(dir: &str) -> String {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(dir).join("snapshots");
    let files = fs::read_dir(&dir).expect("snapshots").map(|file| file.expect("a file").path());
    files.map(|file| fs::read_to_string(file).expect("a snapshot")).collect()
}

#[test]
fn every_rule_stands_in_a_snapshot_of_a_whole_output() {
    let text = snapshots("rules");
    let without = RuleId::ALL.into_iter().filter(|rule| !text.contains(&format!("[{}]", rule.as_str())));
    assert_eq!(without.collect::<Vec<_>>(), [] as [RuleId; 0], "see tests/it/rules/snapshots");
}

#[test]
fn every_verb_stands_in_a_snapshot_of_a_whole_output() {
    let (text, s) = (snapshots("sessions"), Scratch::new());
    let pages = [&["-h"][..], &["help", "more"], &["help", "hooks"]].map(|args| s.yatsu(args).expect(0).out);
    let verb = |line: &str| line.strip_prefix("  ")?.split_once("  ").map(|(verb, _)| verb.to_owned());
    let verbs: BTreeSet<String> = pages.iter().flat_map(|page| page.lines().filter_map(verb)).collect();
    assert!(verbs.len() > 30, "{verbs:?}");
    let commands =
        text.lines().filter(|line| line.starts_with("$ ")).flat_map(|line| line.split("yatsu-hook ").skip(1));
    let shown: BTreeSet<String> = commands.filter_map(|of| of.split(' ').next()).map(str::to_owned).collect();
    assert_eq!(verbs.difference(&shown).collect::<Vec<_>>(), [] as [&String; 0], "see tests/it/sessions/snapshots");
}

#[test]
fn every_reason_of_a_refusal_and_every_exit_code_stand_in_a_snapshot() {
    let text = snapshots("sessions");
    let schema: Value = serde_json::from_str(include_str!("../../../schema/refusal.v1.schema.json")).expect("a schema");
    let reasons = schema["properties"]["reason"]["enum"].as_array().expect("a list");
    let marks =
        reasons.iter().map(|reason| format!("\"reason\":{reason}")).chain((0..=3).map(|code| format!("[exit {code}]")));
    assert_eq!(marks.filter(|mark| !text.contains(mark)).collect::<Vec<_>>(), [] as [String; 0]);
}
