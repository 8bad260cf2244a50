//! Tests each code on the smallest log that has it, and the whole judge against a slow and obvious one.

mod oracle;

use super::*;
use crate::features::runlogs::model::builtin::{self, CALIBRATION_CYCLE, QUALITY_PLAYBOOK};
use crate::features::runlogs::model::parse_profile;
use proptest::prelude::*;

/// The violations of a log as `line:code`, and its events.
#[derive(Default)]
struct Heard {
    told: Vec<String>,
    events: Vec<String>,
}

impl Watch for Heard {
    fn event(&mut self, event: &LogEvent<'_>) {
        self.events.push(event.name().unwrap_or_default().to_owned());
    }

    fn violation(&mut self, violation: Violation, _line: Option<&LogLine<'_>>) {
        assert!(!violation.message.is_empty() && !violation.help.is_empty());
        self.told.push(format!("{}:{}", violation.line, violation.code.as_str()));
    }
}

fn judged_by(profile: &Profile, text: &[u8]) -> (Vec<String>, Run) {
    let mut heard = Heard::default();
    let run = judge(text, profile, &mut heard).unwrap();
    (heard.told, run)
}

fn told(text: &str) -> Vec<String> {
    judged_by(builtin::find(QUALITY_PLAYBOOK).unwrap(), text.as_bytes()).0
}

const INDEX_LINE: &str = r#"{"event":"_index","ts":"2026-05-15T14:00:00Z","schema_version":"1.5.6","event_types":["_index","run_start","phase_start","phase_end","artifact_written","gate_check","error","run_end","phase_reopened","documentation_state","aborted_missing_docs","pattern_walked"],"benchmark":"chi-1.3.45","lever_state":"baseline","started_at":"2026-05-15T14:00:00Z"}"#;
const RUN_START: &str = r#"{"event":"run_start","ts":"2026-05-15T14:00:00Z","runner":"claude","playbook_version":"1.5.6","target_path":"."}"#;

