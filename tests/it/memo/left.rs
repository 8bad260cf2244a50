//! What a hook leaves for the next one, and how the next one uses it.

use super::{Scratch, hook_options, memo};
use crate::support::{Said, copy_executable, hermetic, one_node, program, reading, real, scenarios};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use yatsu_hook::app::doors::{Commit, fast_commit};
use yatsu_hook::app::judge::snapshot;
use yatsu_hook::app::judge::snapshot::MadeBy;
use yatsu_hook::app::memo as memos;
use yatsu_hook::repo::Repo;
use yatsu_hook::report::Report;

/// The gate's answer from the memo alone, if the memo is enough.
fn by_memo(repo: &Repo) -> Option<Report> {
    let compared = snapshot::compare(repo).expect("an answer");
    fast_commit::report(
        repo,
        &compared,
        hook_options(),
        Commit { made_by: MadeBy::Person, briefly: true, busy: &|| () },
    )
}

fn stage(scratch: &Scratch, path: &str, text: &str) {
    scratch.write(path, text);
    scratch.git(&["add", "-A"]);
}

/// The hook's answer, which must be the same with the present memo and without.
#[track_caller]
fn same_without(scratch: &Scratch) -> String {
    let with = scratch.yatsu(&["pre-commit"]);
    fs::remove_file(memo(scratch)).expect("a memo");
    let without = scratch.yatsu(&["pre-commit"]);
    assert_eq!((with.code, &with.out, &with.err), (without.code, &without.out, &without.err));
    with.err
}

/// A repository with one measured node and the memo of a hook.
fn measured() -> Scratch {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.commit("measured");
    stage(&scratch, "docs/first.md", "words\n");
    scratch.yatsu(&["pre-commit"]).expect(0);
    scratch
}

#[test]
fn a_hook_leaves_the_memo_by_which_the_next_one_judges_also_when_the_commit_is_given_up() {
    let scratch = one_node();
    scratch.hook("pre-commit", "pre-commit");
    stage(&scratch, "docs/x.md", "words\n");
    assert!(by_memo(&real::repo(&scratch)).is_none());
    let said = scratch.try_git(&["-c", "core.editor=false", "commit"]);
    assert!(said.code != 0, "the commit is given up");
    assert_eq!(mode(&memo(&scratch)), plain_mode(&scratch));
    assert!(by_memo(&real::repo(&scratch)).is_some_and(|report| report.is_silent()));
}

#[test]
fn where_nothing_is_ours_the_hook_leaves_that() {
    let scratch = Scratch::new();
    scratch.write("a.txt", "a\n");
    scratch.commit("first");
    stage(&scratch, "b.txt", "b\n");
    scratch.yatsu(&["pre-commit"]).expect(0);
    assert!(by_memo(&real::repo(&scratch)).is_some_and(|report| report.is_silent()));
    // before the first commit there is no tree
    let empty = Scratch::new();
    stage(&empty, "b.txt", "b\n");
    empty.yatsu(&["pre-commit"]).expect(0);
    assert!(!memo(&empty).exists());
}

#[test]
fn a_warning_is_told_from_the_memo_in_the_words_of_the_whole_check() {
    let scratch = Scratch::new();
    for dir in [".spec/a/cli", ".spec/a_cli"] {
        scratch.write(&format!("{dir}/yatsu.md"), scenarios(&[("runs", "src/b.rs")]));
    }
    scratch.write(".spec/b/cli/yatsu.md", scenarios(&[("works", "src/a.rs"), ("runs", "src/b.rs")]));
    scratch.write(".spec/b/cli/Yatsu.md", "almost a name of ours\n");
    scratch.write("src/a.rs", "a\n");
    scratch.write("src/b.rs", "b\n");
    scratch.commit("first");
    reading(&scratch, ".spec/b/cli", "works", "pass", 1);
    scratch.commit("measured");
    stage(&scratch, "docs/x.md", "words\n");
    scratch.yatsu(&["pre-commit"]).expect(0);
    stage(&scratch, "src/a.rs", "changed\n");
    let report = by_memo(&real::repo(&scratch)).expect("an answer");
    assert_eq!(report.findings.len(), 1);
    let said = same_without(&scratch);
    assert!(said.contains("warning[yatsu-drift] b_cli/works:"), "{said}");
    assert!(said.contains("2 older findings in the same nodes, not from this change"), "{said}");
}

