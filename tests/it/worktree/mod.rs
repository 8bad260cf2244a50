//! The working tree as git would commit it. The oracle is git: `git add -A` into a copy of the index.
#![allow(clippy::unwrap_used)] // helpers of tests

mod listed;
mod random;
mod stat;

use crate::support::real::door;
use crate::support::{Scratch, conflict, hermetic, oid, path};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::rc::Rc;
use std::time::{Duration, SystemTime};
use yatsu_hook::error::ErrorKind;
use yatsu_hook::repo::program::ProgramStore;
use yatsu_hook::repo::worktree::{DiskContent, WorkTreeView};
use yatsu_hook::tree::path::RepoPath;
use yatsu_hook::tree::{Kind, Tree};

fn view(scratch: &Scratch) -> WorkTreeView {
    let git = door(scratch);
    let index_file = scratch.root.join(scratch.git(&["rev-parse", "--git-path", "index"]));
    let written = index_file.metadata().ok().map(|about| (about.mtime(), about.mtime_nsec()));
    let (index, hash) = (git.index_entries().unwrap(), git.hash_kind().unwrap());
    WorkTreeView::new(scratch.root.clone(), git.clone(), Rc::new(ProgramStore::new(git)), index, written, hash)
}

/// Asks a view every question about every path.
pub(crate) fn see_everything(scratch: &Scratch) {
    let view = view(scratch);
    for (path, _) in view.files(&RepoPath::root(), &|_| true).unwrap() {
        let entry = view.entry(&path).unwrap();
        assert_eq!(view.kind(&path).unwrap(), entry.map(|entry| entry.kind), "{path}");
        view.read(&path).unwrap();
        view.size(&path).unwrap();
        view.is_untracked(&path).unwrap();
    }
    view.children(&RepoPath::root()).unwrap();
}

fn mode(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "100644",
        Kind::Exec => "100755",
        Kind::Link => "120000",
        Kind::Submodule => "160000",
        Kind::Dir => "040000",
    }
}

/// Path to mode and id of everything that the view lists.
fn seen(scratch: &Scratch) -> BTreeMap<String, String> {
    let view = view(scratch);
    let mut seen = BTreeMap::new();
    for (path, listed) in view.files(&RepoPath::root(), &|_| true).unwrap() {
        let entry = view.entry(&path).unwrap().unwrap();
        assert_eq!(entry.kind, listed.kind, "{path}");
        let id = entry.id.map_or("none".into(), |id| id.to_string());
        seen.insert(path.to_string(), format!("{} {id}", mode(entry.kind)));
    }
    seen
}

