//! `gate-lowered`: a change that weakens the gate says so.

use super::{one_node, only, silent, staged};

#[test]
fn a_lower_level_is_named_and_a_higher_one_is_not() {
    let scratch = one_node();
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"stray-blob\": \"warning\"}}}");
    let found = only(staged(&scratch, "gate-lowered"));
    assert!(found["message"].as_str().expect("text").contains("stray-blob"), "{found}");
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"yatsu-drift\": \"error\"}}}");
    silent(staged(&scratch, "gate-lowered"));
}
