//! `ledger-duplicate`: the same line twice counts once.

use super::{all, measured, only, silent};

#[test]
fn the_second_copy_is_told() {
    let scratch = measured("pass");
    silent(all(&scratch, "ledger-duplicate"));
    let ledger = scratch.read(".spec/n/yatsu.evals.ndjson");
    scratch.write(".spec/n/yatsu.evals.ndjson", ledger.clone() + &ledger);
    let found = only(all(&scratch, "ledger-duplicate"));
    assert_eq!(found["line"], 2);
    insta::assert_snapshot!(scratch.session("yatsu-hook check --all\nyatsu-hook repair"));
    silent(all(&scratch, "ledger-duplicate"));
}
