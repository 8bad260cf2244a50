//! The staged difference: what the index holds against a tree. Purpose: the fast path of every hook. Two ways, the same
//! answer: the root tree that the index has cached, compared by ids; or an exact walk over the entries. Neither reads
//! libgit2's index. When neither can tell, the caller asks the git program. Writes nothing.

use super::index::{Cursor, Defect, Extensions, Index};
use super::tree_ext::{CacheTree, Extension, find_from_end};
use super::trees::{Changes, SortedName, Stop, TreeData, TreeItem, Trees, is_safe_path, refuse_deep};
use crate::error::{Error, Result};
use crate::repo::Backend;
use crate::repo::change::PathChange;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::cmp::Ordering;
use std::rc::Rc;

/// How the answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The index's cached root tree against the base tree.
    CachedRoot,
    /// A walk over the entries.
    Walk,
    /// The git program.
    Program,
}

/// The staged difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// What differs, sorted by path bytes; renames are a deletion and an addition.
    pub changes: Vec<PathChange>,
    /// Whether our own reader or the git program compared.
    pub backend: Backend,
    /// How the answer was found; for reports.
    pub way: Way,
    /// The tree that the index is, where its file says so and the answer came of it.
    pub root: Option<Oid>,
}

/// Why there is no native answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The git program may know: the reason.
    AskProgram(String),
    /// Nothing can be said.
    Failed(Error),
}

impl From<Defect> for NoAnswer {
    fn from(defect: Defect) -> Self {
        Self::AskProgram(format!("the index {}", defect.as_str()))
    }
}

impl From<Error> for NoAnswer {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Stop> for NoAnswer {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Missing(id) => Self::AskProgram(format!("tree {id} is missing")),
            Stop::Failed(error) => Self::Failed(error),
        }
    }
}

/// What `index` holds against the tree `base` (`None`: the empty one). `shared` tells how many entries the shared index of
/// this checksum has.
pub(crate) fn staged(
    index: &Index,
    base: Option<Oid>,
    trees: &Trees,
    shared: &dyn Fn(&Oid) -> Option<u32>,
) -> Result<Staged, NoAnswer> {
    let found = find_from_end(index.bytes(), index.trailer(), index.count(), index.hash());
    let found = found.filter(|found| counts_all(index, found, shared));
    let found = found.map(|found| found.proven_by(|found| is_where_it_seems(index, found)));
    if let Some((root, changes)) = by_cached_root(found.as_ref(), base, trees)? {
        return Ok(Staged { root: Some(root), ..native(changes, Way::CachedRoot) });
    }
    // whether what was found really is the TREE extension is known when the entries have been walked
    if let Some(found) = &found
        && let Some(tree) = found.tree()
        && let Ok((changes, extensions)) = walk(index, base, trees, Some(&tree))
        && extensions.tree.is_some_and(|range| range.start == found.at)
    {
        return Ok(native(changes, Way::Walk));
    }
    let (changes, _) = walk(index, base, trees, None)?;
    Ok(native(changes, Way::Walk))
}

/// Whether the cached root tree counts exactly the entries that a split index and what it shares make together.
fn counts_all(index: &Index, found: &Extension<'_>, shared: &dyn Fn(&Oid) -> Option<u32>) -> bool {
    let Some(link) = found.link else { return true };
    let entries = shared(&link.shared).and_then(|shared| link.entries(index.count(), shared));
    entries.is_some() && found.root.map(|(count, _)| count) == entries
}

/// Whether the extension stands there: told by where the entries end, which is where the extensions begin. An index whose
/// entries cannot be passed over is the walk's to refuse.
fn is_where_it_seems(index: &Index, found: &Extension<'_>) -> bool {
    let extensions = || index.each_entry(|entry| entry.check_mode());
    found.root.is_some() && extensions().is_ok_and(|known| known.tree.is_some_and(|range| range.start == found.at))
}

/// What an index without entries holds against `base`.
pub(crate) fn staged_nothing(base: Option<Oid>, trees: &Trees) -> Result<Staged, NoAnswer> {
    Ok(native(trees.diff(base, None)?, Way::Walk))
}

fn native(changes: Vec<PathChange>, way: Way) -> Staged {
    Staged { changes, backend: Backend::Native, way, root: None }
}

