//! `runlog-schema`: a log follows its profile; files that are no logs of this program are ignored.

use super::{all, only, silent, staged};
use crate::support::runlog::{LOG, begun, end, event, index, run_start, start, whole};
use crate::support::{Scratch, fed, one_node};

const RULE: &str = "runlog-schema";

fn codes(findings: &[serde_json::Value]) -> Vec<String> {
    findings
        .iter()
        .map(|finding| format!("{}:{}", finding["line"], finding["code"].as_str().unwrap_or_default()))
        .collect()
}

/// The program before a commit, in a repository with only the staged files.
fn with_hook() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("README.md", "x\n");
    scratch.commit("first");
    scratch.hook("pre-commit", "pre-commit");
    scratch
}

#[test]
fn a_log_that_is_whole_passes_and_says_nothing() {
    let scratch = with_hook();
    for log in [begun(), whole()] {
        scratch.write(LOG, log);
        silent(staged(&scratch, RULE));
        silent(all(&scratch, RULE));
    }
    scratch.write("quality/EXPLORATION.md", "text\n".repeat(119) + "## Finding 1\n");
    scratch.write(LOG, begun());
    scratch.git(&["add", "-A"]);
    let said = scratch.try_git(&["commit", "-q", "-m", "a run"]).expect(0);
    assert_eq!(said.err + &said.out, "");
}

#[test]
fn a_repository_that_has_only_a_log_is_guarded() {
    let scratch = with_hook();
    scratch.write(LOG, begun() + "garbage\n");
    scratch.git(&["add", "-A"]);
    let said = scratch.try_git(&["commit", "-q", "-m", "a run"]).expect(1);
    assert!(said.err.contains("quality/run_state.jsonl:6:1: error[runlog-schema] malformed-json: "), "{}", said.err);
    assert_eq!(codes(&staged(&scratch, RULE)), ["6:malformed-json"]);
    assert_eq!(codes(&all(&scratch, RULE)), ["6:malformed-json"]);
    // also with the memo of a check
    scratch.yatsu(&["check", "--all"]).expect(1);
    scratch.try_git(&["commit", "-q", "-m", "a run"]).expect(1);
}

#[test]
fn every_violation_has_its_code_in_every_format() {
    let scratch = with_hook();
    scratch.write(LOG, run_start() + &index() + &end(2, 5));
    let found = staged(&scratch, RULE);
    assert_eq!(codes(&found), ["1:index-not-first", "1:run-start-position", "3:phase-end-without-start"]);
    let said = |format: &str| scratch.yatsu(&["check", "--staged", "--format", format]).expect(1).out;
    let sarif = crate::support::validate_sarif(&said("sarif"));
    assert_eq!(sarif["runs"][0]["results"][0]["properties"]["code"], "index-not-first");
    assert!(said("github").contains("::index-not-first: "), "{}", said("github"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
}

#[test]
fn what_was_there_before_does_not_block_what_comes_after() {
    let scratch = with_hook();
    scratch.write(LOG, begun() + "garbage\n");
    scratch.commit("as it was");
    scratch.write(LOG, begun() + "garbage\n" + &end(2, 9));
    let found = staged(&scratch, RULE);
    assert_eq!(only(found)["origin"], "inherited");
    scratch.write(LOG, begun() + "garbage\n" + &end(2, 9) + &end(2, 10));
    let found = staged(&scratch, RULE);
    let introduced: Vec<_> = found.iter().filter(|finding| finding["origin"] == "introduced").cloned().collect();
    assert_eq!(codes(&introduced), ["8:duplicate-phase-end"]);
    scratch.git(&["add", "-A"]);
    scratch.try_git(&["commit", "-q", "-m", "more"]).expect(1);
}

#[test]
fn a_log_that_moves_brings_nothing_new() {
    let scratch = with_hook();
    scratch.write(LOG, begun() + "garbage\n");
    scratch.commit("as it was");
    std::fs::create_dir_all(scratch.root.join("old")).expect("a directory");
    scratch.git(&["mv", "quality", "old/quality"]);
    scratch.git(&["commit", "-q", "-m", "moved"]);
    silent(staged(&scratch, "runlog-history"));
}

#[test]
fn the_log_of_somebody_elses_program_is_left_alone() {
    let scratch = with_hook();
    for other in ["{\"state\":\"running\"}\n", "not JSON\n", "", "{\"event\":\"start\"}\n{\"event\":\"start\"}"] {
        scratch.write(LOG, other);
        scratch.write("state/run_state.jsonl", other);
        silent(staged(&scratch, RULE));
        let said = scratch.try_git(&["commit", "-q", "-m", "theirs"]).expect(0);
        assert_eq!(said.err, "", "{other}");
    }
    scratch.write(LOG, "");
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "--allow-empty", "-m", "edited as they please"]);
    scratch.yatsu(&["validate", "state/run_state.jsonl"]).expect(0);
}

