//! `stray-blob`: evidence by content, under any name.

use super::{all, one_node, only, silent, staged};
use crate::support::Scratch;
use sha2::{Digest, Sha256};

const BYTES: &[u8] = b"a picture, or a transcript, of some thirty-two bytes and more";

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn cache(scratch: &Scratch, bytes: &[u8]) {
    scratch.write(&format!(".git/spexcode/yatsu-blobs/{}", hex(bytes)), bytes);
}

#[test]
fn bytes_that_the_cache_holds_are_stray_under_any_name() {
    let scratch = one_node();
    cache(&scratch, BYTES);
    scratch.write("docs/innocent.txt", BYTES);
    let found = only(staged(&scratch, "stray-blob"));
    assert_eq!((found["path"].as_str(), found["level"].as_str()), (Some("docs/innocent.txt"), Some("error")));
    scratch.write("docs/innocent.txt", "something else of more than thirty-two bytes");
    silent(staged(&scratch, "stray-blob"));
}

#[test]
fn bytes_that_a_reading_names_are_stray() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let line = format!(
        "{{\"scenario\":\"works\",\"codeSha\":\"{head}\",\"blob\":\"{}\",\"evaluator\":\"manual@1\",\"verdict\":{{\"status\":\"pass\"}},\"ts\":\"2026-01-01T00:00:00.000Z\"}}\n",
        hex(BYTES)
    );
    scratch.write(".spec/n/yatsu.evals.ndjson", line);
    scratch.write("x.bin", BYTES);
    only(staged(&scratch, "stray-blob"));
}

#[test]
fn a_directory_called_yatsu_blobs_and_a_true_hash_name_are_stray() {
    let scratch = one_node();
    scratch.write("yatsu-blobs/x", "short");
    scratch.write(&format!("docs/{}", hex(BYTES)), BYTES);
    scratch.write(&format!("docs/{}", hex(b"other")), BYTES);
    assert_eq!(staged(&scratch, "stray-blob").len(), 2, "a hash name with other content is none");
}

#[test]
fn an_lfs_pointer_to_evidence_is_stray() {
    let scratch = one_node();
    cache(&scratch, BYTES);
    let pointer = |hash: &str| format!("version https://git-lfs.github.com/spec/v1\noid sha256:{hash}\nsize 61\n");
    scratch.write("a.png", pointer(&hex(BYTES)));
    scratch.write("b.png", pointer(&hex(b"other")));
    assert_eq!(only(staged(&scratch, "stray-blob"))["path"], "a.png");
}

#[test]
fn what_is_small_allowed_or_held_already_is_none_and_deleting_passes() {
    let scratch = one_node();
    cache(&scratch, b"tiny");
    cache(&scratch, BYTES);
    scratch.write("tiny", b"tiny");
    scratch.write("spexcode.json", "{\"yatsu\": {\"allowInTree\": [\"docs/**\"]}}");
    silent(staged(&scratch, "stray-blob"));
    scratch.commit("docs may be evidence");
    scratch.write("docs/shown.png", BYTES);
    silent(staged(&scratch, "stray-blob"));
    scratch.commit("allowed");
    scratch.write("copy.png", BYTES);
    silent(staged(&scratch, "stray-blob"));
    scratch.git(&["rm", "-q", "-f", "docs/shown.png", "copy.png"]);
    silent(staged(&scratch, "stray-blob"));
}

#[test]
fn the_working_tree_is_judged_by_what_lies_there_stored_or_not() {
    let scratch = one_node();
    let bytes = "evidence that nobody has staged yet, longer than a word\n";
    let hash = hex(bytes.as_bytes());
    scratch.write("src/a.rs", "fn edited_and_not_staged_but_longer_than_a_word() {}\n");
    silent(all(&scratch, "stray-blob"));
    scratch.write(&format!("shots/{hash}"), "something else that is tracked, longer than a word\n");
    scratch.commit("a name that is no evidence yet");
    scratch.write(&format!("shots/{hash}"), bytes);
    let found = only(all(&scratch, "stray-blob"));
    assert_eq!(found["path"], format!("shots/{hash}"));
}

#[test]
fn what_nobody_added_is_not_in_the_tree() {
    let scratch = one_node();
    cache(&scratch, BYTES);
    scratch.write("shot.txt", BYTES);
    silent(super::all(&scratch, "stray-blob"));
    scratch.git(&["add", "shot.txt"]);
    only(super::all(&scratch, "stray-blob"));
}
