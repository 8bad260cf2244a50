//! Questions about the order of commits, answered from the commit objects: which commits are new to a repository, and which
//! of several are ancestors of others. Ids in, ids out. It serves the few commits of an ordinary push; for everything else
//! it returns `None` and the caller asks the git program.
//!
//! As in git, dates limit the walk: a commit is assumed to be older than its descendants, with some [`SLOP`]. Without a
//! date that proves it, the walk goes to the end or is left to git.

use super::commit::{self, Commit, CommitLookup, Peeled};
use super::native::objects::ObjectStore;
use super::program::NewCommit;
use crate::error::Result;
use crate::tree::oid::Oid;
use foldhash::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many new commits are read before any known one: most pushes end sooner.
const EAGER: usize = 256;
/// How many known commits are read at most; git lists more of them faster.
const MOST_KNOWN: usize = 20_000;
/// How many more commits are read once all that are left are known and older than the new ones, because clocks differ; as
/// in git.
const SLOP: usize = 5;
/// How many commits [`independent`] can compare: each one has a bit in [`Met::by`].
const MOST_ASKED: usize = 64;

/// A commit that the walk has met.
struct Met {
    id: Oid,
    /// Its content, once it was read.
    said: Option<Said>,
    /// Whether it is in the queue.
    waits: bool,
    /// Whether it was processed: its state was passed on to its parents.
    done: bool,
    known: bool,
    /// A bit for each compared commit that leads to it.
    by: u64,
}

struct Said {
    tree: Oid,
    date: i64,
    parents: Vec<usize>,
}

/// The commits met so far.
struct Ancestry<'s> {
    store: &'s dyn ObjectStore,
    met: Vec<Met>,
    index: HashMap<Oid, usize>,
    /// The queue, newest first; with equal dates the first that was queued.
    queue: BinaryHeap<(i64, Reverse<usize>, usize)>,
    queued: usize,
}

impl<'s> Ancestry<'s> {
    fn new(store: &'s dyn ObjectStore) -> Self {
        Self { store, met: Vec::new(), index: HashMap::default(), queue: BinaryHeap::new(), queued: 0 }
    }

    fn meet(&mut self, id: Oid) -> usize {
        let met = &mut self.met;
        *self.index.entry(id).or_insert_with(|| {
            met.push(Met { id, said: None, waits: false, done: false, known: false, by: 0 });
            met.len() - 1
        })
    }

    /// Reads a commit; `false` if there is no commit of that id.
    fn read(&mut self, at: usize) -> Result<bool> {
        if self.met[at].said.is_some() {
            return Ok(true);
        }
        let CommitLookup::Commit(Commit { tree, parents, date }) = commit::look_up_whole(self.store, &self.met[at].id)?
        else {
            return Ok(false);
        };
        let parents = parents.into_iter().map(|parent| self.meet(parent)).collect();
        self.met[at].said = Some(Said { tree, date, parents });
        Ok(true)
    }

    fn parents(&self, at: usize) -> &[usize] {
        self.met[at].said.as_ref().map_or(&[], |said| &said.parents)
    }

    fn date(&self, at: usize) -> i64 {
        self.met[at].said.as_ref().map_or(0, |said| said.date)
    }

    /// Queues a commit that was read.
    fn wait(&mut self, at: usize) {
        self.met[at].waits = true;
        self.queued += 1;
        self.queue.push((self.date(at), Reverse(self.queued), at));
    }

    fn next(&mut self) -> Option<usize> {
        let (_, _, at) = self.queue.pop()?;
        self.met[at].waits = false;
        self.met[at].done = true;
        Some(at)
    }
}

/// The commits below `tips` that no known commit leads to, parents before children, in git's order; `None` if only git can
/// answer. `others` lists more commits, or tags of commits, that are known besides `known`, and is called only when needed;
/// its `None` means that only git can list them. `came`: whether an object just arrived, so that no known commit can lead
/// to it; always `false` if that cannot be decided.
///
/// # Errors
/// When a commit cannot be read.
pub(super) fn new_commits(
    store: &dyn ObjectStore,
    tips: &[Oid],
    known: &[Oid],
    others: &dyn Fn() -> Result<Option<Vec<Oid>>>,
    came: &dyn Fn(&Oid) -> Result<bool>,
) -> Result<Option<Vec<NewCommit>>> {
    let mut news = News::new(store, tips, known);
    if !news.eagerly(usize::MAX, came)? {
        return Ok(None);
    }
    if !news.open.is_empty() {
        let Some(others) = others()? else { return Ok(None) };
        others.into_iter().for_each(|id| news.know(id));
        let arrived = news.new.len();
        if !news.eagerly(EAGER, &|_| Ok(true))? {
            return Ok(None);
        }
        // If the arrived commits lead only to known ones, they are all that is new: no known commit leads back to them.
        let all_came = news.open.is_empty() && news.new.len() == arrived;
        if !all_came && !news.by_date()? {
            return Ok(None);
        }
    }
    Ok(Some(news.sorted(tips)))
}

