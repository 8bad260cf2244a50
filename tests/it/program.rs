//! The git program as a way of reading: its answers against git's own, and what a hostile repository or PATH can do.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::support::{Scratch, executable, hermetic};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use yatsu_hook::error::ErrorKind;
use yatsu_hook::repo::native::objects::{ObjectKind, ObjectStore};
use yatsu_hook::repo::program::{AttributeReader, AttributeValue, Git, Limits, NewCommits, ProgramStore};
use yatsu_hook::tree::oid::{HashKind, Oid};
use yatsu_hook::tree::path::RepoPath;

/// The hermetic environment as data.
pub(crate) fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    let command = hermetic("git", home);
    command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect()
}

/// The door to git for a scratch repository.
pub(crate) fn door(scratch: &Scratch) -> Git {
    Git::locate(&environment(&scratch.home()), &scratch.root).expect("git")
}

pub(crate) fn oid(hex: &str) -> Oid {
    Oid::from_hex(hex.as_bytes()).expect("an id")
}

pub(crate) fn path(text: &str) -> RepoPath {
    RepoPath::parse(text.as_bytes()).expect("a path")
}

fn script(file: &Path, text: &str) {
    executable(file, &format!("#!/bin/sh\n{text}\n"));
}

/// A door to a program that only claims to be git.
fn fake(scratch: &Scratch, text: &str) -> Git {
    let bin = scratch.base.join("bin");
    script(&bin.join("git"), text);
    let mut environment = environment(&scratch.home());
    environment.retain(|(name, _)| name != "PATH");
    environment.push(("PATH".into(), format!("{}:/usr/bin:/bin", bin.display()).into()));
    Git::locate(&environment, &scratch.root).expect("a fake git")
}

/// Status letter and path of every staged change.
fn staged(git: &Git, base: Option<&Oid>) -> Vec<String> {
    let letter = |change: &yatsu_hook::repo::change::PathChange| match (&change.old, &change.new) {
        _ if change.unmerged => 'U',
        (None, _) => 'A',
        (_, None) => 'D',
        _ => 'M',
    };
    let changes = git.staged(base).expect("staged changes");
    changes.iter().map(|change| format!("{} {}", letter(change), change.path)).collect()
}

#[test]
fn staged_changes_of_every_sort() {
    for init in [&[][..], &["--object-format=sha256"], &["--ref-format=reftable"]] {
        let scratch = Scratch::with_init(init);
        let git = door(&scratch);
        scratch.write("a b\n\u{e9}", "1");
        scratch.write("gone", "2");
        scratch.write("mode", "3");
        scratch.git(&["add", "-A"]);
        assert_eq!(staged(&git, None), ["A a b\n\u{e9}", "A gone", "A mode"], "no commit yet");
        let head = oid(&scratch.commit("one"));
        assert!(staged(&git, Some(&head)).is_empty());
        scratch.git(&["rm", "-q", "--cached", "gone"]);
        scratch.git(&["update-index", "--chmod=+x", "mode"]);
        scratch.write("-new", "4");
        scratch.git(&["add", "--", "-new"]);
        assert_eq!(staged(&git, Some(&head)), ["A -new", "D gone", "M mode"]);
        let tree = git.tree_of("HEAD").unwrap().unwrap();
        assert_eq!(staged(&git, Some(&tree)), ["A -new", "D gone", "M mode"]);
    }
}

#[test]
fn intent_to_add_is_not_staged() {
    let scratch = Scratch::new();
    scratch.write("kept", "1");
    let head = oid(&scratch.commit("one"));
    scratch.write("n", "2");
    scratch.git(&["add", "-N", "n"]);
    scratch.git(&["rm", "-q", "--cached", "kept"]);
    scratch.git(&["add", "-N", "kept"]);
    let git = door(&scratch);
    assert_eq!(staged(&git, Some(&head)), ["D kept"]);
    assert!(git.index_entries().unwrap().iter().all(|tracked| tracked.entry.intent_to_add));
}

#[test]
fn a_conflict_is_unmerged() {
    let scratch = Scratch::new();
    scratch.write("f", "1\n");
    scratch.commit("base");
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write("f", "2\n");
    scratch.commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("f", "3\n");
    let head = oid(&scratch.commit("main"));
    scratch.try_git(&["merge", "-q", "side"]);
    let git = door(&scratch);
    assert_eq!(staged(&git, Some(&head)), ["U f"]);
    let stages: Vec<u8> = git.index_entries().unwrap().iter().map(|entry| entry.entry.stage).collect();
    assert_eq!(stages, [1, 2, 3]);
}

