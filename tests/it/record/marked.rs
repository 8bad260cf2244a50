//! `eval` in a node with a goal contract: the values it reads from the output, the flags that add values, and how both
//! are stored.

use super::*;
use crate::support::{fed, findings, sha256, validate_published};

const CONTRACT: &str = "goal_contract:\n  version: 1\n  goal_text: Tell wines apart\n  acceptance_criteria:\n    - {id: AC1, kind: metric_threshold, metric: accuracy, op: \">=\", target: 0.9}\n";

const OUTPUT: &str = "[OBJECTIVE] Tell wines apart\n[METRIC:Accuracy] 0.92\n[METRIC:latency] 12 ms\n[STAT:ci] [0.90, 0.94]\n[STAT:effect_size] 0.8\n[FINDING] one\n[FINDING] two\n";

/// One node with a contract, committed.
fn contracted() -> Scratch {
    let scratch = repository("");
    let file = ".spec/board/yatsu.md";
    let text = scratch.read(file).replacen("---\n", &format!("---\n{CONTRACT}"), 1);
    scratch.write(file, text);
    scratch.commit("say what is enough");
    scratch
}

#[test]
fn what_the_output_shows_is_in_the_line_and_in_the_receipt() {
    let s = contracted();
    s.write("out.txt", OUTPUT);
    let said = eval(&s, &["--pass", "--result", "out.txt"]).expect(0);
    let line = last(&s);
    assert_eq!(line["metrics"], serde_json::json!({"accuracy": 0.92, "latency": 12}));
    assert_eq!(line["units"], serde_json::json!({"latency": "ms"}));
    let markers = ["FINDING", "METRIC:accuracy", "METRIC:latency", "OBJECTIVE", "STAT:ci", "STAT:effect_size"];
    assert_eq!(line["markers"], serde_json::json!(markers));
    let counts = serde_json::json!({"total": 2, "verified": 2, "shared": 2, "withoutCi": 0, "withoutEffect": 0});
    assert_eq!(line["findings"], counts);
    let end = ", with 2 metrics, 6 markers, 2 findings (2 verified)\n";
    assert!(said.out.ends_with(end) && said.out.lines().count() == 1, "{}", said.out);
    assert_eq!(super::warned(&said), "");
    let json = validate_published(
        &s.yatsu(&["--format", "json", "eval", "board", "--fail", "--result", "out.txt"]).expect(0).out,
    );
    for key in ["metrics", "units", "markers", "findings"] {
        assert_eq!(json[key], line[key], "{key}");
    }
    let shown = s.yatsu(&["show", "board"]).expect(0).out;
    for words in [
        "metrics: accuracy 0.92, latency 12 ms",
        "markers: FINDING, METRIC:accuracy",
        "findings: 2, 2 verified, 2 on shared statistics",
    ] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    assert!(s.yatsu(&["ls", "-v"]).expect(0).out.contains("\n      metrics: accuracy 0.92, latency 12 ms\n"));
    assert!(!s.yatsu(&["ls"]).expect(0).out.contains("metrics"));
    for verb in [&["show", "board"][..], &["ls"]] {
        let json = validate_published(&s.yatsu(&[&["--format", "json"], verb].concat()).expect(0).out);
        assert_eq!(json["scenarios"][0]["readings"][0]["metrics"], line["metrics"], "{verb:?}");
    }
}

#[test]
fn a_node_without_a_contract_files_what_it_always_filed() {
    let s = repository("");
    s.write("out.txt", OUTPUT);
    let said = eval(&s, &["--pass", "--result", "out.txt"]).expect(0);
    assert!(!said.out.contains("with"), "{}", said.out);
    let line = last(&s);
    let mut keys = ["metrics", "units", "markers", "findings", "artifacts"].iter();
    assert!(keys.all(|key| line.get(key).is_none()), "{line}");
}

