//! `redact`: a line is removed, references to it stay, and nothing else is lost.

use super::*;
use crate::support::validate_published;

const NOTE: &str = "as Example Industries asked";

fn redact(s: &Scratch, ts: &str, flags: &[&str]) -> Said {
    s.yatsu(&[&["redact", "board", "--scenario", "renders", "--ts", ts, "--reason", "a name"], flags].concat())
}

/// Three committed readings, the second with the name; their times.
fn filed() -> (Scratch, Vec<String>) {
    let s = repository("");
    for flags in [&["--pass"][..], &["--fail", "--note", NOTE], &["--pass", "--note", "third"]] {
        eval(&s, flags).expect(0);
    }
    s.commit("filed");
    let times = lines(&s).iter().map(|line| line["ts"].as_str().expect("a time").to_owned()).collect();
    (s, times)
}

/// The answer to a push to `origin`, a server with the gate.
fn server(s: &Scratch) -> impl Fn(&[&str]) -> Said {
    s.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
    let hook = format!("#!/bin/sh\nexec '{}' pre-receive\n", crate::support::program().display());
    crate::support::executable(&s.base.join("server.git/hooks/pre-receive"), &hook);
    s.git(&["remote", "add", "origin", "../server.git"]);
    |args: &[&str]| s.try_git(&[&["push", "-q", "origin"], args].concat())
}

#[test]
fn a_line_is_replaced_in_place_and_every_door_takes_it() {
    let (s, times) = filed();
    let push = server(&s);
    push(&["main"]).expect(0);
    let before = s.read(LEDGER);
    let said = redact(&s, &times[1], &["--by", "me"]).expect(0);
    assert_eq!(said.out, format!("redacted board/renders {}; git add .spec/board/yatsu.evals.ndjson\n", times[1]));
    assert!(said.err.starts_with("warning: history still has the bytes"), "{}", said.err);
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), lines(&s));
    let after = s.read(LEDGER);
    let kept: Vec<&str> = after.lines().collect();
    assert_eq!((kept[0], kept[2], kept.len()), (old[0], old[2], 3));
    assert_eq!(
        (new[1]["scenario"].as_str(), new[1]["ts"].as_str(), new[1]["reason"].as_str(), new[1]["by"].as_str()),
        (Some("renders"), Some(&*times[1]), Some("a name"), Some("me"))
    );
    assert!(!after.contains(NOTE));
    s.git(&["add", "-A"]);
    for told in [s.yatsu(&["pre-commit"]).expect(0).err, s.yatsu(&["check", "--staged"]).expect(0).out] {
        assert!(told.contains("info[ledger-redacted] board/renders: the line of"), "{told}");
        assert!(told.ends_with("\n1 info\n"), "{told}");
    }
    s.commit("redacted");
    push(&["main"]).expect(0);
    s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
    s.yatsu(&["scan"]).expect(0);
}

#[test]
fn the_reading_counts_no_more_and_show_says_redacted() {
    let (s, times) = filed();
    redact(&s, &times[2], &["--by", "me"]).expect(0);
    let shown = s.yatsu(&["show", "board"]).expect(0).out;
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("`{text}` is not in:\n{shown}"));
    assert!(at(&format!("  {} redacted by me: a name\n", times[2])) < at(&format!("  {} fail", times[1])), "{shown}");
    let json = validate_published(&s.yatsu(&["show", "board", "--format", "json"]).expect(0).out);
    assert_eq!(json["scenarios"][0]["readings"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["scenarios"][0]["redacted"][0]["ts"], *times[2]);
    assert!(s.yatsu(&["ls", "-v"]).expect(0).out.starts_with("fresh      fail"), "the one before it is the latest now");
}

#[test]
fn the_same_request_again_writes_nothing() {
    let (s, times) = filed();
    let json =
        [&["--format", "json", "redact", "board", "--scenario", "renders", "--reason", "r", "--ts"][..], &[&times[0]]];
    let first = validate_published(&s.yatsu(&json.concat()).expect(0).out);
    assert_eq!((&first["outcome"], &first["redacts"][0]), (&"redacted".into(), &lines(&s)[0]["redacts"]));
    let before = s.read(LEDGER);
    let again = redact(&s, &times[0], &[]).expect(0);
    assert_eq!(again.out, format!("already redacted board/renders {}; nothing was written\n", times[0]));
    assert_eq!((again.err.as_str(), s.read(LEDGER)), ("", before));
}

