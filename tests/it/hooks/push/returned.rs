//! Ledgers that leave and come back in a later push.

use super::*;

const ROOTED: &str = ".spec/g/evals.ndjson";

fn forged(scratch: &Scratch, path: &str) {
    scratch.write(path, scratch.read(path).replace("\"fail\"", "\"pass\""));
}

/// The pushes of `steps`, the last of which is refused for its ledger at every door.
#[track_caller]
fn refused_at_last(scratch: &Scratch, steps: &[&dyn Fn()]) {
    let (last, before) = steps.split_last().expect("a step");
    for step in before {
        step();
        scratch.commit("a step");
        scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
    }
    let from = scratch.git(&["rev-parse", "HEAD"]);
    last();
    scratch.commit("back");
    refused_everywhere(scratch, &from, "is not the one that was filed");
}

#[test]
fn a_ledger_that_was_edited_out_of_the_roots_does_not_come_back() {
    let scratch = pushed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    std::fs::create_dir_all(scratch.root.join("docs")).expect("docs");
    refused_at_last(
        &scratch,
        &[
            &|| {
                scratch.write(".spec/g/eval.md", scenarios(&[("holds", "src/b.rs")]));
                scratch.write(ROOTED, reading_line(&head, "holds", "fail", 1));
            },
            &|| drop(scratch.git(&["mv", ".spec/g", "docs/g"])),
            &|| forged(&scratch, "docs/g/evals.ndjson"),
            &|| drop(scratch.git(&["mv", "docs/g", ".spec/g"])),
        ],
    );
}

#[test]
fn a_ledger_that_was_edited_while_it_was_excluded_does_not_come_back_into_view() {
    let (scratch, _) = measured();
    let exclude = |list: &str| scratch.write("spexcode.json", format!("{{\"yatsu\": {{\"exclude\": [{list}]}}}}\n"));
    refused_at_last(&scratch, &[&|| exclude("\".spec/n\""), &|| forged(&scratch, LEDGER), &|| exclude("")]);
}

