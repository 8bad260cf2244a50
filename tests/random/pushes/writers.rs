//! Three writers and a main branch, in memory. Every operation of git that merges ledgers calls the merge driver's own
//! function with git's arguments: the merge base, our side, their side.

use crate::support::reading_line;
use std::collections::{BTreeSet, HashSet};
use yatsu_hook::engine::merge::{Merged, merge};

/// The nodes' directories.
pub(super) const NODES: [&str; 2] = [".spec/one", ".spec/two"];
/// How many ledgers a commit has.
const LEDGERS: usize = NODES.len();
/// The scenarios of each node.
pub(super) const SCENARIOS: [&str; 1] = ["works"];

const STEPS: usize = 24;
const BRANCHES: [&str; 4] = ["main", "ann", "bob", "cyd"];
const NO_COMMIT: &str = "1234567890123456789012345678901234567890";

type Ledgers = [Vec<u8>; LEDGERS];

/// One commit.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub(super) parents: Vec<usize>,
    pub(super) ledgers: Ledgers,
}

/// The expected answer of the history rule to a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Honesty {
    /// Every line of the branch is still there.
    Kept,
    /// The branch was rewritten and commits were dropped: advice.
    Dropped,
    /// A committed line was edited or removed: an error.
    Tampered,
}

/// One push of one branch.
#[derive(Debug)]
pub(super) struct Push {
    pub(super) branch: &'static str,
    pub(super) old: Option<usize>,
    pub(super) new: usize,
    /// The other branches of the remote.
    pub(super) known: Vec<usize>,
    pub(super) honesty: Honesty,
}

/// One history and the pushes that happened in it.
pub(super) struct Story {
    pub(super) seed: u64,
    pub(super) commits: Vec<Commit>,
    pub(super) pushes: Vec<Push>,
    pub(super) merges: usize,
    random: u64,
    heads: [usize; 4],
    remote: [Option<usize>; 4],
    /// Whether a rewrite since the last push dropped commits.
    dropped: [bool; 4],
    filed: u32,
}

/// The history of `seed`.
pub(super) fn tell(seed: u64) -> Story {
    let root = Commit { parents: Vec::new(), ledgers: [Vec::new(), Vec::new()] };
    let mut story = Story {
        seed,
        commits: vec![root],
        pushes: Vec::new(),
        merges: 0,
        random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        heads: [0; 4],
        remote: [None; 4],
        dropped: [false; 4],
        filed: 0,
    };
    story.file(0);
    story.push(0);
    for _ in 0..STEPS {
        story.step();
    }
    story.merge(0, story.heads[1]);
    story.push(0);
    story.tamper(0);
    story
}

fn lines(ledger: &[u8]) -> Vec<&[u8]> {
    ledger.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect()
}

fn joined(lines: &[&[u8]]) -> Vec<u8> {
    lines.iter().flat_map(|line| [*line, b"\n"].concat()).collect()
}

impl Story {
    /// A number below `below`, by xorshift, so that a seed means the same everywhere.
    fn below(&mut self, below: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % below
    }

    fn step(&mut self) {
        let writer = 1 + self.below(3);
        match self.below(16) {
            0..=5 => self.file(writer),
            6 => self.merge(writer, self.heads[0]),
            7 => self.merge(0, self.heads[writer]),
            8 => {
                let other = self.heads[1 + self.below(3)];
                self.merge(writer, other);
            }
            9 => self.squash(writer),
            10 => self.rebase(writer, 0),
            11 => self.rebase(writer, 1),
            12 => self.cherry_pick(writer),
            13 => self.push(0),
            14 => self.push(writer),
            _ => self.tamper(writer),
        }
    }

    fn commit(&mut self, branch: usize, parents: Vec<usize>, ledgers: Ledgers) {
        self.commits.push(Commit { parents, ledgers });
        self.heads[branch] = self.commits.len() - 1;
    }

    fn head(&self, branch: usize) -> &Commit {
        &self.commits[self.heads[branch]]
    }

    /// One to three readings on top of a branch.
    fn file(&mut self, branch: usize) {
        let mut ledgers = self.head(branch).ledgers.clone();
        for _ in 0..=self.below(3) {
            self.filed += 1;
            let line = reading_line(NO_COMMIT, SCENARIOS[0], "pass", self.filed);
            let at = self.below(LEDGERS);
            ledgers[at].extend(line.bytes());
        }
        self.commit(branch, vec![self.heads[branch]], ledgers);
    }

    fn merge(&mut self, branch: usize, other: usize) {
        let ours = self.heads[branch];
        if self.ancestors(ours).contains(&other) {
            return;
        }
        let base = self.merge_base(ours, other);
        let merged = three_way(&base, &self.commits[ours].ledgers, &self.commits[other].ledgers);
        for side in [ours, other] {
            for (was, is) in self.commits[side].ledgers.iter().zip(&merged) {
                let is: HashSet<_> = lines(is).into_iter().collect();
                assert!(lines(was).iter().all(|line| is.contains(line)), "seed {}: a merge lost a line", self.seed);
            }
        }
        self.commit(branch, vec![ours, other], merged);
        self.merges += 1;
    }