/// The difference by the index's cached root tree; `None` when there is none that is certain, or when one of its trees
/// was never written.
fn by_cached_root(
    found: Option<&Extension<'_>>,
    base: Option<Oid>,
    trees: &Trees,
) -> Result<Option<(Oid, Vec<PathChange>)>, Error> {
    let Some(found) = found.filter(|found| found.certain) else { return Ok(None) };
    let Some((_, root)) = found.root else { return Ok(None) };
    // A root whose tree was never written is of no use: only the entries know then what differs. Were a missing tree taken
    // for the empty one, every file would seem deleted.
    match trees.diff(base, Some(root)) {
        Ok(changes) => Ok(Some((root, changes))),
        Err(Stop::Missing(_)) => Ok(None),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// The difference by the entries themselves, and the extensions behind them. Directories whose record in `cached` is the
/// base's tree are passed over without reading that tree.
fn walk(
    index: &Index,
    base: Option<Oid>,
    trees: &Trees,
    cached: Option<&CacheTree<'_>>,
) -> Result<(Vec<PathChange>, Extensions), NoAnswer> {
    let mut walk = StagedWalk { cursor: index.cursor(), cached, trees, out: Changes::default(), prefix: Vec::new() };
    walk.all(base)?;
    let extensions = index.extensions(walk.cursor.position())?;
    Ok((walk.out.sorted(), extensions))
}

struct StagedWalk<'a> {
    cursor: Cursor<'a>,
    cached: Option<&'a CacheTree<'a>>,
    trees: &'a Trees,
    out: Changes,
    /// The directory being compared; ends in `/` unless it is the top.
    prefix: Vec<u8>,
}

/// One side's view of a directory.
struct Dir<'a> {
    tree: Option<Rc<TreeData>>,
    cached: Vec<(&'a [u8], usize)>,
}

/// What the cursor stands at, seen from the directory being compared.
enum Here {
    /// No more of this directory.
    Outside,
    /// An entry of this directory: the bytes of its name, and whether the entry lies below it.
    Name { len: usize, is_dir: bool },
}

impl<'a> StagedWalk<'a> {
    fn all(&mut self, base: Option<Oid>) -> Result<(), NoAnswer> {
        self.cursor.advance()?;
        self.dir(base, self.cached.map(CacheTree::root))?;
        // an entry left over was compared with nothing: to stop here would be a silent "nothing else is staged"
        if self.cursor.is_live() {
            return Err(Defect::Damaged("has entries that belong nowhere").into());
        }
        Ok(())
    }

    /// Compares the directory `prefix` of the index with the tree `base`; `cached` is its record in TREE.
    fn dir(&mut self, base: Option<Oid>, cached: Option<usize>) -> Result<(), NoAnswer> {
        refuse_deep(&self.prefix)?;
        // Only equal ids say that nothing differs: a record of another tree may name one that is not in the database.
        if let Some((count, id)) = self.valid(cached)
            && Some(id) == base
        {
            return self.skip(count);
        }
        let tree = base.map(|id| self.trees.get(&id)).transpose()?;
        let dir = Dir { tree, cached: self.records(cached) };
        let mut left = 0;
        loop {
            let old = dir.tree.as_ref().and_then(|tree| tree.get(left));
            let here = self.here()?;
            let order = match (&old, &here) {
                (None, Here::Outside) => return Ok(()),
                (Some(_), Here::Outside) => Ordering::Less,
                (None, Here::Name { .. }) => Ordering::Greater,
                (Some(old), Here::Name { len, is_dir }) => {
                    let start = self.prefix.len();
                    let name = &self.cursor.path()[start..start + len];
                    old.sorted_name().compare(SortedName { name, is_dir: *is_dir })
                }
            };
            // both sides go on only where their names are equal: else an entry would be compared with its neighbour's
            left += usize::from(order.is_le());
            match here {
                Here::Name { len, is_dir: true } if order.is_ge() => {
                    self.sub_dir(&dir, len, old.filter(|_| order.is_eq()))?
                }
                Here::Name { is_dir: false, .. } if order.is_ge() => self.file(old.filter(|_| order.is_eq()))?,
                _ => self.deleted(old)?,
            }
        }
    }

    fn valid(&self, record: Option<usize>) -> Option<(u32, Oid)> {
        self.cached?.node(record?).valid
    }

    fn records(&self, record: Option<usize>) -> Vec<(&'a [u8], usize)> {
        match (self.cached, record) {
            (Some(cached), Some(record)) => cached.children(record),
            _ => Vec::new(),
        }
    }

    /// Passes over the `count` entries of this directory, which must be exactly all of it.
    fn skip(&mut self, count: u32) -> Result<(), NoAnswer> {
        // A count that is too small would show the rest of the directory as added, one that is too large would swallow entries
        // of the next one: the walk begins again without TREE.
        for passed in 0..count {
            // entries are sorted: between two that lie in a directory all do
            if (passed == 0 || passed + 1 == count) && !self.is_inside() {
                return Err(Defect::Damaged("has a cached tree of the wrong size").into());
            }
            self.cursor.advance()?;
        }
        if self.is_inside() {
            return Err(Defect::Damaged("has a cached tree of the wrong size").into());
        }
        Ok(())
    }

    fn is_inside(&self) -> bool {
        self.cursor.is_live() && self.cursor.path().starts_with(&self.prefix)
    }

    fn here(&self) -> Result<Here, NoAnswer> {
        if !self.is_inside() {
            return Ok(Here::Outside);
        }
        let rest = &self.cursor.path()[self.prefix.len()..];
        let slash = rest.find_byte(b'/');
        let len = slash.unwrap_or(rest.len());
        if len == 0 {
            // a sparse directory ends in a slash too, and is git's to expand
            self.cursor.content()?;
            return Err(unsafe_path(self.cursor.path()).into());
        }
        Ok(Here::Name { len, is_dir: slash.is_some() })
    }

    fn sub_dir(&mut self, dir: &Dir<'a>, len: usize, old: Option<TreeItem<'_>>) -> Result<(), NoAnswer> {
        let start = self.prefix.len();
        let end = start + len + 1;
        let name = &self.cursor.path()[start..end - 1];
        let record = dir.cached.binary_search_by(|(other, _)| (*other).cmp(name)).ok();
        let record = record.map(|found| dir.cached[found].1);
        self.prefix.extend_from_slice(&self.cursor.path()[start..end]);
        self.dir(old.map(|item| item.id), record)?;
        self.prefix.truncate(start);
        Ok(())
    }

    /// Compares the file the cursor stands at, all its stages at once, and goes on.
    fn file(&mut self, old: Option<TreeItem<'_>>) -> Result<(), NoAnswer> {
        let path = self.cursor.path().to_vec();
        let old = old.map(|item| (item.mode, item.id));
        let unmerged = self.cursor.stage() != 0;
        // what is only meant to be added has the id of the empty blob, which `git commit` leaves out
        let new = match unmerged || self.cursor.intent_to_add() {
            true => None,
            false => Some(self.cursor.content()?),
        };
        if !is_safe_path(&path) {
            return Err(unsafe_path(&path).into());
        }
        if unmerged {
            self.out.push(PathChange { path: RepoPath::from_git(&path[..]), old, new, unmerged })?;
        } else {
            self.out.compare(&path, old, new)?;
        }
        // all stages of a conflict are one change: the second would stand against nothing and seem added
        while self.cursor.advance()? && self.cursor.path() == path {}
        Ok(())
    }

    fn deleted(&mut self, old: Option<TreeItem<'_>>) -> Result<(), NoAnswer> {
        let Some(old) = old else { return Ok(()) };
        let start = self.prefix.len();
        self.prefix.extend_from_slice(old.name);
        if old.mode.is_dir() {
            self.prefix.push(b'/');
            self.trees.all_deleted(&mut self.prefix, old.id, &mut self.out)?;
        } else {
            self.out.compare(&self.prefix, Some((old.mode, old.id)), None)?;
        }
        self.prefix.truncate(start);
        Ok(())
    }
}

/// The refusal of a path that would not stay inside the work tree or would reach into `.git`.
pub(crate) fn unsafe_path(path: &[u8]) -> Error {
    Error::unchecked(format!("the index holds the path {:?}, which is not safe to check out", path.as_bstr()))
        .hint("remove it with `git rm --cached`, or rebuild the index with `git read-tree HEAD`")
}

#[cfg(test)]
mod tests;
