//! Compares the content of a governed path in two trees (freshness.md, "What was measured"). An older tree and a governed
//! path in; equal or not out. The judged view is fixed, so answers about it are remembered. Knows nothing of readings,
//! stamps or renames.

use crate::error::Result;
use crate::model::governed::{Found, Governed};
use crate::model::links::{LinkEnd, Trace, trace};
use crate::model::resolve;
use crate::model::stamp::{self, Expansion};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::BString;
use foldhash::HashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::rc::Rc;

/// The files that a glob matches, by path.
type Matches = BTreeMap<RepoPath, Entry>;

/// The entries of a directory, by name.
type Children = BTreeMap<BString, Entry>;

/// The judged view, with remembered results of comparisons.
pub(crate) struct Contents<'a> {
    /// The judged view.
    pub view: &'a dyn Tree,
    children: ViewMemo<RepoPath, Rc<Children>>,
    ways: ViewMemo<RepoPath, Rc<Trace>>,
    expansions: ViewMemo<RepoPath, Rc<Expansion>>,
    matches: ViewMemo<RepoPath, Rc<Matches>>,
    /// Keyed by the id of the directory that the glob searches in the older tree: trees that share it share the answer.
    old_matches: ViewMemo<(Oid, RepoPath), Rc<Matches>>,
    /// Keyed by the id of the older directory and the compared place in the view.
    dirs: ViewMemo<(Oid, RepoPath), bool>,
}

/// One side of a comparison: a tree and a path in it.
#[derive(Clone, Copy)]
pub(crate) struct TreePlace<'t> {
    pub tree: &'t dyn Tree,
    pub path: &'t RepoPath,
}

/// An entry and its path; the tree is passed separately.
#[derive(Clone, Copy)]
struct PlacedEntry<'t> {
    path: &'t RepoPath,
    entry: Entry,
}

/// The result of comparing a governed path with an older tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// The same content, or absent from both.
    Same,
    /// Only the view has content there; it may have come by a rename.
    Appeared,
    /// Other content: the paths that moved, at least one.
    Moved(Vec<RepoPath>),
}

impl<'a> Contents<'a> {
    /// Starts with no answers about `view`.
    pub(crate) fn new(view: &'a dyn Tree) -> Self {
        Self {
            view,
            children: ViewMemo::default(),
            ways: ViewMemo::default(),
            expansions: ViewMemo::default(),
            matches: ViewMemo::default(),
            old_matches: ViewMemo::default(),
            dirs: ViewMemo::default(),
        }
    }

    /// The entries of the directory `dir` of the view; empty if it is no directory.
    ///
    /// # Errors
    /// The view cannot be read.
    pub(crate) fn children(&self, dir: &RepoPath) -> Result<Rc<Children>> {
        self.children.get(dir, || Ok(Rc::new(self.view.children(dir)?.into_iter().collect())))
    }

    /// The way to `path` in the view, through links.
    ///
    /// # Errors
    /// The view cannot be read.
    pub(crate) fn way(&self, path: &RepoPath) -> Result<Rc<Trace>> {
        self.ways.get(path, || trace(self.view, path).map(Rc::new))
    }

    /// The expansion of `governed`, a list entry with this usable path, in the view.
    ///
    /// # Errors
    /// The view cannot be read.
    pub(crate) fn expansion(&self, governed: &Governed, path: &RepoPath) -> Result<Rc<Expansion>> {
        self.expansions.get(path, || stamp::expand(self.view, governed).map(Rc::new))
    }

    /// Compares `governed`, a list entry with this usable path, between `old` and the view. Ignores renames.
    ///
    /// # Errors
    /// One of the trees cannot be read.
    pub(crate) fn compare(&self, old: &dyn Tree, governed: &Governed, path: &RepoPath) -> Result<Compared> {
        let (before, now) = (trace(old, path)?, self.way(path)?);
        if stamp::is_glob(governed) && is_nothing(&before) && is_nothing(&now) {
            return self.compare_matches(old, governed, path);
        }
        if self.same_way(old, &before, &now)? {
            return Ok(Compared::Same);
        }
        Ok(if is_nothing(&before) { Compared::Appeared } else { Compared::Moved(vec![path.clone()]) })
    }

    /// Whether the content at `old` is the content of the view at `here`. Follows links.
    ///
    /// # Errors
    /// One of the trees cannot be read.
    pub(crate) fn same(&self, old: TreePlace<'_>, here: &RepoPath) -> Result<bool> {
        self.same_way(old.tree, &trace(old.tree, old.path)?, &*self.way(here)?)
    }

    fn same_way(&self, old: &dyn Tree, before: &Trace, now: &Trace) -> Result<bool> {
        let texts = |way: &Trace| way.links.iter().map(|(_, id)| *id).collect::<Vec<_>>();
        if texts(before) != texts(now) {
            return Ok(false);
        }
        match (&before.end, &now.end) {
            (LinkEnd::At(there, was), LinkEnd::At(here, is)) => {
                let was = PlacedEntry { path: there, entry: *was };
                self.same_entry(old, was, PlacedEntry { path: here, entry: *is })
            }
            (LinkEnd::Absent(_), LinkEnd::Absent(_))
            | (LinkEnd::Outside, LinkEnd::Outside)
            | (LinkEnd::Circle, LinkEnd::Circle) => Ok(true),
            _ => Ok(false),
        }
    }

