//! The untracked files that git does not ignore. What to ignore is for git alone to say; but where the disk holds nothing
//! that could matter, ignored or not, there is nothing to ask, and starting git costs more than looking.

use super::listing::{below, get};
use super::{Reach, WorkTreeView, disk, stat};
use crate::error::Result;
use crate::repo::index::Tracked;
use crate::repo::path::RepoPath;
use foldhash::HashMap;
use std::fs::DirEntry;
use std::os::unix::ffi::OsStrExt;
use std::rc::Rc;

/// How many names that the index does not have are looked at before git is asked: whoever builds in the work tree has
/// directories of ignored files in it, which git does not enter.
const MAX_STRAYS: usize = 2_000;

/// A search for what the index does not have.
struct Search<'e> {
    strays: Vec<RepoPath>,
    met: usize,
    /// Directories not searched yet, with the entries below them.
    waiting: Vec<(RepoPath, &'e [Tracked])>,
}

impl WorkTreeView {
    /// The untracked files at or below `dir`, perhaps among others from elsewhere; empty, too, when `want` holds for none.
    pub(super) fn untracked(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Rc<[RepoPath]>> {
        if self.reach_of_parent(dir)? == Reach::Outside {
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

    fn reach_of_parent(&self, dir: &RepoPath) -> Result<Reach> {
        dir.parent().map_or(Ok(Reach::Inside), |parent| self.reach(&parent))
    }

    fn ask_untracked(&self, dir: &RepoPath) -> Result<Rc<[RepoPath]>> {
        let files: Rc<[RepoPath]> = self.git.untracked(dir)?.into();
        self.untracked.borrow_mut().insert(dir.clone(), Rc::clone(&files));
        Ok(files)
    }

    /// All that is on disk at or below `dir` and not in the index, ignored files and those of other repositories
    /// included, perhaps among others from elsewhere; `None` when that is too much or cannot be told.
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
        let mut search = Search { strays: Vec::new(), met: 0, waiting };
        while let Some((dir, entries)) = search.waiting.pop() {
            for entry in disk::place(&self.root, &dir).read_dir().ok()? {
                search.meet(&dir, entries, &entry.ok()?)?;
            }
        }
        Some(search.strays)
    }
}

impl<'e> Search<'e> {
    /// Takes note of an entry of `dir`, whose index entries are `entries`.
    fn meet(&mut self, dir: &RepoPath, entries: &'e [Tracked], entry: &DirEntry) -> Option<()> {
        let name = entry.file_name();
        if name == ".git" {
            return Some(());
        }
        let (path, is_dir) = (dir.child(name.as_bytes()), entry.file_type().ok()?.is_dir());
        let known = get(entries, &path);
        let below = if is_dir { below(entries, &path) } else { &[] };
        self.met += usize::from(known.is_none() && below.is_empty());
        match known {
            // git does not look into a submodule
            Some(known) if stat::is_gitlink(known) => {}
            _ if is_dir => self.waiting.push((path, below)),
            Some(_) => {}
            None => self.strays.push(path),
        }
        (self.met <= MAX_STRAYS).then_some(())
    }
}

/// What is known of `dir` or of the nearest directory above it.
fn nearest<T: Clone>(known: &HashMap<RepoPath, T>, dir: &RepoPath) -> Option<T> {
    let mut dirs = std::iter::successors(Some(dir.clone()), RepoPath::parent);
    dirs.find_map(|dir| known.get(&dir).cloned())
}
