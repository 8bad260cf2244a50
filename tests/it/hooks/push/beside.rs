//! What a push does to refs other than bringing commits.

use super::*;
use crate::support::runlog::{LOG, begun, end, run_end};
use yatsu_hook::model::ledger::{Event, encode_redaction, redact};

/// Every way to point a ref at these bytes without a commit.
fn refs_to(scratch: &Scratch, path: &str) -> [String; 6] {
    scratch.write(path, BYTES);
    scratch.git(&["add", "-f", path]);
    let tree = scratch.git(&["write-tree"]);
    scratch.git(&["rm", "-q", "-f", "--cached", path]);
    let blob = scratch.git(&["rev-parse", &format!("{tree}:{path}")]);
    scratch.git(&["tag", "-f", "blob", &blob]);
    scratch.git(&["tag", "-f", "-a", "of-blob", &blob, "-m", "t"]);
    scratch.git(&["tag", "-f", "-a", "of-tag", "of-blob", "-m", "t"]);
    scratch.git(&["tag", "-f", "tree", &tree]);
    scratch.git(&["tag", "-f", "-a", "of-tree", "tree", "-m", "t"]);
    scratch.git(&["update-ref", "refs/odd/blob", &blob]);
    ["tags/blob", "tags/of-blob", "tags/of-tag", "tags/tree", "tags/of-tree", "odd/blob"]
        .map(|name| format!("refs/{name}:refs/{name}"))
}

#[test]
fn a_tag_of_a_blob_or_a_tree_carries_no_evidence() {
    let scratch = pushed();
    let refs = refs_to(&scratch, "shot.bin");
    cache(&scratch.root.join(".git"), BYTES);
    for name in &refs {
        let said = blocked(&scratch, &["push", "-q", "origin", name]);
        let name = name.split(':').next().expect("a name");
        assert!(said.err.contains("error[stray-blob]") && said.err.contains(name), "{}", said.err);
    }
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", "refs/tags/blob:refs/tags/nobody-knows-it"]);
    cache(&origin(&scratch), BYTES);
    for name in &refs[1..2] {
        passes(&scratch, &["push", "-q", "origin", name]);
    }
    scratch.git(&["push", "-q", "origin", ":refs/tags/nobody-knows-it", ":refs/tags/of-blob"]);
    for name in &refs {
        blocked(&scratch, &["push", "-q", "origin", name]);
    }
}

#[test]
fn a_tag_carries_nothing_that_a_reading_or_its_own_name_says_is_evidence() {
    let scratch = pushed();
    gate_on_server(&scratch);
    let named = sha256(BYTES);
    let refs = refs_to(&scratch, &named);
    let tags = ["refs/tags/tree:refs/tags/tree".to_owned(), format!("refs/tags/blob:refs/tags/{named}")];
    for name in &tags {
        assert!(blocked(&scratch, &["push", "-q", "origin", name]).err.contains("is the sha256 of its content"));
    }
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write(LEDGER, reading_line(&head, "works", "pass", 1).replace("null", &format!("\"{named}\"")));
    scratch.git(&["add", LEDGER]);
    scratch.git(&["commit", "-q", "-m", "measured"]);
    passes(&scratch, &["push", "-q", "origin", "main"]);
    for name in &refs {
        assert!(blocked(&scratch, &["push", "-q", "origin", name]).err.contains("error[stray-blob]"));
    }
}

#[test]
fn no_push_allows_itself_the_tag_that_it_brings() {
    let scratch = pushed();
    refs_to(&scratch, "shot.bin");
    cache(&scratch.root.join(".git"), BYTES);
    for config in ["{\"yatsu\": {\"rules\": {\"stray-blob\": \"off\"}}}", "{\"yatsu\": {\"allowInTree\": [\"**\"]}}"] {
        scratch.write("spexcode.json", config);
        scratch.git(&["add", "spexcode.json"]);
        scratch.git(&["commit", "-q", "-m", "lowered"]);
        blocked(&scratch, &["push", "-q", "origin", "main", "refs/tags/tree"]);
        blocked(&scratch, &["push", "-q", "origin", "refs/tags/tree"]);
    }
}

