use super::*;
use crate::model::labels::ReadingKey;
use crate::text::markers::{FindingCounts, Marked, MarkerName};
use crate::text::number::Finite;
use crate::tree::oid::Oid;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

const SHA: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const HASH: &str = "9b01f58abd6b88d720829d7ec45e313449c1516f4a88e8dee0e8dc06795b805e";

fn read(text: impl AsRef<[u8]>) -> Ledger {
    parse(&RepoPath::from_git("n/yatsu.evals.ndjson"), text.as_ref())
}

fn the_reading(line: &str) -> Reading {
    let ledger = read(line);
    assert_eq!(ledger.problems, []);
    let Some(reading) = ledger.lines[0].event.reading() else { panic!("a reading: {line}") };
    reading.clone()
}

fn kind_of(problem: &Problem) -> &str {
    problem.key.split(':').next().unwrap()
}

fn hostile() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/hostile/ledger")
}

/// Every file of the hostile table against its row in `expected.json`: the events, and the violations with kind and place.
#[test]
fn hostile_files_have_the_stated_outcome() {
    let expected: serde_json::Value =
        serde_json::from_slice(&std::fs::read(hostile().join("expected.json")).unwrap()).unwrap();
    let rows = expected.as_object().unwrap();
    for (name, row) in rows {
        let ledger = read(std::fs::read(hostile().join(format!("{name}.ndjson"))).unwrap());
        let found: Vec<_> = ledger
            .problems
            .iter()
            .map(|problem| {
                serde_json::json!({"kind": kind_of(problem), "line": problem.at.line, "column": problem.at.column})
            })
            .collect();
        assert_eq!(serde_json::Value::Array(found), row["problems"], "{name}: {:#?}", ledger.problems);
        assert_eq!(ledger.lines.len() as u64, row["events"].as_u64().unwrap(), "{name}");
        assert_eq!(ledger.torn, row["torn"].as_bool().unwrap_or(false), "{name}");
        assert_eq!(ledger.missing_final_newline, row["missingFinalNewline"].as_bool().unwrap_or(false), "{name}");
        let scenario = ledger.problems.first().and_then(|problem| problem.scenario.as_deref());
        assert_eq!(scenario, row["scenario"].as_str(), "{name}");
        for problem in &ledger.problems {
            assert!(!problem.help.is_empty() && problem.message.len() < 400 && !problem.advice, "{name}: {problem:?}");
        }
    }
    let files = std::fs::read_dir(hostile()).unwrap().filter_map(Result::ok);
    let files = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "ndjson")).count();
    assert_eq!(files, rows.len(), "every file has its row");
}

#[test]
fn every_generation_says_the_same_in_the_end() {
    let generations = std::fs::read(hostile().join("generations.ndjson")).unwrap();
    let ledger = read(generations);
    let readings: Vec<_> = ledger.lines.iter().filter_map(|line| line.event.reading()).collect();
    let kinds: Vec<Vec<EvidenceKind>> =
        readings.iter().map(|reading| reading.evidence.iter().map(|item| item.kind).collect()).collect();
    use EvidenceKind::{Data, Image, Video};
    assert_eq!(kinds, [vec![Image], vec![], vec![Video], vec![Data, Image], vec![], vec![]]);
    use ReadingVerdict::{Legacy, Measured};
    let verdicts: Vec<ReadingVerdict> = readings.iter().map(|reading| reading.verdict.clone()).collect();
    let (pass, fail) = (Measured(Status::Pass), Measured(Status::Fail));
    assert_eq!(verdicts, [Legacy, Legacy, pass.clone(), fail, pass.clone(), pass]);
    assert_eq!(readings[1].note.as_deref(), Some("x"));
    assert_eq!((readings[2].timeline.is_some(), readings[3].by.as_deref()), (true, Some("a")));
    assert!(readings[4].scenario_hash.is_some() && readings[5].code_sha.is_none());
    let Event::Retraction(retraction) = &ledger.lines[5].event else { panic!("a retraction") };
    assert_eq!((retraction.note.as_deref(), retraction.retracts), (Some("wrong"), retraction.ts));
    assert_eq!(ledger.lines[6].event, Event::Other);
}

