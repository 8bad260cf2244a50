//! One commit has one digest: in every clone, whatever reads it, with or without what is local.

use super::{digest, graph, measured, repository};
use crate::support::{Said, Scratch, hermetic, program, reading, scenarios};
use std::path::Path;

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
    std::fs::remove_file(s.root.join("out.txt")).expect("removed");
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
    std::fs::remove_dir_all(s.root.join(".git/spexcode")).expect("the cache");
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
