//! The history law, sentence by sentence (formats.md, "What was filed stays filed"): how a push may change filed lines, at
//! the doors that judge a push and a range.

use super::*;
use crate::support::ledger_lines;

const MOVED: &str = ".spec/m/yatsu.evals.ndjson";

/// A repository with a pushed main branch that has only a failing reading.
fn failing() -> (Scratch, String) {
    let s = pushed();
    reading(&s, ".spec/n", "works", "fail", 2);
    let full = s.commit("measured");
    passes(&s, &["push", "-q", "origin", "main"]);
    (s, full)
}

fn config(s: &Scratch, yatsu: &str) {
    s.write("spexcode.json", format!("{{\"yatsu\": {{{yatsu}}}}}\n"));
}

fn forge(s: &Scratch, path: &str) {
    s.write(path, s.read(path).replace("\"fail\"", "\"pass\""));
}

fn move_dir(s: &Scratch, from: &str, to: &str) {
    let to = s.root.join(to);
    std::fs::create_dir_all(to.parent().expect("a parent")).expect("directories");
    std::fs::rename(s.root.join(from), to).expect("moved");
}

/// Commits the present state and pushes it: a range, `pre-push` and a server accept it.
#[track_caller]
fn passes_everywhere(s: &Scratch, message: &str) {
    s.commit(message);
    let found = support::findings(s, "ledger-history", &["--from", "origin/main", "--to", "HEAD"]);
    assert_eq!(found, [] as [serde_json::Value; 0], "{message}");
    gate_on_server(s);
    passes(s, &["push", "-q", "origin", "main"]);
    s.hook("pre-push", "pre-push \"$@\"");
}

#[test]
fn a_ledger_that_stays_keeps_every_line_of_a_scenario_that_is_renamed_or_dropped() {
    for how in ["renamed", "dropped"] {
        let (s, full) = failing();
        match how {
            "renamed" => s.write(".spec/n/yatsu.md", scenarios(&[("runs", "src/a.rs")])),
            _ => std::fs::remove_file(s.root.join(".spec/n/yatsu.md")).expect("removed"),
        }
        forge(&s, LEDGER);
        s.commit("the first push of two");
        refused_everywhere(&s, &full, "is gone or was edited");
        s.git(&["checkout", "-q", &full, "--", LEDGER]);
        passes_everywhere(&s, how);
    }
}

#[test]
fn a_scenario_that_comes_back_finds_its_lines_as_they_were() {
    let (s, _) = failing();
    s.write(".spec/n/yatsu.md", scenarios(&[("runs", "src/a.rs")]));
    passes_everywhere(&s, "renamed");
    let from = s.git(&["rev-parse", "HEAD"]);
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    forge(&s, LEDGER);
    s.commit("and back, with a pass");
    refused_everywhere(&s, &from, "is gone or was edited");
}

#[test]
fn an_added_line_with_the_scenario_and_time_of_a_base_line_is_that_line_edited() {
    let (s, full) = failing();
    move_dir(&s, ".spec/n", ".spec/m");
    s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]).replace("measure", "look at"));
    forge(&s, MOVED);
    s.commit("one node goes and another begins, with a better reading of the same moment");
    refused_everywhere(&s, &full, "is not the one that was filed at its time");
    // and beside the true line
    s.git(&["reset", "-q", "--hard", &full]);
    let forged = s.read(LEDGER).replace("\"fail\"", "\"pass\"");
    s.write(LEDGER, s.read(LEDGER) + &forged);
    s.commit("a second verdict of one moment");
    refused_everywhere(&s, &full, "is not the one that was filed at its time");
    // one import of a report files for two nodes at the same time, and they are committed one after the other
    s.git(&["reset", "-q", "--hard", &full]);
    s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    s.write(MOVED, forged);
    passes_everywhere(&s, "another node that was measured at that moment");
}

#[test]
fn retiring_one_node_and_beginning_another_of_the_same_scenario_name_is_one_push() {
    let (s, full) = failing();
    s.git(&["rm", "-rq", ".spec/n"]);
    s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]).replace("measure works", "look at b"));
    s.write(MOVED, reading_line(&full, "works", "pass", 9));
    passes_everywhere(&s, "a goes and b begins");
}

