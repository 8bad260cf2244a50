//! `config show` and `config check`.

use crate::support::{Scratch, one_node, validate_published};
use serde_json::{Value, json};

fn configured(text: &str) -> Scratch {
    let scratch = one_node();
    scratch.write("spexcode.json", text);
    scratch.commit("configured");
    scratch
}

#[track_caller]
fn document(scratch: &Scratch, verb: &str) -> Value {
    validate_published(&scratch.yatsu(&["config", verb, "--format", "json"]).expect(0).out)
}

#[track_caller]
fn setting(document: &Value, key: &str) -> (Value, String) {
    let settings = document["settings"].as_array().expect("a list");
    let found = settings.iter().find(|setting| setting["key"] == key).unwrap_or_else(|| panic!("no {key}"));
    (found["value"].clone(), found["origin"].as_str().expect("an origin").to_owned())
}

#[test]
fn without_a_file_every_value_is_a_default() {
    let s = one_node();
    let document = document(&s, "show");
    assert_eq!(document["file"], Value::Null);
    assert!(document["settings"].as_array().expect("a list").iter().all(|setting| setting["origin"] == "default"));
    assert_eq!(setting(&document, "lint.maxOwners").0, 3);
    assert_eq!(setting(&document, "yatsu.rules.yatsu-drift").0, "warning");
    assert_eq!(setting(&document, "mainBranch").0, "refs/heads/main");
    assert_eq!(setting(&document, "yatsu.roots").0, json!([".spec"]));
    let shown = s.yatsu(&["config", "show"]).expect(0).out;
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.lines().any(|line| words(line) == "mainBranch refs/heads/main (default: found in this clone)"),
        "{shown}"
    );
    assert_eq!(s.yatsu(&["config", "check"]).expect(0).out, "");
}

#[test]
fn what_the_file_says_is_told_from_defaults() {
    let s = configured(
        r#"{"lint": {"maxOwners": 3}, "mainBranch": "main",
            "yatsu": {"rules": {"yatsu-drift": "off"}, "evaluators": {"robot": "7"}, "roots": ["."],
                      "evidenceFor": {"cli": ["data"]}, "stampContent": false, "exclude": ["x/**"]}}"#,
    );
    let document = document(&s, "show");
    assert_eq!(document["file"], "spexcode.json");
    for (key, value) in [
        ("lint.maxOwners", json!(3)),
        ("mainBranch", json!("main")),
        ("yatsu.roots", json!(["."])),
        ("yatsu.rules.yatsu-drift", json!("off")),
        ("yatsu.evaluators.robot", json!("7")),
        ("yatsu.evidenceFor.cli", json!(["data"])),
        ("yatsu.stampContent", json!(false)),
        ("yatsu.exclude", json!(["x/**"])),
    ] {
        assert_eq!(setting(&document, key), (value, "file".to_owned()), "{key}");
    }
    for key in ["lint.scenarioTags", "yatsu.rules.yatsu-missing", "yatsu.evaluators.manual", "yatsu.protect"] {
        assert_eq!(setting(&document, key).1, "default", "{key}");
    }
    assert_eq!(document["warnings"], json!([]));
}

#[test]
fn a_file_that_cannot_be_used_is_exit_2_with_the_place() {
    let s = configured("{\n  \"yatsu\": {\"rools\": {}}\n}\n");
    for verb in ["show", "check"] {
        let said = s.yatsu(&["config", verb]).expect(2);
        assert!(said.err.contains("spexcode.json:2:") && said.err.contains("rools"), "{}", said.err);
        assert_eq!(said.out, "");
    }
}

