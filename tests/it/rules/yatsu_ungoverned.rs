//! `yatsu-ungoverned`: a scenario that no edit can make stale.

use super::{all, one_node, only, silent};
use crate::support::scenarios;

#[test]
fn governing_nothing_is_named() {
    let scratch = one_node();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "")]));
    scratch.commit("m");
    assert_eq!(only(all(&scratch, "yatsu-ungoverned"))["scenario"], "x");
    insta::assert_snapshot!(scratch.session("yatsu-hook check --all"));
    scratch.write(".spec/m/spec.md", "---\ncode: src/b.rs\n---\n");
    silent(all(&scratch, "yatsu-ungoverned"));
}

#[test]
fn an_absent_optional_path_can_still_go_stale() {
    let scratch = one_node();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "?src/later.rs")]));
    scratch.commit("m");
    silent(all(&scratch, "yatsu-ungoverned"));
}
