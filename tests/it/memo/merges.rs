//! A merge before its commit, a pushed merge, several refs in one push, and pushes that a server receives are judged by the
//! memo if it is enough, with the same words as the whole check.

use super::said::{Pushed, Side, commit, pushed_to, said};
use super::{EVIDENCE, hook_options, memo, renamed};
use crate::support::{Scratch, oid, reading_line, real};
use std::fs;
use yatsu_hook::app::doors::fast_commit;
use yatsu_hook::app::doors::push::refs::Update;
use yatsu_hook::app::judge::snapshot;

/// The answer about the staged changes, which must be the same with the memo and without; and whether the memo was enough.
#[track_caller]
fn staged(scratch: &Scratch) -> (bool, String) {
    let kept = fs::read(memo(scratch)).expect("a memo");
    let repo = real::repo(scratch);
    let compared = snapshot::compare(&repo).expect("an answer");
    assert_eq!(compared.len(), 2, "a merge");
    let brief = fast_commit::report(&repo, &compared, hook_options(), commit(true)).is_some();
    let with = said(&real::repo(scratch), true);
    assert_eq!(with, said(&real::repo(scratch), false));
    fs::remove_file(memo(scratch)).expect("a file");
    assert_eq!(with, said(&real::repo(scratch), true), "by a memo of just now");
    fs::write(memo(scratch), kept).expect("a file");
    (brief, with)
}

/// The answer about these updates, which must be the same with the memo and without.
#[track_caller]
fn push(scratch: &Scratch, side: Side, updates: &[Update]) -> Pushed {
    let with = pushed_to(&real::repo(scratch), side, updates);
    let kept = fs::read(memo(scratch)).expect("a memo");
    fs::remove_file(memo(scratch)).expect("a file");
    let without = pushed_to(&real::repo(scratch), side, updates);
    fs::write(memo(scratch), kept).expect("a file");
    assert_eq!(with.said, without.said);
    assert!(!without.brief, "nothing tells which nodes are concerned");
    with
}

fn update(name: &str, old: Option<&str>, new: &str) -> Update {
    Update { name: name.into(), old: old.map(oid), new: Some(oid(new)) }
}

/// A commit of `text` at `path` on a new branch from `from`.
fn on_branch(scratch: &Scratch, branch: &str, from: &str, (path, text): (&str, &str)) -> String {
    scratch.git(&["checkout", "-q", "-B", branch, from]);
    scratch.write(path, text);
    scratch.commit(path)
}

/// An uncommitted merge of two branches with these changes.
fn merging(scratch: &Scratch, ours: (&str, &str), theirs: (&str, &str)) {
    scratch.git(&["checkout", "-q", "main"]);
    on_branch(scratch, "theirs", "main", theirs);
    on_branch(scratch, "ours", "main", ours);
    scratch.git(&["merge", "-q", "--no-commit", "--no-ff", "theirs"]);
}

#[test]
fn a_merge_of_what_concerns_few_nodes_is_told_by_the_memo() {
    let scratch = renamed();
    merging(&scratch, ("notes.txt", "1\n"), ("more.txt", "2\n"));
    assert!(staged(&scratch).0);
    scratch.git(&["reset", "-q", "--hard"]);
    merging(&scratch, ("notes.txt", "1\n"), ("b.txt", "other\n"));
    let (brief, said) = staged(&scratch);
    assert!(brief && !said.contains("YatsuDrift"), "what a side did already is not the merge's: {said}");
    scratch.git(&["reset", "-q", "--hard"]);
    merging(&scratch, ("notes.txt", "1\n"), ("more.txt", "2\n"));
    scratch.write("b.txt", "other\n");
    scratch.git(&["add", "b.txt"]);
    let (brief, said) = staged(&scratch);
    assert!(brief && said.contains("YatsuDrift"), "{said}");
    scratch.write("docs/x.bin", EVIDENCE);
    scratch.git(&["add", "docs/x.bin"]);
    let (brief, said) = staged(&scratch);
    assert!(!brief && said.contains("StrayBlob"), "{said}");
}

#[test]
fn a_line_that_a_merge_loses_of_either_side_is_not_kept_quiet() {
    let scratch = renamed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let ledger = ".spec/two/yatsu.evals.ndjson";
    let measured = scratch.read(ledger) + &reading_line(head.trim(), "holds", "pass", 2);
    merging(&scratch, ("notes.txt", "1\n"), (ledger, &measured));
    assert!(staged(&scratch).0);
    scratch.git(&["checkout", "-q", "ours", "--", ledger]);
    let (brief, said) = staged(&scratch);
    assert!(!brief && said.contains("LedgerHistory"), "{said}");
}