#[test]
fn kinds_are_told_apart_in_order() {
    let ts = "2026-01-01T00:00:00.000Z";
    let both = format!("{{\"retracts\":\"{ts}\",\"codeSha\":\"{SHA}\",\"scenario\":\"s\",\"ts\":\"{ts}\"}}");
    assert!(matches!(read(both).lines[0].event, Event::Retraction(_)));
    let reading =
        format!("{{\"retracts\":1,\"kind\":\"human-ok\",\"codeSha\":\"{SHA}\",\"scenario\":\"s\",\"ts\":\"{ts}\"}}");
    assert!(matches!(read(reading).lines[0].event, Event::Reading(_)));
}

/// A complete line of each kind, in the order of the table. A new kind without one fails.
fn example(kind: &kinds::EventKind) -> String {
    let ts = "2026-01-01T00:00:00.000Z";
    let asked = format!("\"scenario\":\"s\",\"codeSha\":\"{SHA}\",\"scenarioHash\":\"{HASH}\"");
    let evidence = format!(
        "\"blob\":\"{HASH}\",\"blobKind\":\"data\",\"evidence\":[{{\"hash\":\"{HASH}\",\"kind\":\"data\"}}],\
         \"timelineBlob\":\"{HASH}\",\"evaluator\":\"m@1\",\"governed\":{{\"a\":\"-\"}},\"dirty\":true"
    );
    let terms = "\"key\":\"k\",\"attempt\":1,\"run\":\"r\",\"usage\":{\"maxRssBytes\":1},\"env\":\"e\",\"runs\":{\"pass\":1,\"of\":2}";
    let measures = format!(
        "\"metrics\":{{\"m\":1.5}},\"units\":{{\"m\":\"ms\"}},\"markers\":[\"M\"],\"findings\":{{\"total\":1,\
         \"verified\":1,\"shared\":0,\"withoutCi\":0,\"withoutEffect\":0}},\"artifacts\":{{\"a\":\"{HASH}\"}}"
    );
    match kind.told_by {
        ["retracts"] => format!(
            "{{\"retracts\":\"{ts}\",\"scenario\":\"s\",\"note\":\"n\",\"redacts\":\"{HASH}\",\"reason\":\"r\",\
             \"by\":\"me\",\"ts\":\"{ts}\"}}"
        ),
        ["codeSha", "evaluator"] => {
            let verdict = "\"verdict\":{\"status\":\"pass\"}";
            format!("{{{asked},{evidence},\"by\":\"me\",{verdict},{terms},{measures},\"ts\":\"{ts}\"}}")
        }
        ["redacts"] => {
            format!(
                "{{\"redacts\":\"{HASH}\",\"scenario\":\"s\",\"ts\":\"{ts}\",\"usedKey\":\"{HASH}\",\"reason\":\"r\",\"by\":\"me\"}}"
            )
        }
        ["decision"] => {
            let about = format!("\"scenario\":\"s\",\"contract\":\"{HASH}\",\"readings\":\"{HASH}\"");
            let about = format!("{about},\"patch\":\"b\",\"commit\":\"{}\",\"score\":85", "a".repeat(40));
            format!("{{\"decision\":\"review\",{about},\"reason\":\"r\",\"by\":\"me\",\"ts\":\"{ts}\"}}")
        }
        _ => panic!("an example of {}", kind.name),
    }
}

#[test]
fn every_kind_is_read_and_written_with_documented_keys() {
    let formats = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/formats.md")).unwrap();
    for kind in &KINDS {
        let line = example(kind);
        let event = read(&line).lines.remove(0).event;
        assert_eq!(event.encode().as_deref(), Some(&*line), "{}", kind.name);
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        for key in json.as_object().unwrap().keys() {
            let is_documented = formats.contains(&format!("`{key}`")) || formats.contains(&format!("\"{key}\":"));
            assert!(is_documented, "docs/formats.md does not name the key {key} of {}", kind.name);
        }
        assert_eq!(
            (event.scenario(), event.ts().map(|ts| ts.to_string())),
            (Some("s"), Some("2026-01-01T00:00:00.000Z".into()))
        );
    }
}