/// The same map from git: everything added into a copy of the index.
fn added(scratch: &Scratch) -> BTreeMap<String, String> {
    let copy = scratch.base.join("oracle-index");
    fs::remove_file(&copy).unwrap_or_default();
    if let Ok(index) = File::open(scratch.root.join(".git/index")) {
        fs::copy(scratch.root.join(".git/index"), &copy).unwrap();
        // a copy with a younger time would let git trust racy stat data
        let written = index.metadata().unwrap().modified().unwrap();
        File::options().write(true).open(&copy).unwrap().set_modified(written).unwrap();
    }
    let run = |args: &[&str]| {
        let mut command = hermetic("git", &scratch.home());
        let output = command.current_dir(&scratch.root).env("GIT_INDEX_FILE", &copy).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // assume-unchanged holds for git, but not for the question what was measured
    let flagged = run(&["ls-files", "-v", "-z"]);
    let flagged: Vec<&str> = flagged.split_terminator('\0').filter_map(|line| line.strip_prefix("h ")).collect();
    if !flagged.is_empty() {
        run(&[&["update-index", "--no-assume-unchanged", "--"][..], &flagged].concat());
    }
    run(&["add", "-A"]);
    let listed = run(&["ls-files", "-s", "-z"]);
    let entries = listed.split_terminator('\0').map(|line| {
        let (about, path) = line.split_once('\t').unwrap();
        (path.to_owned(), about.rsplit_once(' ').unwrap().0.to_owned())
    });
    entries.collect()
}

fn set_time(scratch: &Scratch, path: &str, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    File::options().write(true).open(scratch.root.join(path)).unwrap().set_modified(time).unwrap();
}

fn known(view: &WorkTreeView, name: &str) -> String {
    match view.content(&path(name)).unwrap() {
        Some(DiskContent::Known(id)) => id.to_string(),
        other => panic!("{name}: {other:?}"),
    }
}

/// Walking the directories level by level must give the files.
fn walk(view: &WorkTreeView) {
    let mut found = Vec::new();
    let mut dirs = vec![RepoPath::root()];
    while let Some(dir) = dirs.pop() {
        for (name, entry) in view.children(&dir).unwrap() {
            let child = dir.child(&name);
            if entry.kind == Kind::Dir { dirs.push(child) } else { found.push((child, entry.kind)) }
        }
    }
    found.sort();
    let files = view.files(&RepoPath::root(), &|_| true).unwrap();
    assert_eq!(found, files.into_iter().map(|(path, entry)| (path, entry.kind)).collect::<Vec<_>>());
}

#[test]
fn everyday_states_have_the_ids_that_git_gives_them() {
    for init in [&[][..], &["--object-format=sha256"]] {
        let scratch = Scratch::with_init(init);
        for file in ["plain", "touched", "dirty", "deleted", "dir/deep/x", "to-link", "to-dir", "run"] {
            scratch.write(file, format!("{file}\n"));
        }
        fs::set_permissions(scratch.root.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("/etc/passwd", scratch.root.join("link")).unwrap();
        scratch.write(".gitignore", "*.o\n");
        scratch.write("kept.o", "tracked although ignored");
        scratch.git(&["add", "-f", "kept.o"]);
        scratch.commit("one");
        scratch.write("touched", "touched\n");
        scratch.write("dirty", "other\n");
        scratch.write("new/file", "new\n");
        scratch.write("ignored.o", "");
        fs::remove_file(scratch.root.join("deleted")).unwrap();
        fs::remove_file(scratch.root.join("to-link")).unwrap();
        symlink("plain", scratch.root.join("to-link")).unwrap();
        fs::remove_file(scratch.root.join("to-dir")).unwrap();
        scratch.write("to-dir/now", "a directory");
        let seen = seen(&scratch);
        assert_eq!(seen, added(&scratch));
        assert!(seen.contains_key("new/file") && seen.contains_key("kept.o") && !seen.contains_key("ignored.o"));
        let view = view(&scratch);
        assert!(view.entry(&path("ignored.o")).unwrap().is_some(), "asked by name, an ignored file is there");
        assert!(view.is_untracked(&path("ignored.o")).unwrap() && view.is_untracked(&path("new")).unwrap());
        assert!(!view.is_untracked(&path("dirty")).unwrap() && !view.is_untracked(&path("no")).unwrap());
        assert_eq!(view.entry(&path("deleted")).unwrap(), None);
        assert_eq!(view.entry(&path("dir")).unwrap().unwrap().kind, Kind::Dir);
        assert_eq!(view.read(&path("link")).unwrap().unwrap(), b"/etc/passwd");
        assert_eq!(view.read(&path("dir")).unwrap(), None);
        assert_eq!(view.size(&path("dirty")).unwrap(), Some(6));
    }
}

#[test]
fn line_ends_are_converted_as_git_does() {
    let contents: &[&str] = &[
        "",
        "a\nb\n",
        "a\r\nb\r\n",
        "a\r\nb\n",
        "a\rb\r\n",
        "a\r\n\0",
        "a\r\n\x01",
        "a\r\n\x1a",
        "\r\r\n",
        "a\r",
        "$Id: x $\r\n",
        "$Id$ $Id: a\nb $ $Id:$\n",
    ];
    let attributes: &[&str] = &[
        "",
        "text",
        "-text",
        "text=auto",
        "eol=lf",
        "eol=crlf",
        "text=auto eol=crlf",
        "text=auto eol=lf",
        "crlf",
        "-crlf",
        "crlf=input",
        "ident",
        "text ident",
        "-text eol=crlf",
        "text=odd",
        "text=odd crlf",
        "filter=unknown",
        "working-tree-encoding=UTF-8",
        "binary",
    ];
    for autocrlf in ["false", "true", "input"] {
        for before in [None, Some("old\nlf\n"), Some("old\r\ncrlf\r\n"), Some("old\r\n\0binary")] {
            let scratch = Scratch::new();
            let each = |write: &dyn Fn(&str, &str)| {
                for (a, _) in attributes.iter().enumerate() {
                    contents.iter().enumerate().for_each(|(c, content)| write(&format!("d/{a}-{c}"), content));
                }
            };
            if let Some(before) = before {
                each(&|file, _| scratch.write(file, before));
                scratch.commit("before");
            }
            scratch.git(&["config", "core.autocrlf", autocrlf]);
            let lines = attributes.iter().enumerate().map(|(a, attribute)| format!("d/{a}-* {attribute}\n"));
            scratch.write(".gitattributes", lines.collect::<String>());
            each(&|file, content| scratch.write(file, content));
            let (seen, added) = (seen(&scratch), added(&scratch));
            for (path, id) in &added {
                assert_eq!(seen.get(path), Some(id), "{path} autocrlf={autocrlf} before={before:?}");
            }
            assert_eq!(seen.len(), added.len());
        }
    }
}

#[test]
fn large_text_is_converted_as_a_stream() {
    let scratch = Scratch::new();
    scratch.write(".gitattributes", "* text=auto\n");
    scratch.write("large", "0123456789\r\n".repeat(200_000));
    assert_eq!(seen(&scratch), added(&scratch));
}

#[test]
fn what_is_read_is_what_git_would_store() {
    let scratch = Scratch::new();
    scratch.write(".gitattributes", "*.txt text\n");
    scratch.write("a.txt", "a\r\n");
    scratch.write("a.bin", "a\r\n");
    let view = view(&scratch);
    assert_eq!(view.read(&path("a.txt")).unwrap().unwrap(), b"a\n");
    assert_eq!(view.read(&path("a.bin")).unwrap().unwrap(), b"a\r\n");
}

/// The untracked files that a listing of everything shows.
fn untracked(view: &WorkTreeView) -> Vec<String> {
    let files = view.files(&RepoPath::root(), &|_| true).unwrap().into_iter().map(|(path, _)| path);
    files.filter(|path| view.is_untracked(path).unwrap()).map(|path| path.to_string()).collect()
}

#[test]
fn untracked_files_are_found_among_few_and_among_many_ignored_ones() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", "/build/\n");
    scratch.write("src/a.rs", "a");
    scratch.commit("one");
    assert!(untracked(&view(&scratch)).is_empty());
    for (ignored, number) in [("few", 3), ("many", 2_500)] {
        (0..number).for_each(|n| scratch.write(&format!("build/{ignored}/{n}"), ""));
        let one = view(&scratch);
        assert!(untracked(&one).is_empty(), "{ignored}");
        assert_eq!(one.children(&RepoPath::root()).unwrap().len(), 2, "{ignored}");
        scratch.write("src/deep/er/b.rs", "b");
        let one = view(&scratch);
        assert_eq!(untracked(&one), ["src/deep/er/b.rs"], "{ignored}");
        let names: Vec<_> = one.children(&path("src")).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a.rs", "deep"], "{ignored}");
        fs::remove_dir_all(scratch.root.join("src/deep")).unwrap();
    }
}

#[test]
fn intent_to_add_and_conflicts_are_judged_on_disk() {
    let scratch = Scratch::new();
    scratch.write(".gitattributes", "* text=auto\n");
    conflict(&scratch, "f");
    scratch.write("f", "resolved\r\n");
    scratch.write("n", "4\n");
    scratch.git(&["add", "-N", "n"]);
    assert_eq!(seen(&scratch), added(&scratch));
    assert!(!view(&scratch).is_untracked(&path("n")).unwrap());
}

#[test]
fn what_a_sparse_checkout_left_out_counts_as_the_index_has_it() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let scratch = Scratch::new();
        for file in ["in/a", "out/deep/b", "out/run", "top"] {
            scratch.write(file, format!("{file}\n"));
        }
        scratch.commit("one");
        scratch.git(&["sparse-checkout", "set", "--cone", index, "in"]);
        assert!(!scratch.root.join("out").exists());
        scratch.write("in/a", "dirty\n");
        let seen = seen(&scratch);
        assert_eq!(seen, added(&scratch));
        let view = view(&scratch);
        assert_eq!(view.read(&path("out/deep/b")).unwrap().unwrap(), b"out/deep/b\n");
        assert_eq!(view.size(&path("out/deep/b")).unwrap(), Some(11));
        assert_eq!(view.entry(&path("out/deep")).unwrap().unwrap().kind, Kind::Dir);
        let names = |dir: &str| -> Vec<String> {
            view.children(&path(dir)).unwrap().iter().map(|(name, _)| name.to_string()).collect()
        };
        assert_eq!(names("out"), ["deep", "run"]);
        assert_eq!(view.entry(&path("nowhere")).unwrap(), None);
    }
}

