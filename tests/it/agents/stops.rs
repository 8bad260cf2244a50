//! The stop door: when it asks, and when it must not.

use crate::support::harness::{
    MOVED, Session, context, measured, message, question, touch_earlier, touch_later, write_by_another,
};
use crate::support::{Scratch, fed, held_off, reading, scenarios};
use serde_json::json;
use std::fs;
use std::process::Stdio;

const ASKED: &str = "`src/a.rs` moved: `board/works` was fresh; first git commit, then measure it\n  \
                     then: yatsu-hook eval .spec/board --scenario=works (--pass or --fail)";

/// Claude Code's session, started, in which the agent moved the governed file.
fn moved(s: &Scratch) -> Session<'_> {
    let session = Session::new(s, "one");
    session.start();
    session.edit("src/a.rs", MOVED);
    session
}

/// A second node, `list`, with a fresh reading of `src/c.rs`.
fn two_measured() -> Scratch {
    let s = measured();
    s.write(".spec/list/yatsu.md", scenarios(&[("sorts", "src/c.rs")]));
    s.write("src/c.rs", "fn c() {}\n");
    s.commit("more");
    reading(&s, ".spec/list", "sorts", "pass", 2);
    s.commit("measured");
    s
}

#[test]
fn a_stop_asks_to_measure_what_the_session_moved() {
    let s = measured();
    assert_eq!(question(&moved(&s).stop()), ASKED);
}

/// What was measured moved, whatever the list says now, and so did the test.
#[test]
fn a_stop_asks_also_if_the_moved_file_left_the_list_or_is_the_test() {
    let s = measured();
    s.write("src/b.rs", "fn b() {}\n");
    s.write("tests/t.sh", "exit 1\n");
    let list = |code: &str| scenarios(&[("works", code)]).replace("    code:", "    test: tests/t.sh\n    code:");
    s.write(".spec/board/yatsu.md", list("src/a.rs"));
    s.commit("a test");
    s.yatsu(&["eval", "board", "--pass"]).expect(0);
    s.commit("measured");
    let session = Session::new(&s, "one");
    session.start();
    session.edit("src/a.rs", MOVED);
    session.edit(".spec/board/yatsu.md", &list("src/b.rs"));
    let asked = question(&session.stop());
    assert!(asked.contains("`src/a.rs` moved: `board/works` was fresh"), "{asked}");
    s.git(&["checkout", "-q", "."]);
    let session = Session::new(&s, "two");
    session.start();
    let told = context(&session.edit("tests/t.sh", "exit 0\n"));
    assert!(told.contains("`board/works`"), "{told}");
    let asked = question(&session.stop());
    assert!(asked.contains("`tests/t.sh` moved: `board/works` was fresh"), "{asked}");
}

/// A2.
#[test]
fn a_second_stop_is_not_asked_and_a_later_scenario_is_told_once() {
    let s = two_measured();
    let session = moved(&s);
    assert_eq!(question(&session.stop()), ASKED);
    assert_eq!(session.stop(), "");
    session.edit("src/c.rs", "fn c() { moved() }\n");
    let answer = session.stop();
    assert_eq!(question(&answer), "");
    assert!(message(&answer).starts_with("`src/c.rs` moved: `list/sorts` was fresh"), "{answer}");
    assert_eq!(session.stop(), "", "once");
    assert_eq!(question(&Session::new(&s, "two").stop()), "", "another session did nothing");
}

/// Claude Code's stop after a question always says that a hook held it up.
#[test]
fn a_stop_that_goes_on_after_the_question_is_told_of_what_moved_meanwhile() {
    let s = two_measured();
    let session = moved(&s);
    assert_eq!(question(&session.stop()), ASKED);
    session.edit("src/c.rs", "fn c() { moved() }\n");
    let answer = session.event("Stop", json!({"stop_hook_active": true}));
    assert!(message(&answer).starts_with("`src/c.rs` moved: `list/sorts` was fresh"), "{answer}");
}

