//! Attempts to evade the law that a run log only grows: through another place, a configuration that ignores it, a profile
//! that requires less.

use crate::support::runlog::{self as lines, LOG};
use crate::support::{Scratch, executable, findings, program};

/// Lines of a run that began before the first commit, because a run younger than every commit cannot have been there
/// before.
fn past(text: String) -> String {
    text.replace("2026-05-", "2025-05-")
}

fn begun() -> String {
    past(lines::begun())
}

fn whole() -> String {
    past(lines::whole())
}

fn end(phase: u32, minute: u32) -> String {
    past(lines::end(phase, minute))
}

fn start(phase: u32, minute: u32) -> String {
    past(lines::start(phase, minute))
}

fn run_end(minute: u32, status: &str) -> String {
    past(lines::run_end(minute, status))
}

fn event(name: &str, minute: u32, rest: &str) -> String {
    past(lines::event(name, minute, rest))
}

/// A repository that pushes to one with the gate.
fn served(log: &str) -> Scratch {
    let s = Scratch::new();
    s.write("README.md", "x\n");
    s.write(LOG, log);
    s.commit("a run");
    s.git(&["init", "-q", "--bare", "-b", "main", "../remote.git"]);
    s.git(&["remote", "add", "origin", "../remote.git"]);
    let hook = s.base.join("remote.git/hooks/pre-receive");
    executable(&hook, &format!("#!/bin/sh\nexec '{}' pre-receive\n", program().display()));
    push(&s, 0);
    s
}

/// Commits everything and pushes it; returns the server's answer.
#[track_caller]
fn push(s: &Scratch, code: i32) -> String {
    s.commit("a step");
    let known = s.try_git(&["rev-parse", "-q", "--verify", "origin/main"]).out;
    if !known.is_empty() {
        // the gate before the push and a range in CI say the same
        let range = s.yatsu(&["check", "--from", "origin/main", "--to", "HEAD"]);
        assert_eq!(range.code, code, "the range: {}{}", range.out, range.err);
        let refs = format!("refs/heads/main {} refs/heads/main {known}", s.git(&["rev-parse", "HEAD"]));
        let said = crate::support::fed(s.yatsu_command(&["pre-push", "origin", "../remote.git"]), refs);
        assert_eq!(said.code, code, "before the push: {}{}", said.out, said.err);
    }
    s.try_git(&["push", "-q", "--no-verify", "origin", "main"]).expect(i32::from(code != 0)).err
}

fn edited(log: &str) -> String {
    assert!(log.contains("14:02:00Z") || log.contains("14:03:00Z"));
    log.replace("14:02:00Z", "14:02:09Z").replace("14:03:00Z", "14:03:09Z")
}

fn config(s: &Scratch, yatsu: &str) {
    s.write("spexcode.json", format!("{{\"yatsu\":{{{yatsu}}}}}"));
}

fn remove(s: &Scratch, path: &str) {
    std::fs::remove_file(s.root.join(path)).expect("removed");
}

fn rename(s: &Scratch, from: &str, to: &str) {
    let to = s.root.join(to);
    std::fs::create_dir_all(to.parent().expect("a directory")).expect("made");
    std::fs::rename(s.root.join(from), to).expect("renamed");
}

const MOVED: &str = "n/quality/run_state.jsonl";

#[test]
fn an_ended_log_that_left_starts_anew_when_it_returns() {
    let s = served(&whole());
    remove(&s, LOG);
    push(&s, 0);
    s.write(LOG, begun());
    push(&s, 0);
}

#[test]
fn a_log_that_moved_leaves_its_place_to_another_run_and_not_to_an_edited_one() {
    let s = served(&begun());
    rename(&s, LOG, MOVED);
    s.commit("moved");
    s.write(LOG, edited(&begun()));
    let said = push(&s, 1);
    assert!(said.contains("a committed line of this run log was edited"), "{said}");
    s.write(LOG, begun().replace("2025-05-15", "2025-05-14"));
    push(&s, 0);
    // and must not return over it
    remove(&s, LOG);
    rename(&s, MOVED, LOG);
    push(&s, 1);
}

#[test]
fn a_log_goes_home_and_on() {
    let s = served(&begun());
    rename(&s, LOG, MOVED);
    s.write(MOVED, begun() + &end(2, 4));
    push(&s, 0);
    rename(&s, MOVED, LOG);
    s.write(LOG, begun() + &end(2, 4) + &start(3, 5));
    push(&s, 0);
}