#[test]
fn a_file_on_disk_counts_whatever_was_promised() {
    let scratch = Scratch::new();
    for file in ["assumed", "skipped"] {
        scratch.write(file, "old");
    }
    scratch.commit("one");
    scratch.git(&["update-index", "--assume-unchanged", "assumed"]);
    scratch.git(&["update-index", "--skip-worktree", "skipped"]);
    let old = scratch.git(&["rev-parse", "HEAD:assumed"]);
    for file in ["assumed", "skipped"] {
        scratch.write(file, "changed");
        assert_ne!(known(&view(&scratch), file), old, "{file}");
    }
}

#[test]
fn a_split_index_is_seen_whole() {
    let scratch = Scratch::new();
    scratch.write("a", "1");
    scratch.write("b", "2");
    scratch.commit("one");
    scratch.git(&["update-index", "--split-index"]);
    scratch.write("a", "dirty");
    scratch.write("c", "3");
    scratch.git(&["add", "c"]);
    let seen = seen(&scratch);
    assert_eq!(seen.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
    for file in ["a", "b", "c"] {
        assert!(seen[file].ends_with(&scratch.git(&["hash-object", "--path", file, file])), "{file}");
    }
}

#[test]
fn a_submodule_is_the_commit_that_is_checked_out() {
    let scratch = Scratch::new();
    scratch.write("f", "");
    scratch.commit("one");
    scratch.git(&["init", "-q", "sub"]);
    scratch.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "s1"]);
    let recorded = scratch.git(&["-C", "sub", "rev-parse", "HEAD"]);
    scratch.git(&["add", "sub"]);
    assert_eq!(known(&view(&scratch), "sub"), recorded);
    scratch.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "s2"]);
    scratch.write("sub/inside", "");
    let head = scratch.git(&["-C", "sub", "rev-parse", "HEAD"]);
    let moved = view(&scratch);
    assert_eq!(known(&moved, "sub"), head);
    assert_eq!(seen(&scratch), added(&scratch));
    assert_eq!(moved.entry(&path("sub/inside")).unwrap(), None, "another repository");
    assert_eq!(moved.read(&path("sub/inside")).unwrap(), None);
    fs::remove_dir_all(scratch.root.join("sub")).unwrap();
    fs::create_dir(scratch.root.join("sub")).unwrap();
    assert_eq!(known(&view(&scratch), "sub"), recorded, "not checked out: not our own HEAD");
    fs::remove_dir(scratch.root.join("sub")).unwrap();
    assert_eq!(view(&scratch).entry(&path("sub")).unwrap(), None);
}

