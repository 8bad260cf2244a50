//! A push of one branch is judged by the memo of a commit, with the same words as the whole check. Findings that need the
//! whole repository go to the whole check.

use super::said::{Pushed, pushed};
use super::{EVIDENCE, memo, renamed};
use crate::support::{Scratch, oid, reading_line, real, scenarios};
use std::fs;
use yatsu_hook::app::doors::push::refs::Update;

/// The gate's answer about the commits on top of `old`, which must be the same with the memo and without.
#[track_caller]
fn push(scratch: &Scratch, old: &str) -> Pushed {
    push_to(scratch, "topic", old)
}

/// The same of a push to this branch.
#[track_caller]
fn push_to(scratch: &Scratch, branch: &str, old: &str) -> Pushed {
    let [old, new] = [old, &scratch.git(&["rev-parse", "HEAD"])].map(|hex| oid(hex.trim()));
    let update = Update { name: format!("refs/heads/{branch}").into(), old: Some(old), new: Some(new) };
    let with = pushed(&real::repo(scratch), &update);
    let kept = fs::read(memo(scratch)).expect("a memo");
    fs::remove_file(memo(scratch)).expect("a file");
    let without = pushed(&real::repo(scratch), &update);
    fs::write(memo(scratch), kept).expect("a file");
    assert_eq!(with.said, without.said);
    assert!(!without.brief, "nothing tells which nodes are concerned");
    with
}

/// Commits each of `steps`, a path with its content or `None` to delete it, and pushes all.
#[track_caller]
fn after(scratch: &Scratch, steps: &[(&str, Option<&str>)]) -> Pushed {
    let old = scratch.git(&["rev-parse", "HEAD"]);
    for (path, content) in steps {
        match content {
            Some(content) => scratch.write(path, content),
            None => fs::remove_file(scratch.root.join(path)).expect("a file"),
        }
        scratch.commit("another");
    }
    let said = push(scratch, old.trim());
    scratch.git(&["reset", "-q", "--hard", old.trim()]);
    said
}

#[test]
fn a_push_of_what_concerns_few_nodes_is_told_by_the_memo() {
    let scratch = renamed();
    let plain = after(&scratch, &[("notes.txt", Some("1\n")), ("notes.txt", Some("2\n"))]);
    assert!(plain.brief && !plain.loud, "{}", plain.said);
    let governed = after(&scratch, &[("notes.txt", Some("1\n")), ("b.txt", Some("other\n"))]);
    assert!(governed.brief && governed.loud && governed.said.contains("YatsuDrift"), "{}", governed.said);
    let back = after(&scratch, &[("b.txt", Some("other\n")), ("b.txt", Some("b\n"))]);
    assert!(back.brief && !back.loud, "{}", back.said);
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let ledger = scratch.read(".spec/two/yatsu.evals.ndjson");
    let healed = [(".spec/two/yatsu.evals.ndjson", None), (".spec/two/yatsu.evals.ndjson", Some(&*ledger))];
    let healed = after(&scratch, &healed);
    assert!(healed.brief && !healed.loud, "only the end is compared: {}", healed.said);
    let measured = ledger + &reading_line(head.trim(), "holds", "pass", 2);
    let measured = after(&scratch, &[(".spec/two/yatsu.evals.ndjson", Some(&measured))]);
    assert!(measured.brief, "{}", measured.said);
}

#[test]
fn a_push_that_is_weighed_by_all_there_is_is_judged_whole() {
    let scratch = renamed();
    let stray = after(&scratch, &[("docs/x.bin", Some(EVIDENCE)), ("docs/x.bin", None)]);
    assert!(!stray.brief && stray.said.contains("StrayBlob"), "{}", stray.said);
    let lost = after(&scratch, &[(".spec/two/yatsu.evals.ndjson", None)]);
    assert!(!lost.brief && lost.loud, "{}", lost.said);
    let node = scenarios(&[("new", "b.txt")]);
    assert!(!after(&scratch, &[(".spec/three/yatsu.md", Some(&node))]).brief);
}

#[test]
fn a_push_of_a_new_file_is_told_by_a_memo_that_is_newer_than_its_base() {
    let scratch = renamed();
    let old = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write("docs/new.md", "new\n");
    scratch.write("b.txt", "other\n");
    scratch.commit("a new file");
    scratch.yatsu(&["scan"]);
    let said = push(&scratch, old.trim());
    assert!(said.brief && said.said.contains("YatsuDrift"), "{}", said.said);
    // the path that the memo knows comes back where the base lacks it, and was the old place of a governed file
    scratch.write("old/a.rs", "fn a() { other() }\n");
    scratch.commit("the old place");
    scratch.yatsu(&["scan"]);
    let back = push(&scratch, old.trim());
    assert!(back.brief && back.said.contains("src/a.rs"), "{}", back.said);
}