#[test]
fn a_pushed_merge_is_compared_with_each_side_by_the_memo() {
    let scratch = renamed();
    let base = scratch.git(&["rev-parse", "HEAD"]);
    let theirs = on_branch(&scratch, "theirs", "main", ("more.txt", "2\n"));
    on_branch(&scratch, "ours", "main", ("notes.txt", "1\n"));
    scratch.git(&["merge", "-q", "--no-ff", "-m", "merged", "theirs"]);
    let merged = scratch.git(&["rev-parse", "HEAD"]);
    let there = update("refs/heads/theirs", Some(&theirs), &theirs);
    let updates = [update("refs/heads/main", Some(&base), &merged), there];
    let said = push(&scratch, Side::There, &updates);
    assert!(said.brief && !said.loud, "{}", said.said);
    scratch.write("b.txt", "other\n");
    scratch.commit("more");
    let more = scratch.git(&["rev-parse", "HEAD"]);
    let said = push(&scratch, Side::There, &[update("refs/heads/main", Some(&base), &more), updates[1].clone()]);
    assert!(said.brief && said.loud && said.said.contains("YatsuDrift"), "{}", said.said);
}

#[test]
fn several_refs_are_told_by_the_memo_as_long_as_each_is() {
    let scratch = renamed();
    let base = scratch.git(&["rev-parse", "HEAD"]);
    let one = on_branch(&scratch, "one", "main", ("notes.txt", "1\n"));
    let two = on_branch(&scratch, "two", "one", ("b.txt", "other\n"));
    let new = |name: &str, commit: &str| update(name, None, commit);
    let main = update("refs/heads/main", Some(&base), &one);
    let said = push(&scratch, Side::There, &[main.clone(), new("refs/heads/two", &two), new("refs/tags/v1", &one)]);
    assert!(said.brief && said.loud && said.said.contains("refs/heads/two: "), "{}", said.said);
    // evidence that one branch names is evidence in all of them, in any order
    let bytes = "bytes that one branch files and another one brings, long enough";
    let evidence = format!("\"blob\":\"{}\",\"blobKind\":\"transcript\"", crate::support::sha256(bytes));
    let ledger = scratch.read(".spec/two/yatsu.evals.ndjson");
    let line = reading_line(base.trim(), "holds", "pass", 3).replace("\"blob\":null", &evidence);
    let names = on_branch(&scratch, "names", "main", (".spec/two/yatsu.evals.ndjson", &(ledger + &line)));
    let brings = on_branch(&scratch, "brings", "main", ("x.bin", bytes));
    let both = [new("refs/heads/names", &names), new("refs/heads/brings", &brings)];
    let there = update("refs/heads/main", Some(&base), &base);
    for [first, second] in [[0, 1], [1, 0]] {
        let updates = [there.clone(), both[first].clone(), both[second].clone()];
        let said = push(&scratch, Side::There, &updates);
        assert!(!said.brief && said.said.contains("StrayBlob"), "{}", said.said);
    }
    // evidence that a ref names counts too, even if the ref brings nothing
    let known = update("refs/tags/v2", None, &names);
    let there = [there, update("refs/heads/names", Some(&names), &names)];
    let said = push(&scratch, Side::There, &[&there[..], &[known, both[1].clone()]].concat());
    assert!(!said.brief && said.said.contains("StrayBlob"), "{}", said.said);
}

#[test]
fn what_is_received_is_told_by_the_memo_of_the_server() {
    let scratch = renamed();
    let base = scratch.git(&["rev-parse", "HEAD"]);
    let plain = on_branch(&scratch, "work", "main", ("notes.txt", "1\n"));
    let drifts = on_branch(&scratch, "work", "work", ("b.txt", "other\n"));
    scratch.git(&["checkout", "-q", "main"]);
    scratch.git(&["branch", "-q", "-D", "work"]);
    let main = |new: &str| update("refs/heads/main", Some(&base), new);
    let said = push(&scratch, Side::Here, &[main(&plain)]);
    assert!(said.brief && !said.loud, "{}", said.said);
    let said = push(&scratch, Side::Here, &[main(&drifts), update("refs/heads/work", None, &plain)]);
    assert!(said.brief && said.loud, "{}", said.said);
}
