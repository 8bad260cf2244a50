use super::*;
use crate::app::record::retract;
use crate::app::record::retract::ReadingChoice;
use crate::app::site::fake::{Fake, path, scenario};
use crate::error::{ErrorKind, Refusal};
use crate::model::ledger::EvidenceKind;
use std::io::Cursor;

const NOW: Timestamp = Timestamp { millis: 1_767_225_600_000 };

fn request() -> FilingRequest {
    FilingRequest {
        node: Some("node".into()),
        scenario: None,
        verdict: Some(Status::Pass),
        note: None,
        is_note_of_report: false,
        evidence: vec![],
        metrics: vec![],
        artifacts: vec![],
        steps: Vec::new(),
        timeline: None,
        evaluator: None,
        by: None,
        began: None,
        key: None,
        run: None,
        usage: Usage::default(),
        estimate: None,
        strict: false,
        dry_run: false,
        now: NOW,
    }
}

fn text(content: &str) -> Source {
    Source::stream("a text", Box::new(Cursor::new(content.to_owned().into_bytes())))
}

fn file(fake: &Fake, request: FilingRequest) -> Result<NewReading> {
    eval(fake, &fake.store(), request)
}

fn lines(fake: &Fake) -> Vec<serde_json::Value> {
    let bytes = String::from_utf8(fake.ledger()).unwrap();
    bytes.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_reading_has_everything_that_was_measured() {
    let fake = Fake::new();
    let evidence = vec![(Expect::Result, text("output")), (Expect::Image, text("GIF89a..."))];
    let timeline = Some(text(r#"{"v":1,"events":[{"tMs":0,"step":"a"}]}"#));
    let note = Some("close".into());
    let filed = file(&fake, FilingRequest { evidence, timeline, note, by: Some("B".into()), ..request() }).unwrap();
    assert_eq!((filed.outcome, &*filed.node), (FilingOutcome::Filed, "node"));
    let [line] = &lines(&fake)[..] else { panic!("one line") };
    assert_eq!(line["scenario"], "works");
    assert_eq!(line["codeSha"], "a".repeat(40));
    assert_eq!(line["evaluator"], "manual@3");
    assert_eq!(line["verdict"], serde_json::json!({"status": "pass", "note": "close"}));
    assert_eq!(line["by"], "B");
    assert_eq!(line["ts"], "2026-01-01T00:00:00.000Z");
    assert_eq!(line["evidence"][0]["kind"], "transcript");
    assert_eq!(line["evidence"][1]["kind"], "image");
    assert_eq!(line["blob"], line["evidence"][0]["hash"]);
    assert!(line["governed"]["src/a.rs"].is_string() && line["scenarioHash"].is_string());
    assert!(line.get("dirty").is_none());
    assert_eq!(fake.stored(), 3);
    assert_eq!(filed.reading.evidence[1].kind, EvidenceKind::Image);
}

#[test]
fn without_the_stamp_the_line_is_the_seeds() {
    let mut fake = Fake::new();
    fake.stamp_content = false;
    file(&fake, request()).unwrap();
    let keys: Vec<_> = lines(&fake)[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["blob", "codeSha", "evaluator", "scenario", "ts", "verdict"]);
}

#[test]
fn saying_the_same_again_writes_nothing() {
    let fake = Fake::new();
    let again = || FilingRequest { evidence: vec![(Expect::Result, text("output"))], ..request() };
    let first = file(&fake, again()).unwrap();
    let second = file(&fake, FilingRequest { now: Timestamp { millis: NOW.millis + 5 }, ..again() }).unwrap();
    assert_eq!((second.outcome, second.reading.ts), (FilingOutcome::AlreadyFiled, first.reading.ts));
    assert_eq!(lines(&fake).len(), 1);
}

#[test]
fn pass_fail_pass_are_three_readings_in_the_order_of_time() {
    let fake = Fake::new();
    for status in [Status::Pass, Status::Fail, Status::Pass] {
        assert_eq!(
            file(&fake, FilingRequest { verdict: Some(status), ..request() }).unwrap().outcome,
            FilingOutcome::Filed
        );
    }
    let times: Vec<_> = lines(&fake).iter().map(|line| line["ts"].as_str().unwrap()[20..23].to_owned()).collect();
    assert_eq!(times, ["000", "001", "002"]);
}

#[test]
fn other_bytes_note_evaluator_or_governed_content_are_new_readings() {
    let mut fake = Fake::new();
    file(&fake, request()).unwrap();
    file(&fake, FilingRequest { note: Some("n".into()), ..request() }).unwrap();
    file(&fake, FilingRequest { evaluator: Some("robot@1".into()), ..request() }).unwrap();
    file(&fake, FilingRequest { evidence: vec![(Expect::Result, text("x"))], ..request() }).unwrap();
    fake.worktree.put("src/a.rs", crate::tree::Kind::File, b"other");
    file(&fake, FilingRequest { evidence: vec![(Expect::Result, text("x"))], ..request() }).unwrap();
    assert_eq!(lines(&fake).len(), 5);
}

#[test]
fn dirty_governed_files_warn_and_strict_refuses() {
    let mut fake = Fake::new();
    fake.worktree.put("src/a.rs", crate::tree::Kind::File, b"other");
    let error = file(&fake, FilingRequest { strict: true, ..request() }).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Refused(_)));
    assert!(error.hints.iter().any(|hint| hint.contains("src/a.rs")), "{error:?}");
    assert_eq!(fake.ledger(), b"");
    let filed = file(&fake, request()).unwrap();
    assert_eq!(filed.dirty, [path("src/a.rs")]);
    assert_eq!(lines(&fake)[0]["dirty"], true);
    assert!(dirty_advice(&filed.differing).last().unwrap().contains("commit, measure, file"));
    let many = dirty_advice(&vec!["src/a.rs".to_owned(); 12]);
    assert_eq!(many[many.len() - 2], "  and 2 more: git status");
}

#[test]
fn a_governed_file_that_appears_or_vanishes_is_dirty_too() {
    let mut fake = Fake::new();
    fake.worktree.remove("src/a.rs");
    assert_eq!(file(&fake, request()).unwrap().dirty, [path("src/a.rs")]);
    assert_eq!(lines(&fake)[0]["governed"]["src/a.rs"], "-");
}

#[test]
fn a_dry_run_says_what_it_would_file_and_writes_nothing() {
    let fake = Fake::new();
    let evidence = || vec![(Expect::Result, text("output"))];
    let would = file(&fake, FilingRequest { dry_run: true, evidence: evidence(), ..request() }).unwrap();
    assert_eq!(would.outcome, FilingOutcome::WouldFile);
    assert_eq!((fake.ledger().len(), fake.stored()), (0, 0));
    let filed = file(&fake, FilingRequest { evidence: evidence(), ..request() }).unwrap();
    assert_eq!(filed.reading, would.reading);
    let again = file(&fake, FilingRequest { dry_run: true, evidence: evidence(), ..request() }).unwrap();
    assert_eq!(again.outcome, FilingOutcome::AlreadyFiled);
}

/// A refused request leaves nothing behind: no line, no evidence.
#[track_caller]
fn refused(fake: &Fake, request: FilingRequest, kind: ErrorKind, word: &str) {
    let before = fake.ledger();
    let request = FilingRequest { evidence: vec![(Expect::Result, text("output"))], ..request };
    let error = file(fake, request).unwrap_err();
    let whole = format!("{} {}", error.message, error.hints.join(" "));
    assert_eq!(error.kind.exit_code(), kind.exit_code(), "{whole}");
    assert!(whole.contains(word), "{whole}");
    assert_eq!((fake.ledger(), fake.stored()), (before, 0));
}

#[test]
fn bad_arguments_are_usage() {
    let fake = Fake::new();
    let usage = |request, word: &str| refused(&fake, request, ErrorKind::Usage, word);
    usage(FilingRequest { note: Some("a\nb".into()), ..request() }, "one line");
    usage(FilingRequest { note: Some("x".repeat(MAX_NOTE + 1)), ..request() }, "2048");
    usage(FilingRequest { note: Some(" ".into()), ..request() }, "blank");
    usage(FilingRequest { by: Some("a\u{1b}[31m".into()), ..request() }, "control");
    for evaluator in ["@", "a@", "@1", "a@1@2", "a"] {
        usage(FilingRequest { evaluator: Some(evaluator.into()), ..request() }, "name@version");
    }
    usage(FilingRequest { scenario: Some("none".into()), ..request() }, "works");
    usage(FilingRequest { node: Some("none".into()), ..request() }, "none");
    usage(FilingRequest { node: None, ..request() }, "name the node");
    let alone = file(&fake, FilingRequest { timeline: Some(text("{}")), ..request() }).unwrap_err();
    assert!(alone.message.contains("timeline needs evidence"));
}

#[test]
fn one_bad_piece_of_evidence_stores_none() {
    let fake = Fake::new();
    let evidence = vec![(Expect::Result, text("good")), (Expect::Image, text("no picture"))];
    assert!(file(&fake, FilingRequest { evidence, ..request() }).is_err());
    assert_eq!((fake.ledger().len(), fake.stored()), (0, 0));
}

#[test]
fn several_scenarios_are_listed() {
    let fake = Fake::new();
    fake.scenarios.borrow_mut().push(scenario("fast", "it is fast"));
    refused(&fake, request(), ErrorKind::Usage, "fast");
    let filed = file(&fake, FilingRequest { scenario: Some("fast".into()), ..request() }).unwrap();
    assert_eq!(filed.reading.scenario, "fast");
}

#[test]
fn the_node_is_the_one_the_user_stands_in_or_the_branch_touched() {
    let mut fake = Fake::new();
    fake.touched = vec![path(".spec/node")];
    file(&fake, FilingRequest { node: None, ..request() }).unwrap();
    fake.touched.clear();
    fake.here = path(".spec/node/deeper");
    assert_eq!(
        file(&fake, FilingRequest { node: Some(".".into()), ..request() }).unwrap().outcome,
        FilingOutcome::AlreadyFiled
    );
}

#[test]
fn states_in_which_nothing_can_be_filed() {
    let state = |prepare: &dyn Fn(&mut Fake), word: &str| {
        let mut fake = Fake::new();
        prepare(&mut fake);
        refused(&fake, request(), ErrorKind::Refused(Refusal::Other), word);
    };
    let reading = r#"{"scenario":"s","codeSha":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","blob":null,"evaluator":"manual@1","verdict":{"status":"pass"},"ts":"2025-01-01T00:00:00.000Z"}"#;
    let write = |fake: &mut Fake, text: &str| std::fs::write(fake.file(), text).unwrap();
    state(&|fake| fake.head = None, "commit, measure, file");
    state(&|fake| fake.bare = true, "bare");
    state(
        &|fake| {
            write(fake, &format!("{reading}\n"));
            fake.unmerged = true;
        },
        "being merged",
    );
    state(&|fake| write(fake, &format!("{reading}\n{}", &reading[..40])), "yatsu-hook repair");
    state(&|fake| write(fake, &format!("<<<<<<< HEAD\n{reading}\n=======\n>>>>>>> x\n")), "conflict marker");
    let future = reading.replace("2025", "2027").replace("\"s\"", "\"works\"");
    state(&|fake| write(fake, &format!("{future}\n")), "retract");
}

#[test]
fn a_missing_final_newline_is_mended_in_passing() {
    let fake = Fake::new();
    file(&fake, request()).unwrap();
    let whole = fake.ledger();
    std::fs::write(fake.file(), &whole[..whole.len() - 1]).unwrap();
    file(&fake, FilingRequest { verdict: Some(Status::Fail), ..request() }).unwrap();
    assert_eq!(lines(&fake).len(), 2);
}

fn retraction(which: ReadingChoice) -> retract::RetractRequest {
    retract::RetractRequest {
        node: Some("node".into()),
        scenario: "works".into(),
        which,
        env: None,
        note: None,
        by: None,
        now: NOW,
    }
}

#[test]
fn the_latest_or_a_named_reading_is_withdrawn_once() {
    let fake = Fake::new();
    let store = fake.store();
    let first = file(&fake, request()).unwrap().reading.ts;
    let second = file(&fake, FilingRequest { verdict: Some(Status::Fail), ..request() }).unwrap().reading.ts;
    let done = retract::retract(&fake, &store, &retraction(ReadingChoice::Last)).unwrap();
    assert_eq!(done.retraction.retracts, second);
    assert!(done.retraction.ts > second);
    assert!(retract::retract(&fake, &store, &retraction(ReadingChoice::At(second))).is_err());
    retract::retract(&fake, &store, &retraction(ReadingChoice::At(first))).unwrap();
    let error = retract::retract(&fake, &store, &retraction(ReadingChoice::Last)).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Refused(_)));
    let last = lines(&fake).pop().unwrap();
    assert!(last.get("codeSha").is_none() && last.get("evaluator").is_none());
    assert_eq!(file(&fake, request()).unwrap().outcome, FilingOutcome::Filed);
}