#[test]
fn standard_input_and_a_dry_run_are_read_alike() {
    let s = contracted();
    let dry = fed(s.yatsu_command(&["eval", "board", "--pass", "--result", "-", "--dry-run"]), OUTPUT).expect(0);
    assert!(
        dry.out.contains(", with 2 metrics, 6 markers, 2 findings (2 verified); nothing was written"),
        "{}",
        dry.out
    );
    assert_eq!((lines(&s).len(), stored(&s)), (0, 0));
    fed(s.yatsu_command(&["eval", "board", "--pass", "--result", "-"]), OUTPUT).expect(0);
    assert_eq!(last(&s)["metrics"]["accuracy"], 0.92);
    let again = fed(s.yatsu_command(&["eval", "board", "--pass", "--result", "-"]), OUTPUT).expect(0);
    assert!(again.out.starts_with("already filed "), "{}", again.out);
}

#[test]
fn what_is_said_beside_the_output_is_recorded_with_it() {
    let s = contracted();
    s.write("out.txt", OUTPUT);
    let flags = [
        "--pass",
        "--result",
        "out.txt",
        "--metric",
        "f1-score=0.9",
        "--metric",
        "size=4.5 MB",
        "--metric",
        "accuracy=.92",
    ];
    eval(&s, &flags).expect(0);
    let line = last(&s);
    assert_eq!(line["metrics"], serde_json::json!({"accuracy": 0.92, "f1_score": 0.9, "latency": 12, "size": 4.5}));
    assert_eq!(line["units"], serde_json::json!({"latency": "ms", "size": "MB"}));
    assert!(!line["markers"].as_array().unwrap().contains(&"METRIC:size".into()), "only the output shows markers");
    // also without a contract, and without an output
    let plain = repository("");
    let said = eval(&plain, &["--pass", "--metric", "x=1e-7"]).expect(0);
    assert!(said.out.ends_with(", with 1 metric\n"), "{}", said.out);
    assert_eq!(last(&plain)["metrics"], serde_json::json!({"x": 1e-7}));
}

#[test]
fn two_values_of_one_metric_are_refused_and_nothing_is_filed() {
    let s = contracted();
    s.write("out.txt", OUTPUT);
    s.write("nan.txt", "[METRIC:accuracy] nan\n");
    let with = |result: &str, metrics: &[&str]| {
        let metrics = metrics.iter().flat_map(|metric| ["--metric", metric]).collect::<Vec<_>>();
        eval(&s, &[&["--pass", "--result", result], &metrics[..]].concat())
    };
    refused(&s, with("out.txt", &["accuracy=0.99"]), 2, "--metric accuracy=0.99: accuracy=0.92 is said as well");
    refused(&s, with("out.txt", &["latency=12"]), 2, "latency=12ms is said as well");
    refused(&s, with("out.txt", &["x=1", "X=2"]), 2, "x=1 is said as well");
    refused(&s, with("nan.txt", &["accuracy=0.99"]), 2, "has no number");
    for (metric, why) in [
        ("x", "NAME=NUMBER"),
        ("x=1,234", "more than a number"),
        ("x=nan", "no finite number"),
        ("a:b=1", "is no name"),
    ] {
        let said = with("out.txt", &[metric]).expect(2);
        assert!(said.err.contains(why), "{metric}: {}", said.err);
    }
    with("out.txt", &["accuracy=0.92", "latency=12ms"]).expect(0);
}

#[test]
fn what_is_printed_and_not_recorded_is_said() {
    let s = contracted();
    s.write("out.txt", "[METRIC:accuracy] 1,234\ntext\n[METRIC:loss] nan\n[METRIC]\n[METRIC:x] 1\n");
    let said = eval(&s, &["--pass", "--result", "out.txt"]).expect(0);
    for words in [
        "warning: line 1 is not recorded: [METRIC:accuracy]: `1,234` is more than a number and a unit",
        "line 4 is not recorded: [METRIC] names no metric",
        "line 3: [METRIC:loss] is no finite number: recorded as absent",
    ] {
        assert!(said.err.contains(words), "{words}:\n{}", said.err);
    }
    assert_eq!(last(&s)["metrics"], serde_json::json!({"x": 1}));
    let json = validate_published(
        &s.yatsu(&["--format", "json", "eval", "board", "--fail", "--result", "out.txt"]).expect(0).out,
    );
    assert_eq!(json["malformed"].as_array().unwrap().len(), 2);
    assert_eq!((&json["malformed"][0]["line"], &json["absent"]), (&1.into(), &serde_json::json!(["accuracy", "loss"])));
    s.write("none.txt", "no marker at all\n");
    let said = eval(&s, &["--pass", "--result", "none.txt"]).expect(0);
    assert!(said.out.ends_with(", with no metric, marker or artifact\n"), "{}", said.out);
}