#[test]
fn a_log_that_the_configuration_hides_is_refused_with_the_key_that_hides_it() {
    let s = served(&begun());
    config(&s, "\"exclude\":[\"quality\"]");
    let said = push(&s, 1);
    assert!(said.contains("this run log is out of sight: yatsu.exclude hides it"), "{said}");
    config(&s, "\"exclude\":[\"n\"]");
    rename(&s, LOG, MOVED);
    let said = push(&s, 1);
    assert!(
        said.contains("this run log lies in n/quality/run_state.jsonl, and yatsu.exclude hides it there"),
        "{said}"
    );
    config(&s, "");
    push(&s, 0);
}

#[test]
fn an_ended_log_may_be_hidden_and_a_log_that_comes_into_sight_is_taken_as_it_is() {
    let s = served(&whole());
    config(&s, "\"exclude\":[\"quality\"]");
    push(&s, 0);
    s.write(LOG, edited(&whole()));
    push(&s, 0);
    config(&s, "");
    push(&s, 0);
}

#[test]
fn a_log_that_ended_within_the_push_may_leave_within_it() {
    let s = served(&begun());
    s.write(LOG, begun() + &end(2, 4) + &run_end(5, "aborted"));
    s.commit("ended");
    rename(&s, LOG, MOVED);
    s.commit("moved");
    remove(&s, MOVED);
    push(&s, 0);
}

#[test]
fn an_edit_that_is_healed_within_the_push_is_none() {
    let s = served(&whole());
    s.write(LOG, edited(&whole()));
    s.commit("tidy up");
    let broke = s.git(&["rev-parse", "--short=12", "HEAD"]);
    s.write(LOG, whole());
    let mended = s.commit("back again");
    let range = s.yatsu(&["check", "--from", "origin/main", "--to", "HEAD"]).expect(0).out;
    let told =
        format!("info[runlog-history]: {broke} edited committed lines of this run log, and {} has it", &mended[..12]);
    assert!(range.contains(&told), "{range}");
    assert_eq!(push(&s, 0), "", "a push loses nothing");
    let after = s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0).out;
    assert_eq!(after, "", "one commit mends nothing of its own");
}

/// The lines that a commit added before another one edited the log are not in the base.
#[test]
fn a_log_that_is_broken_is_whole_in_the_last_commit_before() {
    let s = served(&begun());
    let longer = begun() + &event("gate_check", 4, "");
    s.write(LOG, &longer);
    let whole = s.commit("further");
    s.write(LOG, edited(&longer));
    s.commit("tidy up");
    let range = s.yatsu(&["check", "--from", "origin/main", "--to", "HEAD"]).expect(1).out;
    assert!(range.contains(&format!("git show {}:", &whole[..12])), "{range}");
}

const PROFILE: &str = r#"{"name":"own","schemaVersion":"1","events":{"_index":{"position":"first"},"go":{"position":"second"},
"phase_start":{"perPhase":true,"fields":{"phase":{"type":"integer","required":true}}},
"phase_end":{"perPhase":true,"fields":{"phase":{"type":"integer","required":true}}},"note":{},"end":{"position":"last","fields":{"status":{"type":"string"}}}},
"phases":[{"n":1,"name":"one","requires":[{"file":"out.txt"}]}]}"#;

fn own_log() -> String {
    let types = "\"schema_version\":\"1\",\"event_types\":[\"go\",\"phase_start\",\"phase_end\",\"note\",\"end\"]";
    event("_index", 0, types) + &event("go", 0, "") + &start(1, 1)
}

/// A repository with a profile of its own for the logs in `logs`.
fn own() -> Scratch {
    let s = served(&begun());
    s.write("own.json", PROFILE);
    config(&s, "\"runlogs\":[{\"path\":\"logs/*.jsonl\",\"profile\":\"own.json\"}]");
    push(&s, 0);
    s.write("logs/a/README.md", "x\n");
    s.write("logs/a.jsonl", own_log());
    push(&s, 0);
    s
}

/// The messages of `rule` about the staged changes.
#[track_caller]
fn staged(s: &Scratch, rule: &str) -> Vec<String> {
    s.git(&["add", "-A"]);
    let found = findings(s, rule, &["--staged"]);
    found.iter().filter(|found| found["origin"] != "inherited").map(|found| found["message"].to_string()).collect()
}

#[test]
fn an_entry_that_is_taken_out_is_named_although_nothing_else_changes() {
    let s = own();
    s.git(&["rm", "-q", LOG]);
    s.commit("nothing else is left");
    config(&s, "");
    let [said] = &staged(&s, "gate-lowered")[..] else { panic!("one finding") };
    assert!(said.contains("yatsu.runlogs loses \\\"logs/*.jsonl\\\""), "{said}");
    // and hides no existing log
    let [said] = &staged(&s, "runlog-history")[..] else { panic!("one finding") };
    assert!(said.contains("this run log is out of sight: yatsu.runlogs hides it"), "{said}");
    remove(&s, "logs/a.jsonl");
    assert_eq!(staged(&s, "runlog-history").len(), 1);
}

