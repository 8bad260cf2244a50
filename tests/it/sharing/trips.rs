//! The calls of sharing to git and the server. Over a real network every connection is a round trip, and starting a
//! program always takes longer than its work.

use super::hooks::Watched;
use crate::support::{fed, hermetic, program, sha256};
use std::fs;

/// The verbs of the calls to git, in order.
fn verbs(watched: &Watched) -> Vec<String> {
    let text = fs::read_to_string(&watched.log).unwrap_or_default();
    let verb = |line: &str| {
        let mut words = line.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "-c" => drop(words.next()),
                option if option.starts_with('-') => {}
                verb => return Some(verb.to_owned()),
            }
        }
        None
    };
    text.lines().filter_map(verb).collect()
}

/// Runs a command in the clone at `root`, and returns its calls to git.
fn traced(watched: &Watched, root: &str, args: &[&str]) -> Vec<String> {
    let _ = fs::remove_file(&watched.log);
    let mut command = hermetic(program(), &watched.two.a.home());
    command.current_dir(watched.two.a.base.join(root)).env("PATH", watched.path()).args(args);
    fed(command, "").expect(0);
    verbs(watched)
}

fn connections(verbs: &[String]) -> Vec<&str> {
    verbs.iter().map(String::as_str).filter(|verb| ["ls-remote", "fetch", "push"].contains(verb)).collect()
}

/// A clone with access to what `a` has shared, with sharing on.
fn other(watched: &Watched) {
    let url = watched.two.a.git(&["remote", "get-url", "origin"]);
    watched.two.publish();
    watched.two.a.yatsu(&["share", "push"]).expect(0);
    watched.two.a.git(&["clone", "-q", &url, "../b"]);
    traced(watched, "b", &["share", "on"]);
}

#[test]
fn a_reading_is_shared_over_three_connections() {
    let watched = Watched::new();
    watched.two.publish();
    watched.two.a.yatsu(&["share", "push"]).expect(0);
    watched.two.file("scrolls", "it scrolled\n");
    watched.two.publish();
    let asked = traced(&watched, &watched.two.a.root.display().to_string(), &["share", "push"]);
    // the list, the push, and the proof that it arrived
    assert_eq!(connections(&asked), ["ls-remote", "push", "ls-remote"]);
    assert!(asked.len() <= 15, "{asked:?}");
    let again = traced(&watched, &watched.two.a.root.display().to_string(), &["share", "push"]);
    assert_eq!(connections(&again), ["ls-remote"], "nothing is to be sent");
}

#[test]
fn a_piece_is_got_over_three_connections() {
    let watched = Watched::new();
    other(&watched);
    watched.two.file("scrolls", "it scrolled\n");
    watched.two.publish();
    watched.two.a.yatsu(&["share", "push"]).expect(0);
    let hash = sha256("it scrolled\n");
    // the list, the new names, the piece
    let asked = traced(&watched, "b", &["share", "get", &hash]);
    assert_eq!(connections(&asked), ["ls-remote", "fetch", "fetch"]);
    assert!(asked.len() <= 14, "{asked:?}");
}

#[test]
fn what_is_there_is_asked_over_one_connection() {
    let watched = Watched::new();
    other(&watched);
    traced(&watched, "b", &["share", "get"]);
    assert_eq!(connections(&traced(&watched, "b", &["share", "check"])), ["ls-remote"]);
}

#[test]
fn a_claim_is_taken_over_two_connections_and_one_program_reads_all_others() {
    let watched = Watched::new();
    let take = |scenario| {
        let asked = ["claim", "take", "board", "--scenario", scenario, "--as", "Ann"];
        traced(&watched, &watched.two.a.root.display().to_string(), &asked)
    };
    watched.two.a.git(&["config", "yatsu.claims.shared", "origin"]);
    let first = take("renders");
    assert_eq!(connections(&first), ["ls-remote", "push"]);
    assert!(first.len() <= 5, "{first:?}");
    let refs = watched.two.a.git(&["ls-remote", "origin", "refs/yatsu/claims/*"]);
    let commit = refs.split_whitespace().next().expect("a claim");
    // notes of other machines, each at its own commit
    for number in 0..3 {
        let own = format!("refs/yatsu/claims/{number:040}");
        let text = format!("note {number}");
        let server = ["-C", "../server.git"];
        let tree = watched.two.a.git(&[&server[..], &["rev-parse", &format!("{commit}^{{tree}}")]].concat());
        let note = watched.two.a.git(&[&server[..], &["commit-tree", &tree, "-m", &text]].concat());
        watched.two.a.git(&[&server[..], &["update-ref", &own, &note]].concat());
    }
    let second = take("scrolls");
    assert_eq!(connections(&second), ["ls-remote", "fetch", "push"]);
    assert!(second.len() <= 7, "{second:?}");
}
