//! Tree objects: a tree's bytes in, its entries out, each tree parsed once per process; and the difference of two trees,
//! reading only subtrees that differ. A tree that git could not have written is an error.

use super::objects::{Object, ObjectKind, ObjectStore};
use crate::error::{Error, Result, remedy};
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::{MAX_PATH, RepoPath, is_too_deep, names_git_dir};
use bstr::ByteSlice;
use foldhash::HashMap;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;

pub(crate) const MAX_TREE_ENTRIES: usize = 1_000_000;
/// Largest tree object that is read, in bytes.
pub(super) const MAX_TREE_BYTES: u64 = 256 << 20;
/// Most files that one question may list. Refuses a tree that contains itself a thousand times, but no large repository.
pub(crate) const MAX_FILES: usize = 5_000_000;
/// How many bytes of parsed trees are cached.
const CACHE_BYTES: usize = 64 << 20;

/// One parsed tree.
pub struct TreeData {
    raw: Vec<u8>,
    items: Vec<Slot>,
    hash: HashKind,
}

struct Slot {
    name: u32,
    len: u32,
    mode: Mode,
}

/// One entry of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeItem<'a> {
    /// Its name: one path component.
    pub name: &'a [u8],
    /// Its mode.
    pub mode: Mode,
    /// The id of its content.
    pub id: Oid,
}

impl<'a> TreeItem<'a> {
    /// Its name with its sort order in git.
    pub(crate) fn sorted_name(&self) -> SortedName<'a> {
        SortedName { name: self.name, is_dir: self.mode.is_dir() }
    }
}

impl TreeData {
    /// The entries in `raw`, the content of a tree object; the error says what is wrong with it.
    pub fn parse(raw: Vec<u8>, hash: HashKind) -> Result<Self, &'static str> {
        let mut tree = Self { items: Vec::with_capacity(raw.len() / 40), raw, hash };
        let mut at = 0;
        while at < tree.raw.len() {
            let slot = parse_slot(&tree.raw, at).ok_or("is cut short or malformed")?;
            at = (slot.name + slot.len) as usize + 1 + hash.len();
            // checked here, because `get` slices the id out of the bytes without a check
            if at > tree.raw.len() {
                return Err("is cut short");
            }
            tree.push(slot)?;
        }
        Ok(tree)
    }

    fn push(&mut self, slot: Slot) -> Result<(), &'static str> {
        let name = self.name(&slot);
        if !is_safe_name(name) {
            return Err("holds an entry with a name that is empty, `.`, `..`, `.git` or has a `/`");
        }
        if let Some(last) = self.items.last()
            && self.sorted_name(last).compare(self.sorted_name(&slot)) != Ordering::Less
        {
            return Err("is not sorted");
        }
        // In sorted entries the file `a` and the directory `a` may be far apart, so comparing neighbours does not find them.
        // Of two entries with one name a checkout keeps one, and we might judge the other.
        // All entries between the two begin with their name, and so does the file itself if nothing is between them.
        let follows = |last: &Slot| self.name(last).starts_with(name);
        if slot.mode.is_dir() && self.items.last().is_some_and(follows) && self.position(name, false).is_some() {
            return Err("holds a file and a directory of one name");
        }
        if self.items.len() >= MAX_TREE_ENTRIES {
            return Err("has more than 1,000,000 entries");
        }
        self.items.push(slot);
        Ok(())
    }

    fn name(&self, slot: &Slot) -> &[u8] {
        &self.raw[slot.name as usize..(slot.name + slot.len) as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The entry at position `index`, in git's order.
    pub(crate) fn get(&self, index: usize) -> Option<TreeItem<'_>> {
        let slot = self.items.get(index)?;
        let id = Oid::from_bytes(self.id_at(index)?)?;
        Some(TreeItem { name: self.name(slot), mode: slot.mode, id })
    }

    pub(super) fn id_at(&self, index: usize) -> Option<&[u8]> {
        let slot = self.items.get(index)?;
        let at = (slot.name + slot.len) as usize + 1;
        self.raw.get(at..at + self.hash.len())
    }

    pub(super) fn name_at(&self, index: usize) -> Option<(&[u8], Mode)> {
        self.items.get(index).map(|slot| (self.name(slot), slot.mode))
    }

    /// The entries in git's order.
    pub fn iter(&self) -> impl Iterator<Item = TreeItem<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The entry of this name.
    pub fn find(&self, name: &[u8]) -> Option<TreeItem<'_>> {
        // a file sorts by its name, a directory as if its name ended in `/`
        [false, true].into_iter().find_map(|is_dir| self.get(self.position(name, is_dir)?))
    }

    fn position(&self, name: &[u8], is_dir: bool) -> Option<usize> {
        let wanted = SortedName { name, is_dir };
        self.items.binary_search_by(|slot| self.sorted_name(slot).compare(wanted)).ok()
    }

    fn sorted_name(&self, slot: &Slot) -> SortedName<'_> {
        SortedName { name: self.name(slot), is_dir: slot.mode.is_dir() }
    }
}