#[test]
fn a_first_run_asks_what_appeared_when_a_path_is_added_and_not_before() {
    let scratch = Scratch::new();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.write(".spec/m/yatsu.md", scenarios(&[("holds", "src/b.rs")]));
    scratch.write("src/a.rs", "one\ntwo\nthree\n");
    scratch.write("src/b.rs", "b\n");
    scratch.commit("first");
    reading(&scratch, ".spec/n", "works", "pass", 1);
    scratch.git(&["mv", "src/a.rs", "src/c.rs"]);
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/c.rs")]));
    scratch.commit("moved since it was measured");
    // removes the memo, so that the next hook is the first
    let _ = fs::remove_file(memo(&scratch));
    stage(&scratch, "src/b.rs", "changed\n");
    scratch.yatsu(&["pre-commit"]).expect(0);
    assert!(by_memo(&real::repo(&scratch)).is_some(), "what is merely changed is told by what the first run left");
    scratch.git(&["reset", "-q", "--hard"]);
    // the source exists again, so the file was copied, not moved
    stage(&scratch, "src/a.rs", "one\ntwo\nthree\n");
    assert!(by_memo(&real::repo(&scratch)).is_none(), "nobody asked yet");
    let said = scratch.yatsu(&["pre-commit"]);
    assert!(said.err.contains("yatsu-drift") && said.err.contains("works"), "{}", said.err);
    assert!(by_memo(&real::repo(&scratch)).is_some_and(|report| report.findings.len() == 1), "the second run knows");
    assert_eq!(same_without(&scratch), said.err);
}

#[test]
fn a_scan_finds_out_what_a_first_run_did_not_ask() {
    let scratch = measured();
    scratch.commit("first words");
    let _ = fs::remove_file(memo(&scratch));
    stage(&scratch, "docs/first.md", "other words\n");
    scratch.yatsu(&["pre-commit"]).expect(0);
    scratch.git(&["reset", "-q", "--hard"]);
    stage(&scratch, "docs/second.md", "words\n");
    assert!(by_memo(&real::repo(&scratch)).is_none(), "nobody asked yet what appeared");
    scratch.git(&["reset", "-q", "--hard"]);
    scratch.yatsu(&["scan"]).expect(0);
    stage(&scratch, "docs/second.md", "words\n");
    assert!(by_memo(&real::repo(&scratch)).is_some());
}

#[test]
fn older_findings_are_counted_of_the_nodes_that_a_commit_concerns() {
    let scratch = measured();
    for node in 0..3 {
        scratch.write(&format!(".spec/other{node}/yatsu.md"), scenarios(&[("never", "src/b.rs")]));
    }
    scratch.commit("nodes that nobody measured");
    stage(&scratch, "src/a.rs", "changed\n");
    let said = same_without(&scratch);
    assert!(said.contains("yatsu-drift") && !said.contains("older"), "{said}");
    stage(&scratch, "src/b.rs", "changed\n");
    let said = same_without(&scratch);
    assert!(said.contains("3 older findings in the same nodes"), "{said}");
}

