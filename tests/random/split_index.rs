//! A split index: its cached root tree answers staged queries if it counts the entries of both files; git gives the second
//! opinion. `YATSU_FULL=1` runs twenty times as many seeds.

#![allow(clippy::unwrap_used)]

use crate::staged::{Lab, Seen, live};
use crate::support::{Scratch, real};
use std::path::PathBuf;
use yatsu_hook::repo::native::index::Index;
use yatsu_hook::repo::native::map::Map;
use yatsu_hook::repo::native::staged::{Staged, Way};
use yatsu_hook::repo::native::tree_ext::find_from_end;
use yatsu_hook::repo::open::env::Env;
use yatsu_hook::tree::oid::HashKind;

/// `few` seeds, or twenty times as many.
fn seeds(few: u64) -> u64 {
    few * if std::env::var_os("YATSU_FULL").is_some() { 20 } else { 1 }
}

#[test]
fn what_is_staged_in_a_split_index_is_told_as_git_tells_it() {
    let path = ("PATH".into(), std::env::var_os("PATH").unwrap());
    let mut env = Env::from_vars([path, ("GIT_CONFIG_NOSYSTEM".into(), "1".into())]);
    env.euid = rustix::process::geteuid().as_raw();
    let mut seen = Seen { env, ..Seen::default() };
    for seed in crate::support::seeds(60, 1200) {
        // other seeds than in the test of whole indexes
        let lab = Lab::new(seed + 2_000_000);
        let version = ["2", "3", "4"][(seed / 3) as usize % 3];
        for (key, value) in [("core.splitIndex", "true"), ("index.version", version), ("index.skipHash", "false")] {
            lab.scratch.git(&["config", key, value]);
        }
        let percent = ["0", "20", "100"][seed as usize % 3];
        lab.scratch.git(&["config", "splitIndex.maxPercentChange", percent]);
        live(lab, seed, &mut seen);
    }
    assert!(seen.cached_root > seeds(60) as usize / 2, "{} by the cached root", seen.cached_root);
}

/// A repository of twelve files with a split index.
fn split() -> Scratch {
    let scratch = Scratch::new();
    for number in 10..22 {
        scratch.write(&format!("d/f{number}"), format!("{number}\n"));
        // git replaces an entry that is as young as the index
        let file = std::fs::File::open(scratch.root.join(format!("d/f{number}"))).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)).unwrap();
    }
    scratch.commit("first");
    scratch.git(&["config", "splitIndex.maxPercentChange", "100"]);
    scratch.git(&["update-index", "--split-index"]);
    scratch
}

fn staged(scratch: &Scratch) -> Staged {
    let repo = real::repo(scratch);
    let head = repo.head().unwrap().unwrap();
    repo.staged(repo.tree_of(&head).unwrap()).unwrap()
}

fn told(scratch: &Scratch) -> (Way, Vec<String>) {
    let staged = staged(scratch);
    (staged.way, staged.changes.iter().map(|change| change.path.to_string()).collect())
}

fn shared_file(scratch: &Scratch) -> PathBuf {
    let files = std::fs::read_dir(scratch.root.join(".git")).unwrap().map(|entry| entry.unwrap().path());
    let mut shared = files.filter(|path| path.to_string_lossy().contains("sharedindex."));
    shared.next().expect("the index is split")
}

#[test]
fn entries_that_are_changed_added_and_deleted_are_counted() {
    let scratch = split();
    scratch.write("d/f10", "other\n");
    scratch.write("d/g", "new\n");
    scratch.write("e/h", "new\n");
    std::fs::remove_file(scratch.root.join("d/f20")).unwrap();
    std::fs::remove_file(scratch.root.join("d/f21")).unwrap();
    scratch.git(&["add", "-A"]);
    assert_eq!(told(&scratch).0, Way::Program, "no cached tree");
    scratch.git(&["write-tree"]);
    let bytes = std::fs::read(scratch.root.join(".git/index")).unwrap();
    let index = Index::new(Map::owned(bytes.clone()), HashKind::Sha1).unwrap();
    let found = find_from_end(&bytes, index.trailer(), index.count(), HashKind::Sha1).unwrap();
    assert!(found.link.is_some() && index.count() == 3, "one is replaced, two are added");
    let paths = ["d/f10", "d/f20", "d/f21", "d/g", "e/h"].map(String::from);
    assert_eq!(told(&scratch), (Way::CachedRoot, paths.to_vec()));
}

#[test]
fn a_shared_index_that_is_another_one_or_gone_is_gits_to_read() {
    let scratch = split();
    scratch.write("d/g", "new\n");
    scratch.git(&["add", "-A"]);
    scratch.git(&["write-tree"]);
    assert_eq!(told(&scratch).0, Way::CachedRoot);
    let shared = shared_file(&scratch);
    let whole = std::fs::read(&shared).unwrap();
    let mut fewer = whole.clone();
    fewer[11] -= 1;
    let mut other = whole.clone();
    *other.last_mut().unwrap() ^= 1;
    for bytes in [&fewer[..], &other, &whole[..10], b""] {
        std::fs::remove_file(&shared).unwrap();
        std::fs::write(&shared, bytes).unwrap();
        assert!(by_git(&scratch), "git alone may answer");
    }
    std::fs::remove_file(&shared).unwrap();
    assert!(by_git(&scratch), "git alone may answer");
}

/// Whether the answer did not come from the cached root tree.
fn by_git(scratch: &Scratch) -> bool {
    let repo = real::repo(scratch);
    let head = repo.head().unwrap().unwrap();
    repo.staged(repo.tree_of(&head).unwrap()).is_ok_and(|staged| staged.way != Way::CachedRoot)
        || repo.staged(repo.tree_of(&head).unwrap()).is_err()
}