#[test]
fn a_submodule_cannot_hide_behind_ignore_all() {
    let scratch = Scratch::new();
    let one = scratch.commit("one");
    scratch.write(".gitmodules", "[submodule \"s\"]\n\tpath = s\n\turl = ./s\n\tignore = all\n");
    scratch.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{one},s")]);
    scratch.git(&["add", ".gitmodules"]);
    scratch.git(&["commit", "-q", "--no-verify", "-m", "sub"]);
    let head = oid(&scratch.git(&["rev-parse", "HEAD"]));
    scratch.git(&["update-index", "--cacheinfo", &format!("160000,{head},s")]);
    assert_eq!(staged(&door(&scratch), Some(&head)), ["M s"]);
}

#[test]
fn index_entries_of_every_index_format() {
    for setup in
        [&[][..], &["update-index", "--split-index"], &["sparse-checkout", "set", "--cone", "--sparse-index", "in"]]
    {
        let scratch = Scratch::new();
        for file in ["in/a", "out/deep/b", "c"] {
            scratch.write(file, file);
        }
        scratch.commit("one");
        if !setup.is_empty() {
            scratch.git(setup);
        }
        scratch.git(&["update-index", "--assume-unchanged", "c"]);
        let entries = door(&scratch).index_entries().unwrap();
        let said: Vec<String> = entries
            .iter()
            .map(|entry| format!("{} {} {}", entry.path, entry.entry.skip_worktree, entry.entry.assume_valid))
            .collect();
        let sparse = setup.len() > 3;
        assert_eq!(said, ["c false true", "in/a false false", &format!("out/deep/b {sparse} false")], "{setup:?}");
        let listed = scratch.git(&["ls-files", "-s"]);
        assert!(entries.iter().all(|entry| listed.contains(&format!("{} {}", entry.entry.mode, entry.entry.id))));
    }
}

#[test]
fn revisions_trees_and_merge_bases() {
    let scratch = Scratch::new();
    let git = door(&scratch);
    assert_eq!(git.rev_parse("HEAD").unwrap(), None, "no commit yet");
    let base = oid(&scratch.commit("base"));
    scratch.git(&["tag", "-a", "v1", "-m", "v1"]);
    scratch.git(&["checkout", "-q", "-b", "side"]);
    let side = oid(&scratch.commit("side"));
    scratch.git(&["checkout", "-q", "--orphan", "other"]);
    let other = oid(&scratch.commit("other"));
    assert_eq!(git.commit_of("v1").unwrap(), Some(base));
    assert_ne!(git.rev_parse("v1").unwrap(), Some(base), "a tag is an object of its own");
    assert_eq!(git.tree_of("v1").unwrap().map(|tree| tree.to_string()), Some(scratch.git(&["rev-parse", "v1^{tree}"])));
    for nothing in ["nope", "--all", "--upload-pack=x", &"1".repeat(39)] {
        assert_eq!(git.commit_of(nothing).unwrap(), None, "{nothing}");
    }
    assert_eq!(git.merge_base(&side, &base).unwrap(), Some(base));
    assert_eq!(git.merge_base(&side, &other).unwrap(), None);
    assert!(git.merge_base(&side, &oid(&"1".repeat(40))).is_err());
}

#[test]
fn new_commits_of_a_push() {
    let scratch = Scratch::new();
    let one = oid(&scratch.commit("one"));
    let two = oid(&scratch.commit("two"));
    let three = oid(&scratch.commit("three"));
    scratch.git(&["update-ref", "refs/remotes/up/main", &one.to_string()]);
    scratch.git(&["tag", "-a", "v", "-m", "v"]);
    let git = door(&scratch);
    let list = |tips: &[Oid], known: &[Oid], remote: Option<&str>| {
        let wanted = NewCommits {
            tips: tips.to_vec(),
            known: known.to_vec(),
            remote: remote.map(str::to_owned),
            all_refs: false,
        };
        git.rev_list(&wanted).unwrap().into_iter().map(|commit| commit.id).collect::<Vec<_>>()
    };
    assert_eq!(list(&[three], &[], None), [one, two, three]);
    assert_eq!(list(&[three], &[], Some("up")), [two, three]);
    assert_eq!(list(&[three], &[two], Some("up")), [three]);
    assert_eq!(list(&[oid(&scratch.git(&["rev-parse", "v"]))], &[two], None), [three]);
    for no_name in ["https://host.invalid/x", "u*", "", "--all"] {
        assert_eq!(list(&[three], &[], Some(no_name)).len(), 3, "{no_name}");
    }
    assert!(list(&[], &[], Some("up")).is_empty());
    let received = NewCommits { tips: vec![three], all_refs: true, ..NewCommits::default() };
    assert!(git.rev_list(&received).unwrap().is_empty(), "everything on a ref is known");
    let all = git.rev_list(&NewCommits { tips: vec![three], ..NewCommits::default() }).unwrap();
    assert_eq!((all[0].parents.as_slice(), all[2].parents.as_slice()), (&[][..], &[two][..]));
    assert_eq!(git.independent(&[one, three, two]).unwrap(), [three]);
}