fn parse_slot(raw: &[u8], at: usize) -> Option<Slot> {
    let rest = &raw[at..];
    // A mode has at most six digits: a longer search could take a space in the name for the end of the mode.
    let space = rest.iter().take(8).position(|byte| *byte == b' ')?;
    let mode = rest[..space].iter().try_fold(0u32, |mode, digit| match digit {
        b'0'..=b'7' => Some(mode * 8 + u32::from(digit - b'0')),
        _ => None,
    })?;
    let len = rest[space + 1..].find_byte(0)?;
    Some(Slot { name: u32::try_from(at + space + 1).ok()?, len: u32::try_from(len).ok()?, mode: Mode::canonical(mode) })
        .filter(|_| space > 0)
}

/// Whether git allows this name in a tree.
pub(crate) fn is_safe_name(name: &[u8]) -> bool {
    let suspect = match name.first() {
        None => return false,
        // only these first bytes can begin `.`, `..` or a name that some file system treats as `.git`
        Some(b'.' | b'g' | b'G' | 0xe2 | 0xef) => true,
        Some(_) => false,
    };
    let bad = suspect && (name == b"." || name == b".." || names_git_dir(name));
    !bad && !name.contains(&b'/')
}

/// Whether git allows this path in an index.
pub(crate) fn is_safe_path(path: &[u8]) -> bool {
    path.len() <= MAX_PATH && path.split(|byte| *byte == b'/').all(is_safe_name)
}

/// The name of an entry in git's sort order: bytewise, a directory as if its name ended in `/`.
#[derive(Clone, Copy)]
pub(crate) struct SortedName<'n> {
    /// One path component, without the `/`.
    pub name: &'n [u8],
    pub is_dir: bool,
}

impl SortedName<'_> {
    /// git's order. A file `a` and a directory `a` are not equal.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        let common = self.name.len().min(other.name.len());
        self.name[..common].cmp(&other.name[..common]).then_with(|| self.end(common).cmp(&other.end(common)))
    }

    /// The byte that decides after `common` equal ones.
    fn end(self, common: usize) -> u8 {
        match self.name.get(common) {
            Some(byte) => *byte,
            None if self.is_dir => b'/',
            None => 0,
        }
    }
}

/// Why a comparison stopped early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// This tree is not in the object database.
    Missing(Oid),
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Missing(id) => Self::unchecked(format!("tree {id} is missing")).hint(remedy::MISSING),
            Stop::Failed(error) => error,
        }
    }
}

/// The trees of a repository, each parsed once.
pub(crate) struct Trees {
    store: Rc<dyn ObjectStore>,
    hash: HashKind,
    parsed: RefCell<HashMap<Oid, Rc<TreeData>>>,
    bytes: Cell<usize>,
}

impl Trees {
    pub(crate) fn new(store: Rc<dyn ObjectStore>, hash: HashKind) -> Self {
        Self { store, hash, parsed: RefCell::default(), bytes: Cell::new(0) }
    }

    pub(crate) fn hash_kind(&self) -> HashKind {
        self.hash
    }

    pub(crate) fn store(&self) -> &Rc<dyn ObjectStore> {
        &self.store
    }

    pub(crate) fn get(&self, id: &Oid) -> Result<Rc<TreeData>, Stop> {
        if let Some(tree) = self.parsed.borrow().get(id) {
            return Ok(Rc::clone(tree));
        }
        let tree = Rc::new(self.parse(id)?);
        self.keep(id, &tree);
        Ok(tree)
    }

    fn parse(&self, id: &Oid) -> Result<TreeData, Stop> {
        if is_empty_tree(id) {
            // git knows the empty tree even if it is not stored
            return Ok(TreeData { raw: Vec::new(), items: Vec::new(), hash: self.hash });
        }
        let bad = |what: &str| {
            Error::unchecked(format!("tree {id} {what}")).hint("see what `git fsck` says; nothing was judged")
        };
        // the size before the content: an object of a few kilobytes may unpack to gigabytes
        match self.store.header(id)? {
            None => return Err(Stop::Missing(*id)),
            Some((_, size)) if size > MAX_TREE_BYTES => return Err(bad("is larger than 256 MiB").into()),
            Some(_) => {}
        }
        match self.store.read(id)? {
            None => Err(Stop::Missing(*id)),
            Some(Object { kind: ObjectKind::Tree, data }) => Ok(TreeData::parse(data, self.hash).map_err(bad)?),
            // a handmade tree can name a blob as a directory; as an empty tree its files would seem deleted
            Some(_) => Err(bad("is an object of another kind").into()),
        }
    }

    /// Drops every parsed tree. For walks over many commits that do not need the trees again.
    pub(crate) fn forget(&self) {
        self.parsed.borrow_mut().clear();
        self.bytes.set(0);
    }