/// A repository with pushed branches `main`, `keep/1` and `topic` that hold a reading, and with `keep/*` protected. git
/// itself would allow every deletion.
fn protected() -> Scratch {
    let scratch = pushed();
    scratch.write("spexcode.json", "{\"yatsu\": {\"protect\": [\"keep/*\"]}}\n");
    scratch.commit("protect");
    reading(&scratch, ".spec/n", "works", "fail", 1);
    scratch.commit("measured");
    passes(&scratch, &["push", "-q", "origin", "main", "main:keep/1", "main:topic"]);
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    std::fs::write(origin(&scratch).join("HEAD"), "ref: refs/heads/nowhere\n").expect("HEAD");
    scratch
}

fn every_gate(scratch: &Scratch, judge: &dyn Fn(&Scratch)) {
    judge(scratch);
    gate_on_server(scratch);
    judge(scratch);
}

#[test]
fn a_protected_branch_is_not_deleted_together_with_its_readings() {
    let scratch = protected();
    // no other branch holds them
    scratch.git(&["push", "-q", "--no-verify", "origin", ":topic", ":main"]);
    every_gate(&scratch, &|scratch| {
        let said = blocked(scratch, &["push", "-q", "origin", ":keep/1"]);
        assert!(said.err.contains("deleting refs/heads/keep/1 loses 1 ledger line"), "{}", said.err);
        blocked(scratch, &["push", "-q", "origin", ":keep/1", "main:refs/heads/other"]);
    });
}

#[test]
fn a_protected_branch_is_not_deleted_together_with_an_open_run_log() {
    let scratch = pushed();
    scratch.write("spexcode.json", "{\"yatsu\": {\"protect\": [\"keep/*\"]}}\n");
    scratch.commit("protect");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.write(LOG, begun());
    let begins = scratch.commit("a run begins");
    passes(&scratch, &["push", "-q", "origin", "main:keep/1", "main:topic"]);
    scratch.write(LOG, begun() + &end(2, 4));
    scratch.commit("it goes on");
    let longer = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write(LOG, begun() + &end(2, 4) + &run_end(5, "aborted"));
    scratch.commit("it ended");
    let ended = scratch.git(&["rev-parse", "HEAD"]);
    every_gate(&scratch, &|scratch| {
        let said = blocked(scratch, &["push", "-q", "origin", ":keep/1"]);
        assert!(
            said.err.contains("error[runlog-history]: deleting refs/heads/keep/1 loses 1 open run log"),
            "{}",
            said.err
        );
        // a protected branch continues with it
        passes(scratch, &["push", "-q", "origin", ":keep/1", &format!("{longer}:refs/heads/keep/2")]);
        blocked(scratch, &["push", "-q", "origin", ":keep/2"]);
        // an ended branch may go
        passes(scratch, &["push", "-q", "origin", &format!("{ended}:refs/heads/keep/2")]);
        passes(scratch, &["push", "-q", "origin", ":keep/2"]);
        passes(scratch, &["push", "-q", "origin", &format!("{begins}:refs/heads/keep/1")]);
    });
}

#[test]
fn the_main_branch_is_not_deleted_and_pushed_again_without_its_readings() {
    let scratch = protected();
    scratch.git(&["push", "-q", "--no-verify", "origin", ":topic", ":keep/1"]);
    every_gate(&scratch, &|scratch| {
        blocked(scratch, &["push", "-q", "origin", ":main"]);
    });
}

#[test]
fn a_branch_goes_where_another_protected_branch_holds_its_readings() {
    let scratch = protected();
    let tip = there(&scratch, "refs/heads/main");
    every_gate(&scratch, &|scratch| {
        // another branch holds them, before and after
        assert_eq!(passes(scratch, &["push", "-q", "origin", ":keep/1"]).err, "");
        passes(scratch, &["push", "-q", "origin", &format!("{tip}:refs/heads/keep/1")]);
        // renamed in one push, and renamed back
        passes(scratch, &["push", "-q", "origin", ":topic", ":main", ":keep/1", &format!("{tip}:refs/heads/master")]);
        passes(scratch, &["push", "-q", "origin", ":master", &format!("{tip}:refs/heads/main")]);
        passes(
            scratch,
            &["push", "-q", "origin", &format!("{tip}:refs/heads/topic"), &format!("{tip}:refs/heads/keep/1")],
        );
        // if all are deleted together, no branch holds them
        blocked(scratch, &["push", "-q", "origin", ":topic", ":main", ":keep/1"]);
    });
}