#[test]
fn facts_about_the_repository() {
    let scratch = Scratch::with_init(&["--object-format=sha256"]);
    scratch.commit("one");
    scratch.git(&["worktree", "add", "-q", "-b", "linked", "../linked tree"]);
    let linked = Git::locate(&environment(&scratch.home()), &scratch.base.join("linked tree")).unwrap();
    assert_eq!(linked.hash_kind().unwrap(), HashKind::Sha256);
    assert_eq!(linked.common_dir().unwrap(), scratch.root.join(".git"));
    assert_eq!(linked.git_dir().unwrap(), scratch.root.join(".git/worktrees/linked-tree"));
    assert_eq!(door(&scratch).git_dir().unwrap(), scratch.root.join(".git"));
    assert!(linked.version().unwrap() > (2, 0, 0));
    scratch.git(&["config", "yatsu.x", "two\nlines"]);
    assert_eq!(linked.config_get("yatsu.x").unwrap().unwrap(), "two\nlines");
    assert_eq!(linked.config_get("yatsu.none").unwrap(), None);
    assert_eq!(linked.config().unwrap().get("yatsu.x").unwrap(), "two\nlines");
    assert!(linked.config_get("not a key").is_err());
}

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
    assert!(store.read(&git.tree_of("HEAD").unwrap().unwrap()).unwrap().is_some());
    assert!(!canary.exists(), "no transport was started");
    scratch.git(&["-C", "../partial", "cat-file", "-e", &blob.to_string()]);
    assert!(canary.exists(), "a git without our precautions starts it");
}

#[test]
fn attributes_as_git_resolves_them() {
    let scratch = Scratch::new();
    scratch.write(".gitattributes", "[attr]mine text ident\n*.m mine\n*.b -text\n");
    scratch.write("sub/.gitattributes", "*.m eol=crlf -ident\n");
    scratch.write(".git/info/attributes", "*.z text=auto\n");
    let reader = AttributeReader::new(door(&scratch), vec!["text", "eol", "ident"]);
    use AttributeValue::{Set, Unset, Unspecified, Value};
    let of = |name: &str| reader.of(&path(name)).unwrap();
    assert_eq!(of("x.m"), [Set, Unspecified, Set]);
    assert_eq!(of("sub/new\nline.m"), [Set, Value("crlf".into()), Unset]);
    assert_eq!(of("x.b"), [Unset, Unspecified, Unspecified]);
    assert_eq!(of("x.z")[0], Value("auto".into()));
}

/// Every program that a configuration can name for anything that is not a write or a network verb.
fn make_hostile(scratch: &Scratch) -> std::path::PathBuf {
    let canary = scratch.base.join("canary");
    let bait = scratch.base.join("bait");
    script(&bait, &format!("echo \"$0 $@\" >> '{}'\ncat", canary.display()));
    let hooks = scratch.base.join("hooks");
    for hook in ["post-index-change", "pre-commit", "reference-transaction", "fsmonitor-watchman", "post-checkout"] {
        script(&hooks.join(hook), &format!("touch '{}'", canary.display()));
    }
    let bait = bait.display();
    let hostile = format!(
        "[core]\n fsmonitor = {bait}\n hooksPath = {hooks}\n pager = {bait}\n sshCommand = {bait}\n editor = {bait}\n\
         askPass = {bait}\n gitProxy = {bait}\n alternateRefsCommand = {bait}\n\
         [diff]\n external = {bait}\n[diff \"x\"]\n textconv = {bait}\n command = {bait}\n\
         [filter \"x\"]\n clean = {bait}\n smudge = {bait}\n process = {bait}\n required = true\n\
         [pager]\n ls-files = {bait}\n diff-index = {bait}\n cat-file = {bait}\n rev-list = {bait}\n config = {bait}\n\
         [alias]\n ls-files = !{bait}\n cat-file = !{bait}\n diff-index = !{bait}\n rev-parse = !{bait}\n\
         [credential]\n helper = !{bait}\n[gpg]\n program = {bait}\n[uploadpack]\n packObjectsHook = {bait}\n\
         [remote \"origin\"]\n url = ext::{bait}\n promisor = true\n uploadpack = {bait}\n\
         [protocol]\n allow = always\n[merge \"x\"]\n driver = {bait}\n[log]\n showSignature = true\n\
         [index]\n recordOffsetTable = true\n",
        hooks = hooks.display(),
    );
    fs::write(scratch.base.join("included"), hostile).unwrap();
    scratch.git(&["config", "include.path", &scratch.base.join("included").display().to_string()]);
    canary
}