struct News<'s> {
    graph: Ancestry<'s>,
    /// Commits taken for new so far. One that turns out to be known later stays in the list.
    new: Vec<usize>,
    /// Commits taken for new and not read yet.
    open: Vec<usize>,
    /// The known commits, or tags of commits, that the question named.
    named: Vec<usize>,
    /// How many commits in the queue are taken for new.
    waiting: usize,
}

impl<'s> News<'s> {
    fn new(store: &'s dyn ObjectStore, tips: &[Oid], known: &[Oid]) -> Self {
        let mut graph = Ancestry::new(store);
        let open: Vec<usize> = tips.iter().map(|tip| graph.meet(*tip)).collect();
        let mut news = Self { graph, new: Vec::new(), open, named: Vec::new(), waiting: 0 };
        known.iter().for_each(|id| news.know(*id));
        news
    }

    /// Marks a commit and all its ancestors as known.
    fn know(&mut self, id: Oid) {
        let at = self.graph.meet(id);
        self.named.push(at);
        self.mark(at);
    }

    fn mark(&mut self, at: usize) {
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            let met = &mut self.graph.met[at];
            if std::mem::replace(&mut met.known, true) {
                continue;
            }
            // it was queued as new
            self.waiting -= usize::from(met.waits);
            // its parents were marked as new too
            if met.done {
                open.extend(self.graph.parents(at));
            }
        }
    }

    /// Reads new commits regardless of their dates, at most `most`. A commit for which `go_on` is false stays open. Returns
    /// `false` if a commit is missing.
    fn eagerly(&mut self, most: usize, go_on: &dyn Fn(&Oid) -> Result<bool>) -> Result<bool> {
        let (mut left, mut later) = (most, Vec::new());
        while let Some(at) = self.open.pop() {
            let Met { id, known, done, .. } = self.graph.met[at];
            if known || done {
                continue;
            }
            if left == 0 || !go_on(&id)? {
                later.push(at);
                continue;
            }
            left -= 1;
            if !self.graph.read(at)? {
                return Ok(false);
            }
            self.graph.met[at].done = true;
            self.new.push(at);
            self.open.extend(self.graph.parents(at));
        }
        self.open = later;
        Ok(true)
    }

    /// The only known parent of the new commits, if there is exactly one and no new commit is a root. Every new commit
    /// leads to it, so it leads to no new commit.
    fn end(&self) -> Option<usize> {
        let parents = || self.new.iter().map(|at| self.graph.parents(*at));
        let mut ends = parents().flatten().filter(|parent| self.graph.met[**parent].known);
        let end = ends.next()?;
        let alone =
            self.open.is_empty() && parents().all(|parents| !parents.is_empty()) && ends.all(|other| other == end);
        alone.then_some(*end)
    }

    /// Walks new and known commits together, newest first, until only known ones are left that are older than all new ones.
    /// Returns `false` if that is too far, or a commit is missing.
    fn by_date(&mut self) -> Result<bool> {
        if let Some(end) = self.end() {
            self.graph.met[end].done = true;
        }
        for at in std::mem::take(&mut self.open) {
            if !self.wait(at)? {
                return Ok(false);
            }
        }
        for at in std::mem::take(&mut self.named) {
            if !self.wait_for_named(at)? {
                return Ok(false);
            }
        }
        let (mut slop, mut left) = (SLOP, MOST_KNOWN);
        let mut oldest = self.new.iter().map(|at| self.graph.date(*at)).min().unwrap_or(i64::MAX);
        while let Some((date, ..)) = self.graph.queue.peek().copied() {
            let is_behind = self.waiting == 0 && date < oldest;
            slop = if is_behind { slop.saturating_sub(1) } else { SLOP };
            let Some(at) = self.graph.next().filter(|_| slop > 0) else { break };
            if self.graph.met[at].known {
                left -= 1;
            } else {
                self.waiting -= 1;
                self.new.push(at);
                oldest = oldest.min(date);
            }
            if left == 0 || !self.tell(at)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Passes the state of a commit on to its parents; `false` if one is missing.
    fn tell(&mut self, at: usize) -> Result<bool> {
        for parent in self.graph.parents(at).to_vec() {
            if self.graph.met[at].known {
                self.mark(parent);
            }
            if !self.wait(parent)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Queues a named object: a ref may lead to a tag, or to a tree or blob.
    fn wait_for_named(&mut self, at: usize) -> Result<bool> {
        if self.graph.met[at].done {
            return Ok(true);
        }
        match commit::peel(self.graph.store, self.graph.met[at].id)? {
            Peeled::Commit(commit) => {
                let at = self.graph.meet(commit);
                self.mark(at);
                self.wait(at)
            }
            Peeled::Blob(_) | Peeled::Tree(_) => Ok(true),
            Peeled::Unknown => Ok(false),
        }
    }

    /// Queues a commit unless it is queued or processed; `false` if it is missing.
    fn wait(&mut self, at: usize) -> Result<bool> {
        let Met { known, waits, done, .. } = self.graph.met[at];
        if waits || done {
            return Ok(true);
        }
        if !self.graph.read(at)? {
            return Ok(false);
        }
        self.graph.wait(at);
        self.waiting += usize::from(!known);
        Ok(true)
    }

    /// The new commits in git's order: parents before children, each line of development in one piece.
    fn sorted(&self, tips: &[Oid]) -> Vec<NewCommit> {
        let met = &self.graph.met;
        let new: Vec<usize> = self.new.iter().copied().filter(|at| !met[*at].known).collect();
        let mut children: HashMap<usize, usize> = new.iter().map(|at| (*at, 0)).collect();
        for parent in new.iter().flat_map(|at| self.graph.parents(*at)) {
            children.entry(*parent).and_modify(|count| *count += 1);
        }
        let mut ready: Vec<usize> = tips.iter().filter_map(|tip| self.graph.index.get(tip).copied()).collect();
        ready.retain(|at| children.get(at) == Some(&0));
        ready.sort_by_key(|at| Reverse(self.graph.date(*at)));
        // the last one is taken first
        ready.reverse();
        let mut sorted = Vec::with_capacity(new.len());
        while let Some(at) = ready.pop() {
            // a tip that was named twice
            if children.remove(&at).is_none() {
                continue;
            }
            for parent in self.graph.parents(at) {
                if let Some(count) = children.get_mut(parent) {
                    *count -= 1;
                    ready.extend(Some(*parent).filter(|_| *count == 0));
                }
            }
            let said = met[at].said.as_ref();
            let parents = self.graph.parents(at).iter().map(|parent| met[*parent].id).collect();
            sorted.push(NewCommit { id: met[at].id, parents, tree: said.map(|said| said.tree) });
        }
        sorted.reverse();
        sorted
    }
}

/// The ones of `commits` that no other one leads to, in their order, each once; `None` if only git can answer.
///
/// # Errors
/// When a commit cannot be read.
pub(super) fn independent(store: &dyn ObjectStore, commits: &[Oid]) -> Result<Option<Vec<Oid>>> {
    let mut graph = Ancestry::new(store);
    let mut asked: Vec<usize> = Vec::new();
    for id in commits {
        let at = graph.meet(*id);
        if !asked.contains(&at) {
            asked.push(at);
        }
    }
    if asked.len() < 2 || asked.len() > MOST_ASKED {
        return Ok((asked.len() < 2).then(|| asked.iter().map(|at| graph.met[*at].id).collect()));
    }
    // A commit that all compared ones lead to leads to none of them, so the walk ends when only such commits are queued.
    // Dates play no part here: with a wrong date, a fault that only the older of two states has would seem inherited.
    let all = u64::MAX >> (MOST_ASKED - asked.len());
    for (bit, at) in asked.iter().enumerate() {
        graph.met[*at].by |= 1 << bit;
        if !graph.read(*at)? {
            return Ok(None);
        }
        graph.wait(*at);
    }
    let (mut left, mut open) = (MOST_KNOWN, asked.len());
    while let Some(at) = graph.next().filter(|_| open > 0) {
        let by = graph.met[at].by;
        open -= usize::from(by != all);
        left -= 1;
        if left == 0 {
            return Ok(None);
        }
        for parent in graph.parents(at).to_vec() {
            let Met { by: before, waits, .. } = graph.met[parent];
            let now = before | by;
            if now == before {
                continue;
            }
            if !graph.read(parent)? {
                return Ok(None);
            }
            graph.met[parent].by = now;
            if !waits {
                graph.wait(parent);
                open += usize::from(now != all);
            } else if now == all {
                open -= 1;
            }
        }
    }
    let own = |bit: usize| 1 << bit;
    let alone = asked.iter().enumerate().filter(|(bit, at)| graph.met[**at].by == own(*bit));
    Ok(Some(alone.map(|(_, at)| graph.met[*at].id).collect()))
}

#[cfg(test)]
mod tests;
