//! What git does in a session does not hide what the session moved, and what others made is not the session's: commits, pushes,
//! branches, a detached HEAD, linked work trees, merges and rebases.

use crate::support::harness::{MOVED, Session, measured, message, question, touch_later};
use crate::support::{Scratch, newest_ledger, scenarios};
use serde_json::json;

const AGAIN: &str = "fn a() { moved_again() }\n";

/// The repository `measured` with a second fresh scenario, `list/sorts` of `src/c.rs`; published as `origin`, with a clone of a
/// colleague beside it.
fn shared() -> Scratch {
    let s = measured();
    s.write("src/c.rs", "fn c() {}\n");
    s.write(".spec/list/yatsu.md", scenarios(&[("sorts", "src/c.rs")]));
    s.commit("more");
    s.yatsu(&["eval", "list/sorts", "--pass", "--note", "yes"]).expect(0);
    s.commit("measured too");
    s.git(&["clone", "-q", "--bare", ".", "../hub.git"]);
    s.git(&["remote", "add", "origin", "../hub.git"]);
    s.git(&["fetch", "-q", "origin"]);
    s.git(&["branch", "-q", "--set-upstream-to=origin/main"]);
    s.git(&["clone", "-q", "../hub.git", "../colleague"]);
    s
}

/// The colleague publishes a change of a file on main.
fn published(s: &Scratch, path: &str, text: &str) {
    s.git(&["-C", "../colleague", "pull", "-q", "--ff-only"]);
    s.write(&format!("../colleague/{path}"), text);
    s.git(&["-C", "../colleague", "add", "-A"]);
    s.git(&["-C", "../colleague", "commit", "-q", "-m", "a colleague's"]);
    s.git(&["-C", "../colleague", "push", "-q", "origin", "HEAD:main"]);
}

/// The session runs a git command.
fn git(s: &Scratch, session: &Session<'_>, args: &[&str]) {
    s.git(args);
    session.ran(&format!("git {}", args.join(" ")));
}

/// The session commits everything.
fn commit(s: &Scratch, session: &Session<'_>) {
    s.commit("work");
    session.ran("git commit");
}