#[test]
fn more_than_a_reading_holds_is_refused_with_the_count() {
    let s = contracted();
    let metrics = |count: usize| (0..count).map(|n| format!("[METRIC:m{n}] {n}\n")).collect::<String>();
    s.write("out.txt", metrics(257));
    refused(&s, eval(&s, &["--pass", "--result", "out.txt"]), 2, "257 different metrics; a reading holds 256");
    s.write("out.txt", (0..300).map(|n| format!("[STEP:s{n}]\n")).collect::<String>());
    refused(&s, eval(&s, &["--pass", "--result", "out.txt"]), 2, "300 different markers; a reading holds 256");
    s.write("out.txt", metrics(200_000));
    refused(&s, eval(&s, &["--pass", "--result", "out.txt"]), 2, "4096 or more different metrics");
    s.write(
        "out.txt",
        (0..256).map(|n| format!("[METRIC:{:x>100}{n}:unit={:s>80}] {n}\n", "", "")).collect::<String>(),
    );
    refused(&s, eval(&s, &["--pass", "--result", "out.txt"]), 1, "the limit is 65536");
    s.write("out.txt", metrics(256));
    eval(&s, &["--pass", "--result", "out.txt"]).expect(0);
    assert_eq!(last(&s)["metrics"].as_object().unwrap().len(), 256);
}

#[test]
fn an_artifact_is_kept_by_its_hash_under_its_path() {
    let s = contracted();
    s.write("models/wine.pkl", "the bytes of a model");
    let outside = s.home().join("elsewhere.bin");
    std::fs::write(&outside, "other bytes").unwrap();
    let flags = ["--pass", "--artifact", "models/wine.pkl", "--artifact", outside.to_str().unwrap()];
    let said = eval(&s, &flags).expect(0);
    assert!(said.out.ends_with(", with 2 artifacts\n"), "{}", said.out);
    let line = last(&s);
    let hash = sha256("the bytes of a model");
    assert_eq!(line["artifacts"], serde_json::json!({"models/wine.pkl": hash, "elsewhere.bin": sha256("other bytes")}));
    assert_eq!((&line["blob"], stored(&s)), (&serde_json::Value::Null, 2));
    assert!(s.yatsu(&["show", "board"]).expect(0).out.contains("artifact: models/wine.pkl"));
    let json = validate_published(&s.yatsu(&["--format", "json", "show", "board"]).expect(0).out);
    let rows = json["scenarios"][0]["readings"][0]["evidence"].as_array().unwrap().clone();
    assert!(rows.iter().all(|row| row["kind"] == "artifact" && row["held"] == true) && rows.len() == 2, "{rows:?}");
    // the same again is the same reading, other content is another one
    assert!(eval(&s, &flags).expect(0).out.starts_with("already filed "));
    s.write("models/wine.pkl", "another model");
    assert!(eval(&s, &flags).expect(0).out.starts_with("filed "));
}

