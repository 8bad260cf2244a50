//! Intermediate commits of a push: lost or edited readings, stray evidence.

use super::*;

#[test]
fn a_rewrite_may_lose_readings_only_where_nobody_protects_the_branch() {
    let (scratch, full) = measured();
    scratch.git(&["push", "-q", "origin", "main:topic", "main:release/1"]);
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    scratch.write("spexcode.json", "{\"yatsu\": {\"protect\": [\"release/*\"]}}\n");
    scratch.commit("protect");
    let said = blocked(&scratch, &["push", "-q", "--force", "origin", "main"]);
    assert!(said.err.contains("error[ledger-history]"), "{}", said.err);
    assert!(said.err.contains(&format!("repair --restore {}", &full[..12])), "{}", said.err);
    blocked(&scratch, &["push", "-q", "--force", "origin", "main:release/1"]);
    let said = passes(&scratch, &["push", "-q", "--force", "origin", "main:topic"]);
    assert!(said.err.contains("warning[ledger-history]"), "{}", said.err);
    gate_on_server(&scratch);
    blocked(&scratch, &["push", "-q", "--force", "origin", "main"]);
}

#[test]
fn an_edited_reading_blocks_on_every_branch() {
    let (scratch, _) = measured();
    on_branch(&scratch, "topic");
    scratch.write(LEDGER, scratch.read(LEDGER).replace("\"fail\"", "\"pass\""));
    scratch.commit("a better past");
    let said = blocked(&scratch, &["push", "-q", "origin", "topic"]);
    assert!(said.err.contains("error[ledger-history]"), "{}", said.err);
    gate_on_server(&scratch);
    blocked(&scratch, &["push", "-q", "origin", "topic"]);
}

#[test]
fn a_stray_blob_that_was_deleted_again_is_still_in_the_history() {
    let scratch = pushed();
    cache(&scratch.root.join(".git"), BYTES);
    scratch.write("docs/shot.bin", BYTES);
    let adds = scratch.commit("adds it");
    scratch.git(&["rm", "-q", "docs/shot.bin"]);
    scratch.commit("deletes it");
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("docs/shot.bin") && said.err.contains("error[stray-blob]"), "{}", said.err);
    assert!(said.err.contains(&adds[..12]) && said.err.contains("adds it"), "{}", said.err);
    assert_eq!(said.err.matches("error[").count(), 1, "once: {}", said.err);
    scratch.yatsu(&["check", "--from", "origin/main", "--to", "main"]).expect(1);
    cache(&origin(&scratch), BYTES);
    gate_on_server(&scratch);
    blocked(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn what_the_other_side_holds_somewhere_may_move_and_be_copied() {
    let scratch = pushed();
    scratch.write("docs/shot.bin", BYTES);
    scratch.commit("adds it before anybody files it");
    scratch.git(&["push", "-q", "origin", "main"]);
    cache(&scratch.root.join(".git"), BYTES);
    scratch.git(&["mv", "docs/shot.bin", "moved.bin"]);
    scratch.commit("moves it");
    scratch.write("copy.bin", BYTES);
    scratch.commit("copies it");
    assert_eq!(passes(&scratch, &["push", "-q", "origin", "main"]).err, "");
    let other = b"another picture, or a transcript, of thirty-two bytes and more";
    cache(&scratch.root.join(".git"), other);
    scratch.write("other.bin", other);
    scratch.commit("adds what nobody holds");
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("other.bin") && !said.err.contains("copy.bin"), "{}", said.err);
}

#[test]
fn a_stray_blob_comes_in_with_a_side_of_a_merge_and_with_the_merge_itself() {
    let scratch = pushed();
    cache(&scratch.root.join(".git"), BYTES);
    on_branch(&scratch, "side");
    scratch.write("docs/shot.bin", BYTES);
    scratch.commit("adds it");
    scratch.git(&["rm", "-q", "docs/shot.bin"]);
    scratch.commit("deletes it");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    blocked(&scratch, &["push", "-q", "origin", "main"]);
    scratch.git(&["reset", "-q", "--hard", "origin/main"]);
    on_branch(&scratch, "other");
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("good");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.git(&["merge", "-q", "--no-ff", "--no-commit", "other"]);
    scratch.write("docs/shot.bin", BYTES);
    scratch.commit("an evil merge");
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("an evil merge"), "{}", said.err);
}