#[test]
fn a_submodule_whose_git_directory_is_broken_is_an_error() {
    let scratch = Scratch::new();
    let one = scratch.commit("one");
    scratch.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{one},sub")]);
    scratch.write("sub/.git", "gitdir: /nowhere\n");
    let error = view(&scratch).entry(&path("sub")).unwrap_err();
    assert!(error.kind == ErrorKind::Unchecked && error.message.starts_with("submodule sub"), "{error}");
    fs::remove_file(scratch.root.join("sub/.git")).unwrap();
    fs::create_dir(scratch.root.join("sub/.git")).unwrap();
    let error = view(&scratch).entry(&path("sub")).unwrap_err();
    assert!(error.message.starts_with("submodule sub"), "not the head of the repository around it: {error}");
}

#[test]
fn nothing_is_reached_through_a_link_or_in_another_repository() {
    let scratch = Scratch::new();
    scratch.write("real/f", "1");
    scratch.commit("one");
    fs::rename(scratch.root.join("real"), scratch.base.join("outside")).unwrap();
    symlink("../outside", scratch.root.join("real")).unwrap();
    scratch.git(&["init", "-q", "nested"]);
    scratch.write("nested/f", "2");
    let view = view(&scratch);
    for gone in ["real/f", "nested/f", "nested/.x"] {
        assert_eq!(view.entry(&path(gone)).unwrap(), None, "{gone}");
        assert_eq!(view.read(&path(gone)).unwrap(), None, "{gone}");
        assert_eq!(view.size(&path(gone)).unwrap(), None, "{gone}");
    }
    assert_eq!(view.entry(&path("real")).unwrap().unwrap().kind, Kind::Link);
    let files = view.files(&RepoPath::root(), &|_| true).unwrap();
    assert_eq!(files.iter().map(|(path, _)| path.to_string()).collect::<Vec<_>>(), ["real"]);
    assert!(view.files(&path("real/x"), &|_| true).unwrap().is_empty());
}

