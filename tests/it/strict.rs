//! `--strict`: every warning counts as an error, in every verb.

use crate::support::{Said, Scratch, one_node, reading, reading_line, scenarios};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// A file with almost one of our names: `yatsu-schema`, elsewhere an error, gives only a warning about it.
fn look_alike() -> Scratch {
    let scratch = one_node();
    scratch.write(".spec/n/YATSU.md", scenarios(&[("works", "src/a.rs")]));
    scratch.git(&["add", "-A"]);
    scratch
}

#[test]
fn a_capped_warning_is_an_error_with_strict_in_every_verb() {
    let scratch = look_alike();
    let both = |args: &[&str]| {
        let plain = scratch.yatsu(args).expect(0);
        assert!((plain.out + &plain.err).contains("warning[yatsu-schema]"), "{args:?}");
        let at = args.iter().position(|arg| *arg == "--").unwrap_or(args.len());
        let strict = [&args[..at], &["--strict"], &args[at..]].concat();
        let said = scratch.yatsu(&strict).expect(1);
        assert!((said.out + &said.err).contains("error[yatsu-schema]"), "{strict:?}");
    };
    for args in [&["pre-commit"][..], &["run"], &["check", "--staged"]] {
        both(args);
    }
    let first = scratch.git(&["rev-parse", "HEAD"]);
    let second = scratch.commit("look-alike");
    for args in [&["check"][..], &["check", "--rev", "HEAD"], &["scan"], &["validate", "--", ".spec/n/YATSU.md"]] {
        both(args);
    }
    both(&["check", "--from", &first, "--to", &second]);
}

/// An info is no warning, with or without the flag.
#[test]
fn strict_leaves_what_is_worth_knowing_alone() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "fail", 1);
    scratch.commit("measured");
    let said = scratch.yatsu(&["scan", "--strict"]).expect(0);
    assert!(said.out.contains("info[yatsu-failing]"), "{}", said.out);
}

/// Lines lost by rewriting an unprotected branch are advice, unless all advice counts.
#[test]
fn a_rewritten_branch_that_loses_lines_is_refused_with_strict() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.git(&["init", "-q", "--bare", "../origin.git"]);
    scratch.git(&["remote", "add", "origin", "../origin.git"]);
    scratch.git(&["checkout", "-q", "-b", "topic"]);
    scratch.write(LEDGER, reading_line(&head, "works", "pass", 1));
    let old = scratch.commit("measured");
    scratch.git(&["push", "-q", "origin", "main", "topic"]);
    scratch.git(&["reset", "-q", "--hard", &head]);
    scratch.write("src/b.rs", "fn other() {}\n");
    let new = scratch.commit("another way");
    let env = [
        ("PRE_COMMIT_FROM_REF", old.as_str()),
        ("PRE_COMMIT_TO_REF", &new),
        ("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/topic"),
        ("PRE_COMMIT_REMOTE_BRANCH", "refs/heads/topic"),
        ("PRE_COMMIT_REMOTE_NAME", "origin"),
    ];
    let run = |args: &[&str]| Said::of(scratch.yatsu_command(args).envs(env).output().expect("the program runs"));
    assert!(run(&["run"]).expect(0).err.contains("warning[ledger-history]"));
    assert!(run(&["run", "--strict"]).expect(1).err.contains("error[ledger-history]"));
}
