//! Answers to wrong commands in wrong places.

use crate::support::{Scratch, hermetic, one_node, program};
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

/// The program in `dir`, in a hermetic environment.
fn typed(scratch: &Scratch, dir: &std::path::Path, args: &[&str]) -> Command {
    let mut command = hermetic(program(), &scratch.home());
    command.current_dir(dir).args(args);
    Command::from_std(command)
}

#[test]
fn the_wrong_directory_is_named_with_the_way_out() {
    let scratch = Scratch::new();
    for verb in ["check", "scan", "pre-commit", "run"] {
        typed(&scratch, &scratch.base, &[verb])
            .assert()
            .code(3)
            .stdout(predicate::str::is_empty())
            .stderr(contains("not inside a git repository").and(contains("hint: ")));
    }
    typed(&scratch, &scratch.base, &["-C", "nowhere", "scan"]).assert().code(2).stderr(contains("not a directory"));
}

#[test]
fn wrong_flags_and_verbs_are_misuse() {
    let scratch = Scratch::new();
    let cases: [(&[&str], &str); 13] = [
        (&["chekc"], "did you mean check?"),
        (&["check", "--stagged"], "'--staged'"),
        (&["check", "--to", "HEAD"], "--from"),
        (&["check", "--inherited", "list"], "--from"),
        (&["status"], "yatsu-hook scan"),
        (&["verify"], "yatsu-hook check"),
        (&["share", "status"], "how sharing stands: yatsu-hook share\n"),
        (&["share", "verify"], "what the remote lacks: yatsu-hook share check\n"),
        (&["claim", "status"], "who holds what: yatsu-hook claim ls\n"),
        (&["goal", "status"], "which goals are reached: yatsu-hook goal check\n"),
        (&["runlog", "status"], "all runs: yatsu-hook runlog ls\n"),
        (&["patch", "verify"], "how far each branch has come: yatsu-hook patch ls\n"),
        (&["evidence", "verify"], "whether the bytes are what their names say: yatsu-hook evidence check\n"),
    ];
    for (args, said) in cases {
        typed(&scratch, &scratch.root, args).assert().code(2).stdout(predicate::str::is_empty()).stderr(contains(said));
    }
}

#[test]
fn help_answers_on_standard_output() {
    let scratch = Scratch::new();
    let explains_codes = contains("Exit codes").and(contains("could not check")).and(contains("does not prove"));
    typed(&scratch, &scratch.base, &["--help"]).assert().success().stdout(explains_codes).stderr("");
    typed(&scratch, &scratch.base, &["check", "--help"]).assert().success().stdout(contains("Examples:"));
}

#[test]
fn a_name_that_means_nothing_is_no_clean_answer() {
    let scratch = one_node();
    let cases: [(&[&str], &str); 7] = [
        (&["validate", "--", "nope.md"], "there is no nope.md"),
        (&["validate", "--", ".spec/n"], "a directory"),
        (&["check", "--", "nope"], "there is no nope"),
        (&["scan", "--tag", "clii"], "not in lint.scenarioTags"),
        (&["ls", "--tag", "clii"], "not in lint.scenarioTags"),
        (&["merge-ledger", "src/a.rs", "src/a.rs", "src/a.rs", "README.md"], "is no ledger"),
        (&["merge-ledger", "src/a.rs", "src/a.rs", "src/a.rs", "n/myevals.ndjson"], "is no ledger"),
    ];
    for (args, said) in cases {
        typed(&scratch, &scratch.root, args).assert().code(2).stderr(contains(said));
    }
    assert_eq!(scratch.read("src/a.rs"), "fn a() {}\n", "what is no ledger is not merged");
}
