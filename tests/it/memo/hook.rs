//! A memo must not make a hook leave out a finding, and a hook must stay quiet if there is none.

use super::{EVIDENCE, hook_options, memo, renamed, said};
use crate::support::{self, Scratch, reading_line, real, scenarios, sha256};
use std::fs;
use yatsu_hook::app::doors::Commit;
use yatsu_hook::app::doors::{commit, fast_commit};
use yatsu_hook::app::judge::snapshot::{self, MadeBy};

/// The gate's answer about all staged changes, which must be the same with the memo.
#[track_caller]
fn told(scratch: &Scratch) -> String {
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]);
    fs::remove_file(memo(scratch)).expect("a memo");
    let without = scratch.yatsu(&["pre-commit"]);
    assert_eq!((said.code, &said.err), (without.code, &without.err));
    said.err
}

#[test]
fn the_hook_is_silent_by_the_memo_and_machines_get_the_whole_report() {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "1");
    scratch.write("b.txt", "1");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.commit("first");
    scratch.yatsu(&["scan"]).expect(0);
    assert!(memo(&scratch).is_file());
    scratch.write("b.txt", "2");
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]).expect(0);
    assert_eq!((said.out, said.err), (String::new(), String::new()));
    let with = scratch.yatsu(&["pre-commit", "--format", "json"]).expect(0).out;
    fs::remove_file(memo(&scratch)).expect("a memo");
    assert_eq!(scratch.yatsu(&["pre-commit", "--format", "json"]).expect(0).out, with);
    assert_eq!(support::validate_published(&with)["summary"]["missing"], 1);
    assert!(memo(&scratch).is_file(), "whoever asks, the next hook knows");
}

#[test]
fn a_path_that_returns_ends_a_pure_rename() {
    let scratch = renamed();
    scratch.write("old/a.rs", "other\n");
    assert!(told(&scratch).contains("yatsu-drift"));
}

#[test]
fn only_what_ends_at_once_is_not_watched() {
    let busy = |change: &dyn Fn(&Scratch)| {
        let scratch = Scratch::new();
        scratch.write("b.txt", "b\n");
        scratch.write(".spec/two/yatsu.md", scenarios(&[("holds", "b.txt")]));
        scratch.commit("first");
        support::reading(&scratch, ".spec/two", "holds", "pass", 1);
        scratch.commit("measured");
        scratch.yatsu(&["scan"]).expect(0);
        change(&scratch);
        scratch.git(&["add", "-A"]);
        let repo = real::repo(&scratch);
        let called = std::cell::Cell::new(false);
        commit::judge(
            &repo,
            hook_options(),
            Commit { made_by: MadeBy::Person, briefly: true, busy: &|| called.set(true) },
        )
        .expect("a report");
        called.get()
    };
    assert!(!busy(&|_| {}));
    assert!(!busy(&|scratch| scratch.write("docs/x.md", "plain\n")));
    assert!(busy(&|scratch| scratch.write("b.txt", "governed\n")), "a node is judged");
    let large = |scratch: &Scratch| scratch.write("docs/large", vec![b'x'; (1 << 20) + 1]);
    assert!(!busy(&large), "without evidence anywhere no blob is read");
    let compared = |scratch: &Scratch| {
        scratch.yatsu(&["evidence", "put", "b.txt"]).expect(0);
        large(scratch);
    };
    assert!(busy(&compared), "a large blob");
    assert!(busy(&|scratch| (0..65).for_each(|n| scratch.write(&format!("docs/{n}"), format!("{n}\n")))), "many blobs");
    let without_memo = |scratch: &Scratch| {
        fs::remove_file(memo(scratch)).expect("a memo");
        scratch.write("docs/x.md", "plain\n");
    };
    assert!(busy(&without_memo), "everything is judged");
    let by_program = |scratch: &Scratch| {
        scratch.git(&["config", "extensions.partialClone", "nowhere"]);
    };
    assert!(busy(&by_program), "the git program answers");
}

