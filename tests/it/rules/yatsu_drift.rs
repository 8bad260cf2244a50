//! `yatsu-drift`: readings that this change makes stale.

use super::{measured, only, silent, staged};

#[test]
fn an_edit_of_a_governed_file_is_advice() {
    let scratch = measured("pass");
    let since = scratch.git(&["rev-parse", "HEAD~1"]);
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    let found = only(staged(&scratch, "yatsu-drift"));
    assert_eq!(found["origin"], "introduced");
    assert_eq!((&found["axes"], &found["since"]), (&serde_json::json!(["code"]), &since.into()));
    assert_eq!(found["drift"][0]["path"], "src/a.rs");
    assert_eq!(found["tags"], serde_json::json!(["cli"]));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit\nyatsu-hook check --staged --strict"));
}

#[test]
fn an_edit_elsewhere_and_a_revert_are_silent() {
    let scratch = measured("pass");
    scratch.write("src/b.rs", "fn b() { 1; }\n");
    silent(staged(&scratch, "yatsu-drift"));
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    scratch.commit("drifts");
    scratch.write("src/a.rs", "fn a() {}\n");
    silent(staged(&scratch, "yatsu-drift"));
}

#[test]
fn what_was_stale_before_is_inherited_and_only_counted_in_a_hook() {
    let scratch = measured("pass");
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    scratch.commit("drifts");
    scratch.write("src/a.rs", "fn a() { 2; }\n");
    scratch.git(&["add", "-A"]);
    assert_eq!(scratch.yatsu(&["pre-commit"]).expect(0).err, "");
}
