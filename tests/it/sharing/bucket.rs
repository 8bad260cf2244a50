//! Work on a bucket: the hook leaves it to `yatsu-hook-cloud`, the same program with the feature `cloud`, which tests/cloud.rs
//! asks.

use super::Two;
use super::ended::{is_running, wait_for};
use crate::support::{Said, copy_executable, executable, fed, hermetic, program};
use std::fs;
use std::process::Command;

/// Runs a copy of the program in the directory of the fake, which is looked for there first. The directory of the program
/// itself may have a real `yatsu-hook-cloud`.
fn yatsu(two: &Two, args: &[&str], input: &str) -> Said {
    fed(command(two, args), input)
}

fn command(two: &Two, args: &[&str]) -> Command {
    let copy = two.a.base.join("bin/yatsu-hook");
    if !copy.exists() {
        copy_executable(&program(), &copy);
    }
    let mut command = hermetic(copy, &two.a.home());
    command.current_dir(&two.a.root).args(args);
    command
}

/// A clone that shares through a bucket, and a fake of `yatsu-hook-cloud` of this version, which then runs `text`.
fn faked(text: &str) -> Two {
    let two = Two::new();
    two.file("renders", "it rendered\n");
    two.a.git(&["config", "yatsu.share", "s3://evidence"]);
    let version = env!("CARGO_PKG_VERSION");
    let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && exec echo 'yatsu-hook {version}+cloud'\n{text}\n");
    executable(&two.a.base.join("bin/yatsu-hook-cloud"), &script);
    two
}

#[test]
fn the_other_program_gets_the_same_arguments_and_its_exit_code_is_ours() {
    let two = faked("echo \"$@\"; exit 7");
    for args in [
        &["share", "push", "--all"][..],
        &["--format", "json", "share", "check", "--deep"],
        &["share", "get"],
        &["share", "drop", "1a2b3c4d", "--reason", "it shows a token"],
        &["share", "prune", "--before", "2020-01"],
        &["share", "on", "gs://other/x", "--dry-run"],
        &["clean", "--shared", "--dry-run"],
    ] {
        assert_eq!(yatsu(&two, args, "").expect(7).out, format!("{}\n", args.join(" ")));
    }
    // these need no connection
    for args in [&["share"][..], &["clean", "--dry-run"], &["share", "on", "--dry-run"], &["share", "off"]] {
        yatsu(&two, args, "").expect(0);
    }
}

#[test]
fn another_version_and_a_missing_program_are_refused() {
    let two = faked("exit 0");
    for args in [&["share", "push"][..], &["clean", "--shared"]] {
        executable(&two.a.base.join("bin/yatsu-hook-cloud"), "#!/bin/sh\necho yatsu-hook 0.0.1+cloud\n");
        let said = yatsu(&two, args, "").expect(3);
        assert!(said.err.contains("another version") && said.err.contains("update both"), "{}", said.err);
        fs::remove_file(two.a.base.join("bin/yatsu-hook-cloud")).expect("removed");
        let said = yatsu(&two, args, "").expect(3);
        assert!(said.err.contains("is not installed"), "{}", said.err);
    }
}

fn push(two: &Two) -> Said {
    pushed(two, |_| {})
}

/// A push whose hook runs in this environment.
fn pushed(two: &Two, prepare: impl FnOnce(&mut Command)) -> Said {
    two.a.git(&["config", "yatsu.share.onpush", "true"]);
    let head = two.a.git(&["rev-parse", "HEAD"]);
    let input = format!("refs/heads/main {head} refs/heads/main {}\n", "0".repeat(40));
    let mut hook = command(two, &["pre-push", "origin", "../server.git"]);
    prepare(&mut hook);
    fed(hook, input).expect(0)
}

#[test]
fn a_push_sends_through_the_other_program_and_goes_on_whatever_that_does() {
    let two = faked("echo \"$@\" >&2; exit 0");
    let said = push(&two);
    let head = two.a.git(&["rev-parse", "HEAD"]);
    assert!(said.err.contains(&format!("-C . share push --tip {head}\n")), "{}", said.err);
    assert!(!said.err.contains("not sent"), "{}", said.err);
    let two = faked("exit 2");
    assert!(push(&two).err.contains("evidence was not sent: yatsu-hook-cloud"), "{}", push(&two).err);
}

#[test]
fn a_push_ends_the_other_program_when_its_time_is_over() {
    // waits for a writer of the fifo that never comes
    let two = faked("mkfifo \"$0.fifo\"; echo $$ >\"$0.pid\"; exec cat \"$0.fifo\"");
    let said = pushed(&two, |hook| {
        hook.env_remove("YATSU_PATIENCE");
    });
    assert!(said.err.contains("evidence was not sent within 10 s"), "{}", said.err);
    let pid = fs::read_to_string(two.a.base.join("bin/yatsu-hook-cloud.pid")).expect("it was started");
    // killed, but the system may need a moment to end it
    wait_for("the end of the other program", || !is_running(pid.trim()));
}