    fn keep(&self, id: &Oid, tree: &Rc<TreeData>) {
        let size = tree.raw.len() + tree.items.len() * size_of::<Slot>();
        // all at once, because later requests are unknown; trees in use live on in their `Rc`
        if self.bytes.get() + size > CACHE_BYTES {
            self.forget();
        }
        self.bytes.set(self.bytes.get() + size);
        self.parsed.borrow_mut().insert(*id, Rc::clone(tree));
    }

    /// The difference of two trees (`None` is the empty one), sorted by path. Trees with equal ids are not read.
    pub(crate) fn diff(&self, old: Option<Oid>, new: Option<Oid>) -> Result<Vec<PathChange>, Stop> {
        let mut out = Changes::default();
        self.diff_dir(&mut Vec::new(), old, new, &mut out)?;
        Ok(out.sorted())
    }

    /// The difference of two trees at `prefix`, which ends in `/` or is empty.
    pub(super) fn diff_dir(
        &self,
        prefix: &mut Vec<u8>,
        old: Option<Oid>,
        new: Option<Oid>,
        out: &mut Changes,
    ) -> Result<(), Stop> {
        if old == new {
            return Ok(());
        }
        let old = old.map(|id| self.get(&id)).transpose()?;
        let new = new.map(|id| self.get(&id)).transpose()?;
        let (mut left, mut right) = (0, 0);
        loop {
            let a = old.as_ref().and_then(|tree| tree.get(left));
            let b = new.as_ref().and_then(|tree| tree.get(right));
            let order = match (&a, &b) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.sorted_name().compare(b.sorted_name()),
            };
            // A side advances only after its entry was compared: otherwise a name of the other side that is still to come
            // would be skipped.
            left += usize::from(order.is_le());
            right += usize::from(order.is_ge());
            self.diff_item(prefix, a.filter(|_| order.is_le()), b.filter(|_| order.is_ge()), out)?;
        }
    }

    /// Compares two entries of one name that are both directories or both files.
    fn diff_item(
        &self,
        prefix: &mut Vec<u8>,
        old: Option<TreeItem<'_>>,
        new: Option<TreeItem<'_>>,
        out: &mut Changes,
    ) -> Result<(), Stop> {
        let Some(one) = old.or(new) else { return Ok(()) };
        let len = prefix.len();
        prefix.extend_from_slice(one.name);
        if one.mode.is_dir() {
            prefix.push(b'/');
            // a tree that contains itself never ends, and each level uses stack space
            refuse_deep(prefix)?;
            self.diff_dir(prefix, old.map(|item| item.id), new.map(|item| item.id), out)?;
        } else {
            out.compare(prefix, old.map(|item| (item.mode, item.id)), new.map(|item| (item.mode, item.id)))?;
        }
        prefix.truncate(len);
        Ok(())
    }
}

/// Refuses a directory that git could not check out or that nests too deep for the stack.
pub(crate) fn refuse_deep(dir: &[u8]) -> Result<()> {
    if is_too_deep(dir) {
        return Err(Error::unchecked("a tree nests deeper than 512 directories or 4096 bytes of path")
            .hint("no work tree can hold such paths: leave them out of what is committed"));
    }
    Ok(())
}

/// Whether this is the id of the empty tree, which need not be stored.
pub(crate) fn is_empty_tree(id: &Oid) -> bool {
    *id == empty_tree(id.kind())
}

pub(crate) fn empty_tree(hash: HashKind) -> Oid {
    let hex: &[u8] = match hash {
        HashKind::Sha1 => b"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        HashKind::Sha256 => b"6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    };
    Oid::from_hex(hex).unwrap_or_else(|| Oid::zero(hash))
}

/// The changes collected so far.
#[derive(Default)]
pub(super) struct Changes(Vec<PathChange>);

impl Changes {
    /// Records the change from `old` to `new`, if they differ.
    pub(super) fn compare(&mut self, path: &[u8], old: Option<(Mode, Oid)>, new: Option<(Mode, Oid)>) -> Result<()> {
        if old == new {
            return Ok(());
        }
        self.push(PathChange { path: RepoPath::from_git(path), old, new, unmerged: false })
    }

    /// Records a change without a check.
    pub(super) fn push(&mut self, change: PathChange) -> Result<()> {
        if self.0.len() >= MAX_FILES {
            return Err(Error::unchecked("more than 5,000,000 files differ")
                .hint("judge it in parts: yatsu-hook check --from A --to B"));
        }
        self.0.push(change);
        Ok(())
    }

    /// The changes sorted by path bytes. The walk order differs: `a` (deleted) sorts before `a.txt`, `a/b` (new) after it.
    pub(super) fn sorted(mut self) -> Vec<PathChange> {
        self.0.sort_by(|a, b| a.path.cmp(&b.path));
        self.0
    }
}

#[cfg(test)]
mod tests;