/// A pull rewords a scenario, and the session then edits another part of the same file.
#[test]
fn a_text_that_a_pull_reworded_asks_for_nothing() {
    let s = measured();
    s.git(&["clone", "-q", ".", "../other"]);
    s.git(&["remote", "add", "origin", "../other"]);
    let session = Session::new(&s, "one");
    session.start();
    let reworded = s.read(".spec/board/yatsu.md").replace("expected: works works", "expected: works well");
    s.write("../other/.spec/board/yatsu.md", &reworded);
    s.git(&["-C", "../other", "commit", "-q", "-a", "-m", "reworded"]);
    s.git(&["pull", "-q", "--ff-only", "origin", "main"]);
    session.edit(".spec/board/yatsu.md", &reworded.replace("tags: [cli]", "tags: [cli] # one"));
    assert_eq!(question(&session.stop()), "");
    session.edit(".spec/board/yatsu.md", &reworded.replace("works well", "works best"));
    assert_ne!(question(&session.stop()), "");
}

/// The list of a node grows after the edit of the file: code first, then its declaration.
#[test]
fn a_file_that_is_governed_only_after_its_edit_is_asked_for() {
    for by_event in [true, false] {
        let s = measured();
        s.yatsu(&["scan"]);
        let session = Session::new(&s, "one");
        session.start();
        assert_eq!(session.edit("src/b.rs", "fn b() { moved() }\n"), "");
        assert_eq!(session.stop(), "", "nothing governed moved");
        s.write(".spec/board/yatsu.md", scenarios(&[("works", "src/a.rs, src/b.rs")]));
        if by_event {
            session.edited(".spec/board/yatsu.md");
        }
        assert!(question(&session.stop()).starts_with("`src/b.rs` moved: `board/works` was fresh"), "{by_event}");
    }
}

/// A2, in another work tree of the repository.
#[test]
fn a_session_that_was_asked_in_one_work_tree_is_not_asked_in_another() {
    let s = measured();
    assert_ne!(question(&moved(&s).stop()), "");
    s.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let side = s.base.join("side").display().to_string();
    let session = Session::of(&s, json!({"session_id": "one", "cwd": side}));
    session.start();
    s.write("../side/src/a.rs", MOVED);
    session.tool("Edit", json!({"file_path": "src/a.rs"}), json!({}));
    let answer = session.stop();
    assert_eq!(question(&answer), "");
    assert_ne!(message(&answer), "");
}

/// A3.
#[test]
fn a_stop_that_was_held_up_or_broken_off_is_not_asked() {
    let s = measured();
    let session = moved(&s);
    assert_eq!(session.event("Stop", json!({"stop_hook_active": true})), "");
    let cursor = Session::of(&s, json!({"session_id": "one", "cursor_version": "1"}));
    for fields in [json!({"loop_count": 1}), json!({"status": "aborted"}), json!({"status": "error", "loop_count": 0})]
    {
        assert_eq!(cursor.event("stop", fields.clone()), "{}", "{fields}");
    }
    assert_ne!(question(&session.stop()), "", "the question was left");
}

/// A4.
#[test]
fn what_cannot_be_remembered_is_not_asked() {
    let s = measured();
    let session = moved(&s);
    let dir = s.root.join(".git/yatsu/agents");
    let file = fs::read_dir(&dir).expect("memories").next().expect("one").expect("a file").path();
    // a full disk: no file of this process may grow
    let run = format!("ulimit -f 0; exec '{}' agent event", crate::support::program().display());
    let mut command = crate::support::hermetic("sh", &s.home());
    command.current_dir(&s.root).args(["-c", &run]);
    let said = fed(command, session.payload("Stop", json!({})).to_string()).expect(0);
    assert_eq!((said.out.as_str(), said.err.lines().count()), ("", 1), "{}", said.err);
    // a directory in the place of the memory
    let memory = fs::read(&file).expect("a memory");
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("a directory");
    let said = session.said(&session.payload("Stop", json!({})));
    assert_eq!((said.out.as_str(), said.err.lines().count()), ("", 1), "{}", said.err);
    fs::remove_dir(&file).expect("removed");
    fs::write(&file, memory).expect("a memory");
    assert_ne!(question(&session.stop()), "", "asked when it can be remembered");
}

