//! `yatsu-orphan`: readings that nobody declares any more.

use super::{all, one_node, only, silent};
use crate::support::{reading, scenarios};

#[test]
fn a_renamed_scenario_leaves_orphans_and_misses_readings() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    silent(all(&scratch, "yatsu-orphan"));
    scratch.write(".spec/n/yatsu.md", scenarios(&[("runs", "src/a.rs")]));
    assert_eq!(only(all(&scratch, "yatsu-orphan"))["scenario"], "works");
    assert_eq!(only(all(&scratch, "yatsu-missing"))["scenario"], "runs");
}