fn a_signature() -> String {
    let hashes = format!("\"{}\",\"{}\"", "0".repeat(64), "a".repeat(64));
    format!(
        "{{\"kind\":\"signature\",\"project\":\"p\",\"home\":\".spec/n\",\"lines\":[{hashes}],\"ts\":\"2026-01-01T00:00:00.000Z\",\"sig\":\"U1NI\"}}"
    )
}

fn the_signature(line: &str) -> Signature {
    let ledger = read(line);
    let Event::Signature(signature) = &ledger.lines[0].event else { panic!("a signature: {line}") };
    (**signature).clone()
}

#[test]
fn a_signature_is_read_and_written_and_signs_its_line_without_the_last_member() {
    let line = a_signature();
    let signature = the_signature(&line);
    assert_eq!((signature.wrong.as_slice(), signature.lines.len()), (&[][..], 2));
    assert_eq!(Event::Signature(Box::new(signature.clone())).encode().as_deref(), Some(&*line));
    let signed = String::from_utf8(signed_bytes(line.as_bytes()).unwrap()).unwrap();
    assert_eq!(signed, signature.unsigned() + "\n");
    assert_eq!(signed, line.replace(",\"sig\":\"U1NI\"", "") + "\n");
    assert_eq!(the_signature(&line.replace(".spec/n", ".")).home, Some(RepoPath::root()));
    assert_eq!(the_signature(&line.replace("\"project\":\"p\",", "")).project, None);
    let formats = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/formats.md")).unwrap();
    for key in ["home", "lines", "project", "sig"] {
        assert!(formats.contains(&format!("`{key}`")), "docs/formats.md does not name {key}");
    }
}

#[test]
fn a_signature_with_a_fault_is_kept_and_says_which() {
    let line = a_signature();
    let many: Vec<String> = (0..513).map(|number| format!("\"{number:064}\"")).collect();
    for (from, to, fault) in [
        ("\"home\":\".spec/n\",", "", "\"home\" is missing"),
        (".spec/n", "../n", "no directory of a ledger"),
        ("\"lines\":[", "\"lines\":[\"b\",", "must be a sha256"),
        (&format!("\"{}\",", "0".repeat(64)), &format!("\"{}\",", "b".repeat(64)), "must be sorted"),
        (&format!("\"{}\",", "0".repeat(64)), &format!("\"{}\",", "a".repeat(64)), "must be sorted"),
        (&format!("\"{}\",", "0".repeat(64)), &format!("{},", many.join(",")), "1 to 512"),
        ("2026-01-01T", "2026-01-01 ", "must be a time"),
        ("U1NI", "U1N!", "base64"),
        ("U1NI", &"U1NI".repeat(5000), "the limit is 16384"),
        ("\"ts\"", "\"by\":\"me\",\"ts\"", "a signature has no \"by\""),
        ("\"sig\":\"U1NI\"}", "\"sig\":\"U1NI\" }", "must end with"),
        (",\"sig\":\"U1NI\"}", "}", "\"sig\" is missing"),
        ("{\"kind\":\"signature\",", "{\"sig\":\"U1NI\",\"kind\":\"signature\",", "twice"),
        ("\"project\":\"p\"", "\"project\":5", "must be a string"),
    ] {
        let changed = line.replacen(from, to, 1);
        assert_ne!(changed, line, "{from}");
        let ledger = read(&changed);
        let found: Vec<String> = match ledger.lines.first() {
            Some(Line { event: Event::Signature(signature), .. }) => signature.wrong.clone(),
            _ => ledger.problems.iter().map(|problem| problem.message.clone()).collect(),
        };
        assert!(found.iter().any(|one| one.contains(fault)), "{changed}: {found:?}");
    }
    let first = line.replace(",\"sig\":\"U1NI\"", "").replace("{\"kind\"", "{\"sig\":\"U1NI\",\"kind\"");
    assert_eq!(the_signature(&first).wrong[0], "\"sig\" must be the last member of a signature");
}

#[test]
fn a_signature_that_is_of_another_kind_too_is_told() {
    let also = |more: &str| {
        let line = a_signature().replacen('{', &format!("{{{more},"), 1);
        let ledger = read(&line);
        let event = ledger.lines.first().map(|line| &line.event);
        event.map(|event| (is_also_decision(event, line.as_bytes()), is_also_signature(event, line.as_bytes())))
    };
    assert_eq!(also("\"decision\":\"review\""), Some((true, false)));
    let reading = format!("\"scenario\":\"s\",\"codeSha\":\"{SHA}\"");
    assert_eq!(also(&reading), Some((false, true)));
}

