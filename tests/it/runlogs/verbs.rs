//! The verbs of run logs through the program: what they write is valid, and a refusal changes no byte.

use crate::support::{Said, Scratch, scenarios, validate_published};
use serde_json::{Value, json};
use std::fs;

pub const LOG: &str = "quality/run_state.jsonl";
pub const PAGE: &str = "quality/PROGRESS.md";

/// Starts a run of the playbook.
pub const START: &[&str] = &[
    "runlog",
    "start",
    LOG,
    "benchmark=chi-1.5.1",
    "lever_state=baseline",
    "runner=claude",
    "playbook_version=1.5.6",
    "target_path=.",
];

/// A repository with a run of the playbook in its first phase.
pub fn started() -> Scratch {
    let s = Scratch::new();
    s.write("README", "x");
    s.commit("begin");
    s.yatsu(START).expect(0);
    s
}

/// Writes the files that phase `n` must leave, with two bugs if bugs are counted.
pub fn leave(s: &Scratch, n: u32) {
    let files: &[&str] = match n {
        1 => return s.write("quality/EXPLORATION.md", format!("## Finding 1\n{}", "line\n".repeat(130))),
        2 => &[
            "REQUIREMENTS.md",
            "QUALITY.md",
            "CONTRACTS.md",
            "COVERAGE_MATRIX.md",
            "COMPLETENESS_REPORT.md",
            "RUN_CODE_REVIEW.md",
            "RUN_INTEGRATION_TESTS.md",
            "RUN_SPEC_AUDIT.md",
            "RUN_TDD_TESTS.md",
            "test_functional.py",
        ],
        3 => &["code_reviews/one.md", "patches/BUG-001-regression-test.patch"],
        4 => &["spec_audits/a-triage.md", "spec_audits/a-auditor-1.md"],
        5 => &[
            "results/tdd-results.json",
            "writeups/BUG-001.md",
            "results/BUG-001.red.log",
            "writeups/BUG-002.md",
            "results/BUG-002.red.log",
        ],
        _ => {
            s.write("quality/results/quality-gate.log", "ok\n");
            let page = fs::read_to_string(s.root.join(PAGE)).unwrap_or_default();
            return s.write(PAGE, page + "\n## Terminal Gate Verification\n\nran to the end\n");
        }
    };
    files.iter().for_each(|file| s.write(&format!("quality/{file}"), "x\n"));
    if n == 3 {
        s.write("quality/BUGS.md", "# Bugs\n\n### BUG-001\n\n### BUG-002\n");
    }
}

pub fn log(s: &Scratch) -> String {
    s.read(LOG)
}

