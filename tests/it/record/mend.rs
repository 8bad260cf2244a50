//! `retract` and `repair`.

use super::*;
use crate::support::validate_published;

fn retract(s: &Scratch, flags: &[&str]) -> Said {
    s.yatsu(&[&["retract", "board", "--scenario", "renders"], flags].concat())
}

fn three() -> (Scratch, Vec<String>) {
    let s = repository("");
    for flags in [&["--pass"][..], &["--fail"], &["--pass", "--note", "third"]] {
        eval(&s, flags).expect(0);
    }
    let times = lines(&s).iter().map(|line| line["ts"].as_str().expect("a time").to_owned()).collect();
    (s, times)
}

#[test]
fn the_latest_reading_is_withdrawn_and_then_the_one_before() {
    let (s, times) = three();
    let before = s.read(LEDGER);
    let said = retract(&s, &[]).expect(0);
    assert!(said.out.starts_with(&format!("retracted board/renders {}; latest is now ", times[2])), "{}", said.out);
    assert_eq!(said.out.lines().count(), 1);
    assert!(s.read(LEDGER).starts_with(&before), "only appended");
    let line = last(&s);
    assert_eq!(
        (&line["retracts"], line.get("codeSha"), line.get("evaluator")),
        (&times[2].as_str().into(), None, None)
    );
    retract(&s, &["--last", "--note", "wrong machine"]).expect(0);
    assert_eq!((&last(&s)["retracts"], &last(&s)["note"]), (&times[1].as_str().into(), &"wrong machine".into()));
    retract(&s, &[]).expect(0);
    refused(&s, retract(&s, &[]), 1, "has no reading that could be withdrawn");
    assert_eq!(lines(&s).len(), 6);
}

#[test]
fn a_reading_is_withdrawn_by_its_time_once() {
    let (s, times) = three();
    let all = [&["--format", "json", "retract", "board", "--scenario", "renders", "--ts"][..], &[&times[0]]].concat();
    let json = validate_published(&s.yatsu(&all).expect(0).out);
    assert_eq!((&json["verb"], &json["retracts"]), (&"retract".into(), &times[0].as_str().into()));
    refused(&s, retract(&s, &["--ts", &times[0]]), 1, "has no reading of");
    refused(&s, retract(&s, &["--ts", "yesterday"]), 2, "is no time of a reading");
    refused(&s, retract(&s, &["--ts", &times[1], "--last"]), 2, "cannot be used with");
    refused(&s, retract(&s, &["--note", "two\nlines"]), 2, "one line");
    let other = s.yatsu(&["retract", "board", "--scenario", "nobody's"]);
    refused(&s, other, 1, "has no reading");
}

#[test]
fn a_reading_of_a_scenario_that_is_gone_can_be_withdrawn() {
    let (s, _) = three();
    s.write(".spec/board/yatsu.md", scenarios(&[("another", "src/a.rs")]));
    retract(&s, &[]).expect(0);
}

#[test]
fn torn_glued_and_double_lines_are_mended_and_shown_first() {
    let (s, _) = three();
    s.commit("filed");
    let committed = s.read(LEDGER);
    eval(&s, &["--fail"]).expect(0);
    let new = s.read(LEDGER)[committed.len()..].trim_end().to_owned();
    let later = new.replace("\"fail\"", "\"pass\"");
    s.write(LEDGER, format!("{committed}{new}\n{new}\n{new}{later}\n{{\"scen"));
    let before = s.read(LEDGER);
    let said = s.yatsu(&["repair", "--dry-run"]).expect(0);
    for part in
        ["@@ line 5: the same line", "@@ line 6: several events", "@@ line 7: a write was cut off", "-{\"scen\n"]
    {
        assert!(said.out.contains(part), "{part}\n{}", said.out);
    }
    assert!(said.out.ends_with("would repair: 3 changes in 1 file; nothing was written\n"), "{}", said.out);
    assert_eq!(s.read(LEDGER), before);
    let json = validate_published(&s.yatsu(&["--format", "json", "repair"]).expect(0).out);
    assert_eq!(json["outcome"], "repaired");
    assert!(s.read(LEDGER).starts_with(&format!("{committed}{new}\n")), "committed lines stay as they are");
    assert_eq!(s.yatsu(&["repair"]).expect(0).out, "nothing to repair\n");
    eval(&s, &["--pass", "--note", "again"]).expect(0);
}