/// The scenarios that a first stop asks for.
fn asked(session: &Session<'_>) -> Vec<&'static str> {
    let answer = session.stop();
    let asked = question(&answer);
    assert!(message(&answer).is_empty(), "{answer}");
    ["board/works", "list/sorts"].into_iter().filter(|name| asked.contains(&format!("`{name}` was fresh"))).collect()
}

/// Each row is one flow: what the session and others did between its start and its stop, and what the stop asks for.
macro_rules! flows {
    ($($name:ident: $steps:expr => $asked:expr;)+) => {$(
        #[test]
        fn $name() {
            let s = shared();
            let session = Session::new(&s, "one");
            session.start();
            let steps: fn(&Scratch, &Session<'_>) = $steps;
            steps(&s, &session);
            let wanted: &[&str] = &$asked;
            assert_eq!(asked(&session), wanted);
        }
    )+};
}

flows! {
    a_commit_hides_nothing: |s, session| {
        session.edit("src/a.rs", MOVED);
        commit(s, session);
    } => ["board/works"];
    a_push_hides_nothing: |s, session| {
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        git(s, session, &["push", "-q", "origin", "main"]);
    } => ["board/works"];
    a_new_branch_hides_nothing: |s, session| {
        git(s, session, &["switch", "-q", "-c", "feature"]);
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        git(s, session, &["push", "-q", "-u", "origin", "feature"]);
    } => ["board/works"];
    a_branch_after_the_edit_hides_nothing: |s, session| {
        session.edit("src/a.rs", MOVED);
        git(s, session, &["switch", "-q", "-c", "feature"]);
        commit(s, session);
        git(s, session, &["switch", "-q", "-c", "feature-2"]);
    } => ["board/works"];
    a_detached_head_hides_nothing: |s, session| {
        git(s, session, &["checkout", "-q", "--detach"]);
        session.edit("src/a.rs", MOVED);
        commit(s, session);
    } => ["board/works"];
    a_command_that_edits_and_commits_hides_nothing: |s, session| {
        s.write("src/a.rs", MOVED);
        s.commit("work");
        s.git(&["push", "-q", "origin", "HEAD"]);
        session.ran("sed -i s/x/y/ src/a.rs && git commit -am work && git push");
    } => ["board/works"];
    an_amended_commit_hides_nothing: |s, session| {
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        session.edit("src/a.rs", AGAIN);
        git(s, session, &["commit", "-q", "--amend", "-a", "-m", "amended"]);
        git(s, session, &["push", "-q", "origin", "main"]);
    } => ["board/works"];
    a_rebase_onto_main_hides_nothing_and_blames_nobody_for_main: |s, session| {
        git(s, session, &["switch", "-q", "-c", "feature"]);
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        published(s, "src/c.rs", "fn c() { by_a_colleague() }\n");
        git(s, session, &["pull", "-q", "--rebase", "origin", "main"]);
        git(s, session, &["push", "-q", "-u", "origin", "feature"]);
    } => ["board/works"];
    a_merge_of_main_hides_nothing_and_blames_nobody_for_main: |s, session| {
        git(s, session, &["switch", "-q", "-c", "feature"]);
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        published(s, "src/c.rs", "fn c() { by_a_colleague() }\n");
        git(s, session, &["fetch", "-q", "origin"]);
        git(s, session, &["merge", "-q", "-m", "merged", "origin/main"]);
    } => ["board/works"];
    a_pull_after_the_push_hides_nothing: |s, session| {
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        git(s, session, &["push", "-q", "origin", "main"]);
        published(s, "src/c.rs", "fn c() { by_a_colleague() }\n");
        git(s, session, &["pull", "-q", "--ff-only"]);
    } => ["board/works"];
    a_squash_by_the_forge_hides_nothing: |s, session| {
        git(s, session, &["switch", "-q", "-c", "feature"]);
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        git(s, session, &["push", "-q", "-u", "origin", "feature"]);
        published(s, "src/a.rs", MOVED);
        git(s, session, &["switch", "-q", "main"]);
        git(s, session, &["pull", "-q", "--ff-only"]);
    } => ["board/works"];
    a_conflict_that_the_session_resolved_is_its_own: |s, session| {
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        published(s, "src/a.rs", "fn a() { by_a_colleague() }\n");
        s.git(&["fetch", "-q", "origin"]);
        s.try_git(&["merge", "-q", "origin/main"]);
        s.write("src/a.rs", AGAIN);
        commit(s, session);
    } => ["board/works"];
    a_merge_in_progress_blames_nobody_for_main: |s, session| {
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        published(s, "src/c.rs", "fn c() { by_a_colleague() }\n");
        git(s, session, &["fetch", "-q", "origin"]);
        git(s, session, &["merge", "-q", "--no-commit", "origin/main"]);
    } => ["board/works"];
    a_pull_by_fast_forward_is_not_the_sessions: |s, session| {
        published(s, "src/a.rs", MOVED);
        git(s, session, &["pull", "-q", "--ff-only"]);
    } => [];
    a_pull_with_rebase_is_not_the_sessions: |s, session| {
        session.edit("src/free.rs", "fn free() {}\n");
        commit(s, session);
        published(s, "src/a.rs", MOVED);
        git(s, session, &["pull", "-q", "--rebase"]);
    } => [];
    a_merge_of_main_is_not_the_sessions: |s, session| {
        git(s, session, &["switch", "-q", "-c", "feature"]);
        session.edit("src/free.rs", "fn free() {}\n");
        commit(s, session);
        published(s, "src/a.rs", MOVED);
        git(s, session, &["fetch", "-q", "origin"]);
        git(s, session, &["merge", "-q", "-m", "merged", "origin/main"]);
        git(s, session, &["push", "-q", "-u", "origin", "feature"]);
    } => [];
    a_published_file_that_is_taken_alone_is_not_the_sessions: |s, session| {
        published(s, "src/a.rs", MOVED);
        git(s, session, &["fetch", "-q", "origin"]);
        git(s, session, &["checkout", "-q", "origin/main", "--", "src/a.rs"]);
    } => [];
    an_edit_after_a_pull_is_the_sessions: |s, session| {
        published(s, "src/a.rs", MOVED);
        git(s, session, &["pull", "-q", "--ff-only"]);
        session.edit("src/a.rs", AGAIN);
        commit(s, session);
    } => ["board/works"];
    an_edit_that_is_reverted_by_a_commit_asks_for_nothing: |s, session| {
        session.edit("src/a.rs", MOVED);
        commit(s, session);
        git(s, session, &["revert", "--no-edit", "HEAD"]);
        git(s, session, &["push", "-q", "origin", "main"]);
    } => [];
}

/// A12, of a branch that was there before.
#[test]
fn a_branch_that_was_there_before_is_not_the_sessions() {
    let s = shared();
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("src/a.rs", MOVED);
    s.commit("moved before the session");
    s.git(&["checkout", "-q", "main"]);
    let session = Session::new(&s, "one");
    session.start();
    git(&s, &session, &["checkout", "-q", "side"]);
    assert_eq!(session.stop(), "");
    git(&s, &session, &["checkout", "-q", "main"]);
    git(&s, &session, &["merge", "-q", "--no-ff", "-m", "merged", "side"]);
    assert_eq!(session.stop(), "", "merged by the session, made before");
    session.edit("src/a.rs", AGAIN);
    assert_eq!(asked(&session), ["board/works"]);
}

/// The user's uncommitted edit was measured, and the session takes it back.
#[test]
fn uncommitted_content_of_the_beginning_that_the_session_takes_back_is_asked_for() {
    let s = shared();
    s.write("src/a.rs", MOVED);
    s.yatsu(&["eval", "board/works", "--pass", "--note", "measured before the session"]).expect(0);
    let session = Session::new(&s, "one");
    assert!(session.start().contains("2 fresh"));
    // the older reading of the committed content goes, so that taking back makes the scenario stale
    let ledger = s.read(".spec/board/yatsu.evals.ndjson");
    s.write(".spec/board/yatsu.evals.ndjson", ledger.lines().last().expect("a line").to_owned() + "\n");
    session.edit("src/a.rs", "fn a() {}\n");
    assert_eq!(asked(&session), ["board/works"]);
}

/// A repository that keeps no log of HEAD: what is published counts as others' content, all other content as the session's.
#[test]
fn without_a_log_of_head_what_is_published_is_not_asked_for() {
    let s = shared();
    s.git(&["config", "core.logAllRefUpdates", "false"]);
    std::fs::remove_dir_all(s.root.join(".git/logs")).expect("no logs");
    let session = Session::new(&s, "one");
    session.start();
    session.edit("src/a.rs", MOVED);
    commit(&s, &session);
    session.edit("src/c.rs", "fn c() { moved() }\n");
    s.git(&["push", "-q", "origin", "main"]);
    assert_eq!(asked(&session), ["list/sorts"]);
}

/// git shortens its log during the session.
#[test]
fn a_log_that_git_shortens_hides_nothing() {
    let s = shared();
    let session = Session::new(&s, "one");
    session.start();
    session.edit("src/a.rs", MOVED);
    commit(&s, &session);
    git(&s, &session, &["push", "-q", "origin", "main"]);
    let log = s.read(".git/logs/HEAD");
    let last: Vec<&str> = log.lines().rev().take(1).collect();
    s.write(".git/logs/HEAD", last.concat() + "\n");
    assert_eq!(asked(&session), ["board/works"]);
}

/// A session at another work tree, with every payload from there.
fn session_in<'s>(s: &'s Scratch, id: &str, dir: &str) -> Session<'s> {
    Session::of(s, json!({"session_id": id, "cwd": s.base.join(dir).display().to_string()}))
}

