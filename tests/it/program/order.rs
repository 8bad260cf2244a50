//! New commits and their ancestry: our own reading of commits compared with git's, in random histories.

use crate::support::real::door;
use crate::support::{Dice, Scratch, fed, oid, real};
use std::fmt::Write as _;
use yatsu_hook::repo::program::{NewCommit, NewCommits};
use yatsu_hook::tree::oid::Oid;

/// The number of commits in each history.
const COMMITS: usize = 40;

/// Random commits, some in the same second, with a few branches of a remote.
fn history(dice: &mut Dice) -> (Scratch, Vec<Oid>) {
    let scratch = Scratch::new();
    let (mut stream, mut date) = (String::new(), 1_767_225_600);
    for mark in 1..=COMMITS {
        date += dice.roll(3);
        let person = format!("A <a@example.invalid> {date} +0000");
        write!(stream, "commit refs/heads/c{mark}\nmark :{mark}\ncommitter {person}\ndata 1\nx\n").expect("text");
        let parents = if mark == 1 { 0 } else { [0, 1, 1, 1, 1, 2, 2, 3][dice.roll(8)] };
        let mut chosen: Vec<usize> =
            (0..parents).map(|_| 1 + dice.roll(mark - 1).max(mark.saturating_sub(9))).collect();
        chosen.retain(|parent| *parent < mark);
        chosen.dedup();
        for (at, parent) in chosen.iter().enumerate() {
            let verb = if at == 0 { "from" } else { "merge" };
            writeln!(stream, "{verb} :{parent}").expect("text");
        }
        write!(stream, "M 100644 inline f\ndata 2\n{:02}\n", mark).expect("text");
    }
    fed(scratch.git_command(&["fast-import", "--quiet", "--export-marks=.git/marks"]), stream).expect(0);
    let marks = scratch.read(".git/marks");
    let mut ids: Vec<(usize, Oid)> = marks
        .lines()
        .map(|line| line.trim_start_matches(':').split_once(' ').expect("a mark"))
        .map(|(mark, id)| (mark.parse().expect("a number"), oid(id)))
        .collect();
    ids.sort_by_key(|(mark, _)| *mark);
    let ids: Vec<Oid> = ids.into_iter().map(|(_, id)| id).collect();
    for branch in 0..dice.roll(5) {
        let id = ids[dice.roll(COMMITS)].to_string();
        scratch.git(&["update-ref", &format!("refs/remotes/origin/b{branch}"), &id]);
    }
    match dice.roll(3) {
        0 => drop(scratch.git(&["pack-refs", "--all"])),
        1 => drop(scratch.git(&["tag", "-a", "v1", "-m", "v1", &ids[dice.roll(COMMITS)].to_string()])),
        _ => drop(scratch.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/b0"])),
    }
    (scratch, ids)
}

fn recorded(commits: &[NewCommit]) -> Vec<(Oid, Vec<Oid>)> {
    commits.iter().map(|commit| (commit.id, commit.parents.clone())).collect()
}

fn some(dice: &mut Dice, ids: &[Oid], most: usize) -> Vec<Oid> {
    (0..dice.roll(most)).map(|_| ids[dice.roll(ids.len())]).collect()
}

/// `YATSU_FULL=1` runs a hundred histories.
#[test]
fn new_commits_and_their_order_are_the_ones_that_git_lists() {
    let full = std::env::var_os("YATSU_FULL").is_some();
    let mut told_by_us = 0;
    for seed in 0..if full { 100 } else { 4 } {
        println!("seed {seed}");
        let mut dice = Dice(seed);
        let (scratch, ids) = history(&mut dice);
        let (repo, git) = (real::repo(&scratch), door(&scratch));
        for _ in 0..12 {
            let (remote, all_refs) = (dice.roll(3) > 0, dice.roll(6) == 0);
            let wanted = NewCommits {
                tips: some(&mut dice, &ids, 4),
                known: some(&mut dice, &ids, 3),
                remote: remote.then(|| "origin".into()),
                all_refs,
            };
            let ours = repo.new_commits(&wanted).expect("ours");
            assert_eq!(recorded(&ours), recorded(&git.rev_list(&wanted).expect("git's")), "{wanted:?}");
            told_by_us += usize::from(ours.first().is_some_and(|commit| commit.tree.is_some()));
            let asked = [vec![ids[dice.roll(COMMITS)]], some(&mut dice, &ids, 5)].concat();
            assert_eq!(repo.independent(&asked).expect("ours"), git.independent(&asked).expect("git's"), "{asked:?}");
        }
    }
    assert!(told_by_us > 10, "{told_by_us}");
}

#[test]
fn where_history_is_cut_off_git_lists_it() {
    let mut dice = Dice(1);
    let (scratch, ids) = history(&mut dice);
    let tip = ids[COMMITS - 1];
    let wanted = NewCommits { tips: vec![tip], ..NewCommits::default() };
    assert!(real::repo(&scratch).new_commits(&wanted).expect("ours")[0].tree.is_some());
    scratch.write(".git/shallow", format!("{tip}\n"));
    let listed = real::repo(&scratch).new_commits(&wanted).expect("git's");
    assert_eq!(recorded(&listed), [(tip, Vec::new())]);
}

#[test]
fn what_git_knows_by_other_work_trees_is_not_new() {
    let mut dice = Dice(2);
    let (scratch, ids) = history(&mut dice);
    let tip = ids[COMMITS - 1].to_string();
    scratch.git(&["worktree", "add", "-q", "--detach", "../other", &tip]);
    let heads = scratch.git(&["for-each-ref", "--format=%(refname)"]);
    heads.lines().for_each(|name| drop(scratch.git(&["update-ref", "-d", name])));
    let wanted = NewCommits { tips: vec![ids[COMMITS - 1]], all_refs: true, ..NewCommits::default() };
    assert!(real::repo(&scratch).new_commits(&wanted).expect("git's").is_empty());
}