#[test]
fn an_heir_takes_all_lines_along() {
    let (s, full) = measured();
    move_dir(&s, ".spec/n", ".spec/m");
    s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/b.rs")]).replace("measure works", "look at b"));
    let pass = s.read(MOVED).lines().next().expect("a line").to_owned() + "\n";
    s.write(MOVED, &pass);
    s.commit("only the pass moves");
    refused_everywhere(&s, &full, "is not in .spec/m, where its scenario is now");
    s.git(&["reset", "-q", "--hard", &full]);
    move_dir(&s, ".spec/n", ".spec/m");
    passes_everywhere(&s, "all of them");
}

#[test]
fn a_ledger_leaves_only_where_its_directory_declares_nothing_more() {
    let (s, full) = failing();
    s.write(".spec/n/yatsu.md", scenarios(&[("other", "src/a.rs")]));
    s.git(&["rm", "-q", LEDGER]);
    s.commit("the ledger goes, the node stays");
    refused_everywhere(&s, &full, "is gone or was edited");
    s.git(&["rm", "-rq", "--ignore-unmatch", ".spec/n"]);
    s.commit("the node goes, too");
    let said = s.yatsu(&["check", "--from", &full, "--to", "HEAD"]).expect(0);
    assert!(said.out.contains("[scenario-dropped]"), "{}", said.out);
    passes(&s, &["push", "-q", "origin", "main"]);
}

#[test]
fn what_left_visibly_starts_anew_when_it_returns() {
    let (s, full) = failing();
    let file = s.read(".spec/n/yatsu.md");
    s.git(&["rm", "-rq", ".spec/n"]);
    passes_everywhere(&s, "retired");
    s.write(".spec/n/yatsu.md", file);
    s.write(LEDGER, reading_line(&full, "works", "pass", 2));
    passes_everywhere(&s, "begun again");
}

#[test]
fn old_readings_may_come_in_with_a_scenario_file_that_is_new() {
    let s = pushed();
    let head = s.git(&["rev-parse", "HEAD"]);
    let old = format!(
        "{{\"scenario\":\"holds\",\"codeSha\":\"{head}\",\"blob\":null,\"ts\":\"2020-01-01T00:00:00.000Z\"}}\n"
    );
    s.write(LEDGER, old.replace("holds", "works"));
    s.commit("an old reading in a node that stood there");
    let said = blocked(&s, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains("a new reading needs a verdict"), "{}", said.err);
    s.git(&["reset", "-q", "--hard", "HEAD~1"]);
    s.write(".spec/m/yatsu.md", scenarios(&[("holds", "src/b.rs")]));
    s.write(MOVED, old);
    passes_everywhere(&s, "imported");
}

#[test]
fn a_ledger_that_the_configuration_hides_is_refused_with_the_key_that_hides_it() {
    let (s, full) = failing();
    config(&s, "\"exclude\": [\".spec/n\"]");
    s.commit("excluded");
    refused_everywhere(&s, &full, "yatsu.exclude hides it");
    s.git(&["reset", "-q", "--hard", &full]);
    config(&s, "\"exclude\": [\"vendor\"]");
    move_dir(&s, ".spec/n", "vendor/n");
    s.commit("moved out of sight");
    refused_everywhere(&s, &full, "which moved to vendor/n/yatsu.evals.ndjson, is out of sight");
    // the honest way, in two pushes
    s.git(&["reset", "-q", "--hard", &full]);
    let (file, ledger) = (s.read(".spec/n/yatsu.md"), s.read(LEDGER));
    s.git(&["rm", "-rq", ".spec/n"]);
    passes_everywhere(&s, "retired");
    config(&s, "\"exclude\": [\"vendor\"]");
    s.write("vendor/n/yatsu.md", file);
    s.write("vendor/n/yatsu.evals.ndjson", ledger);
    passes_everywhere(&s, "brought in out of sight");
}

