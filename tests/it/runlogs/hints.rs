//! The commands in messages of the run log verbs work in the user's directory.

use super::verbs::{LOG, START, leave, log, names, refused, started, yatsu};
use crate::support::{Said, Scratch};

/// Calls the program in a directory of the repository.
fn standing(s: &Scratch, dir: &str, words: &[&str]) -> Said {
    let dir = s.root.join(dir);
    std::fs::create_dir_all(&dir).expect("a directory");
    Said::of(s.yatsu_command(words).current_dir(dir).output().expect("it runs"))
}

/// The words after `yatsu-hook` in the line to type.
fn told(text: &str) -> Vec<String> {
    let at = text.find("yatsu-hook runlog").unwrap_or_else(|| panic!("nothing to type in:\n{text}"));
    let line = text[at..].lines().next().unwrap_or_default();
    let line = line.split(['`', ';']).next().unwrap_or_default();
    line.split_whitespace().skip(1).map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[track_caller]
fn follow(s: &Scratch, dir: &str, text: &str, code: i32) -> Said {
    let words = told(text);
    standing(s, dir, &words.iter().map(String::as_str).collect::<Vec<_>>()).expect(code)
}

#[test]
fn what_resume_tells_to_type_works_in_every_directory() {
    for (dir, path) in [("src/deep", "../../quality/run_state.jsonl"), ("quality", "run_state.jsonl"), ("", LOG)] {
        let s = started();
        leave(&s, 1);
        yatsu(&s, "runlog phase end 1").expect(0);
        let said = standing(&s, dir, &["runlog", "resume"]).expect(0);
        assert!(said.out.contains(&format!("runlog phase start 2 --log {path}\n")), "{}", said.out);
        follow(&s, dir, &said.out, 0);
        assert_eq!(names(&s).last().map(String::as_str), Some("phase_start"), "{dir}");
    }
}

#[test]
fn a_refusal_in_a_subdirectory_tells_what_works_there() {
    let s = started();
    let log_there = "../quality/run_state.jsonl";
    let mut again = START.to_vec();
    again[2] = log_there;
    let said = standing(&s, "src", &again).expect(1);
    let plan = follow(&s, "src", &said.err, 0);
    assert!(plan.out.contains("re-run"), "{}", plan.out);
    let said = standing(&s, "src", &["runlog", "phase", "start", "2"]).expect(1);
    assert!(said.err.contains(&format!("runlog resume {log_there}")), "{}", said.err);
    s.write("quality/PROGRESS.md", "");
    let said = standing(&s, "src", &["runlog", "progress", "--check"]).expect(1);
    follow(&s, "src", &said.out, 0);
    s.write(LOG, log(&s) + "garbage\n");
    let said = standing(&s, "src", &["runlog", "add", "gate_check", "--log", log_there]).expect(1);
    let at = said.err.find("wrong with it: ").expect("the line to type");
    follow(&s, "src", &said.err[at..], 1);
}

#[test]
fn several_open_runs_are_named_as_they_are_typed_where_one_stands() {
    let s = started();
    yatsu(&s, "runlog start").expect(0);
    let said = standing(&s, "src", &["runlog", "phase", "start", "2"]).expect(2);
    assert!(said.err.contains("../quality/run_state.jsonl"), "{}", said.err);
}

#[test]
fn an_event_without_a_name_is_not_declared() {
    let s = started();
    for types in ["[\"\"]", "[\"a\",\"\"]"] {
        refused(&s, &format!("runlog add event_types_added types:={types}"), 2, "none of them empty");
    }
    yatsu(&s, "runlog add event_types_added types:=[\"a\"]").expect(0);
}

#[test]
fn the_phase_that_ends_is_not_typed_as_a_count() {
    let s = started();
    leave(&s, 1);
    for field in ["phase=2", "phase:=2", "event=x", "ts=x"] {
        refused(&s, &format!("runlog phase end 1 {field}"), 2, "is not typed");
    }
    yatsu(&s, "runlog phase end 1 findings_total=2").expect(0);
}

#[test]
fn a_path_where_no_log_lies_is_refused_before_anything_is_told_to_be_typed() {
    let s = started();
    for path in ["nowhere.txt", "src", "quality/notes.jsonl", ".yatsu/runs/deep/x.jsonl"] {
        for line in [format!("runlog resume {path}"), format!("runlog resume --apply {path}")] {
            let said = yatsu(&s, &line).expect(2);
            assert!(said.err.contains("is no place of a run log") && said.out.is_empty(), "{line}: {}", said.err);
            assert!(!said.err.contains("runlog start"), "{}", said.err);
        }
        let said = yatsu(&s, &format!("runlog add gate_check --log {path}")).expect(2);
        assert!(said.err.contains("there is no run log") && !said.err.contains("runlog start"), "{}", said.err);
    }
    let said = yatsu(&s, "runlog add gate_check --log n/quality/run_state.jsonl").expect(2);
    assert!(said.err.contains("runlog start n/quality/run_state.jsonl benchmark=VALUE"), "{}", said.err);
}

#[test]
fn a_plan_that_nobody_gets_is_a_failure_and_what_was_appended_stands() {
    let s = started();
    let full = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let full = std::fs::File::create("/dev/full").expect("a device");
        Said::of(s.yatsu_command(&words).stdout(full).output().expect("it runs"))
    };
    for format in ["human", "json"] {
        full(&format!("runlog resume --format {format}")).expect(3);
        full(&format!("runlog ls --format {format}")).expect(3);
    }
    full("runlog progress --check --format json").expect(3);
    let before = log(&s);
    full("runlog resume --apply --format json").expect(0);
    assert_eq!(log(&s).lines().count(), before.lines().count() + 1, "the error of phase 1");
    full("runlog resume --apply --format json").expect(0);
    full("runlog end success --format json").expect(1);
    full("runlog add gate_check gate_name=g verdict=pass --format json").expect(0);
    assert_eq!(log(&s).lines().count(), before.lines().count() + 2, "what was appended stands");
}

