//! `eval`: flags and receipts.

use super::*;
use crate::support::{fed, validate_published};

#[test]
fn the_receipt_is_one_line_on_standard_output() {
    let s = repository("");
    let head = s.git(&["rev-parse", "HEAD"]);
    let said = eval(&s, &["--scenario", "renders", "--pass"]).expect(0);
    let line = last(&s);
    let ts = line["ts"].as_str().expect("a time");
    assert_eq!(said.out, format!("filed board/renders pass @ {} {ts}\n", &head[..12]));
    assert_eq!(said.err, "next: git add .spec/board/yatsu.evals.ndjson\n");
    let keys: Vec<_> = line.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut expected =
        ["scenario", "codeSha", "scenarioHash", "blob", "evaluator", "governed", "verdict", "ts"].to_vec();
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!((&line["codeSha"], &line["evaluator"]), (&head.into(), &"manual@1".into()));
    assert_eq!(drift(&s), "");
}

#[test]
fn every_flag_arrives_in_the_line_and_in_the_receipt() {
    let s = repository("");
    s.write("shot.png", PNG);
    s.write("other.png", [PNG, b"2"].concat());
    s.write("film.webm", WEBM);
    s.write("out.json", "{\"ok\":true}");
    s.write("steps.json", r#"{"v":1,"events":[{"tMs":0,"step":"open"}]}"#);
    let flags = ["--fail", "--note", "two \u{2028} words", "--image", "shot.png", "--image", "other.png"];
    let more = ["--result", "out.json", "--video", "film.webm", "--timeline", "steps.json"];
    let who = ["--evaluator", "robot@7", "--by", "somebody", "--strict"];
    let all = [&["--format", "json", "eval", "board"], &flags[..], &more, &who].concat();
    let json = validate_published(&s.yatsu(&all).expect(0).out);
    assert_eq!((&json["verb"], &json["outcome"], &json["status"]), (&"eval".into(), &"filed".into(), &"fail".into()));
    let line = last(&s);
    let kinds: Vec<_> = line["evidence"].as_array().expect("a list").iter().map(|item| item["kind"].clone()).collect();
    assert_eq!(kinds, ["image", "image", "video", "data"]);
    assert_eq!(json["evidence"], line["evidence"]);
    assert_eq!((&line["blob"], &line["blobKind"]), (&line["evidence"][0]["hash"], &"image".into()));
    assert_eq!((&json["timeline"], &json["evaluator"]), (&line["timelineBlob"], &"robot@7".into()));
    assert_eq!((&line["by"], &line["verdict"]["note"]), (&"somebody".into(), &"two \u{2028} words".into()));
    assert_eq!((stored(&s), &json["stamped"], &json["dirty"]), (5, &1.into(), &serde_json::json!([])));
}

#[test]
fn filing_again_says_so_and_writes_nothing() {
    let s = repository("");
    eval(&s, &["--pass"]).expect(0);
    let before = s.read(LEDGER);
    let again = eval(&s, &["--pass", "--by", "another"]).expect(0);
    assert!(again.out.starts_with("already filed board/renders pass @ "), "{}", again.out);
    assert!(again.out.ends_with("; nothing was written\n"), "{}", again.out);
    assert_eq!(s.read(LEDGER), before);
    let json = s.yatsu(&["--format", "json", "eval", "board", "--pass"]).expect(0);
    assert_eq!(validate_published(&json.out)["outcome"], "already-filed");
    // pass, fail, pass at one commit are three readings
    eval(&s, &["--fail"]).expect(0);
    eval(&s, &["--pass"]).expect(0);
    let times: Vec<_> = lines(&s).iter().map(|line| line["ts"].to_string()).collect();
    assert!(times.len() == 3 && times.is_sorted());
    s.yatsu(&["retract", "board", "--scenario", "renders"]).expect(0);
    assert!(eval(&s, &["--pass"]).expect(0).out.starts_with("filed "));
}

#[test]
fn a_dry_run_writes_nothing() {
    let s = repository("");
    s.write("shot.png", PNG);
    let said = eval(&s, &["--pass", "--image", "shot.png", "--dry-run"]).expect(0);
    assert!(said.out.starts_with("would file board/renders pass @ ") && said.out.lines().count() == 1, "{}", said.out);
    assert_eq!((lines(&s).len(), stored(&s)), (0, 0));
    s.write("shot.png", "text");
    refused(&s, eval(&s, &["--pass", "--image", "shot.png", "--dry-run"]), 2, "is no PNG");
    let json = s.yatsu(&["--format", "json", "eval", "board", "--pass", "--dry-run"]).expect(0);
    assert_eq!(validate_published(&json.out)["outcome"], "would-file");
}

#[test]
fn the_node_may_be_left_out_where_it_is_clear() {
    let s = repository("");
    s.write(".spec/other/yatsu.md", crate::support::scenarios(&[("works", "src/a.rs")]));
    s.commit("another");
    let said = s.yatsu(&["eval", "--pass"]);
    refused(&s, said, 2, "no node is named");
    s.yatsu(&["-C", ".spec/board", "eval", "--pass"]).expect(0);
    assert_eq!(last(&s)["scenario"], "renders");
    // `.` is the node that the branch touched
    s.git(&["switch", "-qc", "side"]);
    s.write(".spec/other/spec.md", "---\ntitle: touched\n---\n");
    s.git(&["add", ".spec/other/spec.md"]);
    s.git(&["commit", "-qm", "touch"]);
    std::fs::remove_file(s.root.join(LEDGER)).expect("removed");
    assert!(s.yatsu(&["eval", ".", "--pass"]).expect(0).out.starts_with("filed other/works pass @ "));
}

#[test]
fn several_scenarios_are_listed_and_none_is_guessed() {
    let s = with_scenarios(&[("first", "src/a.rs"), ("second", "src/a.rs")]);
    let said = eval(&s, &["--pass"]);
    assert!(said.err.contains("\n  hint: first\n  hint: second\n"), "{}", said.err);
    refused(&s, said, 2, "several scenarios; name one, as NODE/SCENARIO or with --scenario");
    refused(&s, eval(&s, &["--pass", "--scenario", "third"]), 2, "declares no scenario `third`, only these\n  hint: ");
    let names: Vec<String> = (0..22).map(|number| format!("s{number}")).collect();
    let many = with_scenarios(&names.iter().map(|name| (name.as_str(), "src/a.rs")).collect::<Vec<_>>());
    refused(&many, eval(&many, &["--pass"]), 2, "  hint: s19\n  hint: and 2 more: yatsu-hook ls\n");
}

fn piped(s: &Scratch, input: &[u8]) -> Said {
    fed(s.yatsu_command(&["eval", "board", "--pass", "--result", "-"]), input)
}

#[test]
fn standard_input_is_a_result() {
    let s = repository("");
    piped(&s, b"it went well\n").expect(0);
    assert_eq!(last(&s)["blobKind"], "transcript");
    piped(&s, b"[1]").expect(0);
    assert_eq!(last(&s)["blobKind"], "data");
    assert_eq!(stored(&s), 2);
}

#[test]
fn lost_output_does_not_unfile_a_reading() {
    let s = repository("");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let said =
        Said::of(s.yatsu_command(&["eval", "board", "--pass"]).stdout(full).output().expect("it runs")).expect(0);
    assert!(said.err.contains("cannot write to standard output") && !said.err.contains("FAILED"), "{}", said.err);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let said = Said::of(
        s.yatsu_command(&["eval", "board", "--fail", "--note", "n"]).stdout(writer).output().expect("it runs"),
    );
    assert_eq!(super::warned(&said.expect(0)), "");
    let script = format!("'{}' eval board --pass --note closed >&- 2>&-", crate::support::program().display());
    let mut shell = crate::support::hermetic("sh", &s.home());
    Said::of(shell.current_dir(&s.root).args(["-c", &script]).output().expect("sh runs")).expect(0);
    assert_eq!(lines(&s).len(), 3);
}

#[test]
fn text_of_the_repository_is_escaped() {
    let s = Scratch::new();
    s.write("src/a\u{202e}.rs", "a\n");
    s.write(".spec/n\u{200f}ode/yatsu.md", crate::support::scenarios(&[("works", "src")]));
    s.commit("begin");
    s.write("src/a\u{202e}.rs", "b\n");
    let said = s.yatsu(&["eval", ".spec/n\u{200f}ode", "--pass"]).expect(0);
    assert!(
        said.out.contains("n\\u{200f}ode/works") && said.err.contains("a\\u{202e}.rs"),
        "{} {}",
        said.out,
        said.err
    );
    assert!(!(said.out + &said.err).contains(['\u{202e}', '\u{200f}']));
}

#[test]
fn nothing_moves_on_a_pipe() {
    let s = repository("");
    s.write("big.txt", vec![b'x'; 40 << 20]);
    let said = eval(&s, &["--pass", "--result", "big.txt"]).expect(0);
    assert_eq!((said.out.lines().count(), super::warned(&said).as_str()), (1, ""));
}

/// O6: a fail by hand without a reason is asked for one; a program and a quiet call hear nothing.
#[test]
fn a_fail_without_a_note_is_asked_for_its_reason() {
    let s = repository("");
    let says = |args: &[&str]| s.yatsu(&[&["eval", "board"], args].concat()).expect(0).err.contains("--note TEXT");
    assert!(says(&["--fail"]));
    assert!(!says(&["--fail", "--note", "the border is missing"]) && !says(&["--pass"]));
    assert!(!says(&["--fail", "--by", "a", "--format", "json"]) && !says(&["--fail", "--by", "b", "-q"]));
}