#[test]
fn a_hostile_configuration_runs_nothing() {
    let scratch = Scratch::new();
    scratch.write(".gitattributes", "* diff=x filter=x merge=x ident\n");
    scratch.write("f", "1\n");
    let head = oid(&scratch.commit("one"));
    scratch.git(&["init", "-q", "sub"]);
    scratch.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "s"]);
    scratch.git(&["add", "sub"]);
    scratch.write("f", "2\n");
    scratch.write("new", "3\n");
    let canary = make_hostile(&scratch);
    let git = door(&scratch);
    git.staged(Some(&head)).unwrap();
    git.staged(None).unwrap();
    git.index_entries().unwrap();
    git.untracked(&RepoPath::root()).unwrap();
    git.tree_of("HEAD").unwrap();
    git.merge_base(&head, &head).unwrap();
    git.rev_list(&NewCommits { tips: vec![head], remote: Some("origin".into()), ..NewCommits::default() }).unwrap();
    git.hash_kind().unwrap();
    git.git_dir().unwrap();
    git.common_dir().unwrap();
    git.version().unwrap();
    git.config().unwrap();
    git.config_get("core.pager").unwrap();
    assert!(git.submodule_head(&path("sub")).unwrap().is_some());
    let store = ProgramStore::new(git.clone());
    store.read(&head).unwrap();
    store.header(&head).unwrap();
    assert_eq!(store.read(&oid(&"1".repeat(40))).unwrap(), None);
    AttributeReader::new(git, vec!["filter"]).of(&path("f")).unwrap();
    crate::worktree::see_everything(&scratch);
    assert!(!canary.exists(), "ran: {}", fs::read_to_string(&canary).unwrap());
    scratch.try_git(&["ls-files"]);
    assert!(canary.exists(), "a git without our precautions runs the bait");
}

#[test]
fn a_git_in_the_current_directory_is_never_run() {
    let scratch = Scratch::new();
    scratch.commit("one");
    let canary = scratch.base.join("canary");
    for place in ["git", "bin/git"] {
        script(&scratch.root.join(place), &format!("touch '{}'", canary.display()));
    }
    let mut environment = environment(&scratch.home());
    let real = environment.iter().find(|(name, _)| name == "PATH").unwrap().1.clone();
    environment.retain(|(name, _)| name != "PATH");
    let with = |path: &str| {
        let mut environment = environment.clone();
        environment.push(("PATH".into(), path.into()));
        Git::locate(&environment, &scratch.root)
    };
    let git = with(&format!(".:bin::{}", real.display())).unwrap();
    assert!(git.rev_parse("HEAD").unwrap().is_some());
    assert!(!canary.exists());
    let here = std::env::current_dir().unwrap();
    let up = "../".repeat(here.components().count());
    let relative = format!("{up}{}", scratch.root.join("bin").display());
    assert!(Path::new(&relative).join("git").exists(), "the bait is within reach");
    let error = with(&format!(".:{relative}:")).unwrap_err();
    assert!(error.kind == ErrorKind::Unchecked && !error.hints.is_empty());
    assert!(Git::locate(&[], &scratch.root).is_err());
}

