//! `pre-commit` with every way to make a commit in git. Each case was a real failure of some tool.

use crate::support::{BAD, Said, Scratch, copy_executable, hermetic, one_node, scenarios};

/// A repository with one good scenario, committed, and the gate installed.
fn gated() -> Scratch {
    let scratch = one_node();
    scratch.hook("pre-commit", "pre-commit");
    scratch.hook("pre-merge-commit", "pre-merge-commit");
    scratch
}

#[track_caller]
fn blocked(scratch: &Scratch, args: &[&str]) -> Said {
    let before = scratch.try_git(&["rev-parse", "-q", "--verify", "HEAD"]).out;
    let said = scratch.try_git(args).expect(1);
    assert!(said.err.contains("error["), "{}", said.err);
    assert_eq!(before, scratch.try_git(&["rev-parse", "-q", "--verify", "HEAD"]).out, "HEAD moved");
    said
}

#[track_caller]
fn passes(scratch: &Scratch, args: &[&str]) -> Said {
    let before = scratch.try_git(&["rev-parse", "-q", "--verify", "HEAD"]).out;
    let said = scratch.try_git(args).expect(0);
    assert_ne!(before, scratch.try_git(&["rev-parse", "-q", "--verify", "HEAD"]).out, "HEAD did not move");
    said
}

#[test]
fn success_prints_nothing() {
    let scratch = gated();
    scratch.write("src/c.rs", "fn c() {}\n");
    scratch.git(&["add", "."]);
    let said = scratch.yatsu(&["pre-commit"]).expect(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
    let commit = passes(&scratch, &["commit", "-q", "-m", "x"]);
    assert_eq!((commit.out.as_str(), commit.err.as_str()), ("", ""));
}

#[test]
fn commit_all_with_a_malformed_file_is_blocked() {
    let scratch = gated();
    scratch.write(".spec/n/yatsu.md", BAD);
    let said = blocked(&scratch, &["commit", "-qam", "x"]);
    assert!(said.err.contains(".spec/n/yatsu.md:3:5: error[yatsu-schema]"), "{}", said.err);
    assert!(said.err.contains("expected"), "{}", said.err);
}

#[test]
fn a_partial_commit_is_judged_by_what_it_commits() {
    let scratch = gated();
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.write("src/b.rs", "fn b() { 1; }\n");
    scratch.git(&["add", "."]);
    passes(&scratch, &["commit", "-q", "-m", "only b", "--", "src/b.rs"]);
    scratch.write("src/b.rs", "fn b() { 2; }\n");
    blocked(&scratch, &["commit", "-q", "-m", "only the file", "--", ".spec/n/yatsu.md"]);
}

#[test]
fn the_index_is_judged_not_the_tree() {
    let scratch = gated();
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.git(&["add", "."]);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    blocked(&scratch, &["commit", "-q", "-m", "staged bad, tree good"]);
    scratch.git(&["add", "."]);
    scratch.write("src/a.rs", "fn a() { 1; }\n");
    scratch.git(&["add", "."]);
    scratch.write(".spec/n/yatsu.md", BAD);
    passes(&scratch, &["commit", "-q", "-m", "staged good, tree bad"]);
}

#[test]
fn deleting_a_governed_file_is_a_ghost() {
    let scratch = gated();
    scratch.git(&["rm", "-q", "src/a.rs"]);
    let said = blocked(&scratch, &["commit", "-q", "-m", "x"]);
    assert!(said.err.contains("src/a.rs") && said.err.contains("does not exist"), "{}", said.err);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/b.rs")]));
    scratch.git(&["add", "."]);
    passes(&scratch, &["commit", "-q", "-m", "with the edit"]);
}

#[test]
fn renaming_a_node_directory_passes() {
    let scratch = gated();
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    passes(&scratch, &["commit", "-q", "-m", "x"]);
}

#[test]
fn the_first_commit_is_judged_against_the_empty_tree() {
    let scratch = Scratch::new();
    scratch.hook("pre-commit", "pre-commit");
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.git(&["add", "."]);
    blocked(&scratch, &["commit", "-q", "-m", "x"]);
    scratch.write("a.rs", "");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "a.rs")]));
    scratch.git(&["add", "."]);
    passes(&scratch, &["commit", "-q", "-m", "x"]);
}

