//! One commit has one digest: in every clone, with every reader, with or without local facts.

use super::{digest, graph, measured, repository};
use crate::support::{Dice, Said, Scratch, hermetic, program, reading, scenarios};
use std::fs;
use std::path::{Path, PathBuf};

/// A repository with several nodes, ledgers, a run log and evidence, committed.
fn busy() -> Scratch {
    let s = repository();
    measured(&s, "fail", 1);
    for (at, dir) in ["a", "b/c", "z"].iter().enumerate() {
        s.write(&format!("src/{at}.rs"), "x\n");
        s.write(&format!(".spec/{dir}/yatsu.md"), scenarios(&[("works", &format!("src/{at}.rs")), ("more", "")]));
        s.write(&format!(".spec/{dir}/spec.md"), format!("---\ncode:\n  - src/{at}.rs\n---\n"));
        reading(&s, &format!(".spec/{dir}"), "works", "pass", 2);
        reading(&s, &format!(".spec/{dir}"), "more", "fail", 3);
    }
    s.write(".yatsu/runs/r1.jsonl", "{\"ts\":\"2026-01-01T00:00:00Z\",\"event\":\"_index\"}\n");
    s.commit("measured");
    s.write("out.txt", "seen");
    s.yatsu(&["eval", "n", "--scenario", "works", "--pass", "--result", "out.txt"]).expect(0);
    fs::remove_file(s.root.join("out.txt")).expect("removed");
    s.write("src/0.rs", "y\n");
    s.commit("filed");
    s
}

fn digest_at(s: &Scratch, dir: &Path) -> String {
    let mut command = hermetic(program(), &s.home());
    let said = Said::of(command.current_dir(dir).args(["graph", "digest"]).output().expect("the program"));
    said.expect(0).out.trim().to_owned()
}

#[test]
fn one_commit_has_one_digest_in_every_kind_of_clone() {
    let s = busy();
    let expected = digest(&s, &[]);
    let from = format!("file://{}", s.root.display());
    let at = |name: &str| s.base.join(name);
    s.git(&["clone", "-q", &from, &at("clone").display().to_string()]);
    s.git(&["clone", "-q", "--mirror", &from, &at("mirror").display().to_string()]);
    s.git(&["clone", "-q", "--depth", "3", &from, &at("shallow").display().to_string()]);
    s.git(&["worktree", "add", "-q", &at("linked").display().to_string(), "-b", "linked"]);
    for name in ["clone", "mirror", "shallow", "linked"] {
        assert_eq!(digest_at(&s, &at(name)), expected, "{name}");
    }
    s.git(&["branch", "-q", "side"]);
    s.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(digest(&s, &[]), expected, "after gc and with another branch");
    assert_eq!(digest(&s, &["--rev", "HEAD"]), expected);
    fs::remove_dir_all(s.root.join(".git/spexcode")).expect("the cache");
    assert_eq!(digest(&s, &[]), expected, "without the bytes of evidence");
}

#[test]
fn a_commit_that_is_not_here_is_said_and_in_no_digest() {
    let s = busy();
    let from = format!("file://{}", s.root.display());
    let lean = s.base.join("lean");
    s.git(&["clone", "-q", "--depth", "1", &from, &lean.display().to_string()]);
    let mut command = hermetic(program(), &s.home());
    let said = command.current_dir(&lean).args(["graph", "show", "--format", "json"]).output().expect("the program");
    let said = Said::of(said).expect(0).out;
    assert!(said.contains("\"stale\":[\"anchor\"]"), "{said}");
    assert!(!graph(&s, &[]).to_string().contains("\"anchor\""));
}

#[test]
fn both_readers_of_a_repository_see_one_graph() {
    let s = busy();
    let expected = digest(&s, &[]);
    s.git(&["config", "core.repositoryFormatVersion", "1"]);
    s.git(&["config", "extensions.partialClone", "origin"]);
    let told = s.yatsu(&["check", "--format", "json"]).out;
    assert!(told.contains("\"backend\":\"git\""), "{told}");
    assert_eq!(digest(&s, &[]), expected);
}

