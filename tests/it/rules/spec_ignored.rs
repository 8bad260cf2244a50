//! `spec-ignored`: files that git ignores are ignored here too, and the user must know.

use super::{all, only, silent, staged};
use crate::support::{BAD, Scratch, hermetic, one_node, program, reading, scenarios};

/// The relevant part of the usual `.gitignore` of Python: the spec files of PyInstaller.
const PYTHON: &str = "__pycache__/\n# PyInstaller\n*.manifest\n*.spec\n";

/// A repository with its only node hidden by the usual, committed `.gitignore` of Python.
fn hidden() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(".gitignore", PYTHON);
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.write(".spec/board/spec.md", "---\ntitle: Board\n---\n");
    scratch.write(".spec/board/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.commit("all that git takes");
    scratch
}

#[test]
fn a_hidden_root_is_said_by_every_verb_that_would_be_silent() {
    let scratch = hidden();
    let found = only(all(&scratch, "spec-ignored"));
    assert_eq!((&found["path"], &found["line"]), (&".gitignore".into(), &4.into()), "{found}");
    assert_eq!(found["origin"], serde_json::Value::Null);
    insta::assert_snapshot!(scratch.session("yatsu-hook scan"));
    scratch.write("src/b.rs", "");
    scratch.git(&["add", "-A"]);
    for (args, code) in [
        (&["scan"][..], 0),
        (&["check"], 0),
        (&["check", "--strict"], 1),
        (&["pre-commit"], 0),
        (&["run"], 0),
        (&["doctor"], 1),
        (&["eval", "board", "--scenario", "works", "--pass"], 2),
        (&["eval", "--pass"], 2),
        (&["show", "board"], 2),
        (&["scan", "board"], 2),
        (&["check", "--", ".spec/board/yatsu.md"], 2),
        (&["check", "--", ".spec"], 2),
        (&["check", "--staged", "--", ".spec/board/yatsu.md"], 2),
    ] {
        let said = scratch.yatsu(args);
        assert!(said.code == code || args == ["doctor"], "{args:?}: {} {}{}", said.code, said.out, said.err);
        let text = said.out + &said.err;
        assert!(text.contains("`*.spec` (.gitignore:4)"), "{args:?}: {text}");
    }
}

/// The hook checks this in a repository without any of our files, also when a memo says so, and is quiet elsewhere.
#[test]
fn a_hook_says_it_while_nothing_of_ours_is_tracked() {
    let scratch = hidden();
    let commit = |n: &str| {
        scratch.write("src/a.rs", n);
        scratch.git(&["add", "-A"]);
        scratch.yatsu(&["pre-commit"]).expect(0).err
    };
    assert!(commit("1").contains("warning[spec-ignored]"));
    scratch.yatsu(&["scan"]).expect(0);
    assert!(commit("2").contains("warning[spec-ignored]"), "with a memo");
    scratch.git(&["add", "-f", ".spec/board/yatsu.md"]);
    scratch.commit("taken nevertheless");
    scratch.write(".spec/other/yatsu.md", BAD);
    assert_eq!(commit("3"), "", "the rest is for scan, check and doctor");
    let left = only(all(&scratch, "spec-ignored"));
    assert!(left["message"].as_str().expect("text").contains("2 files"), "{left}");
}

/// A work tree with build output has more ignored files than a user ever reads.
#[test]
fn a_hidden_root_is_found_beside_thousands_of_ignored_files() {
    let scratch = hidden();
    scratch.write(".gitignore", PYTHON.to_owned() + "build/\n");
    for n in 0..2_100 {
        scratch.write(&format!("build/{n}"), "");
    }
    let found = only(all(&scratch, "spec-ignored"));
    assert!(found["message"].as_str().expect("text").contains("2 files"), "{found}");
}

#[test]
fn the_printed_repair_mends_it() {
    let scratch = hidden();
    let found = only(all(&scratch, "spec-ignored"));
    assert!(found["help"].as_str().expect("text").contains("`!/.spec/`"), "{found}");
    scratch.write(".gitignore", PYTHON.to_owned() + "!/.spec/\n");
    silent(all(&scratch, "spec-ignored"));
    assert_eq!(all(&scratch, "yatsu-missing").len(), 1, "and it is judged");
}

