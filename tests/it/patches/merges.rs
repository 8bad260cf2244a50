//! The predicted result of a merge, compared with git's; and that a query writes nothing.

use super::{LEDGER, branch, evaluated, patch, repository, state};
use crate::support::{Dice, Scratch, validate_published};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Every file below `dir` with its size and the time of its last change.
fn listed(dir: &Path) -> BTreeMap<PathBuf, (u64, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).expect("a directory").map(|entry| entry.expect("an entry")) {
            let about = entry.metadata().expect("an entry");
            if about.is_dir() {
                open.push(entry.path());
            } else {
                found.insert(entry.path(), (about.len(), about.modified().expect("a time")));
            }
        }
    }
    found
}

#[test]
fn a_branch_that_cannot_be_merged_is_conflicted_and_nothing_is_written() {
    let s = repository();
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s.write("src/a.rs", "fn a() { otherwise() }\n");
    s.commit("otherwise");
    let before = listed(&s.root);
    let found = patch(&s, "feature");
    assert_eq!((&found["state"], &found["conflicts"]), (&json!("Conflicted"), &json!(["src/a.rs"])));
    s.yatsu(&["patch", "ls"]).expect(0);
    assert_eq!(listed(&s.root), before, "no object, no index, no file");
}

#[test]
fn no_driver_is_run_and_ledgers_are_merged_as_ours_would() {
    let s = repository();
    let canary = s.base.join("canary");
    s.git(&["config", "merge.evil.driver", &format!("touch '{}'; exit 1", canary.display())]);
    s.write(".gitattributes", "* merge=evil\n*.ndjson merge=evil\n");
    s.commit("attributes");
    evaluated(&s, "feature");
    s.git(&["checkout", "-q", "main"]);
    s.yatsu(&["eval", "n", "--fail", "--by", "Bob"]).expect(0);
    s.commit("both file into one ledger");
    let found = patch(&s, "feature");
    assert_eq!((&found["state"], &found["conflicts"]), (&json!("Evaluated"), &json!([])));
    assert!(!canary.exists());
    s.git(&["checkout", "-q", "feature"]);
    s.write(LEDGER, "");
    s.commit("history is dropped");
    s.git(&["checkout", "-q", "-b", "dropped", "main"]);
    s.write(LEDGER, "{\"kind\":\"other\"}\n");
    s.commit("and here");
    s.git(&["checkout", "-q", "main"]);
    s.yatsu(&["eval", "n", "--pass", "--by", "Bob"]).expect(0);
    s.commit("on");
    assert_eq!(patch(&s, "dropped")["conflicts"], json!([LEDGER]), "a line of the base that one side dropped");
}

#[test]
fn what_was_renamed_on_one_side_and_changed_on_the_other_is_merged() {
    let s = repository();
    let lines = |first: &str| format!("{first}\n2\n3\n4\n5\n6\n7\n8\n9\n");
    s.write("src/b.rs", lines("1"));
    s.commit("long");
    s.git(&["checkout", "-q", "-b", "moves"]);
    s.git(&["mv", "src/b.rs", "src/c.rs"]);
    s.write("src/c.rs", lines("1") + "10\n");
    s.commit("renamed");
    s.git(&["checkout", "-q", "-b", "removes", "main"]);
    s.git(&["rm", "-q", "src/b.rs"]);
    s.commit("removed");
    s.git(&["checkout", "-q", "main"]);
    s.write("src/b.rs", lines("one"));
    s.commit("changed");
    assert_eq!(patch(&s, "moves")["conflicts"], json!([]));
    assert_eq!(patch(&s, "removes")["conflicts"], json!(["src/b.rs"]));
}

#[test]
fn a_file_in_place_of_a_directory_is_a_conflict() {
    let s = repository();
    s.git(&["checkout", "-q", "-b", "file"]);
    s.write("new", "a file\n");
    s.commit("a file");
    s.git(&["checkout", "-q", "-b", "directory", "main"]);
    s.write("thing/inner", "below\n");
    s.commit("a directory");
    s.git(&["checkout", "-q", "main"]);
    s.write("new/inner", "below\n");
    s.write("thing", "a file\n");
    s.commit("the other way round");
    assert_eq!([state(&s, "file"), state(&s, "directory")], ["Conflicted", "Conflicted"]);
}

mod needs_git_2_38 {
    use super::*;

