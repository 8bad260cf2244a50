//! The threat table of docs/trust.md: what each attack leads to, and what is not seen.

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
        ["patches/approvals/content.rs", "patches/approvals/needs_ssh_keygen.rs"].map(str::to_owned).into_iter();
    let own = ["holding", "independence", "policy", "threats"].map(|name| format!("trust/needs_ssh_keygen/{name}.rs"));
    let read = |file: String| std::fs::read_to_string(root.join("tests/it").join(file)).expect("a file of tests");
    let tests: String = files.chain(own).map(read).collect();
    for (row, (begin, shown_by)) in rows.iter().zip(ROWS) {
        assert!(row.starts_with(&format!("| {begin}")), "{row}");
        for test in shown_by {
            assert!(tests.contains(&format!("\nfn {test}() {{")), "{test}");
        }
    }
}