/// A4: a directory that the user may not write.
#[test]
fn a_directory_without_the_right_to_write_asks_for_nothing() {
    let s = measured();
    let session = moved(&s);
    use std::os::unix::fs::PermissionsExt;
    let set = |mode| fs::set_permissions(s.root.join(".git/yatsu/agents"), fs::Permissions::from_mode(mode));
    set(0o555).expect("a mode");
    let (command, event) = (s.yatsu_command(&["agent", "event"]), session.payload("Stop", json!({})).to_string());
    let said = held_off(|| fed(command, event));
    set(0o755).expect("a mode");
    assert!(!said.out.contains("decision") && said.code == 0, "{said:?}");
}

/// A5.
#[test]
fn of_many_stops_at_once_one_asks() {
    let s = measured();
    let session = moved(&s);
    let payload = session.payload("Stop", json!({})).to_string();
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut command = s.yatsu_command(&["agent", "event"]);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a program");
            std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), payload.as_bytes()).expect("fed");
            child
        })
        .collect();
    let answers = children.into_iter().map(|child| child.wait_with_output().expect("an end").stdout);
    let answers: Vec<_> = answers.filter(|answer| !answer.is_empty()).collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
}

/// A6.
#[test]
fn an_ungoverned_file_asks_for_nothing() {
    let s = measured();
    let session = Session::new(&s, "one");
    session.start();
    for path in ["src/b.rs", "new.txt", "../outside.txt", ".spec/board/yatsu.md", "spexcode.json"] {
        if !path.contains("yatsu") && !path.contains("spex") {
            s.write(path, "moved\n");
        }
        assert_eq!(session.edited(path), "", "{path}");
    }
    assert_eq!(session.stop(), "");
    session.ran("touch src/b.rs");
    assert_eq!(session.stop(), "");
}

/// A7.
#[test]
fn a_pull_asks_for_nothing() {
    let s = measured();
    s.git(&["clone", "-q", "--bare", ".", "../hub.git"]);
    s.git(&["remote", "add", "origin", "../hub.git"]);
    s.git(&["fetch", "-q", "origin"]);
    s.git(&["branch", "-q", "--set-upstream-to=origin/main"]);
    s.git(&["clone", "-q", "../hub.git", "../other"]);
    s.write("../other/src/a.rs", MOVED);
    s.git(&["-C", "../other", "commit", "-q", "-a", "-m", "moved"]);
    s.git(&["-C", "../other", "push", "-q", "origin", "HEAD:main"]);
    let session = Session::new(&s, "one");
    session.start();
    s.git(&["pull", "-q", "--ff-only", "origin", "main"]);
    session.ran("git pull");
    assert_eq!(session.stop(), "");
    session.edit("src/a.rs", "fn a() { moved_again() }\n");
    assert_ne!(question(&session.stop()), "", "and an edit after it asks");
}

/// A8.
#[test]
fn an_edit_that_is_taken_back_asks_for_nothing() {
    let s = measured();
    let session = moved(&s);
    session.edit("src/a.rs", "fn a() {}\n");
    assert_eq!(session.stop(), "");
}

/// A8, of a file that was dirty at the start and stale already.
#[test]
fn what_was_stale_before_asks_for_nothing_even_if_it_moves() {
    let s = measured();
    s.write("src/a.rs", MOVED);
    let session = Session::new(&s, "one");
    assert!(context(&session.start()).contains("1 stale"));
    session.edit("src/a.rs", "fn a() { moved_more() }\n");
    assert_eq!(session.stop(), "");
}

