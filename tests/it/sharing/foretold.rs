//! A dry run predicts every number of the following run: what is sent, what is there, what stays and why.

use super::{Two, json, overwrite};
use crate::support::Dice;
use std::fs;

/// The possible problems of a piece; the first is none.
const FATES: [&str; 7] = ["well", "secret", "damaged", "large and damaged", "too large", "dropped", "barred"];

/// Files a piece with this problem, as far as it exists before sending; returns its hash.
fn piece(two: &Two, number: usize, fate: &str) -> String {
    let size = match fate {
        "large and damaged" => 5 << 20,
        "too large" => (10 << 20) + 1,
        _ => 20,
    };
    let secret = if fate == "secret" { format!("ghp_{}", "0123456789abcdefghij".repeat(2)) } else { String::new() };
    let mut text = format!("{number} {secret}\n").into_bytes();
    text.resize(text.len().max(size), b'.');
    let hash = two.file(if number.is_multiple_of(2) { "renders" } else { "scrolls" }, &text);
    if fate.ends_with("damaged") {
        text[0] = b'?';
        overwrite(&two.a.root.join(".git/spexcode/yatsu-blobs").join(&hash), &text);
    }
    if fate == "barred" {
        fs::create_dir_all(two.piece(&hash)).expect("a directory");
    }
    hash
}

/// Asserts that a dry run predicts every number and every remaining piece of the run after it.
#[track_caller]
fn agrees(two: &Two, args: &[&str], context: &str) {
    let run = |more: &[&str]| {
        let said = two.a.yatsu(&[&["--format", "json", "share", "push"], args, more].concat());
        assert!(said.code <= 1, "{context}: {}", said.err);
        (said.code, json(&said))
    };
    let ((tried, mut would), (code, did)) = (run(&["--dry-run"]), run(&[]));
    would["dryRun"] = false.into();
    // notes of the engine appear only in the real run
    would["notes"] = did["notes"].clone();
    assert_eq!((tried, would), (code, did), "{context}");
}

fn random(seed: u64, over_git: bool) {
    let two = if over_git { super::git::sharing() } else { Two::sharing() };
    let mut dice = Dice(seed);
    let mut draw = |below: usize| dice.roll(below);
    let mut told = Vec::new();
    for round in 0..3 {
        for at in 0..1 + draw(3) {
            let fate = FATES[draw(FATES.len())];
            let hash = piece(&two, round * 10 + at, fate);
            if fate == "dropped" {
                two.a.yatsu(&["share", "drop", &hash, "--reason", "a name"]).expect(0);
            }
            told.push((fate, hash));
        }
        if draw(4) > 0 {
            two.publish();
        }
        let allowed = told.iter().find(|(fate, _)| *fate == "secret" && round == 2).map(|(_, hash)| hash.clone());
        let args: Vec<&str> = match &allowed {
            Some(hash) => vec!["--allow", hash],
            None if draw(3) == 0 => vec!["--all"],
            None => Vec::new(),
        };
        agrees(&two, &args, &format!("seed {seed}, over git: {over_git}, round {round}, {told:?}"));
    }
}

#[test]
fn a_dry_run_tells_every_number_of_the_run_after_it() {
    for seed in crate::support::seeds(3, 60) {
        random(seed, false);
        random(seed, true);
    }
}

#[test]
fn a_dry_run_sends_no_piece_that_was_dropped_and_says_why() {
    let two = super::git::sharing();
    let (dropped, kept) = (two.file("renders", "it rendered\n"), two.file("scrolls", "it scrolled\n"));
    two.publish();
    two.a.yatsu(&["share", "drop", &dropped, "--reason", "a name"]).expect(0);
    let said = two.a.yatsu(&["share", "push", "--dry-run"]).expect(1);
    assert!(said.out.contains("it was dropped: a name") && !said.out.contains(&kept[..12]), "{}", said.out);
    assert!(said.out.ends_with("would push 1 (12 B), 0 there, 1 stays; nothing was sent\n"), "{}", said.out);
    // `share on` predicts exactly what is sent
    let said = two.a.yatsu(&["share", "on"]).expect(0);
    assert!(said.out.ends_with("would send 1 (12 B), 1 stays: yatsu-hook share push\n"), "{}", said.out);
}
