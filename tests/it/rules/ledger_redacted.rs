//! `ledger-redacted`: a redaction in the place of a line is reported, and counts as nothing.

use super::{all, measured, one_node, only, silent, staged};
use crate::support::{reading, reading_line};
use yatsu_hook::model::ledger::{Event, encode_redaction, redact};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// The line that takes the place of `line`.
fn redaction(line: &str) -> String {
    let Some(Event::Redaction(redaction)) = redact(line.trim_end().as_bytes(), "a name", Some("me")) else {
        panic!("a redaction of {line}")
    };
    encode_redaction(&redaction) + "\n"
}

#[test]
fn a_redaction_is_reported_and_its_reading_counts_no_more() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    silent(staged(&scratch, "ledger-redacted"));
    scratch.write(LEDGER, redaction(&scratch.read(LEDGER)));
    only(staged(&scratch, "ledger-redacted"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    only(all(&scratch, "yatsu-missing"));
    silent(all(&scratch, "ledger-schema"));
}

#[test]
fn a_redacted_line_that_stands_again_blocks_and_does_not_count() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let line = reading_line(&head, "works", "pass", 1);
    scratch.write(LEDGER, redaction(&line));
    scratch.commit("redacted");
    scratch.write(LEDGER, redaction(&line) + &line);
    let found = only(staged(&scratch, "ledger-schema"));
    assert_eq!((found["level"].as_str(), found["line"].as_u64()), (Some("error"), Some(2)), "{found}");
    only(all(&scratch, "yatsu-missing"));
    scratch.commit("past the gate");
    let said = scratch.yatsu(&["repair"]).expect(0).out;
    assert!(said.ends_with("repaired: 1 change in 1 file; git add .spec/n/yatsu.evals.ndjson\n"), "{said}");
    assert_eq!(scratch.read(LEDGER), redaction(&line));
    silent(all(&scratch, "ledger-schema"));
    scratch.git(&["add", "-A"]);
    scratch.yatsu(&["pre-commit"]).expect(0);
}

#[test]
fn every_door_says_once_what_was_redacted_and_blocks_nothing() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "fail", 1);
    reading(&scratch, ".spec/n", "works", "pass", 2);
    scratch.commit("measured");
    scratch.git(&["init", "-q", "--bare", "-b", "main", "../origin.git"]);
    scratch.git(&["remote", "add", "origin", "../origin.git"]);
    scratch.git(&["push", "-q", "origin", "main"]);
    scratch.hook("pre-commit", "pre-commit");
    scratch.hook("pre-push", "pre-push \"$@\"");
    let said = "info[ledger-redacted] n/works: the line of 2026-01-01T00:01:00.000Z was redacted by me: a name";
    let old = scratch.read(LEDGER);
    let (first, rest) = old.split_once('\n').expect("two lines");
    scratch.write(LEDGER, redaction(first) + rest);
    scratch.git(&["add", "-A"]);
    assert!(scratch.try_git(&["commit", "-q", "-m", "redacted"]).expect(0).err.contains(said));
    assert!(scratch.try_git(&["push", "-q", "origin", "main"]).expect(0).err.contains(said));
    // later changes do not report it again
    scratch.write("notes.txt", "one\n");
    reading(&scratch, ".spec/n", "works", "pass", 3);
    scratch.git(&["add", "-A"]);
    assert_eq!(scratch.try_git(&["commit", "-q", "-m", "next"]).expect(0).err, "");
    scratch.git(&["mv", ".spec/n", ".spec/moved"]);
    assert_eq!(scratch.try_git(&["commit", "-q", "-m", "moved"]).expect(0).err, "");
    assert_eq!(scratch.try_git(&["push", "-q", "origin", "main"]).expect(0).err, "");
}

#[test]
fn a_redaction_stands_beside_the_other_information_of_a_hook() {
    let scratch = measured("pass");
    let line = scratch.read(LEDGER);
    reading(&scratch, ".spec/n", "works", "fail", 2);
    let failed = scratch.read(LEDGER).replace(&line, "");
    scratch.write(LEDGER, redaction(&line) + &failed);
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]).expect(0).err;
    assert!(said.contains("info[ledger-redacted]") && said.ends_with("\n2 infos\n"), "{said}");
}