#[test]
fn a_root_that_is_left_out_hides_its_ledgers_and_one_that_is_renamed_with_its_entry_hides_nothing() {
    let s = pushed();
    let head = s.git(&["rev-parse", "HEAD"]);
    s.write(".spec/g/eval.md", scenarios(&[("holds", "src/b.rs")]));
    s.write(".spec/g/evals.ndjson", reading_line(&head, "holds", "fail", 1));
    passes_everywhere(&s, "measured");
    let full = s.git(&["rev-parse", "HEAD"]);
    config(&s, "\"roots\": [\"specs\"]");
    s.commit("another root");
    refused_everywhere(&s, &full, "no entry of yatsu.roots holds it");
    move_dir(&s, ".spec/g", "specs/g");
    passes_everywhere(&s, "with its nodes");
}

#[test]
fn what_was_never_in_sight_is_taken_as_it_is() {
    let s = pushed();
    config(&s, "\"exclude\": [\"vendor\"]");
    s.write("vendor/n/yatsu.md", scenarios(&[("holds", "src/b.rs")]));
    s.write(
        "vendor/n/yatsu.evals.ndjson",
        "{\"scenario\":\"holds\",\"codeSha\":null,\"ts\":\"2020-01-01T00:00:00.000Z\"}\n",
    );
    passes_everywhere(&s, "a vendored tree");
    s.write(
        "vendor/n/yatsu.evals.ndjson",
        "{\"scenario\":\"holds\",\"codeSha\":null,\"ts\":\"2020-01-02T00:00:00.000Z\"}\n",
    );
    passes_everywhere(&s, "edited where nothing is filed");
    config(&s, "\"exclude\": []");
    passes_everywhere(&s, "in sight");
}

#[test]
fn a_branch_with_other_roots_loses_no_line_at_the_server() {
    let s = pushed();
    let head = s.git(&["rev-parse", "HEAD"]);
    on_branch(&s, "topic");
    config(&s, "\"roots\": [\"specs\"]");
    s.write("specs/g/eval.md", scenarios(&[("holds", "src/b.rs")]));
    s.write("specs/g/evals.ndjson", reading_line(&head, "holds", "fail", 1));
    s.commit("other roots than the default branch has");
    gate_on_server(&s);
    passes(&s, &["push", "-q", "origin", "topic"]);
    forge(&s, "specs/g/evals.ndjson");
    s.commit("forged");
    let said = blocked(&s, &["push", "-q", "origin", "topic"]);
    assert!(said.err.contains(LEDGER_ERROR), "{}", said.err);
}

#[test]
fn the_stricter_of_the_default_branch_and_the_pushed_tree_judges_at_the_server() {
    let s = pushed();
    config(&s, "\"rules\": {\"ledger-history\": \"off\"}");
    reading(&s, ".spec/n", "works", "fail", 1);
    passes_everywhere(&s, "a rule that is off");
    let from = s.git(&["rev-parse", "HEAD"]);
    config(&s, "");
    s.write(LEDGER, "");
    s.commit("switched on, and a line dropped at once");
    refused_everywhere(&s, &from, "is gone or was edited");
}

