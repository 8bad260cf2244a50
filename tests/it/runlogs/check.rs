//! `runlog check`: logs as they lie on disk.

use crate::support::runlog::{LOG, begun, end, event, index, run_end, run_start, start, whole};
use crate::support::{Scratch, validate_published, validate_sarif};
use std::io::Write;

/// The findings about the log at `path`, as `line:rule:code`.
#[track_caller]
fn told(scratch: &Scratch, args: &[&str]) -> Vec<String> {
    let said = scratch.yatsu(&[&["runlog", "check"], args, &["--format", "json"]].concat());
    assert!(matches!(said.code, 0 | 1), "{} {}", said.code, said.err);
    let report = validate_published(&said.out);
    let findings = report["findings"].as_array().expect("a list").iter();
    findings
        .map(|finding| {
            let word = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
            format!("{}:{}:{}", finding["line"], word("rule").replace("runlog-", ""), word("code"))
        })
        .collect()
}

const NOTHING: [&str; 0] = [];

/// A log with the nine files of phase 2 and the exploration of phase 1, nothing of it known to git.
fn explored() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(LOG, begun());
    scratch.write("quality/EXPLORATION.md", "text\n".repeat(119) + "## Finding 1\n");
    scratch
}

#[test]
fn a_run_that_left_everything_behind_is_fine_and_nobody_writes() {
    let scratch = explored();
    assert_eq!(told(&scratch, &[]), NOTHING);
    assert_eq!(told(&scratch, &[LOG]), NOTHING);
    assert_eq!(scratch.yatsu(&["runlog", "check"]).expect(0).out, "");
    assert_eq!(scratch.read(LOG), begun());
}

#[test]
fn an_end_without_its_files_is_an_error_on_disk() {
    let scratch = explored();
    std::fs::remove_file(scratch.root.join("quality/EXPLORATION.md")).expect("removed");
    assert_eq!(told(&scratch, &[]), ["4:artifacts:"]);
    scratch.yatsu(&["runlog", "check"]).expect(1);
    // ignored files are on disk all the same
    scratch.write(".gitignore", "quality/*.md\n");
    scratch.write("quality/EXPLORATION.md", "text\n".repeat(119) + "## Finding 1\n");
    assert_eq!(told(&scratch, &[]), NOTHING);
}

#[test]
fn a_committed_line_that_changed_on_disk_is_an_error() {
    let scratch = explored();
    scratch.commit("a run");
    scratch.write(LOG, begun() + &event("error", 9, "\"message\":\"m\",\"recoverable\":true"));
    assert_eq!(told(&scratch, &[]), NOTHING);
    scratch.write(LOG, begun().replace("14:02:00Z", "14:02:01Z"));
    assert_eq!(told(&scratch, &[]), ["4:history:"]);
}

#[test]
fn every_format_says_the_code() {
    let scratch = explored();
    scratch.write(LOG, begun() + "garbage\n" + &end(3, 9));
    assert_eq!(told(&scratch, &[])[..2], ["6:schema:malformed-json", "7:schema:phase-end-without-start"]);
    let said = |format: &str| scratch.yatsu(&["runlog", "check", "--format", format]).expect(1).out;
    let sarif = validate_sarif(&said("sarif"));
    assert_eq!(sarif["runs"][0]["results"][0]["properties"]["code"], "malformed-json");
    assert!(said("github").contains("::error file=quality/run_state.jsonl,line=6,"), "{}", said("github"));
    assert!(said("human").contains("quality/run_state.jsonl:6:1: error[runlog-schema] malformed-json: "));
}

#[test]
fn any_file_is_judged_where_it_is_named() {
    let scratch = explored();
    scratch.write("notes/other.jsonl", index() + &run_start() + &start(9, 1));
    assert_eq!(told(&scratch, &["notes/other.jsonl"]), ["3:schema:bad-phase"]);
    scratch.write("notes/else.txt", "{\"state\":1}\n");
    assert!(told(&scratch, &["notes/else.txt"]).contains(&"1:schema:index-not-first".to_owned()));
    scratch.write("notes/empty", "");
    assert_eq!(told(&scratch, &["notes/empty"]), ["1:schema:empty"]);
    let said = scratch.yatsu(&["runlog", "check", "notes/absent"]).expect(2);
    assert!(said.err.contains("there is no run log notes/absent"), "{}", said.err);
}