/// The gate's printed recovery, typed as printed.
#[test]
fn what_the_gate_prints_of_a_forged_line_brings_the_true_one_back_alone() {
    let (s, _) = three();
    s.commit("filed");
    let whole = s.read(LEDGER);
    s.write(LEDGER, whole.replacen("\"pass\"", "\"fail\"", 1));
    eval(&s, &["--pass", "--note", "fourth"]).expect(0);
    let fourth = s.read(LEDGER).lines().last().expect("a line").to_owned();
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("yatsu-hook repair --restore HEAD, then git add the ledger"), "{}", said.err);
    let shown = s.yatsu(&["repair", "--restore", "HEAD", "--dry-run"]).expect(0).out;
    assert!(shown.contains("line 1: the line was edited @@\n-{"), "{shown}");
    validate_published(&s.yatsu(&["--format", "json", "repair", "--restore", "HEAD"]).expect(0).out);
    s.git(&["add", LEDGER]);
    assert_eq!(s.yatsu(&["pre-commit"]).expect(0).err, "");
    let mut lines: Vec<String> = s.read(LEDGER).lines().map(str::to_owned).collect();
    lines.sort();
    let mut expected: Vec<String> = whole.lines().map(str::to_owned).chain([fourth]).collect();
    expected.sort();
    assert_eq!(lines, expected);
    assert!(!s.yatsu(&["check", "--all"]).out.contains("carry the time"));
}

#[test]
fn a_forged_line_that_is_committed_is_named_with_the_way_back() {
    let (s, _) = three();
    let base = s.commit("filed");
    let whole = s.read(LEDGER);
    s.write(LEDGER, whole.replacen("\"pass\"", "\"fail\"", 1));
    s.commit("forged");
    let said = s.yatsu(&["repair", "--restore", &base]).expect(1);
    let way = format!(
        "{LEDGER}:1: a later commit edited a line into this one, and the original line is there again\n  help: git reset --soft {base}, then yatsu-hook repair --restore {base}, git add the ledger and commit again\n"
    );
    assert_eq!(said.err, way);
    s.git(&["reset", "-q", "--soft", &base]);
    s.yatsu(&["repair", "--restore", &base]).expect(0);
    s.git(&["add", LEDGER]);
    s.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "again"]);
    let range = s.yatsu(&["check", "--from", &base, "--to", "HEAD"]).expect(0);
    assert!(!range.out.contains("ledger-history") && !range.out.contains("carry the time"), "{}", range.out);
}

#[test]
fn what_only_a_person_can_decide_is_named() {
    let (s, _) = three();
    let before = s.read(LEDGER) + "<<<<<<< ours\nno json\n";
    s.write(LEDGER, &before);
    let said = s.yatsu(&["repair"]).expect(1);
    assert!(said.err.contains(&format!("{LEDGER}:4: ")) && said.err.contains("  help: "), "{}", said.err);
    assert_eq!(s.read(LEDGER), before);
}

#[test]
fn lost_lines_come_back_from_a_revision() {
    let (s, _) = three();
    let base = s.commit("filed");
    let whole = s.read(LEDGER);
    let first = whole.lines().next().expect("a line").to_owned() + "\n";
    s.write(LEDGER, &first);
    s.commit("lost");
    let said = s.yatsu(&["repair", "--restore", &base, "--dry-run"]).expect(0);
    assert!(said.out.contains("@@ line 1: was lost @@\n+{"), "{}", said.out);
    assert_eq!(s.read(LEDGER), first);
    let repaired = s.yatsu(&["repair", "--restore", &base]).expect(0).out;
    assert!(
        repaired.ends_with("\nrepaired: 1 change in 1 file; git add .spec/board/yatsu.evals.ndjson\n"),
        "{repaired}"
    );
    assert_eq!(s.read(LEDGER), whole);
    s.write(LEDGER, &first);
    let quiet = s.yatsu(&["-q", "repair", "--restore", &base]).expect(0).out;
    assert_eq!(quiet, "repaired: 1 change in 1 file; git add .spec/board/yatsu.evals.ndjson\n");
    s.yatsu(&["repair", "--restore", "nowhere"]).expect(2);
}
