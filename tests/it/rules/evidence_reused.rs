//! `evidence-reused`: new readings with old bytes.

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
    scratch.write("shown.txt", "what was shown, long enough to be worth a name of its own\n");
    scratch.commit("begin");
    let eval = || {
        scratch.yatsu(&["eval", "n", "--scenario", "works", "--pass", "--result", "shown.txt"]).expect(0);
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

/// A reading of this scenario with an artifact and no other evidence.
fn named(scratch: &Scratch, scenario: &str, minute: u32) {
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let line = reading_line(&head, scenario, "pass", minute);
    let line = line.replacen('{', &format!("{{\"artifacts\":{{\"out/model.pkl\":\"{HASH}\"}},"), 1);
    let path = ".spec/n/yatsu.evals.ndjson";
    let before = std::fs::read_to_string(scratch.root.join(path)).unwrap_or_default();
    scratch.write(path, before + &line);
}

#[test]
fn an_artifact_of_an_earlier_reading_of_changed_code_and_of_another_scenario_is_named() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("other", "src/b.rs")]));
    named(&scratch, "works", 1);
    scratch.commit("measured");
    named(&scratch, "works", 2);
    silent(staged(&scratch, "evidence-reused"));
    scratch.git(&["checkout", "-q", "HEAD", "--", "."]);
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    scratch.commit("edit");
    named(&scratch, "works", 3);
    let found = only(staged(&scratch, "evidence-reused"));
    assert!(found["message"].as_str().is_some_and(|text| text.contains("although the code has changed")), "{found}");
    scratch.git(&["checkout", "-q", "HEAD", "--", "."]);
    named(&scratch, "other", 3);
    assert_eq!(only(staged(&scratch, "evidence-reused"))["scenario"], "other");
}

/// The transcript of one reading and the artifact of another may be the same piece.
#[test]
fn bytes_are_the_same_whatever_a_reading_calls_them() {
    let scratch = one_node();
    file(&scratch, "works", 1);
    scratch.commit("measured");
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    scratch.commit("edit");
    named(&scratch, "works", 2);
    only(staged(&scratch, "evidence-reused"));
}