#[test]
fn an_object_of_no_kind_is_told_which_there_are() {
    let message = &read("{}").problems[0].message;
    for (name, key) in KINDS.iter().flat_map(|kind| kind.told_by.iter().map(|key| (kind.name, *key))) {
        assert!(message.contains(&format!("{name} has")) && message.contains(key), "{message}");
    }
}

#[test]
fn raw_lines_are_all_but_the_blank_ones() {
    let ledger = read("{\r\n\n<<<<<<< x\n[1]");
    let raw: Vec<&[u8]> = ledger.raw.iter().map(|line| &**line).collect();
    assert_eq!(raw, [&b"{"[..], b"<<<<<<< x", b"[1]"]);
    assert!(ledger.missing_final_newline && !ledger.torn);
}

#[test]
fn a_problem_keeps_its_key_when_lines_shift() {
    let before = read("[1]\n[2]\n");
    let after = read("\n{}\n[2]\n");
    assert_eq!(before.problems[1].key, after.problems[1].key);
    assert_ne!(before.problems[0].key, before.problems[1].key);
}

#[test]
fn conflict_markers_name_the_merge_driver() {
    assert!(read("=======\n").problems[0].help.contains("install --merge-driver"));
}

#[test]
fn the_limits_of_a_file_only_advise() {
    let many = read(format!("{{\"kind\":\"human-ok\"}}\n{}", "\n".repeat(MAX_LINES as usize)));
    assert_eq!((many.lines.len(), many.problems.len()), (1, 1));
    assert!(many.problems[0].advice && kind_of(&many.problems[0]) == "ledger-lines");
    let large = read(" ".repeat(MAX_LEDGER + 1));
    assert!(large.problems.iter().all(|problem| problem.advice) && kind_of(&large.problems[0]) == "ledger-size");
}

#[test]
fn echoes_are_cut() {
    let line = format!("{{\"scenario\":\"s\",\"codeSha\":\"{}\",\"ts\":\"x\"}}\n", "é".repeat(20_000));
    assert!(read(line).problems[0].message.chars().count() < 200);
}

#[test]
fn the_written_line_has_these_keys_in_this_order() {
    let mut reading = the_reading(&format!(
        "{{\"by\":\"me\",\"dirty\":true,\"governed\":{{\"b\":\"-\",\"a\":\"x:{SHA}\"}},\"scenario\":\"s\",\"codeSha\":\"{SHA}\",\
         \"scenarioHash\":\"{HASH}\",\"evidence\":[{{\"kind\":\"video\",\"hash\":\"{HASH}\"}}],\"timelineBlob\":\"{HASH}\",\
         \"evaluator\":\"manual@1\",\"verdict\":{{\"note\":\"n\",\"status\":\"pass\"}},\"ts\":\"2026-01-01T00:00:00.000Z\"}}"
    ));
    assert_eq!(
        encode_reading(&reading),
        format!(
            "{{\"scenario\":\"s\",\"codeSha\":\"{SHA}\",\"scenarioHash\":\"{HASH}\",\"blob\":\"{HASH}\",\"blobKind\":\"video\",\
             \"evidence\":[{{\"hash\":\"{HASH}\",\"kind\":\"video\"}}],\"timelineBlob\":\"{HASH}\",\"evaluator\":\"manual@1\",\
             \"governed\":{{\"a\":\"x:{SHA}\",\"b\":\"-\"}},\"dirty\":true,\"by\":\"me\",\
             \"verdict\":{{\"status\":\"pass\",\"note\":\"n\"}},\"ts\":\"2026-01-01T00:00:00.000Z\"}}"
        )
    );
    reading.evidence.truncate(1);
    reading.evidence[0].kind = EvidenceKind::Transcript;
    assert!(!encode_reading(&reading).contains("\"evidence\":"), "older readers understand the scalar pair");
    reading.evidence.clear();
    assert!(encode_reading(&reading).contains("\"blob\":null,\"timelineBlob\""));
}

