//! The untracked files that git does not ignore. Only git can decide which files to ignore. But if the disk has no relevant
//! file at all, git is not asked, because starting git costs more than looking.

use super::listing::below;
use super::{WorkTreeView, disk};
use crate::error::Result;
use crate::repo::native::index::Tracked;
use crate::sys;
use crate::tree::path::RepoPath;
use crate::tree::{Ignored, StrayName, Want};
use bstr::ByteSlice;
use foldhash::HashMap;
use std::rc::Rc;

/// How many untracked names are visited before git is asked instead. A work tree with build output has many ignored files,
/// in directories that git does not enter.
const MAX_STRAYS: usize = 2_000;

struct UntrackedSearch<'e> {
    strays: Vec<RepoPath>,
    met: usize,
    /// Directories not searched yet, with the index entries below them.
    waiting: Vec<(RepoPath, &'e [Tracked])>,
}

impl WorkTreeView {
    /// The untracked files at or below `dir`, possibly with others from elsewhere; empty if no file satisfies `want`.
    pub(super) fn untracked(&self, dir: &RepoPath, want: Want<'_>) -> Result<Rc<[RepoPath]>> {
        if !self.is_parent_inside(dir)? {
            return Ok(Rc::default());
        }
        if let Some(known) = nearest(&self.untracked.borrow(), dir) {
            return Ok(known);
        }
        let matters = |path: &RepoPath| path.is_within(dir) && want(path);
        match self.strays(dir) {
            Some(strays) if !strays.iter().any(matters) => Ok(Rc::default()),
            _ => self.ask_untracked(dir),
        }
    }

    /// Whether the directory `dir`, in which git sees no file, has files on disk: then they are ignored.
    pub(super) fn holds_ignored(&self, dir: &RepoPath) -> Result<bool> {
        if !self.is_parent_inside(dir)? {
            return Ok(false);
        }
        Ok(self.strays(dir).is_none_or(|strays| strays.iter().any(|path| path.is_within(dir))))
    }

    /// The ignored files that satisfy `want`, below `dirs` or beside a tracked file. Other places are left out: tools keep
    /// copies of many files in completely ignored directories.
    pub(super) fn hidden_files(&self, dirs: &[RepoPath], want: Want<'_>) -> Result<Vec<Ignored>> {
        let root = RepoPath::root();
        let beside = |path: &RepoPath| path.parent().is_some_and(|dir| self.index.has_below(&dir));
        let in_dirs = |path: &RepoPath| dirs.iter().any(|dir| path.is_within(dir));
        // if the whole disk is too large to search, these directories may still be small enough
        let strays: Vec<RepoPath> = match self.strays(&root) {
            Some(strays) => strays.to_vec(),
            None => dirs.iter().filter_map(|dir| self.search(dir)).flatten().collect(),
        };
        let asked: Vec<RepoPath> =
            strays.into_iter().filter(|path| want(path) && (in_dirs(path) || beside(path))).collect();
        let mut hidden = self.git.ignored(&asked)?;
        hidden.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(hidden)
    }

    pub(super) fn is_parent_inside(&self, dir: &RepoPath) -> Result<bool> {
        dir.parent().map_or(Ok(true), |parent| self.is_inside(&parent))
    }

    fn ask_untracked(&self, dir: &RepoPath) -> Result<Rc<[RepoPath]>> {
        let files: Rc<[RepoPath]> = self.git.untracked(dir)?.into();
        self.untracked.borrow_mut().insert(dir.clone(), Rc::clone(&files));
        Ok(files)
    }

    /// All files on disk at or below `dir` that are not in the index, including ignored files and other repositories,
    /// possibly with others from elsewhere; `None` if there are too many or the search failed.
    fn strays(&self, dir: &RepoPath) -> Option<Rc<[RepoPath]>> {
        if let Some(known) = nearest(&self.strays.borrow(), dir) {
            return known;
        }
        let strays = self.search(dir).map(Rc::from);
        self.strays.borrow_mut().insert(dir.clone(), strays.clone());
        strays
    }

