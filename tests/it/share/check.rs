//! Whether what is shared is still there, and what heals it.

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
    assert!(said.out.contains("whoever filed it has the bytes"), "{}", said.out);
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