fn event(name: &str, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { "," };
    format!(r#"{{"event":"{name}","ts":"2026-05-15T14:01:00Z"{comma}{rest}}}"#)
}

fn start(n: u32) -> String {
    event("phase_start", &format!(r#""phase":{n}"#))
}

fn end(n: u32) -> String {
    event("phase_end", &format!(r#""phase":{n},"key_counts":{{}},"artifacts_produced":[]"#))
}

fn reopened(n: u32) -> String {
    event("phase_reopened", &format!(r#""phase":{n},"reason":"the file is gone""#))
}

fn run_end(status: &str) -> String {
    event("run_end", &format!(r#""status":"{status}""#))
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A log with a correct beginning, followed by these lines.
fn log(lines: &[String]) -> String {
    joined(&[&[INDEX_LINE.to_owned(), RUN_START.to_owned()], lines].concat())
}

/// The violations of such a log.
fn after(lines: &[String]) -> Vec<String> {
    told(&log(lines))
}

fn phases(from: u32, to: u32) -> Vec<String> {
    (from..=to).flat_map(|n| [start(n), end(n)]).collect()
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_log_of_one_phase_is_valid() {
    assert_eq!(after(&phases(1, 1)), NOTHING);
    let (_, run) = judged_by(builtin::find(QUALITY_PLAYBOOK).unwrap(), log(&phases(1, 1)).as_bytes());
    assert_eq!((run.lines, run.whole, run.errors, run.ended), (4, true, 0, None));
    assert!(run.phases[0].is_closed() && !run.phases[0].is_open() && !run.phases[1].is_closed());
}

#[test]
fn a_log_without_an_event_is_empty() {
    assert_eq!(told(""), ["1:empty"]);
    assert_eq!(told("\n \n"), ["1:blank-line", "2:blank-line", "1:empty"]);
}

#[test]
fn the_first_two_lines_swapped_are_two_findings() {
    let text = joined(&[RUN_START.into(), INDEX_LINE.into()]);
    assert_eq!(told(&text), ["1:index-not-first", "1:run-start-position"]);
}

#[test]
fn a_second_index_is_named_and_declares_nothing() {
    let second = INDEX_LINE.replace("\"_index\",\"run", "\"x\",\"run");
    assert_eq!(after(&[second, event("x", "")]), ["3:index-duplicate", "4:undeclared-event"]);
}

#[test]
fn after_garbage_the_rest_is_still_judged() {
    assert_eq!(after(&["garbage".into(), end(1)]), ["3:malformed-json", "4:phase-end-without-start"]);
}

#[test]
fn json_that_is_no_object_is_named() {
    assert_eq!(after(&["[1]".into(), "42".into()]), ["3:not-object", "4:not-object"]);
}

#[test]
fn two_objects_in_a_line_are_both_judged() {
    let glued = format!("{}{}", start(1), end(1));
    assert_eq!(after(std::slice::from_ref(&glued)), ["3:concatenated"]);
    assert_eq!(after(&[glued, end(1)]), ["3:concatenated", "4:duplicate-phase-end"]);
    let both = format!("{INDEX_LINE}{RUN_START}\n");
    assert_eq!(told(&both), ["1:concatenated"], "the second object is the second event");
}

#[test]
fn a_last_line_without_its_end_is_torn_or_lacks_a_line_feed() {
    assert_eq!(told(log(&[start(1)]).trim_end()), ["3:no-final-newline"]);
    let torn = log(&[start(1), end(1)]);
    assert_eq!(told(&torn[..torn.len() - 5]), ["4:torn-line"]);
    let run = judged_by(builtin::find(QUALITY_PLAYBOOK).unwrap(), log(&[start(1)]).trim_end().as_bytes()).1;
    assert!(!run.whole && run.errors == 0);
}

#[test]
fn a_blank_line_counts_as_a_line_and_takes_no_place() {
    let text = format!("{INDEX_LINE}\n\n{RUN_START}\n{}\n", event("nobody", ""));
    assert_eq!(told(&text), ["2:blank-line", "4:undeclared-event"]);
}

#[test]
fn every_event_has_a_time_and_a_name() {
    assert_eq!(after(&[r#"{"event":"phase_start","phase":1}"#.into()]), ["3:missing-ts"]);
    assert_eq!(after(&[r#"{"ts":"2026-05-15T14:01:00Z"}"#.into()]), ["3:missing-event"]);
    assert_eq!(after(&[r#"{"ts":"2026-05-15T14:01:00Z","event":7}"#.into()]), ["3:missing-event"]);
    assert_eq!(after(&["{}".into()]), ["3:missing-ts", "3:missing-event"]);
}

#[test]
fn a_time_has_one_spelling_and_a_fraction_is_allowed() {
    for ts in [r#""2026-05-15 14:00""#, r#""2026-05-15T14:00:00+02:00""#, "1778853600", r#""2026-02-30T14:00:00Z""#] {
        assert_eq!(after(&[format!(r#"{{"event":"phase_start","ts":{ts},"phase":1}}"#)]), ["3:bad-ts"], "{ts}");
    }
    let fraction = r#"{"event":"phase_start","ts":"2026-05-15T14:01:00.25Z","phase":1}"#;
    assert_eq!(after(&[fraction.into()]), NOTHING);
}

#[test]
fn a_clock_that_runs_back_is_a_warning() {
    let early = r#"{"event":"phase_start","ts":"2026-05-15T13:59:59Z","phase":1}"#;
    assert_eq!(after(&[early.into(), end(1)]), ["3:ts-regression"]);
    assert_eq!(LogCode::TsRegression.at_most(), Some(crate::finding::Level::Warning));
}

#[test]
fn an_event_that_is_not_declared_is_named_unless_it_is_the_one_that_declares() {
    assert_eq!(after(&[event("nobody", "")]), ["3:undeclared-event"]);
    let widened = event("event_types_added", r#""types":["nobody"]"#);
    assert_eq!(after(&[widened, event("nobody", r#""x":[1.5]"#)]), NOTHING, "declared, and no profile knows it");
    assert_eq!(after(&[event("event_types_added", r#""types":[]"#)]), ["3:bad-field"]);
}

#[test]
fn the_vocabulary_must_be_a_list_of_names() {
    let types = INDEX_LINE.split("\"event_types\":").nth(1).unwrap().split(']').next().unwrap();
    let with = |text: &str| {
        let index = INDEX_LINE.replace(&format!("\"event_types\":{types}]"), text);
        told(&joined(&[index, RUN_START.into(), start(1)]))
    };
    for text in [r#""event_types":"run_start""#, r#""event_types":[]"#, r#""event_types":["a",1]"#, r#""x":1"#] {
        assert_eq!(with(text), ["1:index-field"], "{text}");
    }
}

#[test]
fn the_fields_of_the_index_are_errors() {
    let with = |from: &str, to: &str| told(&joined(&[INDEX_LINE.replace(from, to), RUN_START.into()]));
    assert_eq!(with("\"benchmark\":\"chi-1.3.45\",", ""), ["1:index-field"]);
    assert_eq!(with("\"lever_state\":\"baseline\"", "\"lever_state\":1"), ["1:index-field"]);
    assert_eq!(with("\"schema_version\":\"1.5.6\"", "\"schema_version\":1.5"), ["1:index-field"]);
    assert_eq!(with("\"schema_version\":\"1.5.6\"", "\"schema_version\":\"one\""), ["1:index-field"]);
    assert_eq!(
        with("\"started_at\":\"2026-05-15T14:00:00Z\"", "\"started_at\":\"2026-05-15T14:00:01Z\""),
        ["1:index-field"]
    );
    assert_eq!(with("\"started_at\":\"2026-05-15T14:00:00Z\"", "\"started_at\":\"2026-05-15T14:00:00.0Z\""), NOTHING);
    assert_eq!(with("\"schema_version\":\"1.5.6\"", "\"schema_version\":\"1.9.0\""), NOTHING, "a minor step is fine");
}

#[test]
fn a_newer_format_is_judged_no_further() {
    let index = INDEX_LINE.replace("1.5.6", "2.0.0");
    let (told, run) =
        judged_by(builtin::find(QUALITY_PLAYBOOK).unwrap(), joined(&[index, "garbage".into(), end(9)]).as_bytes());
    assert_eq!((told, run.newer, run.errors), (vec!["1:schema-newer".to_owned()], true, 0));
}

#[test]
fn a_phase_starts_and_ends_once() {
    assert_eq!(after(&[start(1), start(1)]), ["4:duplicate-phase-start"]);
    assert_eq!(after(&[start(1), end(1), end(1)]), ["5:duplicate-phase-end"]);
    assert_eq!(after(&[start(1), end(1), start(1), end(1)]), ["5:duplicate-phase-start", "6:duplicate-phase-end"]);
}

#[test]
fn an_end_needs_its_start() {
    assert_eq!(after(&[end(2)]), ["3:phase-end-without-start"]);
}

#[test]
fn phases_come_in_their_order_and_one_at_a_time() {
    assert_eq!(after(&[start(3), end(3), start(2)]), ["5:phase-order"]);
    assert_eq!(after(&[start(1), start(2)]), ["4:phase-overlap"]);
    assert_eq!(after(&[start(2), start(1)]), ["4:phase-overlap", "4:phase-order"]);
    assert_eq!(after(&[start(1), end(1), start(4)]), NOTHING, "a gap is no fault");
}

#[test]
fn a_phase_is_an_integer_of_the_profile() {
    for phase in ["0", "7", "\"1\"", "1.0", "true", "null", "1e0", "-1", "99999999999999999999"] {
        assert_eq!(after(&[event("phase_start", &format!("\"phase\":{phase}"))]), ["3:bad-phase"], "{phase}");
    }
    assert_eq!(after(&[event("phase_start", "")]), ["3:bad-phase"]);
}

#[test]
fn a_phase_that_was_reopened_starts_and_ends_once_more() {
    let again = |lines: &[String]| after(&[&phases(1, 2)[..], lines].concat());
    assert_eq!(again(&[reopened(1), start(1), end(1)]), NOTHING);
    assert_eq!(again(&[start(3), reopened(1), start(1), end(1), end(3)]), NOTHING, "inside an open one, too");
    assert_eq!(again(&[reopened(1), start(1), end(1), start(1)]), ["10:duplicate-phase-start"]);
    assert_eq!(again(&[reopened(1), end(1)]), ["8:phase-end-without-start"]);
    assert_eq!(again(&[reopened(1), reopened(1)]), ["8:phase-order"], "it is not closed");
    assert_eq!(again(&[reopened(5)]), ["7:phase-order"]);
    assert_eq!(again(&[reopened(9)]), ["7:bad-phase"]);
    assert_eq!(again(&[event("phase_reopened", "\"phase\":1")]), ["7:bad-field"]);
}

#[test]
fn the_run_starts_in_the_second_line_and_once() {
    let text = |lines: &[&str]| told(&joined(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()));
    let error = event("error", r#""message":"m","recoverable":true"#).replace("14:01:00", "14:00:00");
    assert_eq!(text(&[INDEX_LINE, &error, RUN_START]), ["3:run-start-position"]);
    assert_eq!(text(&[INDEX_LINE, &error]), ["2:run-start-missing"]);
    assert_eq!(text(&[INDEX_LINE]), ["1:run-start-missing"]);
    let second = RUN_START.replace("14:00:00", "14:01:00");
    assert_eq!(text(&[INDEX_LINE, RUN_START, &second]), ["3:run-start-duplicate"]);
    assert_eq!(text(&[RUN_START]), ["1:index-not-first", "1:run-start-position"]);
}

#[test]
fn an_ended_run_is_over() {
    let ended = [phases(1, 6), vec![run_end("success")]].concat();
    assert_eq!(after(&ended), NOTHING);
    assert_eq!(
        after(&[&ended[..], &[event("gate_check", r#""gate_name":"g","verdict":"pass""#)]].concat()),
        ["16:after-run-end"]
    );
    assert_eq!(after(&[&ended[..], &[run_end("success")]].concat()), ["16:run-end-duplicate"]);
}

#[test]
fn success_needs_every_phase_and_other_ends_do_not() {
    let without_four = [phases(1, 3), phases(5, 6)].concat();
    assert_eq!(after(&[&without_four[..], &[run_end("success")]].concat()), ["13:run-end-incomplete"]);
    for status in ["aborted", "failed"] {
        assert_eq!(after(&[&without_four[..], &[run_end(status)]].concat()), NOTHING, "{status}");
    }
    let open_again = [&phases(1, 6)[..], &[reopened(2), start(2), run_end("success")]].concat();
    assert_eq!(after(&open_again), ["17:run-end-incomplete"]);
}

#[test]
fn fields_that_stray_from_their_tables_are_warnings() {
    assert_eq!(after(&[event("gate_check", r#""gate_name":"g","verdict":"passed""#)]), ["3:bad-field"]);
    assert_eq!(after(&[event("gate_check", "")]), ["3:bad-field", "3:bad-field"]);
    assert_eq!(after(&[event("artifact_written", r#""relative_path":"a","byte_size":1.5"#)]), ["3:bad-field"]);
    assert_eq!(after(&[run_end("done")]), ["3:bad-field"]);
    let counts = |counts: &str| {
        let text = format!(r#""phase":1,"key_counts":{counts},"artifacts_produced":["a"]"#);
        after(&[start(1), event("phase_end", &text)])
    };
    assert_eq!(counts(r#"{"other":1}"#), NOTHING, "a count may lack");
    assert_eq!(counts(r#"{"findings_total":"12"}"#), ["4:bad-field"]);
    assert_eq!(counts("[]"), ["4:bad-field"]);
    assert_eq!(LogCode::BadField.at_most(), Some(crate::finding::Level::Warning));
}

#[test]
fn a_cycle_has_a_start_and_an_end_of_its_own() {
    let index = r#"{"event":"_index","ts":"2026-05-15T14:00:00Z","schema_version":"1.5.6","event_types":["cycle_start","benchmark_end","lever_change_reverted","cycle_end"],"cycle_name":"c","lever_under_test":"l","benchmarks":["chi"],"iteration":1}"#;
    let begin = event("cycle_start", r#""hypothesis":"h","noise_floor_threshold":0.05"#);
    let bench = |recall: &str| {
        let rest = r#""bugs_found":[],"bugs_missed":[],"historical_baseline_path":"b""#;
        event("benchmark_end", &format!(r#""benchmark":"chi","lever_state":"pre-lever","recall":{recall},{rest}"#))
    };
    let over = event(
        "cycle_end",
        r#""verdict":"ship","recall_before":{},"recall_after":{},"delta":{},"cross_benchmark_check":{}"#,
    );
    let reverted = |sha: &str| event("lever_change_reverted", &format!(r#""files_changed":["a"],"commit_sha":{sha}"#));
    let told = |lines: &[&str]| {
        let text = joined(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        judged_by(builtin::find(CALIBRATION_CYCLE).unwrap(), text.as_bytes()).0
    };
    assert_eq!(told(&[index, &begin, &bench("0.5"), &reverted("null"), &over]), NOTHING);
    assert_eq!(told(&[index, &begin, &bench("1.2"), &reverted("1")]), ["3:bad-field", "4:bad-field"]);
    assert_eq!(told(&[index, &over, &begin]), ["3:run-start-position", "3:after-run-end"]);
}

#[test]
fn two_events_that_exclude_each_other_are_named_at_the_second() {
    let code_only = event("documentation_state", r#""state":"code_only","reason":"empty""#);
    let with_docs = event("documentation_state", r#""state":"with_docs","reason":"there""#);
    let aborted = event("aborted_missing_docs", r#""reason":"empty""#);
    assert_eq!(after(&[code_only.clone(), aborted.clone()]), ["4:excluded-event"]);
    assert_eq!(after(&[aborted.clone(), code_only]), ["4:excluded-event"]);
    assert_eq!(after(&[with_docs, aborted]), NOTHING);
}

#[test]
fn an_event_of_a_project_may_stand_there_once() {
    let profile = parse_profile(
        "p",
        br#"{"name":"p","schemaVersion":"1","events":{"_index":{"position":"first"},"go":{"position":"second"},
            "once":{"once":true},"phase_start":{"perPhase":true,"fields":{"phase":{"type":"integer"}}},
            "phase_end":{"perPhase":true,"fields":{"phase":{"type":"integer"}}},
            "review":{"perPhase":true,"fields":{"phase":{"type":"integer"}}}},
            "phases":[{"n":1,"name":"a"},{"n":2,"name":"b"}]}"#,
    )
    .unwrap();
    let index =
        r#"{"event":"_index","ts":"2026-05-15T14:00:00Z","schema_version":"1","event_types":["go","once","review"]}"#;
    let review = |n: u32| event("review", &format!("\"phase\":{n}"));
    let lines = [index.into(), event("go", ""), event("once", ""), event("once", ""), review(1), review(2), review(1)];
    let told = judged_by(&profile, joined(&lines).as_bytes()).0;
    assert_eq!(told, ["4:duplicate-event", "7:duplicate-event"]);
}

#[test]
fn every_event_is_told_in_its_order() {
    let mut heard = Heard::default();
    judge(log(&phases(1, 1)).as_bytes(), builtin::find(QUALITY_PLAYBOOK).unwrap(), &mut heard).unwrap();
    assert_eq!(heard.events, ["_index", "run_start", "phase_start", "phase_end"]);
}

#[test]
fn a_vocabulary_has_a_limit() {
    let name = "x".repeat(1000);
    let added = event("event_types_added", &format!(r#""types":[{}]"#, vec![format!("\"{name}\""); 900].join(",")));
    let told = after(&vec![added; 6]);
    assert_eq!(told, ["7:bad-field", "8:bad-field"]);
}

fn any_line() -> impl Strategy<Value = String> {
    let number = prop_oneof![Just("1"), Just("2"), Just("3"), Just("6"), Just("7"), Just("1.0"), Just("\"1\"")];
    let ts = prop_oneof![
        4 => Just("\"2026-05-15T14:01:00Z\""),
        1 => Just("\"2026-05-15T14:00:59.5Z\""),
        1 => Just("\"2026-05-15 14:00\""),
    ];
    let name = prop_oneof![
        4 => Just("phase_start"), 4 => Just("phase_end"), 2 => Just("phase_reopened"), 2 => Just("run_end"),
        1 => Just("run_start"), 1 => Just("_index"), 1 => Just("gate_check"), 1 => Just("nobody"),
        1 => Just("event_types_added"), 1 => Just("documentation_state"), 1 => Just("aborted_missing_docs"),
    ];
    let whole = (name, ts, number, any::<u8>()).prop_map(|(name, ts, number, pick)| {
        let rest = match name {
            "_index" => return INDEX_LINE.to_owned(),
            "run_start" => return RUN_START.to_owned(),
            "run_end" => format!(r#""status":"{}""#, ["success", "aborted", "done"][usize::from(pick % 3)]),
            "phase_reopened" => format!(r#""phase":{number},"reason":"r""#),
            "phase_end" => format!(r#""phase":{number},"key_counts":{{}},"artifacts_produced":[]"#),
            "event_types_added" => r#""types":["nobody"]"#.to_owned(),
            "documentation_state" => r#""state":"code_only","reason":"r""#.to_owned(),
            "aborted_missing_docs" => r#""reason":"r""#.to_owned(),
            _ => format!(r#""phase":{number}"#),
        };
        format!(r#"{{"event":"{name}","ts":{ts},{rest}}}"#)
    });
    prop_oneof![
        12 => whole.clone(),
        1 => Just(String::new()),
        1 => Just("garbage".to_owned()),
        1 => Just("[1]".to_owned()),
        1 => (whole.clone(), whole).prop_map(|(one, two)| one + &two),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_slow_judge_says_the_same(
        begins in any::<u8>(),
        lines in prop::collection::vec(any_line(), 0..14),
        cut in 0..40_usize,
    ) {
        let head: &[&str] = match begins % 4 { 0 => &[], 1 => &[INDEX_LINE], _ => &[INDEX_LINE, RUN_START] };
        let all: Vec<String> = head.iter().map(|line| (*line).to_owned()).chain(lines).collect();
        let text = joined(&all);
        let text = &text[..text.len().saturating_sub(if begins > 200 { cut } else { 0 })];
        let mut told = judged_by(builtin::find(QUALITY_PLAYBOOK).unwrap(), text.as_bytes()).0;
        let mut slow = oracle::told(text);
        told.sort();
        slow.sort();
        prop_assert_eq!(told, slow, "{}", text);
    }

    #[test]
    fn any_bytes_are_judged(bytes: Vec<u8>, tail in "[\\[\\]{}\":,a1\n]{0,40}") {
        let text = [INDEX_LINE.as_bytes(), b"\n", &bytes, tail.as_bytes()].concat();
        let (told, run) = judged_by(builtin::find(QUALITY_PLAYBOOK).unwrap(), &text);
        prop_assert!(told.len() as u64 >= run.errors);
    }
}