#[test]
fn what_cannot_be_redacted_is_refused() {
    let (s, times) = filed();
    let before = s.read(LEDGER);
    refused(&s, redact(&s, "2020-01-01T00:00:00.000Z", &[]), 1, "board/renders has no line of 2020-01-01");
    refused(&s, redact(&s, "yesterday", &[]), 2, "is no time of a reading");
    let other = s.yatsu(&["redact", "board", "--scenario", "nobody", "--ts", &times[0], "--reason", "r"]);
    refused(&s, other, 1, "has no line");
    for reason in ["", "two\nlines"] {
        let said = s.yatsu(&["redact", "board", "--scenario", "renders", "--ts", &times[0], "--reason", reason]);
        refused(&s, said, 2, "the reason");
    }
    s.write("spexcode.json", r#"{"yatsu":{"redact":"refuse"}}"#);
    refused(&s, redact(&s, &times[0], &[]), 1, "takes no redactions");
    assert_eq!(s.read(LEDGER), before);
}

#[test]
fn a_decision_is_not_redacted_and_the_refusal_says_what_there_is_to_do() {
    let (s, _) = filed();
    let ts = "2026-01-01T00:00:00.000Z";
    let decision = serde_json::json!({
        "decision": "block", "contract": "a".repeat(64), "readings": "b".repeat(64), "by": "Ann", "reason": NOTE, "ts": ts,
    });
    let before = s.read(LEDGER) + &decision.to_string() + "\n";
    s.write(LEDGER, &before);
    let said = redact(&s, ts, &[]).expect(1);
    for part in [
        "is a decision (block), and decisions cannot be redacted",
        "taken back by a later one",
        "FAILED: nothing filed",
    ] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    assert_eq!(s.read(LEDGER), before);
}

#[test]
fn a_line_that_was_never_committed_can_be_redacted_too() {
    let (s, _) = filed();
    eval(&s, &["--fail", "--note", NOTE]).expect(0);
    let ts = last(&s)["ts"].as_str().expect("a time").to_owned();
    redact(&s, &ts, &[]).expect(0);
    s.git(&["add", "-A"]);
    s.yatsu(&["pre-commit"]).expect(0);
    s.commit("redacted");
    eval(&s, &["--pass", "--note", "fifth"]).expect(0);
    assert!(*last(&s)["ts"].as_str().expect("a time") > *ts, "its time is taken all the same");
}

/// Otherwise the withdrawn reading would count again.
#[test]
fn a_redacted_retraction_goes_on_withdrawing() {
    let (s, times) = filed();
    s.yatsu(&["retract", "board", "--scenario", "renders", "--note", NOTE]).expect(0);
    s.commit("withdrawn");
    let ts = last(&s)["ts"].as_str().expect("a time").to_owned();
    redact(&s, &ts, &[]).expect(0);
    assert!(!s.read(LEDGER).lines().last().expect("a line").contains(NOTE) && last(&s)["retracts"] == *times[2]);
    s.git(&["add", "-A"]);
    assert!(s.yatsu(&["pre-commit"]).expect(0).err.contains("the retraction of"));
    let shown = s.yatsu(&["show", "board"]).expect(0).out;
    assert!(!shown.contains(&times[2]), "{shown}");
    assert!(s.yatsu(&["check", "--staged"]).expect(0).out.contains("the retraction of"));
    refused_again(&s, &ts);
}

fn refused_again(s: &Scratch, ts: &str) {
    let before = s.read(LEDGER);
    assert!(redact(s, ts, &[]).expect(0).out.starts_with("already redacted"));
    assert_eq!(s.read(LEDGER), before);
}

#[test]
fn a_redaction_that_names_another_line_is_a_loss() {
    let (s, times) = filed();
    redact(&s, &times[1], &[]).expect(0);
    let hash = lines(&s)[1]["redacts"].as_str().expect("a hash").to_owned();
    s.write(LEDGER, s.read(LEDGER).replace(&hash, &"0".repeat(64)));
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("error[ledger-history] board/renders"), "{}", said.err);
    s.yatsu(&["repair", "--restore", "HEAD"]).expect(0);
    s.git(&["add", "-A"]);
    assert_eq!(s.yatsu(&["pre-commit"]).expect(0).err, "");
    assert!(!s.read(LEDGER).contains("redacts"), "the forged one went");
}

#[test]
fn what_was_redacted_before_may_move_where_no_redaction_is_taken() {
    let (s, times) = filed();
    redact(&s, &times[1], &[]).expect(0);
    s.write("spexcode.json", r#"{"yatsu":{"redact":"refuse"}}"#);
    s.commit("the last one");
    s.git(&["mv", ".spec/board", ".spec/panel"]);
    s.yatsu(&["pre-commit"]).expect(0);
}

/// It excuses nothing, and allows no more than what is always allowed.
#[test]
fn a_redaction_of_a_line_that_nobody_has_is_harmless() {
    let (s, times) = filed();
    let forged = format!(
        "{{\"redacts\":\"{}\",\"scenario\":\"renders\",\"ts\":\"{}\",\"reason\":\"r\"}}\n",
        "0".repeat(64),
        times[1]
    );
    s.write(LEDGER, s.read(LEDGER) + &forged);
    s.git(&["add", "-A"]);
    s.yatsu(&["pre-commit"]).expect(0);
    assert!(s.yatsu(&["show", "board"]).expect(0).out.contains(&format!("  {} fail", times[1])));
}

#[test]
fn a_redaction_itself_stays() {
    let (s, times) = filed();
    let whole = s.read(LEDGER);
    redact(&s, &times[1], &[]).expect(0);
    s.commit("redacted");
    s.write(LEDGER, whole);
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("error[ledger-history]"), "{}", said.err);
}