/// The session edits a file of another work tree than its directory.
fn edit_in(s: &Scratch, session: &Session<'_>, dir: &str, text: &str) -> String {
    s.write(&format!("../{dir}/src/a.rs"), text);
    session.tool("Edit", json!({"file_path": s.base.join(dir).join("src/a.rs")}), json!({}))
}

#[test]
fn a_session_that_begins_in_a_linked_work_tree_is_asked_after_commit_and_push() {
    let s = shared();
    s.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let session = session_in(&s, "one", "side");
    session.start();
    edit_in(&s, &session, "side", MOVED);
    s.git(&["-C", "../side", "commit", "-q", "-a", "-m", "work"]);
    s.git(&["-C", "../side", "push", "-q", "-u", "origin", "side"]);
    session.ran("git push");
    assert_eq!(asked(&session), ["board/works"]);
}

/// The directory of the session stays in the main work tree: its edits name files of the linked one.
#[test]
fn edits_in_a_linked_work_tree_are_asked_for_at_a_stop_in_the_main_one() {
    for commits in [false, true] {
        let s = shared();
        s.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
        let session = Session::new(&s, "one");
        session.start();
        let told = edit_in(&s, &session, "side", MOVED);
        assert!(told.contains("`src/a.rs` is governed by `board/works`"), "{told}");
        if commits {
            s.git(&["-C", "../side", "commit", "-q", "-a", "-m", "work"]);
            s.git(&["-C", "../side", "push", "-q", "-u", "origin", "side"]);
            session.ran("cd ../side && git commit -am work && git push -u origin side");
        }
        let asked = question(&session.stop());
        let commit = if commits { "" } else { "first git commit, then " };
        let text = format!(
            "`src/a.rs` moved: `board/works` was fresh, in the work tree `../side`; {commit}measure it\n  \
             then: yatsu-hook eval .spec/board --scenario=works (--pass or --fail)"
        );
        assert_eq!(asked, text);
    }
}