#[test]
fn a_path_that_went_away_after_the_memo_may_return_too() {
    let scratch = renamed();
    scratch.write("old/c.rs", "c\n");
    scratch.commit("a file beside the old place");
    scratch.git(&["checkout", "-q", "HEAD~2", "--", "old/a.rs"]);
    scratch.commit("the old file again");
    scratch.yatsu(&["scan"]);
    scratch.git(&["rm", "-q", "old/a.rs"]);
    scratch.commit("gone again");
    scratch.write("old/a.rs", "other\n");
    assert!(told(&scratch).contains("yatsu-drift"));
}

/// A node with a pass over `a.rs` and `b.rs` that lists `b.rs` alone now, and a memo of a state after `change`.
fn narrowed(change: &dyn Fn(&Scratch)) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("a.rs", "a\n");
    scratch.write("b.rs", "b\n");
    scratch.write("plain.txt", "1\n");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "[a.rs, b.rs]")]));
    scratch.commit("first");
    scratch.yatsu(&["eval", "n", "--pass"]).expect(0);
    scratch.commit("measured");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "b.rs")]));
    scratch.commit("narrowed");
    change(&scratch);
    scratch.yatsu(&["scan"]).expect(0);
    scratch
}

#[test]
fn a_measured_file_that_left_the_list_concerns_the_node() {
    let left = "a.rs (left the list, and moved)";
    let plain = |scratch: &Scratch| {
        scratch.write("plain.txt", "2\n");
        told(scratch)
    };
    let scratch = narrowed(&|_| {});
    assert_eq!(plain(&scratch), "");
    scratch.write("a.rs", "edited\n");
    assert!(told(&scratch).contains(left));
    // without a memo the first hook finds the stamped path without parsing a line
    let scratch = narrowed(&|_| {});
    fs::remove_file(memo(&scratch)).expect("a memo");
    assert_eq!(plain(&scratch), "");
    scratch.commit("plain");
    scratch.write("a.rs", "edited\n");
    assert!(told(&scratch).contains(left));
}

#[test]
fn the_new_place_of_a_measured_file_that_left_the_list_concerns_the_node() {
    let left = "a.rs (left the list, and moved)";
    let rename = |scratch: &Scratch| {
        scratch.git(&["mv", "a.rs", "new.rs"]);
        scratch.commit("renamed");
    };
    // renamed before the memo, and after it
    for (before, after) in [(true, false), (false, true)] {
        let scratch = narrowed(&|scratch| {
            if before {
                rename(scratch)
            }
        });
        if after {
            rename(&scratch);
        }
        scratch.write("new.rs", "edited\n");
        assert!(told(&scratch).contains(left), "{before}");
    }
    // a file that takes the content ends the drift
    let scratch = narrowed(&|scratch| {
        scratch.git(&["rm", "-q", "a.rs"]);
        scratch.write("other.rs", "other\n");
        scratch.commit("deleted");
    });
    assert_eq!(support::findings(&scratch, "yatsu-drift", &["--all"]).len(), 1);
    scratch.write("other.rs", "a\n");
    scratch.git(&["add", "-A"]);
    let json = scratch.yatsu(&["pre-commit", "--format", "json"]).expect(0).out;
    assert_eq!(support::validate_published(&json)["scope"]["nodes"], 1, "the node is judged: {json}");
    assert_eq!(support::findings(&scratch, "yatsu-drift", &["--all"]).len(), 0);
}

#[test]
fn a_stamped_test_that_is_declared_no_more_concerns_the_node() {
    let scratch = Scratch::new();
    scratch.write("a.rs", "a\n");
    scratch.write("t.sh", "exit 1\n");
    let file = scenarios(&[("works", "a.rs")]);
    scratch.write(".spec/n/yatsu.md", file.replace("    code:", "    test: t.sh\n    code:"));
    scratch.commit("first");
    scratch.yatsu(&["eval", "n", "--pass"]).expect(0);
    scratch.write(".spec/n/yatsu.md", file);
    scratch.commit("measured, and the test is dropped");
    scratch.yatsu(&["scan"]).expect(0);
    scratch.write("t.sh", "exit 0\n");
    assert!(told(&scratch).contains("the test changed"));
}