#[test]
fn bytes_that_may_lie_in_one_place_are_stray_in_another() {
    let scratch = pushed();
    cache(&scratch.root.join(".git"), BYTES);
    scratch.write("spexcode.json", "{\"yatsu\": {\"allowInTree\": [\"golden/*\"]}}\n");
    scratch.commit("allow");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.write("golden/e", BYTES);
    scratch.commit("allowed");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.git(&["rm", "-q", "golden/e"]);
    scratch.commit("gone");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.write("golden/e", BYTES);
    scratch.write("zz/e", BYTES);
    scratch.commit("allowed, and not");
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("zz/e") && !said.err.contains("golden/e"), "{}", said.err);
}

#[test]
fn a_copied_reading_is_a_new_one() {
    let scratch = pushed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    scratch.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    let evidence = format!("\"{}\"", sha256(BYTES));
    scratch.write(LEDGER, reading_line(&head, "works", "pass", 1).replace("null", &evidence));
    scratch.commit("measured");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    let later = scratch.git(&["rev-parse", "HEAD"]);
    let copied = scratch.read(LEDGER).replace(&head, &later).replace("T00:01:", "T00:02:");
    scratch.write(".spec/m/yatsu.evals.ndjson", copied);
    scratch.commit("copied, and said to be of another commit and time");
    let said = passes(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains(".spec/m/") && said.err.contains("[evidence-reused]"), "{}", said.err);
}

#[test]
fn what_only_commits_in_between_have_is_looked_at() {
    let scratch = Scratch::new();
    scratch.git(&["init", "-q", "--bare", "-b", "main", "../origin.git"]);
    scratch.git(&["remote", "add", "origin", "../origin.git"]);
    scratch.hook("pre-push", "pre-push \"$@\"");
    scratch.write("docs/x", "not ours");
    scratch.commit("nothing of ours");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "docs")]));
    scratch.write("more/yatsu-blobs/x", "ours");
    scratch.commit("adds a node and a blob");
    scratch.git(&["rm", "-rq", ".spec", "more"]);
    scratch.commit("takes both away");
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("more/yatsu-blobs/x") && said.err.contains("adds a node and a blob"), "{}", said.err);
    scratch.git(&["reset", "-q", "--hard", "origin/main"]);
    scratch.write("docs/shot.bin", BYTES);
    scratch.commit("evidence in a repository without nodes");
    cache(&scratch.root.join(".git"), BYTES);
    assert!(blocked(&scratch, &["push", "-q", "origin", "main"]).err.contains("docs/shot.bin"));
}

#[test]
fn a_commit_of_two_refs_is_judged_by_the_readings_of_both() {
    let scratch = pushed();
    scratch.write("docs/shot.bin", BYTES);
    scratch.commit("adds it");
    scratch.git(&["rm", "-q", "docs/shot.bin"]);
    scratch.commit("deletes it");
    on_branch(&scratch, "a");
    on_branch(&scratch, "b");
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let evidence = format!("\"{}\"", sha256(BYTES));
    scratch.write(LEDGER, reading_line(&head, "works", "pass", 1).replace("null", &evidence));
    scratch.commit("measured");
    for order in [["a", "b"], ["b", "a"]] {
        let lines = order.map(|name| {
            let tip = scratch.git(&["rev-parse", name]);
            format!("refs/heads/{name} {tip} refs/heads/{name} {ZERO}\n")
        });
        let said = fed(&scratch, &["pre-push", "origin", "../origin.git"], lines.concat().as_bytes()).expect(1);
        assert!(said.err.contains("docs/shot.bin"), "{order:?}: {}", said.err);
    }
}

