//! Answers to wrong commands in wrong places.

use crate::support::{Scratch, hermetic, one_node, program, validate_published};
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

/// A mistyped word and what was meant, by people's hints and by those of programs.
#[test]
fn a_slip_gets_what_was_meant_also_as_a_document() {
    let scratch = one_node();
    let cases: [(&[&str], &str); 9] = [
        (&["evl"], "did you mean eval?"),
        (&["help", "evl"], "did you mean eval?"),
        (&["help", "evidence", "gt"], "did you mean get?"),
        (&["list"], "did you mean ls?"),
        (&["help", "list"], "did you mean ls?"),
        (&["claim", "list"], "did you mean ls?"),
        (&["eval", "n/wroks", "--pass"], "did you mean n/works?"),
        (&["show", "m/works"], "did you mean n/works?"),
        (&["ls", "n/wrks"], "did you mean n/works?"),
    ];
    for (args, said) in cases {
        let people = scratch.yatsu(args).expect(2);
        assert!(people.err.contains(&format!("  hint: {said}\n")), "{args:?}: {}", people.err);
        assert_eq!(people.out, "", "{args:?}");
        for format in [&["--format", "json"][..], &["--format=json"]] {
            let program = scratch.yatsu(&[args, format].concat()).expect(2);
            let document = validate_published(&program.out);
            let hints = document["hints"].as_array().expect("a list");
            assert!(document["reason"] == "usage" && hints.iter().any(|hint| hint == said), "{args:?}: {document}");
        }
    }
    let flag = validate_published(&scratch.yatsu(&["ls", "--taag", "x", "--format", "json"]).expect(2).out);
    assert_eq!(flag["hints"][0], "a similar argument exists: '--tag'", "{flag}");
    let sarif = scratch.yatsu(&["scan", "--taag", "x", "--format", "sarif"]).expect(2);
    assert_eq!(sarif.out, "");
}

#[test]
fn what_a_program_needs_is_a_document() {
    let scratch = one_node();
    let json =
        |args: &[&str]| validate_published(&scratch.yatsu(&[args, &["--format", "json"]].concat()).expect(0).out);
    let token = json(&["begin", "n"])["token"].as_str().expect("a token").to_owned();
    assert_eq!(scratch.yatsu(&["begin", "n"]).expect(0).out, format!("{token}\n"));
    let text = "long enough to be worth a name of its own, \u{e9}\n";
    scratch.write("../out.txt", text);
    let put = |file: &str| json(&["evidence", "put", file])["hash"].as_str().expect("a hash").to_owned();
    let piece = json(&["evidence", "get", &put("../out.txt")]);
    assert_eq!((&piece["text"], &piece["base64"]), (&text.into(), &serde_json::Value::Null));
    scratch.write("../out.bin", [0xff; 40]);
    let piece = json(&["evidence", "get", &put("../out.bin")]);
    assert_eq!((&piece["text"], &piece["size"]), (&serde_json::Value::Null, &40.into()));
    assert!(piece["base64"].as_str().is_some_and(|text| text.starts_with("////")), "{piece}");
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
