//! `runlog resume` and `runlog progress`: each rule of resuming, and that a plan is applied only once.

use super::verbs::{LOG, PAGE, answer, leave, lines, log, names, put, started, yatsu};
use crate::support::{Scratch, hermetic, program};
use serde_json::{Value, json};
use std::fs;

/// `action phase`, and `+` if it appends.
fn planned(answer: &Value) -> Vec<String> {
    let plan = answer["plan"].as_array().expect("a plan");
    let word = |row: &Value| {
        let phase = row["phase"].as_u64().map(|n| format!(" {n}")).unwrap_or_default();
        format!(
            "{}{phase}{}",
            row["action"].as_str().expect("an action"),
            if row["appends"].is_null() { "" } else { " +" }
        )
    };
    plan.iter().map(word).collect()
}

/// Ends phases up to `n`.
fn through(s: &Scratch, n: u32) {
    for n in 1..=n {
        if n > 1 {
            yatsu(s, &format!("runlog phase start {n}")).expect(0);
        }
        leave(s, n);
        yatsu(s, &format!("runlog phase end {n}")).expect(0);
    }
}

/// A plan's events are in the log, and a second run appends none.
#[track_caller]
fn applied(s: &Scratch, events: &[&str]) {
    let before = log(s);
    assert_eq!(answer(s, "runlog resume", 0)["applied"], false);
    assert_eq!(log(s), before, "asking writes nothing");
    let done = answer(s, "runlog resume --apply", 0);
    assert_eq!((&done["applied"], &done["events"]), (&json!(true), &json!(events)));
    assert_eq!(names(s)[before.lines().count()..], *events);
    let after = log(s);
    let file = format!("runlog resume --apply {LOG}");
    assert_eq!(answer(s, &file, 0)["events"], json!([]), "twice is once");
    assert_eq!(log(s), after);
}

#[test]
fn without_a_log_the_line_to_type_is_told() {
    let s = Scratch::new();
    let plan = answer(&s, "runlog resume quality/run_state.jsonl", 0);
    assert_eq!(planned(&plan), ["fresh"]);
    let command = plan["plan"][0]["command"].as_str().expect("a line");
    assert!(
        command.starts_with(
            "yatsu-hook runlog start quality/run_state.jsonl benchmark=VALUE lever_state=VALUE runner=claude|codex"
        ),
        "{command}"
    );
    assert_eq!(answer(&s, "runlog resume", 0)["plan"][0]["command"], "yatsu-hook runlog start");
    assert!(!s.root.join("quality").exists());
}

#[test]
fn an_open_phase_that_is_complete_gets_its_end() {
    let s = started();
    through(&s, 2);
    yatsu(&s, "runlog phase start 3").expect(0);
    leave(&s, 3);
    assert_eq!(planned(&answer(&s, "runlog resume", 0)), ["catch-up 3 +", "next 4"]);
    applied(&s, &["phase_end"]);
}

#[test]
fn an_open_phase_that_is_incomplete_is_to_be_run_again() {
    let s = started();
    through(&s, 2);
    yatsu(&s, "runlog phase start 3").expect(0);
    let plan = answer(&s, "runlog resume", 0);
    assert_eq!(planned(&plan), ["re-run 3 +"]);
    assert!(plan["plan"][0]["missing"][0].as_str().expect("a text").contains("quality/code_reviews/*"), "{plan}");
    applied(&s, &["error"]);
    leave(&s, 3);
    yatsu(&s, "runlog phase end 3").expect(0);
}

#[test]
fn a_closed_phase_whose_artifact_is_gone_is_reopened() {
    let s = started();
    through(&s, 3);
    fs::remove_file(s.root.join("quality/QUALITY.md")).expect("removed");
    assert_eq!(planned(&answer(&s, "runlog resume", 0)), ["reopen 2 +", "next 2"]);
    applied(&s, &["phase_reopened"]);
    yatsu(&s, "runlog phase start 2").expect(0);
    leave(&s, 2);
    yatsu(&s, "runlog phase end 2").expect(0);
    assert_eq!(planned(&answer(&s, "runlog resume", 0)), ["next 4"]);
}