#[test]
fn a_branch_that_merges_main_is_not_asked_for_what_main_let_go() {
    let (s, _) = failing();
    let node = s.read(".spec/n/yatsu.md");
    on_branch(&s, "topic");
    s.write("src/c.rs", "fn c() {}\n");
    s.commit("work on a branch");
    passes(&s, &["push", "-q", "origin", "topic"]);
    s.git(&["checkout", "-q", "main"]);
    s.git(&["rm", "-rq", ".spec/n"]);
    passes_everywhere(&s, "main retires the node");
    s.write(".spec/n/yatsu.md", node);
    passes_everywhere(&s, "and begins it again");
    s.git(&["checkout", "-q", "topic"]);
    s.hook("pre-merge-commit", "pre-merge-commit");
    s.try_git(&["merge", "-q", "--no-edit", "main"]).expect(0);
    assert!(!s.root.join(LEDGER).exists());
    passes(&s, &["push", "-q", "origin", "topic"]);
    s.git(&["push", "-q", "--no-verify", "--force", "origin", "topic~1:topic"]);
    gate_on_server(&s);
    passes(&s, &["push", "-q", "origin", "topic"]);
    // main itself is the judged branch
    s.git(&["checkout", "-q", "-B", "main", "origin/main"]);
    reading(&s, ".spec/n", "works", "fail", 5);
    s.commit("measured");
    passes(&s, &["push", "-q", "origin", "main"]);
    s.git(&["rm", "-q", LEDGER]);
    s.commit("dropped");
    blocked(&s, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_loss_that_is_healed_inside_the_push_is_none() {
    let (s, full) = measured();
    let ledger = s.read(LEDGER);
    s.write(LEDGER, ledger.lines().next().expect("a line").to_owned() + "\n");
    s.commit("loses a line");
    s.write(LEDGER, &ledger);
    s.commit("has it back");
    assert!(!s.yatsu(&["check", "--from", &full, "--to", "HEAD"]).expect(0).out.contains("ledger-history"));
    assert_eq!(passes(&s, &["push", "-q", "origin", "main"]).err, "");
}

#[test]
fn a_clone_of_depth_one_is_judged_in_full() {
    let (s, full) = failing();
    let clone = Scratch::new();
    clone.git(&["fetch", "-q", "--depth=1", &format!("file://{}", origin(&s).display()), "main"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    let check = |code: i32| clone.yatsu(&["check", "--from", &full, "--to", "HEAD"]).expect(code);
    clone.write(".spec/m/yatsu.md", scenarios(&[("holds", "src/b.rs")]));
    clone.write(MOVED, reading_line(&full, "holds", "pass", 1));
    clone.commit("an old reading");
    check(0);
    config(&clone, "\"exclude\": [\"elsewhere\"]");
    clone.commit("another sight");
    check(0);
    forge(&clone, LEDGER);
    clone.commit("forged");
    assert!(check(1).out.contains(LEDGER_ERROR));
}

#[test]
fn a_push_of_a_merge_that_lost_a_line_of_the_other_side_names_that_side() {
    let (s, _) = measured();
    on_branch(&s, "side");
    reading(&s, ".spec/n", "works", "fail", 3);
    let side = s.commit("measured on a side");
    s.git(&["checkout", "-q", "main"]);
    s.write("src/more.rs", "fn more() {}\n");
    s.commit("meanwhile");
    s.hook("pre-commit", "pre-commit");
    s.git(&["merge", "-q", "-s", "ours", "--no-commit", "side"]);
    let said = s.try_git(&["commit", "-q", "-m", "without its reading"]).expect(1);
    let command = format!("repair --restore {}", &side[..12]);
    assert!(said.err.contains(&command), "{}", said.err);
    s.yatsu(&["repair", "--restore", &side[..12]]).expect(0);
    s.git(&["add", "-A"]);
    s.git(&["commit", "-q", "-m", "with it"]);
    passes(&s, &["push", "-q", "origin", "main"]);
}

#[test]
fn the_printed_recovery_of_a_forged_ledger_in_a_moved_node_ends_in_a_push_that_passes() {
    for committed in [true, false] {
        let (s, full) = measured();
        move_dir(&s, ".spec/n", ".spec/m");
        let truth = s.read(MOVED);
        forge(&s, MOVED);
        s.git(&["add", "-A"]);
        if committed {
            s.commit("moved and forged");
            let said = blocked(&s, &["push", "-q", "origin", "main"]);
            assert!(said.err.contains(&format!("repair --restore {}", &full[..12])), "{}", said.err);
        }
        let restore = ["repair", "--restore", &full[..12]];
        let said = s.yatsu(&restore);
        if committed {
            let reset = format!("git reset --soft {}", &full[..12]);
            assert!(said.out.contains(&reset) || said.err.contains(&reset), "{}{}", said.out, said.err);
            s.git(&["reset", "-q", "--soft", &full[..12]]);
            s.yatsu(&restore).expect(0);
        }
        let mut lines = ledger_lines(&s, ".spec/m");
        lines.sort();
        let mut true_lines: Vec<&str> = truth.lines().collect();
        true_lines.sort_unstable();
        assert_eq!(lines, true_lines, "committed: {committed}");
        s.git(&["add", "-A"]);
        s.git(&["commit", "-q", "-m", "moved"]);
        passes(&s, &["push", "-q", "origin", "main"]);
    }
}
