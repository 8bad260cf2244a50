//! The staged difference between the index and a tree: the fast path of every hook. Two ways lead to the same answer: the
//! cached root tree of the index, compared by ids, or an exact walk over the entries. Neither uses libgit2's index. If both
//! fail, the caller asks the git program. Writes nothing.

use super::index::{Cursor, Defect, Index};
use super::tree_ext::{CacheTree, Extension, find_from_end};
use super::trees::{Changes, SortedName, Stop, TreeData, TreeItem, Trees, is_safe_path, refuse_deep};
use crate::error::{Error, Result};
use crate::repo::change::PathChange;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::cmp::Ordering;
use std::ops::Range;
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
    /// The changes, sorted by path bytes; a rename is a deletion and an addition.
    pub changes: Vec<PathChange>,
    /// How the answer was found; for reports.
    pub way: Way,
    /// The root tree of the index, if the answer came from its cached id.
    pub root: Option<Oid>,
}

/// Why there is no native answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The git program may know; with the reason.
    AskProgram(String),
    /// An error that the git program cannot help with.
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

/// The difference of `index` and the tree `base` (`None`: the empty tree). `shared` returns the number of entries of the
/// shared index with this checksum.
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
    // only the walk over the entries shows whether the candidate really is the TREE extension
    if let Some(found) = &found
        && let Some(tree) = found.tree()
        && let Ok((changes, Some(range))) = walk(index, base, trees, Some(&tree))
        && range.start == found.at
    {
        return Ok(native(changes, Way::Walk));
    }
    let (changes, _) = walk(index, base, trees, None)?;
    Ok(native(changes, Way::Walk))
}

/// Whether the cached root tree counts exactly the entries of a split index and its shared index together.
fn counts_all(index: &Index, found: &Extension<'_>, shared: &dyn Fn(&Oid) -> Option<u32>) -> bool {
    let Some(link) = found.link else { return true };
    let entries = shared(&link.shared).and_then(|shared| link.entries(index.count(), shared));
    entries.is_some() && found.root.map(|(count, _)| count) == entries
}

/// Whether the extension really is there: the extensions begin at the end of the entries. An index with unreadable entries
/// is left to the walk, which refuses it.
fn is_where_it_seems(index: &Index, found: &Extension<'_>) -> bool {
    let tree = || index.each_entry(|entry| entry.check_mode());
    found.root.is_some() && tree().is_ok_and(|range| range.is_some_and(|range| range.start == found.at))
}

/// The difference of an index without entries and `base`.
pub(crate) fn staged_nothing(base: Option<Oid>, trees: &Trees) -> Result<Staged, NoAnswer> {
    Ok(native(trees.diff(base, None)?, Way::Walk))
}

fn native(changes: Vec<PathChange>, way: Way) -> Staged {
    Staged { changes, way, root: None }
}