/// A work tree inside of the main one, as some harnesses make them, and one that only commands of the session know.
#[test]
fn a_work_tree_that_the_session_made_is_asked_for() {
    for (dir, by_command) in [("repo/.agents/side", false), ("repo/.agents/side", true), ("side", true)] {
        let s = shared();
        s.write(".gitignore", ".agents\n");
        s.commit("ignored");
        let session = Session::new(&s, "one");
        session.start();
        let place = s.base.join(dir).display().to_string();
        git(&s, &session, &["worktree", "add", "-q", "-b", "side", &place]);
        assert_eq!(session.stop(), "", "a new work tree alone");
        if by_command {
            s.write(&format!("../{dir}/src/a.rs"), MOVED);
            s.git(&["-C", &place, "commit", "-q", "-a", "-m", "work"]);
            session.ran("cd side && sed -i s/a/b/ src/a.rs && git commit -am work");
        } else {
            edit_in(&s, &session, dir, MOVED);
        }
        assert_eq!(asked(&session), ["board/works"], "{dir} {by_command}");
    }
}

/// A work tree of a branch that was stale before. Its first entry of HEAD's log looks like a commit of the session.
#[test]
fn a_work_tree_of_a_stale_branch_is_not_asked_for() {
    let s = shared();
    s.git(&["checkout", "-q", "-b", "stale"]);
    s.write("src/a.rs", MOVED);
    s.commit("moved before the session");
    s.git(&["checkout", "-q", "main"]);
    let session = Session::new(&s, "one");
    session.start();
    git(&s, &session, &["worktree", "add", "-q", "../side", "stale"]);
    assert_eq!(session.stop(), "");
    edit_in(&s, &session, "side", AGAIN);
    assert_eq!(asked(&session), ["board/works"]);
}

