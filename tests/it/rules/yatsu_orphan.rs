//! `yatsu-orphan`: readings of scenarios that are no longer declared.

use super::{all, measured, only, silent};
use crate::support::scenarios;

#[test]
fn a_renamed_scenario_leaves_orphans_and_misses_readings() {
    let scratch = measured("pass");
    silent(all(&scratch, "yatsu-orphan"));
    scratch.write(".spec/n/yatsu.md", scenarios(&[("runs", "src/a.rs")]));
    assert_eq!(only(all(&scratch, "yatsu-orphan"))["scenario"], "works");
    insta::assert_snapshot!(scratch.session("yatsu-hook check --all"));
    assert_eq!(only(all(&scratch, "yatsu-missing"))["scenario"], "runs");
}