#[test]
fn what_only_everything_can_tell_is_not_told_from_some_nodes() {
    let scratch = measured();
    scratch.write(".spec/m/spec.md", "---\ntitle: m\ncode: docs\n---\n");
    scratch.write(".spec/new/eval.md", scenarios(&[("shines", "docs/first.md"), ("fails", "docs/first.md")]));
    scratch.write(".spec/fails/yatsu.md", scenarios(&[("fails", "docs/first.md"), ("stays", "docs/first.md")]));
    scratch.commit("more nodes");
    reading(&scratch, ".spec/fails", "fails", "fail", 2);
    scratch.commit("failed");
    let of_head = || {
        let _ = fs::remove_file(memo(&scratch));
        stage(&scratch, "docs/second.md", "words\n");
        scratch.yatsu(&["pre-commit"]).expect(0);
    };
    of_head();
    // the message names the scenario file by the repository's generation
    stage(&scratch, ".spec/m/spec.md", "---\ntitle: m\ncode: src\n---\n");
    assert!(same_without(&scratch).contains(".spec/m/eval.md"));
    scratch.git(&["reset", "-q", "--hard"]);
    of_head();
    // another node already declared the same before, so it is no new place
    stage(&scratch, ".spec/fails/yatsu.md", &scenarios(&[("stays", "docs/first.md")]));
    assert!(same_without(&scratch).contains("removes or renames it"));
    // the answer is the same if the declarations can no longer be read
    scratch.git(&["reset", "-q", "--hard"]);
    of_head();
    stage(&scratch, ".spec/fails/yatsu.md", "---\nscenarios:\n  - name: [\n---\n");
    same_without(&scratch);
}

#[test]
fn a_root_that_git_ignores_is_looked_for_also_where_the_only_name_of_ours_is_elsewhere() {
    let scratch = Scratch::new();
    scratch.write("a.txt", "a\n");
    scratch.write(".gitignore", ".spec\n");
    scratch.commit("first");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "a.txt")]));
    stage(&scratch, "b.txt", "b\n");
    scratch.yatsu(&["pre-commit"]);
    stage(&scratch, "docs/spec.md", "none of ours\n");
    scratch.commit("a name of ours outside of the roots");
    stage(&scratch, "docs/spec.md", "none of ours either\n");
    let said = same_without(&scratch);
    assert!(said.contains("spec-ignored"), "{said}");
}

#[test]
fn a_hook_that_cannot_leave_its_memo_says_nothing_and_is_right() {
    let elsewhere = tempfile::tempdir().expect("a directory");
    let obstacles: [&dyn Fn(&Path); 3] = [
        &|place| fs::write(place, "a file").expect("a file"),
        &|place| std::os::unix::fs::symlink(elsewhere.path(), place).expect("a link"),
        &|place| std::os::unix::fs::symlink("/proc/nowhere", place).expect("a link"),
    ];
    for obstruct in obstacles {
        let scratch = one_node();
        obstruct(&scratch.root.join(".git/yatsu"));
        stage(&scratch, "docs/x.md", "words\n");
        let said = scratch.yatsu(&["pre-commit"]).expect(0);
        assert_eq!((said.out, said.err), (String::new(), String::new()));
        stage(&scratch, ".spec/n/yatsu.md", crate::support::BAD);
        assert!(scratch.yatsu(&["pre-commit"]).expect(1).err.contains("yatsu-schema"));
    }
    assert_eq!(fs::read_dir(elsewhere.path()).expect("a directory").count(), 0);
}

#[test]
fn without_room_for_a_file_the_hook_leaves_none_and_says_nothing() {
    let scratch = one_node();
    stage(&scratch, "docs/x.md", "words\n");
    let mut shell = hermetic("sh", &scratch.home());
    shell.current_dir(&scratch.root).args(["-c", "ulimit -f 0; exec \"$0\" pre-commit"]).arg(program());
    let said = Said::of(shell.output().expect("it runs")).expect(0);
    assert_eq!((said.out, said.err), (String::new(), String::new()));
    assert_eq!(fs::read_dir(scratch.root.join(".git/yatsu")).expect("a directory").count(), 0);
}

mod needs_root {
    use super::*;

