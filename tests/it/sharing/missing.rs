//! Messages about a missing piece, without asking a remote.

use super::{DIR, Two, json};
use crate::support::ledger_lines;
use std::fs;

#[test]
fn a_missing_piece_is_said_to_be_there_only_where_the_remote_was_seen_to_have_it() {
    let two = Two::sharing();
    let (shared, kept) = (two.file("renders", "it rendered\n"), two.file("scrolls", "it scrolled\n"));
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    fs::remove_file(two.piece(&kept)).expect("removed");
    let b = two.clone();
    b.yatsu(&["share", "check"]).expect(1);
    // the place is gone, so it cannot be asked
    fs::rename(two.shared(), two.a.base.join("away")).expect("renamed");
    let there = format!("not here, on {}: yatsu-hook share get", two.place());
    let shown = b.yatsu(&["show", "board"]).expect(0).out;
    assert!(shown.contains(&there) && shown.contains("not here, never shared"), "{shown}");
    let told = json(&b.yatsu(&["--format", "json", "show", "board"]).expect(0));
    let pieces = |told: &serde_json::Value| {
        let rows = told["scenarios"].as_array().expect("scenarios").iter();
        let evidence = rows.flat_map(|row| row["readings"].as_array().expect("readings")).flat_map(|reading| {
            reading["evidence"]
                .as_array()
                .expect("evidence")
                .iter()
                .map(|piece| (piece["hash"].clone(), piece.get("there").cloned()))
        });
        evidence
            .map(|(hash, there)| (hash.as_str().expect("a hash").to_owned(), there))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let away = pieces(&told);
    assert_eq!((&away[&shared], &away[&kept]), (&Some(two.place().into()), &Some(serde_json::Value::Null)), "{told}");
    // a local piece is not searched elsewhere
    let held = pieces(&json(&two.a.yatsu(&["--format", "json", "show", "board"]).expect(0)));
    assert_eq!((&held[&shared], &held[&kept]), (&None, &None));
    let page = b.yatsu(&["report", "--html", "-"]).expect(0).out;
    assert!(page.contains(&there) && page.contains("not here, never shared"), "{page}");
    let bare = b.yatsu(&["report", "--html", "-", "--without-evidence"]).expect(0).out;
    assert!(!bare.contains(&two.place()), "what is published tells no place");
    assert!(b.yatsu(&["evidence", "get", &shared]).expect(1).err.contains(&there));
    assert!(b.yatsu(&["evidence", "get", &kept]).expect(1).err.contains("not here, never shared"));
    b.yatsu(&["share", "off"]).expect(0);
    assert!(b.yatsu(&["show", "board"]).expect(0).out.contains("transcript miss original file"));
}

#[test]
fn what_was_dropped_is_gone_there_and_what_it_cannot_do_is_said() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let said = two.a.yatsu(&["share", "drop", &hash[..6], "--reason", "a token"]).expect(0);
    assert!(!two.piece(&hash).exists());
    assert!(said.out.contains("clones may keep the bytes") && said.out.contains("board/renders"), "{}", said.out);
    assert!(said.out.ends_with(&format!("dropped 1 (12 B) from {}\n", two.place())), "{}", said.out);
    assert!(two.a.root.join(".git/spexcode/yatsu-blobs").join(&hash).exists(), "what is here stays");
}

#[test]
fn a_redaction_says_how_its_evidence_is_taken_away_where_it_was_shared() {
    let two = Two::sharing();
    let (shared, kept) = (two.file("renders", "a name\n"), two.file("scrolls", "another\n"));
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let lines = ledger_lines(&two.a, DIR);
    let line = lines.iter().find(|line| line.contains("renders")).expect("a line");
    let line: serde_json::Value = serde_json::from_str(line).expect("an object");
    let ts = line["ts"].as_str().expect("a time");
    let said = two.a.yatsu(&["redact", "board", "--scenario", "renders", "--ts", ts, "--reason", "r"]).expect(0);
    assert!(said.err.contains(&format!("yatsu-hook share drop {shared} --reason")), "{}", said.err);
    assert!(!said.err.contains(&kept), "{}", said.err);
}

#[test]
fn the_doctor_says_how_sharing_stands() {
    let two = Two::new();
    let of = || two.a.yatsu(&["doctor"]).out;
    assert!(!of().contains("shared through"), "{}", of());
    two.a.git(&["config", "yatsu.share.onPush", "true"]);
    assert!(of().contains("sharing is off\n        repair: yatsu-hook share on\n"), "{}", of());
    two.a.yatsu(&["share", "on", &two.place()]).expect(0);
    assert!(
        of().contains(&format!("ok      evidence is shared through {}, along with each push", two.place())),
        "{}",
        of()
    );
    fs::rename(two.shared(), two.a.base.join("away")).expect("renamed");
    assert!(of().contains("which is away"), "{}", of());
    two.a.git(&["config", "yatsu.share", "upstream"]);
    assert!(of().contains("no git remote here"), "{}", of());
    two.a.git(&["config", "yatsu.share", "https://me:hunter2@host/x"]);
    assert!(of().contains("broken  yatsu.share") && !of().contains("hunter2"), "{}", of());
}
