//! `yatsu-uncovered`: a node that governs source and measures nothing.

use super::{all, one_node, only, silent};

#[test]
fn a_node_over_source_without_a_scenario_file_is_named() {
    let scratch = one_node();
    scratch.write(".spec/m/spec.md", "---\ntitle: m\ncode:\n  - src/b.rs\n---\n");
    scratch.commit("m");
    assert_eq!(only(all(&scratch, "yatsu-uncovered"))["node"], "m");
    insta::assert_snapshot!(scratch.session("yatsu-hook check --all"));
    scratch.write(".spec/m/spec.md", "---\ntitle: m\ncode:\n  - src\n---\n");
    only(all(&scratch, "yatsu-uncovered"));
}

#[test]
fn a_node_over_prose_is_not() {
    let scratch = one_node();
    scratch.write("notes.md", "");
    scratch.write(".spec/m/spec.md", "---\ntitle: m\ncode: notes.md\n---\n");
    scratch.commit("m");
    silent(all(&scratch, "yatsu-uncovered"));
}
