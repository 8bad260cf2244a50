//! The threat table of docs/trust.md: what each attack leads to, and what is not seen.

use super::{INDEPENDENT, LEDGER, SIGNED, Team};
use crate::support::{Said, executable, findings};
use std::path::Path;

/// The beginning of each row, with the tests that show its outcome.
const ROWS: [(&str, &[&str]); 14] = [
    ("adds a key and signs", &["a_change_that_admits_its_own_key_is_judged_without_it"]),
    (
        "edits a signed line",
        &["a_signature_of_another_line_or_in_another_ledger_does_not_hold_and_a_moved_scenario_keeps_its_own"],
    ),
    (
        "lifts a signature",
        &[
            "a_signature_of_another_line_or_in_another_ledger_does_not_hold_and_a_moved_scenario_keeps_its_own",
            "a_signature_for_another_project_does_not_hold",
            "a_signature_for_another_use_of_the_key_is_an_error",
        ],
    ),
    (
        "backdates a signature",
        &["an_expired_key_holds_for_its_time_and_signs_nothing_new_and_a_backdated_line_does_not_help"],
    ),
    ("takes a committed signature away", &["a_committed_signature_cannot_be_stripped"]),
    (
        "takes a signed fail away",
        &[
            "a_signed_fail_that_an_unsigned_line_takes_away_still_speaks",
            "a_dropped_tag_and_an_eased_policy_are_judged_by_the_base",
            "a_score_goes_by_the_tags_of_the_main_branch_too",
        ],
    ),
    (
        "signs with two keys",
        &[
            "two_keys_and_two_names_of_one_person_are_one_person",
            "two_keys_of_one_person_count_once_and_two_persons_who_sign_one_line_count_twice",
        ],
    ),
    (
        "changes main under an approval",
        &[
            "main_under_an_approval_and_more_files_than_were_approved_lose_it_by_name",
            "an_evil_merge_and_a_merge_that_drops_mains_work_are_not_covered",
        ],
    ),
    ("lands a reverted change", &["what_main_took_back_is_approved_anew"]),
    ("writes another person's name", &["the_giver_is_the_owner_of_the_key_and_not_the_name_in_the_line"]),
    ("**forges the author", &["a_forged_author_and_a_dropped_trailer_are_not_seen"]),
    ("**uses the agent", &["a_stolen_key_counts_until_it_is_revoked"]),
    ("**signs without looking**", &["the_commit_after_from_decides_what_is_judged"]),
    ("**writes this machine's memo**", &["the_memo_of_verified_signatures_is_believed"]),
];

#[test]
fn every_row_of_the_threat_table_has_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/trust.md")).expect("the page");
    let (_, table) = page.split_once("| who can do what | outcome |\n|---|---|\n").expect("the table");
    let rows: Vec<&str> = table.lines().take_while(|line| line.starts_with("| ")).collect();
    assert_eq!(rows.len(), ROWS.len());
    let files =
        ["approvals/content.rs", "approvals/signed.rs", "trust/holding.rs", "trust/independence.rs", "trust/policy.rs"];
    let read = |file: &str| std::fs::read_to_string(root.join("tests/it").join(file)).expect("a file of tests");
    let tests: String = files.into_iter().chain(["trust/threats.rs"]).map(read).collect();
    for (row, (begin, shown_by)) in rows.iter().zip(ROWS) {
        assert!(row.starts_with(&format!("| {begin}")), "{row}");
        for test in shown_by {
            assert!(tests.contains(&format!("#[test]\nfn {test}() {{")), "{test}");
        }
    }
}

#[test]
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
fn the_memo_of_verified_signatures_is_believed() {
    let team = Team::with_policy(SIGNED);
    team.edit("changed");
    team.signed_pass(&["ann"]);
    // an edited time: no key made this line
    let edited = team.last_line().replacen("\"ts\":\"20", "\"ts\":\"21", 1);
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
