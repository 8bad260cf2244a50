//! Questions about the order of commits, answered from their own bytes: which of them are new to somebody, and which of
//! several lead to others. Ids in, ids out. For the few commits of an ordinary push; whoever asks has the git program for
//! everything else: `None` means that it must tell.
//!
//! Dates decide how far is looked, as git does it: a commit is taken to be older than those that it leads to, with some
//! [`SLOP`]. What no date can prove is walked to the end, or left to git.

use super::commit;
use super::commit::{Commit, CommitLookup, Peeled};
use super::native::objects::ObjectStore;
use super::program::NewCommit;
use crate::error::Result;
use crate::tree::oid::Oid;
use foldhash::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// So many new commits are looked at before anything known is: most pushes end sooner.
const EAGER: usize = 256;
/// So many known commits are looked at; git lists more of them in less time.
const MOST_KNOWN: usize = 20_000;
/// So many more when all that is left is older than what is new: clocks differ. As many as git looks at.
const SLOP: usize = 5;
/// So many commits are told apart by who leads to them.
const MOST_ASKED: usize = 64;

/// Which commits are new.
pub(super) struct Fresh<'a> {
    /// The commits that they lead to.
    pub(super) tips: &'a [Oid],
    /// Commits that are known.
    pub(super) known: &'a [Oid],
    /// What else is known: commits, or tags of some. Asked for where that is needed; `None` where only git can list it.
    pub(super) others: &'a dyn Fn() -> Result<Option<Vec<Oid>>>,
    /// Whether an object came just now and nothing known can lead to it; always `false` where nobody can tell.
    pub(super) came: &'a dyn Fn(&Oid) -> Result<bool>,
}

/// A commit that was met.
struct Met {
    id: Oid,
    /// What it says, once it was read.
    said: Option<Said>,
    /// Whether it waits to be looked at.
    waits: bool,
    /// Whether its parents have heard of it.
    done: bool,
    known: bool,
    /// Who leads to it, one bit for each.
    by: u64,
}

struct Said {
    tree: Oid,
    date: i64,
    parents: Vec<usize>,
}

/// The commits that were met so far.
struct Ancestry<'s> {
    store: &'s dyn ObjectStore,
    met: Vec<Met>,
    index: HashMap<Oid, usize>,
    /// Those that wait, the newest first; of one date the one that came first.
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

    /// Reads a commit; `false` where there is none of that id.
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

    /// The parents of a commit that was read.
    fn parents(&self, at: usize) -> &[usize] {
        self.met[at].said.as_ref().map_or(&[], |said| &said.parents)
    }

    fn date(&self, at: usize) -> i64 {
        self.met[at].said.as_ref().map_or(0, |said| said.date)
    }

    /// Puts a commit that was read among those that wait.
    fn wait(&mut self, at: usize) {
        self.met[at].waits = true;
        self.queued += 1;
        self.queue.push((self.date(at), Reverse(self.queued), at));
    }

    /// The next one of those that wait.
    fn next(&mut self) -> Option<usize> {
        let (_, _, at) = self.queue.pop()?;
        self.met[at].waits = false;
        self.met[at].done = true;
        Some(at)
    }
}

/// The commits of `fresh` that nothing known leads to, parents before children, in git's order; `None` where only git can
/// tell.
///
/// # Errors
/// When a commit cannot be read.
pub(super) fn new_commits(store: &dyn ObjectStore, fresh: &Fresh<'_>) -> Result<Option<Vec<NewCommit>>> {
    let mut news = News::new(store, fresh);
    if !news.eagerly(usize::MAX, fresh.came)? {
        return Ok(None);
    }
    if !news.open.is_empty() {
        let Some(others) = (fresh.others)()? else { return Ok(None) };
        others.into_iter().for_each(|id| news.know(id));
        let came = news.new.len();
        if !news.eagerly(EAGER, &|_| Ok(true))? {
            return Ok(None);
        }
        // What came just now, and leads to known commits alone, is all that is new: nothing known leads back to it.
        let all_came = news.open.is_empty() && news.new.len() == came;
        if !all_came && !news.by_date()? {
            return Ok(None);
        }
    }
    Ok(Some(news.sorted(fresh.tips)))
}

/// A walk for what is new.
struct News<'s> {
    graph: Ancestry<'s>,
    /// Taken for new so far; what is found to be known later stays among them.
    new: Vec<usize>,
    /// New as far as is known, and not looked at yet.
    open: Vec<usize>,
    /// The known commits that were named, or tags of some.
    named: Vec<usize>,
    /// How many of those that wait are taken for new.
    waiting: usize,
}

impl<'s> News<'s> {
    fn new(store: &'s dyn ObjectStore, fresh: &Fresh<'_>) -> Self {
        let mut graph = Ancestry::new(store);
        let open: Vec<usize> = fresh.tips.iter().map(|tip| graph.meet(*tip)).collect();
        let mut news = Self { graph, new: Vec::new(), open, named: Vec::new(), waiting: 0 };
        fresh.known.iter().for_each(|id| news.know(*id));
        news
    }

    /// Takes a commit, and all that it leads to, for known.
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
            // it waited as something new
            self.waiting -= usize::from(met.waits);
            // its parents were told that they are new, too
            if met.done {
                open.extend(self.graph.parents(at));
            }
        }
    }

    /// Looks at what is new whatever its date, at most `most` commits, and no further than one that does not `go_on`: those
    /// stay open. `false` where one is missing.
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

    /// The one known commit that every new one leads to, where none of them leads anywhere else or begins a history. So it
    /// leads to none of them.
    fn end(&self) -> Option<usize> {
        let parents = || self.new.iter().map(|at| self.graph.parents(*at));
        let mut ends = parents().flatten().filter(|parent| self.graph.met[**parent].known);
        let end = ends.next()?;
        let alone =
            self.open.is_empty() && parents().all(|parents| !parents.is_empty()) && ends.all(|other| other == end);
        alone.then_some(*end)
    }

    /// Goes on with what is new and what is known together, the newest first, until all that is left is known and older
    /// than what is new; `false` where that is too far, or something is missing.
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

    /// Passes on to the parents of a commit what it is; `false` where one is missing.
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

    /// The same of what somebody named: a ref may lead to a tag, or to what no commit comes with.
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

    /// Has a commit wait unless its parents know already; `false` where it is missing.
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

    /// What is new: no child before its parents, each line of development in one piece, as git has it.
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
            // named twice as a tip
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

/// Those of `commits` that no other one of them leads to, in their order, each once; `None` where only git can tell.
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
    // Whom all of them lead to leads to none of them: the walk ends when only such wait. No date decides that, or of two
    // states of which one is older and has a fault the fault would seem to have been there all the time.
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