#[test]
fn repair_restores_no_redacted_line() {
    let (s, times) = filed();
    let base = s.git(&["rev-parse", "HEAD"]);
    redact(&s, &times[1], &[]).expect(0);
    s.commit("redacted");
    assert_eq!(s.yatsu(&["repair", "--restore", &base]).expect(0).out, "nothing to repair\n");
}

/// `main` redacts the line `at`; `branch` still has it and files another reading.
fn forked(at: usize) -> (Scratch, String) {
    let (s, times) = filed();
    s.git(&["switch", "-qc", "branch"]);
    eval(&s, &["--fail", "--note", "on the branch"]).expect(0);
    s.commit("more");
    s.git(&["switch", "-q", "main"]);
    redact(&s, &times[at], &[]).expect(0);
    s.commit("redacted");
    (s, times[at].clone())
}

#[test]
fn the_merge_driver_keeps_a_redacted_line_out_from_either_side() {
    for (ours, theirs) in [("main", "branch"), ("branch", "main")] {
        let (s, _) = forked(1);
        s.yatsu(&["install", "--merge-driver"]).expect(0);
        s.git(&["switch", "-q", ours]);
        s.git(&["merge", "-q", "--no-edit", theirs]);
        assert!(!s.read(LEDGER).contains(NOTE) && lines(&s).len() == 4, "{ours}: {}", s.read(LEDGER));
        s.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(0);
    }
}

#[test]
fn a_merge_by_hand_that_brings_the_line_back_is_stopped_and_mended() {
    let (s, ts) = forked(2);
    assert_ne!(s.try_git(&["merge", "-q", "--no-edit", "branch"]).code, 0, "a conflict");
    let [ours, theirs] = ["HEAD", "MERGE_HEAD"].map(|side| s.git(&["show", &format!("{side}:{LEDGER}")]));
    let mut both: Vec<&str> = ours.lines().chain(theirs.lines().filter(|line| !ours.contains(line))).collect();
    both.sort_unstable();
    s.write(LEDGER, both.join("\n") + "\n");
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(1);
    assert!(
        said.err.contains("error[ledger-schema] board: a line that was redacted stands here again"),
        "{}",
        said.err
    );
    assert!(!said.err.contains("third"), "what had to go is not said again");
    assert!(!s.yatsu(&["show", "board"]).expect(0).out.contains(&format!("{ts} pass")), "it does not count meanwhile");
    s.yatsu(&["repair"]).expect(0);
    s.git(&["add", "-A"]);
    assert_eq!(s.yatsu(&["pre-commit"]).expect(0).err, "");
    assert_eq!(lines(&s).len(), 4);
}

#[test]
fn a_server_that_refuses_takes_no_redaction() {
    let (s, times) = filed();
    s.write("spexcode.json", r#"{"yatsu":{"redact":"refuse"}}"#);
    s.commit("refuse");
    let push = server(&s);
    push(&["main"]).expect(0);
    s.git(&["rm", "-q", "spexcode.json"]);
    s.git(&["commit", "-q", "-m", "allow"]);
    redact(&s, &times[1], &[]).expect(0);
    s.git(&["add", "-A"]);
    s.commit("redacted");
    let said = push(&["main"]).expect(1);
    assert!(said.err.contains("error[ledger-history] board: a redaction is not taken here"), "{}", said.err);
    let said = push(&["HEAD:refs/heads/elsewhere"]).expect(1);
    assert!(said.err.contains("a redaction is not taken here"), "{}", said.err);
    s.yatsu(&["check", "--from", "HEAD~2", "--to", "HEAD"]).expect(1);
    let lowered = s.yatsu(&["check", "--from", "HEAD~2", "--to", "HEAD~1"]).expect(0).out;
    assert!(
        lowered.contains("warning[gate-lowered]") && lowered.contains("yatsu.redact no longer refuses"),
        "{lowered}"
    );
    push(&["HEAD~1:main"]).expect(0);
    push(&["main"]).expect(0);
}

#[test]
fn the_evidence_of_a_redacted_reading_is_kept_as_long_as_history_names_it() {
    let s = repository("");
    s.write("shot.png", PNG);
    eval(&s, &["--pass", "--image", "shot.png"]).expect(0);
    let ts = last(&s)["ts"].as_str().expect("a time").to_owned();
    eval(&s, &["--pass", "--note", "again"]).expect(0);
    s.commit("filed");
    redact(&s, &ts, &[]).expect(0);
    s.git(&["add", LEDGER]);
    s.git(&["commit", "-q", "-m", "redacted"]);
    s.yatsu(&["clean", "--grace", "0"]).expect(0);
    assert_eq!(stored(&s), 1);
    s.yatsu(&["clean", "--grace", "0", "--keep-latest"]).expect(0);
    assert_eq!(stored(&s), 0);
}
