//! Ledgers that a change of roots or exclude puts out of sight, and that come back into view in a later push.

use super::*;

const ROOTED: &str = ".spec/g/evals.ndjson";
const GONE: &str = "is gone or was edited";

fn exclude(scratch: &Scratch, list: &str) {
    scratch.write("spexcode.json", format!("{{\"yatsu\": {{\"exclude\": [{list}]}}}}\n"));
}

/// The first line of a ledger alone.
fn cut(scratch: &Scratch, path: &str) {
    let ledger = scratch.read(path);
    scratch.write(path, ledger.split_inclusive('\n').next().unwrap_or_default());
}

/// Commits and pushes a step with no gate in between.
fn step(scratch: &Scratch, change: &dyn Fn()) {
    change();
    scratch.commit("a step");
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
}

/// What the three doors say of what HEAD brings to `from`, which each of them refuses for `words`.
#[track_caller]
fn refused_at_every_door(scratch: &Scratch, from: &str, words: &str) {
    let said = scratch.yatsu(&["check", "--from", from, "--to", "HEAD"]).expect(1);
    assert_eq!(said.out.matches(words).count(), 1, "{}", said.out);
    let said = blocked(scratch, &["push", "-q", "origin", "main"]);
    assert!(said.err.contains(words), "{}", said.err);
    gate_on_server(scratch);
    let said = blocked(scratch, &["push", "-q", "origin", "main"]);
    assert_eq!(said.err.matches(words).count(), 1, "{}", said.err);
}

/// The steps, the last of which is refused at every door for `words`.
#[track_caller]
fn refused_at_last(scratch: &Scratch, steps: &[&dyn Fn()], words: &str) {
    let (last, before) = steps.split_last().expect("a step");
    before.iter().for_each(|change| step(scratch, change));
    let from = scratch.git(&["rev-parse", "HEAD"]);
    last();
    scratch.commit("back");
    refused_at_every_door(scratch, &from, words);
}