    /// Whether two entries have the same kind and content. Links are not followed.
    fn same_entry(&self, old: &dyn Tree, was: PlacedEntry<'_>, is: PlacedEntry<'_>) -> Result<bool> {
        let is_dir = was.entry.kind == Kind::Dir;
        if was.entry.kind != is.entry.kind {
            return Ok(false);
        }
        match (was.entry.id, is.entry.id) {
            (Some(was), Some(is)) => Ok(was == is),
            // The key needs the id of the older directory: an answer kept by path alone would be given for every anchor.
            (Some(id), None) if is_dir => {
                self.dirs.get(&(id, is.path.clone()), || self.same_children(old, was, is.path))
            }
            _ if is_dir => self.same_children(old, was, is.path),
            _ => {
                let before = stamp::stamped_entry(old, was.path, was.entry)?;
                Ok(before == stamp::stamped_entry(self.view, is.path, is.entry)?)
            }
        }
    }

    /// Whether the directory `dir` of `old` has the same content as `here` in the view.
    fn same_children(&self, old: &dyn Tree, dir: PlacedEntry<'_>, here: &RepoPath) -> Result<bool> {
        let before: Children = old.children_of(dir.path, dir.entry.id)?.into_iter().collect();
        let now = self.children(here)?;
        for name in before.keys().chain(now.keys()).collect::<BTreeSet<_>>() {
            let (path, here) = (dir.path.child(name), here.child(name));
            let same = match (before.get(name), now.get(name)) {
                (Some(was), Some(is)) => {
                    let was = PlacedEntry { path: &path, entry: *was };
                    self.same_entry(old, was, PlacedEntry { path: &here, entry: *is })?
                }
                (Some(was), None) => is_empty_dir(old, &path, *was)?,
                (None, Some(is)) => is_empty_dir(self.view, &here, *is)?,
                (None, None) => true,
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn compare_matches(&self, old: &dyn Tree, governed: &Governed, path: &RepoPath) -> Result<Compared> {
        if governed.found == Found::GlobLimit {
            return Ok(Compared::Same);
        }
        let top = searched_dir(path);
        let searched = old.entry(&top)?.and_then(|entry| entry.id);
        let same_tree = searched.is_some() && searched == self.view.entry(&top)?.and_then(|entry| entry.id);
        if same_tree {
            return Ok(Compared::Same);
        }
        let list = |tree: &dyn Tree| Ok(Rc::new(resolve::matches(tree, governed)?.into_iter().collect::<Matches>()));
        let now = self.matches.get(path, || list(self.view))?;
        let before = match searched {
            Some(id) => self.old_matches.get(&(id, path.clone()), || list(old))?,
            None => list(old)?,
        };
        if before.is_empty() && !now.is_empty() {
            return Ok(Compared::Appeared);
        }
        let moved = self.differing(old, &before, &now)?;
        Ok(if moved.is_empty() { Compared::Same } else { Compared::Moved(moved) })
    }

    fn differing(&self, old: &dyn Tree, before: &Matches, now: &Matches) -> Result<Vec<RepoPath>> {
        let mut moved = Vec::new();
        for path in before.keys().chain(now.keys()).collect::<BTreeSet<_>>() {
            let same = match (before.get(path), now.get(path)) {
                (Some(was), Some(is)) => {
                    let was = PlacedEntry { path, entry: *was };
                    self.same_entry(old, was, PlacedEntry { path, entry: *is })?
                }
                _ => false,
            };
            if !same {
                moved.push(path.clone());
            }
        }
        Ok(moved)
    }
}

/// Whether nothing is there, not even a link to a missing target.
fn is_nothing(way: &Trace) -> bool {
    way.links.is_empty() && matches!(way.end, LinkEnd::Absent(_))
}

/// git does not record directories without files; a disk or the tree of an index may have them.
fn is_empty_dir(tree: &dyn Tree, path: &RepoPath, entry: Entry) -> Result<bool> {
    Ok(entry.kind == Kind::Dir && tree.files(path, &|_| true)?.is_empty())
}

/// The directory that a glob cannot leave: its leading components without glob characters.
fn searched_dir(glob: &RepoPath) -> RepoPath {
    let plain = glob.components().take_while(|part| !part.iter().any(|byte| b"*?[{\\".contains(byte)));
    plain.fold(RepoPath::root(), |dir, part| dir.child(part))
}

/// Remembered answers that cannot change while one view is judged.
pub(crate) struct ViewMemo<K, V>(RefCell<HashMap<K, V>>);

impl<K, V> Default for ViewMemo<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Clone + Eq + Hash, V: Clone> ViewMemo<K, V> {
    /// The remembered answer, or the answer of `make`; a failure is not remembered.
    pub(crate) fn get(&self, key: &K, make: impl FnOnce() -> Result<V>) -> Result<V> {
        if let Some(known) = self.0.borrow().get(key) {
            return Ok(known.clone());
        }
        let made = make()?;
        self.0.borrow_mut().insert(key.clone(), made.clone());
        Ok(made)
    }
}
