//! `yatsu-failing`: the fresh reading is a fail.

use super::{all, measured, only, silent};

#[test]
fn a_fresh_fail_is_told_and_a_stale_one_is_drift() {
    let scratch = measured("fail");
    insta::assert_snapshot!(scratch.session("yatsu-hook check --all"));
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    silent(all(&scratch, "yatsu-failing"));
    only(all(&scratch, "yatsu-drift"));
}
