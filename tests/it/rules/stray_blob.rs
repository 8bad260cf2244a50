//! `stray-blob`: evidence by content, under any name.

use super::{all, one_node, only, silent, staged};
use crate::support::{Scratch, findings, reading_line, sha256};

const BYTES: &[u8] = b"a picture, or a transcript, of some thirty-two bytes and more";

fn cache(scratch: &Scratch, bytes: &[u8]) {
    scratch.write(&format!(".git/spexcode/yatsu-blobs/{}", sha256(bytes)), bytes);
}

/// A reading that names the evidence `content`.
fn naming(commit: &str, content: &str) -> String {
    reading_line(commit, "works", "pass", 0).replace("null", &format!("\"{}\"", sha256(content.as_bytes())))
}

#[test]
fn bytes_that_the_cache_holds_are_stray_under_any_name() {
    let scratch = one_node();
    cache(&scratch, BYTES);
    scratch.write("docs/innocent.txt", BYTES);
    only(staged(&scratch, "stray-blob"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.write("docs/innocent.txt", "something else of more than thirty-two bytes");
    silent(staged(&scratch, "stray-blob"));
}

#[test]
fn bytes_that_a_reading_names_are_stray() {
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write(".spec/n/yatsu.evals.ndjson", naming(&head, std::str::from_utf8(BYTES).unwrap()));
    scratch.write("x.bin", BYTES);
    only(staged(&scratch, "stray-blob"));
}

#[test]
fn a_directory_called_yatsu_blobs_and_a_true_hash_name_are_stray() {
    let scratch = one_node();
    scratch.write("yatsu-blobs/x", "short");
    scratch.write(&format!("docs/{}", sha256(BYTES)), BYTES);
    scratch.write(&format!("docs/{}", sha256(b"other")), BYTES);
    assert_eq!(staged(&scratch, "stray-blob").len(), 2, "a hash name with other content is none");
}

#[test]
fn an_lfs_pointer_to_evidence_is_stray() {
    let scratch = one_node();
    cache(&scratch, BYTES);
    let pointer = |hash: &str| format!("version https://git-lfs.github.com/spec/v1\noid sha256:{hash}\nsize 61\n");
    scratch.write("a.png", pointer(&sha256(BYTES)));
    scratch.write("b.png", pointer(&sha256(b"other")));
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
    let hash = sha256(bytes.as_bytes());
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

const LF: &str = "running 2 tests\ntest one ... ok\ntest two ... ok\n";

fn crlf() -> String {
    LF.replace('\n', "\r\n")
}

/// Git stores LF for evidence that was filed with CRLF.
#[test]
fn a_transcript_is_stray_whatever_git_made_of_its_line_ends() {
    for (attribute, filed, written) in
        [("* text=auto\n", crlf(), crlf()), ("* -text\n", crlf(), LF.into()), ("* -text\n", LF.into(), crlf())]
    {
        for split in [false, true] {
            let scratch = one_node();
            scratch.write(".gitattributes", attribute);
            scratch.commit("attributes");
            if split {
                // An index that only the git program reads.
                scratch.git(&["update-index", "--split-index"]);
            }
            cache(&scratch, filed.as_bytes());
            scratch.write("logs/run.txt", &written);
            let finding = only(staged(&scratch, "stray-blob"));
            let message = finding["message"].as_str().unwrap();
            let ends = if filed == LF { " with LF line ends" } else { " with CRLF line ends" };
            assert!(message.contains(&format!("{ends} as {}", sha256(filed.as_bytes()))), "{message}");
            only(all(&scratch, "stray-blob"));
        }
    }
}

#[test]
fn a_transcript_with_other_line_ends_is_stray_for_every_door_and_every_way_to_know_it() {
    let scratch = one_node();
    scratch.write(".gitattributes", "* text=auto\n");
    let head = scratch.commit("attributes");
    let name = format!("shots/{}", sha256(crlf().as_bytes()));
    scratch.write(&name, crlf());
    assert_eq!(only(staged(&scratch, "stray-blob"))["path"], name.as_str());
    scratch.git(&["rm", "-q", "-f", &name]);
    scratch.write(".spec/n/yatsu.evals.ndjson", naming(&head, &crlf()));
    scratch.commit("a reading names it");
    // The memo of a scan must not make the hook miss it.
    scratch.yatsu(&["scan"]).expect(0);
    scratch.write("run.txt", crlf());
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("a reading names these bytes with CRLF line ends"), "{}", said.err);
    let tip = scratch.commit("past the hook");
    let range = findings(&scratch, "stray-blob", &["--from", &head, "--to", &tip]);
    assert_eq!(only(range)["path"], "run.txt");
}

#[test]
fn what_is_said_about_the_cache_is_true() {
    let help = |scratch: &Scratch| only(staged(scratch, "stray-blob"))["help"].as_str().unwrap().to_owned();
    let scratch = one_node();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write("yatsu-blobs/x", "short");
    assert!(!help(&scratch).contains("evidence cache"), "{}", help(&scratch));
    scratch.git(&["rm", "-q", "-f", "yatsu-blobs/x"]);
    scratch.write(".spec/n/yatsu.evals.ndjson", naming(&head, LF));
    scratch.commit("a reading names it");
    scratch.write("run.txt", LF);
    let said = help(&scratch);
    assert!(
        said.contains("not in the evidence cache: yatsu-hook evidence put run.txt") && !said.contains("stay"),
        "{said}"
    );
    scratch.yatsu(&["evidence", "put", "run.txt"]).expect(0);
    assert!(help(&scratch).contains("its bytes stay in the evidence cache"), "{}", help(&scratch));
}