#[test]
fn a_log_that_was_one_before_stays_one() {
    let scratch = with_hook();
    scratch.write(LOG, begun());
    scratch.commit("a run");
    scratch.write(LOG, "{\"state\":\"running\"}\n");
    assert_eq!(
        codes(&staged(&scratch, RULE)),
        ["1:index-not-first", "1:missing-event", "1:missing-ts", "1:run-start-missing"]
    );
}

#[test]
fn the_configuration_names_logs_and_profiles() {
    let scratch = with_hook();
    let profile = "{\"name\":\"mine\",\"schemaVersion\":\"1\",\"events\":{\"_index\":{\"position\":\"first\"},\
                   \"go\":{\"position\":\"second\",\"fields\":{\"who\":{\"type\":\"string\",\"required\":true}}}}}";
    scratch.write("mine.json", profile);
    scratch.write("spexcode.json", "{\"yatsu\":{\"runlogs\":[{\"path\":\"logs/**\",\"profile\":\"mine.json\"}]}}");
    let line =
        "{\"event\":\"_index\",\"ts\":\"2026-05-15T14:00:00Z\",\"schema_version\":\"1\",\"event_types\":[\"go\"]}\n";
    let go = "{\"event\":\"go\",\"ts\":\"2026-05-15T14:00:00Z\"}\n";
    scratch.write("logs/a.log", format!("{line}{go}"));
    let found = only(staged(&scratch, RULE));
    assert_eq!((&found["code"], &found["level"]), (&"bad-field".into(), &"warning".into()));
    scratch.write("mine.json", profile.replace("required", "requierd"));
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["check", "--staged"]).expect(2);
    assert!(said.err.contains("mine.json:1:"), "{}", said.err);
    scratch.git(&["rm", "-qf", "mine.json"]);
    let said = scratch.yatsu(&["check", "--staged"]).expect(2);
    assert!(said.err.contains("mine.json") && said.err.contains("no such file"), "{}", said.err);
    scratch.git(&["rm", "-rqf", "logs"]);
    scratch.yatsu(&["check", "--staged"]).expect(0);
}

#[test]
fn a_profile_with_an_unknown_rule_is_refused_with_line_and_column() {
    let scratch = with_hook();
    scratch.write(
        "p.json",
        "{\"name\":\"p\",\"schemaVersion\":\"1\",\"events\":{\"_index\":{\"position\":\"first\"},\"go\":{\"position\":\"second\"}},\n \"end\":{\"requires\":[\n  {\"fiel\":\"x\"}]}}",
    );
    scratch.write("spexcode.json", "{\"yatsu\":{\"runlogs\":[{\"path\":\"x.jsonl\",\"profile\":\"p.json\"}]}}");
    scratch.write("x.jsonl", index());
    scratch.git(&["add", "-A"]);
    let said = scratch.try_git(&["commit", "-q", "-m", "x"]).expect(1);
    assert!(said.err.contains("p.json:3:3: end.requires: this is no rule"), "{}", said.err);
    scratch.yatsu(&["pre-commit"]).expect(2);
}

#[test]
fn a_log_that_is_a_link_is_refused_by_its_mode() {
    let scratch = with_hook();
    scratch.write(LOG, begun());
    scratch.commit("a run");
    std::fs::remove_file(scratch.root.join(LOG)).expect("removed");
    std::os::unix::fs::symlink("/etc/passwd", scratch.root.join(LOG)).expect("a link");
    assert_eq!(only(staged(&scratch, RULE))["code"], "not-a-file");
}

