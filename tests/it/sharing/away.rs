//! Removal: of local evidence that the remote has, and of remote evidence that no reading names any more.

use super::{DIR, Two, age, last, overwrite};
use crate::support::newest_ledger;
use std::fs;

/// Files and shares two pieces, both old in the local cache.
fn shared_and_old() -> (Two, [String; 2]) {
    let two = Two::sharing();
    let hashes = [two.file("renders", "it rendered\n"), two.file("scrolls", "it scrolled\n")];
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    hashes.iter().for_each(|hash| age(&cached(&two, hash), "2020-01-01"));
    (two, hashes)
}

fn cached(two: &Two, hash: &str) -> std::path::PathBuf {
    two.a.root.join(".git/spexcode/yatsu-blobs").join(hash)
}

#[test]
fn what_the_remote_provably_has_may_go_here_and_comes_back() {
    let (two, hashes) = shared_and_old();
    two.a.yatsu(&["clean"]).expect(0);
    assert!(hashes.iter().all(|hash| cached(&two, hash).exists()), "clean alone counts the remote for nothing");
    two.a.yatsu(&["clean", "--shared", "--dry-run"]).expect(0);
    assert!(hashes.iter().all(|hash| cached(&two, hash).exists()));
    let said = two.a.yatsu(&["clean", "--shared"]).expect(0);
    assert!(said.out.starts_with("collected 2 pieces"), "{}", said.out);
    assert!(!hashes.iter().any(|hash| cached(&two, hash).exists()));
    assert_eq!(last(&two.a.yatsu(&["share", "get"]).expect(0)), "got 2 (24 B), 0 here already");
}

#[test]
fn what_the_remote_only_says_it_has_stays_here() {
    let (two, [lie, gone]) = shared_and_old();
    overwrite(&two.piece(&lie), b"it rendereD\n");
    fs::remove_file(two.piece(&gone)).expect("removed");
    two.a.yatsu(&["clean", "--shared"]).expect(0);
    assert!(cached(&two, &lie).exists() && cached(&two, &gone).exists());
    fs::rename(two.shared(), two.a.base.join("away")).expect("renamed");
    two.a.yatsu(&["clean", "--shared"]).expect(3);
}

#[test]
fn what_is_young_uncommitted_unpushed_or_being_measured_stays_here() {
    let (two, [one, other]) = shared_and_old();
    // an uncommitted reading names the first again
    two.a.write("../out.txt", "it rendered\n");
    two.a.write("src/a.rs", "fn changed() {}\n");
    two.a.yatsu(&["eval", "board", "--scenario", "renders", "--fail", "--result", "../out.txt"]).expect(0);
    age(&cached(&two, &one), "2020-01-01");
    two.a.yatsu(&["claim", "take", "board", "--scenario", "scrolls"]).expect(0);
    two.a.yatsu(&["clean", "--shared"]).expect(0);
    assert!(cached(&two, &one).exists(), "uncommitted");
    assert!(cached(&two, &other).exists(), "being measured");
    two.a.commit("not pushed");
    two.a.yatsu(&["clean", "--shared"]).expect(0);
    assert!(cached(&two, &one).exists(), "not pushed");
    two.publish();
    age(&cached(&two, &one), "now");
    two.a.yatsu(&["clean", "--shared"]).expect(0);
    assert!(cached(&two, &one).exists(), "young");
    age(&cached(&two, &one), "2020-01-01");
    two.a.yatsu(&["clean", "--shared"]).expect(0);
    assert!(!cached(&two, &one).exists());
}

#[test]
fn what_nothing_names_any_more_is_pruned_and_nothing_else() {
    let (two, [one, other]) = shared_and_old();
    let stray = "ab".repeat(32);
    fs::create_dir_all(two.piece(&stray).parent().expect("a directory")).expect("made");
    fs::write(two.piece(&stray), "nobody names it").expect("written");
    for hash in [&one, &other, &stray] {
        age(&two.piece(hash), "2020-01-01");
    }
    let said = two.a.yatsu(&["share", "prune", "--before", "2021-01", "--dry-run"]).expect(0);
    assert_eq!(last(&said), format!("would prune 1 (15 B) from {}, 2 needed; nothing was deleted", two.place()));
    assert!(two.piece(&stray).exists());
    two.a.yatsu(&["share", "prune", "--before", "2021-01"]).expect(0);
    assert!(!two.piece(&stray).exists() && two.piece(&one).exists() && two.piece(&other).exists());
    assert_eq!(two.a.yatsu(&["share", "prune", "--before", "9999-01"]).code, 2);
    assert_eq!(two.a.yatsu(&["share", "prune", "--before", "soon"]).code, 2);
}