#[test]
fn what_is_not_committed_is_in_the_working_tree_alone() {
    let s = busy();
    let before = digest(&s, &[]);
    measured(&s, "fail", 50);
    assert_ne!(digest(&s, &[]), before);
    assert_eq!(digest(&s, &["--rev", "HEAD"]), before);
}

mod needs_corpus {
    use super::*;

    /// A clone of the recorded history.
    fn corpus(s: &Scratch) -> PathBuf {
        let bundle = crate::support::corpus();
        let at = s.base.join("corpus");
        s.git(&["clone", "-q", "-b", "main", &bundle.display().to_string(), &at.display().to_string()]);
        at
    }

    #[test]
    #[ignore = "needs the corpus beside the repository"]
    fn the_recorded_history_has_one_digest_wherever_it_lies() {
        let s = Scratch::new();
        let corpus = corpus(&s);
        let expected = digest_at(&s, &corpus);
        let (from, at) = (format!("file://{}", corpus.display()), |name: &str| s.base.join(name));
        let show = |path: &Path| path.display().to_string();
        let count: usize = s.git(&["-C", &show(&corpus), "rev-list", "--count", "HEAD"]).parse().expect("a number");
        s.git(&["clone", "-q", &from, &show(&at("clone"))]);
        s.git(&["clone", "-q", "--mirror", &from, &show(&at("mirror"))]);
        s.git(&["clone", "-q", "--depth", &(count - 1).to_string(), &from, &show(&at("shallow"))]);
        s.git(&["-C", &show(&corpus), "worktree", "add", "-q", "--detach", &show(&at("linked"))]);
        let place =
            tempfile::tempdir_in(if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" }).expect("a place");
        let shuffled = place.path().join("shuffled");
        s.git(&["clone", "-q", "--no-checkout", &from, &show(&shuffled)]);
        copied_in_any_order(&s, &corpus, &shuffled, 9);
        s.git(&["-C", &show(&shuffled), "reset", "-q"]);
        for place in [&at("clone"), &at("mirror"), &at("shallow"), &at("linked"), &shuffled] {
            assert_eq!(digest_at(&s, place), expected, "{}", place.display());
        }
        s.git(&["-C", &show(&corpus), "gc", "-q", "--prune=now"]);
        assert_eq!(digest_at(&s, &corpus), expected, "after gc");
        s.git(&["-C", &show(&corpus), "config", "core.repositoryFormatVersion", "1"]);
        s.git(&["-C", &show(&corpus), "config", "extensions.partialClone", "origin"]);
        assert_eq!(digest_at(&s, &corpus), expected, "as the git program reads it");
    }
}

/// Writes the files of `from` below `to` in an order given by a seed, because a tmpfs lists a directory in the order of
/// creation.
fn copied_in_any_order(s: &Scratch, from: &Path, to: &Path, seed: u64) {
    let mut dice = Dice(seed);
    let listed = s.git(&["-C", &from.display().to_string(), "ls-files"]);
    let mut files: Vec<&str> = listed.lines().collect();
    for at in (1..files.len()).rev() {
        files.swap(at, dice.roll(at + 1));
    }
    for file in files {
        let (from, to) = (from.join(file), to.join(file));
        fs::create_dir_all(to.parent().expect("a parent")).expect("directories");
        match fs::read_link(&from) {
            Ok(target) => std::os::unix::fs::symlink(target, &to).expect("a link"),
            Err(_) => drop(fs::copy(&from, &to).expect("a file")),
        }
    }
}

#[test]
fn a_listing_in_any_order_makes_one_digest() {
    let s = busy();
    let expected = digest(&s, &[]);
    let shared = Path::new("/dev/shm");
    let place = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() }.expect("a directory");
    for seed in 0..4 {
        let at = place.path().join(seed.to_string());
        s.git(&["clone", "-q", "--no-checkout", &s.root.display().to_string(), &at.display().to_string()]);
        copied_in_any_order(&s, &s.root, &at, seed);
        s.git(&["-C", &at.display().to_string(), "reset", "-q"]);
        assert_eq!(digest_at(&s, &at), expected, "{seed}");
    }
}
