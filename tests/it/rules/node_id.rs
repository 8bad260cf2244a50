//! `node-id`: one name, one node.

use super::{one_node, silent, staged};
use crate::support::scenarios;

#[test]
fn two_directories_that_end_in_the_same_id_are_named() {
    let scratch = one_node();
    scratch.write(".spec/a/b_c/yatsu.md", scenarios(&[("x", "src/a.rs")]));
    scratch.write(".spec/z/b/c/yatsu.md", scenarios(&[("x", "src/a.rs")]));
    scratch.write(".spec/y/c/yatsu.md", scenarios(&[("x", "src/a.rs")]));
    let found = staged(&scratch, "node-id");
    assert_eq!(found.len(), 2, "{found:#?}");
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
}

#[test]
fn directories_of_one_leaf_name_get_longer_ids() {
    let scratch = one_node();
    scratch.write(".spec/m/n/yatsu.md", scenarios(&[("x", "src/a.rs")]));
    silent(staged(&scratch, "node-id"));
}