#[test]
fn an_artifact_that_is_none_leaves_nothing_behind() {
    let s = contracted();
    s.write("empty", "");
    s.write("one/a.bin", "1");
    let two = s.home().join("a.bin");
    let three = s.home().join("deeper/a.bin");
    std::fs::create_dir(s.home().join("deeper")).unwrap();
    std::fs::write(&two, "2").unwrap();
    std::fs::write(&three, "3").unwrap();
    refused(&s, eval(&s, &["--pass", "--artifact", "empty"]), 2, "is empty");
    refused(&s, eval(&s, &["--pass", "--artifact", "gone"]), 2, "gone");
    refused(&s, eval(&s, &["--pass", "--artifact", "one"]), 2, "is a directory");
    let both = ["--pass", "--artifact", two.to_str().unwrap(), "--artifact", three.to_str().unwrap()];
    refused(&s, eval(&s, &both), 2, "two artifacts are called a.bin");
}

/// Artifacts count wherever the evidence of a ledger is collected.
#[test]
fn an_artifact_is_named_evidence_everywhere() {
    let s = contracted();
    let bytes = "the bytes of a model, long enough to be looked for";
    s.write("out/wine.pkl", bytes);
    eval(&s, &["--pass", "--artifact", "out/wine.pkl"]).expect(0);
    s.git(&["add", LEDGER]);
    s.git(&["commit", "-q", "-m", "measured"]);
    // the collector keeps it, also with --keep-latest
    for flags in [&["clean", "--grace", "0", "--dry-run"][..], &["clean", "--grace", "0", "--dry-run", "--keep-latest"]]
    {
        let said = s.yatsu(flags).expect(0).out;
        assert!(said.contains("would collect 0 pieces of evidence (0 B); 1 named"), "{flags:?}: {said}");
    }
    // its bytes in git are a stray blob, under any name
    s.git(&["add", "out/wine.pkl"]);
    let said = s.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("[stray-blob]"), "{}", said.err);
    s.git(&["rm", "-q", "--cached", "out/wine.pkl"]);
    // a check of the store names the damaged reading
    let file = blobs(&s).join(sha256(bytes));
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "other bytes").unwrap();
    let said = s.yatsu(&["evidence", "check"]).expect(1);
    assert!(format!("{}{}", said.out, said.err).contains("board/renders"), "{}{}", said.out, said.err);
    // a reading with a missing artifact is reported as such
    std::fs::remove_file(&file).unwrap();
    let line = s.read(LEDGER);
    s.write(LEDGER, format!("{line}{}", line.replace("\"pass\"", "\"fail\"")));
    s.git(&["add", LEDGER]);
    let missing = findings(&s, "evidence-missing", &["--staged"]);
    assert_eq!(missing.len(), 1, "{missing:?}");
}

#[test]
fn a_wrong_measure_is_refused_when_added_and_ignored_on_an_old_line() {
    let s = contracted();
    eval(&s, &["--pass", "--metric", "accuracy=0.92"]).expect(0);
    let wrong = s.read(LEDGER).replace("0.92", "\"0.92\"");
    s.write(LEDGER, &wrong);
    s.git(&["add", LEDGER]);
    let said = s.yatsu(&["pre-commit"]).expect(1);
    assert!(
        said.err.contains("[ledger-schema]") && said.err.contains("accuracy must be a finite number"),
        "{}",
        said.err
    );
    s.git(&["commit", "-q", "--no-verify", "-m", "old"]);
    assert_eq!(findings(&s, "ledger-schema", &["--all"]).len(), 0);
    assert!(!s.yatsu(&["show", "board"]).expect(0).out.contains("metrics:"));
    // measuring again files the values that the old line lacked
    assert!(eval(&s, &["--pass", "--metric", "accuracy=0.92"]).expect(0).out.starts_with("filed "));
}

#[test]
fn a_contract_that_is_wrong_blocks_its_commit_and_hides_no_scenario() {
    let s = contracted();
    let file = ".spec/board/yatsu.md";
    s.write(file, s.read(file).replace("\">=\"", "\"=>\""));
    s.git(&["add", file]);
    let said = s.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("yatsu.md:6:") && said.err.contains("did you mean `>=`?"), "{}", said.err);
    s.write("out.txt", OUTPUT);
    eval(&s, &["--pass", "--result", "out.txt"]).expect(0);
    assert_eq!(last(&s)["metrics"]["accuracy"], 0.92, "what is filed under a broken contract is complete");
}
