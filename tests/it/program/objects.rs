//! Objects: every kind and size, missing, damaged, too large, and objects of a partial clone.
#![allow(clippy::unwrap_used)] // helpers of tests

use super::fake;
use crate::support::real::{door, environment};
use crate::support::{Scratch, oid};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use yatsu_hook::error::ErrorKind;
use yatsu_hook::repo::native::objects::{ObjectKind, ObjectStore};
use yatsu_hook::repo::program::{Git, Limits, ProgramStore};

#[test]
fn objects_of_every_kind_and_size() {
    let scratch = Scratch::new();
    let large = "line\n".repeat(100_000);
    scratch.write("large", &large);
    scratch.write("empty", "");
    scratch.commit("one");
    scratch.git(&["tag", "-a", "v", "-m", "v"]);
    let store = ProgramStore::new(door(&scratch));
    let id = |revision: &str| oid(&scratch.git(&["rev-parse", revision]));
    for (revision, kind) in [
        ("HEAD", ObjectKind::Commit),
        ("HEAD^{tree}", ObjectKind::Tree),
        ("v", ObjectKind::Tag),
        ("HEAD:empty", ObjectKind::Blob),
    ] {
        let object = store.read(&id(revision)).unwrap().unwrap();
        assert_eq!((object.kind, object.data.len() as u64), store.header(&id(revision)).unwrap().unwrap());
        assert_eq!(object.kind, kind);
    }
    assert_eq!(store.read(&id("HEAD:large")).unwrap().unwrap().data, large.as_bytes());
    assert_eq!(store.read(&oid(&"1".repeat(40))).unwrap(), None);
    assert_eq!(store.header(&oid(&"1".repeat(40))).unwrap(), None);
    assert!(store.read(&id("HEAD:empty")).unwrap().unwrap().data.is_empty(), "still in step after a missing object");
}

#[test]
fn an_object_over_the_cap_is_an_error_and_the_next_is_read() {
    let scratch = Scratch::new();
    scratch.write("large", "x".repeat(5000));
    scratch.write("small", "y");
    scratch.commit("one");
    let limits = Limits { output: 1000, ..Limits::default() };
    let store = ProgramStore::new(door(&scratch).with_limits(limits));
    let error = store.read(&oid(&scratch.git(&["rev-parse", "HEAD:large"]))).unwrap_err();
    assert!(error.kind == ErrorKind::Unchecked && error.message.contains("5000"), "{error}");
    let small = oid(&scratch.git(&["rev-parse", "HEAD:small"]));
    assert_eq!(store.read(&small).unwrap().unwrap().data, b"y");
}

#[test]
fn a_damaged_object_is_not_a_missing_one() {
    let scratch = Scratch::new();
    scratch.write("f", "content");
    scratch.write("g", "other");
    scratch.commit("one");
    let id = scratch.git(&["rev-parse", "HEAD:f"]);
    let file = scratch.root.join(".git/objects").join(&id[..2]).join(&id[2..]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&file, "junk").unwrap();
    let store = ProgramStore::new(door(&scratch));
    for error in [store.read(&oid(&id)).unwrap_err(), store.header(&oid(&id)).unwrap_err()] {
        assert_eq!(error.kind, ErrorKind::Unchecked);
        assert!(error.message.contains("inflate") && !error.hints.is_empty(), "{error}");
    }
    assert!(store.read(&oid(&scratch.git(&["rev-parse", "HEAD:g"]))).unwrap().is_some());
}

#[test]
fn what_git_says_of_a_damaged_object_is_never_taken_for_its_content() {
    let scratch = Scratch::new();
    let place = |id: &str| scratch.root.join(".git/objects").join(&id[..2]).join(&id[2..]);
    // git first prints kind and size, and its error message has one of these lengths: an object of exactly that size
    // must not be taken for the error
    let sizes: Vec<usize> = (50..=80).chain(100..=200).collect();
    for size in &sizes {
        scratch.write(&format!("f{size}"), "x".repeat(*size));
    }
    scratch.git(&["-c", "core.looseCompression=0", "add", "-A"]);
    for size in sizes {
        let id = scratch.git(&["rev-parse", &format!(":f{size}")]);
        let whole = fs::read(place(&id)).unwrap();
        fs::remove_file(place(&id)).unwrap();
        fs::write(place(&id), &whole[..whole.len() - 8]).unwrap();
        let error = ProgramStore::new(door(&scratch)).read(&oid(&id)).unwrap_err();
        assert!(error.kind == ErrorKind::Unchecked && error.hints.iter().any(|hint| hint.contains("fsck")), "{error}");
    }
    scratch.write("honest", "error: what somebody wrote\n");
    scratch.git(&["add", "honest"]);
    let honest = oid(&scratch.git(&["rev-parse", ":honest"]));
    let read = ProgramStore::new(door(&scratch)).read(&honest).unwrap().unwrap();
    assert_eq!(read.data, b"error: what somebody wrote\n");
}

#[test]
fn a_partial_clone_fetches_nothing() {
    let scratch = Scratch::new();
    scratch.write("f", "content");
    scratch.commit("one");
    scratch.git(&["config", "uploadpack.allowFilter", "true"]);
    let blob = oid(&scratch.git(&["rev-parse", "HEAD:f"]));
    let url = format!("file://{}", scratch.root.display());
    scratch.git(&["clone", "-q", "--no-checkout", "--filter=blob:none", &url, "../partial"]);
    let dir = scratch.base.join("partial");
    let canary = scratch.base.join("canary");
    let upload = format!("touch '{}'; git-upload-pack", canary.display());
    scratch.git(&["-C", "../partial", "config", "remote.origin.uploadpack", &upload]);
    let git = Git::locate(&environment(&scratch.home()), &dir).unwrap();
    let store = ProgramStore::new(git.clone());
    assert_eq!(store.read(&blob).unwrap(), None);
    assert_eq!(store.header(&blob).unwrap(), None);
    assert!(store.read(&git.rev_parse("HEAD^{tree}").unwrap().unwrap()).unwrap().is_some());
    assert!(!canary.exists(), "no transport was started");
    scratch.git(&["-C", "../partial", "cat-file", "-e", &blob.to_string()]);
    assert!(canary.exists(), "a git without our precautions starts it");
}

#[test]
fn an_object_that_git_may_not_fetch_is_missing_in_the_words_of_every_git() {
    let scratch = Scratch::new();
    let id = oid(&"1".repeat(40));
    let store = |answer: &str| ProgramStore::new(fake(&scratch, &format!("while read -r id; do {answer}; done")));
    let denied = "echo \"fatal: transport 'file' not allowed\" >&2";
    let unfetched = "echo \"fatal: could not fetch $id from promisor remote\" >&2; exit 128";
    for answer in [
        "echo \"$id missing\"",
        &format!("{denied}; echo \"$id missing\""),
        &format!("echo 'warning: lazy fetching disabled; some objects may not be available' >&2; {unfetched}"),
        &format!("{denied}; {unfetched}"),
    ] {
        let store = store(answer);
        for _ in 0..2 {
            assert_eq!((store.read(&id).unwrap(), store.header(&id).unwrap()), (None, None), "{answer}");
        }
    }
    for answer in [
        "exit 128",
        "echo 'fatal: could not fetch 2222 from promisor remote' >&2; exit 128",
        "echo 'error: inflate: data stream error' >&2; echo \"$id missing\"",
        &format!("{denied}; echo 'error: inflate: data stream error' >&2; echo \"$id missing\""),
    ] {
        assert_eq!(store(answer).read(&id).unwrap_err().kind, ErrorKind::Unchecked, "{answer}");
    }
}
