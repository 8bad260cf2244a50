//! A git that hangs, floods, fails or has no answer: an error, never an empty answer.
#![allow(clippy::unwrap_used)] // helpers of tests

use super::fake;
use crate::support::real::{door, environment};
use crate::support::{Scratch, oid, path};
use std::fs;
use std::time::Duration;
use yatsu_hook::error::ErrorKind;
use yatsu_hook::repo::native::objects::ObjectStore;
use yatsu_hook::repo::program::{AttributeReader, Git, Limits, NewCommits, ProgramStore};
use yatsu_hook::tree::path::RepoPath;

#[test]
fn a_git_that_hangs_is_killed() {
    let scratch = Scratch::new();
    let limits = Limits { time: Duration::from_millis(100), ..Limits::default() };
    let git = fake(&scratch, "tail -f /dev/null & wait").with_limits(limits);
    let hangs = |error: yatsu_hook::error::Error| {
        assert!(error.kind == ErrorKind::Unchecked && error.message.contains("did not finish within 100ms"), "{error}");
    };
    hangs(git.hash_kind().unwrap_err());
    hangs(git.rev_list(&NewCommits { tips: vec![oid(&"1".repeat(40)); 9000], ..NewCommits::default() }).unwrap_err());
    hangs(ProgramStore::new(git.clone()).read(&oid(&"1".repeat(40))).unwrap_err());
    hangs(AttributeReader::new(git, vec!["text"]).of(&path("f")).unwrap_err());
}

#[test]
fn a_git_that_never_stops_talking_is_killed() {
    let scratch = Scratch::new();
    let limits = Limits { output: 1 << 20, ..Limits::default() };
    let talks = |error: yatsu_hook::error::Error| assert_eq!(error.kind, ErrorKind::Unchecked, "{error}");
    let git = fake(&scratch, "exec cat /dev/zero").with_limits(limits);
    let error = git.hash_kind().unwrap_err();
    assert!(error.message.contains("more than 1048576 bytes"), "{error}");
    talks(ProgramStore::new(git).read(&oid(&"1".repeat(40))).unwrap_err());
    talks(fake(&scratch, "head -c 100000000 /dev/zero >&2; exit 3").hash_kind().unwrap_err());
}

#[test]
fn a_git_that_fails_is_quoted() {
    let scratch = Scratch::new();
    let error = fake(&scratch, "echo 'fatal: \x1b[31mno' >&2; echo second >&2; exit 7").hash_kind().unwrap_err();
    assert_eq!(error.message, "git rev-parse failed with exit code 7: fatal: \x1b[31mno; second");
    let error = fake(&scratch, "echo gone >&2; exit 1").hash_kind().unwrap_err();
    assert!(error.message.contains("gone"));
    let error =
        ProgramStore::new(fake(&scratch, "echo fatal: gone >&2; exit 1")).read(&oid(&"1".repeat(40))).unwrap_err();
    assert!(error.message.contains("gone") || error.message.contains("stopped listening"), "{error}");
    let error = fake(&scratch, "echo \"fatal: detected dubious ownership in repository at '/x'\" >&2; exit 128")
        .index_entries()
        .unwrap_err();
    assert!(error.hints[0].starts_with("git config --global --add safe.directory "), "{error:?}");
}

#[test]
fn what_git_cannot_answer_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("f", "1");
    scratch.commit("one");
    let git = door(&scratch);
    let unknown = oid(&"1".repeat(40));
    assert_eq!(git.staged(Some(&unknown)).unwrap_err().kind, ErrorKind::Unchecked);
    assert!(git.rev_list(&NewCommits { tips: vec![unknown], ..NewCommits::default() }).is_err());
    let error = Git::locate(&environment(&scratch.home()), &scratch.base).unwrap().index_entries().unwrap_err();
    assert!(error.message.contains("not a git repository"), "{error}");
    fs::write(scratch.root.join(".git/index"), "DIRCjunk").unwrap();
    assert_eq!(git.index_entries().unwrap_err().kind, ErrorKind::Unchecked);
    assert_eq!(git.staged(None).unwrap_err().kind, ErrorKind::Unchecked);
}

#[test]
fn a_pipe_among_gits_files_does_not_hang_us() {
    let scratch = Scratch::new();
    scratch.write("f", "1");
    let status = std::process::Command::new("mkfifo").arg(scratch.root.join(".gitignore")).status().unwrap();
    assert!(status.success());
    let limits = Limits { time: Duration::from_millis(200), ..Limits::default() };
    let error = door(&scratch).with_limits(limits).untracked(&RepoPath::root()).unwrap_err();
    assert!(error.message.contains("did not finish") && error.hints[0].contains("named pipe"), "{error}");
}