#[test]
fn no_reading_is_lost_in_a_merge_of_more_branches_than_are_compared() {
    let scratch = pushed();
    let nodes: Vec<String> = (0..10).map(|number| format!("n{number}")).collect();
    for node in &nodes {
        scratch.write(&format!(".spec/{node}/yatsu.md"), scenarios(&[("works", "src/a.rs")]));
    }
    let head = scratch.commit("ten nodes");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    let ledger = |node: &str| format!(".spec/{node}/yatsu.evals.ndjson");
    for (minute, node) in (1..).zip(&nodes) {
        on_branch(&scratch, node);
        scratch.write(&ledger(node), reading_line(&head, "works", "pass", minute));
        scratch.commit("measured");
    }
    passes(&scratch, &["push", "-q", "origin", "refs/heads/n*"]);
    on_branch(&scratch, "all");
    let names = nodes.iter().map(String::as_str);
    scratch.git(&["merge", "-q", "--no-edit"].into_iter().chain(names).collect::<Vec<_>>());
    passes(&scratch, &["push", "-q", "origin", "HEAD:refs/heads/joined"]);
    scratch.git(&["push", "-q", "origin", ":joined"]);
    let codes = nodes.iter().map(|node| {
        scratch.git(&["checkout", "-q", "--detach", "all"]);
        scratch.write(&ledger(node), "");
        let tip = scratch.commit("loses a line");
        let line = format!("HEAD {tip} refs/heads/joined {ZERO}\n");
        let said = fed(&scratch, &["pre-push", "origin", "../origin.git"], line.as_bytes());
        assert!(said.code != 3 || said.err.contains(&ledger(node)), "{}", said.err);
        said.code
    });
    let mut codes: Vec<i32> = codes.collect();
    codes.sort_unstable();
    assert_eq!(codes, [1, 1, 1, 1, 1, 1, 1, 1, 3, 3]);
}

