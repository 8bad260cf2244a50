//! A hostile repository, PATH or environment: none of their programs is run.
#![allow(clippy::unwrap_used)] // helpers of tests

use super::script;
use crate::support::real::{door, environment};
use crate::support::{Scratch, oid, path};
use std::fs;
use std::path::Path;
use yatsu_hook::error::ErrorKind;
use yatsu_hook::repo::native::objects::ObjectStore;
use yatsu_hook::repo::program::{AttributeReader, Git, NewCommits, ProgramStore};
use yatsu_hook::tree::path::RepoPath;

/// Every program that a configuration can name, except for writing and for the network.
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
    git.rev_parse("HEAD").unwrap();
    git.merge_bases(&head, &head).unwrap();
    git.rev_list(&NewCommits { tips: vec![head], remote: Some("origin".into()), ..NewCommits::default() }).unwrap();
    git.hash_kind().unwrap();
    git.config().unwrap();
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
    // an absolute directory inside of the repository, too, and a link to one
    std::os::unix::fs::symlink(scratch.root.join("bin"), scratch.base.join("linked")).unwrap();
    let inside = format!("{}:{}", scratch.root.join("bin").display(), scratch.base.join("linked").display());
    let git = with(&format!(".:bin::{inside}:{}", real.display())).unwrap();
    assert!(git.rev_parse("HEAD").unwrap().is_some());
    assert!(!canary.exists());
    let here = std::env::current_dir().unwrap();
    let up = "../".repeat(here.components().count());
    let relative = format!("{up}{}", scratch.root.join("bin").display());
    assert!(Path::new(&relative).join("git").exists(), "the bait is within reach");
    let error = with(&format!(".:{relative}:{inside}:")).unwrap_err();
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
    let said = git.hash_kind().unwrap_err().message;
    for kept in
        ["GIT_INDEX_FILE=/i", "GIT_QUARANTINE_PATH=/q", "GIT_CONFIG_KEY_0=a.b", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C\n"]
    {
        assert!(said.contains(kept), "{kept} in {said}");
    }
    for dropped in ["evil", "GIT_TRACE", "=ext", "rel:"] {
        assert!(!said.contains(dropped), "{dropped} in {said}");
    }
}

mod needs_git_2_38 {
    use super::*;

    #[test]
    #[ignore = "needs git 2.38"]
    fn an_embedded_bare_repository_is_not_opened_by_accident() {
        let scratch = Scratch::new();
        scratch.git(&["init", "-q", "--bare", "embedded"]);
        let bare = scratch.root.join("embedded");
        let git = Git::locate(&environment(&scratch.home()), &bare).unwrap();
        assert!(git.hash_kind().unwrap_err().message.contains("embedded"));
        git.with_git_dir(&bare).hash_kind().unwrap();
    }

    mod needs_root {
        use super::*;

        #[test]
        #[ignore = "needs root and git 2.38"]
        fn another_owner_is_refused_with_the_line_that_allows_it() {
            let scratch = Scratch::new();
            scratch.commit("one");
            for place in [&scratch.root.join(".git"), &scratch.root] {
                std::os::unix::fs::chown(place, Some(4242), None).unwrap();
            }
            let error = door(&scratch).staged(None).unwrap_err();
            let line = format!("git config --global --add safe.directory {}", scratch.root.display());
            assert!(error.kind == ErrorKind::Unchecked && error.hints == [line], "{error:?}");
        }
    }
}