#[test]
fn a_log_that_does_not_know_reopening_says_it_by_an_error() {
    let s = started();
    through(&s, 2);
    s.write(LOG, log(&s).replacen(",\"phase_reopened\"", "", 1));
    fs::remove_file(s.root.join("quality/QUALITY.md")).expect("removed");
    applied(&s, &["error"]);
}

#[test]
fn six_ended_phases_end_the_run_and_what_phase_six_counts_is_filled_in() {
    let s = started();
    through(&s, 5);
    yatsu(&s, "runlog phase start 6").expect(0);
    leave(&s, 6);
    applied(&s, &["phase_end", "run_end"]);
    assert_eq!(lines(&s)[lines(&s).len() - 2]["key_counts"], json!({"bugs_md_count": 2}));
    let plan = answer(&s, &format!("runlog resume {LOG}"), 0);
    assert_eq!(planned(&plan), ["ended"]);
    assert!(s.read(PAGE).contains("**Status:** success"));
}

#[test]
fn a_page_that_somebody_edited_is_told_and_written_again() {
    let s = started();
    let page = s.read(PAGE);
    assert_eq!(answer(&s, "runlog progress --check", 0)["outcome"], "same");
    s.write(PAGE, page.replace("- [ ] Phase 2", "- [x] Phase 2"));
    let said = yatsu(&s, "runlog progress --check").expect(1);
    assert!(said.out.contains("quality/PROGRESS.md is not what"), "{}", said.out);
    assert_eq!(answer(&s, "runlog progress", 0)["outcome"], "written");
    assert_eq!(s.read(PAGE), page);
    fs::remove_file(s.root.join(PAGE)).expect("removed");
    assert_eq!(answer(&s, "runlog progress --check", 1)["outcome"], "differs");
    s.write(PAGE, "# Notes\n\nmine\n");
    yatsu(&s, "runlog progress").expect(0);
    assert_eq!(s.read(PAGE), page.clone() + "\n# Notes\n\nmine\n");
}

#[test]
fn a_page_that_is_a_link_is_not_written_through() {
    let s = started();
    fs::remove_file(s.root.join(PAGE)).expect("removed");
    s.write("precious", "x");
    std::os::unix::fs::symlink(s.root.join("precious"), s.root.join(PAGE)).expect("a link");
    yatsu(&s, "runlog progress").expect(3);
    assert_eq!(s.read("precious"), "x");
}

#[test]
fn twelve_events_are_told_as_the_last_ten_with_sizes() {
    let s = started();
    for n in 1..=9 {
        yatsu(&s, &format!("runlog add artifact_written relative_path=quality/{n}.md byte_size:=1234{n}")).expect(0);
    }
    let page = s.read(PAGE);
    assert_eq!(page.lines().filter(|line| line.contains(" — artifact_written ")).count(), 9);
    assert!(page.contains(" — phase_start phase=1\n") && !page.contains(" — run_start"), "{page}");
    assert!(page.contains("- quality/9.md (12,349 bytes)"));
}

#[test]
fn what_is_typed_is_text_on_the_page() {
    let s = started();
    let text = "text](http://e.org) <img src=x onerror=alert(1)>\n## Phases\n- [x] Phase 6 ![i](j) \u{202e}`";
    s.yatsu(&["runlog", "add", "error", &format!("message={text}"), "recoverable:=true"]).expect(0);
    s.yatsu(&["runlog", "add", "artifact_written", &format!("relative_path={text}")]).expect(0);
    let page = s.read(PAGE);
    assert!(!page.replace("\\]", "").contains("]("), "a link in\n{page}");
    for syntax in ["<img", "![i]", "http://", "\u{202e}", "\n- [x]"] {
        assert!(!page.contains(syntax), "{syntax} in\n{page}");
    }
    assert_eq!(page.lines().filter(|line| line.starts_with("## ")).count(), 3);
}

