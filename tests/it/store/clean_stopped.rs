//! G10: evidence of a reading that git only keeps between two steps of an operation: after a stopped merge, rebase,
//! cherry-pick, revert, am, bisect or notes merge. Git itself makes every fixture; then all other references to the commit
//! are removed.

use super::clean::{Fixture, Keep, LEDGER, commit_beside, doubtful, protected, protected_in, reading};
use crate::support::{Scratch, executable};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use yatsu_hook::model::ledger::EvidenceHash;

/// A file that both sides of every operation here change.
const CONFLICT: &str = "conflict.txt";

/// An unreferenced commit on top of the branch, with other content of [`CONFLICT`]; its ledger names `hash`.
pub(super) fn conflicting(fixture: &Fixture, hash: &EvidenceHash) -> String {
    fixture.scratch.write(CONFLICT, "begin\n");
    fixture.scratch.commit("a file");
    fixture.scratch.git(&["checkout", "-q", "--detach"]);
    fixture.scratch.write(CONFLICT, "beside\n");
    fixture.file(LEDGER, hash, 9);
    let id = fixture.scratch.commit("beside");
    fixture.scratch.git(&["checkout", "-q", "main"]);
    fixture.scratch.write(CONFLICT, "main\n");
    fixture.scratch.commit("main");
    forget(fixture);
    id
}

pub(super) fn forget(fixture: &Fixture) {
    fixture.scratch.git(&["reflog", "expire", "--expire=now", "--all"]);
}

/// Restores the ledger of HEAD in the index and the work tree.
pub(super) fn restore_ledger(fixture: &Fixture) {
    fixture.scratch.git(&["checkout", "-q", "HEAD", "--", LEDGER]);
    forget(fixture);
}

/// The files of the git directory that name `id`, in full or by its first seven digits, by their paths in it.
fn holders(git_dir: &Path, id: &str) -> BTreeSet<String> {
    let (mut found, mut dirs) = (BTreeSet::new(), vec![PathBuf::new()]);
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(git_dir.join(&dir)).expect("a directory") {
            let entry = entry.expect("an entry");
            let path = dir.join(entry.file_name());
            if entry.file_type().expect("a type").is_dir() {
                if !["objects", "logs", "hooks"].contains(&path.to_str().expect("UTF-8")) {
                    dirs.push(path);
                }
            } else if String::from_utf8_lossy(&std::fs::read(entry.path()).expect("readable")).contains(&id[..7]) {
                found.insert(path.to_string_lossy().into_owned());
            }
        }
    }
    found
}

/// `stop` begins an operation with an otherwise unreferenced commit and returns the commit. The files in `named` must be
/// all that name it. Each of them alone protects its evidence when the others are removed.
fn each_file_protects(stop: impl Fn(&Fixture, &EvidenceHash) -> String, named: &[&str]) {
    for kept in named {
        protected(|fixture, hash| {
            let id = stop(fixture, hash);
            let all = holders(&fixture.git_dir, &id);
            assert_eq!(all.iter().map(String::as_str).collect::<Vec<_>>(), named, "what git left behind");
            for other in all.iter().filter(|other| other != kept) {
                std::fs::remove_file(fixture.git_dir.join(other)).expect("removed");
            }
            // The tree of an automatic merge, which another test covers.
            let _ = std::fs::remove_file(fixture.git_dir.join("AUTO_MERGE"));
        });
    }
}

/// [`commit_beside`] on a branch with more than one commit.
fn commit_beside_two(fixture: &Fixture, hash: &EvidenceHash) -> String {
    fixture.scratch.write("more.txt", "more\n");
    fixture.scratch.commit("more");
    commit_beside(fixture, hash)
}

/// Rebases the branch onto its parent; these lines end the list of steps.
fn rebase_with(fixture: &Fixture, steps: &str) {
    let editor =
        executable(&fixture.scratch.base.join("editor"), &format!("#!/bin/sh\nprintf '%b' '{steps}' >>\"$1\"\n"));
    let mut command = fixture.scratch.git_command(&["rebase", "-q", "-i", "HEAD~"]);
    command.env("GIT_SEQUENCE_EDITOR", editor).output().expect("git runs");
    restore_ledger(fixture);
}