#[test]
fn half_a_stamp_is_never_written() {
    let plain = format!("{{\"scenario\":\"s\",\"codeSha\":\"{SHA}\",\"ts\":\"2026-01-01T00:00:00.000Z\"}}");
    let stamped = |paths: &[String]| {
        let id = Stamped::File(Oid::from_hex(SHA.as_bytes()).unwrap());
        let governed = paths.iter().map(|path| (RepoPath::from_git(path.as_str()), id)).collect();
        encode_reading(&Reading { governed: Some(governed), ..the_reading(&plain) }).contains("governed")
    };
    let files = |count| (0..count).map(|index| format!("f{index}")).collect::<Vec<_>>();
    assert!(stamped(&files(256)) && !stamped(&files(257)));
    assert!(!stamped(&["a".into(), "~/x".into()]));
    assert!(!stamped(&(0..200).map(|index| format!("{index}{}", "x".repeat(200))).collect::<Vec<_>>()));
    let broken = BTreeMap::from([(RepoPath::from_git(b"\xff".to_vec()), Stamped::Absent)]);
    assert!(!encode_reading(&Reading { governed: Some(broken), ..the_reading(&plain) }).contains("governed"));
}

#[test]
fn a_written_retraction_is_no_reading() {
    let ts = Timestamp::from_millis(5).unwrap();
    let retraction =
        Retraction { scenario: "s".into(), retracts: ts, note: None, by: Some("me".into()), ts, redacted: None };
    let line = encode_retraction(&retraction);
    assert_eq!(
        line,
        "{\"retracts\":\"1970-01-01T00:00:00.005Z\",\"scenario\":\"s\",\"by\":\"me\",\"ts\":\"1970-01-01T00:00:00.005Z\"}"
    );
    assert_eq!(read(line).lines[0].event, Event::Retraction(Box::new(retraction)));
}

const LINE: &str = "{\"scenario\":\"s\",\"evaluator\":\"m@1\",\"by\":\"a name\",\"ts\":\"2026-01-01T00:00:00.000Z\"}";

#[test]
fn a_redaction_names_the_line_and_keeps_nothing_of_its_words() {
    let event = redact(LINE.as_bytes(), "a name", Some("me")).unwrap();
    let Event::Redaction(redaction) = &event else { panic!("{event:?}") };
    let line = encode_redaction(redaction);
    let hash = LineHash::of(LINE.as_bytes());
    assert_eq!(
        line,
        format!(
            "{{\"redacts\":\"{hash}\",\"scenario\":\"s\",\"ts\":\"2026-01-01T00:00:00.000Z\",\"reason\":\"a name\",\"by\":\"me\"}}"
        )
    );
    assert_eq!(read(&line).lines[0].event, event);
    assert!(event.stands_for(LINE.as_bytes()) && !event.stands_for(LINE.replace("name", "game").as_bytes()));
    assert_eq!(redact(line.as_bytes(), "r", None), None, "what it stands for is known by it alone");
}

#[test]
fn a_redaction_with_another_scenario_or_time_stands_for_nothing() {
    let Some(Event::Redaction(redaction)) = redact(LINE.as_bytes(), "r", None) else { panic!("a redaction") };
    let other = Redaction { scenario: "t".into(), ..(*redaction).clone() };
    assert!(!Event::Redaction(Box::new(other)).stands_for(LINE.as_bytes()));
    let later = Redaction { ts: Timestamp::from_millis(5).unwrap(), ..*redaction };
    assert!(!Event::Redaction(Box::new(later)).stands_for(LINE.as_bytes()));
}

#[test]
fn a_redaction_keeps_the_key_used_up_and_does_not_spell_it() {
    let line = LINE.replacen('{', "{\"key\":\"secret\",\"attempt\":2,", 1);
    let Some(Event::Redaction(redaction)) = redact(line.as_bytes(), "r", None) else { panic!("a redaction") };
    let terms = FilingTerms { key: ReadingKey::parse("secret"), attempt: Some(2), ..FilingTerms::default() };
    assert_eq!(redaction.used, UsedKey::of(&terms));
    assert_ne!(redaction.used, UsedKey::of(&FilingTerms { attempt: None, ..terms }));
    let written = encode_redaction(&redaction);
    assert!(!written.contains("secret") && written.contains("usedKey"), "{written}");
    assert_eq!(read(&written).lines[0].event, Event::Redaction(redaction.clone()));
    let freed = Redaction { used: None, ..(*redaction).clone() };
    assert!(Event::Redaction(redaction).stands_for(line.as_bytes()));
    assert!(!Event::Redaction(Box::new(freed)).stands_for(line.as_bytes()), "the key would be free again");
}