#[test]
fn settings_for_agents_and_trust_are_shown_and_wrong_ones_are_exit_2() {
    let s = configured(
        r#"{"yatsu": {"agents": {"stop": "say", "require": ["cli"]}, "trust": {"readings": {"cli": {"grade": "observed"}}}}}"#,
    );
    let document = document(&s, "check");
    for (key, value, origin) in [
        ("yatsu.agents.stop", json!("say"), "file"),
        ("yatsu.agents.claims", json!("warn"), "default"),
        ("yatsu.agents.observe", json!("declared"), "default"),
        ("yatsu.agents.keepOutput", json!(false), "default"),
        ("yatsu.agents.require", json!(["cli"]), "file"),
        ("yatsu.trust.readings.cli", json!("observed"), "file"),
    ] {
        assert_eq!(setting(&document, key), (value, origin.to_owned()), "{key}");
    }
    for (wrong, place) in [
        (r#"{"yatsu": {"agents": {"stop": "ask"}}}"#, "1:31: yatsu.agents.stop must be block, say or off"),
        (r#"{"yatsu": {"trust": {"readings": {"cli": {"grade": "seen"}}}}}"#, "1:52: yatsu.trust.readings.cli.grade"),
    ] {
        let s = configured(wrong);
        let said = s.yatsu(&["config", "check"]).expect(2);
        assert!(said.err.contains(&format!("spexcode.json:{place}")), "{}", said.err);
    }
}

#[track_caller]
fn expect_warning(scratch: &Scratch, part: &str) {
    let said = scratch.yatsu(&["config", "check"]).expect(0);
    assert!(said.out.starts_with("spexcode.json: warning: ") && said.out.contains(part), "{part}: {}", said.out);
    assert_eq!(document(scratch, "check")["warnings"].as_array().map(Vec::len), Some(1), "{part}");
}

#[test]
fn a_key_that_nobody_reads_and_that_is_near_one_is_a_did_you_mean() {
    for (text, key, meant) in [
        (r#"{"lint": {"scenarioTag": ["cli"]}}"#, "lint.scenarioTag", "lint.scenarioTags"),
        (r#"{"lint": {"maxowners": 2}}"#, "lint.maxowners", "lint.maxOwners"),
        (r#"{"mainbranch": "main"}"#, "mainbranch", "mainBranch"),
        (r#"{"yatus": {"stampContent": false}}"#, "yatus", "yatsu"),
        (r#"{"evidenceFor": {"cli": ["data"]}}"#, "evidenceFor", "yatsu.evidenceFor"),
        (r#"{"lint": {"allowInTree": ["docs/**"]}}"#, "lint.allowInTree", "yatsu.allowInTree"),
        (r#"{"scenarioTags": ["cli"]}"#, "scenarioTags", "lint.scenarioTags"),
    ] {
        let said = format!("{key} is no known setting and is not read; did you mean {meant}?");
        expect_warning(&configured(text), &said);
    }
    // Keys of other tools.
    let others = r#"{"dashboard": {}, "sessions": {}, "lint": {"altitude": 1, "driftErrorThreshold": 2, "governedRoots": [],
        "identifierExtensions": [], "maxChildren": 3}}"#;
    assert_eq!(document(&configured(others), "check")["warnings"], json!([]));
}

#[test]
fn what_is_probably_not_meant_is_warned_about() {
    expect_warning(&configured(r#"{"lint": {"sourceExtensions": ["zig"]}}"#), "matches no tracked file");
    expect_warning(&configured(r#"{"mainBranch": "trunk"}"#), "\"trunk\"");
    expect_warning(&configured(r#"{"yatsu": {"roots": [".spec", "specs"]}}"#), "\"specs\"");
    expect_warning(&configured(r#"{"yatsu": {"evidenceFor": {"cil": ["data"]}}}"#), "\"cil\"");
    expect_warning(&configured(r#"{"yatsu": {"agents": {"require": ["cil"]}}}"#), "yatsu.agents.require names the tag");
    let trust = r#"{"yatsu": {"trust": {"readings": {"*": {"grade": "claimed"}, "cil": {"grade": "observed"}}}}}"#;
    expect_warning(&configured(trust), "yatsu.trust.readings names the tag \"cil\"");
    let s = one_node();
    s.write("spexcode.json", "{}");
    expect_warning(&s, "git does not track");
}

#[test]
fn extensions_that_match_nothing_tracked_are_said_by_scan_too() {
    let s = configured(r#"{"lint": {"sourceExtensions": [".zig"]}}"#);
    s.write("src/new.zig", "not tracked");
    let said = s.yatsu(&["scan"]).expect(0).out;
    assert!(said.contains("spexcode.json: lint.sourceExtensions matches no tracked file"), "{said}");
    s.git(&["add", "-A"]);
    assert!(!s.yatsu(&["scan"]).expect(0).out.contains("sourceExtensions"));
    let s = configured(r#"{"lint": {"sourceExtensions": [".rs"]}}"#);
    assert!(!s.yatsu(&["scan"]).expect(0).out.contains("sourceExtensions"));
}
