//! Fetching: only bytes with the hash in a reading are accepted.

use super::{Two, json, last, overwrite};
use crate::support::{Said, hermetic, program, sha256};
use std::fs;

#[test]
fn the_latest_reading_of_each_scenario_is_fetched_unless_more_is_asked_for() {
    let two = Two::sharing();
    let old = two.file("renders", "at first\n");
    two.file("renders", "at last\n");
    let other = two.file("scrolls", "it scrolled\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let b = two.clone();
    assert_eq!(last(&b.yatsu(&["share", "get", &other[..6]]).expect(0)), "got 1 (12 B), 0 here already");
    assert_eq!(last(&b.yatsu(&["share", "get"]).expect(0)), "got 1 (8 B), 1 here already");
    assert!(!b.cached(&old).exists());
    assert_eq!(last(&b.yatsu(&["share", "get", "board"]).expect(0)), "got 1 (9 B), 2 here already");
    assert_eq!(last(&b.yatsu(&["share", "get", "--all"]).expect(0)), "got 0 (0 B), 3 here already");
    for wrong in ["nowhere", "zzzz", "0123456789"] {
        assert_ne!(b.yatsu(&["share", "get", wrong]).code, 0, "{wrong}");
    }
}

#[test]
fn show_knows_where_every_piece_is_that_was_named_when_something_was_fetched() {
    for two in [Two::sharing(), super::git::sharing()] {
        let is_git = two.a.git(&["config", "yatsu.share"]) == "origin";
        let old = two.file("renders", "at first\n");
        two.file("renders", "at last\n");
        two.publish();
        two.a.yatsu(&["share", "push"]).expect(0);
        let unshared = two.file("scrolls", "it scrolled\n");
        two.publish();
        let b = if is_git { super::git::other(&two) } else { two.clone() };
        b.yatsu(&["share", "get"]).expect(1);
        assert!(!b.cached(&old).exists());
        let place = if is_git { "origin".to_owned() } else { two.place() };
        let shown = b.yatsu(&["show", "board"]).expect(0).out;
        let get = format!("yatsu-hook share get {}", &old[..12]);
        assert!(shown.contains(&format!("not here, on {place}: {get}")), "{shown}");
        assert_eq!(shown.matches("not here, never shared").count(), 1, "{unshared} alone: {shown}");
        let words: Vec<&str> = get.split(' ').skip(1).collect();
        assert_eq!(last(&b.yatsu(&words).expect(0)), "got 1 (9 B), 0 here already");
    }
}

#[test]
fn a_lie_never_reaches_the_cache_and_the_rest_is_kept() {
    let lies: [&[u8]; 4] = [b"", b"it rendere", b"it rendereD\n", b"it rendered\n and more"];
    for lie in lies {
        let two = Two::sharing();
        let (hash, other) = (two.file("renders", "it rendered\n"), two.file("scrolls", "it scrolled\n"));
        two.publish();
        two.a.yatsu(&["share", "push"]).expect(0);
        overwrite(&two.piece(&hash), lie);
        let b = two.clone();
        let told = json(&b.yatsu(&["--format", "json", "share", "get"]).expect(1));
        assert_eq!((&told["moved"], &told["left"][0]["hash"]), (&1.into(), &hash.as_str().into()));
        assert_eq!(b.cache(), [b.cached(&other)], "{lie:?}");
    }
}

#[test]
fn what_nobody_has_is_named_with_its_reading() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    let b = two.clone();
    let said = b.yatsu(&["share", "get"]).expect(1);
    assert!(said.out.contains(&hash[..12]) && said.out.contains("board/renders"), "{}", said.out);
    assert_eq!(last(&said), "got 0 (0 B), 0 here already, 1 missing");
}

#[test]
fn a_limit_on_files_leaves_no_wrong_byte_and_a_repetition_goes_on() {
    let two = Two::sharing();
    let (small, large) = (two.file("renders", "small\n"), two.file("scrolls", "x".repeat(300_000)));
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let b = two.clone();
    let mut shell = hermetic("sh", &two.a.home());
    let script = format!("ulimit -f 64; exec '{}' share get", program().display());
    let said = Said::of(shell.current_dir(&b.root).args(["-c", &script]).output().expect("a shell"));
    assert!(said.code == 3 && said.err.contains("make room"), "{}: {}", said.code, said.err);
    assert!(b.cache().iter().all(|path| *path == b.cached(&small)), "{:?}", b.cache());
    b.yatsu(&["share", "get"]).expect(0);
    assert!(b.cached(&small).exists() && b.cached(&large).exists());
}

#[test]
fn whoever_interrupts_it_finds_whole_pieces_alone_and_goes_on_later() {
    let two = Two::sharing();
    let hashes = [two.file("renders", "x".repeat(3_000_000)), two.file("scrolls", "y".repeat(3_000_000))];
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let b = two.clone();
    for hundredths in 1..12 {
        let mut cut = hermetic("timeout", &two.a.home());
        cut.current_dir(&b.root).args(["-s", "INT", &format!("0.{hundredths:02}")]);
        cut.arg(program()).args(["share", "get"]).output().expect("timeout");
        for path in b.cache() {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            assert_eq!(sha256(fs::read(&path).expect("readable")), name);
        }
        hashes.iter().for_each(|hash| drop(fs::remove_file(b.cached(hash))));
    }
    assert_eq!(last(&b.yatsu(&["share", "get"]).expect(0)), "got 2 (6.0 MB), 0 here already");
}

#[test]
fn a_place_that_is_away_is_exit_3_and_nothing_is_made_there() {
    let two = Two::sharing();
    two.file("renders", "it rendered\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    let b = two.clone();
    fs::rename(two.shared(), two.a.base.join("unmounted")).expect("renamed");
    for args in [&["share", "get"][..], &["share", "push"], &["share", "check"], &["share", "on", &two.place()]] {
        let said = b.yatsu(args).expect(3);
        assert!(said.err.contains("mount it"), "{}", said.err);
    }
    b.yatsu(&["share"]).expect(0);
    assert!(!two.shared().exists());
}
