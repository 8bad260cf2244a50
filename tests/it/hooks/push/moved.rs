//! Nodes that move, are removed and return, at every door.

use super::*;

const MOVED: &str = ".spec/m/yatsu.evals.ndjson";

/// Moves the node and edits its ledger in the same commit.
fn move_and_edit(scratch: &Scratch) {
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    scratch.write(MOVED, scratch.read(MOVED).replace("\"fail\"", "\"pass\""));
    scratch.git(&["add", "-A"]);
}

#[test]
fn a_ledger_that_was_edited_while_its_node_moved_is_refused_at_every_door() {
    let (scratch, full) = measured();
    scratch.hook("pre-commit", "pre-commit");
    move_and_edit(&scratch);
    let said = scratch.try_git(&["commit", "-q", "-m", "moved"]).expect(1);
    assert!(said.err.contains("error[ledger-history]") && said.err.contains(".spec/m"), "{}", said.err);
    scratch.commit("moved");
    refused_everywhere(&scratch, &full, LEDGER_ERROR);
}

#[test]
fn a_memo_of_the_nodes_lets_no_line_leave() {
    let (scratch, _) = measured();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("other", "src/b.rs")]));
    scratch.write(".spec/t/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    scratch.commit("more nodes");
    scratch.hook("pre-commit", "pre-commit");
    scratch.yatsu(&["scan"]);
    let ledger = scratch.read(LEDGER);
    // to another file that existed, and to a twin that this commit does not change
    for heir in [true, false] {
        let new = if heir { "works" } else { "third" };
        scratch.write(".spec/n/yatsu.md", scenarios(&[("different", "src/a.rs")]));
        scratch.write(".spec/m/yatsu.md", scenarios(&[("other", "src/b.rs"), (new, "src/a.rs")]));
        scratch.write(LEDGER, "");
        scratch.git(&["add", "-A"]);
        let said = scratch.try_git(&["commit", "-q", "-m", "split"]).expect(1);
        assert!(said.err.contains("error[ledger-history]"), "{heir}: {}", said.err);
        scratch.write(if heir { MOVED } else { ".spec/t/yatsu.evals.ndjson" }, &ledger);
        scratch.git(&["add", "-A"]);
        let said = scratch.try_git(&["commit", "-q", "--dry-run"]);
        let said = if said.code == 0 { scratch.yatsu(&["pre-commit"]) } else { said };
        assert!(!said.err.contains("ledger-history"), "{heir}: {}", said.err);
        scratch.git(&["reset", "-q", "--hard"]);
    }
}

#[test]
fn a_node_that_is_deleted_and_made_again_elsewhere_in_one_push_keeps_its_lines() {
    let (scratch, full) = measured();
    scratch.git(&["rm", "-rq", ".spec/n"]);
    scratch.commit("it goes");
    scratch.write(".spec/m/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.write(MOVED, reading_line(&full, "works", "pass", 3));
    scratch.commit("and comes back");
    refused_everywhere(&scratch, &full, LEDGER_ERROR);
    scratch.yatsu(&["repair", "--restore", &full]).expect(0);
    scratch.commit("with its lines");
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn one_side_moves_the_node_and_no_reading_of_the_other_is_lost_in_the_merge() {
    let (scratch, full) = measured();
    on_branch(&scratch, "moves");
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    scratch.write(MOVED, scratch.read(MOVED) + &reading_line(&full, "works", "pass", 3));
    scratch.commit("moved and measured");
    scratch.git(&["checkout", "-q", "main"]);
    reading(&scratch, ".spec/n", "works", "fail", 4);
    let ours = scratch.commit("measured");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.hook("pre-commit", "pre-commit");
    scratch.try_git(&["merge", "-q", "--no-edit", "moves"]).expect(1);
    scratch.git(&["rm", "-rq", "--cached", "--ignore-unmatch", ".spec/n"]);
    scratch.git(&["checkout", "moves", "--", ".spec/m"]);
    scratch.git(&["add", ".spec/m"]);
    let said = scratch.try_git(&["commit", "-q", "--no-edit"]).expect(1);
    assert!(said.err.contains("error[ledger-history]") && said.err.contains(".spec/m"), "{}", said.err);
    scratch.git(&["commit", "-q", "--no-verify", "--no-edit"]);
    refused_everywhere(&scratch, &ours, LEDGER_ERROR);
    scratch.yatsu(&["repair", "--restore", &ours]).expect(0);
    scratch.commit("with the other side's");
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn lines_that_move_are_judged_as_new_ones_and_old_generations_may_move() {
    let scratch = pushed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let old = format!(
        "{{\"scenario\":\"works\",\"codeSha\":\"{head}\",\"blob\":null,\"ts\":\"2020-01-01T00:00:00.000Z\"}}\n"
    );
    let ahead = reading_line(&head, "works", "pass", 1).replace("2026-", "2099-");
    scratch.write(LEDGER, old.clone() + &ahead);
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "--no-verify", "-m", "past the gate"]);
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    scratch.commit("moved");
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("error[ledger-schema]") && said.err.contains("ten minutes ahead"), "{}", said.err);
    assert_eq!(said.err.matches("error[").count(), 1, "{}", said.err);
}

#[test]
fn a_node_that_moves_below_a_root_that_is_new_in_the_same_push_passes() {
    let scratch = pushed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let roots = |list: &str| scratch.write("spexcode.json", format!("{{\"yatsu\": {{\"roots\": [{list}]}}}}\n"));
    scratch.write(".spec/g/eval.md", scenarios(&[("holds", "src/b.rs")]));
    scratch.write(".spec/g/evals.ndjson", reading_line(&head, "holds", "fail", 1));
    scratch.commit("measured");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    gate_on_server(&scratch);
    std::fs::create_dir_all(scratch.root.join("specs")).expect("specs");
    scratch.git(&["mv", ".spec/g", "specs/g"]);
    roots("\".spec\", \"specs\"");
    scratch.commit("moved");
    let said = passes(&scratch, &["push", "-q", "origin", "main"]).err;
    assert!(!said.contains("ledger-history") && !said.contains("scenario-dropped"), "{said}");
    // and out of the old one
    roots("\"specs\"");
    scratch.commit("one root");
    passes(&scratch, &["push", "-q", "origin", "main"]);
}