#[test]
fn an_entry_of_another_profile_does_not_judge_its_own_change() {
    let s = own();
    s.write("lax.json", PROFILE.replace("}]}]}", "}]},{\"n\":9,\"name\":\"nine\"}]}"));
    config(&s, "\"runlogs\":[{\"path\":\"logs/*.jsonl\",\"profile\":\"lax.json\"}]");
    s.write("logs/a.jsonl", own_log() + &end(1, 2) + &start(9, 3));
    let [said] = &staged(&s, "runlog-schema")[..] else { panic!("one finding") };
    assert!(said.contains("`phase` must be one of 1"), "{said}");
    assert_eq!(staged(&s, "gate-lowered").len(), 1);
}

#[test]
fn a_profile_that_asks_for_less_does_not_judge_its_own_change() {
    let s = own();
    s.write("own.json", PROFILE.replace("\"requires\":[{\"file\":\"out.txt\"}]", "\"requires\":[]"));
    s.write("logs/a.jsonl", own_log() + &end(1, 2));
    let [said] = &staged(&s, "gate-lowered")[..] else { panic!("one finding") };
    assert!(said.contains("this profile asks for less: phase 1 asks for less"), "{said}");
    let [said] = &staged(&s, "runlog-artifacts")[..] else { panic!("one finding") };
    assert!(said.contains("out.txt is not there"), "{said}");
    // from the next change on the new profile judges alone
    s.commit("for less");
    s.write("logs/b.jsonl", own_log() + &end(1, 2));
    assert_eq!(staged(&s, "runlog-artifacts"), Vec::<String>::new());
    assert_eq!(staged(&s, "gate-lowered"), Vec::<String>::new());
}

#[test]
fn a_profile_does_not_end_the_runs_that_it_wants_to_be_rid_of() {
    let s = own();
    s.write("logs/a.jsonl", own_log() + &event("note", 5, ""));
    push(&s, 0);
    s.write(
        "own.json",
        PROFILE
            .replace("\"note\":{}", "\"note\":{\"position\":\"last\"}")
            .replace("\"end\":{\"position\":\"last\",", "\"end\":{"),
    );
    remove(&s, "logs/a.jsonl");
    assert_eq!(staged(&s, "runlog-history").len(), 1);
    push(&s, 1);
}

#[test]
fn a_profile_alone_that_asks_for_less_is_named_where_logs_are_judged_by_it() {
    let s = own();
    s.write("own.json", PROFILE.replace("{\"file\":\"out.txt\"}", ""));
    assert_eq!(staged(&s, "gate-lowered").len(), 1);
    let said = push(&s, 0);
    assert!(said.contains("gate-lowered"), "{said}");
    // a profile that requires more is allowed, and older findings are not new
    s.write("own.json", PROFILE.replace("\"note\":{}", "\"note\":{\"once\":true}"));
    assert_eq!(staged(&s, "gate-lowered"), Vec::<String>::new());
    s.write("logs/a.jsonl", own_log() + &start(9, 2));
    s.commit("wrong already");
    s.write(
        "own.json",
        PROFILE.replace("\"note\":{}", "\"note\":{\"once\":true,\"fields\":{\"text\":{\"type\":\"string\"}}}"),
    );
    assert_eq!(staged(&s, "runlog-schema"), Vec::<String>::new());
}

#[test]
fn a_level_that_goes_down_is_named_in_a_repository_that_has_only_logs() {
    let s = served(&past(lines::index() + &lines::run_start()));
    config(&s, "\"rules\":{\"runlog-history\":\"off\"}");
    let [said] = &staged(&s, "gate-lowered")[..] else { panic!("one finding") };
    assert!(said.contains("runlog-history is lowered from error to off"), "{said}");
}

#[test]
fn a_merge_takes_over_what_the_other_side_did_and_pushed() {
    let s = served(&begun());
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("notes.txt", "x\n");
    s.commit("beside");
    s.git(&["checkout", "-q", "main"]);
    rename(&s, LOG, MOVED);
    push(&s, 0);
    s.git(&["checkout", "-q", "side"]);
    s.git(&["merge", "-q", "--no-edit", "main"]);
    s.git(&["checkout", "-q", "main"]);
    s.write("README.md", "y\n");
    push(&s, 0);
    s.git(&["merge", "-q", "--no-edit", "side"]);
    push(&s, 0);
}
