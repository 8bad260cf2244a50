//! Events: cases 36 and 41 to 47, through the whole program.

use super::*;
use crate::support::{reading, reading_line, scenarios};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// Two scenarios `s` and `t` that govern `src/a.rs`.
fn two() -> Scratch {
    let s = repo("src/a.rs");
    s.write(".spec/n/yatsu.md", scenarios(&[("s", "src/a.rs"), ("t", "src/a.rs")]));
    s.commit("two scenarios");
    s
}

fn append(s: &Scratch, line: &str) {
    let ledger = std::fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default();
    s.write(LEDGER, ledger + line);
}

/// A retraction of the reading of `scenario` that `reading_line` dates at `minute`.
fn retract(s: &Scratch, scenario: &str, minute: u32) {
    append(
        s,
        &format!(
            "{{\"retracts\":\"2026-01-01T00:{minute:02}:00.000Z\",\"scenario\":\"{scenario}\",\"ts\":\"2026-01-01T01:00:00.000Z\"}}\n"
        ),
    );
}

/// The state of each scenario and the verdict that counts.
#[track_caller]
fn states(s: &Scratch) -> Vec<String> {
    let json = crate::support::validate_published(&s.yatsu(&["ls", "--format", "json"]).expect(0).out);
    let state = |row: &serde_json::Value| {
        let verdict = row["readings"][0]["verdict"].as_str().unwrap_or("-");
        format!("{} {} {verdict}", row["scenario"].as_str().unwrap(), row["state"].as_str().unwrap())
    };
    json["scenarios"].as_array().unwrap().iter().map(state).collect()
}

#[test]
fn case_36_a_renamed_scenario_is_missing_and_its_readings_are_orphans() {
    let s = repo("src/a.rs");
    reading(&s, NODE, "s", "pass", 1);
    s.commit("measured");
    s.write(".spec/n/yatsu.md", scenarios(&[("renamed", "src/a.rs")]));
    assert_eq!(only(&staged(&s, "yatsu-missing"))["scenario"], "renamed");
    // the change itself is told that the pass goes; from then on its readings are orphans
    assert_eq!(only(&staged(&s, "scenario-dropped"))["scenario"], "s");
    s.commit("renamed");
    let orphans = findings(&s, "yatsu-orphan", &["--all"]);
    assert_eq!((&only(&orphans)["scenario"], &only(&orphans)["level"]), (&"s".into(), &"info".into()));
}

#[test]
fn case_41_retract_the_latest_and_the_previous_counts() {
    let s = two();
    reading(&s, NODE, "s", "pass", 1);
    s.write("src/a.rs", "changed\n");
    s.commit("edit");
    reading(&s, NODE, "s", "fail", 2);
    assert_eq!(states(&s)[0], "s fresh fail");
    retract(&s, "s", 2);
    assert_eq!(states(&s)[0], "s stale pass", "measured before the edit");
    assert_eq!(only(&found(&s, "yatsu-drift"))["scenario"], "s");
}

#[test]
fn case_42_retract_all_and_it_is_missing() {
    let s = two();
    reading(&s, NODE, "s", "pass", 1);
    reading(&s, NODE, "s", "pass", 2);
    reading(&s, NODE, "t", "pass", 2);
    retract(&s, "s", 1);
    retract(&s, "s", 2);
    assert_eq!(only(&found(&s, "yatsu-missing"))["scenario"], "s");
}

#[test]
fn case_43_the_same_time_in_another_scenario_survives() {
    let s = two();
    reading(&s, NODE, "s", "pass", 1);
    reading(&s, NODE, "t", "pass", 1);
    retract(&s, "s", 1);
    assert_eq!(states(&s), ["s unmeasured -", "t fresh pass"]);
}

#[test]
fn case_44_an_unmatched_retraction_is_inert_and_reported_once_as_info() {
    let s = two();
    reading(&s, NODE, "s", "pass", 1);
    retract(&s, "s", 7);
    assert_eq!(states(&s)[0], "s fresh pass");
    let said = found(&s, "ledger-schema");
    let finding = only(&said);
    assert_eq!((&finding["level"], &finding["scenario"]), (&"info".into(), &"s".into()));
    assert!(finding["message"].as_str().unwrap().contains("withdraws nothing"), "{finding}");
    s.yatsu(&["check", "--all", "--strict", "--", LEDGER]).expect(0);
    assert_eq!(only(&staged(&s, "ledger-schema"))["level"], "info");
}

#[test]
fn case_45_a_collision_is_reported_and_withdrawn_whole() {
    let s = two();
    reading(&s, NODE, "s", "pass", 1);
    reading(&s, NODE, "s", "fail", 1);
    assert_eq!(states(&s)[0], "s fresh fail", "the later line");
    let said = found(&s, "ledger-schema");
    let finding = only(&said);
    assert_eq!((&finding["level"], &finding["scenario"]), (&"warning".into(), &"s".into()));
    retract(&s, "s", 1);
    assert_eq!(states(&s)[0], "s unmeasured -");
}

#[test]
fn case_46_an_exact_duplicate_counts_once() {
    let s = two();
    reading(&s, NODE, "s", "pass", 1);
    reading(&s, NODE, "s", "pass", 1);
    assert_eq!(states(&s)[0], "s fresh pass");
    assert!(found(&s, "ledger-schema").is_empty(), "no collision");
    assert_eq!(only(&found(&s, "ledger-duplicate"))["level"], "info");
    let json = crate::support::validate_published(&s.yatsu(&["show", "n", "--format", "json"]).expect(0).out);
    assert_eq!(json["scenarios"][0]["readings"].as_array().unwrap().len(), 1);
    retract(&s, "s", 1);
    assert_eq!(states(&s)[0], "s unmeasured -");
}

#[test]
fn case_47_a_legacy_reading_is_shown_as_such_counts_for_freshness_and_never_as_a_pass() {
    let s = two();
    let line = reading_line(&s.git(&["rev-parse", "HEAD"]), "s", "pass", 1);
    append(&s, &line.replace("\"verdict\":{\"status\":\"pass\"},", ""));
    assert_eq!(states(&s)[0], "s fresh legacy");
    assert!(s.yatsu(&["show", "n"]).expect(0).out.contains(" legacy fresh"));
    assert!(found(&s, "yatsu-missing").iter().all(|finding| finding["scenario"] != "s"));
    s.write("src/a.rs", "changed\n");
    assert_eq!(states(&s)[0], "s stale legacy");
}

/// Cases 48 to 50, through configuration.
#[test]
fn case_48_to_50_the_configured_version_decides() {
    for (evaluator, version, stale) in
        [("manual@1", "1", false), ("manual@1", "2", true), ("robot@7", "2", false), ("", "2", false)]
    {
        let s = repo("src/a.rs");
        s.write("spexcode.json", format!("{{\"yatsu\": {{\"evaluators\": {{\"manual\": \"{version}\"}}}}}}"));
        s.commit("configured");
        let line = reading_line(&s.git(&["rev-parse", "HEAD"]), "s", "pass", 1);
        let line = match evaluator {
            "" => line.replace("\"evaluator\":\"manual@1\",", ""),
            name => line.replace("manual@1", name),
        };
        append(&s, &line);
        let said = found(&s, "yatsu-drift");
        assert_eq!(said.len(), usize::from(stale), "{evaluator} at {version}: {said:#?}");
        assert!(said.iter().all(|finding| finding["axes"] == serde_json::json!(["evaluator"])));
    }
}
