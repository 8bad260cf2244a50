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
    let [old, new] = [old, &scratch.git(&["rev-parse", "HEAD"])].map(|hex| oid(hex.trim()));
    let update = Update { name: "refs/heads/topic".into(), old: Some(old), new: Some(new) };
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