/// The base is where the session began, in whatever work tree that was.
#[test]
fn a_session_that_moves_to_another_work_tree_keeps_its_base() {
    let s = shared();
    s.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let session = Session::new(&s, "one");
    session.start();
    let there = session_in(&s, "one", "side");
    s.write("../side/src/a.rs", MOVED);
    s.git(&["-C", "../side", "commit", "-q", "-a", "-m", "work"]);
    there.ran("sed -i s/a/b/ src/a.rs");
    there.event("SessionStart", json!({"source": "resume"}));
    edit_in(&s, &there, "side", AGAIN);
    s.git(&["-C", "../side", "commit", "-q", "-a", "-m", "more"]);
    there.ran("git commit");
    assert_eq!(asked(&there), ["board/works"]);
}

#[test]
fn the_work_tree_of_another_session_is_not_asked_for() {
    let s = shared();
    s.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let (one, other) = (Session::new(&s, "one"), session_in(&s, "other", "side"));
    one.start();
    other.start();
    edit_in(&s, &other, "side", MOVED);
    s.git(&["-C", "../side", "commit", "-q", "-a", "-m", "work"]);
    one.ran("cargo test");
    assert_eq!(one.stop(), "");
    assert_eq!(asked(&other), ["board/works"]);
}

/// The session measured what it moved and left the reading out of its commit.
#[test]
fn a_filed_reading_that_is_not_committed_is_named_once() {
    let s = shared();
    let session = Session::new(&s, "one");
    session.start();
    session.edit("src/a.rs", MOVED);
    assert_eq!(asked(&session), ["board/works"]);
    commit(&s, &session);
    s.yatsu(&["eval", "board/works", "--pass", "--note", "yes"]).expect(0);
    session.ran("yatsu-hook eval board/works --pass");
    let answer = session.stop();
    let named = |word: &str, dir: &str| {
        format!("the reading of `{word}` is not committed: git add {}, then git commit", newest_ledger(&s, dir))
    };
    let expected = named("board/works", ".spec/board");
    assert_eq!((question(&answer), message(&answer)), (String::new(), expected), "asked before");
    assert_eq!(session.stop(), "", "once");
    // a session that was not asked yet is asked
    let two = Session::new(&s, "two");
    two.start();
    two.edit("src/c.rs", "fn c() { moved() }\n");
    commit(&s, &two);
    s.yatsu(&["eval", "list/sorts", "--fail", "--note", "no"]).expect(0);
    two.ran("yatsu-hook eval list/sorts --fail");
    let asked = question(&two.stop());
    assert_eq!(asked, named("list/sorts", ".spec/list"));
}

/// A line in a segment that was there before the session changes no directory.
#[test]
fn a_reading_in_a_segment_that_was_there_before_is_named() {
    let s = shared();
    s.git(&["remote", "add", "elsewhere", "../elsewhere.git"]);
    s.yatsu(&["eval", "board/works", "--pass", "--note", "yes"]).expect(0);
    let open = newest_ledger(&s, ".spec/board");
    let session = Session::new(&s, "one");
    session.start();
    s.yatsu(&["eval", "board/works", "--fail", "--note", "no"]).expect(0);
    assert_eq!(newest_ledger(&s, ".spec/board"), open);
    session.ran("yatsu-hook eval board/works --fail");
    assert!(session.stop().contains(&format!("is not committed: git add {open}")));
}

#[test]
fn a_reading_beside_uncommitted_content_and_one_of_another_session_are_not_named() {
    let s = shared();
    let session = Session::new(&s, "one");
    session.start();
    session.edit("src/a.rs", MOVED);
    s.yatsu(&["eval", "board/works", "--pass", "--note", "yes"]).expect(0);
    session.ran("yatsu-hook eval board/works --pass");
    assert_eq!(session.stop(), "", "the content is not committed, either");
    s.git(&["commit", "-q", "-m", "work", "--", "src"]);
    touch_later(&s, &newest_ledger(&s, ".spec/board"));
    assert_eq!(session.stop(), "", "the file changed after every command of the session");
    commit(&s, &session);
    assert_eq!(session.stop(), "");
}
