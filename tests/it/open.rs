//! Opening every kind of repository, refs and revisions, and hostile content in them.
#![allow(clippy::unwrap_used)]

use crate::support::{Scratch, path};
use std::path::{Path, PathBuf};
use yatsu_hook::error::{Error, ErrorKind};
use yatsu_hook::repo::native::staged::Way;
use yatsu_hook::repo::open::env::Env;
use yatsu_hook::repo::program::NewCommits;
use yatsu_hook::repo::{Backend, Repo};
use yatsu_hook::tree::oid::Oid;
use yatsu_hook::tree::path::RepoPath;
use yatsu_hook::tree::{Anchor, Kind, MissingAnchor};

fn env() -> Env {
    Env { euid: rustix::process::geteuid().as_raw(), ..Env::default() }
}

fn open_in(dir: &Path) -> Repo {
    Repo::open(&env(), dir).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(env: &Env, dir: &Path) -> Error {
    let Err(error) = Repo::open(env, dir) else { panic!("it was opened") };
    assert_eq!(error.kind, ErrorKind::Unchecked);
    error
}

fn id(hex: &str) -> Oid {
    Oid::from_hex(hex.as_bytes()).unwrap_or_else(|| panic!("{hex}"))
}

/// The staged changes as status letters and paths.
fn staged(repo: &Repo) -> Vec<String> {
    let base = repo.head().unwrap().and_then(|head| repo.tree_of(&head).unwrap());
    let changes = repo.staged(base).unwrap().changes;
    changes.iter().map(|change| format!("{}{}", if change.new.is_some() { "+" } else { "-" }, change.path)).collect()
}

fn two_commits() -> (Scratch, String, String) {
    let scratch = Scratch::new();
    scratch.write("dir/a", "1");
    let one = scratch.commit("one");
    scratch.write("dir/a", "2");
    let two = scratch.commit("two");
    (scratch, one, two)
}

#[test]
fn an_unborn_branch_has_no_head() {
    let scratch = Scratch::new();
    assert_eq!(open_in(&scratch.root).head().unwrap(), None);
    assert!(staged(&open_in(&scratch.root)).is_empty());
    scratch.write("a", "1");
    scratch.git(&["add", "a"]);
    let repo = open_in(&scratch.root);
    assert_eq!(staged(&repo), ["+a"]);
    assert_eq!(repo.head_branch().unwrap().unwrap(), "refs/heads/main");
}

#[test]
fn the_search_goes_upwards_and_stops_at_a_ceiling() {
    let (scratch, _, two) = two_commits();
    let below = scratch.root.join("dir");
    let repo = open_in(&below);
    assert_eq!(repo.head().unwrap(), Some(id(&two)));
    assert_eq!(repo.work_dir.as_deref(), Some(&*scratch.root));
    let ceilings = vec![scratch.root.clone()];
    assert!(refused(&Env { ceilings, ..env() }, &below).message.contains("not inside a git repository"));
    refused(&env(), &scratch.base);
}

#[test]
fn the_index_of_the_environment_is_judged() {
    let (scratch, ..) = two_commits();
    std::fs::copy(scratch.root.join(".git/index"), scratch.root.join("other-index")).unwrap();
    scratch.write("staged", "1");
    scratch.git(&["add", "staged"]);
    assert_eq!(staged(&open_in(&scratch.root)), ["+staged"]);
    // relative to the top, as git reads it, in every current directory
    for cwd in [&scratch.root, &scratch.root.join("dir")] {
        let repo = Repo::open(&Env { index_file: Some("other-index".into()), ..env() }, cwd).unwrap();
        assert!(staged(&repo).is_empty());
    }
    let repo = Repo::open(&Env { index_file: Some("missing".into()), ..env() }, &scratch.root).unwrap();
    assert_eq!(staged(&repo), ["-dir/a"], "git takes a missing index for an empty one");
}

#[test]
fn linked_work_trees_submodules_and_separate_directories() {
    let (scratch, one, two) = two_commits();
    scratch.git(&["worktree", "add", "-q", "--detach", "../linked", &one]);
    let linked = open_in(&scratch.base.join("linked"));
    assert_eq!(linked.head().unwrap(), Some(id(&one)));
    assert_eq!(linked.resolve("main").unwrap(), id(&two));
    assert_eq!(linked.common_dir.canonicalize().unwrap(), scratch.root.join(".git"));

    scratch.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", "../repo", "sub"]);
    let sub = open_in(&scratch.root.join("sub/dir"));
    assert_eq!(sub.work_dir.as_ref().unwrap().canonicalize().unwrap(), scratch.root.join("sub"));
    assert_eq!(sub.head().unwrap(), Some(id(&two)));
    assert_eq!(staged(&open_in(&scratch.root)), ["+.gitmodules", "+sub"]);

    scratch.git(&["clone", "-q", "--separate-git-dir=../apart", ".", "../cloned"]);
    assert_eq!(open_in(&scratch.base.join("cloned")).head().unwrap(), Some(id(&two)));
}

#[test]
fn bare_repositories_open_unless_they_came_with_a_clone() {
    let (scratch, _, two) = two_commits();
    scratch.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = scratch.base.join("bare.git");
    let repo = open_in(&bare);
    assert_eq!((repo.head().unwrap(), repo.work_dir), (Some(id(&two)), None));
    // as git calls pre-receive
    let received = Env { git_dir: Some(".".into()), ..env() };
    assert_eq!(Repo::open(&received, &bare).unwrap().work_dir, None);

    scratch.git(&["clone", "-q", "--bare", ".", "embedded"]);
    let embedded = scratch.root.join("embedded");
    assert!(refused(&env(), &embedded).message.contains("not trusted"));
    Repo::open(&Env { git_dir: Some(embedded.clone()), ..env() }, &embedded).unwrap();
    // its hooks directory is git's own, not a foreign one
    open_in(&scratch.root.join(".git"));
}

#[test]
fn somebody_elses_repository_is_refused_with_the_line_that_trusts_it() {
    let (scratch, ..) = two_commits();
    let error = refused(&Env { assume_different_owner: true, ..env() }, &scratch.root);
    let line = format!("git config --global --add safe.directory {}", scratch.root.display());
    assert!(error.hints[0].ends_with(&line), "{:?}", error.hints);
    refused(&Env { euid: env().euid + 1, ..env() }, &scratch.root);
    // naming the repository means trusting it, as with git
    let named = Env { git_dir: Some(".git".into()), assume_different_owner: true, ..env() };
    Repo::open(&named, &scratch.root).unwrap();
}

#[test]
fn objects_of_the_environment_are_seen() {
    let (scratch, _, two) = two_commits();
    let aside = scratch.base.join("aside");
    std::fs::rename(scratch.root.join(".git/objects"), &aside).unwrap();
    std::fs::create_dir(scratch.root.join(".git/objects")).unwrap();
    let tree = |env: &Env| Repo::open(env, &scratch.root).unwrap().tree_of(&id(&two)).unwrap();
    assert_eq!(tree(&env()), None);
    assert!(tree(&Env { alternates: vec![aside.clone()], ..env() }).is_some());
    assert!(tree(&Env { object_dir: Some(aside.clone()), ..env() }).is_some());
    std::fs::create_dir(scratch.root.join(".git/objects/info")).unwrap();
    std::fs::write(scratch.root.join(".git/objects/info/alternates"), "../../../aside\n").unwrap();
    assert!(tree(&env()).is_some());
}

#[test]
fn what_only_git_reads_right_is_left_to_it() {
    let (scratch, _, _) = two_commits();
    let is_native = |env: &Env| Repo::open(env, &scratch.root).is_ok_and(|repo| repo.backend == Backend::Native);
    assert!(is_native(&env()));
    scratch.git(&["config", "extensions.partialClone", "origin"]);
    assert!(!is_native(&env()));
    scratch.git(&["config", "--unset", "extensions.partialClone"]);
    is_left_to_git("--object-format=sha256");
}

/// A repository of this form.
#[track_caller]
fn is_left_to_git(form: &str) {
    let other = Scratch::with_init(&[form]);
    assert!(!Repo::open(&env(), &other.root).is_ok_and(|repo| repo.backend == Backend::Native));
}

mod needs_reftable {
    use super::*;

    #[test]
    #[ignore = "needs a git with reftable"]
    fn refs_that_only_git_reads_are_left_to_it() {
        is_left_to_git("--ref-format=reftable");
    }
}

#[test]
fn revisions_resolve_as_git_resolves_them() {
    let (scratch, one, two) = two_commits();
    scratch.git(&["tag", "-a", "v1", "-m", "v1", &one]);
    scratch.git(&["tag", "-a", "v1-again", "-m", "x", "v1"]);
    scratch.git(&["branch", "feature/x", &one]);
    scratch.git(&["update-ref", "refs/remotes/origin/main", &one]);
    scratch.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    let names =
        ["HEAD", "@", "main", "main~1", "HEAD^", "@~", "v1", "v1-again^{commit}", "tags/v1", "feature/x", "origin"];
    let short = two[..9].to_owned();
    for _ in 0..2 {
        let repo = open_in(&scratch.root);
        for name in names.into_iter().chain([&*short, &*one, "refs/heads/main"]) {
            let commit = scratch.git(&["rev-parse", &format!("{name}^{{commit}}")]);
            assert_eq!(repo.resolve(name).unwrap(), id(&commit), "{name}");
        }
        assert_eq!(repo.refs(b"refs/heads/").unwrap().len(), 2);
        for name in ["nope", "main~9", "HEAD^2", "-x", "--output=/tmp/x", "main..v1", "../config", "config", ""] {
            assert_eq!(repo.resolve(name).unwrap_err().kind, ErrorKind::Usage, "{name}");
        }
        assert_eq!(repo.parents(&id(&two)).unwrap(), [id(&one)]);
        scratch.git(&["pack-refs", "--all"]);
        scratch.git(&["gc", "-q"]);
    }
    std::fs::write(scratch.root.join(".git/refs/heads/torn"), "").unwrap();
    assert_eq!(open_in(&scratch.root).resolve("torn").unwrap_err().kind, ErrorKind::Unchecked);
}

#[test]
fn the_other_sides_of_a_merge_are_known() {
    let (scratch, one, _) = two_commits();
    scratch.git(&["checkout", "-q", "-b", "side", &one]);
    scratch.write("dir/a", "3");
    let side = scratch.commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    assert!(open_in(&scratch.root).merge_heads().unwrap().is_empty());
    scratch.try_git(&["merge", "side"]).expect(1);
    let repo = open_in(&scratch.root);
    assert_eq!(repo.merge_heads().unwrap(), [id(&side)]);
    let base = repo.tree_of(&repo.head().unwrap().unwrap()).unwrap();
    let conflict = &repo.staged(base).unwrap().changes[0];
    assert!(conflict.unmerged && conflict.new.is_none() && conflict.old.is_some());
    let view = repo.index_view().unwrap();
    assert!(view.read(&path("dir/a")).unwrap_err().message.contains("in conflict"));
    scratch.git(&["merge", "--abort"]);
    let told = Env { git_heads: vec![id(&side), id(&"1".repeat(40))], ..env() };
    assert_eq!(Repo::open(&told, &scratch.root).unwrap().merge_heads().unwrap(), [id(&side)]);
    scratch.try_git(&["cherry-pick", "side"]).expect(1);
    assert!(open_in(&scratch.root).merge_heads().unwrap().is_empty(), "what is picked is no parent");
}

#[test]
fn the_hook_of_a_clean_merge_knows_the_other_side() {
    let (scratch, one, two) = two_commits();
    scratch.git(&["checkout", "-q", "-b", "side", &one]);
    scratch.write("new", "3");
    let side = scratch.commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    let hook = scratch.root.join(".git/hooks/pre-merge-commit");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nenv -0 > ../environment\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    scratch.try_git(&["merge", "--no-ff", "-m", "x", "side"]).expect(1);
    // git leaves MERGE_HEAD after a refusal; while the hook ran there was none
    std::fs::remove_file(scratch.root.join(".git/MERGE_HEAD")).unwrap();
    let told = std::fs::read_to_string(scratch.base.join("environment")).unwrap();
    let vars = told.split('\0').filter_map(|line| line.split_once('='));
    let told = Env { euid: env().euid, ..Env::from_vars(vars.map(|(name, value)| (name.into(), value.into()))) };
    let repo = Repo::open(&told, &scratch.root).unwrap();
    assert_eq!((repo.head().unwrap(), repo.merge_heads().unwrap()), (Some(id(&two)), vec![id(&side)]));
    assert_eq!(staged(&repo), ["+new"]);
}

#[test]
fn anchors_are_found_or_said_to_be_missing() {
    let (scratch, one, two) = two_commits();
    let repo = open_in(&scratch.root);
    let anchor = |repo: &Repo, commit: &Oid| repo.history().anchor(commit).unwrap();
    let Anchor::Tree(tree) = anchor(&repo, &id(&one)) else { panic!("a tree") };
    assert_eq!(tree.read(&path("dir/a")).unwrap().unwrap(), b"1");
    let tree = repo.tree_of(&id(&two)).unwrap().unwrap();
    assert!(matches!(anchor(&repo, &tree), Anchor::NotACommit));
    let none = id(&"1".repeat(40));
    assert!(matches!(anchor(&repo, &none), Anchor::Missing(MissingAnchor::Pruned)));
    assert!(matches!(anchor(&repo, &id(&"1".repeat(64))), Anchor::Missing(MissingAnchor::Pruned)));
    let from = format!("file://{}", scratch.root.display());
    scratch.git(&["clone", "-q", "--depth=1", &from, "../shallow"]);
    let shallow = open_in(&scratch.base.join("shallow"));
    assert!(shallow.shallow && shallow.parents(&id(&two)).unwrap().is_empty());
    assert!(matches!(anchor(&shallow, &id(&one)), Anchor::Missing(MissingAnchor::Shallow)));
}

#[test]
fn views_of_one_content_agree() {
    let (scratch, ..) = two_commits();
    scratch.write("dir/deep/b", "22");
    scratch.write("dir.x", "");
    std::os::unix::fs::symlink("dir/a", scratch.root.join("link")).unwrap();
    scratch.commit("three");
    let repo = open_in(&scratch.root);
    let commit = repo.commit_view(&repo.head().unwrap().unwrap()).unwrap();
    let index = repo.index_view().unwrap();
    for view in [&commit, &index] {
        let names = |dir: &str| -> Vec<String> {
            view.children(&RepoPath::root().join(dir.as_bytes()).unwrap())
                .unwrap()
                .iter()
                .map(|(name, _)| name.to_string())
                .collect()
        };
        assert_eq!(names("."), ["dir", "dir.x", "link"]);
        assert_eq!(names("dir"), ["a", "deep"]);
        assert!(names("dir/a").is_empty() && names("none").is_empty());
        assert_eq!(view.size(&path("dir/deep/b")).unwrap(), Some(2));
        assert_eq!(view.read(&path("link")).unwrap().unwrap(), b"dir/a");
        assert_eq!(view.entry(&path("link")).unwrap().unwrap().kind, Kind::Link);
        assert_eq!(view.read(&path("dir")).unwrap(), None);
        assert_eq!(view.entry(&path("link/x")).unwrap(), None);
        assert_eq!(view.files(&path("dir/a"), &|_| true).unwrap().len(), 1);
    }
    for dir in ["dir", "dir/deep"] {
        assert_eq!(
            commit.entry(&path(dir)).unwrap(),
            index.entry(&path(dir)).unwrap(),
            "ids of directories are cached"
        );
    }
}

#[test]
fn what_is_only_intended_to_be_added_is_not_in_the_index() {
    let (scratch, ..) = two_commits();
    scratch.write("new/intended", "1");
    scratch.git(&["add", "-N", "new/intended"]);
    let repo = open_in(&scratch.root);
    assert!(staged(&repo).is_empty());
    let view = repo.index_view().unwrap();
    assert_eq!((view.entry(&path("new/intended")).unwrap(), view.entry(&path("new")).unwrap()), (None, None));
    assert_eq!(view.children(&RepoPath::root()).unwrap().len(), 1);
}

/// Writes a tree object as it is; returns its id.
fn hostile_tree(scratch: &Scratch, name: &str, target: &str) -> String {
    let mut raw = format!("100644 {name}\0").into_bytes();
    raw.extend_from_slice(id(target).as_bytes());
    let file = scratch.base.join("raw-tree");
    std::fs::write(&file, raw).unwrap();
    scratch.git(&["hash-object", "-t", "tree", "--literally", "-w", file.to_str().unwrap()])
}

#[test]
fn trees_that_git_would_refuse_are_refused() {
    let (scratch, ..) = two_commits();
    let blob = scratch.git(&["rev-parse", "HEAD:dir/a"]);
    for name in ["..", ".git", ".GIT", "a/b", ""] {
        let tree = hostile_tree(&scratch, name, &blob);
        let commit = scratch.git(&["commit-tree", "-m", "x", &tree]);
        let repo = open_in(&scratch.root);
        let view = repo.commit_view(&id(&commit)).unwrap();
        assert_eq!(view.files(&RepoPath::root(), &|_| true).unwrap_err().kind, ErrorKind::Unchecked, "{name}");
        assert!(repo.tree_diff(None, Some(id(&tree))).is_err());
    }
}

fn loose(scratch: &Scratch, id: &str) -> PathBuf {
    scratch.root.join(".git/objects").join(&id[..2]).join(&id[2..])
}

#[test]
fn missing_and_damaged_objects_are_errors() {
    let (scratch, ..) = two_commits();
    scratch.write("dir/a", "3");
    scratch.git(&["add", "."]);
    let tree = scratch.git(&["write-tree"]);
    let repo = open_in(&scratch.root);
    let base = repo.tree_of(&repo.head().unwrap().unwrap()).unwrap();
    assert_eq!(repo.staged(base).unwrap().way, Way::CachedRoot);
    // the cached tree's object was never written: the entries still give the answer
    std::fs::remove_file(loose(&scratch, &tree)).unwrap();
    assert_eq!(open_in(&scratch.root).staged(base).unwrap().way, Way::Walk);
    // the base itself is missing
    std::fs::remove_file(loose(&scratch, &base.unwrap().to_string())).unwrap();
    assert_eq!(open_in(&scratch.root).staged(base).unwrap_err().kind, ErrorKind::Unchecked);
    let blob = scratch.git(&["rev-parse", ":dir/a"]);
    let view = open_in(&scratch.root).index_view().unwrap();
    assert_eq!(view.read(&path("dir/a")).unwrap().unwrap(), b"3");
    let file = loose(&scratch, &blob);
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "no zlib").unwrap();
    assert_eq!(view.read(&path("dir/a")).unwrap_err().kind, ErrorKind::Unchecked);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        open_in(&scratch.root).index_view().unwrap().read(&path("dir/a")).unwrap_err().kind,
        ErrorKind::Unchecked
    );
}