#[test]
fn a_line_that_was_dropped_while_it_was_excluded_is_missed_when_it_is_in_view_again() {
    let (scratch, _) = measured();
    let whole = scratch.read(LEDGER);
    let steps: [&dyn Fn(); 3] =
        [&|| exclude(&scratch, "\".spec/n\""), &|| cut(&scratch, LEDGER), &|| exclude(&scratch, "")];
    refused_at_last(&scratch, &steps, GONE);
    scratch.git(&["reset", "-q", "--hard"]);
    let said = blocked(&scratch, &["push", "-q", "origin", "main"]);
    let advice = said.err.split("yatsu-hook repair --restore ").nth(1).expect("advice");
    let from = advice.split(',').next().expect("a revision");
    scratch.yatsu(&["repair", "--restore", from]).expect(0);
    assert_eq!(scratch.read(LEDGER), whole, "the advice restores it");
    scratch.commit("restored");
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_line_that_was_dropped_outside_of_the_roots_is_missed_when_they_are_back() {
    let scratch = pushed();
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let roots = |root: &str| scratch.write("spexcode.json", format!("{{\"yatsu\": {{\"roots\": [\"{root}\"]}}}}\n"));
    let filed = || {
        scratch.write(".spec/g/eval.md", scenarios(&[("holds", "src/b.rs")]));
        let lines = [reading_line(&head, "holds", "pass", 1), reading_line(&head, "holds", "fail", 2)];
        scratch.write(ROOTED, lines.concat());
    };
    let steps: [&dyn Fn(); 4] = [&filed, &|| roots("docs"), &|| cut(&scratch, ROOTED), &|| roots(".spec")];
    refused_at_last(&scratch, &steps, GONE);
}

#[test]
fn a_line_that_moved_while_it_was_excluded_is_missed_where_its_scenario_is_now() {
    let (scratch, _) = measured();
    let moved = || {
        scratch.git(&["mv", ".spec/n", ".spec/m"]);
        cut(&scratch, ".spec/m/yatsu.evals.ndjson");
    };
    let steps: [&dyn Fn(); 3] = [&|| exclude(&scratch, "\".spec/*\""), &moved, &|| exclude(&scratch, "")];
    refused_at_last(&scratch, &steps, "is not in .spec/m, where its scenario is now");
}

#[test]
fn a_line_that_could_not_be_added_in_view_is_refused_when_it_comes_into_view() {
    let (scratch, full) = measured();
    let late = || {
        let line = reading_line(&full, "works", "pass", 3).replace("2026-01-01T", "2099-01-01T");
        scratch.write(LEDGER, scratch.read(LEDGER) + &line);
    };
    let steps: [&dyn Fn(); 3] = [&|| exclude(&scratch, "\".spec/n\""), &late, &|| exclude(&scratch, "")];
    refused_at_last(&scratch, &steps, "lies more than a day ahead");
}

#[test]
fn a_redaction_that_is_refused_in_view_does_not_come_into_view() {
    let (scratch, _) = measured();
    let config =
        |more: &str| scratch.write("spexcode.json", format!("{{\"yatsu\": {{\"redact\": \"refuse\"{more}}}}}\n"));
    let redacted = || {
        let ts = "2026-01-01T00:01:00.000Z";
        std::fs::remove_file(scratch.root.join("spexcode.json")).expect("a configuration");
        scratch.yatsu(&["redact", "n", "--scenario", "works", "--ts", ts, "--reason", "a name"]).expect(0);
        config(", \"exclude\": [\".spec/n\"]");
    };
    let steps: [&dyn Fn(); 4] = [&|| config(""), &|| config(", \"exclude\": [\".spec/n\"]"), &redacted, &|| config("")];
    refused_at_last(&scratch, &steps, "a redaction is not taken here");
}

#[test]
fn a_commit_within_a_push_that_shows_a_ledger_for_a_moment_takes_nothing_out_of_it() {
    let (scratch, _) = measured();
    step(&scratch, &|| exclude(&scratch, "\".spec/n\""));
    let from = scratch.git(&["rev-parse", "HEAD"]);
    cut(&scratch, LEDGER);
    scratch.commit("dropped");
    exclude(&scratch, "");
    scratch.commit("shown");
    exclude(&scratch, "\".spec/n\"");
    scratch.commit("hidden again");
    refused_at_every_door(&scratch, &from, GONE);
}

#[test]
fn a_line_that_was_filed_on_the_other_side_of_a_merge_is_missed_too() {
    let (scratch, _) = measured();
    on_branch(&scratch, "topic");
    exclude(&scratch, "\".spec/n\"");
    scratch.commit("hidden on the topic");
    scratch.git(&["checkout", "-q", "main"]);
    reading(&scratch, ".spec/n", "works", "fail", 3);
    scratch.commit("filed on main");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.git(&["checkout", "-q", "topic"]);
    scratch.git(&["merge", "-q", "--no-edit", "--no-ff", "main"]);
    scratch.git(&["branch", "-f", "main", "topic"]);
    scratch.git(&["checkout", "-q", "main"]);
    let two = || {
        let ledger = scratch.read(LEDGER);
        let lines: Vec<&str> = ledger.split_inclusive('\n').collect();
        scratch.write(LEDGER, lines[..2].concat());
    };
    refused_at_last(&scratch, &[&two, &|| exclude(&scratch, "")], GONE);
}

#[test]
fn a_directory_that_was_never_in_view_comes_into_it_as_it_is() {
    let (scratch, full) = measured();
    let others = "vendor/tool/.spec/x/";
    step(&scratch, &|| exclude(&scratch, "\"vendor\""));
    step(&scratch, &|| {
        scratch.write(&format!("{others}yatsu.md"), scenarios(&[("holds", "src/b.rs")]));
        let lines = [reading_line(&full, "holds", "pass", 1), reading_line(&full, "holds", "fail", 2)];
        scratch.write(&format!("{others}yatsu.evals.ndjson"), lines.concat());
    });
    step(&scratch, &|| cut(&scratch, &format!("{others}yatsu.evals.ndjson")));
    exclude(&scratch, "");
    scratch.commit("adopted");
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_ledger_that_was_only_out_of_sight_comes_back_with_what_was_filed_elsewhere_meanwhile() {
    let (scratch, _) = measured();
    step(&scratch, &|| exclude(&scratch, "\".spec/n\""));
    step(&scratch, &|| reading(&scratch, ".spec/n", "works", "pass", 3));
    exclude(&scratch, "");
    scratch.commit("shown");
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn a_shallow_clone_cannot_tell_what_went_out_of_sight_before_it_begins() {
    let (scratch, _) = measured();
    step(&scratch, &|| exclude(&scratch, "\".spec/n\""));
    // with no line left nothing appears that could be asked about in another way
    step(&scratch, &|| scratch.write(LEDGER, ""));
    let clone = Scratch::new();
    let from = format!("file://{}", origin(&scratch).display());
    clone.git(&["fetch", "-q", "--depth=1", &from, "main"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    exclude(&clone, "");
    clone.commit("shown");
    let args = ["check", "--from", "HEAD~1", "--to", "HEAD"];
    let said = clone.yatsu(&args).expect(3);
    assert!(said.err.contains(".spec/n/") && said.err.contains("--unshallow"), "{}", said.err);
    clone.git(&["fetch", "-q", "--unshallow", &from, "main"]);
    let said = clone.yatsu(&args).expect(1);
    assert!(said.out.contains(GONE), "{}", said.out);
}

#[test]
fn a_line_that_goes_with_the_commit_that_shows_its_ledger_is_named_once() {
    let (scratch, _) = measured();
    let both = || {
        cut(&scratch, LEDGER);
        exclude(&scratch, "");
    };
    refused_at_last(&scratch, &[&|| exclude(&scratch, "\".spec/n\""), &both], GONE);
}

#[test]
fn what_was_never_in_view_is_adopted_beside_what_was() {
    let (scratch, full) = measured();
    let roots = |list: &str| scratch.write("spexcode.json", format!("{{\"yatsu\": {{\"roots\": [{list}]}}}}\n"));
    let filed = |dir: &str| {
        scratch.write(&format!("{dir}/eval.md"), scenarios(&[("holds", "src/b.rs")]));
        let lines = [reading_line(&full, "holds", "pass", 1), reading_line(&full, "holds", "fail", 2)];
        scratch.write(&format!("{dir}/evals.ndjson"), lines.concat());
    };
    step(&scratch, &|| filed(".spec/g"));
    step(&scratch, &|| filed("docs/g"));
    step(&scratch, &|| roots("\"specs\""));
    step(&scratch, &|| cut(&scratch, "docs/g/evals.ndjson"));
    roots("\".spec\", \"docs\"");
    scratch.commit("both are shown");
    gate_on_server(&scratch);
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

/// Moves the scenario file of the node into view, with its ledger or without.
fn into_view(scratch: &Scratch, files: &[&str]) {
    std::fs::create_dir_all(scratch.root.join(".spec/m")).expect("a directory");
    for file in files {
        scratch.git(&["mv", &format!(".spec/n/{file}"), &format!(".spec/m/{file}")]);
    }
}

#[test]
fn a_scenario_that_leaves_an_excluded_directory_takes_its_lines_along() {
    let (scratch, _) = measured();
    let whole = scratch.read(LEDGER);
    let moved = || {
        into_view(&scratch, &["yatsu.md"]);
        scratch.git(&["rm", "-q", LEDGER]);
        scratch.write(".spec/m/yatsu.evals.ndjson", whole.lines().next().expect("a line").to_owned() + "\n");
    };
    let cut = || cut(&scratch, LEDGER);
    let steps: [&dyn Fn(); 3] = [&|| exclude(&scratch, "\".spec/n\""), &cut, &moved];
    refused_at_last(&scratch, &steps, "is not in .spec/m, where its scenario is now");
    let said = scratch.yatsu(&["check", "--from", "HEAD~1", "--to", "HEAD"]).expect(1);
    let advice = said.out.split("yatsu-hook repair --restore ").nth(1).expect("advice");
    let from = advice.split(',').next().expect("a revision");
    scratch.yatsu(&["repair", "--restore", from]).expect(0);
    assert_eq!(scratch.read(".spec/m/yatsu.evals.ndjson"), whole, "the advice restores it");
    scratch.commit("with its lines");
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

#[test]
fn what_stays_out_of_sight_or_never_was_in_it_takes_nothing_along() {
    let (scratch, full) = measured();
    step(&scratch, &|| exclude(&scratch, "\".spec/n\", \"vendor\""));
    step(&scratch, &|| {
        scratch.write("vendor/x/yatsu.md", scenarios(&[("holds", "src/b.rs")]));
        scratch.write("vendor/x/yatsu.evals.ndjson", reading_line(&full, "holds", "fail", 1));
    });
    gate_on_server(&scratch);
    scratch.write(".spec/k/yatsu.md", scratch.read(".spec/n/yatsu.md"));
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    scratch.commit("a copy in view");
    passes(&scratch, &["push", "-q", "origin", "main"]);
    scratch.git(&["mv", "vendor/x/yatsu.md", ".spec/k/eval.md"]);
    scratch.git(&["rm", "-qf", ".spec/k/yatsu.md"]);
    scratch.commit("adopted without what nobody filed here");
    passes(&scratch, &["push", "-q", "origin", "main"]);
}

/// What the work tree holds as a commit on top of `parents`, where main then ends.
fn joined(scratch: &Scratch, parents: &[&str]) -> String {
    scratch.git(&["add", "-A"]);
    let tree = scratch.git(&["write-tree"]);
    let parents = parents.iter().flat_map(|parent| ["-p", parent]);
    let args: Vec<&str> = ["commit-tree", &tree, "-m", "a step"].into_iter().chain(parents).collect();
    let commit = scratch.git(&args);
    scratch.git(&["update-ref", "refs/heads/main", &commit]);
    commit
}

#[test]
fn a_merge_that_hides_a_ledger_of_each_parent_is_asked_about_both() {
    let (scratch, full) = measured();
    scratch.write(".spec/m/yatsu.md", scenarios(&[("holds", "src/b.rs")]));
    scratch.write(".spec/m/yatsu.evals.ndjson", reading_line(&full, "holds", "pass", 1));
    let start = scratch.commit("another node");
    let (n, m, both) = ("\".spec/n\"", "\".spec/m\"", "\".spec/n\", \".spec/m\"");
    exclude(&scratch, n);
    let shows_m = joined(&scratch, &[&start]);
    exclude(&scratch, m);
    let two = scratch.read(LEDGER);
    scratch.write(LEDGER, two.clone() + &reading_line(&full, "works", "pass", 3));
    let shows_n = joined(&scratch, &[&start]);
    exclude(&scratch, both);
    let merge = joined(&scratch, &[&shows_n, &shows_m]);
    exclude(&scratch, n);
    let m_again = joined(&scratch, &[&merge]);
    exclude(&scratch, m);
    scratch.write(LEDGER, two);
    let n_cut = joined(&scratch, &[&merge]);
    exclude(&scratch, both);
    let from = joined(&scratch, &[&m_again, &n_cut]);
    scratch.git(&["push", "-q", "--no-verify", "origin", "main"]);
    exclude(&scratch, "");
    scratch.commit("back");
    refused_at_every_door(&scratch, &from, GONE);
}