#[test]
fn the_environment_of_git_is_cleaned() {
    let scratch = Scratch::new();
    let bin = scratch.base.join("bin");
    script(&bin.join("git"), "env");
    let mut environment = environment(&scratch.home());
    environment.retain(|(name, _)| name != "PATH");
    environment.push(("PATH".into(), format!("rel:{}:/usr/bin:/bin", bin.display()).into()));
    for (name, value) in [
        ("GIT_INDEX_FILE", "/i"),
        ("GIT_QUARANTINE_PATH", "/q"),
        ("GIT_CONFIG_KEY_0", "a.b"),
        ("GIT_EXTERNAL_DIFF", "evil"),
        ("GIT_TRACE", "/tmp/x"),
        ("GIT_SSH_COMMAND", "evil"),
        ("GIT_ALLOW_PROTOCOL", "ext"),
        ("GIT_NO_LAZY_FETCH", "0"),
        ("LD_PRELOAD", "evil"),
    ] {
        environment.push((name.into(), value.into()));
    }
    let git = Git::locate(&environment, &scratch.root).unwrap();
    let said = git.version().unwrap_err().message;
    for kept in
        ["GIT_INDEX_FILE=/i", "GIT_QUARANTINE_PATH=/q", "GIT_CONFIG_KEY_0=a.b", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C\n"]
    {
        assert!(said.contains(kept), "{kept} in {said}");
    }
    for dropped in ["evil", "GIT_TRACE", "=ext", "rel:"] {
        assert!(!said.contains(dropped), "{dropped} in {said}");
    }
}

#[test]
fn a_git_that_hangs_is_killed() {
    let scratch = Scratch::new();
    let limits = Limits { time: Duration::from_millis(100), ..Limits::default() };
    let git = fake(&scratch, "tail -f /dev/null & wait").with_limits(limits);
    let hangs = |error: yatsu_hook::error::Error| {
        assert!(error.kind == ErrorKind::Unchecked && error.message.contains("did not finish within 100ms"), "{error}");
    };
    hangs(git.version().unwrap_err());
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
    let error = git.version().unwrap_err();
    assert!(error.message.contains("more than 1048576 bytes"), "{error}");
    talks(ProgramStore::new(git).read(&oid(&"1".repeat(40))).unwrap_err());
    talks(fake(&scratch, "head -c 100000000 /dev/zero >&2; exit 3").version().unwrap_err());
}

#[test]
fn a_git_that_fails_is_quoted() {
    let scratch = Scratch::new();
    let error = fake(&scratch, "echo 'fatal: \x1b[31mno' >&2; echo second >&2; exit 7").version().unwrap_err();
    assert_eq!(error.message, "git version failed with exit code 7: fatal: \x1b[31mno; second");
    let error = fake(&scratch, "echo gone >&2; exit 1").version().unwrap_err();
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
fn an_embedded_bare_repository_is_not_opened_by_accident() {
    let scratch = Scratch::new();
    scratch.git(&["init", "-q", "--bare", "embedded"]);
    let bare = scratch.root.join("embedded");
    let git = Git::locate(&environment(&scratch.home()), &bare).unwrap();
    assert!(git.git_dir().unwrap_err().message.contains("embedded"));
    assert_eq!(git.with_git_dir(&bare).git_dir().unwrap(), bare);
}

#[test]
fn untracked_files_are_listed_as_git_sees_them() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", "*.o\n/build\n");
    scratch.write("tracked", "");
    scratch.commit("one");
    for file in ["a.o", "build/x", "src/new", "src/b.o", ":(exclude)x", "[a"] {
        scratch.write(file, "");
    }
    scratch.git(&["init", "-q", "nested"]);
    scratch.write("nested/inside", "");
    scratch.write(".git/info/exclude", "[[]a\n");
    let git = door(&scratch);
    let list =
        |dir: RepoPath| -> Vec<String> { git.untracked(&dir).unwrap().iter().map(|path| path.to_string()).collect() };
    assert_eq!(list(RepoPath::root()), [":(exclude)x", "src/new"]);
    assert_eq!(list(path("src")), ["src/new"]);
    assert_eq!(list(path(":(exclude)x")), [":(exclude)x"]);
    assert!(list(path("build")).is_empty() && list(path("no")).is_empty());
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

#[test]
fn another_owner_is_refused_with_the_line_that_allows_it() {
    let scratch = Scratch::new();
    scratch.commit("one");
    // only the superuser can give a directory away
    if std::os::unix::fs::chown(scratch.root.join(".git"), Some(4242), None).is_ok() {
        std::os::unix::fs::chown(&scratch.root, Some(4242), None).unwrap();
        let error = door(&scratch).staged(None).unwrap_err();
        let line = format!("git config --global --add safe.directory '{}'", scratch.root.display());
        assert!(error.kind == ErrorKind::Unchecked && error.hints == [line], "{error:?}");
    }
}