pub fn lines(s: &Scratch) -> Vec<Value> {
    log(s).lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

pub fn names(s: &Scratch) -> Vec<String> {
    lines(s).iter().map(|line| line["event"].as_str().expect("a name").to_owned()).collect()
}

pub fn yatsu(s: &Scratch, line: &str) -> Said {
    s.yatsu(&line.split_whitespace().collect::<Vec<_>>())
}

/// The JSON answer of a verb.
pub fn answer(s: &Scratch, line: &str, code: i32) -> Value {
    validate_published(&yatsu(s, &format!("{line} --format json")).expect(code).out)
}

/// Panics unless it is refused with `word` and the log is unchanged.
#[track_caller]
pub fn refused(s: &Scratch, line: &str, code: i32, word: &str) {
    let before = log(s);
    let said = yatsu(s, line).expect(code);
    assert!(format!("{}{}", said.out, said.err).contains(word), "`{word}` is not in:\n{}{}", said.out, said.err);
    assert_eq!(log(s), before, "{line}");
}

/// Puts a line into the log by hand.
pub fn put(s: &Scratch, text: &str) {
    s.write(LOG, log(s) + text);
}

#[test]
fn a_run_starts_with_three_lines_and_a_page() {
    let s = Scratch::new();
    let said = s.yatsu(&[START, &["--format", "json"]].concat()).expect(0);
    let receipt = validate_published(&said.out);
    assert_eq!(receipt["events"], json!(["_index", "run_start", "phase_start"]));
    assert_eq!((&receipt["page"], &receipt["phase"]), (&json!(PAGE), &json!(1)));
    let lines = lines(&s);
    assert_eq!(lines[0]["schema_version"], "1.5.6");
    assert_eq!((&lines[0]["benchmark"], &lines[0]["started_at"]), (&json!("chi-1.5.1"), &lines[0]["ts"]));
    let types = lines[0]["event_types"].as_array().expect("a list");
    assert!(types.contains(&json!("phase_reopened")) && types.contains(&json!("event_types_added")));
    assert_eq!((&lines[1]["runner"], lines[1].get("benchmark")), (&json!("claude"), None));
    assert_eq!(lines[2]["phase"], 1);
    assert!(s.read(PAGE).contains("- [ ] Phase 1 — Explore *(in progress"));
}

#[test]
fn a_field_that_lacks_or_fits_nowhere_starts_nothing() {
    let s = Scratch::new();
    let said = yatsu(&s, "runlog start quality/run_state.jsonl benchmark=b runner=claude").expect(2);
    assert!(said.err.contains("lever_state=VALUE playbook_version=VALUE target_path=VALUE"), "{}", said.err);
    let typed = |more: &str| s.yatsu(&[START, &[more]].concat()).expect(2).err;
    assert!(typed("benchmrk=x").contains("starts with no field benchmrk"));
    assert!(typed("event_types:=[]").contains("not typed"));
    assert!(typed("runner:=1").contains("runner"), "a second one, and of another type");
    assert!(!s.root.join(LOG).exists());
}

#[test]
fn a_run_of_ours_needs_no_field_and_has_its_name() {
    let s = Scratch::new();
    let receipt = answer(&s, "runlog start", 0);
    let file = receipt["file"].as_str().expect("a path");
    let id = file.strip_prefix(".yatsu/runs/").and_then(|name| name.strip_suffix(".jsonl")).expect("its place");
    assert_eq!(receipt["page"], format!(".yatsu/runs/{id}.md"));
    let first: Value = serde_json::from_str(s.read(file).lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["run"], id);
    // with several open runs the log must be named
    let other = answer(&s, "runlog start", 0)["file"].as_str().expect("a path").to_owned();
    let said = yatsu(&s, "runlog add note text=x").expect(2);
    assert!(
        said.err.contains("2 runs are open") && said.err.contains(file) && said.err.contains(&other),
        "{}",
        said.err
    );
    yatsu(&s, &format!("runlog add note text=x --log {other}")).expect(0);
    yatsu(&s, &format!("runlog end aborted --log {other}")).expect(0);
    assert_eq!(answer(&s, "runlog add note text=x", 0)["file"], file, "one is open again");
}

#[test]
fn a_file_that_is_there_is_not_started_again() {
    let s = started();
    let before = log(&s);
    let said = s.yatsu(START).expect(1);
    assert!(said.err.contains("is there") && said.err.contains("runlog resume"), "{}", said.err);
    yatsu(&s, "runlog end aborted").expect(0);
    let said = s.yatsu(START).expect(1);
    assert!(said.err.contains("its run ended: move it"), "{}", said.err);
    assert!(log(&s).starts_with(&before));
}

#[test]
fn a_place_where_no_hook_looks_is_refused() {
    let s = Scratch::new();
    let said = yatsu(&s, "runlog start logs/run.jsonl --profile measure").expect(2);
    assert!(said.err.contains("yatsu.runlogs"), "{}", said.err);
    s.write("spexcode.json", r#"{"yatsu":{"runlogs":[{"path":"logs/*.jsonl","profile":"measure"}]}}"#);
    yatsu(&s, "runlog start logs/run.jsonl --profile measure").expect(0);
    assert!(s.root.join("logs/run.md").exists());
    yatsu(&s, "runlog start logs/other.jsonl --profile quality-playbook").expect(2);
    yatsu(&s, "runlog start --profile calibration-cycle").expect(2);
}

#[test]
fn events_are_added_with_texts_and_json() {
    let s = started();
    s.yatsu(&["runlog", "add", "gate_check", "gate_name=a b=c", "verdict=pass", "x:={\"n\": 1.50}"]).expect(0);
    yatsu(&s, "runlog add artifact_written relative_path=quality/EXPLORATION.md byte_size:=12034").expect(0);
    assert!(log(&s).contains("\"gate_name\":\"a b=c\",\"verdict\":\"pass\",\"x\":{\"n\":1.50}}"));
    assert!(s.read(PAGE).contains("- quality/EXPLORATION.md (12,034 bytes)"));
}

#[test]
fn what_does_not_fit_is_not_added() {
    let s = started();
    refused(&s, "runlog add gate_check gate_name=g verdict=good", 2, "verdict");
    refused(&s, "runlog add artifact_written relative_path=a byte_size=12", 2, "FIELD:=JSON");
    refused(&s, "runlog add nobody a=1", 1, "not in event_types");
    refused(&s, "runlog add phase_start phase:=2", 2, "runlog phase start N");
    refused(&s, "runlog add run_end status=success", 2, "runlog end");
    refused(&s, "runlog add _index", 2, "runlog start");
    refused(&s, "runlog add error message=a message=b recoverable:=true", 2, "twice");
    refused(&s, "runlog add error message", 2, "no FIELD=VALUE");
    let long = format!("text={}", "x".repeat(1 << 20));
    let before = log(&s);
    s.write("long", &long);
    s.yatsu(&[
        "runlog",
        "add",
        "finding_logged",
        "phase:=1",
        "finding_id=a",
        &format!("category={}", "x".repeat(120_000)),
    ])
    .expect(0);
    assert!(log(&s).len() > before.len() + 120_000, "a line may be longer than one of a ledger");
}

#[test]
fn the_vocabulary_is_widened_by_a_line() {
    let s = started();
    s.yatsu(&["runlog", "add", "event_types_added", "types:=[\"nobody\"]"]).expect(0);
    yatsu(&s, "runlog add nobody a=1").expect(0);
    assert_eq!(names(&s)[3..], ["event_types_added", "nobody"]);
}

#[test]
fn an_append_brings_the_line_feed_that_lacks() {
    let s = started();
    s.write(LOG, log(&s).trim_end());
    yatsu(&s, "runlog add gate_check gate_name=g verdict=pass").expect(0);
    assert_eq!(lines(&s).len(), 4, "each on a line of its own");
    assert!(log(&s).ends_with("}\n"));
}

#[test]
fn nothing_is_appended_to_a_torn_line_until_it_is_repaired() {
    let s = started();
    let whole = log(&s);
    put(&s, "{\"event\":\"phase_e");
    refused(&s, "runlog add gate_check gate_name=g verdict=pass", 1, "yatsu-hook repair");
    refused(&s, "runlog resume --apply", 1, "yatsu-hook repair");
    let said = yatsu(&s, "repair --dry-run").expect(0);
    assert!(said.out.contains("a write was cut off"), "{}", said.out);
    assert_eq!(log(&s), whole.clone() + "{\"event\":\"phase_e");
    yatsu(&s, "repair").expect(0);
    assert_eq!(log(&s), whole);
    yatsu(&s, "runlog add gate_check gate_name=g verdict=pass").expect(0);
}

#[test]
fn objects_that_were_glued_are_taken_apart_unless_a_commit_holds_them() {
    let s = started();
    let one = "{\"event\":\"gate_check\",\"ts\":\"2099-01-01T00:00:00Z\",\"gate_name\":\"a\",\"verdict\":\"pass\"}";
    put(&s, &format!("{one}{one}\n"));
    refused(&s, "runlog add gate_check gate_name=g verdict=pass", 1, "2 objects stand in one line");
    let glued = log(&s);
    s.commit("glued");
    yatsu(&s, "repair").expect(1);
    assert_eq!(log(&s), glued, "what is committed stays");
    s.git(&["reset", "-q", "--soft", "HEAD~1"]);
    yatsu(&s, "repair").expect(0);
    assert_eq!(lines(&s).len(), 5);
    yatsu(&s, "repair").expect(0);
    assert_eq!(lines(&s).len(), 5);
}

#[test]
fn a_torn_line_of_head_is_taken_off_and_a_line_feed_of_head_added() {
    let s = started();
    let whole = log(&s);
    put(&s, "{\"event\":\"phase_e");
    s.commit("torn");
    yatsu(&s, "repair").expect(0);
    assert_eq!(log(&s), whole);
    s.write(LOG, whole.trim_end());
    s.commit("without its line feed");
    yatsu(&s, "runlog add gate_check gate_name=g verdict=pass").expect(0);
    assert!(log(&s).starts_with(&whole));
    s.git(&["add", "-A"]);
    s.yatsu(&["pre-commit"]).expect(0);
}

#[test]
fn a_file_with_errors_is_not_appended_to() {
    let s = started();
    for line in ["garbage", "[1]", "{\"event\":\"phase_end\",\"ts\":\"2099-01-01T00:00:00Z\",\"phase\":4}"] {
        let before = log(&s);
        put(&s, &format!("{line}\n"));
        refused(&s, "runlog add gate_check gate_name=g verdict=pass", 1, "nothing is appended");
        refused(&s, "runlog phase end 1", 1, "yatsu-hook runlog check quality/run_state.jsonl");
        refused(&s, "runlog end aborted", 1, "nothing is appended");
        refused(&s, "runlog resume --apply", 1, "nothing is appended");
        s.write(LOG, before);
    }
    s.write(LOG, log(&s).replacen("\"1.5.6\"", "\"2.0.0\"", 1));
    refused(&s, "runlog add gate_check gate_name=g verdict=pass", 1, "newer format");
}

#[test]
fn a_time_never_runs_back() {
    let s = started();
    put(&s, "{\"event\":\"gate_check\",\"ts\":\"2099-01-01T00:00:00.5Z\",\"gate_name\":\"a\",\"verdict\":\"pass\"}\n");
    yatsu(&s, "runlog add gate_check gate_name=g verdict=pass").expect(0);
    assert_eq!(lines(&s)[4]["ts"], "2099-01-01T00:00:00.500Z");
}

#[test]
fn a_phase_starts_where_it_may() {
    let s = started();
    refused(&s, "runlog phase start 2", 1, "while phase 1 is open");
    refused(&s, "runlog phase start 7", 2, "there is no phase 7");
    refused(&s, "runlog phase end 2", 1, "did not start");
    leave(&s, 1);
    yatsu(&s, "runlog phase end 1").expect(0);
    refused(&s, "runlog phase start 1", 1, "started before");
    yatsu(&s, "runlog phase start 2").expect(0);
}

#[test]
fn a_phase_that_lacks_something_does_not_end_and_the_log_says_why() {
    let s = started();
    let receipt = answer(&s, "runlog phase end 1", 1);
    assert_eq!((&receipt["outcome"], &receipt["events"]), (&json!("incomplete"), &json!(["error"])));
    assert!(receipt["missing"][0].as_str().expect("a text").contains("quality/EXPLORATION.md"), "{receipt}");
    let error = lines(&s).pop().expect("a line");
    assert_eq!((&error["phase"], &error["recoverable"]), (&json!(1), &json!(true)));
    s.write("quality/EXPLORATION.md", "short\n");
    let said = yatsu(&s, "runlog phase end 1").expect(1);
    assert!(said.out.contains("phase 1 lacks: quality/EXPLORATION.md has 1 lines"), "{}", said.out);
    assert!(said.out.contains("phase 1 lacks: quality/EXPLORATION.md has no line"), "each is named: {}", said.out);
    leave(&s, 1);
    yatsu(&s, "runlog add artifact_written relative_path=quality/EXPLORATION.md").expect(0);
    yatsu(&s, "runlog phase end 1 findings_total=12 patterns_walked=7 --artifact quality/x.md").expect(0);
    let end = lines(&s).pop().expect("a line");
    assert_eq!(end["key_counts"], json!({"findings_total": 12, "patterns_walked": 7}));
    assert_eq!(end["artifacts_produced"], json!(["quality/x.md", "quality/EXPLORATION.md"]));
}

/// A run with all phases ended.
fn all_phases() -> Scratch {
    let s = started();
    for n in 1..=6 {
        if n > 1 {
            yatsu(&s, &format!("runlog phase start {n}")).expect(0);
        }
        leave(&s, n);
        let counts = if n == 6 { " gate_verdict=pass" } else { "" };
        yatsu(&s, &format!("runlog phase end {n}{counts}")).expect(0);
    }
    s
}

#[test]
fn a_whole_run_is_valid_and_its_page_keeps_the_section_of_the_gate() {
    let s = all_phases();
    let six = lines(&s).pop().expect("a line");
    assert_eq!(six["key_counts"], json!({"gate_verdict": "pass", "bugs_md_count": 2}), "counted on disk");
    yatsu(&s, "runlog end success").expect(0);
    let page = s.read(PAGE);
    assert!(
        page.contains("**Status:** success") && page.contains("\n## Terminal Gate Verification\n\nran to the end\n")
    );
    assert_eq!(page.matches("- [x] Phase").count(), 6);
    yatsu(&s, "runlog progress --check quality/run_state.jsonl").expect(0);
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(0);
    assert_eq!(said.err, "", "nothing to say of it");
    refused(
        &s,
        "runlog add gate_check gate_name=g verdict=pass --log quality/run_state.jsonl",
        1,
        "after the run ended",
    );
    refused(&s, "runlog end failed --log quality/run_state.jsonl", 1, "a second `run_end`");
}

#[test]
fn success_needs_everything_and_nothing_else_is_appended() {
    let s = all_phases();
    s.write("quality/BUGS.md", "### BUG-001\n");
    refused(&s, "runlog end success", 1, "bugs_md_count is 2 in the log, and quality/BUGS.md has 1");
    s.write("quality/BUGS.md", "### BUG-001\n### BUG-002\n");
    fs::remove_file(s.root.join("quality/CONTRACTS.md")).expect("removed");
    refused(&s, "runlog end success", 1, "quality/CONTRACTS.md is not there");
    let s = started();
    refused(&s, "runlog end success", 1, "phase 1, Explore: it has not ended");
    yatsu(&s, "runlog end failed").expect(0);
}

#[test]
fn a_run_over_its_budget_does_not_end_with_success() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    s.write("spexcode.json", r#"{"yatsu":{"budgets":{"maxRunTotalTokens":100}}}"#);
    s.commit("begin");
    let file = answer(&s, "runlog start", 0)["file"].as_str().expect("a path").to_owned();
    let run = file.rsplit('/').next().and_then(|name| name.strip_suffix(".jsonl")).expect("a name").to_owned();
    s.yatsu(&["eval", "n", "--pass", "--run", &run, "--tokens", "90,90", "--token-source", "api"]).expect(0);
    for n in 1..=4 {
        if n > 1 {
            yatsu(&s, &format!("runlog phase start {n}")).expect(0);
        }
        yatsu(&s, &format!("runlog phase end {n}")).expect(0);
    }
    let receipt = answer(&s, "runlog end success", 1);
    assert!(receipt["missing"][0].as_str().expect("a text").contains("over its budget"), "{receipt}");
    assert_eq!(answer(&s, "runlog resume", 0)["plan"][0]["action"], "finish");
    yatsu(&s, "runlog end failed").expect(0);
}

#[test]
fn a_target_with_spaces_and_links_that_leave_it() {
    let s = Scratch::new();
    s.write("x", "x");
    s.commit("begin");
    let log = "work of may/chi 1/quality/run_state.jsonl";
    let start: Vec<&str> = START.iter().map(|word| if *word == LOG { log } else { word }).collect();
    s.yatsu(&start).expect(0);
    s.write("work of may/chi 1/quality/EXPLORATION.md", format!("## 1. one\n{}", "x\n".repeat(120)));
    yatsu(&s, "runlog phase end 1").expect(0);
    yatsu(&s, "runlog phase start 2").expect(0);
    // a linked directory is not searched
    s.write("elsewhere/REQUIREMENTS.md", "x");
    let target = s.root.join("work of may/chi 1/quality/REQUIREMENTS.md");
    std::os::unix::fs::symlink(s.root.join("elsewhere/REQUIREMENTS.md"), target).expect("a link");
    let said = yatsu(&s, "runlog phase end 2").expect(1);
    assert!(said.out.contains("quality/REQUIREMENTS.md is not there"), "{}", said.out);
    let said = s.yatsu(&["runlog", "resume"]).expect(0);
    assert!(said.out.contains("--log 'work of may/chi 1/quality/run_state.jsonl'"), "{}", said.out);
    assert!(s.read("work of may/chi 1/quality/PROGRESS.md").contains("- [x] Phase 1"));
}

#[test]
fn cycles_end_with_an_event_of_their_own() {
    let s = Scratch::new();
    let log = "Calibration Cycles/2026-05 one/run_state.jsonl";
    let fields = ["cycle_name=c", "lever_under_test=l", "benchmarks:=[\"chi\"]", "iteration:=1", "hypothesis=h"];
    let noise = "noise_floor_threshold:=0.05";
    s.yatsu(&[&["runlog", "start", log], &fields[..], &[noise]].concat()).expect(0);
    yatsu(&s, "runlog phase start 1").expect(2);
    let said = yatsu(&s, "runlog end success").expect(2);
    assert!(said.err.contains("runlog add cycle_end"), "{}", said.err);
    yatsu(&s, "runlog progress").expect(2);
    assert_eq!(answer(&s, "runlog resume", 0)["plan"][0]["action"], "next");
    let end =
        "runlog add cycle_end verdict=ship recall_before:={} recall_after:={} delta:={} cross_benchmark_check:={}";
    yatsu(&s, end).expect(0);
    assert_eq!(s.read(log).lines().count(), 3);
}

#[test]
fn the_runs_are_listed_open_ones_first() {
    let s = started();
    let other = answer(&s, "runlog start", 0)["file"].as_str().expect("a path").to_owned();
    yatsu(&s, &format!("runlog end aborted --log {other}")).expect(0);
    s.write("state/run_state.jsonl", "{\"event\":\"_index\"}\n");
    s.write("quality 2/quality/run_state.jsonl", "{\"somebody\":\"else\"}\n");
    let runs = answer(&s, "runlog ls", 0)["runs"].clone();
    assert_eq!(runs.as_array().expect("a list").len(), 2, "{runs}");
    assert_eq!((&runs[0]["file"], &runs[0]["state"]), (&json!(LOG), &json!("open")));
    assert_eq!((&runs[0]["phase"], &runs[0]["phaseName"]), (&json!(1), &json!("Explore")));
    assert_eq!((&runs[1]["state"], &runs[1]["status"]), (&json!("ended"), &json!("aborted")));
    s.write(".gitignore", ".yatsu/\n");
    assert_eq!(answer(&s, "runlog ls", 0)["runs"].as_array().expect("a list").len(), 2, "also where git ignores it");
    let said = yatsu(&s, "runlog ls").expect(0);
    assert!(
        said.out.starts_with("open     quality/run_state.jsonl (quality-playbook), phase 1 Explore, phase_start"),
        "{}",
        said.out
    );
}