#[test]
fn pipes_and_impossible_names_are_not_there() {
    let scratch = Scratch::new();
    scratch.write("f", "1");
    scratch.commit("one");
    fs::remove_file(scratch.root.join("f")).unwrap();
    let status = std::process::Command::new("mkfifo").arg(scratch.root.join("f")).status().unwrap();
    assert!(status.success());
    let view = view(&scratch);
    assert_eq!(view.entry(&path("f")).unwrap(), None);
    assert_eq!(view.read(&path("f")).unwrap(), None);
    assert_eq!(view.entry(&path(&"n".repeat(300))).unwrap(), None);
    assert_eq!(view.entry(&path("f/below")).unwrap(), None);
}

#[test]
fn an_external_filter_is_never_run_and_its_files_have_no_id() {
    let scratch = Scratch::new();
    let canary = scratch.base.join("canary");
    scratch.write("clean.bin", "1");
    set_time(&scratch, "clean.bin", 1_700_000_000);
    scratch.write("dirty.bin", "1");
    scratch.write("dirty.txt", "1");
    scratch.commit("one");
    scratch.git(&["config", "filter.x.clean", &format!("touch '{}'; cat", canary.display())]);
    scratch.git(&["config", "filter.only.smudge", "cat"]);
    scratch.write(".gitattributes", "*.bin filter=x\n*.txt filter=only\n*.utf16 working-tree-encoding=UTF-16\n");
    for file in ["dirty.bin", "dirty.txt", "new.bin", "a.utf16"] {
        scratch.write(file, "changed");
    }
    let view = view(&scratch);
    let external = |name: &str| Some(DiskContent::External(name.into()));
    assert_eq!(view.content(&path("dirty.bin")).unwrap(), external("filter=x"));
    assert_eq!(view.content(&path("new.bin")).unwrap(), external("filter=x"));
    assert_eq!(view.content(&path("a.utf16")).unwrap(), external("working-tree-encoding=UTF-16"));
    let entry = view.entry(&path("dirty.bin")).unwrap().unwrap();
    assert_eq!((entry.kind, entry.id), (Kind::File, None));
    assert_eq!(known(&view, "clean.bin"), scratch.git(&["rev-parse", "HEAD:clean.bin"]));
    assert_eq!(known(&view, "dirty.txt"), scratch.git(&["hash-object", "--path", "dirty.txt", "dirty.txt"]));
    assert!(!canary.exists());
    fs::remove_file(scratch.root.join("a.utf16")).unwrap();
    added(&scratch);
    assert!(canary.exists(), "git itself runs it");
}

#[test]
fn staged_content_that_is_missing_is_an_error() {
    let scratch = Scratch::new();
    scratch.write(".gitattributes", "* text=auto\n");
    scratch.write("f", "1\n");
    scratch.commit("one");
    scratch.write("f", "2\r\n");
    let id = oid(&scratch.git(&["rev-parse", "HEAD:f"])).to_string();
    fs::remove_file(scratch.root.join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
    let error = view(&scratch).entry(&path("f")).unwrap_err();
    assert!(error.kind == ErrorKind::Unchecked && error.message.contains(&id), "{error}");
}

#[test]
fn links_checked_out_as_files_are_links() {
    let scratch = Scratch::new();
    symlink("target", scratch.root.join("l")).unwrap();
    scratch.commit("one");
    scratch.git(&["config", "core.symlinks", "false"]);
    fs::remove_file(scratch.root.join("l")).unwrap();
    scratch.write("l", "other");
    assert_eq!(seen(&scratch), added(&scratch));
    assert_eq!(view(&scratch).read(&path("l")).unwrap().unwrap(), b"other");
}

#[test]
fn odd_names_are_ordinary_names() {
    let scratch = Scratch::new();
    for file in ["a b", "-rf", "[a", ":(top)x", "new\nline", "\u{e9}/\u{e9}", "q\"uote", "a.b", "a/b", "a0"] {
        scratch.write(file, file);
    }
    scratch.git(&["add", "--", "a b", "a/b"]);
    assert_eq!(seen(&scratch), added(&scratch));
    walk(&view(&scratch));
}
