//! The laws over a ledger in several files: S3, S4, S7, S8, S9.

use super::*;
use crate::support::{findings, reading_line, scenarios};

fn lost(s: &Scratch) -> usize {
    s.git(&["add", "-A"]);
    findings(s, "ledger-history", &["--staged"]).len()
}

/// S3: what a forge does, without a merge driver: two branches that file readings of one scenario merge clean.
#[test]
fn branches_that_file_readings_of_one_scenario_merge_clean() {
    let s = team();
    committed(&s, "base");
    for branch in ["one", "two"] {
        s.git(&["checkout", "-q", "-b", branch, "main"]);
        committed(&s, branch);
    }
    s.git(&["checkout", "-q", "-b", "stacked", "one"]);
    committed(&s, "stacked");
    s.git(&["checkout", "-q", "main"]);
    for branch in ["one", "two", "stacked"] {
        s.git(&["merge", "-q", "--no-edit", branch]);
    }
    let mut counted = notes(&s);
    counted.sort();
    assert_eq!(counted, ["base", "one", "stacked", "two"]);
    s.yatsu(&["check", "--from", "HEAD~3", "--to", "HEAD"]).expect(0);
}

/// S4: a squash, a rebase, another order, one commit of two: the set of lines is the same, so nothing is lost. A revert loses.
#[test]
fn rewritten_histories_lose_nothing_and_a_revert_does() {
    let s = team();
    let base = committed(&s, "base");
    s.git(&["checkout", "-q", "-b", "side"]);
    let one = committed(&s, "one");
    let two = committed(&s, "two");
    let all = lines(&s);
    let push = |s: &Scratch, to: &str| s.yatsu(&["check", "--from", &two, "--to", to]).code;
    s.git(&["checkout", "-q", "--detach", &base]);
    s.git(&["cherry-pick", &two]);
    s.git(&["cherry-pick", &one]);
    assert_eq!((push(&s, "HEAD"), &lines(&s)), (0, &all), "another order");
    s.git(&["checkout", "-q", "--detach", &two]);
    s.git(&["reset", "-q", "--soft", &base]);
    s.git(&["commit", "-q", "-m", "one of two"]);
    assert_eq!((push(&s, "HEAD"), &lines(&s)), (0, &all), "one commit of two");
    s.git(&["checkout", "-q", "main"]);
    s.write("other", "");
    s.commit("main went on");
    s.git(&["merge", "-q", "--squash", "side"]);
    s.git(&["commit", "-q", "-m", "squashed"]);
    assert_eq!(lines(&s), all, "squashed");
    s.git(&["checkout", "-q", "side"]);
    s.git(&["rebase", "-q", "main"]);
    assert_eq!((push(&s, "HEAD"), &lines(&s)), (0, &all), "rebased");
    s.git(&["checkout", "-q", "--detach", &two]);
    s.git(&["revert", "--no-edit", &one]);
    let said = s.yatsu(&["check", "--from", &two, "--to", "HEAD"]).expect(1);
    assert!(said.out.contains("error[ledger-history]") && said.out.contains("repair --restore"), "{}", said.out);
    s.yatsu(&["repair", "--restore", &two]).expect(0);
    assert_eq!(lines(&s), all, "restored");
    assert_eq!(segments(&s).len(), 3, "the lost line is in a segment of its own");
    s.commit("restored");
    assert_eq!(push(&s, "HEAD"), 0);
}

/// S7: a segment edited, cut or deleted is a loss, named by its line; its lines elsewhere in the home are none.
#[test]
fn a_line_must_stay_in_its_home_in_whatever_file() {
    let s = team();
    file(&s, "one");
    committed(&s, "two");
    let path = segments(&s).remove(0);
    let whole = s.read(&path);
    let first = whole.lines().next().expect("a line").to_owned() + "\n";
    let reset = || s.git(&["reset", "-q", "--hard"]);
    for (what, content) in
        [("edited", whole.replace("\"two\"", "\"owt\"")), ("cut", first.clone()), ("emptied", String::new())]
    {
        s.write(&path, content);
        let count = lost(&s);
        assert!(count > 0, "{what}");
        assert_eq!(s.yatsu(&["pre-commit"]).code, 1, "{what}");
        reset();
    }
    s.git(&["rm", "-q", &path]);
    assert_eq!(lost(&s), 2, "deleted");
    reset();
    s.git(&["mv", &path, &segment("renamed")]);
    assert_eq!(lost(&s), 0, "renamed");
    reset();
    s.write(TRUNK, &first);
    s.write(&path, whole.lines().nth(1).expect("a line").to_owned() + "\n");
    assert_eq!(lost(&s), 0, "one line moved to the trunk file");
    reset();
    s.write(TRUNK, &whole);
    s.git(&["rm", "-q", &path]);
    assert_eq!(lost(&s), 0, "folded by hand");
}