#[test]
fn g10_autostash_of_a_merge() {
    protected(|fixture, hash| {
        let id = conflicting(fixture, &fixture.store("theirs"));
        fixture.file(LEDGER, hash, 2);
        assert_eq!(fixture.scratch.try_git(&["merge", "-q", "--autostash", &id]).code, 1);
        restore_ledger(fixture);
        assert!(fixture.git_dir.join("MERGE_AUTOSTASH").exists());
    });
}

#[test]
fn g10_autostash_of_a_rebase() {
    for (backend, file) in [("--merge", "rebase-merge/autostash"), ("--apply", "rebase-apply/autostash")] {
        protected(|fixture, hash| {
            let id = conflicting(fixture, &fixture.store("theirs"));
            fixture.file(LEDGER, hash, 2);
            assert_eq!(fixture.scratch.try_git(&["rebase", "-q", backend, "--autostash", &id]).code, 1);
            assert!(fixture.git_dir.join(file).exists());
            forget(fixture);
        });
    }
}

#[test]
fn g10_autostash_in_a_linked_worktree() {
    for (operation, file) in [("merge", "MERGE_AUTOSTASH"), ("rebase", "rebase-merge/autostash")] {
        protected(|fixture, hash| {
            let id = conflicting(fixture, &fixture.store("theirs"));
            let other = fixture.scratch.base.join("other");
            let at = other.to_str().expect("UTF-8").to_owned();
            fixture.scratch.git(&["worktree", "add", "-q", "-b", "there", &at]);
            let before = std::fs::read_to_string(other.join(LEDGER)).expect("a ledger");
            std::fs::write(other.join(LEDGER), before + &reading(hash, 2)).expect("written");
            assert_eq!(fixture.scratch.try_git(&["-C", &at, operation, "--autostash", &id]).code, 1);
            fixture.scratch.git(&["-C", &at, "checkout", "-q", "HEAD", "--", LEDGER]);
            assert!(fixture.git_dir.join("worktrees/other").join(file).exists());
            forget(fixture);
        });
    }
}

/// Git keeps no object alive for it, and it stays long after the fetch.
#[test]
fn g10_merge() {
    let stop = |fixture: &Fixture, hash: &EvidenceHash| {
        let id = conflicting(fixture, hash);
        assert_eq!(fixture.scratch.try_git(&["merge", "-q", &id]).code, 1);
        restore_ledger(fixture);
        id
    };
    each_file_protects(stop, &["MERGE_HEAD", "MERGE_MSG"]);
}

#[test]
fn g10_squash() {
    let stop = |fixture: &Fixture, hash: &EvidenceHash| {
        let id = commit_beside(fixture, hash);
        fixture.scratch.git(&["merge", "-q", "--squash", &id]);
        restore_ledger(fixture);
        id
    };
    each_file_protects(stop, &["SQUASH_MSG"]);
}

#[test]
fn g10_cherry_pick_and_revert() {
    for (verb, head) in [("cherry-pick", "CHERRY_PICK_HEAD"), ("revert", "REVERT_HEAD")] {
        let stop = |fixture: &Fixture, hash: &EvidenceHash| {
            let id = conflicting(fixture, hash);
            assert_eq!(fixture.scratch.try_git(&[verb, &id]).code, 1);
            restore_ledger(fixture);
            id
        };
        match verb {
            "revert" => each_file_protects(stop, &["MERGE_MSG", head]),
            _ => each_file_protects(stop, &[head]),
        }
    }
}

/// The list of remaining picks names commits only by their first digits.
#[test]
fn g10_todo_of_a_cherry_pick_and_of_a_revert() {
    for verb in ["cherry-pick", "revert"] {
        let stop = |fixture: &Fixture, hash: &EvidenceHash| {
            let first = conflicting(fixture, &fixture.store("first"));
            let second = commit_beside(fixture, hash);
            assert_eq!(fixture.scratch.try_git(&[verb, &first, &second]).code, 1);
            restore_ledger(fixture);
            second
        };
        each_file_protects(stop, &["sequencer/todo"]);
    }
}

