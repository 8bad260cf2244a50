//! Whether shared evidence is still there, and the repair.

use super::{Two, json, last, overwrite};
use std::fs;

#[test]
fn what_went_missing_there_is_named_and_healed() {
    let two = Two::sharing();
    let (one, other) = (two.file("renders", "it rendered\n"), two.file("scrolls", "it scrolled\n"));
    two.publish();
    let said = two.a.yatsu(&["share", "check"]).expect(1);
    assert_eq!(last(&said), "2 missing, 0 there");
    two.a.yatsu(&["share", "push"]).expect(0);
    assert_eq!(last(&two.a.yatsu(&["share", "check"]).expect(0)), "all 2 there");
    fs::remove_file(two.piece(&one)).expect("removed");
    let told = json(&two.a.yatsu(&["--format", "json", "share", "check"]).expect(1));
    let reading = &told["left"][0]["readings"][0];
    assert_eq!((&reading["node"], &reading["scenario"]), (&"board".into(), &"renders".into()), "{told}");
    assert_eq!(last(&two.a.yatsu(&["share", "check", "--heal"]).expect(0)), "all 2 there; pushed 1 (12 B)");
    assert!(two.piece(&one).exists() && two.piece(&other).exists());
}

#[test]
fn a_wrong_size_is_found_without_reading_and_healed() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    for damage in [&b""[..], b"it rend", b"it rendered\n and more"] {
        overwrite(&two.piece(&hash), damage);
        let said = two.a.yatsu(&["share", "check"]).expect(1);
        let why = format!("what lies there has {} bytes, and the piece has 12", damage.len());
        assert!(said.out.contains(&hash[..12]) && said.out.contains(&why), "{}", said.out);
        assert_eq!(last(&said), "1 missing, 0 there");
        assert_eq!(last(&two.a.yatsu(&["share", "check", "--heal"]).expect(0)), "all 1 there; pushed 1 (12 B)");
        assert_eq!(fs::read(two.piece(&hash)).expect("readable"), b"it rendered\n");
    }
    overwrite(&two.a.root.join(".git/spexcode/yatsu-blobs").join(&hash), b"it rend");
    assert_eq!(last(&two.a.yatsu(&["share", "check"]).expect(0)), "all 1 there", "the damage is here, not there");
}

#[test]
fn damage_that_keeps_its_size_is_found_by_reading_it_all() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    overwrite(&two.piece(&hash), b"it rendereD\n");
    two.a.yatsu(&["share", "check"]).expect(0);
    let said = two.a.yatsu(&["share", "check", "--deep"]).expect(1);
    assert!(said.out.contains(&hash[..12]), "{}", said.out);
    two.a.yatsu(&["share", "check", "--deep", "--heal"]).expect(0);
    assert_eq!(fs::read(two.piece(&hash)).expect("readable"), b"it rendered\n");
    two.a.yatsu(&["share", "check", "--deep"]).expect(0);
}

#[test]
fn what_is_not_here_cannot_be_healed_from_here() {
    let two = Two::sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    let b = two.clone();
    let said = b.yatsu(&["share", "check", "--heal"]).expect(1);
    assert!(said.out.contains("the machine where it was filed has the bytes"), "{}", said.out);
}

#[test]
fn one_odd_entry_in_a_directory_stops_no_other_piece() {
    let two = Two::sharing();
    let (odd, right) = (two.file("renders", "it rendered\n"), two.file("scrolls", "it scrolled\n"));
    two.publish();
    fs::create_dir_all(two.piece(&odd)).expect("a directory");
    let said = two.a.yatsu(&["share", "push"]).expect(1);
    assert!(said.out.contains(&odd[..12]), "{}", said.out);
    assert!(two.piece(&right).is_file());
    let said = two.a.yatsu(&["share", "check"]).expect(1);
    assert!(last(&said) == "1 missing, 1 there" && said.out.contains(&odd), "{}", said.out);
    let b = two.clone();
    let said = b.yatsu(&["share", "get"]).expect(1);
    assert!(said.out.contains(&odd[..12]), "{}", said.out);
    assert!(b.cached(&right).is_file() && !b.cached(&odd).exists());
}

#[test]
fn what_may_not_be_sent_stays_missing_when_the_rest_is_healed() {
    let two = Two::sharing();
    let hash = two.file("renders", format!("ghp_{}\n", "0123456789abcdefghij".repeat(2)));
    two.file("scrolls", "it scrolled\n");
    two.publish();
    let said = two.a.yatsu(&["share", "check", "--heal"]).expect(1);
    assert!(last(&said).starts_with("1 missing, 1 there; pushed 1"), "{}", said.out);
    assert!(said.out.contains("looks like a secret") && !two.piece(&hash).exists(), "{}", said.out);
}

#[test]
fn what_a_deep_look_finds_damaged_is_no_longer_said_to_be_there() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let b = two.clone();
    b.yatsu(&["share", "check"]).expect(0);
    assert!(b.yatsu(&["show", "board"]).expect(0).out.contains("yatsu-hook share get"));
    overwrite(&two.piece(&hash), b"it rendereD\n");
    b.yatsu(&["share", "check", "--deep"]).expect(1);
    assert!(b.yatsu(&["show", "board"]).expect(0).out.contains("not here, never shared"));
}
