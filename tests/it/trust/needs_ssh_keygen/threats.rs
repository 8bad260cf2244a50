//! Attacks of the threat table of docs/trust.md that no other file shows.

use super::{INDEPENDENT, LEDGER, SIGNED, Team};
use crate::support::{Said, executable, findings};

#[test]
#[ignore = "needs ssh-keygen"]
fn a_forged_author_and_a_dropped_trailer_are_not_seen() {
    let team = Team::with_policy(INDEPENDENT);
    let base = team.head();
    team.edit("by ann");
    team.commit_as("carl@example.org", "");
    team.signed_pass(&["ann"]);
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0], "git says that carl wrote it");
    let here = team.head();
    team.s.git(&["checkout", "-qb", "topic"]);
    team.edit("by ann and carl");
    team.commit_as("carl@example.org", "Co-authored-by: Ann <ann@example.org>");
    team.signed_pass(&["ann"]);
    assert_eq!(team.told(&here, "trust-unmet").len(), 1);
    team.s.git(&["checkout", "-q", "main"]);
    team.s.git(&["merge", "-q", "--squash", "topic"]);
    team.commit_as("carl@example.org", "");
    assert_eq!(team.told(&here, "trust-unmet"), [""; 0], "the squash names carl alone");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_stolen_key_counts_until_it_is_revoked() {
    let team = Team::with_policy(SIGNED);
    team.s.write("trust/revoked", "");
    let config = team.s.read("spexcode.json").replace("\"signers\"", "\"revoked\": \"trust/revoked\", \"signers\"");
    team.s.write("spexcode.json", config);
    team.s.commit("a list of revoked keys");
    team.edit("by a thief");
    team.signed_pass(&["bob"]);
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 0);
    team.s.write("trust/revoked", team.public("bob") + "\n");
    team.s.commit("the theft is known");
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1, "then it never held");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn the_commit_after_from_decides_what_is_judged() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.edit("changed");
    team.signed_pass(&[]);
    assert_eq!(team.told(&base, "trust-unmet").len(), 1);
    assert_eq!(team.told("HEAD", "trust-unmet"), [""; 0], "nothing is new there");
}

/// An `ssh-keygen` that knows every key as Ann's.
const LIE: &str = r#"#!/bin/sh
case "$*" in
*find-principals*) echo ann@example.org ;;
*) echo 'Good "yatsu-hook" signature for ann@example.org with ED25519 key SHA256:lie' ;;
esac
"#;

#[test]
#[ignore = "needs ssh-keygen"]
fn the_memo_of_verified_signatures_is_believed() {
    let team = Team::with_policy(SIGNED);
    team.edit("changed");
    team.signed_pass(&["ann"]);
    // an edited time: no key made this line
    let line = team.last_line();
    let at = line.find("\"ts\":\"").expect("a time") + "\"ts\":\"2026-01-01T00:00:00.".len();
    let moment = if &line[at..at + 3] == "999" { "998" } else { "999" };
    let edited = format!("{}{moment}{}", &line[..at], &line[at + 3..]);
    team.replace_last(&edited);
    team.s.commit("edited");
    let unmet = || findings(&team.s, "trust-unmet", &["--all"]).len();
    assert_eq!(unmet(), 1, "{LEDGER} is edited");
    std::fs::remove_dir_all(team.s.root.join(".git/yatsu")).expect("the memo");
    let bin = team.s.home().join("lying");
    std::fs::create_dir_all(&bin).expect("a directory");
    executable(&bin.join("ssh-keygen"), LIE);
    let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(crate::support::search_path())));
    let mut scan = team.s.yatsu_command(&["scan"]);
    Said::of(scan.env("PATH", path.expect("a path")).output().expect("the program")).expect(0);
    assert_eq!(unmet(), 0, "who writes the memo of this machine could as well replace its programs");
    std::fs::remove_dir_all(team.s.root.join(".git/yatsu")).expect("the memo");
    assert_eq!(unmet(), 1, "another machine has another memo");
}
