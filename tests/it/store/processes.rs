//! Several processes at once, and processes that die.

use super::driver::{LEDGER, command, prepare};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Output};

fn scratch() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    prepare(scratch.path());
    scratch
}

fn finish(child: Child) -> Output {
    child.wait_with_output().expect("it ends")
}

/// Starts a driver and waits until it prints `word`.
fn started(base: &Path, action: &str, word: &str) -> Child {
    let mut child = command(base, action).spawn().expect("a driver");
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    while line.trim() != word {
        line.clear();
        assert_ne!(out.read_line(&mut line).expect("readable"), 0, "it ended without saying {word}");
    }
    child
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("a signal");
}

/// Runs `writers` processes that append `count` lines of `size` bytes each, and counts the result.
fn concurrent(writers: usize, count: usize, size: usize) {
    let scratch = scratch();
    let action = |who: usize| format!("lines {who} {count} {size}");
    let children: Vec<_> =
        (0..writers).map(|who| command(scratch.path(), &action(who)).spawn().expect("a writer")).collect();
    for child in children {
        let output = finish(child);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = std::fs::read_to_string(scratch.path().join("work").join(LEDGER)).expect("a ledger");
    let id = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("a whole line");
        value["id"].as_str().expect("an id").to_owned()
    };
    let ids: BTreeSet<_> = text.lines().map(id).collect();
    assert_eq!((text.lines().count(), ids.len()), (writers * count, writers * count));
}

#[test]
fn g6_concurrent_writers_lose_tear_and_double_nothing() {
    // tests/durability.sh --full runs the whole size (50 x 200 of each) through these variables.
    let number =
        |name: &str, small: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(small);
    let (writers, count) = (number("YATSU_WRITERS", 8), number("YATSU_LINES", 10));
    for size in [100, 5_000, 60_000] {
        concurrent(writers, count, size);
    }
}

#[test]
fn g7_a_killed_holder_blocks_nobody() {
    let scratch = scratch();
    let mut holder = started(scratch.path(), "hold", "held");
    signal(&holder, Signal::KILL);
    holder.wait().expect("it ends");
    let next = finish(command(scratch.path(), "wait 60000").spawn().expect("the next"));
    assert!(next.status.success(), "{}", String::from_utf8_lossy(&next.stderr));
}

#[test]
fn g8_a_stopped_holder_gives_a_timeout_that_names_it() {
    let scratch = scratch();
    let mut holder = started(scratch.path(), "hold", "held");
    signal(&holder, Signal::STOP);
    let next = finish(command(scratch.path(), "wait 50").spawn().expect("the next"));
    assert!(!next.status.success());
    let said = String::from_utf8_lossy(&next.stderr).into_owned();
    assert!(said.contains(&format!("held by process {}", holder.id())), "{said}");
    assert!(said.contains(&format!("kill -CONT {}", holder.id())), "{said}");
    signal(&holder, Signal::CONT);
    drop(holder.stdin.take());
    holder.wait().expect("it ends");
    assert!(finish(command(scratch.path(), "wait 60000").spawn().expect("the next")).status.success());
}

#[test]
fn g18_a_signal_removes_the_temporary_file_and_frees_the_locks() {
    for number in [Signal::INT, Signal::TERM, Signal::HUP].into_iter().filter(|number| is_heard(*number)) {
        let scratch = scratch();
        let mut child = started(scratch.path(), "stage", "staged");
        // a driver might end with its input before the signal reaches it
        let _open = child.stdin.take();
        let blobs = scratch.path().join("git/spexcode/yatsu-blobs");
        assert_eq!(std::fs::read_dir(&blobs).expect("the cache").count(), 1);
        signal(&child, number);
        assert_eq!(finish(child).status.signal(), Some(number.as_raw()));
        assert_eq!(std::fs::read_dir(&blobs).expect("the cache").count(), 0);
        assert!(finish(command(scratch.path(), "wait 60000").spawn().expect("the next")).status.success());
    }
}

/// Whether this process, and so its children, receives a signal: the tests may have been started with it ignored.
fn is_heard(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a mask");
    u64::from_str_radix(mask.trim(), 16).expect("hex") & (1 << (signal.as_raw() - 1)) == 0
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let scratch = scratch();
    let direct = command(scratch.path(), "stage");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(direct.get_program()).args(direct.get_args());
    shell.envs(direct.get_envs().filter_map(|(key, value)| Some((key, value?))));
    shell.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = shell.spawn().expect("a driver");
    let mut out = BufReader::new(child.stdout.take().expect("its output")).lines();
    assert!(out.any(|line| line.expect("readable") == "staged"));
    signal(&child, Signal::HUP);
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
}