#[test]
fn a_whole_run_is_asked_for_everything() {
    let scratch = Scratch::new();
    scratch.write(LOG, whole());
    let found = told(&scratch, &[]);
    assert_eq!(
        found.iter().filter(|line| line.ends_with(":artifacts:")).count(),
        5,
        "phase 5 asks for nothing: {found:#?}"
    );
    scratch.write("quality/BUGS.md", "### BUG-001\n");
    let found = told(&scratch, &[]);
    assert_eq!(found.iter().filter(|line| line.ends_with(":artifacts:")).count(), 7, "{found:#?}");
}

#[test]
fn an_aborted_run_is_asked_for_no_success() {
    let scratch = explored();
    scratch.write(LOG, index() + &run_start() + &start(1, 1) + &end(1, 2) + &run_end(3, "aborted"));
    assert_eq!(told(&scratch, &[]), NOTHING);
}

#[test]
fn advice_is_an_error_only_where_it_is_asked_for() {
    let scratch = explored();
    scratch.write(LOG, begun().trim_end());
    assert_eq!(told(&scratch, &[]), ["5:schema:no-final-newline"]);
    scratch.yatsu(&["runlog", "check"]).expect(0);
    scratch.yatsu(&["runlog", "check", "--strict"]).expect(1);
}

#[test]
fn a_line_of_a_gigabyte_and_a_bomb_of_brackets_are_told_and_held_by_nobody() {
    let scratch = explored();
    let mut file = std::fs::File::create(scratch.root.join("big.jsonl")).expect("a file");
    file.write_all((index() + &run_start()).as_bytes()).expect("written");
    // for a reader a hole is as long as zeros
    file.set_len(1 << 28).expect("a hole");
    assert_eq!(told(&scratch, &["big.jsonl"]), ["3:schema:line-too-long"]);
    scratch.write("deep.jsonl", index() + &run_start() + &"[".repeat(100_000) + "\n");
    assert_eq!(told(&scratch, &["deep.jsonl"]), ["3:schema:malformed-json"]);
}

#[test]
fn a_profile_that_is_a_bomb_is_refused() {
    let scratch = explored();
    let profile = |rule: &str| {
        format!(
            "{{\"name\":\"p\",\"schemaVersion\":\"1\",\"events\":{{\"_index\":{{\"position\":\"first\"}},\"go\":{{\"position\":\"second\"}}}},\"end\":{{\"requires\":[{rule}]}}}}"
        )
    };
    scratch.write("spexcode.json", "{\"yatsu\":{\"runlogs\":[{\"path\":\"x.jsonl\",\"profile\":\"p.json\"}]}}");
    scratch.write("x.jsonl", index());
    for rule in [
        "{\"file\":\"a\",\"heading\":\"((a{1000}){1000}){1000}\"}".to_owned(),
        format!("{{\"file\":\"a\",\"heading\":\"{}\"}}", "(".repeat(500)),
        format!("{{\"glob\":\"{}\"}}", "**/".repeat(300)),
        format!("{}{}", "{\"allOf\":[".repeat(5000), "]}".repeat(5000)),
    ] {
        scratch.write("p.json", profile(&rule));
        let said = scratch.yatsu(&["runlog", "check", "x.jsonl"]).expect(2);
        assert!(said.err.contains("p.json:1:"), "{}", said.err);
    }
}

#[test]
fn a_log_too_large_for_git_views_is_not_passed_over_and_on_disk_it_is_judged() {
    let scratch = explored();
    let mut file = std::fs::File::create(scratch.root.join(LOG)).expect("a file");
    file.write_all((index() + &run_start()).as_bytes()).expect("written");
    // for a reader a hole is as long as zeros
    file.set_len((128 << 20) + 1).expect("a hole");
    assert_eq!(told(&scratch, &[LOG]), ["3:schema:line-too-long"]);
    scratch.git(&["-c", "core.compression=1", "add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]).expect(3);
    assert!(said.err.contains(LOG) && said.err.contains("end the run before its log is so large"), "{}", said.err);
}

#[test]
fn a_committed_error_hides_no_artifact_that_is_missing() {
    let scratch = Scratch::new();
    scratch.write(LOG, index() + &run_start() + "garbage\n" + &start(1, 1));
    scratch.commit("it can never be mended");
    scratch.write(LOG, index() + &run_start() + "garbage\n" + &start(1, 1) + &end(1, 2));
    assert_eq!(told(&scratch, &[]), ["3:schema:malformed-json", "5:artifacts:"]);
}

#[test]
fn a_count_that_no_phase_names_is_not_said_beside_the_phases_that_did_not_end() {
    let scratch = explored();
    scratch.write(LOG, index() + &run_start() + &start(1, 1) + &end(1, 2) + &run_end(3, "success"));
    assert_eq!(told(&scratch, &[]), ["5:schema:run-end-incomplete"]);
}