    /// A user with read access only gets the same answer.
    #[test]
    #[ignore = "needs root"]
    fn where_the_repository_is_somebody_else_s_the_hook_leaves_no_memo_and_is_right() {
        let scratch = one_node();
        let trusted = scratch.base.join("trusted");
        fs::write(&trusted, "[safe]\n\tdirectory = *\n").expect("a file");
        // other users may not start the program in every place
        let here = scratch.base.join("yatsu-hook");
        copy_executable(&program(), &here);
        let said = || {
            let mut open = hermetic("chmod", &scratch.home());
            assert!(open.args(["-R", "a+rX"]).arg(&scratch.base).status().expect("chmod").success());
            let mut command = hermetic(&here, &scratch.home());
            command.current_dir(&scratch.root).env("GIT_CONFIG_GLOBAL", &trusted).arg("pre-commit");
            Said::of(command.uid(65534).gid(65534).output().expect("a superuser changes the user"))
        };
        stage(&scratch, "docs/x.md", "words\n");
        let silent = said();
        assert_eq!((silent.code, silent.out, silent.err), (0, String::new(), String::new()));
        assert!(!memo(&scratch).exists());
        stage(&scratch, ".spec/n/yatsu.md", crate::support::BAD);
        let loud = said().expect(1);
        assert!(loud.err.contains("yatsu-schema") && !memo(&scratch).exists(), "{}", loud.err);
        // and from the memo of its owner
        scratch.yatsu(&["pre-commit"]).expect(1);
        let from_memo = said();
        assert_eq!((from_memo.code, from_memo.err), (1, loud.err));
    }
}