/// Otherwise removing a note would make the withdrawn reading count again.
#[test]
fn a_redacted_retraction_withdraws_what_it_withdrew() {
    let ts = Timestamp::from_millis(5).unwrap();
    let note = Some("a name".to_owned());
    let retraction = Retraction { scenario: "s".into(), retracts: ts, note, by: None, ts, redacted: None };
    let line = encode_retraction(&retraction);
    let event = redact(line.as_bytes(), "why", None).unwrap();
    let Event::Retraction(again) = &event else { panic!("{event:?}") };
    assert_eq!((again.retracts, again.note.as_deref()), (ts, None));
    assert_eq!(read(encode_retraction(again)).lines[0].event, event);
    assert!(event.stands_for(line.as_bytes()));
    let forged =
        Redaction { redacted: again.redacted.clone().unwrap(), scenario: "s".into(), ts, used: None, by: None };
    assert!(!Event::Redaction(Box::new(forged)).stands_for(line.as_bytes()), "the withdrawal would be gone");
}

#[test]
fn a_kind_that_nobody_knows_is_kept_by_its_name() {
    let ledger = read("{\"kind\":\"claim\",\"anything\":[1]}\n{\"kind\":\"claim\"");
    assert_eq!(ledger.lines[0].event, Event::Unknown("claim".into()));
    assert!(ledger.torn, "broken is broken, whatever its kind");
}

fn oid() -> impl Strategy<Value = Oid> {
    prop_oneof![any::<[u8; 20]>().prop_map(|raw| raw.to_vec()), any::<[u8; 32]>().prop_map(|raw| raw.to_vec())]
        .prop_map(|raw| Oid::from_bytes(&raw).unwrap())
}

fn hash() -> impl Strategy<Value = EvidenceHash> {
    any::<[u8; 32]>().prop_map(EvidenceHash)
}

fn evidence() -> impl Strategy<Value = Vec<Evidence>> {
    let kind = prop::sample::select(EvidenceKind::ALL.to_vec());
    vec((hash(), kind).prop_map(|(hash, kind)| Evidence { hash, kind }), 0..4)
}

fn stamp() -> impl Strategy<Value = BTreeMap<RepoPath, Stamped>> {
    let stamped = (0..5, oid()).prop_map(|(mode, id)| match mode {
        0 => Stamped::File(id),
        1 => Stamped::Exec(id),
        2 => Stamped::Link(id),
        3 => Stamped::Submodule(id),
        _ => Stamped::Absent,
    });
    btree_map("[a-z é\"\n]{1,4}(/[a-z ]{1,3}){0,2}".prop_map(RepoPath::from_git), stamped, 0..6)
}

/// The content of a measurement: the stamp, its units and the stamp of the test.
type MeasuredContent = (Option<BTreeMap<RepoPath, Stamped>>, BTreeMap<StampedUnit, Oid>, Option<StampedTest>);

/// A stamp with units of its files; units never occur without a stamp.
fn measured() -> impl Strategy<Value = MeasuredContent> {
    let unit = ("[a-zé]{1,3}(/[a-z ]{1,3}){0,2}".prop_map(RepoPath::from_git), "[A-Za-z.?#,é]{1,6}");
    let units = btree_map(unit.prop_map(|(path, symbol)| StampedUnit { path, symbol }), oid(), 0..4);
    let with_units = (stamp(), units).prop_map(|(stamp, units)| (Some(stamp), units));
    let stamps = prop_oneof![Just((None, BTreeMap::new())), with_units];
    (stamps, option::of(tested())).prop_map(|((stamp, units), test)| (stamp, units, test))
}