    #[test]
    #[ignore = "needs git 2.38"]
    fn a_renamed_file_and_a_directory_of_its_new_name_are_a_conflict() {
        let s = repository();
        let lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        s.write("a", lines);
        s.write("b", lines.replace('5', "five"));
        s.commit("two files");
        s.git(&["checkout", "-q", "-b", "moves"]);
        s.git(&["mv", "a", "d"]);
        s.git(&["mv", "b", "free"]);
        s.commit("renamed");
        s.git(&["checkout", "-q", "main"]);
        s.write("a", format!("{lines}10\n"));
        s.write("b", format!("{lines}10\n").replace('5', "five"));
        s.write("d/x", "a directory\n");
        s.commit("a directory where the file goes");
        assert_eq!(s.try_git(&["merge-tree", "--write-tree", "main", "moves"]).code, 1, "git's own answer");
        assert_eq!(patch(&s, "moves")["conflicts"], json!(["a", "d"]));
    }

    /// git takes the other side of a file that both sides added, if one of them is empty.
    #[test]
    #[ignore = "needs git 2.38"]
    fn a_file_that_both_sides_added_merges_if_one_of_them_is_empty() {
        let s = repository();
        s.git(&["checkout", "-q", "-b", "adds"]);
        s.write("one", "");
        s.write("two", "two\n");
        s.commit("added");
        s.git(&["checkout", "-q", "main"]);
        s.write("one", "one\n");
        s.write("two", "");
        s.commit("added here");
        s.git(&["merge-tree", "--write-tree", "main", "adds"]);
        assert_eq!(patch(&s, "adds")["conflicts"], json!([]));
        s.write("two", "zwei\n");
        s.commit("not empty any more");
        assert_eq!(patch(&s, "adds")["conflicts"], json!(["two"]));
    }

    #[test]
    #[ignore = "needs git 2.38"]
    fn random_branches_conflict_where_git_says_so_and_are_squashed_where_a_merge_changes_nothing() {
        let mut seen = [0; 4];
        let seeds = crate::support::seeds(4, 400);
        let wrong: Vec<String> = seeds.iter().flat_map(|seed| live(*seed, &mut seen)).collect();
        assert!(wrong.is_empty(), "{} branches went wrong\n{}", wrong.len(), wrong.join("\n\n"));
        let all = seen[..3].iter().all(|count| *count > 0);
        assert!(all || seeds.len() < 4, "clean, conflicts and squashed must all occur: {seen:?}");
    }
}

#[test]
fn branches_that_share_no_commit_with_the_main_one_are_told_too() {
    let s = repository();
    s.git(&["checkout", "-q", "--orphan", "other"]);
    s.commit("another beginning with the same files");
    let found = patch(&s, "other");
    assert_eq!((&found["base"], &found["conflicts"]), (&Value::Null, &json!([])));
    branch(&s, "torn");
    assert_eq!(patch(&s, "torn")["conflicts"], json!(["src/a.rs"]));
}

/// One random change of the work tree.
fn change(s: &Scratch, dice: &mut Dice, number: usize) {
    let tracked = s.git(&["ls-files", "d"]);
    let files: Vec<&str> = tracked.lines().collect();
    if files.is_empty() {
        return s.write("d/new", "new\n");
    }
    let file = files[dice.roll(files.len())];
    let edited = |dice: &mut Dice| {
        let mut lines: Vec<String> = s.read(file).lines().map(str::to_owned).collect();
        if !lines.is_empty() {
            let at = dice.roll(lines.len());
            lines[at] = format!("changed {}", dice.roll(3));
        }
        lines.join("\n") + "\n"
    };
    match dice.roll(10) {
        0 => drop(s.git(&["rm", "-q", "-f", file])),
        1 => {
            let to = format!("d/moved{}", dice.roll(4));
            if !s.root.join(&to).exists() {
                s.git(&["mv", file, &to]);
                if dice.roll(2) == 0 {
                    let text = s.read(&to).replacen("line 3", "another line 3", 1);
                    s.write(&to, text);
                }
            }
        }
        2 => s.write(&format!("d/new{}", dice.roll(2)), format!("new {}\n", dice.roll(2))),
        3 => drop(s.git(&["update-index", "--chmod=+x", file])),
        4 => s.write("d/unique", format!("{number}\n")),
        _ => {
            let text = edited(dice);
            s.write(file, text);
        }
    }
}

/// A commit of some random changes.
fn work(s: &Scratch, dice: &mut Dice, number: usize) {
    for _ in 0..1 + dice.roll(3) {
        change(s, dice, number);
        s.git(&["add", "-A"]);
    }
    s.git(&["commit", "-q", "--allow-empty", "-m", "work"]);
}

