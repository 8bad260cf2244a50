//! `evidence-kind`: a pass has the evidence that its tag requires.

use super::{all, one_node, silent};
use crate::support::reading;

#[test]
fn a_pass_without_the_kind_is_named_and_a_fail_is_not() {
    let scratch = one_node();
    scratch.write("spexcode.json", "{\"yatsu\": {\"evidenceFor\": {\"cli\": [\"transcript\", \"data\"]}}}");
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    insta::assert_snapshot!(scratch.session("yatsu-hook check --all"));
    reading(&scratch, ".spec/n", "works", "fail", 2);
    silent(all(&scratch, "evidence-kind"));
}
