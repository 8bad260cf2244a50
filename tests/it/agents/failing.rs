//! `agent event` exits 0 whatever happens, with one whole answer or the neutral one, and at most one line about it.

use crate::support::harness::{MOVED, Session, measured};
use crate::support::{Said, Scratch, executable, fed, hermetic, one_node, program};
use serde_json::json;
use std::fs::OpenOptions;
use std::path::Path;
use std::process::Stdio;

fn neutral(said: &Said, out: &str, lines: usize) {
    assert_eq!((said.code, said.out.as_str()), (0, out), "{}", said.err);
    assert_eq!(said.err.lines().count(), lines, "{}", said.err);
}

fn stop(s: &Scratch) -> String {
    Session::new(s, "one").payload("Stop", json!({})).to_string()
}

/// A19.
#[test]
fn garbage_is_answered_neutrally() {
    let s = measured();
    let deep = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    let large = format!("{{\"hook_event_name\":\"Stop\",\"x\":\"{}\"}}", "x".repeat(20 << 20));
    let inputs =
        ["".into(), "\0".into(), "{".into(), "[1]".into(), "null".into(), "\u{feff}".into(), deep(10_000), large];
    for input in inputs {
        neutral(&fed(s.yatsu_command(&["agent", "event"]), &input), "", 0);
    }
    neutral(&fed(s.yatsu_command(&["agent", "event"]), b"{\"hook_event_name\":\"\xff\"}"), "", 0);
    neutral(&fed(s.yatsu_command(&["agent", "event", "--for", "cursor"]), "{"), "{}", 0);
    neutral(&fed(s.yatsu_command(&["agent", "event"]), deep(100)), "", 0);
}

#[test]
fn a_wrong_flag_is_no_order_to_block() {
    let s = measured();
    for args in [
        &["agent", "event", "--bogus"][..],
        &["agent", "event", "extra"],
        &["agent", "event", "--for", "none"],
        &["agent", "event", "--for"],
        &["--format", "xml", "agent", "event"],
        &["agent", "event", "--format", "json"],
        &["-q", "-v", "agent", "event"],
        &["-C", "/nonexistent", "agent", "event"],
    ] {
        neutral(&fed(s.yatsu_command(args), stop(&s)), "", 1);
    }
    let help = fed(s.yatsu_command(&["agent", "event", "--help"]), "").expect(0);
    assert!(help.out.contains("Always exits 0"), "{}", help.out);
    assert_eq!(fed(s.yatsu_command(&["agent", "events"]), "").code, 2, "another verb may be refused");
}

#[test]
fn where_nothing_is_to_judge_nothing_is_said_and_nothing_written() {
    let s = Scratch::new();
    s.write("a", "x");
    s.commit("plain");
    let start = |s: &Scratch, cwd: &Path| {
        Session::of(s, json!({"session_id": "one", "cwd": cwd})).payload("SessionStart", json!({})).to_string()
    };
    neutral(&fed(s.yatsu_command(&["agent", "event"]), start(&s, &s.root)), "", 0);
    neutral(&fed(s.yatsu_command(&["agent", "event"]), stop(&s)), "", 0);
    assert!(!s.root.join(".git/yatsu/agents").exists());
    s.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    for cwd in [s.base.join("bare.git"), s.base.join("home"), s.base.join("nowhere"), s.root.join("a")] {
        neutral(&fed(s.yatsu_command(&["agent", "event"]), start(&s, &cwd)), "", 0);
    }
    let used = measured();
    let off = |value: &str| {
        let mut command = used.yatsu_command(&["agent", "event"]);
        command.env("YATSU_HOOK", value);
        fed(command, start(&used, &used.root))
    };
    neutral(&off("0"), "", 0);
    assert_ne!(off("1").out, "");
    let mut cursor = used.yatsu_command(&["agent", "event"]);
    cursor.env("YATSU_HOOK", "0");
    neutral(&fed(cursor, r#"{"cursor_version":"1","hook_event_name":"sessionStart"}"#), "{}", 0);
}

/// A35.
#[test]
fn what_cannot_be_judged_is_neutral_with_one_line() {
    let s = measured();
    let session = Session::new(&s, "one");
    session.start();
    session.edit("src/a.rs", MOVED);
    s.write("spexcode.json", "{");
    let said = session.said(&session.payload("Stop", json!({})));
    neutral(&said, "", 1);
    assert!(said.err.starts_with("yatsu-hook: "), "{}", said.err);
    let cursor = Session::of(&s, json!({"session_id": "one", "cursor_version": "1"}));
    neutral(&cursor.said(&cursor.payload("stop", json!({}))), "{}", 1);
    s.write("spexcode.json", "{}");
    std::fs::write(s.root.join(".git/index"), "broken").expect("an index");
    neutral(&session.said(&session.payload("Stop", json!({}))), "", 1);
    s.git(&["read-tree", "HEAD"]);
    std::fs::write(s.root.join(".git/yatsu/claims.ndjson"), "broken\n").expect("a journal");
    neutral(&session.said(&session.payload("Stop", json!({}))), "", 1);
}

#[test]
fn an_answer_that_cannot_be_written_is_one_line() {
    let s = measured();
    let mut command = s.yatsu_command(&["agent", "event"]);
    let full = OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let start = Session::new(&s, "one").payload("SessionStart", json!({})).to_string();
    let mut child = command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().expect("a program");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), start.as_bytes()).expect("fed");
    neutral(&Said::of(child.wait_with_output().expect("an end")), "", 1);
}

#[test]
fn a_silent_harness_is_not_waited_for() {
    let s = measured();
    let mut command = s.yatsu_command(&["agent", "event"]);
    command.env_remove("YATSU_PATIENCE");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a program");
    let open = child.stdin.take();
    neutral(&Said::of(child.wait_with_output().expect("an end")), "", 0);
    drop(open);
}

mod needs_script {
    use super::*;

    #[test]
    #[ignore = "needs script"]
    fn a_terminal_is_not_waited_for() {
        let s = measured();
        let run = format!("'{}' agent event", program().display());
        let mut terminal = hermetic("script", &s.home());
        terminal.current_dir(&s.root).args(["-qec", &run, "/dev/null"]);
        neutral(&Said::of(terminal.output().expect("script runs")), "", 0);
    }
}

/// A18.
#[test]
fn a_program_that_is_missing_or_older_than_the_verb_blocks_nothing() {
    let s = one_node();
    let old = executable(&s.base.join("bin/yatsu-hook"), "#!/bin/sh\necho 'there is no verb agent' >&2\nexit 2\n");
    for dir in [old.parent().expect("a directory"), Path::new("/nonexistent")] {
        let mut shell = hermetic("/bin/sh", &s.home());
        shell.env("PATH", dir).current_dir(&s.root).args(["-c", "(yatsu-hook agent event || true)"]);
        let said = fed(shell, stop(&s));
        assert_eq!((said.code, said.out.as_str()), (0, ""), "{}", said.err);
    }
}
