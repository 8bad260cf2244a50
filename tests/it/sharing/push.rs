//! Sending: evidence of published readings that still count; each piece is searched for secrets first.

use super::{DIR, Two, json, last};
use crate::support::ledger_lines;

#[test]
fn only_what_published_readings_name_goes() {
    let two = Two::sharing();
    let shared = two.file("renders", "it rendered\n");
    two.publish();
    two.a.git(&["checkout", "-q", "-b", "mine"]);
    let mine = two.file("scrolls", "it scrolled\n");
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
    assert!(two.piece(&shared).exists() && !two.piece(&mine).exists());
    assert_eq!(last(&two.a.yatsu(&["share", "push", "--all"]).expect(0)), "pushed 1 (12 B), 1 there");
    assert!(two.piece(&mine).exists());
}

#[test]
fn what_was_retracted_or_redacted_stays_here_on_whatever_branch_it_still_stands() {
    let two = Two::sharing();
    let retracted = two.file("renders", "it rendered\n");
    let redacted = two.file("scrolls", "a name that must go\n");
    two.publish();
    two.a.git(&["branch", "-q", "old"]);
    two.publish();
    let ts = |scenario: &str| {
        let lines = ledger_lines(&two.a, DIR);
        let line = lines.iter().find(|line| line.contains(scenario)).expect("a line");
        let line: serde_json::Value = serde_json::from_str(line).expect("an object");
        line["ts"].as_str().expect("a time").to_owned()
    };
    let gone = ts("scrolls");
    two.a.yatsu(&["retract", "board", "--scenario", "renders"]).expect(0);
    two.a.yatsu(&["redact", "board", "--scenario", "scrolls", "--ts", &gone, "--reason", "r"]).expect(0);
    two.a.commit("taken back");
    two.publish();
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 0 (0 B), 0 there");
    assert!(!two.piece(&retracted).exists() && !two.piece(&redacted).exists());
}

#[test]
fn a_piece_with_a_secret_stays_here_and_is_named_without_it_until_it_is_allowed() {
    let two = Two::sharing();
    let token = format!("ghp_{}", "0123456789abcdefghij".repeat(2));
    let hash = two.file("renders", format!("one\ntwo {token}\n"));
    two.file("scrolls", "it scrolled\n");
    two.publish();
    for args in [&["share", "push"][..], &["share", "push", "--dry-run"], &["--format", "json", "share", "push"]] {
        let said = two.a.yatsu(args).expect(1);
        let all = format!("{}{}", said.out, said.err);
        assert!(!all.contains(&token[4..20]), "the token is told:\n{all}");
        assert!(all.contains("line 2") && all.contains("github token") && all.contains("renders"), "{all}");
        assert!(!two.piece(&hash).exists());
    }
    let said = two.a.yatsu(&["share", "push"]).expect(1);
    assert_eq!(last(&said), "pushed 0 (0 B), 1 there, 1 stays", "{}", said.out);
    assert_eq!(last(&two.a.yatsu(&["share", "push", "--allow", &hash[..8]]).expect(0)), "pushed 1 (53 B), 1 there");
    assert!(two.piece(&hash).exists());
}

#[test]
fn a_picture_is_not_searched_and_that_is_said() {
    let two = Two::sharing();
    let token = format!("ghp_{}", "0123456789abcdefghij".repeat(2));
    two.a
        .write("../shot.png", [&b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01"[..], token.as_bytes()].concat());
    two.a.yatsu(&["eval", "board", "--scenario", "renders", "--pass", "--image", "../shot.png"]).expect(0);
    two.a.commit("measured");
    two.publish();
    let said = two.a.yatsu(&["share", "push"]).expect(0);
    assert!(said.out.contains("note: 1 piece not searched"), "{}", said.out);
}

#[test]
fn corrupt_bytes_stay_here_and_the_rest_goes() {
    let two = Two::sharing();
    let bad = two.file("renders", "it rendered\n");
    let good = two.file("scrolls", "it scrolled\n");
    two.publish();
    super::overwrite(&two.a.root.join(".git/spexcode/yatsu-blobs").join(&bad), b"it rendereD\n");
    let said = two.a.yatsu(&["--format", "json", "share", "push"]).expect(1);
    let told = json(&said);
    assert_eq!((&told["moved"], &told["left"][0]["hash"]), (&1.into(), &bad.as_str().into()));
    assert!(two.piece(&good).exists() && !two.piece(&bad).exists());
}

#[test]
fn a_dry_run_sends_nothing() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    let said = two.a.yatsu(&["share", "push", "--dry-run"]).expect(0);
    assert_eq!(last(&said), "would push 1 (12 B), 0 there; nothing was sent");
    assert!(!two.piece(&hash).exists());
}

#[test]
fn what_lies_there_with_another_size_is_sent_again() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    super::overwrite(&two.piece(&hash), b"it rend");
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 1 (12 B), 0 there");
    assert_eq!(std::fs::read(two.piece(&hash)).expect("readable"), b"it rendered\n");
}

#[test]
fn what_is_larger_than_4_mib_is_not_searched_and_that_is_said() {
    let two = Two::sharing();
    let token = format!("ghp_{}\n", "0123456789abcdefghij".repeat(2));
    two.file("renders", token.clone() + &"x".repeat((4 << 20) - token.len()));
    two.publish();
    assert!(two.a.yatsu(&["share", "push"]).expect(1).out.contains("github token"));
    two.file("renders", token.clone() + &"x".repeat((4 << 20) + 1 - token.len()));
    two.publish();
    let said = two.a.yatsu(&["share", "push"]).expect(1);
    assert!(said.out.contains("note: 1 piece not searched") && last(&said).starts_with("pushed 1"), "{}", said.out);
}