#[test]
fn what_is_told_under_another_directory_names_it() {
    let s = started();
    let outside = |words: &[&str]| Said::of(s.yatsu_command(words).current_dir(&s.base).output().expect("it runs"));
    leave(&s, 1);
    yatsu(&s, "runlog phase end 1").expect(0);
    let said = outside(&["-C", "repo/quality", "runlog", "resume"]).expect(0);
    let line = "yatsu-hook -C repo/quality runlog phase start 2 --log run_state.jsonl\n";
    assert!(said.out.contains(line), "{}", said.out);
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    outside(&words).expect(0);
    assert_eq!(names(&s).last().map(String::as_str), Some("phase_start"));
    let said = outside(&["-C", "repo", "runlog", "phase", "start", "2"]).expect(1);
    assert!(said.err.contains("yatsu-hook -C repo runlog resume quality/run_state.jsonl"), "{}", said.err);
    s.write("quality/PROGRESS.md", "");
    let said = outside(&["-C", "repo", "runlog", "progress", "--check"]).expect(1);
    assert!(said.out.contains("yatsu-hook -C repo runlog progress quality/run_state.jsonl"), "{}", said.out);
}

#[test]
fn a_phase_is_a_number_and_the_numbers_are_named() {
    let s = started();
    for words in ["runlog phase start build", "runlog phase end build"] {
        let said = yatsu(&s, words).expect(2);
        assert!(!said.err.contains("invalid digit"), "{}", said.err);
        assert!(said.err.contains("a phase is named by its number"), "{}", said.err);
        assert!(said.err.contains("3 Code Review"), "{}", said.err);
    }
    let said = Scratch::new().yatsu(&["runlog", "phase", "start", "build"]).expect(2);
    assert!(said.err.contains("a phase is named by its number"), "{}", said.err);
}

#[test]
fn the_end_of_a_run_says_which_statuses_there_are() {
    let s = started();
    for words in ["runlog end", "runlog end done"] {
        let said = yatsu(&s, words).expect(2);
        assert!(
            said.err.contains("success") && said.err.contains("aborted") && said.err.contains("failed"),
            "{}",
            said.err
        );
    }
}
