//! Memos never change an answer: random work in random repositories, with commits that are amended, rebased, abandoned or
//! partial, in two work trees, on branches that come and go. Before each commit the gate must give the same answer, verbose
//! or not, with each kind of memo: a hook's new or old one from here or elsewhere, a scan's, a damaged one, one of another
//! version, and none. Scans with and without a memo of earlier anchors must agree too. `YATSU_FULL=1` runs three thousand
//! seeds.

mod asked;
mod edits;
mod pushed;
mod steps;

use super::EVIDENCE;
use crate::support::{Dice, Said, Scratch, real, sha256};
use std::fs;
use std::path::{Path, PathBuf};
use yatsu_hook::app::memo;
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::open::env::Env;

struct World {
    scratch: Scratch,
    dice: Dice,
    minute: u32,
    /// An old time for changed files.
    moment: u64,
    hash: String,
    /// The current work tree.
    top: PathBuf,
    /// Memos of any time, tree and work tree.
    memos: Vec<Vec<u8>>,
    /// The memos of parsed files of earlier scans.
    parsed: Vec<Vec<u8>>,
    told: Told,
}

/// The memo of the work tree, and the shared one.
type Memos<'a> = [Option<&'a [u8]>; 2];

/// Counts of how the memos were used.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    /// Judged commits.
    judged: usize,
    /// Compared reports.
    compared: usize,
    /// Commits for which the newest memo was enough.
    enough: usize,
    /// Such commits with findings.
    loud: usize,
    /// Memos written by a hook.
    left: usize,
    /// Compared reports of pushes.
    pushed: usize,
    /// Pushes for which the memo was enough.
    brief: usize,
    /// Such pushes with findings.
    loud_pushes: usize,
    /// Such pushes of a scenario without proof to the main branch.
    unproven: usize,
    /// Such pushes of an added file by the memo of the pushed commit.
    ahead: usize,
    /// Compared scans.
    scanned: usize,
    /// Rows of questions about one node.
    asked: usize,
    /// Scans that wrote a memo of parsed files.
    remembered: usize,
    /// Such pushes with several refs.
    several: usize,
    /// Such pushes received here.
    received: usize,
    /// Merges for which the memo was enough.
    merged: usize,
}

impl Told {
    fn and(self, more: Self) -> Self {
        Self {
            judged: self.judged + more.judged,
            compared: self.compared + more.compared,
            enough: self.enough + more.enough,
            loud: self.loud + more.loud,
            left: self.left + more.left,
            pushed: self.pushed + more.pushed,
            brief: self.brief + more.brief,
            loud_pushes: self.loud_pushes + more.loud_pushes,
            unproven: self.unproven + more.unproven,
            ahead: self.ahead + more.ahead,
            scanned: self.scanned + more.scanned,
            asked: self.asked + more.asked,
            remembered: self.remembered + more.remembered,
            several: self.several + more.several,
            received: self.received + more.received,
            merged: self.merged + more.merged,
        }
    }
}

impl World {
    fn new(seed: u64) -> Self {
        let scratch = Scratch::new();
        let top = scratch.root.clone();
        let (dice, hash) = (Dice(seed), sha256(EVIDENCE));
        let mut world = Self {
            scratch,
            dice,
            minute: 0,
            moment: 0,
            hash,
            top,
            memos: Vec::new(),
            parsed: Vec::new(),
            told: Told::default(),
        };
        world.write("f.rs", "first\n");
        for _ in 0..8 {
            world.edit();
        }
        if seed.is_multiple_of(2) {
            world.decide();
        }
        world.commit("first");
        world
    }

    pub(super) fn try_git(&self, args: &[&str]) -> Said {
        let top = self.top.to_str().expect("UTF-8");
        self.scratch.try_git(&[&["-C", top], args].concat())
    }

    pub(super) fn git(&self, args: &[&str]) -> String {
        self.try_git(args).expect(0).out
    }

    pub(super) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", message]);
    }

    pub(super) fn repo(&self, index: Option<&Path>) -> Repo {
        let index_file = index.map(Path::to_owned);
        let env = Env { euid: rustix::process::geteuid().as_raw(), index_file, ..Env::default() };
        Repo::open(&env, &self.top).expect("a repository")
    }

    /// The repository read through the git program, which alone knows the order of commits.
    pub(super) fn repo_with_git(&self) -> Repo {
        real::repo_at(&self.scratch, &self.top, &[])
    }

    /// The paths of the work tree's memo and of the shared one.
    pub(super) fn memo_files(&self) -> [PathBuf; 2] {
        let repo = self.repo(None);
        [&repo.git_dir, &repo.common_dir].map(|dir| memo::paths_file(dir))
    }
}

/// Writes these memos to these files, and removes others.
pub(super) fn place(files: &[PathBuf; 2], memos: Memos<'_>) {
    // in the main work tree both are one file
    let count = if files[0] == files[1] { 1 } else { 2 };
    for (file, bytes) in files.iter().zip(memos).take(count) {
        let _ = fs::remove_file(file);
        if let Some(bytes) = bytes {
            fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
            fs::write(file, bytes).expect("a memo");
        }
    }
}

fn run(seed: u64) -> Told {
    let mut world = World::new(seed);
    if seed.is_multiple_of(3) {
        world.scan();
    }
    for _ in 0..10 {
        world.round();
        world.push();
        if world.dice.roll(3) == 0 {
            world.travel();
        }
    }
    world.told
}

/// [`crate::support::seeds`] gives the seeds.
#[test]
fn answers_are_the_same_with_every_memo() {
    let seeds = crate::support::seeds(24, 3000);
    let mut sum = Told::default();
    for seed in &seeds {
        println!("YATSU_SEED={seed}");
        sum = sum.and(run(*seed));
    }
    println!("{sum:?}");
    if seeds.len() >= 24 {
        assert!(
            sum.enough * 10 > sum.judged * 3 && sum.loud * 15 > sum.judged && sum.left * 10 > sum.judged * 8,
            "{sum:?}"
        );
        assert!(sum.brief * 40 > sum.pushed && sum.several > 0 && sum.received > 0, "{sum:?}");
        assert!(sum.unproven > 0 && sum.ahead > 0 && sum.asked > 0, "{sum:?}");
        assert!(sum.scanned > 0 && sum.remembered > 0, "{sum:?}");
    }
}