#[test]
fn a_read_only_place_changes_nothing() {
    let scratch = one_node();
    let place = scratch.root.join(".git/yatsu");
    fs::create_dir(&place).expect("a directory");
    fs::set_permissions(&place, fs::Permissions::from_mode(0o555)).expect("a mode");
    stage(&scratch, "docs/x.md", "words\n");
    let said = scratch.yatsu_held_off(&["pre-commit"]).expect(0);
    assert_eq!((said.out, said.err), (String::new(), String::new()));
    assert!(!memo(&scratch).exists());
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("a mode");
    // what is in the memo's place and is no file cannot be replaced
    fs::create_dir_all(memo(&scratch).join("full")).expect("a directory");
    let said = scratch.yatsu(&["pre-commit"]).expect(0);
    assert_eq!((said.out, said.err), (String::new(), String::new()));
    let names: Vec<_> = fs::read_dir(&place).expect("it").map(|entry| entry.expect("one").file_name()).collect();
    assert_eq!(names.len(), 1, "no half of a file stays: {names:?}");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

/// The mode of a file that is made here without more care: the umask decides.
fn plain_mode(scratch: &Scratch) -> u32 {
    let plain = scratch.base.join("plain");
    fs::write(&plain, "").expect("a file");
    mode(&plain)
}

#[test]
fn where_several_people_share_a_repository_the_memo_is_everybody_s_to_replace() {
    let scratch = measured();
    for (setting, expected) in [("0660", 0o660), ("0640", 0o640), ("group", 0o660 | plain_mode(&scratch))] {
        scratch.git(&["config", "core.sharedRepository", setting]);
        let _ = fs::remove_file(memo(&scratch));
        scratch.yatsu(&["scan"]).expect(0);
        assert_eq!(mode(&memo(&scratch)), expected, "{setting}");
    }
}

#[test]
fn every_work_tree_leaves_its_own_memo_and_may_read_the_common_one() {
    let scratch = measured();
    let other = scratch.base.join("other");
    scratch.git(&["reset", "-q", "--hard"]);
    scratch.git(&["worktree", "add", "-q", "--detach", other.to_str().expect("UTF-8")]);
    let common = fs::read(memo(&scratch)).expect("a memo");
    let own = memos::paths_file(&scratch.root.join(".git/worktrees/other"));
    let judge = || {
        fs::write(other.join("b.txt"), "b\n").expect("a file");
        let at = other.to_str().expect("UTF-8");
        scratch.git(&["-C", at, "add", "-A"]);
        let said = scratch.yatsu_command(&["pre-commit"]).current_dir(&other).status().expect("it runs");
        assert!(said.success());
    };
    judge();
    assert!(!own.exists(), "the common one was enough");
    fs::remove_file(memo(&scratch)).expect("a memo");
    judge();
    assert!(own.is_file() && !memo(&scratch).exists());
    fs::write(memo(&scratch), common).expect("a memo");
    assert!(scratch.git(&["worktree", "remove", "--force", other.to_str().expect("UTF-8")]).is_empty());
    assert!(!own.exists());
}

#[test]
fn in_quarantine_and_where_git_itself_answers_no_hook_leaves_a_memo() {
    let scratch = one_node();
    stage(&scratch, "docs/x.md", "words\n");
    let mut command = scratch.yatsu_command(&["pre-commit"]);
    assert!(command.env("GIT_QUARANTINE_PATH", "objects/incoming").status().expect("it runs").success());
    assert!(!memo(&scratch).exists());
    leaves_none("--object-format=sha256");
}

/// In a repository of this form git itself answers.
#[track_caller]
fn leaves_none(form: &str) {
    let scratch = Scratch::with_init(&[form]);
    scratch.write("a.txt", "a\n");
    scratch.commit("first");
    stage(&scratch, "b.txt", "b\n");
    scratch.yatsu(&["pre-commit"]).expect(0);
    scratch.yatsu(&["scan"]).expect(0);
    assert!(!scratch.root.join(".git/yatsu").exists());
}

mod needs_reftable {
    use super::*;

    #[test]
    #[ignore = "needs a git with reftable"]
    fn where_git_reads_the_refs_no_hook_leaves_a_memo() {
        leaves_none("--ref-format=reftable");
    }
}

/// Commits this number of files, one per directory or all in one, and returns whether the next hook renewed the memo.
fn renews(files: usize, dirs: usize) -> bool {
    let scratch = measured();
    let before = fs::read(memo(&scratch)).expect("a memo");
    for file in 0..files {
        scratch.write(&format!("work/{}/{file}", file % dirs), "content\n");
    }
    scratch.commit("work");
    stage(&scratch, "docs/next.md", "words\n");
    assert!(by_memo(&real::repo(&scratch)).is_some());
    let renewed = fs::read(memo(&scratch)).expect("a memo") != before;
    stage(&scratch, "src/a.rs", "changed\n");
    assert!(same_without(&scratch).contains("yatsu-drift"), "what was copied still tells");
    renewed
}

#[test]
fn a_memo_that_much_has_changed_since_is_renewed() {
    assert!(!renews(31, 1));
    assert!(renews(33, 1));
    assert!(!renews(6, 6));
    assert!(renews(10, 10));
}

#[test]
fn what_a_renewed_memo_says_is_what_a_new_one_says() {
    let scratch = measured();
    for file in 0..40 {
        scratch.write(&format!("work/{file}"), "content\n");
    }
    scratch.write(".spec/late/yatsu.md", scenarios(&[("late", "work")]));
    scratch.git(&["rm", "-q", "-r", "--cached", "docs"]);
    scratch.commit("work");
    stage(&scratch, "next.md", "words\n");
    assert!(by_memo(&real::repo(&scratch)).is_some());
    let renewed = fs::read(memo(&scratch)).expect("a memo");
    fs::remove_file(memo(&scratch)).expect("a memo");
    scratch.yatsu(&["pre-commit"]).expect(0);
    assert_eq!(renewed, fs::read(memo(&scratch)).expect("a memo"));
}

#[test]
fn one_hook_after_a_change_of_the_configuration_judges_everything() {
    let scratch = measured();
    scratch.write("spexcode.json", "{\"yatsu\":{\"roots\":[\".spec\"]}}");
    scratch.commit("configured");
    stage(&scratch, "docs/x.md", "words\n");
    assert!(by_memo(&real::repo(&scratch)).is_none());
    scratch.yatsu(&["pre-commit"]).expect(0);
    assert!(by_memo(&real::repo(&scratch)).is_some());
}

#[test]
fn a_memo_of_a_tree_that_was_pruned_is_none_and_the_hook_leaves_another() {
    let scratch = measured();
    scratch.git(&["reset", "-q", "--hard"]);
    scratch.write("b.txt", "b\n");
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "--no-verify", "--amend", "-m", "other"]);
    scratch.git(&["reflog", "expire", "--expire=now", "--all"]);
    scratch.git(&["gc", "-q", "--prune=now"]);
    stage(&scratch, "src/a.rs", "changed\n");
    assert!(by_memo(&real::repo(&scratch)).is_none());
    assert!(scratch.yatsu(&["pre-commit"]).expect(0).err.contains("yatsu-drift"));
    assert!(by_memo(&real::repo(&scratch)).is_some());
}