/// A random history: eight branches, one of them squashed into main, each compared with git's answer. Differences are
/// reported, unless the state itself says that git may differ.
fn live(seed: u64, seen: &mut [usize; 4]) -> Vec<String> {
    let (s, mut dice) = (Scratch::new(), Dice(seed));
    s.git(&["config", "core.fileMode", "false"]);
    for file in 0..4 {
        let lines: String = (0..10).map(|line| format!("line {line} of {file}\n")).collect();
        s.write(&format!("d/file{file}"), lines);
    }
    s.commit("base");
    for number in 0..8 {
        s.git(&["checkout", "-q", "-b", &format!("b{number}"), "main"]);
        work(&s, &mut dice, number);
    }
    s.git(&["checkout", "-q", "main"]);
    let picked = format!("b{}", dice.roll(8));
    s.git(&["merge", "-q", "--squash", &picked]);
    s.git(&["commit", "-q", "--allow-empty", "-m", "squashed"]);
    work(&s, &mut dice, 99);
    let main = s.git(&["rev-parse", "main^{tree}"]);
    let said = s.yatsu(&["patch", "ls", "--format", "json"]).expect(0);
    let mut wrong = Vec::new();
    for found in validate_published(&said.out)["patches"].as_array().expect("a list") {
        let name = found["branch"].as_str().expect("a name");
        let git = s.try_git(&["-c", "merge.directoryRenames=false", "merge-tree", "--write-tree", "main", name]);
        let is_net = !s.git(&["diff", "--name-only", &format!("main...{name}")]).is_empty();
        let is_same = git.code == 0 && git.out.trim_end() == main && is_net;
        let conflicts = found["conflicts"].as_array().is_some_and(|paths| !paths.is_empty());
        if conflicts == (git.code == 1) && (found["promotion"] == "squashed") == is_same {
            seen[usize::from(conflicts) + 2 * usize::from(is_same)] += 1;
        } else {
            wrong.push(format!("YATSU_SEED={seed} {name}: {found}\n{}", git.out));
        }
    }
    wrong
}

/// The reason of a patch's state.
fn reason(s: &Scratch, name: &str) -> String {
    patch(s, name)["reason"].as_str().expect("a reason").to_owned()
}

const OTHERWISE: &str = "git may merge it otherwise: ";

#[test]
fn what_is_not_followed_and_git_follows_is_said_with_the_state() {
    let s = repository();
    s.write("d/one.rs", "1\n2\n3\n4\n5\n6\n");
    s.commit("a directory");
    branch(&s, "adds");
    s.write("d/two.rs", "two\n");
    s.commit("a file more");
    assert!(!reason(&s, "adds").contains(OTHERWISE));
    s.git(&["checkout", "-q", "main"]);
    s.git(&["mv", "d", "e"]);
    s.commit("the directory is renamed");
    assert!(reason(&s, "adds").ends_with("files added to d do not follow the files that were renamed out of it"));
}

#[test]
fn attributes_that_may_say_how_a_file_is_merged_are_named() {
    let s = repository();
    let lines = |first: &str, last: &str| format!("{first}\n2\n3\n4\n5\n6\n7\n8\n{last}\n");
    s.write("list.txt", lines("1", "9"));
    s.commit("a list");
    s.git(&["checkout", "-q", "-b", "first"]);
    s.write("list.txt", lines("one", "9"));
    s.commit("first");
    s.git(&["checkout", "-q", "main"]);
    s.write("list.txt", lines("eins", "9"));
    s.commit("main");
    assert!(!reason(&s, "first").contains(OTHERWISE), "{}", reason(&s, "first"));
    s.write(".gitattributes", "list.txt merge=union\n");
    s.commit("a driver");
    let said = reason(&s, "first");
    assert!(said.ends_with("git attributes that may say how list.txt is merged were not read"), "{said}");
    s.yatsu(&["patch", "show", "first"]).expect(0);
}

#[test]
fn of_several_merge_bases_it_is_said_that_one_was_taken() {
    let s = repository();
    branch(&s, "crossed");
    s.git(&["checkout", "-q", "main"]);
    s.write("src/b.rs", "fn b() { main() }\n");
    s.commit("on main");
    let main = s.git(&["rev-parse", "HEAD"]);
    s.git(&["merge", "-q", "--no-edit", "crossed"]);
    s.git(&["checkout", "-q", "crossed"]);
    s.git(&["merge", "-q", "--no-edit", &main]);
    s.write("src/c.rs", "fn c() {}\n");
    s.commit("and on");
    assert_eq!(s.git(&["merge-base", "--all", "main", "crossed"]).lines().count(), 2);
    assert!(reason(&s, "crossed").ends_with("there are several merge bases; one of them was used"));
}
