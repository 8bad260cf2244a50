//! `ledger-duplicate`: the same line twice counts once.

use super::{all, measured, only, silent};

#[test]
fn the_second_copy_is_told() {
    let scratch = measured("pass");
    silent(all(&scratch, "ledger-duplicate"));
    let ledger = scratch.read(".spec/n/yatsu.evals.ndjson");
    scratch.write(".spec/n/yatsu.evals.ndjson", ledger.clone() + &ledger);
    let found = only(all(&scratch, "ledger-duplicate"));
    assert_eq!((found["level"].as_str(), found["line"].as_u64()), (Some("info"), Some(2)));
    assert!(found["help"].as_str().is_some_and(|help| help.ends_with(": yatsu-hook repair")), "{found}");
    scratch.yatsu(&["repair"]).expect(0);
    silent(all(&scratch, "ledger-duplicate"));
}