    /// The branch's work on main as one commit.
    fn squash(&mut self, branch: usize) {
        let (ours, other) = (self.heads[0], self.heads[branch]);
        let base = self.merge_base(ours, other);
        let merged = three_way(&base, &self.commits[ours].ledgers, &self.commits[other].ledgers);
        self.commit(0, vec![ours], merged);
        self.merges += 1;
    }

    /// Repeats the branch's own commits on top of main. With `drop` some are left out, and the others come in reverse
    /// order.
    fn rebase(&mut self, branch: usize, drop: usize) {
        let onto = self.heads[0];
        let below = self.ancestors(onto);
        let own = self.ancestors(self.heads[branch]);
        let mut picks: Vec<usize> =
            own.difference(&below).copied().filter(|at| self.commits[*at].parents.len() == 1).collect();
        if drop > 0 {
            picks.reverse();
            let before = picks.len();
            picks.retain(|_| self.below(4) > 0);
            self.dropped[branch] |= picks.len() < before;
        }
        self.heads[branch] = onto;
        for pick in picks {
            self.pick(branch, pick);
        }
    }

    fn cherry_pick(&mut self, branch: usize) {
        let other = self.heads[1 + self.below(3)];
        if self.commits[other].parents.len() == 1 {
            self.pick(branch, other);
        }
    }

    fn pick(&mut self, branch: usize, pick: usize) {
        let Commit { parents, ledgers } = self.commits[pick].clone();
        let picked = three_way(&self.commits[parents[0]].ledgers, &self.head(branch).ledgers, &ledgers);
        self.commit(branch, vec![self.heads[branch]], picked);
    }

    fn push(&mut self, branch: usize) {
        let (old, new) = (self.remote[branch], self.heads[branch]);
        if old != Some(new) {
            let honesty = if self.dropped[branch] { Honesty::Dropped } else { Honesty::Kept };
            self.pushes.push(Push { branch: BRANCHES[branch], old, new, known: self.known(branch), honesty });
        }
        (self.remote[branch], self.dropped[branch]) = (Some(new), false);
    }

    fn known(&self, branch: usize) -> Vec<usize> {
        (0..4).filter(|other| *other != branch).filter_map(|other| self.remote[other]).collect()
    }

    /// A push that edits the past on top of a branch, or in a merge. The story goes on without it.
    fn tamper(&mut self, branch: usize) {
        self.push(branch);
        let head = self.heads[branch];
        let mut ledgers = self.commits[head].ledgers.clone();
        let full: Vec<usize> = (0..LEDGERS).filter(|at| !ledgers[*at].is_empty()).collect();
        let Some(at) = full.get(self.below(full.len().max(1))).copied() else { return };
        let before = ledgers[at].clone();
        let mut kept = lines(&before);
        let victim = self.below(kept.len());
        let edited = String::from_utf8_lossy(kept[victim]).replace("\"pass\"", "\"fail\"");
        match self.below(3) {
            0 => drop(kept.remove(victim)),
            1 => kept[victim] = edited.as_bytes(),
            _ => kept.clear(),
        }
        ledgers[at] = joined(&kept);
        let side = self.remote[self.below(4)].filter(|side| *side != head);
        let parents = if self.below(2) == 0 { vec![head] } else { std::iter::once(head).chain(side).collect() };
        self.commits.push(Commit { parents, ledgers });
        let new = self.commits.len() - 1;
        let known = self.known(branch);
        self.pushes.push(Push { branch: BRANCHES[branch], old: Some(head), new, known, honesty: Honesty::Tampered });
    }

    fn ancestors(&self, of: usize) -> BTreeSet<usize> {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![of]);
        while let Some(at) = todo.pop() {
            if seen.insert(at) {
                todo.extend(&self.commits[at].parents);
            }
        }
        seen
    }

    /// The common ancestor for git: if there are several, they are merged first.
    fn merge_base(&self, one: usize, other: usize) -> Ledgers {
        let common: BTreeSet<usize> = self.ancestors(one).intersection(&self.ancestors(other)).copied().collect();
        let is_below = |at: usize| common.iter().any(|other| *other != at && self.ancestors(*other).contains(&at));
        let best: Vec<usize> = common.iter().copied().filter(|at| !is_below(*at)).collect();
        let mut bases = best.iter();
        let mut first = *bases.next().expect("the root is common");
        let mut base = self.commits[first].ledgers.clone();
        for next in bases {
            base = three_way(&self.merge_base(first, *next), &base, &self.commits[*next].ledgers);
            first = *next;
        }
        base
    }
}

/// Merges every ledger by the driver, which has no reason to refuse in these histories.
fn three_way(base: &Ledgers, ours: &Ledgers, theirs: &Ledgers) -> Ledgers {
    std::array::from_fn(|at| match merge(&base[at], &ours[at], &theirs[at]) {
        Merged::Clean(bytes) => {
            let distinct: HashSet<_> = lines(&bytes).into_iter().collect();
            assert_eq!(distinct.len(), lines(&bytes).len(), "a merge doubled a line");
            bytes
        }
        Merged::Refused(bytes) => panic!("the driver refuses: {}", String::from_utf8_lossy(&bytes)),
    })
}