#[test]
fn evidence_is_looked_for_where_nothing_is_ours() {
    let scratch = pushed();
    let name = sha256(BYTES);
    scratch.git(&["checkout", "-q", "--orphan", "bare-bytes"]);
    scratch.git(&["rm", "-rfq", "."]);
    scratch.write(&name, BYTES);
    scratch.git(&["add", "-A"]);
    assert!(scratch.yatsu(&["pre-commit"]).expect(1).err.contains("error[stray-blob]"));
    scratch.yatsu(&["check", "--staged"]).expect(1);
    scratch.yatsu(&["check", "--all"]).expect(1);
    scratch.commit("nothing but evidence");
    scratch.yatsu(&["check", "--rev", "HEAD"]).expect(1);
    scratch.yatsu(&["check", "--from", "main", "--to", "HEAD"]).expect(1);
    blocked(&scratch, &["push", "-q", "origin", "bare-bytes"]);
    scratch.git(&["checkout", "-q", "main"]);
    scratch.git(&["merge", "-q", "--no-edit", "--allow-unrelated-histories", "bare-bytes"]);
    blocked(&scratch, &["push", "-q", "origin", "main"]);
    gate_on_server(&scratch);
    let said = blocked(&scratch, &["push", "-q", "origin", "bare-bytes"]);
    assert!(said.err.contains(&name) && said.err.contains("nothing but evidence"), "{}", said.err);
    blocked(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_repository_of_somebody_else_hears_of_nothing_but_evidence() {
    let scratch = Scratch::new();
    scratch.git(&["init", "-q", "--bare", "-b", "main", "../origin.git"]);
    scratch.git(&["remote", "add", "origin", "../origin.git"]);
    scratch.hook("pre-push", "pre-push \"$@\"");
    scratch.write("evals.ndjson", "{\"a\": 1}\n");
    scratch.write(&format!("blobs/{}", "a".repeat(64)), BYTES);
    scratch.write("blobs/plain", BYTES);
    scratch.git(&["add", "-A"]);
    assert_eq!(scratch.yatsu(&["pre-commit"]).expect(0).err, "");
    let first = scratch.commit("theirs");
    scratch.write("evals.ndjson", "{\"a\": 2}\n");
    scratch.commit("edited");
    assert_eq!(passes(&scratch, &["push", "-q", "origin", "main"]).err, "");
    assert_eq!(scratch.yatsu(&["check", "--from", &first, "--to", "HEAD"]).expect(0).out, "");
    scratch.write(&format!("blobs/{}", sha256(BYTES)), BYTES.to_ascii_uppercase());
    scratch.write("more/yatsu-blobs/x", "of ours by its place");
    scratch.git(&["add", "-A"]);
    assert!(scratch.yatsu(&["pre-commit"]).expect(1).err.contains("more/yatsu-blobs/x"));
    scratch.write("spexcode.json", "{\"yatsu\": {\"allowInTree\": [\"more/**\"]}}\n");
    scratch.git(&["add", "-A"]);
    assert_eq!(scratch.yatsu(&["pre-commit"]).expect(0).err, "");
}

#[test]
fn what_one_tip_allows_says_nothing_about_another() {
    let scratch = pushed();
    cache(&scratch.root.join(".git"), b"something else, which makes every commit worth a look");
    scratch.git(&["checkout", "-q", "--orphan", "a"]);
    scratch.git(&["rm", "-rfq", "."]);
    scratch.write("yatsu-blobs/x", BYTES);
    scratch.commit("evidence");
    on_branch(&scratch, "b");
    scratch.git(&["merge", "-q", "--no-edit", "--allow-unrelated-histories", "a"]);
    scratch.git(&["checkout", "-q", "a"]);
    scratch.write("spexcode.json", "{\"yatsu\": {\"allowInTree\": [\"**\"]}}\n");
    scratch.commit("allows itself everything, where there was no gate");
    let line = |name: &str| {
        let tip = scratch.git(&["rev-parse", name]);
        format!("refs/heads/{name} {tip} refs/heads/{name} {ZERO}\n")
    };
    for lines in [line("a") + &line("b"), line("b") + &line("a")] {
        let said = fed(&scratch, &["pre-push", "origin", "../origin.git"], lines.as_bytes()).expect(1);
        assert!(said.err.contains("refs/heads/b: evidence"), "{}", said.err);
        assert!(!said.err.contains("refs/heads/a: evidence"), "{}", said.err);
    }
}

#[test]
fn what_the_standing_branch_names_is_evidence_behind_every_ref() {
    let scratch = pushed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let named = reading_line(&head, "works", "pass", 1).replace("null", &format!("\"{}\"", sha256(BYTES)));
    scratch.write(LEDGER, named);
    scratch.commit("measured");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    gate_on_server(&scratch);
    scratch.git(&["checkout", "-q", "--orphan", "apart"]);
    scratch.git(&["rm", "-rfq", "."]);
    scratch.write("notes.txt", BYTES);
    scratch.commit("nothing of ours, but for its bytes");
    for to in ["refs/heads/apart", "refs/notes/apart", "refs/anything/apart"] {
        let said = blocked(&scratch, &["push", "-q", "origin", &format!("HEAD:{to}")]);
        assert!(said.err.contains("error[stray-blob]") && said.err.contains("notes.txt"), "{}", said.err);
    }
    scratch.git(&["tag", "-a", "-m", "x", "apart-1"]);
    blocked(&scratch, &["push", "-q", "origin", "apart-1"]);
    scratch.write("notes.txt", "anything else of thirty-two bytes and more");
    scratch.git(&["commit", "-q", "-a", "--amend", "-m", "innocent"]);
    assert_eq!(passes(&scratch, &["push", "-q", "origin", "HEAD:refs/heads/apart"]).err, "");
}

#[test]
fn the_order_of_pushing_does_not_decide_whether_a_merge_loses_a_reading() {
    let (scratch, _) = measured();
    on_branch(&scratch, "b");
    reading(&scratch, ".spec/n", "works", "fail", 3);
    scratch.commit("measured on a branch");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("src/more.rs", "fn more() {}\n");
    scratch.commit("meanwhile");
    scratch.git(&["merge", "-q", "-s", "ours", "-m", "without its reading", "b"]);
    let refused = || {
        let said = blocked(&scratch, &["push", "-q", "origin", "b", "main"]);
        assert!(said.err.contains("error[ledger-history]") && said.err.contains("refs/heads/main"), "{}", said.err);
    };
    refused();
    gate_on_server(&scratch);
    refused();
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    scratch.git(&["merge", "-q", "-m", "with it", "b"]);
    passes(&scratch, &["push", "-q", "origin", "b", "main"]);
}