#[test]
fn amend_is_judged() {
    let scratch = gated();
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.git(&["add", "."]);
    blocked(&scratch, &["commit", "-q", "--amend", "-m", "x"]);
    scratch.git(&["checkout", "-q", "HEAD", "--", "."]);
    passes(&scratch, &["commit", "-q", "--amend", "-m", "reworded"]);
}

#[test]
fn a_clean_merge_is_judged_and_a_good_one_passes() {
    let scratch = gated();
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write(".spec/m/yatsu.md", BAD);
    scratch.commit("bad, past the gate");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("src/b.rs", "fn b() { 1; }\n");
    scratch.commit("trunk");
    let said = scratch.try_git(&["merge", "-q", "--no-ff", "-m", "m", "side"]).expect(0);
    assert_eq!(said.err, "", "what a parent already had is inherited");
    scratch.git(&["checkout", "-q", "-b", "deletes", "HEAD~1"]);
    scratch.git(&["rm", "-q", "src/a.rs"]);
    scratch.git(&["commit", "-q", "--no-verify", "-m", "delete"]);
    scratch.git(&["checkout", "-q", "main"]);
    scratch.try_git(&["merge", "-q", "--no-ff", "-m", "m", "deletes"]).expect(0);
}

#[test]
fn a_conflicted_merge_is_judged_when_it_is_committed() {
    let scratch = gated();
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("side", "src/b.rs")]));
    scratch.commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("trunk", "src/b.rs")]));
    scratch.commit("trunk");
    scratch.try_git(&["merge", "-q", "side"]).expect(1);
    let unmerged = scratch.yatsu(&["pre-commit"]).expect(3);
    assert!(unmerged.err.contains("not merged"), "{}", unmerged.err);
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.git(&["add", "."]);
    blocked(&scratch, &["commit", "-q", "-m", "m"]);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("side", "src/b.rs"), ("trunk", "src/b.rs")]));
    scratch.git(&["add", "."]);
    passes(&scratch, &["commit", "-q", "-m", "m"]);
}

#[test]
fn reword_in_a_rebase_passes() {
    let scratch = gated();
    scratch.write("src/b.rs", "fn b() { 1; }\n");
    scratch.commit("second");
    let mut command = scratch.git_command(&["rebase", "-q", "-i", "HEAD~1"]);
    command.env("GIT_SEQUENCE_EDITOR", "sed -i s/^pick/reword/").env("GIT_EDITOR", "sh -c 'echo reworded >\"$1\"' -");
    Said::of(command.output().expect("git")).expect(0);
    assert_eq!(scratch.git(&["log", "-1", "--format=%s"]), "reworded");
}

#[test]
fn a_partial_commit_in_a_linked_worktree_is_judged() {
    let scratch = gated();
    scratch.git(&["worktree", "add", "-q", "../linked"]);
    let linked = scratch.base.join("linked");
    let git = |args: &[&str]| {
        let output = hermetic("git", &scratch.home()).current_dir(&linked).args(args).output();
        Said::of(output.expect("git"))
    };
    std::fs::write(linked.join(".spec/n/yatsu.md"), BAD).expect("a file");
    std::fs::write(linked.join("src/b.rs"), "fn b() { 1; }\n").expect("a file");
    git(&["commit", "-q", "-m", "x", "--", ".spec/n/yatsu.md"]).expect(1);
    git(&["commit", "-q", "-m", "x", "--", "src/b.rs"]).expect(0);
}