/// Here git is asked, because our own readers do not read this repository.
#[test]
fn g10_todo_of_a_cherry_pick_in_a_sha256_repository() {
    protected_in(Fixture::of(Scratch::with_init(&["--object-format=sha256"])), |fixture, hash| {
        let first = conflicting(fixture, &fixture.store("first"));
        let second = commit_beside(fixture, hash);
        assert_eq!(fixture.scratch.try_git(&["cherry-pick", &first, &second]).code, 1);
        restore_ledger(fixture);
        assert_eq!(holders(&fixture.git_dir, &second).into_iter().collect::<Vec<_>>(), ["sequencer/todo"]);
    });
}

#[test]
fn all_that_ambiguous_first_digits_may_mean_is_kept() {
    protected(|fixture, hash| {
        let ledger = |number: usize| {
            reading(hash, 2).replace("00:02.000Z", &format!("{:02}:{:02}.000Z", number / 60, number % 60))
        };
        let names: Vec<String> = (0..2000).map(|number| format!("candidates/{number}")).collect();
        names.iter().enumerate().for_each(|(number, name)| fixture.scratch.write(name, ledger(number)));
        let ids = fixture
            .scratch
            .git(&[&["hash-object", "--"], &*names.iter().map(String::as_str).collect::<Vec<_>>()].concat());
        let mut seen = std::collections::BTreeMap::new();
        let pair =
            ids.lines().enumerate().find_map(|(number, id)| Some((seen.insert(&id[..4], number)?, number, &id[..4])));
        let (one, other, digits) = pair.expect("two of so many begin alike");
        // Only one of the two commits with these digits names the evidence.
        fixture.scratch.git(&["hash-object", "-w", "--", &names[one], &names[other]]);
        std::fs::remove_dir_all(fixture.scratch.root.join("candidates")).expect("removed");
        std::fs::create_dir(fixture.git_dir.join("sequencer")).expect("a directory");
        std::fs::write(fixture.git_dir.join("sequencer/todo"), format!("pick {digits} x\n")).expect("written");
    });
}

#[test]
fn g10_todo_of_a_rebase() {
    let stop = |fixture: &Fixture, hash: &EvidenceHash| {
        let id = commit_beside_two(fixture, hash);
        rebase_with(fixture, &format!("break\\npick {}\\n", &id[..8]));
        id
    };
    each_file_protects(stop, &["rebase-merge/git-rebase-todo"]);
}

#[test]
fn g10_what_a_rebase_has_done() {
    let stop = |fixture: &Fixture, hash: &EvidenceHash| {
        let id = commit_beside_two(fixture, hash);
        rebase_with(fixture, &format!("drop {id}\\nbreak\\n"));
        id
    };
    each_file_protects(stop, &["rebase-merge/done"]);
}

#[test]
fn g10_stopped_commit_of_a_rebase() {
    let stop = |fixture: &Fixture, hash: &EvidenceHash| {
        let id = conflicting(fixture, hash);
        rebase_with(fixture, &format!("pick {id}\\n"));
        id
    };
    each_file_protects(stop, &["REBASE_HEAD", "rebase-merge/done", "rebase-merge/stopped-sha"]);
}

#[test]
fn g10_commit_that_a_rebase_stopped_at_for_an_edit() {
    let stop = |fixture: &Fixture, hash: &EvidenceHash| {
        let id = commit_beside_two(fixture, hash);
        // The picked commit becomes another one, which is undone.
        rebase_with(fixture, &format!("edit {id}\\n"));
        fixture.scratch.git(&["reset", "-q", "--hard", "HEAD~"]);
        forget(fixture);
        std::fs::remove_file(fixture.git_dir.join("ORIG_HEAD")).expect("removed");
        std::fs::remove_file(fixture.git_dir.join("rebase-merge/amend")).expect("removed");
        id
    };
    each_file_protects(stop, &["REBASE_HEAD", "rebase-merge/done", "rebase-merge/stopped-sha"]);
}

/// The commit that an edit made, not its origin.
#[test]
fn g10_what_a_rebase_would_amend() {
    let stop = |fixture: &Fixture, hash: &EvidenceHash| {
        let id = conflicting(fixture, &fixture.store("picked"));
        rebase_with(fixture, &format!("reset {id}~\\nedit {id}\\n"));
        fixture.file(LEDGER, hash, 12);
        fixture.scratch.git(&["commit", "-qa", "--amend", "-m", "made"]);
        let made = fixture.scratch.git(&["rev-parse", "HEAD"]);
        std::fs::write(fixture.git_dir.join("rebase-merge/amend"), format!("{made}\n")).expect("written");
        fixture.scratch.git(&["reset", "-q", "--hard", "HEAD~"]);
        forget(fixture);
        made
    };
    each_file_protects(stop, &["ORIG_HEAD", "rebase-merge/amend"]);
}

