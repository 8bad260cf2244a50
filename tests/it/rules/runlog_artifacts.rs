//! `runlog-artifacts`: an ended phase or run has left the files that its profile requires.

use super::{only, silent, staged};
use crate::support::runlog::{LOG, begun, end, index, run_start, start};
use crate::support::{Scratch, reading_line, scenarios};

const RULE: &str = "runlog-artifacts";

fn explored() -> String {
    "text\n".repeat(119) + "## Finding 1\n"
}

#[test]
fn an_end_that_the_change_adds_is_asked_for_its_files() {
    let scratch = Scratch::new();
    scratch.write(LOG, begun());
    only(staged(&scratch, RULE));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.write("quality/EXPLORATION.md", explored());
    silent(staged(&scratch, RULE));
    scratch.write("quality/EXPLORATION.md", "too short\n");
    only(staged(&scratch, RULE));
}

#[test]
fn untracked_and_not_there_are_told_apart() {
    let scratch = Scratch::new();
    scratch.write(LOG, begun());
    scratch.git(&["add", "-A"]);
    scratch.write("quality/EXPLORATION.md", explored());
    let found = only(crate::support::findings(&scratch, RULE, &["--staged"]));
    assert!(found["message"].as_str().expect("text").contains("is untracked: git add it"), "{found}");
}

#[test]
fn what_ended_before_is_nobodys_business_any_more() {
    let scratch = Scratch::new();
    scratch.write(LOG, begun());
    scratch.commit("a run without its files");
    scratch.write(LOG, begun() + &end(2, 9));
    let found = only(staged(&scratch, RULE));
    assert_eq!(found["line"], 6, "{found}");
}

#[test]
fn advice_does_not_stop_a_commit() {
    let scratch = Scratch::new();
    scratch.write("README.md", "x\n");
    scratch.commit("first");
    scratch.hook("pre-commit", "pre-commit");
    scratch.write(LOG, begun());
    scratch.git(&["add", "-A"]);
    let said = scratch.try_git(&["commit", "-q", "-m", "a run"]).expect(0);
    assert!(said.err.contains("warning[runlog-artifacts]"), "{}", said.err);
}

#[test]
fn a_target_two_directories_deep_with_names_that_have_blanks() {
    let scratch = Scratch::new();
    let at = "my benchmarks/chi 1/quality";
    scratch.write(&format!("{at}/run_state.jsonl"), begun());
    only(staged(&scratch, RULE));
    scratch.write(&format!("{at}/EXPLORATION.md"), explored());
    silent(staged(&scratch, RULE));
}

#[test]
fn rules_of_a_project_never_look_outside() {
    let scratch = Scratch::new();
    scratch.write("secret", "x");
    std::fs::write(scratch.base.join("secret"), "x").expect("a file");
    scratch.write(
        "p.json",
        "{\"name\":\"p\",\"schemaVersion\":\"1\",\"events\":{\"_index\":{\"position\":\"first\"},\"run_start\":{\"position\":\"second\"},\
         \"phase_start\":{\"fields\":{\"phase\":{\"type\":\"integer\"}}},\"phase_end\":{\"fields\":{\"phase\":{\"type\":\"integer\"}}}},\
         \"phases\":[{\"n\":1,\"name\":\"one\",\"requires\":[{\"file\":\"../secret\"},{\"glob\":\"../*\"},{\"file\":\"link\"}]}]}",
    );
    scratch.write("spexcode.json", "{\"yatsu\":{\"runlogs\":[{\"path\":\"a/b/x.jsonl\",\"profile\":\"p.json\"}]}}");
    std::fs::create_dir_all(scratch.root.join("a/b")).expect("a directory");
    std::os::unix::fs::symlink("/etc/passwd", scratch.root.join("a/link")).expect("a link");
    scratch.write("a/b/x.jsonl", index() + &run_start() + &start(1, 1) + &end(1, 2));
    let found = only(staged(&scratch, RULE));
    let message = found["message"].as_str().expect("text");
    assert_eq!(message.matches("leads out of the run's directory").count(), 2, "{message}");
    assert!(message.contains("link is"), "a link is no file: {message}");
}

#[test]
fn a_run_of_our_own_asks_for_its_readings() {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    let head = scratch.commit("first");
    let types = "\"_index\",\"run_start\",\"phase_start\",\"phase_end\",\"run_end\"";
    let index =
        crate::support::runlog::event("_index", 0, &format!("\"schema_version\":\"1.0.0\",\"event_types\":[{types}]"));
    let log = index + &crate::support::runlog::event("run_start", 0, "") + &start(3, 1) + &end(3, 2);
    scratch.write(".yatsu/runs/r1.jsonl", log);
    let found = only(staged(&scratch, RULE));
    assert!(found["message"].as_str().expect("text").contains("1 reading of this run must be filed"), "{found}");
    let line = reading_line(&head, "works", "pass", 1);
    scratch.write(".spec/n/yatsu.evals.ndjson", line.replace("\"blob\":null", "\"blob\":null,\"run\":\"r2\""));
    only(staged(&scratch, RULE));
    scratch.write(".spec/n/yatsu.evals.ndjson", line.replace("\"blob\":null", "\"blob\":null,\"run\":\"r1\""));
    silent(staged(&scratch, RULE));
}

#[test]
fn what_is_wrong_elsewhere_in_a_log_hides_no_missing_artifact() {
    let scratch = Scratch::new();
    let back = start(2, 1);
    for advised in [begun().replacen('\n', "\n\n", 1), index() + &run_start() + &start(1, 2) + &end(1, 3) + &back] {
        scratch.write(LOG, advised);
        scratch.git(&["add", "-A"]);
        assert_ne!(crate::support::findings(&scratch, "runlog-schema", &["--staged"]), Vec::<serde_json::Value>::new());
        only(staged(&scratch, RULE));
    }
    // also with an odd time in the line of the end: files are missing at any time
    scratch.write(LOG, begun().replace("14:02:00Z\",\"phase\":1", "13:02:00Z\",\"phase\":1"));
    only(staged(&scratch, RULE));
}
