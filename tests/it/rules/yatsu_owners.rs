//! `yatsu-owners`: a file that too many scenarios govern.

use super::{all, one_node, only, silent};
use crate::support::scenarios;

#[test]
fn four_owners_are_one_too_many() {
    let scratch = one_node();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "src/a.rs"), ("y", "src"), ("z", "src/*.rs")]));
    scratch.commit("m");
    let found = only(all(&scratch, "yatsu-owners"));
    assert_eq!(found["path"], "src/a.rs");
    scratch.write("spexcode.json", "{\"lint\": {\"maxOwners\": 4}}");
    silent(all(&scratch, "yatsu-owners"));
}
