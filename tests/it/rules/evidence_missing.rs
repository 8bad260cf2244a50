//! `evidence-missing`: evidence that is not in this clone.

use super::{one_node, only, silent, staged};
use crate::support::{Scratch, findings, reading_line};

const HASH: &str = "9b01f58abd6b88d720829d7ec45e313449c1516f4a88e8dee0e8dc06795b805e";

/// A repository with an uncommitted reading with these bytes, and the reading's commit.
fn measured() -> (Scratch, String) {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let line = reading_line(&head, "works", "pass", 1).replace("null", &format!("\"{HASH}\""));
    scratch.write(".spec/n/yatsu.evals.ndjson", line);
    (scratch, head)
}

#[test]
fn an_added_reading_whose_bytes_the_cache_lacks_is_told() {
    let (scratch, _) = measured();
    only(staged(&scratch, "evidence-missing"));
    insta::assert_snapshot!(scratch.session("yatsu-hook check --staged"));
    scratch.write(&format!(".git/spexcode/yatsu-blobs/{HASH}"), "any");
    silent(staged(&scratch, "evidence-missing"));
}

#[test]
fn a_range_is_silent_where_the_cache_has_nothing_at_all() {
    let (scratch, head) = measured();
    let tip = scratch.commit("measured");
    let range = || findings(&scratch, "evidence-missing", &["--from", &head, "--to", &tip]);
    silent(range());
    std::fs::create_dir_all(scratch.root.join(".git/spexcode/yatsu-blobs")).expect("a directory");
    silent(range());
    scratch.write(&format!(".git/spexcode/yatsu-blobs/{}", "b".repeat(64)), "another");
    assert_eq!(only(range())["level"], "info");
}