#[test]
fn no_branch_is_deleted_by_way_of_a_ref_that_may_go_next() {
    let scratch = protected();
    let tip = there(&scratch, "refs/heads/main");
    let aside =
        scratch.git(&["commit-tree", "-m", "protects itself", "-p", &tip, &protecting(&scratch, &tip, "aside")]);
    scratch.git(&["push", "-q", "--no-verify", "origin", &format!("{aside}:refs/heads/aside"), ":keep/1"]);
    every_gate(&scratch, &|scratch| {
        // neither a branch, with any configuration, nor a tag protects, before the push or with it
        for way in [&[][..], &["main:refs/heads/other"], &["main:refs/tags/kept"]] {
            let said = blocked(scratch, &[&["push", "-q", "origin", ":main"], way].concat());
            assert!(said.err.contains("loses 1 ledger line that no other protected branch holds"), "{}", said.err);
            assert!(said.err.contains("list NAME in yatsu.protect"), "{}", said.err);
        }
    });
}

#[test]
fn an_owner_lets_a_branch_go_by_protecting_another_one() {
    let scratch = protected();
    let tip = there(&scratch, "refs/heads/main");
    scratch.git(&["push", "-q", "--no-verify", "origin", ":main"]);
    gate_on_server(&scratch);
    // without a default branch there is no configuration, and only the usual names are protected
    blocked(&scratch, &["push", "-q", "origin", ":keep/1"]);
    passes(&scratch, &["push", "-q", "origin", &format!("{tip}:refs/heads/keep/2")]);
    blocked(&scratch, &["push", "-q", "origin", ":keep/1"]);
    // a default branch with another name is protected, and so are the branches that it lists
    std::fs::write(origin(&scratch).join("HEAD"), "ref: refs/heads/trunk\n").expect("HEAD");
    let bare = scratch.git(&["rev-parse", &format!("{tip}~1")]);
    passes(&scratch, &["push", "-q", "origin", &format!("{bare}:refs/heads/trunk")]);
    passes(&scratch, &["push", "-q", "origin", ":keep/1"]);
    passes(&scratch, &["push", "-q", "origin", ":keep/2", &format!("{tip}:refs/heads/trunk")]);
}

/// A tree like `commit`'s, with a configuration that protects `branch`.
fn protecting(scratch: &Scratch, commit: &str, branch: &str) -> String {
    scratch.git(&["read-tree", commit]);
    scratch.write("spexcode.json", format!("{{\"yatsu\": {{\"protect\": [\"keep/*\", \"{branch}\"]}}}}\n"));
    scratch.git(&["add", "spexcode.json"]);
    let tree = scratch.git(&["write-tree"]);
    scratch.git(&["reset", "-q", "--hard"]);
    tree
}

#[test]
fn an_unprotected_branch_goes_with_what_it_has() {
    let scratch = protected();
    scratch.git(&["push", "-q", "--no-verify", "origin", ":main", ":keep/1"]);
    every_gate(&scratch, &|scratch| {
        let tip = there(scratch, "refs/heads/topic");
        assert_eq!(passes(scratch, &["push", "-q", "origin", ":topic"]).err, "");
        passes(scratch, &["push", "-q", "origin", &format!("{tip}:refs/heads/topic")]);
    });
}

#[test]
fn a_redaction_holds_the_line_that_it_stands_for() {
    let scratch = protected();
    scratch.git(&["push", "-q", "--no-verify", "origin", ":topic", ":main"]);
    scratch.git(&["reset", "-q", "--hard", "origin/keep/1"]);
    let Some(Event::Redaction(redaction)) = redact(scratch.read(LEDGER).trim_end().as_bytes(), "a name", None) else {
        panic!("a redaction")
    };
    scratch.write(LEDGER, format!("{}\n", encode_redaction(&redaction).trim_end()));
    scratch.commit("redacted");
    every_gate(&scratch, &|scratch| {
        let tip = there(scratch, "refs/heads/keep/1");
        passes(scratch, &["push", "-q", "origin", ":keep/1", "main:refs/heads/master"]);
        scratch.git(&["-C", "../origin.git", "update-ref", "refs/heads/keep/1", &tip]);
        scratch.git(&["-C", "../origin.git", "update-ref", "-d", "refs/heads/master"]);
    });
}
