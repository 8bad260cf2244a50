//! G10: evidence of a reading that git only keeps without a ref: in a fetch, a stash, the sides of a resolved conflict,
//! another index, a tag on a ledger, the git directory of a submodule.

use super::clean::{Fixture, Keep, LEDGER, commit_beside, protected, reading};
use super::clean_stopped::{conflicting, forget, restore_ledger};
use crate::support::Scratch;

#[test]
fn g10_fetch_head() {
    protected(|fixture, hash| {
        let other = fixture.scratch.base.join("clone");
        let at = other.to_str().expect("UTF-8").to_owned();
        fixture.scratch.git(&["clone", "-q", ".", &at]);
        let before = std::fs::read_to_string(other.join(LEDGER)).expect("a ledger");
        std::fs::write(other.join(LEDGER), before + &reading(hash, 2)).expect("written");
        fixture.scratch.git(&["-C", &at, "commit", "-qam", "there"]);
        fixture.scratch.git(&["fetch", "-q", &at, "main"]);
    });
}

#[test]
fn a_fetch_head_whose_commit_is_gone_is_no_doubt() {
    protected(|fixture, hash| {
        fixture.file(LEDGER, hash, 2);
        let gone = format!("{}\t\tbranch 'main' of elsewhere\n", "1".repeat(40));
        std::fs::write(fixture.git_dir.join("FETCH_HEAD"), gone).expect("written");
    });
}

#[test]
fn g10_sides_of_a_resolved_conflict() {
    protected(|fixture, hash| {
        let id = commit_beside(fixture, hash);
        fixture.file(LEDGER, &fixture.store("ours"), 3);
        fixture.scratch.commit("ours");
        assert_eq!(fixture.scratch.try_git(&["cherry-pick", &id]).code, 1);
        restore_ledger(fixture);
        fixture.scratch.git(&["commit", "-q", "--allow-empty", "-m", "picked"]);
        forget(fixture);
        assert!(fixture.scratch.git(&["ls-files", "--resolve-undo"]).contains(LEDGER));
    });
}

#[test]
fn g10_index_of_an_unfinished_three_way_am() {
    protected(|fixture, hash| {
        let before = fixture.scratch.read(LEDGER);
        fixture.file(LEDGER, hash, 2);
        let index = fixture.git_dir.join("rebase-apply/patch-merge-index");
        std::fs::create_dir_all(index.parent().expect("a parent")).expect("a directory");
        let done = fixture.scratch.git_command(&["add", LEDGER]).env("GIT_INDEX_FILE", &index).status();
        assert!(done.expect("git").success());
        fixture.scratch.write(LEDGER, before);
    });
}

#[test]
fn g10_ledger_that_a_tag_names() {
    protected(|fixture, hash| {
        let before = fixture.scratch.read(LEDGER);
        fixture.file(LEDGER, hash, 2);
        let blob = fixture.scratch.git(&["hash-object", "-w", LEDGER]);
        fixture.scratch.git(&["tag", "kept", &blob]);
        fixture.scratch.git(&["tag", "-a", "-m", "t", "annotated", &blob]);
        fixture.scratch.git(&["tag", "-d", "kept"]);
        fixture.scratch.write(LEDGER, before);
    });
}

#[test]
fn g10_in_a_submodule() {
    let outer = Scratch::new();
    protected(|fixture, hash| {
        // The git directory of a submodule is in that directory of the outer repository, its work tree elsewhere.
        let (inner, root) = (outer.root.join(".git/modules/inner"), outer.root.join("inner"));
        std::fs::create_dir_all(inner.parent().expect("a parent")).expect("directories");
        std::fs::rename(&fixture.git_dir, &inner).expect("moved");
        std::fs::rename(&fixture.scratch.root, &root).expect("moved");
        std::fs::write(root.join(".git"), "gitdir: ../.git/modules/inner\n").expect("written");
        (fixture.git_dir, fixture.scratch.root) = (inner, root);
        fixture.scratch.git(&["config", "core.worktree", "../../../inner"]);
        let id = conflicting(fixture, &fixture.store("theirs"));
        fixture.file(LEDGER, hash, 2);
        assert_eq!(fixture.scratch.try_git(&["merge", "-q", "--autostash", &id]).code, 1);
        restore_ledger(fixture);
    });
}

#[test]
fn keep_latest_keeps_what_every_stash_holds() {
    let stashed = |fixture: &Fixture, more: &[&str], content: &str, second: u32, ledger: &str| {
        let hash = fixture.store(content);
        fixture.file(ledger, &hash, second);
        fixture.scratch.git(&[&["stash", "push", "-q"], more].concat());
        hash
    };
    let fixture = Fixture::new();
    let untracked = stashed(&fixture, &["-u"], "untracked", 2, ".spec/new/yatsu.evals.ndjson");
    let plain = stashed(&fixture, &[], "plain", 3, LEDGER);
    let staged = fixture.store("staged");
    fixture.file(LEDGER, &staged, 4);
    fixture.scratch.git(&["add", LEDGER]);
    let later = fixture.store("later");
    fixture.file(LEDGER, &later, 5);
    fixture.scratch.git(&["stash", "push", "-q"]);
    let loose = fixture.store("loose");
    let cleaned = fixture.clean(Keep::Latest);
    assert_eq!(cleaned.removed, [loose.to_string()]);
    assert!([untracked, plain, staged, later].iter().all(|hash| fixture.has(hash)));
}

/// `git gc` follows the parents that a graft adds.
#[test]
fn g10_graft() {
    protected(|fixture, hash| {
        let id = commit_beside(fixture, hash);
        let head = fixture.scratch.git(&["rev-parse", "HEAD"]);
        std::fs::create_dir_all(fixture.git_dir.join("info")).expect("a directory");
        std::fs::write(fixture.git_dir.join("info/grafts"), format!("{head} {id}\n")).expect("written");
    });
}