    fn search(&self, dir: &RepoPath) -> Option<Vec<RepoPath>> {
        match disk::look(&self.root, dir) {
            Ok(Some(about)) if about.is_dir() => {}
            Ok(None) => return Some(Vec::new()),
            Ok(Some(_)) if self.index.has(dir) => return Some(Vec::new()),
            _ => return None,
        }
        let waiting = vec![(dir.clone(), self.index.below(dir))];
        let mut search = UntrackedSearch { strays: Vec::new(), met: 0, waiting };
        let mut listed = Vec::new();
        while let Some((dir, entries)) = search.waiting.pop() {
            if !entries.is_empty() {
                // the way here has only directories, and the index has entries below each of them
                self.inside.borrow_mut().insert(dir.clone(), true);
            }
            let state = self.listed_state(&dir, entries);
            if let Some(found) = state.as_ref().and_then(|state| self.listings.get()?.found(&dir, state)) {
                found.iter().try_for_each(|stray| search.meet(&dir, entries, stray))?;
                continue;
            }
            let found = self.list(&mut search, &dir, entries)?;
            listed.extend(state.map(|state| (dir, state, found)));
        }
        // only after a complete search: of a work tree that is too large the memo would grow at every run
        if let Some(memory) = self.listings.get() {
            listed.into_iter().for_each(|(dir, state, found)| memory.learn(&dir, &state, &found.into()));
        }
        Some(search.strays)
    }

    /// Visits everything in `dir` that is not in the index.
    fn list<'e>(
        &self,
        search: &mut UntrackedSearch<'e>,
        dir: &RepoPath,
        entries: &'e [Tracked],
    ) -> Option<Vec<StrayName>> {
        let mut found = Vec::new();
        let mut whole = Some(());
        let mut see = |name: &[u8], is_dir: Option<bool>| {
            // not every file system reports the type in a listing
            let is_dir = is_dir.or_else(|| Some(disk::look(&self.root, &dir.child(name)).ok()??.is_dir()));
            whole = is_dir.and_then(|is_dir| {
                if name != b".git" && is_stray(entries, dir, name, is_dir) {
                    let stray = StrayName { name: name.into(), is_dir };
                    search.meet(dir, entries, &stray)?;
                    found.push(stray);
                }
                Some(())
            });
            whole.is_some()
        };
        sys::list(&disk::place(&self.root, dir), &mut see).ok()?;
        whole.map(|()| found)
    }
}

impl<'e> UntrackedSearch<'e> {
    /// Records a name in `dir` that is not in the index; `entries` are the index entries below `dir`.
    fn meet(&mut self, dir: &RepoPath, entries: &'e [Tracked], stray: &StrayName) -> Option<()> {
        let path = dir.child(&stray.name);
        let below = if stray.is_dir { below(entries, &path) } else { &[] };
        self.met += usize::from(below.is_empty());
        if stray.is_dir {
            self.waiting.push((path, below))
        } else {
            self.strays.push(path)
        }
        (self.met <= MAX_STRAYS).then_some(())
    }
}

/// Whether a name in `dir` is not in the index in this form. Most names are tracked files; git does not enter a submodule.
fn is_stray(entries: &[Tracked], dir: &RepoPath, name: &[u8], is_dir: bool) -> bool {
    child(entries, dir, name).is_none_or(|known| is_dir && !known.is_submodule())
}

/// The first of the sorted `entries`, all below `dir`, with the path `dir/name`.
fn child<'e>(entries: &'e [Tracked], dir: &RepoPath, name: &[u8]) -> Option<&'e Tracked> {
    let start = if dir.is_root() { 0 } else { dir.as_bstr().len() + 1 };
    let order = |entry: &Tracked| entry.path.as_bstr().as_bytes()[start..].cmp(name);
    let at = entries.partition_point(|entry| order(entry).is_lt());
    entries.get(at).filter(|entry| order(entry).is_eq())
}

/// The cached answer for `dir` or the nearest directory above it.
fn nearest<T: Clone>(known: &HashMap<RepoPath, T>, dir: &RepoPath) -> Option<T> {
    let mut dirs = std::iter::successors(Some(dir.clone()), RepoPath::parent);
    dirs.find_map(|dir| known.get(&dir).cloned())
}