#[test]
fn on_any_doubt_nothing_is_pruned() {
    let (two, [one, _]) = shared_and_old();
    age(&two.piece(&one), "2020-01-01");
    let prune = ["share", "prune", "--before", "2021-01"];
    // a branch that another clone pushed
    two.a.git(&["clone", "-q", "../server.git", "../b"]);
    two.a.git(&["-C", "../b", "commit", "-q", "--allow-empty", "-m", "x"]);
    two.a.git(&["-C", "../b", "push", "-q", "origin", "HEAD:other"]);
    let said = two.a.yatsu(&prune).expect(3);
    assert!(said.err.contains("git fetch origin"), "{}", said.err);
    two.a.git(&["fetch", "-q"]);
    two.a.yatsu(&prune).expect(0);
    let fetch = "remote.origin.fetch";
    two.a.git(&["config", "--replace-all", fetch, "+refs/heads/main:refs/remotes/origin/main"]);
    assert!(two.a.yatsu(&prune).expect(3).err.contains("every branch"));
    two.a.git(&["config", "--replace-all", fetch, "+refs/heads/*:refs/remotes/origin/*"]);
    let file = newest_ledger(&two.a, DIR);
    let ledger = two.a.read(&file);
    two.a.write(&file, format!("{ledger}{{\"scenario\":\"wo"));
    two.a.yatsu(&prune).expect(3);
    two.a.write(&file, ledger);
    let head = two.a.git(&["rev-parse", "HEAD"]);
    fs::write(two.a.root.join(".git/shallow"), format!("{head}\n")).expect("written");
    assert!(two.a.yatsu(&prune).expect(3).err.contains("shallow"));
    assert!(two.piece(&one).exists());
}

#[test]
fn what_only_a_branch_that_nobody_pushed_names_again_stays_here() {
    let (two, [one, other]) = shared_and_old();
    two.a.git(&["checkout", "-q", "-b", "mine"]);
    two.file("renders", "it rendered\n");
    two.a.git(&["checkout", "-q", "main"]);
    age(&cached(&two, &one), "2020-01-01");
    two.a.yatsu(&["clean", "--shared"]).expect(0);
    assert!(cached(&two, &one).exists() && !cached(&two, &other).exists());
}

/// The month `count` months before this one.
fn months_ago(count: i32) -> String {
    let now = std::process::Command::new("date").args(["-u", "+%Y %m"]).output().expect("date").stdout;
    let now = String::from_utf8(now).expect("text");
    let (year, month) = now.trim().split_once(' ').expect("a year and a month");
    let months = year.parse::<i32>().expect("a year") * 12 + month.parse::<i32>().expect("a month") - 1 - count;
    format!("{:04}-{:02}", months / 12, months % 12 + 1)
}

#[test]
fn of_the_last_two_months_everything_stays() {
    let (two, _) = shared_and_old();
    for (count, code) in [(0, 2), (1, 2), (3, 0)] {
        let said = two.a.yatsu(&["share", "prune", "--before", &months_ago(count), "--dry-run"]).expect(code);
        assert!(code == 0 || said.err.contains("younger evidence stays"), "{}", said.err);
    }
}

#[test]
fn where_no_reading_names_anything_nothing_is_pruned() {
    let two = Two::sharing();
    let stray = "ab".repeat(32);
    fs::create_dir_all(two.piece(&stray).parent().expect("a directory")).expect("made");
    fs::write(two.piece(&stray), "somebody else's").expect("written");
    age(&two.piece(&stray), "2020-01-01");
    let said = two.a.yatsu(&["share", "prune", "--before", "2021-01"]).expect(3);
    assert!(said.err.contains("no reading anywhere names evidence"), "{}", said.err);
    assert!(two.piece(&stray).exists());
}

#[test]
fn what_a_branch_of_the_remote_names_is_needed_although_no_ref_here_leads_to_it() {
    let (two, [one, _]) = shared_and_old();
    two.a.git(&["checkout", "-q", "-b", "other"]);
    let theirs = two.file("renders", "they measured\n");
    two.publish();
    two.a.yatsu(&["share", "push"]).expect(0);
    two.a.git(&["checkout", "-q", "main"]);
    two.a.git(&["branch", "-q", "-D", "other"]);
    two.a.git(&["update-ref", "-d", "refs/remotes/origin/other"]);
    for name in ["logs", "FETCH_HEAD", "ORIG_HEAD"] {
        let path = two.a.root.join(".git").join(name);
        let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
    }
    [&one, &theirs].into_iter().for_each(|hash| age(&two.piece(hash), "2020-01-01"));
    let said = two.a.yatsu(&["share", "prune", "--before", "2021-01"]).expect(0);
    assert!(last(&said).contains(", 2 needed"), "{}", said.out);
    assert!(two.piece(&theirs).exists());
}