/// The seed's reader, as its description says: one blob, by default an image. It ignores a line without `codeSha`.
fn seed_reader(line: &serde_json::Value) -> Option<(String, Option<String>, String, String)> {
    let field = |key: &str| line[key].as_str().map(str::to_owned);
    field("codeSha")?;
    let kind = field("blob").map(|_| field("blobKind").unwrap_or("image".into()));
    Some((field("scenario")?, kind, line["verdict"]["status"].as_str()?.to_owned(), field("ts")?))
}

/// The newest generation's reader: `retracts` first, the evidence list before the scalar, `scenarioHash` if present.
fn newest_reader(line: &serde_json::Value) -> Option<(String, Vec<String>, Option<String>)> {
    if line["retracts"].is_string() {
        return None;
    }
    let list = line["evidence"].as_array().filter(|list| !list.is_empty());
    let kinds = match list {
        Some(list) => list.iter().map(|item| item["kind"].as_str().unwrap().to_owned()).collect(),
        None => {
            line["blob"].as_str().map(|_| line["blobKind"].as_str().unwrap_or("image").to_owned()).into_iter().collect()
        }
    };
    Some((line["scenario"].as_str()?.to_owned(), kinds, line["scenarioHash"].as_str().map(str::to_owned)))
}

#[test]
fn readers_of_the_oldest_and_the_newest_generation_understand_what_we_write() {
    let fake = Fake::new();
    file(&fake, request()).unwrap();
    file(&fake, FilingRequest { evidence: vec![(Expect::Image, text("GIF89a"))], ..request() }).unwrap();
    file(&fake, FilingRequest { evidence: vec![(Expect::Result, text("[1]"))], ..request() }).unwrap();
    let two = vec![(Expect::Result, text("plain")), (Expect::Video, text("\u{1}\u{2}\u{3}\u{4}ftypisom"))];
    file(&fake, FilingRequest { evidence: two, verdict: Some(Status::Fail), ..request() }).unwrap();
    retract::retract(&fake, &fake.store(), &retraction(ReadingChoice::Last)).unwrap();
    let lines = lines(&fake);
    let old: Vec<_> = lines.iter().map(seed_reader).collect();
    let kinds: Vec<_> = old.iter().flatten().map(|reading| reading.1.as_deref()).collect();
    assert_eq!(kinds, [None, Some("image"), Some("data"), Some("transcript")]);
    assert!(old[4].is_none() && old[3].as_ref().unwrap().2 == "fail");
    let new: Vec<_> = lines.iter().map(newest_reader).collect();
    let kinds: Vec<_> = new.iter().flatten().map(|reading| reading.1.join(" ")).collect();
    assert_eq!(kinds, ["", "image", "data", "transcript video"]);
    assert!(new[4].is_none() && new[0].as_ref().unwrap().2.is_some());
}