#[test]
fn a_node_that_was_deleted_comes_back_with_the_lines_that_it_had() {
    let (scratch, _) = measured();
    let node = (scratch.read(".spec/n/yatsu.md"), scratch.read(LEDGER));
    let back = |ledger: &str| {
        scratch.write(".spec/n/yatsu.md", &node.0);
        scratch.write(LEDGER, ledger);
    };
    refused_at_last(
        &scratch,
        &[&|| drop(scratch.git(&["rm", "-rq", ".spec/n"])), &|| back(&node.1.replace("\"fail\"", "\"pass\""))],
    );
    back(&node.1);
    scratch.commit("as it was");
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_scenario_that_is_declared_again_comes_back_with_the_lines_that_it_had() {
    let (scratch, _) = measured();
    let ledger = scratch.read(LEDGER);
    refused_at_last(
        &scratch,
        &[
            &|| {
                scratch.write(".spec/n/yatsu.md", scenarios(&[("other", "src/a.rs")]));
                scratch.write(LEDGER, "");
            },
            &|| {
                scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
                scratch.write(LEDGER, ledger.replace("\"fail\"", "\"pass\""));
            },
        ],
    );
}

#[test]
fn old_readings_of_a_branch_are_nobody_s_forgeries() {
    let (scratch, full) = measured();
    on_branch(&scratch, "topic");
    scratch.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    scratch.write(".spec/m/yatsu.evals.ndjson", reading_line(&full, "works", "fail", 3));
    scratch.commit("another node of that scenario name, measured before main went on");
    passes(&scratch, &["push", "-q", "origin", "topic"]);
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.commit("main goes on");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.git(&["merge", "-q", "--no-edit", "--no-ff", "topic"]);
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_shallow_clone_cannot_tell_what_was_filed_before_it_begins() {
    let (scratch, full) = measured();
    let clone = Scratch::new();
    let from = origin(&scratch);
    clone.git(&["fetch", "-q", "--depth=1", &format!("file://{}", from.display()), "main"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    clone.write(".spec/m/yatsu.md", scenarios(&[("holds", "src/b.rs")]));
    clone.write(".spec/m/yatsu.evals.ndjson", reading_line(&full, "holds", "pass", 1));
    clone.commit("an old reading");
    let args = ["check", "--from", &full, "--to", "HEAD"];
    let said = clone.yatsu(&args).expect(3);
    assert!(said.err.contains(".spec/m/") && said.err.contains("--unshallow"), "{}", said.err);
    clone.git(&["fetch", "-q", "--unshallow", &format!("file://{}", from.display()), "main"]);
    clone.yatsu(&args).expect(0);
}

/// Takes the ledger out of its line's words, as `redact` does.
fn redacted(scratch: &Scratch) {
    let ts = "2026-01-01T00:01:00.000Z";
    scratch.yatsu(&["redact", "n", "--scenario", "works", "--ts", ts, "--reason", "a name"]).expect(0);
}

#[test]
fn a_redacted_line_does_not_come_back_with_its_node() {
    let (scratch, _) = measured();
    let first = scratch.read(LEDGER);
    let file = scratch.read(".spec/n/yatsu.md");
    refused_at_last(
        &scratch,
        &[&|| redacted(&scratch), &|| drop(scratch.git(&["rm", "-qr", ".spec/n"])), &|| {
            scratch.write(".spec/n/yatsu.md", &file);
            scratch.write(LEDGER, &first);
        }],
    );
}

#[test]
fn a_redaction_comes_back_with_its_node() {
    let (scratch, _) = measured();
    let ts = "2026-01-01T00:03:00.000Z";
    let retraction = format!(
        "{{\"retracts\":\"2026-01-01T00:02:00.000Z\",\"scenario\":\"works\",\"note\":\"a name\",\"ts\":\"{ts}\"}}\n"
    );
    scratch.write(LEDGER, scratch.read(LEDGER) + &retraction);
    scratch.commit("withdrawn");
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
    redacted(&scratch);
    scratch.yatsu(&["redact", "n", "--scenario", "works", "--ts", ts, "--reason", "a name"]).expect(0);
    scratch.commit("redacted");
    let (file, ledger) = (scratch.read(".spec/n/yatsu.md"), scratch.read(LEDGER));
    scratch.git(&["rm", "-qr", ".spec/n"]);
    scratch.commit("gone");
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
    scratch.write(".spec/n/yatsu.md", &file);
    scratch.write(LEDGER, &ledger);
    scratch.commit("back");
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_merge_may_move_a_node_with_what_both_sides_filed_of_one_moment() {
    let (scratch, full) = measured();
    on_branch(&scratch, "topic");
    let whole = scratch.read(LEDGER);
    let other = |status: &str| whole.clone() + &reading_line(&full, "works", status, 3);
    scratch.write(LEDGER, other("fail"));
    scratch.commit("one side");
    scratch.git(&["push", "-q", "--no-verify", "origin", "topic"]);
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write(LEDGER, other("pass"));
    scratch.commit("the other side");
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
    scratch.git(&["merge", "-q", "-s", "ours", "--no-commit", "topic"]);
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    let moved = ".spec/m/yatsu.evals.ndjson";
    let both = other("pass") + &reading_line(&full, "works", "fail", 3);
    scratch.write(moved, other("pass"));
    scratch.commit("merged and moved without one side's line");
    gate_on_server(&scratch);
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("is not in .spec/m, where its scenario is now"), "{}", said.err);
    scratch.write(moved, both);
    scratch.git(&["commit", "-q", "--no-verify", "--amend", "-a", "--no-edit"]);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

/// Another node with a scenario of the same name, which is another one: its text differs. Its reading is of the moment of
/// the last one of `n`, and says the opposite.
fn with_a_namesake(scratch: &Scratch, full: &str) {
    scratch
        .write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]).replace("description: ", "description: else "));
    scratch.write(".spec/m/yatsu.evals.ndjson", reading_line(full, "works", "pass", 2));
    scratch.commit("a namesake");
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
}

#[test]
fn a_node_comes_back_beside_a_namesake_that_was_measured_at_the_same_moment() {
    let (scratch, full) = measured();
    with_a_namesake(&scratch, &full);
    let came = scratch.git(&["rev-parse", "HEAD"]);
    scratch.git(&["rm", "-rq", ".spec/m"]);
    scratch.commit("gone");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.git(&["checkout", &came, "--", ".spec/m"]);
    scratch.commit("back");
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_node_moves_with_its_lines_whatever_a_namesake_that_is_gone_said_at_their_moment() {
    let (scratch, full) = measured();
    with_a_namesake(&scratch, &full);
    scratch.git(&["rm", "-rq", ".spec/n"]);
    scratch.commit("the namesake is gone");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.git(&["mv", ".spec/m", ".spec/k"]);
    scratch.commit("moved");
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_node_comes_back_with_a_line_that_was_redacted_at_another_one_alone() {
    let (scratch, _) = measured();
    scratch
        .write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]).replace("description: ", "description: else "));
    scratch.write(".spec/m/yatsu.evals.ndjson", scratch.read(LEDGER));
    let came = scratch.commit("a node that was split");
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
    redacted(&scratch);
    scratch.git(&["rm", "-rq", ".spec/m"]);
    scratch.commit("redacted in one, gone in the other");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.git(&["checkout", &came, "--", ".spec/m"]);
    scratch.commit("back");
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}