#[test]
fn the_objects_themselves_are_read_both_ways_whatever_replaces_them() {
    let (scratch, one, two) = two_commits();
    let id = |text: &str| yatsu_hook::tree::oid::Oid::from_hex(text.as_bytes()).expect("an id");
    let tree = scratch.git(&["rev-parse", &format!("{two}^{{tree}}")]);
    scratch.git(&["replace", &two, &one]);
    scratch.write(".git/info/grafts", format!("{two}\n"));
    let path = ("PATH".into(), std::env::var_os("PATH").expect("a PATH"));
    let env = Env { all: [path].into(), ..env() };
    for by_program in [false, true] {
        if by_program {
            scratch.git(&["config", "extensions.partialClone", "nowhere"]);
        }
        let repo = Repo::open(&env, &scratch.root).expect("a repository");
        assert_eq!(repo.backend == Backend::Program, by_program);
        assert_eq!(repo.tree_of(&id(&two)).expect("read"), Some(id(&tree)));
        assert_eq!(repo.parents(&id(&two)).expect("read"), [id(&one)]);
        assert_eq!(repo.merge_base(&id(&one), &id(&two)).expect("read"), Some(id(&one)));
        let wanted = NewCommits { tips: vec![id(&two)], ..NewCommits::default() };
        assert_eq!(repo.new_commits(&wanted).expect("read").len(), 2);
    }
}

#[test]
fn an_untracked_cache_behind_the_cached_root_does_not_hide_it() {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "1");
    scratch.write("src/b.rs", "1");
    scratch.commit("first");
    scratch.git(&["update-index", "--force-untracked-cache"]);
    scratch.write("src/a.rs", "2");
    scratch.write("untracked/x", "x");
    scratch.git(&["add", "src/a.rs"]);
    scratch.git(&["write-tree"]);
    scratch.git(&["status", "--short"]);
    let index = std::fs::read(scratch.root.join(".git/index")).unwrap();
    let place = |name: &[u8]| index.windows(4).rposition(|four| four == name).expect("the extension");
    assert!(place(b"TREE") < place(b"UNTR"), "git writes them in this order");
    let repo = open_in(&scratch.root);
    let tree = repo.tree_of(&repo.head().unwrap().unwrap()).unwrap();
    let staged = repo.staged(tree).unwrap();
    let paths: Vec<_> = staged.changes.iter().map(|change| change.path.clone()).collect();
    assert_eq!((staged.way, paths), (Way::CachedRoot, vec![path("src/a.rs")]));
}