/// S8: a redaction stands in the place of the line, in every copy of it.
#[test]
fn a_redaction_replaces_every_copy_in_place() {
    let s = team();
    let secret = reading_line(&s.head(), "works", "pass", 1).replace("\"ts\"", "\"by\":\"the secret\",\"ts\"");
    let other = reading_line(&s.head(), "works", "fail", 2);
    s.write(TRUNK, secret.clone() + &other);
    s.write(&segment("a"), other.clone() + &secret);
    s.write(&segment("b"), &other);
    s.commit("copies");
    let request = ["redact", "n", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "a name", "--by", "me"];
    let said = s.yatsu(&request).expect(0);
    assert!(said.out.contains(&format!("git add {TRUNK} {}", segment("a"))), "{}", said.out);
    assert!([TRUNK, &segment("a")].iter().all(|path| !s.read(path).contains("the secret")));
    assert_eq!(
        (s.read(TRUNK).lines().count(), s.read(&segment("a")).lines().count(), s.read(&segment("b"))),
        (2, 2, other)
    );
    assert_eq!(lost(&s), 0);
    let hook = s.yatsu(&["pre-commit"]).expect(0);
    assert!(!hook.err.contains("the secret") && hook.err.contains("info[ledger-redacted]"), "{}", hook.err);
    s.commit("redacted");
    let before = s.git(&["status", "--porcelain"]);
    s.yatsu(&request).expect(0);
    assert_eq!(s.git(&["status", "--porcelain"]), before, "again: nothing");
    // the silent case: the line comes back with a branch that still carries its segment
    s.write(&segment("c"), &secret);
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(1).err;
    assert!(said.contains("a line that was redacted stands here again") && !said.contains("the secret"), "{said}");
    assert!(!s.yatsu(&["show", "n"]).expect(0).out.contains("the secret"), "it counts as nothing");
    s.yatsu(&["repair"]).expect(0);
    assert!(!s.root.join(segment("c")).exists(), "a segment without a line goes");
}

/// A secret that only a redaction in another file covers is in no excerpt either.
#[test]
fn no_excerpt_quotes_a_line_that_another_file_redacts() {
    let s = team();
    // in front, because an excerpt is cut
    let secret = reading_line(&s.head(), "works", "pass", 1).replacen('{', "{\"by\":\"the secret\",", 1);
    s.write(&segment("a"), &secret);
    s.commit("filed");
    s.yatsu(&["redact", "n", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "r"]).expect(0);
    s.commit("redacted");
    s.write(&segment("b"), secret + "{\"scenario\":\n");
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(1).err;
    assert!(said.contains("ledger-schema") && !said.contains("the secret"), "{said}");
    for door in ["--all", "--staged"] {
        let said = s.yatsu(&["check", door, "-v"]).expect(1).out;
        assert!(said.contains("ledger-schema") && !said.contains("the secret"), "{door}: {said}");
    }
}

/// S9: a node takes its segments along, an heir takes all lines of its scenario, and a node goes with all of its files.
#[test]
fn heirs_and_departures_are_those_of_lines() {
    let s = team();
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("shines", "src/b.rs")]));
    s.commit("two scenarios");
    s.yatsu(&["eval", "n/works", "--pass"]).expect(0);
    s.commit("one");
    s.yatsu(&["eval", "n/works", "--fail"]).expect(0);
    s.yatsu(&["eval", "n/shines", "--pass"]).expect(0);
    s.commit("two");
    let reset = || {
        s.git(&["reset", "-q", "--hard"]);
        s.git(&["clean", "-q", "-f", "-d"])
    };
    s.git(&["mv", ".spec/n", ".spec/m"]);
    assert_eq!(lost(&s), 0, "moved");
    reset();
    s.git(&["mv", ".spec/n", ".spec/m"]);
    s.git(&["rm", "-q", "-f", &segments_of(&s, ".spec/m")[0]]);
    assert_eq!(lost(&s), 1, "moved without a segment");
    reset();
    s.write(".spec/m/yatsu.md", scenarios(&[("shines", "src/b.rs")]));
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    assert_eq!(lost(&s), 1, "split, and the reading stayed behind");
    let said = s.yatsu(&["repair", "--restore", "HEAD"]).expect(0);
    assert_eq!(segments_of(&s, ".spec/m").len(), 1, "{said:?}");
    assert_eq!(lost(&s), 0);
    reset();
    s.git(&["rm", "-q", "-r", ".spec/n"]);
    assert_eq!(lost(&s), 0, "retired");
    reset();
    s.git(&["rm", "-q", &segments(&s)[0], &segments(&s)[1]]);
    assert_eq!(lost(&s), 3, "its segments alone");
}

/// What hides a ledger hides its segments.
#[test]
fn a_segment_out_of_sight_is_no_departure() {
    let s = team();
    committed(&s, "one");
    s.write("spexcode.json", "{\"yatsu\": {\"exclude\": [\".spec/n\"]}}");
    s.git(&["add", "-A"]);
    assert_eq!(findings(&s, "ledger-history", &["--staged"]).len(), 1);
}
