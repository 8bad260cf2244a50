//! `evidence-reused`: new readings with old pictures.

use super::{one_node, only, silent, staged};
use crate::support::{Scratch, reading_line, scenarios};

const HASH: &str = "9b01f58abd6b88d720829d7ec45e313449c1516f4a88e8dee0e8dc06795b805e";

fn file(scratch: &Scratch, scenario: &str, minute: u32) {
    file_at(scratch, &scratch.git(&["rev-parse", "HEAD"]), scenario, minute);
}

fn file_at(scratch: &Scratch, commit: &str, scenario: &str, minute: u32) {
    let line = reading_line(commit, scenario, "pass", minute).replace("null", &format!("\"{HASH}\""));
    let path = ".spec/n/yatsu.evals.ndjson";
    let before = std::fs::read_to_string(scratch.root.join(path)).unwrap_or_default();
    scratch.write(path, before + &line);
}

#[test]
fn the_bytes_of_another_scenario_are_named() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("other", "src/b.rs")]));
    file(&scratch, "works", 1);
    scratch.commit("measured");
    file(&scratch, "other", 2);
    only(staged(&scratch, "evidence-reused"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
}

#[test]
fn one_session_may_show_several_scenarios_at_one_commit() {
    let scratch = one_node();
    scratch
        .write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("other", "src/b.rs"), ("third", "src/c.rs")]));
    let head = scratch.commit("declared");
    file(&scratch, "works", 1);
    file(&scratch, "other", 2);
    silent(staged(&scratch, "evidence-reused"));
    scratch.commit("two of the session");
    file_at(&scratch, &head, "third", 3);
    silent(staged(&scratch, "evidence-reused"));
    scratch.git(&["checkout", "-q", "HEAD", "--", "."]);
    file(&scratch, "third", 3);
    let finding = only(staged(&scratch, "evidence-reused"));
    let message = finding["message"].as_str().unwrap();
    assert!(message.ends_with(&format!("a reading of n/works at another commit, {}", &head[..12])), "{message}");
}

#[test]
fn the_bytes_of_an_earlier_reading_of_changed_code_are_named() {
    let scratch = one_node();
    file(&scratch, "works", 1);
    scratch.commit("measured");
    file(&scratch, "works", 2);
    silent(staged(&scratch, "evidence-reused"));
    scratch.git(&["checkout", "-q", "HEAD", "--", "."]);
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    scratch.commit("edit");
    file(&scratch, "works", 3);
    only(staged(&scratch, "evidence-reused"));
}

/// A measured unit that is measured again with the same evidence after its file became `text`.
#[cfg(feature = "units")]
fn measured_again(code: &str, text: &str) -> Vec<serde_json::Value> {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", code)]));
    scratch.write("src/a.rs", "fn a() {}\nfn b() {}\n");
    scratch.write("shown.png", b"\x89PNG\r\n\x1a\nwhat was shown, long enough to be worth a name of its own");
    scratch.commit("begin");
    let eval = || {
        scratch.yatsu(&["eval", "n", "--scenario", "works", "--pass", "--image", "shown.png"]).expect(0);
        scratch.git(&["add", "-A"]);
    };
    eval();
    scratch.commit("measured");
    scratch.write("src/a.rs", text);
    scratch.commit("edit");
    eval();
    staged(&scratch, "evidence-reused")
}

#[cfg(feature = "units")]
#[test]
fn an_edit_around_the_unit_that_was_measured_is_no_change_of_code() {
    let [around, inside] = ["fn a() {}\nfn b() { 1; }\n", "fn a() { 1; }\nfn b() {}\n"];
    silent(measured_again("src/a.rs#a", around));
    only(measured_again("src/a.rs#a", inside));
    silent(measured_again("[src/a.rs#a]", "fn b() {}\nfn a() {}\n"));
    // a scenario that governs the whole file or directory is affected by the change
    only(measured_again("[src/a.rs#a, src]", around));
    only(measured_again("src", around));
    // for an unreadable file the whole content counts
    only(measured_again("src/a.rs#a", "fn a() {}\nfn b( {}\n}\n"));
}

#[test]
fn the_first_other_scenario_is_named_however_many_readings_come_before_it() {
    let scratch = one_node();
    scratch
        .write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("other", "src/b.rs"), ("third", "src/c.rs")]));
    for (minute, scenario) in (1..).zip(["works", "works", "other", "third"]) {
        file(&scratch, scenario, minute);
    }
    scratch.commit("measured");
    for (minute, (scenario, named)) in (5..).zip([("works", "other"), ("other", "works"), ("third", "works")]) {
        file(&scratch, scenario, minute);
        let finding = only(staged(&scratch, "evidence-reused"));
        assert_eq!(finding["scenario"], scenario);
        let message = finding["message"].as_str().unwrap();
        assert!(message.contains(&format!("a reading of n/{named} at")), "{message}");
        scratch.git(&["checkout", "-q", "HEAD", "--", "."]);
    }
}

/// A green run prints the same text after every edit, and measuring again prints it once more.
#[test]
fn text_that_is_the_same_accuses_no_reading() {
    let scratch = one_node();
    scratch.write("shown.txt", "1 passed, and long enough to be worth a name of its own\n");
    scratch.write("shown.json", "{\"passed\": 1, \"failed\": 0, \"names\": [\"works\", \"runs\"]}\n");
    scratch.write(".gitignore", "shown.*\nreport.xml\n");
    scratch.commit("begin");
    let report =
        "<testsuites><testsuite name=\"s\"><testcase classname=\"c\" name=\"works\"/></testsuite></testsuites>";
    let flags: [&[&str]; 3] = [
        &["n", "--scenario", "works", "--pass", "--result", "shown.txt"],
        &["n", "--scenario", "works", "--pass", "--result", "shown.json"],
        &["--from-junit", "report.xml"],
    ];
    for flags in flags {
        for edit in ["fn a() { 1; }\n", "fn a() { 2; }\n"] {
            scratch.write("src/a.rs", edit);
            scratch.commit("edit");
            scratch.write("report.xml", report);
            scratch.yatsu(&[&["eval"], flags].concat()).expect(0);
            silent(staged(&scratch, "evidence-reused"));
            scratch.yatsu(&["check", "--staged", "--strict"]).expect(0);
            scratch.commit("measured");
        }
    }
}

#[test]
fn neither_the_picture_of_an_observation_nor_an_artifact_is_asked_about() {
    let how = "\"how\":{\"kind\":\"observed\",\"harness\":\"claude\",\"command\":\"make\",\"exit\":0,\"at\":\"2026-01-01T00:00:00.000Z\"},";
    let artifact = format!("\"artifacts\":{{\"out/model.pkl\":\"{HASH}\"}},");
    for (more, has_picture, is_named) in [("", true, true), (how, true, false), (&artifact, false, false)] {
        let scratch = one_node();
        file(&scratch, "works", 1);
        scratch.commit("measured");
        scratch.write("src/a.rs", "fn a() { 1; }\n");
        let head = scratch.commit("edit");
        let line = reading_line(&head, "works", "pass", 2).replacen('{', &format!("{{{more}"), 1);
        let line = if has_picture { line.replace("null", &format!("\"{HASH}\"")) } else { line };
        let path = ".spec/n/yatsu.evals.ndjson";
        scratch.write(path, scratch.read(path) + &line);
        assert_eq!(staged(&scratch, "evidence-reused").len(), usize::from(is_named), "{line}");
    }
}