/// Broken run logs: one in the configured place, one with the name that counts in every repository.
const BROKEN_LOGS: [(&str, &str); 2] = [
    ("{\"yatsu\":{\"runlogs\":[{\"path\":\"logs/*.jsonl\",\"profile\":\"measure\"}]}}\n", "logs/broken.jsonl"),
    ("{}\n", ".yatsu/runs/broken.jsonl"),
];

#[test]
fn a_run_log_is_judged_by_a_memo_wherever_it_lies() {
    for (config, log) in BROKEN_LOGS {
        for ours in [false, true] {
            let scratch = if ours { measured() } else { Scratch::new() };
            scratch.write("spexcode.json", config);
            scratch.commit("configured");
            stage(&scratch, "docs/more.md", "more words\n");
            scratch.yatsu(&["pre-commit"]).expect(0);
            assert!(by_memo(&real::repo(&scratch)).is_some_and(|report| report.is_silent()), "{log}");
            stage(&scratch, log, "no event\n");
            let said = scratch.yatsu(&["pre-commit"]).expect(1);
            assert!(said.err.contains(log), "{log}: {}", said.err);
            assert_eq!(same_without(&scratch), said.err);
        }
    }
}

#[test]
fn a_commit_that_touches_nothing_of_ours_is_told_without_the_configuration() {
    let scratch = measured();
    scratch.write("spexcode.json", "{\"yatsu\":{\"allowInTree\":[\"img/**\"]}}\n");
    scratch.commit("configured");
    stage(&scratch, "docs/more.md", "more words\n");
    scratch.yatsu(&["pre-commit"]).expect(0);
    let id = scratch.git(&["rev-parse", "HEAD:spexcode.json"]);
    let lose = || fs::remove_file(scratch.root.join(format!(".git/objects/{}/{}", &id[..2], &id[2..])));
    lose().expect("a loose object");
    let report = by_memo(&real::repo(&scratch)).expect("an answer without it");
    assert!(report.is_silent() && report.scope.files == 1 && report.scope.base.is_some(), "{report:?}");
    // a scenario file is judged, also with the memo
    stage(&scratch, ".spec/n/yatsu.md", "no scenarios\n");
    // git may have read the file again and written the index
    let _ = lose();
    scratch.yatsu(&["pre-commit"]).expect(3);
}

#[test]
fn evidence_that_is_staged_is_told_by_a_memo_and_allowed_where_the_configuration_says() {
    let scratch = one_node();
    scratch.write("shot.txt", "what was seen, long enough to be worth a name of its own\n");
    scratch.git(&["config", "core.excludesFile", "/dev/null"]);
    scratch.yatsu(&["eval", "n", "--scenario", "works", "--pass", "--result", "shot.txt"]).expect(0);
    fs::remove_file(scratch.root.join("shot.txt")).expect("it was there");
    scratch.write("spexcode.json", "{\"yatsu\":{\"allowInTree\":[\"img/**\"]}}\n");
    scratch.commit("measured");
    stage(&scratch, "docs/first.md", "words\n");
    scratch.yatsu(&["pre-commit"]).expect(0);
    let bytes = "what was seen, long enough to be worth a name of its own\n";
    stage(&scratch, "img/shot.txt", bytes);
    assert_eq!(scratch.yatsu(&["pre-commit"]).expect(0).err, "");
    assert_eq!(same_without(&scratch), "");
    stage(&scratch, "docs/shot.txt", bytes);
    let said = scratch.yatsu(&["pre-commit"]).expect(1);
    assert!(said.err.contains("docs/shot.txt") && !said.err.contains("img/"), "{}", said.err);
    assert_eq!(same_without(&scratch), said.err);
}