#[test]
fn g10_tip_of_a_branch_that_is_being_rebased() {
    for (backend, dir, more) in [("--merge", "rebase-merge", &["done"][..]), ("--apply", "rebase-apply", &[])] {
        let stop = |fixture: &Fixture, hash: &EvidenceHash| {
            let id = conflicting(fixture, hash);
            fixture.scratch.git(&["checkout", "-q", "--detach", &id]);
            assert_eq!(fixture.scratch.try_git(&["rebase", "-q", backend, "main"]).code, 1);
            restore_ledger(fixture);
            // Files that a rebase does not need to continue, and the mail that another test covers.
            for name in ["stopped-sha", "git-rebase-todo.backup", "0001", "original-commit"] {
                let _ = std::fs::remove_file(fixture.git_dir.join(dir).join(name));
            }
            id
        };
        let mut named = vec!["ORIG_HEAD".to_owned(), "REBASE_HEAD".into()];
        named.extend(more.iter().chain(&["orig-head"]).map(|name| format!("{dir}/{name}")));
        each_file_protects(stop, &named.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// Mails hold patches, not commits of this repository.
#[test]
fn g10_mail_that_waits_to_be_applied() {
    protected(|fixture, hash| {
        let first = conflicting(fixture, &fixture.store("first"));
        fixture.scratch.git(&["checkout", "-q", "--detach", &first]);
        fixture.file(LEDGER, hash, 11);
        fixture.scratch.commit("second");
        let mails = fixture.scratch.base.join("mails").to_string_lossy().into_owned();
        let made = fixture.scratch.git(&["format-patch", "-q", "-2", "-o", &mails]);
        assert_eq!(made, "");
        fixture.scratch.git(&["checkout", "-q", "main"]);
        let both = ["0001-beside.patch", "0002-second.patch"].map(|name| format!("{mails}/{name}"));
        assert_ne!(fixture.scratch.try_git(&["am", "-q", &both[0], &both[1]]).code, 0);
        fixture.scratch.git(&["reflog", "expire", "--expire=now", "--all"]);
        fixture.scratch.git(&["prune", "--expire=now"]);
    });
}

#[test]
fn g10_bisect() {
    let stop = |fixture: &Fixture, hash: &EvidenceHash| {
        let good = fixture.scratch.git(&["rev-parse", "HEAD"]);
        let id = commit_beside(fixture, hash);
        fixture.scratch.git(&["bisect", "start", "--no-checkout", &id, &good]);
        forget(fixture);
        id
    };
    each_file_protects(stop, &["BISECT_LOG", "refs/bisect/bad"]);
}

#[test]
fn g10_commit_that_a_bisect_asks_about() {
    for kept in ["BISECT_EXPECTED_REV", "BISECT_HEAD"] {
        protected(|fixture, hash| {
            let good = fixture.scratch.git(&["rev-parse", "HEAD"]);
            let id = commit_beside(fixture, hash);
            fixture.scratch.git(&["checkout", "-q", "--detach", &id]);
            fixture.scratch.git(&["checkout", "-q", "main", "--", LEDGER]);
            let bad = fixture.scratch.commit("bad");
            fixture.scratch.git(&["checkout", "-q", "main"]);
            fixture.scratch.git(&["bisect", "start", "--no-checkout", &bad, &good]);
            forget(fixture);
            let named = holders(&fixture.git_dir, &id);
            assert_eq!(named.into_iter().collect::<Vec<_>>(), ["BISECT_EXPECTED_REV", "BISECT_HEAD"]);
            std::fs::remove_dir_all(fixture.git_dir.join("refs/bisect")).expect("removed");
            for other in ["BISECT_EXPECTED_REV", "BISECT_HEAD", "BISECT_LOG"].iter().filter(|name| **name != kept) {
                std::fs::remove_file(fixture.git_dir.join(other)).expect("removed");
            }
        });
    }
}

#[test]
fn g10_notes_merge() {
    let begin = |fixture: &Fixture, hash: &EvidenceHash| {
        // Notes stand beside a ledger in the tree of one side.
        let id = commit_beside(fixture, hash);
        fixture.scratch.git(&["update-ref", "refs/notes/other", &id]);
        fixture.scratch.git(&["notes", "--ref=other", "add", "-m", "theirs", "HEAD"]);
        fixture.scratch.git(&["notes", "add", "-m", "ours", "HEAD"]);
        assert_eq!(fixture.scratch.try_git(&["notes", "merge", "refs/notes/other"]).code, 1);
        fixture.scratch.git(&["update-ref", "-d", "refs/notes/other"]);
        assert!(fixture.git_dir.join("NOTES_MERGE_REF").exists());
        forget(fixture);
    };
    protected(|fixture, hash| begin(fixture, hash));
    // Text that a user writes into the merged note.
    protected(|fixture, hash| {
        begin(fixture, &fixture.store("theirs"));
        let dir = fixture.git_dir.join("NOTES_MERGE_WORKTREE");
        let note = std::fs::read_dir(dir).expect("a directory").next().expect("a note").expect("an entry").path();
        std::fs::write(note, format!("see {hash}\n")).expect("written");
    });
}

/// A resolved conflict can be undone as long as the index remembers its sides.
#[test]
fn g13_what_an_operation_needs_and_cannot_be_read_is_doubt() {
    let write = |fixture: &Fixture, name: &str, text: &str| {
        let path = fixture.git_dir.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(path, text).expect("written");
    };
    let missing = "1".repeat(40);
    for name in ["MERGE_AUTOSTASH", "rebase-merge/autostash", "rebase-apply/autostash", "NOTES_MERGE_PARTIAL"] {
        doubtful(|f| write(f, name, "no id\n"), Keep::Named, name);
        doubtful(|f| write(f, name, &format!("{missing}\n")), Keep::Named, name);
    }
    for name in ["sequencer/todo", "rebase-merge/git-rebase-todo", "rebase-merge/done"] {
        doubtful(|f| write(f, name, "pick 1111111 a subject\n"), Keep::Named, name);
        doubtful(|f| write(f, name, &format!("fixup -C {missing}\n")), Keep::Named, name);
    }
    doubtful(|f| write(f, "rebase-apply/patch-merge-index", "DIRC no index"), Keep::Named, "patch-merge-index");
}

mod needs_git_2_38 {
    use super::*;

    /// Branches that will follow a rebase: their old commits are noted beside it.
    #[test]
    #[ignore = "needs git 2.38"]
    fn g10_branches_that_a_rebase_will_update() {
        let stop = |fixture: &Fixture, hash: &EvidenceHash| {
            let id = conflicting(fixture, hash);
            fixture.scratch.git(&["checkout", "-q", "--detach", &id]);
            fixture.scratch.git(&["branch", "middle"]);
            fixture.scratch.write("more.txt", "more\n");
            fixture.scratch.commit("more");
            assert_eq!(fixture.scratch.try_git(&["rebase", "-q", "--update-refs", "main"]).code, 1);
            restore_ledger(fixture);
            // Files that reach the commit by its children, or that other tests cover.
            for name in ["ORIG_HEAD", "REBASE_HEAD", "rebase-merge/orig-head", "rebase-merge/stopped-sha"] {
                std::fs::remove_file(fixture.git_dir.join(name)).expect("removed");
            }
            for name in ["done", "git-rebase-todo", "git-rebase-todo.backup"] {
                std::fs::remove_file(fixture.git_dir.join("rebase-merge").join(name)).expect("removed");
            }
            id
        };
        each_file_protects(stop, &["rebase-merge/update-refs", "refs/heads/middle"]);
    }

    #[test]
    #[ignore = "needs git 2.38"]
    fn g10_tree_that_a_merge_would_have_made() {
        protected(|fixture, hash| {
            let id = conflicting(fixture, hash);
            assert_eq!(fixture.scratch.try_git(&["merge", "-q", &id]).code, 1);
            restore_ledger(fixture);
            for name in ["MERGE_HEAD", "MERGE_MSG"] {
                std::fs::remove_file(fixture.git_dir.join(name)).expect("removed");
            }
            assert!(fixture.git_dir.join("AUTO_MERGE").exists());
        });
    }
}
