//! Filed readings are not forgotten: `eval`, the commit hook and the doctor name lines that git does not have yet.

use crate::support::{Scratch, one_node, scenarios};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

fn measured() -> Scratch {
    let scratch = one_node();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    scratch.commit("two");
    scratch
}

#[test]
fn a_filed_reading_says_what_to_add() {
    let scratch = measured();
    let said = scratch.yatsu(&["eval", "n", "--pass"]).expect(0);
    assert_eq!((said.out.lines().count(), said.err.as_str()), (1, "next: git add .spec/n/yatsu.evals.ndjson\n"));
    for (args, why) in [
        (&["eval", "n", "--pass"][..], "it was filed before"),
        (&["eval", "n", "--fail", "--dry-run"], "nothing was written"),
        (&["eval", "n", "--fail", "-q"], "quiet"),
        (&["eval", "n", "--pass", "--format", "json"], "a machine reads it"),
    ] {
        assert_eq!(scratch.yatsu(args).expect(0).err, "", "{why}");
    }
}

#[test]
fn a_retraction_says_what_to_add() {
    let scratch = measured();
    for (flag, expected) in
        [("--color=never", "next: git add .spec/n/yatsu.evals.ndjson\n"), ("-q", ""), ("--format=json", "")]
    {
        scratch.yatsu(&["eval", "n", "--fail"]).expect(0);
        let said = scratch.yatsu(&["retract", "n/works", flag]).expect(0);
        assert_eq!((said.out.lines().count(), said.err.as_str()), (1, expected), "{flag}");
    }
}

#[test]
fn the_hook_says_what_was_filed_about_a_node_of_the_change_and_not_staged() {
    let scratch = measured();
    scratch.yatsu(&["eval", "n", "--pass"]).expect(0);
    scratch.yatsu(&["eval", "n", "--fail"]).expect(0);
    let note = |scratch: &Scratch| {
        let said = scratch.yatsu(&["pre-commit"]).expect(0).err;
        said.lines().find(|line| line.contains("not staged")).map(str::to_owned)
    };
    // twice: with a memo and without
    for _ in 0..2 {
        scratch.write("src/b.rs", "fn b() { 1 }\n");
        scratch.git(&["add", "src/b.rs"]);
        assert_eq!(note(&scratch), None, "the commit is about another node");
        scratch.write("src/a.rs", "fn a() { 1 }\n");
        scratch.git(&["add", "src/a.rs"]);
        assert_eq!(note(&scratch), Some(format!("2 readings are filed but not staged: git add {LEDGER}")));
        scratch.git(&["reset", "-q"]);
    }
    scratch.git(&["add", "src/a.rs", LEDGER]);
    assert_eq!(note(&scratch), None, "it is staged");
    scratch.git(&["commit", "-q", "--no-verify", "-m", "measured"]);
    scratch.yatsu(&["eval", "n", "--pass"]).expect(0);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("more", "src/b.rs")]));
    scratch.git(&["add", ".spec/n/yatsu.md"]);
    assert_eq!(note(&scratch), Some(format!("1 reading is filed but not staged: git add {LEDGER}")));
    let quiet = scratch.yatsu(&["-q", "pre-commit"]).expect(0);
    assert_eq!(quiet.err, "");
}

#[test]
fn the_doctor_says_what_was_filed_and_not_staged() {
    let scratch = measured();
    let doctor = |scratch: &Scratch| scratch.yatsu(&["doctor"]).out;
    assert!(!doctor(&scratch).contains("not staged"));
    scratch.yatsu(&["eval", "n", "--pass"]).expect(0);
    scratch.yatsu(&["eval", "m", "--pass"]).expect(0);
    let said = doctor(&scratch);
    assert!(said.contains("advice  2 readings are filed but not staged\n"), "{said}");
    assert!(said.contains("repair: git add .spec/m/yatsu.evals.ndjson .spec/n/yatsu.evals.ndjson\n"), "{said}");
    scratch.git(&["add", "."]);
    assert!(!doctor(&scratch).contains("not staged"));
}
