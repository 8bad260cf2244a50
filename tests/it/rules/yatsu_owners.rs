//! `yatsu-owners`: a file that too many scenarios govern.

use super::{all, one_node, only, silent};
use crate::support::scenarios;

#[test]
fn four_owners_are_one_too_many() {
    let scratch = one_node();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "src/a.rs"), ("y", "src"), ("z", "src/*.rs")]));
    scratch.commit("m");
    assert_eq!(only(all(&scratch, "yatsu-owners"))["path"], "src/a.rs");
    insta::assert_snapshot!(scratch.session("yatsu-hook check --all"));
    scratch.write("spexcode.json", "{\"lint\": {\"maxOwners\": 4}}");
    silent(all(&scratch, "yatsu-owners"));
}

#[test]
fn who_governs_a_unit_of_a_file_does_not_own_it() {
    let scratch = one_node();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "src/a.rs#a"), ("y", "src/a.rs#a"), ("z", "src/a.rs#a")]));
    scratch.commit("m");
    silent(all(&scratch, "yatsu-owners"));
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "src/a.rs"), ("y", "src"), ("z", "src/*.rs#a")]));
    assert_eq!(only(all(&scratch, "yatsu-owners"))["path"], "src/a.rs", "what narrows nothing counts");
}
