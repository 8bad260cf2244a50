//! Pushes with every memo and with none.

use super::super::said::{Side, pushed_to};
use super::{Memos, World, place};
use crate::support::oid;
use std::fs;
use yatsu_hook::app::doors::push::refs::Update;
use yatsu_hook::app::memo;
use yatsu_hook::tree::oid::Oid;

impl World {
    /// An imminent push of some commit to a branch with another one: the answer must be the same without any memo and with
    /// every memo.
    pub(super) fn push(&mut self) {
        let count = [1, 1, 2, 3][self.dice.roll(4)];
        let updates: Vec<Update> = (0..count).map(|at| self.update(at)).collect();
        let side = if self.dice.roll(3) == 0 { Side::Here } else { Side::There };
        let refs = self.git(&["for-each-ref", "--format=%(objectname) %(refname)"]);
        let refs: Vec<(&str, &str)> = refs.lines().filter_map(|line| line.split_once(' ')).collect();
        // received commits are on no ref yet
        for (old, name) in updates[0]
            .old
            .iter()
            .filter(|_| matches!(side, Side::Here))
            .flat_map(|old| refs.iter().map(move |(_, name)| (old.to_string(), *name)))
        {
            self.git(&["update-ref", name, &old]);
        }
        self.push_of(side, &updates);
        for (id, name) in refs {
            self.git(&["update-ref", name, id]);
        }
    }

    /// Some commit for a branch with another one, or for a new branch.
    fn update(&mut self, at: usize) -> Update {
        let some = self.git(&["rev-list", "--all", "--max-count=12"]);
        let new = self.dice.pick(&some.lines().collect::<Vec<_>>()).to_owned();
        let before = self.git(&["rev-list", "--max-count=3", &new]);
        let from = if self.dice.roll(8) == 0 { &some } else { &before };
        let old = self.dice.pick(&from.lines().collect::<Vec<_>>()).to_owned();
        let [new, old] = [new, old].map(|hex| oid(&hex));
        let name = [["refs/heads/main", "refs/heads/topic"], ["refs/heads/a", "refs/tags/b"], ["refs/heads/c"; 2]][at];
        let old = Some(old).filter(|_| at == 0 || self.dice.roll(3) > 0);
        Update { name: self.dice.pick(&name).into(), new: Some(new), old }
    }

    fn push_of(&mut self, side: Side, updates: &[Update]) {
        let files = self.memo_files();
        let stood = files.each_ref().map(|file| fs::read(file).ok());
        place(&files, [None, None]);
        let whole = self.without_anchors(|world| pushed_to(&world.repo_with_git(), side, updates));
        let kept: Vec<Memos<'_>> = self.memos.iter().map(|bytes| [Some(&**bytes), None]).collect();
        let (mut told, now) = (self.told, [stood[0].as_deref(), stood[1].as_deref()]);
        let new_tree = self.adding(updates);
        for memos in kept.into_iter().chain([now]) {
            place(&files, memos);
            let with = pushed_to(&self.repo_with_git(), side, updates);
            assert_eq!(with.said, whole.said, "{side:?} {updates:?}");
            told.pushed += 1;
            told.brief += usize::from(with.brief);
            told.several += usize::from(with.brief && updates.len() > 1);
            told.received += usize::from(with.brief && matches!(side, Side::Here));
            told.loud_pushes += usize::from(with.brief && with.loud);
            told.unproven += usize::from(with.brief && with.said.contains("PromotedUnproven"));
            let memo = memos[0].and_then(memo::PathsMemo::decode);
            told.ahead += usize::from(with.brief && new_tree.is_some() && memo.map(|memo| memo.tree) == new_tree);
        }
        self.told = told;
        place(&files, now);
    }

    /// The tree of the pushed commit, if one branch gets a file.
    fn adding(&self, updates: &[Update]) -> Option<Oid> {
        let [Update { old: Some(old), new: Some(new), .. }] = updates else { return None };
        let added =
            self.git(&["diff", "--name-only", "--no-renames", "--diff-filter=A", &old.to_string(), &new.to_string()]);
        (!added.is_empty()).then(|| oid(self.git(&["rev-parse", &format!("{new}^{{tree}}")]).trim()))
    }
}