/// One file of a test, with or without a unit of the file.
fn tested() -> impl Strategy<Value = StampedTest> {
    let file = ("[a-zé]{1,3}(/[a-z ]{1,2}z)?".prop_map(RepoPath::from_git), oid().prop_map(Stamped::Exec));
    (file, option::of(("[A-Za-z.?#,é]{1,6}", oid()))).prop_map(|((path, content), unit)| StampedTest {
        units: unit.map(|(symbol, id)| (StampedUnit { path: path.clone(), symbol }, id)).into_iter().collect(),
        files: BTreeMap::from([(path, content)]),
        at_commit: None,
    })
}

fn time() -> impl Strategy<Value = Timestamp> {
    (-62_167_219_200_000_i64..=253_402_300_799_999).prop_map(|millis| Timestamp { millis })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z\u{85}\u{2028}\"\\\\\n]{0,12}"]
}

fn measures() -> impl Strategy<Value = Measures> {
    let number = any::<f64>().prop_filter_map("finite", Finite::new);
    let metrics = btree_map("[a-z\u{e9}_][a-z0-9_ ]{0,5}[a-z]", number, 0..4);
    let marker = "[A-Z][A-Z0-9_]{0,4}(:[a-z_]{1,4})?".prop_map(|text| MarkerName::parse(&text).expect("a marker"));
    let findings = (0..4_u64, 0..4_u64, 0..4_u64, 0..4_u64).prop_map(|(verified, bare, without_ci, without_effect)| {
        let (without_ci, without_effect) = (bare + without_ci, bare + without_effect);
        let unverified = without_ci.max(without_effect);
        FindingCounts { total: verified + unverified, verified, shared: verified / 2, without_ci, without_effect }
    });
    let artifacts = btree_map("[a-z]{1,3}(/[a-z.]{1,2}z)?".prop_map(RepoPath::from_git), hash(), 0..3);
    (metrics, vec(marker, 0..4), findings, artifacts).prop_map(|(metrics, markers, findings, artifacts)| {
        let units = metrics.keys().step_by(2).map(|name| (name.clone(), "ms".to_owned())).collect();
        let marked = Marked { metrics, units, markers: markers.into_iter().collect(), findings };
        Measures { marked, artifacts, wrong: Vec::new() }
    })
}

fn reading() -> impl Strategy<Value = Reading> {
    let verdict = prop_oneof![
        Just(ReadingVerdict::Measured(Status::Pass)),
        Just(ReadingVerdict::Measured(Status::Fail)),
        Just(ReadingVerdict::Legacy)
    ];
    let what = ("\\PC{0,6}[a-z]", oid(), option::of(hash()), evidence(), option::of(hash()));
    let how = (option::of("[a-z]{1,8}@[0-9a-z.]{1,4}"), measured(), any::<bool>(), option::of(text()));
    (what, how, (verdict, option::of(text()), time(), measures())).prop_map(|(what, how, said)| Reading {
        scenario: what.0,
        code_sha: Some(what.1),
        scenario_hash: what.2,
        evidence: what.3,
        timeline: what.4,
        evaluator: how.0,
        governed: how.1.0,
        units: how.1.1,
        test: how.1.2,
        dirty: how.2,
        by: how.3,
        verdict: said.0,
        note: said.1,
        terms: FilingTerms::default(),
        measures: said.3,
        ts: said.2,
    })
}

proptest! {
    #[test]
    fn what_is_written_is_what_is_read(reading in reading()) {
        let line = encode_reading(&reading);
        prop_assert!(!line.contains('\n'));
        let ledger = read(line + "\n");
        prop_assert_eq!(&ledger.problems, &[]);
        prop_assert_eq!(&ledger.lines[0].event, &Event::Reading(Rc::new(reading)));
    }

    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>) {
        let ledger = read(&bytes);
        prop_assert_eq!(ledger.raw.len(), ledger.lines.len() + ledger.problems.len());
    }

    #[test]
    fn a_line_cut_anywhere_is_torn_and_the_line_before_it_whole(reading in reading(), at: prop::sample::Index) {
        let line = encode_reading(&reading);
        let cut = at.index(line.len() - 1) + 1;
        let mut bytes = format!("{line}\n").into_bytes();
        bytes.extend_from_slice(&line.as_bytes()[..cut]);
        let ledger = read(&bytes);
        prop_assert_eq!((ledger.lines.len(), ledger.torn, ledger.missing_final_newline), (1, true, true));
    }
}
