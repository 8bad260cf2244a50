//! Old and new: frozen repositories of every generation of the formats, each with the score that every version must give, and
//! `yatsu.needs`, which an older program refuses.

use crate::support::{Scratch, every_door, fed, findings, one_node, validate_published};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The bundles below tests/data/generations. None of them is ever made anew.
const GENERATIONS: [&str; 4] = ["first", "renamed", "segments", "stamped"];

/// A clone of a frozen repository.
fn frozen(name: &str) -> Scratch {
    let scratch = Scratch::new();
    let bundle = data().join(format!("{name}.bundle"));
    scratch.git(&["pull", "-q", bundle.to_str().expect("text"), "main"]);
    scratch
}

fn data() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/generations")
}

/// `[scenario, state, verdicts of its readings, latest first]` of every scenario.
fn score(scratch: &Scratch) -> Value {
    let said = validate_published(&scratch.yatsu(&["ls", "--format", "json"]).expect(0).out);
    let scenarios = said["scenarios"].as_array().expect("a list").iter();
    let verdicts = |one: &Value| -> Vec<Value> {
        one["readings"].as_array().expect("a list").iter().map(|reading| reading["verdict"].clone()).collect()
    };
    let row = |one: &Value| {
        let name =
            format!("{}/{}", one["node"].as_str().unwrap_or_default(), one["scenario"].as_str().unwrap_or_default());
        json!([name, one["state"], verdicts(one)])
    };
    scenarios.map(row).collect()
}

#[test]
fn every_generation_has_its_score_and_passes_the_gate() {
    let mut there: Vec<_> =
        fs::read_dir(data()).expect("listed").map(|entry| entry.expect("an entry").path()).collect();
    there.retain(|path| path.extension().is_some_and(|end| end == "bundle"));
    assert_eq!(there.len(), GENERATIONS.len());
    let expected: Value = serde_json::from_str(include_str!("../data/generations/scores.json")).expect("JSON");
    for name in GENERATIONS {
        let scratch = frozen(name);
        assert_eq!(score(&scratch), expected[name], "{name}");
        let said = scratch.yatsu(&["check", "--all"]).expect(0);
        assert!(!said.out.contains("error"), "{name}: {}", said.out);
        // a change on top is judged, too
        scratch.write("README.md", "read me\n");
        scratch.git(&["add", "-A"]);
        scratch.yatsu(&["pre-commit"]).expect(0);
    }
}

#[test]
fn a_line_of_every_generation_is_guarded() {
    for name in GENERATIONS {
        let scratch = frozen(name);
        let ledgers = scratch.git(&["ls-files", "*evals.ndjson"]);
        let ledger = ledgers.lines().next().expect("a ledger");
        scratch.write(ledger, scratch.read(ledger).replacen("pass", "fail", 1));
        scratch.git(&["add", "-A"]);
        let said = scratch.yatsu(&["pre-commit"]).expect(1);
        assert!(said.err.contains("error[ledger-history]"), "{name}: {}", said.err);
    }
}

const NEWER: &str = r#"{"yatsu": {"needs": "99.1", "keyOfALaterVersion": [1]}}"#;

#[test]
fn a_program_that_is_too_old_says_so_at_every_door_and_judges_nothing() {
    let scratch = one_node();
    let base = scratch.head();
    scratch.write("spexcode.json", NEWER);
    let sentence = format!(
        "error: spexcode.json: yatsu.needs asks for version 99.1 or newer of yatsu-hook, and this is {}\n",
        env!("CARGO_PKG_VERSION")
    );
    for (door, said) in every_door(&scratch, &base) {
        assert_eq!((said.code, said.out.as_str()), (3, ""), "{door}: {}", said.err);
        assert!(
            said.err.contains(&sentence[7..]) && said.err.contains("install a newer version"),
            "{door}: {}",
            said.err
        );
    }
    for verb in [&["scan"][..], &["ls"], &["next"], &["config", "show"], &["eval", "n", "--pass"], &["run"]] {
        let said = scratch.yatsu(verb).expect(3);
        assert!(said.err.contains(&sentence[7..]), "{verb:?}: {}", said.err);
    }
    assert_eq!(scratch.git(&["status", "--short"]), "", "nothing was filed");
    let said = scratch.yatsu(&["check", "--all", "--format", "json"]).expect(3);
    assert_eq!(validate_published(&said.out)["verdict"], "unchecked");
}

#[test]
fn a_server_that_is_too_old_for_its_own_branch_takes_no_push() {
    let scratch = one_node();
    scratch.write("spexcode.json", NEWER);
    let old = scratch.commit("for a later program");
    scratch.write("spexcode.json", "{}");
    let new = scratch.commit("for any program");
    scratch.git(&["update-ref", "refs/heads/main", &old]);
    let said = fed(scratch.yatsu_command(&["pre-receive"]), format!("{old} {new} refs/heads/main\n")).expect(3);
    assert!(said.err.contains("yatsu.needs asks for version 99.1"), "{}", said.err);
}

#[test]
fn a_repository_with_nothing_of_ours_is_passed_by_every_program() {
    let scratch = Scratch::new();
    scratch.write("spexcode.json", NEWER);
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]).expect(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn a_need_that_is_met_is_a_setting_and_to_take_it_away_lowers_the_gate() {
    let scratch = one_node();
    scratch.write("spexcode.json", r#"{"yatsu": {"needs": "0.1"}}"#);
    let before = scratch.commit("needs");
    assert!(scratch.yatsu(&["config", "show"]).expect(0).out.contains("yatsu.needs"));
    scratch.write("spexcode.json", "{}");
    let after = scratch.commit("no longer");
    let found = findings(&scratch, "gate-lowered", &["--from", &before, "--to", &after]);
    let message = found[0]["message"].as_str().expect("a sentence");
    assert!(message.contains("yatsu.needs is taken away: programs before 0.1 judge again"), "{message}");
    scratch.write("spexcode.json", r#"{"yatsu": {"needs": "v1"}}"#);
    let said = scratch.yatsu(&["scan"]).expect(2);
    assert!(
        said.err.contains("spexcode.json:1:21: yatsu.needs must be a version such as 0.2 or 0.2.1, not \"v1\""),
        "{}",
        said.err
    );
}