#[test]
fn a_validated_log_is_judged_on_its_own() {
    let scratch = with_hook();
    scratch.write(LOG, index() + &run_start() + &start(9, 1));
    let said = scratch.yatsu(&["validate", LOG]).expect(1);
    assert!(said.out.contains("bad-phase") || said.err.contains("bad-phase"), "{} {}", said.out, said.err);
    scratch.write("logs/other.jsonl", index() + &run_start() + &start(9, 1));
    scratch.yatsu(&["validate", "logs/other.jsonl"]).expect(1);
    scratch.write("logs/other.jsonl", "{\"event\":\"x\"}\n");
    scratch.yatsu(&["validate", "logs/other.jsonl"]).expect(0);
}

#[test]
fn a_byte_order_mark_inside_a_string_is_text() {
    let scratch = Scratch::new();
    let error = |message: &str| event("error", 4, &format!("\"message\":\"{message}\",\"recoverable\":true"));
    scratch.write(LOG, begun() + &error("a\u{feff}b \\\" \u{feff}"));
    silent(staged(&scratch, RULE));
    scratch.write(LOG, begun() + "\u{feff}" + &error("a"));
    assert_eq!(codes(&staged(&scratch, RULE)), ["6:bad-bytes"]);
    scratch.write(LOG, begun() + &error("a").replace("{\"event\"", "{\u{feff}\"event\""));
    assert_eq!(codes(&staged(&scratch, RULE)), ["6:bad-bytes"]);
}

#[test]
fn a_log_without_an_index_at_a_default_place_is_told_with_the_repair_and_stops_nobody() {
    let scratch = with_hook();
    scratch.write(LOG, run_start() + &start(1, 1));
    let found = only(staged(&scratch, RULE));
    assert_eq!((&found["level"], &found["code"]), (&"info".into(), &"index-missing".into()), "{found}");
    let help = found["help"].as_str().expect("text");
    assert!(help.contains("yatsu-hook runlog start quality/run_state.jsonl"), "{help}");
    only(all(&scratch, RULE));
    let said = scratch.try_git(&["commit", "-q", "-m", "theirs"]).expect(0);
    assert!(said.err.ends_with("\n1 info\n"), "{}", said.err);
    // the log is not judged, and its program may change it
    scratch.write(LOG, start(1, 1));
    only(staged(&scratch, RULE));
    scratch.git(&["commit", "-q", "-m", "edited"]);
    let said = scratch.yatsu(&["runlog", "check"]).expect(0);
    assert!(said.out.contains("info[runlog-schema] index-missing"), "{}", said.out);
    // the repairs pass: renaming the file, and a log with a valid beginning
    scratch.git(&["mv", LOG, "quality/run_state.old.jsonl"]);
    scratch.write(LOG, index() + &run_start());
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", "a run of ours"]);
}

/// The base of two tips that are pushed together is judged for each of them: a log that the other one touches excuses nothing.
#[test]
fn a_tip_is_not_excused_by_what_another_tip_found_in_their_base() {
    let scratch = one_node();
    scratch.write(LOG, begun() + "garbage\n");
    let base = scratch.commit("past the gate");
    scratch.git(&["checkout", "-q", "-b", "one"]);
    scratch.write(LOG, begun() + "garbage\n" + &end(2, 4));
    let one = scratch.commit("it grows");
    scratch.git(&["checkout", "-q", "-b", "two", &base]);
    scratch.write("other/quality/run_state.jsonl", begun() + "garbage\n");
    let two = scratch.commit("a copy");
    scratch.git(&["checkout", "-q", "main"]);
    let line = |name: &str, new: &str| format!("{base} {new} refs/heads/{name}\n");
    let [one, two] = [line("one", &one), line("two", &two)];
    let receives = |lines: String| fed(scratch.yatsu_command(&["pre-receive"]), lines);
    // the server has the old tips
    ["one", "two"].iter().for_each(|name| drop(scratch.git(&["branch", "-q", "-f", name, &base])));
    receives(one.clone()).expect(0);
    for lines in [two.clone(), two.clone() + &one, one + &two] {
        let said = receives(lines.clone()).expect(1);
        assert!(said.err.contains("other/quality/run_state.jsonl:6"), "{lines}: {}", said.err);
    }
}