#[test]
fn a_commit_in_a_submodule_is_judged_there() {
    let scratch = gated();
    let inner = Scratch::new();
    inner.write("x.rs", "");
    inner.commit("inner");
    let url = inner.root.to_string_lossy().into_owned();
    scratch.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "sub"]);
    scratch.git(&["commit", "-q", "-m", "add the submodule"]);
    let sub = scratch.root.join("sub");
    let git = |args: &[&str]| {
        let output = hermetic("git", &scratch.home()).current_dir(&sub).args(args).output();
        Said::of(output.expect("git"))
    };
    let hooks = git(&["rev-parse", "--git-path", "hooks"]).out;
    let hook = sub.join(hooks.trim()).join("pre-commit");
    std::fs::create_dir_all(hook.parent().expect("a parent")).expect("hooks");
    copy_executable(&scratch.root.join(".git/hooks/pre-commit"), &hook);
    std::fs::create_dir_all(sub.join(".spec/n")).expect("a node");
    std::fs::write(sub.join(".spec/n/yatsu.md"), BAD).expect("a file");
    git(&["add", "."]).expect(0);
    assert!(git(&["commit", "-q", "-m", "x"]).expect(1).err.contains("yatsu-schema"));
    git(&["rm", "-q", "-f", ".spec/n/yatsu.md"]).expect(0);
    std::fs::write(sub.join("x.rs"), "fn x() {}\n").expect("a file");
    git(&["commit", "-q", "-a", "-m", "x"]).expect(0);
}

#[test]
fn an_inherited_violation_in_an_untouched_entry_does_not_block() {
    let scratch = gated();
    let bad = "---\nscenarios:\n  - name: old\n    description: d\n    tags: [cli]\n";
    scratch.write(".spec/m/yatsu.md", format!("{bad}---\n"));
    scratch.commit("bad, past the gate");
    let good = "  - name: new\n    description: d\n    expected: e\n    tags: [cli]\n    code: src/b.rs\n";
    scratch.write(".spec/m/yatsu.md", format!("{bad}{good}---\n"));
    scratch.git(&["add", "."]);
    passes(&scratch, &["commit", "-q", "-m", "adds a good entry"]);
    scratch.write(".spec/m/yatsu.md", format!("{}{good}---\n", bad.replace("description: d", "description: other")));
    scratch.git(&["add", "."]);
    blocked(&scratch, &["commit", "-q", "-m", "touches the bad entry"]);
}

#[test]
fn a_repository_with_nothing_of_ours_is_none_of_our_business() {
    let scratch = Scratch::new();
    scratch.hook("pre-commit", "pre-commit");
    scratch.write("spexcode.json", "{ not json");
    scratch.write("docs/eval.md", "somebody else's");
    scratch.git(&["add", "."]);
    assert_eq!(passes(&scratch, &["commit", "-q", "-m", "x"]).err, "");
}

#[test]
fn a_malformed_configuration_stops_the_check() {
    let scratch = gated();
    scratch.write("spexcode.json", "{\n  \"yatsu\": { \"rules\": 3 }\n}\n");
    scratch.git(&["add", "."]);
    let said = scratch.yatsu(&["pre-commit"]).expect(2);
    assert!(said.err.contains("spexcode.json:2:"), "{}", said.err);
}

#[test]
fn three_thousand_staged_files_pass() {
    let scratch = gated();
    for number in 0..3000 {
        scratch.write(&format!("many/{number}.txt"), format!("{number} {number} {number} {number} {number} {number}"));
    }
    scratch.git(&["add", "."]);
    assert_eq!(passes(&scratch, &["commit", "-q", "-m", "x"]).err, "");
}

#[test]
fn no_escapes_reach_a_pipe() {
    let scratch = gated();
    scratch.write(".spec/n/yatsu.md", BAD.replace("broken", "\"bro\\x1b[31mken\""));
    scratch.git(&["add", "."]);
    let said = scratch.yatsu(&["pre-commit"]).expect(1);
    assert!(!said.err.contains('\u{1b}') && !said.out.contains('\u{1b}'), "{}", said.err);
}

#[test]
fn a_framework_that_runs_us_by_hand_is_told_what_blocks() {
    let scratch = gated();
    scratch.write(".spec/n/yatsu.md", BAD);
    scratch.commit("bad, past the gate");
    let said = scratch.yatsu(&["run"]).expect(1);
    assert!(said.err.contains("error[yatsu-schema]"), "{}", said.err);
}