/// A9.
#[test]
fn a_fresh_fail_asks_for_nothing() {
    let s = measured();
    let session = moved(&s);
    s.yatsu(&["eval", "board/works", "--fail", "--note", "broken"]).expect(0);
    assert_eq!(session.stop(), "");
}

/// A10.
#[test]
fn a_session_that_is_seen_late_is_compared_with_head() {
    let s = measured();
    let session = Session::new(&s, "one");
    session.edit("src/a.rs", MOVED);
    assert_eq!(question(&session.stop()), ASKED);
    let late = Session::new(&s, "two");
    assert_eq!(late.stop(), "", "a stop is its first event");
    late.edited("src/a.rs");
    assert_ne!(question(&late.stop()), "");
}

/// A11.
#[test]
fn a_compacted_session_keeps_its_base_and_is_told_again() {
    let s = measured();
    let session = Session::new(&s, "one");
    session.start();
    assert_ne!(session.edit("src/a.rs", MOVED), "");
    assert_eq!(session.edited("src/a.rs"), "", "told");
    for source in ["compact", "clear"] {
        // at once: the source belongs to the event
        let answer = session.event("SessionStart", json!({"source": source}));
        assert!(context(&answer).contains("`board/works` is stale"), "{answer}");
        // the harness may run two files of hooks: the same event within ten seconds is answered once
        assert_eq!(session.event("SessionStart", json!({"source": source})), "");
        assert_ne!(session.edited("src/a.rs"), "", "told again");
    }
    assert_eq!(question(&session.stop()), ASKED, "the base did not move");
}

/// Lets the last answers of every session be older than the ten seconds.
pub(super) fn forget_answers(s: &Scratch) {
    let dir = s.root.join(".git/yatsu/agents");
    for file in fs::read_dir(dir).expect("memories").map(|file| file.expect("a file").path()) {
        let mut memory: serde_json::Value =
            serde_json::from_slice(&fs::read(&file).expect("a memory")).expect("a memory");
        for of in memory["worktrees"].as_object_mut().expect("work trees").values_mut() {
            of["answered"] = json!([]);
        }
        fs::write(&file, memory.to_string()).expect("written");
    }
}

/// A15.
#[test]
fn another_sessions_edit_asks_for_nothing_until_the_session_touches_the_path() {
    let s = measured();
    let (one, two) = (Session::new(&s, "one"), Session::new(&s, "two"));
    one.start();
    two.start();
    write_by_another(&s, "src/a.rs", MOVED);
    two.edited("src/a.rs");
    assert_eq!(one.stop(), "");
    one.ran("cargo build");
    assert_eq!(one.stop(), "", "the file is younger than the command");
    assert_eq!(question(&two.stop()), ASKED);
    s.write("src/a.rs", "fn a() { by_a_command() }\n");
    one.ran("sed -i s/moved/by_a_command/ src/a.rs");
    assert_eq!(question(&one.stop()), ASKED);
}

#[test]
fn a_deleted_file_and_a_moved_text_ask_too() {
    let s = measured();
    let session = Session::new(&s, "one");
    session.start();
    fs::remove_file(s.root.join("src/a.rs")).expect("removed");
    session.ran("rm src/a.rs");
    assert!(question(&session.stop()).starts_with("`src/a.rs` moved"));
    let s = measured();
    let session = Session::new(&s, "one");
    session.start();
    let text = s.read(".spec/board/yatsu.md").replace("works works", "works twice");
    touch_later(&s, "src/a.rs");
    assert_eq!(session.edit(".spec/board/yatsu.md", &text), "", "a file of a node");
    let asked = question(&session.stop());
    assert!(asked.starts_with("`.spec/board/yatsu.md` moved: `board/works` was fresh"), "{asked}");
}