/// The scenario `holds` of the node `two` is stale, and its file changes once more. The answer about a push of that commit to
/// the main branch by the memo, without the ledger of the node `one` in the object database.
fn pushed_without_the_other_ledger(scratch: &Scratch) -> Pushed {
    scratch.write("b.txt", "stale\n");
    scratch.commit("governed");
    let old = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write("b.txt", "other\n");
    scratch.commit("governed again");
    let blob = scratch.git(&["rev-parse", "HEAD:.spec/one/yatsu.evals.ndjson"]);
    let (dir, file) = blob.trim().split_at(2);
    let object = scratch.root.join(".git/objects").join(dir).join(file);
    let content = fs::read(&object).expect("a loose object");
    fs::remove_file(&object).expect("it goes");
    let [old, new] = [old, scratch.git(&["rev-parse", "HEAD"])].map(|hex| oid(hex.trim()));
    let update = Update { name: "refs/heads/main".into(), old: Some(old), new: Some(new) };
    let said = pushed(&real::repo(scratch), &update);
    fs::write(&object, content).expect("it comes back");
    said
}

#[test]
fn a_push_to_the_main_branch_reads_no_ledger_that_it_does_not_concern() {
    let said = pushed_without_the_other_ledger(&renamed());
    assert!(said.brief && !said.said.contains("PromotedUnproven"), "nothing was ever decided: {}", said.said);
}

#[test]
fn every_memo_says_whether_a_patch_was_decided() {
    let scratch = renamed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let decision = format!(
        "{{\"decision\":\"approve\",\"patch\":\"p\",\"commit\":\"{}\",\"reason\":\"r\",\"by\":\"b\",\"ts\":\"2026-01-03T00:00:00.000Z\"}}\n",
        head.trim()
    );
    let one = ".spec/one/yatsu.evals.ndjson";
    scratch.write(one, scratch.read(one) + &decision);
    scratch.commit("decided");
    let memo_of: [&dyn Fn(&Scratch); 3] = [
        &|scratch| drop(scratch.yatsu(&["scan"])),
        // the first hook in a clone, of a change and of a new file
        &|scratch| hook_about(scratch, "notes.txt", "changed\n"),
        &|scratch| hook_about(scratch, "new.txt", "new\n"),
    ];
    scratch.write("notes.txt", "1\n");
    scratch.commit("notes");
    for leave in memo_of {
        fs::remove_file(memo(&scratch)).expect("a memo");
        leave(&scratch);
        let start = scratch.git(&["rev-parse", "HEAD"]);
        let said = pushed_without_the_other_ledger(&scratch);
        assert!(said.brief && said.said.contains("PromotedUnproven"), "{}", said.said);
        let old = scratch.git(&["rev-parse", "HEAD~1"]);
        assert_eq!(push_to(&scratch, "main", old.trim()).said, said.said);
        scratch.git(&["reset", "-q", "--hard", start.trim()]);
    }
}

/// Asks the hook about a commit with this file, and gives the commit up.
fn hook_about(scratch: &Scratch, path: &str, text: &str) {
    scratch.write(path, text);
    scratch.git(&["add", "-A"]);
    scratch.yatsu(&["pre-commit"]);
    scratch.git(&["reset", "-q", "--hard"]);
}

#[test]
fn an_approval_in_the_ledger_of_another_node_speaks_for_what_it_names() {
    let scratch = renamed();
    let was = scratch.git(&["rev-parse", "HEAD:b.txt"]);
    scratch.write("../new.txt", "new\n");
    let is = scratch.git(&["hash-object", "../new.txt"]);
    // the commit was squashed, so its content alone tells what was approved
    let content =
        format!("\"content\":{{\"b.txt\":[\"{}\",\"{}\"]}},\"authors\":[\"ann@example.org\"]", was.trim(), is.trim());
    let of = format!("\"patch\":\"p\",\"commit\":\"{}\",\"base\":\"{}\"", "1".repeat(40), "2".repeat(40));
    let decision = format!(
        "{{\"decision\":\"approve\",{of},{content},\"reason\":\"r\",\"by\":\"b\",\"ts\":\"2026-01-03T00:00:00.000Z\"}}\n"
    );
    let (one, two) = (".spec/one/yatsu.evals.ndjson", ".spec/two/yatsu.evals.ndjson");
    scratch.write(one, scratch.read(one) + &decision);
    let old = scratch.commit("decided");
    scratch.yatsu(&["scan"]);
    for (text, is_approved) in [("new\n", true), ("other\n", false)] {
        scratch.write("b.txt", text);
        let commit = scratch.commit("governed");
        scratch.write(two, scratch.read(two) + &reading_line(&commit, "holds", "fail", 9));
        scratch.commit("measured again");
        let said = push_to(&scratch, "main", &old);
        assert!(said.brief, "{}", said.said);
        assert_eq!(said.said.contains("PromotedUnproven"), !is_approved, "{}", said.said);
        scratch.git(&["reset", "-q", "--hard", &old]);
    }
}