#[test]
fn a_picture_that_another_node_carries_is_noticed() {
    let scratch = renamed();
    let evidence = format!("\"blob\":\"{}\",\"blobKind\":\"image\"", sha256(EVIDENCE));
    let line = reading_line(&scratch.git(&["rev-parse", "HEAD"]), "holds", "pass", 2);
    let ledger = scratch.read(".spec/two/yatsu.evals.ndjson") + &line.replace("\"blob\":null", &evidence);
    scratch.write(".spec/two/yatsu.evals.ndjson", ledger);
    assert!(told(&scratch).contains("evidence-reused"));
}

#[test]
fn bytes_that_a_reading_names_are_stray() {
    let scratch = renamed();
    scratch.write("docs/x.bin", EVIDENCE);
    assert!(told(&scratch).contains("stray-blob"));
}

#[test]
fn what_was_dirty_when_the_memo_was_made_is_looked_at_again() {
    let scratch = renamed();
    fs::remove_file(memo(&scratch)).expect("a memo");
    scratch.write(".spec/two/yatsu.md", scenarios(&[("holds", "src/a.rs")]));
    scratch.yatsu(&["scan"]);
    scratch.git(&["checkout", "-q", "--", ".spec/two/yatsu.md"]);
    scratch.write("b.txt", "changed\n");
    scratch.git(&["add", "b.txt"]);
    assert!(told(&scratch).contains("yatsu-drift"));
}

/// A clone, scanned once, that lacks the anchor commit of its only node with renamed code; and the complete repository.
fn without_its_anchor() -> (Scratch, Scratch) {
    let (whole, clone) = (Scratch::new(), Scratch::new());
    whole.write("src/a.rs", "content\n");
    whole.write("lib/x", "other\n");
    whole.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - src/a.rs\n---\n");
    whole.write(".spec/n/yatsu.md", scenarios(&[("s", "")]));
    let measured = whole.commit("measured");
    whole.git(&["branch", "measured"]);
    whole.git(&["checkout", "-q", "--orphan", "rewritten"]);
    whole.git(&["mv", "src/a.rs", "src/b.rs"]);
    // a rename is searched only if the list names the new place
    whole.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - src/b.rs\n---\n");
    whole.write(".spec/n/yatsu.evals.ndjson", reading_line(&measured, "s", "pass", 1));
    whole.commit("rewritten");
    let from = whole.root.to_str().expect("UTF-8");
    clone.git(&["remote", "add", "origin", &format!("file://{from}")]);
    clone.git(&["fetch", "-q", "origin", "rewritten"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    let said = clone.yatsu(&["scan"]).expect(0).out;
    assert!(said.contains(&measured[..7]), "{said}");
    clone.git(&["fetch", "-q", "origin", "measured"]);
    (whole, clone)
}

#[test]
fn a_commit_that_arrives_after_the_memo_is_noticed() {
    for is_scanned_dirty in [false, true] {
        let (_whole, clone) = without_its_anchor();
        if is_scanned_dirty {
            clone.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - lib/x\n---\n");
            clone.yatsu(&["scan"]);
            clone.git(&["checkout", "-q", "--", ".spec"]);
        }
        clone.write("src/a.rs", "content\n");
        assert!(told(&clone).contains("yatsu-drift"), "scanned while dirty: {is_scanned_dirty}");
    }
}

/// The trees of HEAD are not walked: the comparison with the index has listed every path.
#[test]
fn the_first_memo_is_made_without_the_trees_that_a_new_path_leaves_alone() {
    let scratch = renamed();
    scratch.write("docs/deep/x.md", "x\n");
    scratch.commit("deep");
    fs::remove_file(memo(&scratch)).expect("a memo");
    scratch.write("new.txt", "new\n");
    scratch.git(&["add", "-A"]);
    scratch.git(&["write-tree"]);
    let tree = scratch.git(&["rev-parse", "HEAD:docs/deep"]);
    let (dir, file) = tree.trim().split_at(2);
    fs::remove_file(scratch.root.join(".git/objects").join(dir).join(file)).expect("a loose object");
    let repo = real::repo(&scratch);
    let compared = snapshot::compare(&repo).expect("an answer");
    let report = fast_commit::afresh(&repo, &compared, hook_options(), said::commit(true));
    assert!(report.is_some_and(|report| report.is_silent()) && memo(&scratch).exists());
}