/// The difference by the index's cached root tree; `None` if none is certain, or if one of its trees was never written.
fn by_cached_root(
    found: Option<&Extension<'_>>,
    base: Option<Oid>,
    trees: &Trees,
) -> Result<Option<(Oid, Vec<PathChange>)>, Error> {
    let Some(found) = found.filter(|found| found.certain) else { return Ok(None) };
    let Some((_, root)) = found.root else { return Ok(None) };
    // A root that was never written as a tree is useless: only the entries know the difference then. If a missing tree
    // counted as empty, every file would seem deleted.
    match trees.diff(base, Some(root)) {
        Ok(changes) => Ok(Some((root, changes))),
        Err(Stop::Missing(_)) => Ok(None),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// The difference by the entries, and the position of TREE after them. A directory is skipped without reading its tree if
/// its record in `cached` names the base's tree.
fn walk(
    index: &Index,
    base: Option<Oid>,
    trees: &Trees,
    cached: Option<&CacheTree<'_>>,
) -> Result<(Vec<PathChange>, Option<Range<usize>>), NoAnswer> {
    let mut walk = StagedWalk { cursor: index.cursor(), cached, trees, out: Changes::default(), prefix: Vec::new() };
    walk.all(base)?;
    let tree = index.tree_extension(walk.cursor.position())?;
    Ok((walk.out.sorted(), tree))
}

struct StagedWalk<'a> {
    cursor: Cursor<'a>,
    cached: Option<&'a CacheTree<'a>>,
    trees: &'a Trees,
    out: Changes,
    /// The directory being compared; ends in `/` unless it is the top.
    prefix: Vec<u8>,
}

/// A directory being compared: the base's tree, and the index's records of its subdirectories.
struct Dir<'a> {
    tree: Option<Rc<TreeData>>,
    cached: Vec<(&'a [u8], usize)>,
}

/// The cursor's position, seen from the directory being compared.
enum Here {
    /// After the end of this directory.
    Outside,
    /// At an entry of this directory: the length of its name, and whether the name is a directory.
    Name { len: usize, is_dir: bool },
}

impl<'a> StagedWalk<'a> {
    fn all(&mut self, base: Option<Oid>) -> Result<(), NoAnswer> {
        self.cursor.advance()?;
        self.dir(base, self.cached.map(CacheTree::root))?;
        // an entry left over was never compared: to stop here would hide a staged change
        if self.cursor.is_live() {
            return Err(Defect::Damaged("has entries that belong nowhere").into());
        }
        Ok(())
    }

    /// Compares the directory `prefix` of the index with the tree `base`; `cached` is its record in TREE.
    fn dir(&mut self, base: Option<Oid>, cached: Option<usize>) -> Result<(), NoAnswer> {
        refuse_deep(&self.prefix)?;
        // Only equal ids prove that nothing differs: another id may name a tree that is not in the database.
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
            // both sides advance only if their names are equal: otherwise an entry would be compared with its neighbour
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

    /// Skips the `count` entries of this directory, which must be exactly all of it.
    fn skip(&mut self, count: u32) -> Result<(), NoAnswer> {
        // With a count that is too small, the rest of the directory would seem added; one that is too large would skip
        // entries of the next directory. So the walk begins again without TREE.
        for passed in 0..count {
            // entries are sorted: if the first and the last are in the directory, all are
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
            // a sparse directory ends in a slash too, and only git can expand it
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

    /// Compares the file at the cursor, all its stages at once, and advances.
    fn file(&mut self, old: Option<TreeItem<'_>>) -> Result<(), NoAnswer> {
        let path = self.cursor.path().to_vec();
        let old = old.map(|item| (item.mode, item.id));
        let unmerged = self.cursor.stage() != 0;
        // an intent to add has the id of the empty blob, and `git commit` leaves it out
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
        // all stages of a conflict are one change: a second one would be compared with nothing and seem added
        while self.cursor.advance()? && self.cursor.path() == path {}
        Ok(())
    }

    fn deleted(&mut self, old: Option<TreeItem<'_>>) -> Result<(), NoAnswer> {
        let Some(old) = old else { return Ok(()) };
        let start = self.prefix.len();
        self.prefix.extend_from_slice(old.name);
        if old.mode.is_dir() {
            self.prefix.push(b'/');
            self.trees.diff_dir(&mut self.prefix, Some(old.id), None, &mut self.out)?;
        } else {
            self.out.compare(&self.prefix, Some((old.mode, old.id)), None)?;
        }
        self.prefix.truncate(start);
        Ok(())
    }
}

/// The refusal of a path that would leave the work tree or reach into `.git`.
pub(crate) fn unsafe_path(path: &[u8]) -> Error {
    Error::unchecked(format!("the index holds the path {:?}, which is not safe to check out", path.as_bstr()))
        .hint("remove it with `git rm --cached`, or rebuild the index with `git read-tree HEAD`")
}

#[cfg(test)]
mod tests;