#[test]
fn two_processes_append_two_hundred_each() {
    // YATSU_FULL=1 runs all
    let each = if std::env::var_os("YATSU_FULL").is_some() { 200 } else { 25 };
    let s = started();
    let script = format!(
        "n=0; while [ $n -lt {each} ]; do n=$((n+1)); '{}' runlog add gate_check gate_name=$0-$n verdict=pass >/dev/null || exit 1; done",
        program().display()
    );
    let children: Vec<_> = ["a", "b"]
        .into_iter()
        .map(|name| {
            hermetic("sh", &s.home()).current_dir(&s.root).args(["-c", &script, name]).spawn().expect("a shell")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("an end").success());
    }
    assert_eq!(lines(&s).len(), 3 + 2 * each);
    let distinct: std::collections::BTreeSet<String> =
        lines(&s).iter().filter_map(|line| line["gate_name"].as_str().map(str::to_owned)).collect();
    assert_eq!(distinct.len(), 2 * each);
    yatsu(&s, "runlog progress --check").expect(0);
    put(&s, "");
    yatsu(&s, "runlog end aborted").expect(0);
}

#[test]
fn a_log_that_broke_off_behind_its_index_is_told_the_line_that_is_missing() {
    let s = Scratch::new();
    s.write("README", "x");
    s.commit("begin");
    s.write(LOG, crate::support::runlog::index());
    let said = yatsu(&s, &format!("runlog check {LOG}")).expect(1);
    assert!(said.out.contains(&format!("yatsu-hook runlog resume {LOG}")), "{}", said.out);
    let plan = answer(&s, &format!("runlog resume {LOG}"), 0);
    assert_eq!(planned(&plan), ["start"]);
    let command = plan["plan"][0]["command"].as_str().expect("a line").to_owned();
    assert!(command.starts_with("yatsu-hook runlog add run_start runner=claude|codex"), "{command}");
    assert!(command.ends_with(&format!("target_path=VALUE --log {LOG}")), "{command}");
    let before = log(&s);
    answer(&s, &format!("runlog resume {LOG} --apply"), 0);
    assert_eq!(log(&s), before, "nobody guesses who runs it");
    yatsu(&s, &format!("runlog add error message=m recoverable:=true --log {LOG}")).expect(1);
    let fields = "runner=claude playbook_version=1.5.6 target_path=.";
    yatsu(&s, &format!("runlog add run_start {fields} --log {LOG}")).expect(0);
    assert_eq!(names(&s), ["_index", "run_start"]);
    yatsu(&s, &format!("runlog add run_start {fields} --log {LOG}")).expect(2);
    assert_eq!(planned(&answer(&s, "runlog resume", 0)), ["next 1"]);
}

#[test]
fn a_run_of_ours_that_broke_off_behind_its_index_goes_on() {
    let s = Scratch::new();
    s.write("README", "x");
    s.commit("begin");
    let started = answer(&s, "runlog start", 0);
    let file = started["file"].as_str().expect("a path").to_owned();
    let first = s.read(&file).lines().next().expect("a line").to_owned() + "\n";
    s.write(&file, &first);
    assert_eq!(planned(&answer(&s, "runlog resume", 0)), ["start +", "next 1"]);
    let done = answer(&s, "runlog resume --apply", 0);
    assert_eq!(done["events"], json!(["run_start"]));
    assert_eq!(answer(&s, "runlog resume --apply", 0)["events"], json!([]), "twice is once");
    yatsu(&s, "runlog phase start 1").expect(0);
    yatsu(&s, "runlog check").expect(0);
}

#[test]
fn a_log_that_was_cut_off_in_its_first_line_begins_again() {
    let s = Scratch::new();
    s.write("README", "x");
    s.commit("begin");
    let file = ".yatsu/runs/a.jsonl";
    s.write(file, "{\"event\":\"_ind");
    s.git(&["add", "-A"]);
    yatsu(&s, "repair").expect(0);
    assert_eq!(s.read(file), "");
    let plan = answer(&s, "runlog resume", 0);
    assert_eq!(planned(&plan), ["fresh"]);
    let command = plan["plan"][0]["command"].as_str().expect("a line").to_owned();
    yatsu(&s, command.strip_prefix("yatsu-hook ").expect("a line of ours")).expect(0);
    yatsu(&s, "runlog check").expect(0);
    assert_eq!(s.read(file).lines().count(), 3);
}