#[test]
fn the_rule_is_named_wherever_it_stands() {
    let scratch = one_node();
    scratch.write(".spec/n/.gitignore", "*.ndjson\n");
    scratch.commit("a rule in the node itself");
    reading(&scratch, ".spec/n", "works", "pass", 1);
    let found = only(all(&scratch, "spec-ignored"));
    assert_eq!((&found["path"], &found["line"]), (&".spec/n/.gitignore".into(), &1.into()), "{found}");
    let message = found["message"].as_str().expect("text");
    assert!(message.starts_with(".spec/n/yatsu.evals.ndjson is hidden by `*.ndjson`"), "{message}");
    silent(staged(&scratch, "spec-ignored"));

    let scratch = one_node();
    scratch.write(".git/info/exclude", "yatsu.md\n");
    scratch.write("src/yatsu.md", BAD);
    let found = only(all(&scratch, "spec-ignored"));
    assert_eq!(found["path"], "src/yatsu.md", "{found}");
    assert!(found["message"].as_str().expect("text").contains("/.git/info/exclude:1)"), "{found}");

    let scratch = hidden();
    scratch.write(".gitignore", "");
    std::fs::write(scratch.base.join("everywhere"), "\n\n/.spec/**\n").expect("written");
    scratch.git(&["config", "core.excludesFile", "../everywhere"]);
    let found = only(all(&scratch, "spec-ignored"));
    assert!(found["message"].as_str().expect("text").contains("everywhere:3)"), "{found}");
}

#[test]
fn what_git_takes_and_what_is_nobody_s_business_is_silent() {
    let scratch = one_node();
    // a rule that a later one reverses, a tracked file that a rule matches, and copies in directories of other tools
    scratch.write(".gitignore", "*.spec\n!.spec\nnode_modules/\nbuild/\nyatsu.md\n");
    scratch.write("node_modules/x/yatsu.md", BAD);
    scratch.write("build/lib/.spec/n/yatsu.md", BAD);
    scratch.commit("rules");
    silent(all(&scratch, "spec-ignored"));
    // a root without our files
    let scratch = Scratch::new();
    scratch.write(".gitignore", PYTHON);
    scratch.write(".spec/notes.txt", "mine");
    scratch.write("app.spec", "PyInstaller's");
    scratch.commit("nothing of ours");
    for verb in ["check", "scan"] {
        let said = scratch.yatsu(&[verb]).expect(0);
        assert_eq!(said.out, "", "{verb}");
        assert_eq!(said.err.lines().count(), 1, "{verb}: {}", said.err);
        assert!(said.err.starts_with("no scenarios here yet; start: "), "{verb}: {}", said.err);
    }
    let said = scratch.yatsu(&["pre-commit"]).expect(0);
    assert_eq!(said.out + &said.err, "");
}

#[test]
fn a_reading_that_goes_into_a_hidden_ledger_is_advised_against() {
    let scratch = one_node();
    scratch.write(".gitignore", "*.ndjson\n");
    scratch.commit("a rule");
    let eval = ["eval", "n", "--scenario", "works", "--pass"];
    let strict = scratch.yatsu(&[&eval[..], &["--strict"]].concat()).expect(1);
    assert!(strict.err.contains("`*.ndjson` (.gitignore:1)"), "{}", strict.err);
    let said = scratch.yatsu(&eval).expect(0);
    assert!(said.err.contains("warning: ") && said.err.contains("`*.ndjson` (.gitignore:1)"), "{}", said.err);
}

/// It was exit code 0, because the list of files has no ignored ones.
#[test]
fn validate_judges_a_named_file_that_is_ignored() {
    let scratch = hidden();
    let file = ".spec/board/yatsu.md";
    let said = scratch.yatsu(&["validate", "--", file]).expect(0);
    assert!(said.out.contains("`*.spec` (.gitignore:4)"), "{}", said.out);
    scratch.write(file, BAD);
    let said = scratch.yatsu(&["validate", "--", file]).expect(1);
    assert!(said.out.contains("error[yatsu-schema]"), "{}", said.out);
    let mut below = hermetic(program(), &scratch.home());
    below.current_dir(scratch.root.join(".spec/board")).args(["validate", "--", "yatsu.md"]);
    assert_eq!(below.output().expect("the program runs").status.code(), Some(1));
    scratch.write(".spec/board/yatsu.evals.ndjson", "{\"scenario\":\n");
    scratch.yatsu(&["validate", "--", ".spec/board/yatsu.evals.ndjson"]).expect(1);
    scratch.yatsu(&["validate", "--", "src/a.rs"]).expect(0);
}

#[test]
fn a_path_that_a_range_does_not_know_is_misuse() {
    let scratch = one_node();
    scratch.write("src/b.rs", "1");
    scratch.commit("second");
    let range = |path: &str| scratch.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD", "--", path]);
    range("src/b.rs").expect(0);
    assert!(range("scr/b.rs").expect(2).err.contains("did you mean src/b.rs?"));
    scratch.write("src/new.rs", "");
    assert!(range("src/new.rs").expect(2).err.contains("not tracked"), "untracked");
}