#[test]
fn a_required_scenario_is_asked_for_even_if_it_was_never_measured() {
    let s = measured();
    s.write(".spec/list/yatsu.md", scenarios(&[("sorts", "src/b.rs")]));
    s.write("spexcode.json", r#"{"yatsu": {"agents": {"require": ["cli"]}}}"#);
    s.commit("required");
    let session = Session::new(&s, "one");
    session.start();
    assert_eq!(session.stop(), "", "nothing was touched");
    session.edit("src/b.rs", "fn b() { moved() }\n");
    let asked = question(&session.stop());
    assert!(asked.starts_with("`src/b.rs` moved: `list/sorts` is required"), "{asked}");
}

#[test]
fn the_configuration_says_whether_a_stop_asks_says_or_is_silent() {
    for (stop, asks, says) in
        [("block", true, false), ("say", false, true), ("off", false, false), ("bad", true, false)]
    {
        let s = measured();
        s.write("spexcode.json", format!(r#"{{"yatsu": {{"agents": {{"stop": "{stop}"}}}}}}"#));
        let answer = moved(&s).stop();
        assert_eq!((!question(&answer).is_empty(), !message(&answer).is_empty()), (asks, says), "{stop}: {answer}");
    }
}

#[test]
fn a_scenario_that_another_session_measures_is_not_asked_for() {
    let s = measured();
    s.yatsu(&["claim", "take", "board", "--scenario", "works", "--as", "Bob", "--session", "two"]).expect(0);
    assert_eq!(moved(&s).stop(), "");
    let two = Session::new(&s, "two");
    two.edited("src/a.rs");
    let asked = question(&two.stop());
    assert!(asked.contains(" --claim \"$YATSU_CLAIM\""), "{asked}");
    assert!(asked.contains("this session claims `.spec/board/works`"), "{asked}");
}

/// A directory knows the time of its last change alone.
#[test]
fn a_deleted_file_is_not_forgotten_when_its_directory_changes_again() {
    let s = measured();
    let session = Session::new(&s, "one");
    session.start();
    fs::remove_file(s.root.join("src/a.rs")).expect("removed");
    session.ran("rm src/a.rs");
    session.edit("src/other.txt", "x\n");
    touch_later(&s, "src");
    assert!(question(&session.stop()).starts_with("`src/a.rs` moved: `board/works` was fresh; first git commit"));
}

/// The files below a renamed directory keep their times.
#[test]
fn a_directory_that_takes_the_place_of_another_one_is_touched() {
    let s = measured();
    s.write("new/a.rs", MOVED);
    touch_earlier(&s, "new/a.rs");
    touch_earlier(&s, "new");
    let session = Session::new(&s, "one");
    session.start();
    fs::rename(s.root.join("src"), s.root.join("old")).expect("renamed");
    fs::rename(s.root.join("new"), s.root.join("src")).expect("renamed");
    session.ran("mv src old; mv new src");
    assert!(question(&session.stop()).starts_with("`src/a.rs` moved"));
}

/// No reading names the files of such a test: its path cannot stand in a stamp.
#[test]
fn an_edit_and_a_stop_see_the_test_that_has_no_stamp() {
    let s = measured();
    s.write("c#/t.sh", "exit 1\n");
    let file = scenarios(&[("works", "src/a.rs")]).replace("    code:", "    test: \"c#/t.sh\"\n    code:");
    s.write(".spec/board/yatsu.md", file);
    s.commit("a test");
    s.yatsu(&["eval", "board", "--pass"]).expect(0);
    s.commit("measured");
    let session = Session::new(&s, "one");
    session.start();
    let told = context(&session.edit("c#/t.sh", "exit 0\n"));
    assert!(told.contains("`board/works`"), "{told}");
    let asked = question(&session.stop());
    assert!(asked.contains("moved: `board/works` was fresh"), "{asked}");
    // what was dirty when the session began is not the session's
    let session = Session::new(&s, "two");
    session.start();
    assert_eq!(question(&session.stop()), "");
}
