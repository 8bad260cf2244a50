//! Views of content: a commit's tree, the index. Implements [`Tree`] and [`History`] over git's own data.
//! Content that is unreadable, in conflict or could not be written by git is an error, never absence. The working tree has
//! its own module.

use super::Repo;
use super::commit::{Commit, CommitLookup, look_up};
use super::mode::Mode;
use super::native::index::{Defect, IndexEntry};
use super::native::listing::Listing;
use super::native::objects::{ObjectKind, ObjectStore};
use super::native::staged::unsafe_path;
use super::native::trees::{MAX_FILES, TreeItem, Trees, is_safe_path, refuse_deep};
use super::worktree::blob_id;
use crate::error::{Error, Result, remedy};
use crate::names;
use crate::text::units::{self, Language, ReadUnits, UnitsRead};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Anchor, Entry, History, Kind, Listed, MissingAnchor, Tree, Want};
use bstr::{BString, ByteSlice};
use std::cell::RefCell;
use std::rc::Rc;

/// Largest content that is read into memory. A ledger over its size limit is only advice and must still be read: an
/// append-only file must not block everything at the moment it grows past the limit.
pub const MAX_READ: u64 = 128 << 20;

impl From<Mode> for Kind {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::EXEC => Self::Exec,
            Mode::LINK => Self::Link,
            Mode::SUBMODULE => Self::Submodule,
            Mode::DIR => Self::Dir,
            _ => Self::File,
        }
    }
}

/// The content of a blob of at most `most` bytes. A larger or missing blob, or another kind, is an error naming `path`.
pub(crate) fn read_blob(store: &dyn ObjectStore, id: &Oid, path: &RepoPath, most: u64) -> Result<Vec<u8>> {
    let size = blob_size(store, id, path)?;
    if size > most {
        let message = format!("{path} has {size} bytes, more than the {most} that are read");
        return Err(Error::unchecked(message).hint(remedy::TOO_LARGE));
    }
    match store.read(id)? {
        Some(object) => Ok(object.data),
        None => Err(missing_blob(id, path)),
    }
}

/// The size of a blob in bytes, without reading it.
pub(crate) fn blob_size(store: &dyn ObjectStore, id: &Oid, path: &RepoPath) -> Result<u64> {
    match store.header(id)? {
        Some((ObjectKind::Blob, size)) => Ok(size),
        Some(_) => Err(Error::unchecked(format!("{path}: object {id} is no blob")).hint(remedy::FSCK)),
        None => Err(missing_blob(id, path)),
    }
}

fn missing_blob(id: &Oid, path: &RepoPath) -> Error {
    Error::unchecked(format!("{path}: blob {id} is missing")).hint(remedy::MISSING)
}

/// The id of an entry's blob; `None` if it has no blob.
fn content_id(entry: &Entry) -> Option<Oid> {
    entry.id.filter(|_| matches!(entry.kind, Kind::File | Kind::Exec | Kind::Link))
}

/// A commit's tree.
pub(super) struct CommitView {
    pub(super) trees: Rc<Trees>,
    /// `None`: the tree without entries, the state before the first commit.
    pub(super) root: Option<Oid>,
}

impl CommitView {
    /// Lists the files below the tree `id` that satisfy `want`. With `like_ours`, only the paths that may matter to this
    /// program (e.g. ledgers), decided by name before a path is built.
    fn walk(&self, dir: &RepoPath, id: Oid, like_ours: bool, want: Want<'_>, out: &mut Listed) -> Result<()> {
        refuse_deep(dir.as_bstr())?;
        let tree = self.trees.get(&id)?;
        for item in tree.iter() {
            if item.mode.is_dir() {
                // any file below a directory with such a name may matter
                let like_ours = like_ours && !names::may_be_our_directory(item.name);
                self.walk(&dir.child(item.name), item.id, like_ours, want, out)?;
            } else if !like_ours || names::is_like_ours(item.name) {
                let path = dir.child(item.name);
                if want(&path) {
                    list(out, path, entry_of(item))?;
                }
            }
        }
        Ok(())
    }
}

fn list(out: &mut Listed, path: RepoPath, entry: Entry) -> Result<()> {
    if out.len() >= MAX_FILES {
        return Err(Error::unchecked("a tree lists more than 5,000,000 files")
            .hint("judge what concerns you: yatsu-hook validate -- PATH"));
    }
    out.push((path, entry));
    Ok(())
}

fn entry_of(item: TreeItem<'_>) -> Entry {
    Entry { kind: item.mode.into(), id: Some(item.id) }
}

impl Tree for CommitView {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        let mut here = Entry { kind: Kind::Dir, id: self.root };
        for name in path.components() {
            let (Kind::Dir, Some(id)) = (here.kind, here.id) else { return Ok(None) };
            let tree = self.trees.get(&id)?;
            let Some(item) = tree.find(name) else { return Ok(None) };
            here = entry_of(item);
        }
        Ok(Some(here))
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        match self.entry(dir)? {
            Some(Entry { kind: Kind::Dir, id: id @ Some(_) }) => self.children_of(dir, id),
            _ => Ok(Vec::new()),
        }
    }

    fn children_of(&self, dir: &RepoPath, id: Option<Oid>) -> Result<Vec<(BString, Entry)>> {
        let Some(id) = id else { return self.children(dir) };
        let tree = self.trees.get(&id)?;
        let mut found: Vec<_> = tree.iter().map(|item| (item.name.into(), entry_of(item))).collect();
        // git sorts a directory as if its name ended in `/`
        found.sort_by(|a: &(BString, Entry), b| a.0.cmp(&b.0));
        Ok(found)
    }

    fn files(&self, dir: &RepoPath, want: Want<'_>) -> Result<Listed> {
        let mut out = Vec::new();
        match self.entry(dir)? {
            Some(Entry { kind: Kind::Dir, id }) => id.map_or(Ok(()), |id| self.walk(dir, id, false, want, &mut out))?,
            Some(entry) if want(dir) => out.push((dir.clone(), entry)),
            _ => {}
        }
        Ok(out)
    }

    fn files_like_ours(&self, want: Want<'_>) -> Result<Listed> {
        let mut out = Vec::new();
        self.root.map_or(Ok(()), |root| self.walk(&RepoPath::root(), root, true, want, &mut out))?;
        Ok(out)
    }

    fn size_of(&self, path: &RepoPath, entry: &Entry) -> Result<Option<u64>> {
        content_id(entry).map(|id| blob_size(&**self.trees.store(), &id, path)).transpose()
    }

    fn read_of(&self, path: &RepoPath, entry: &Entry) -> Result<Option<Vec<u8>>> {
        content_id(entry).map(|id| read_blob(&**self.trees.store(), &id, path, MAX_READ)).transpose()
    }
}

/// The index: the content of the next commit. Intent-to-add entries are left out; a path in conflict is an error.
pub(crate) struct IndexView {
    listing: Rc<Listing>,
    store: Rc<dyn ObjectStore>,
}

impl IndexView {
    /// Entry `number`, or `None` for an intent to add.
    fn staged(&self, number: usize) -> Result<Option<IndexEntry>> {
        let path = self.listing.path(number);
        let entry = self.listing.entry(number).map_err(damaged)?;
        if entry.stage != 0 {
            return Err(Error::unchecked(format!("{} is in conflict", path.as_bstr()))
                .hint("resolve the conflict, then `git add` the file"));
        }
        if !is_safe_path(path) {
            return Err(unsafe_path(path));
        }
        Ok(Some(entry).filter(|entry| !entry.intent_to_add))
    }

    fn list_those(&self, numbers: impl Iterator<Item = usize>, want: Want<'_>) -> Result<Listed> {
        let mut out = Vec::new();
        let mut path = RepoPath::root();
        for number in numbers {
            path.set_from_git(self.listing.path(number));
            if want(&path)
                && let Some(entry) = self.staged(number)?
            {
                list(&mut out, path.clone(), entry_in_index(&entry))?;
            }
        }
        Ok(out)
    }

    /// The directory `dir`, if anything in it is staged or in conflict.
    fn directory(&self, dir: &[u8]) -> Result<Option<Entry>> {
        for number in self.listing.below(dir) {
            let entry = self.listing.entry(number).map_err(damaged)?;
            if !entry.intent_to_add {
                return Ok(Some(Entry { kind: Kind::Dir, id: self.listing.tree_id(dir) }));
            }
        }
        Ok(None)
    }
}

fn damaged(defect: Defect) -> Error {
    Error::unchecked(format!("the index {}", defect.as_str())).hint("rebuild it with `git read-tree HEAD`")
}

fn entry_in_index(entry: &IndexEntry) -> Entry {
    Entry { kind: entry.mode.into(), id: Some(entry.id) }
}

impl Tree for IndexView {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        let path = path.as_bstr();
        match self.listing.at_path(path).next() {
            Some(number) => Ok(self.staged(number)?.map(|entry| entry_in_index(&entry))),
            None if path.is_empty() => Ok(Some(Entry { kind: Kind::Dir, id: self.listing.tree_id(path) })),
            None => self.directory(path),
        }
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        let range = self.listing.below(dir.as_bstr());
        let start = if dir.is_root() { 0 } else { dir.as_bstr().len() + 1 };
        let mut found: Vec<(BString, Entry)> = Vec::new();
        let mut number = range.start;
        while number < range.end {
            let path = self.listing.path(number);
            if let Some(len) = path[start..].find_byte(b'/') {
                let child = &path[..start + len];
                found.extend(self.directory(child)?.map(|entry| (child[start..].into(), entry)));
                number = self.listing.below(child).end;
            } else {
                let entry = self.staged(number)?;
                found.extend(entry.map(|entry| (path[start..].into(), entry_in_index(&entry))));
                number += 1;
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    fn files(&self, dir: &RepoPath, want: Want<'_>) -> Result<Listed> {
        self.list_those(self.listing.at_path(dir.as_bstr()).chain(self.listing.below(dir.as_bstr())), want)
    }

    fn files_like_ours(&self, want: Want<'_>) -> Result<Listed> {
        self.list_those(self.listing.like_ours(), want)
    }

    fn size_of(&self, path: &RepoPath, entry: &Entry) -> Result<Option<u64>> {
        content_id(entry).map(|id| blob_size(&*self.store, &id, path)).transpose()
    }

    fn read_of(&self, path: &RepoPath, entry: &Entry) -> Result<Option<Vec<u8>>> {
        content_id(entry).map(|id| read_blob(&*self.store, &id, path, MAX_READ)).transpose()
    }
}

/// The function that reads the units of source files. The caller chooses its time limits.
#[derive(Clone)]
pub enum UnitReader {
    /// For single files and for many files at once.
    Patient(ReadUnits),
    /// For one file after the other, because the time spent on earlier files counts.
    InTurn(Rc<ReadInTurn>),
}

/// Reads the units of one source; an error if the time is used up.
type ReadInTurn = dyn Fn(Language, &[u8]) -> Result<UnitsRead>;

/// The content of commits and of files, by id.
pub(crate) struct CommitHistory {
    trees: Rc<Trees>,
    shallow: bool,
    units: RefCell<UnitReader>,
}

impl CommitHistory {
    /// The history in the store of `trees`; `shallow`: a shallow clone cut it.
    pub(crate) fn new(trees: Rc<Trees>, shallow: bool) -> Self {
        let read = UnitReader::Patient(|language, source| units::read(language, source, &mut || false));
        Self { trees, shallow, units: RefCell::new(read) }
    }
}

impl History for CommitHistory {
    fn anchor(&self, commit: &Oid) -> Result<Anchor> {
        Ok(match look_up(&**self.trees.store(), commit)? {
            CommitLookup::Commit(Commit { tree, .. }) => {
                Anchor::Tree(Rc::new(CommitView { trees: Rc::clone(&self.trees), root: Some(tree) }))
            }
            CommitLookup::Other => Anchor::NotACommit,
            CommitLookup::Missing if self.shallow => Anchor::Missing(MissingAnchor::Shallow),
            CommitLookup::Missing => Anchor::Missing(MissingAnchor::Pruned),
        })
    }

    fn content_size(&self, id: &Oid) -> Result<Option<u64>> {
        let header = self.trees.store().header(id)?;
        Ok(header.filter(|(kind, _)| *kind == ObjectKind::Blob).map(|(_, size)| size))
    }

    fn has_content(&self, id: &Oid) -> Result<bool> {
        self.trees.store().holds(id)
    }

    fn content(&self, id: &Oid) -> Result<Option<Vec<u8>>> {
        if self.content_size(id)?.is_none_or(|size| size > MAX_READ) {
            return Ok(None);
        }
        Ok(self.trees.store().read(id)?.map(|object| object.data))
    }

    fn content_id(&self, content: &[u8]) -> Result<Oid> {
        blob_id(self.trees.hash_kind(), content)
    }

    fn units(&self, language: Language, source: &[u8]) -> Result<UnitsRead> {
        let reader = self.units.borrow().clone();
        match reader {
            UnitReader::Patient(read) => Ok(read(language, source)),
            UnitReader::InTurn(read) => read(language, source),
        }
    }

    fn units_together(&self) -> Option<ReadUnits> {
        match *self.units.borrow() {
            UnitReader::Patient(read) => Some(read),
            UnitReader::InTurn(_) => None,
        }
    }
}

impl Repo {
    /// The content of a commit; an error when the commit is missing.
    pub fn commit_view(&self, commit: &Oid) -> Result<Rc<dyn Tree>> {
        Ok(self.tree_view(self.present(commit)?.tree))
    }

    /// The content of a tree; `None` is the tree without entries, the state before the first commit.
    pub(crate) fn tree_view(&self, tree: impl Into<Option<Oid>>) -> Rc<dyn Tree> {
        Rc::new(CommitView { trees: Rc::clone(&self.trees), root: tree.into() })
    }

    /// The content of a commit made from the judged index.
    pub fn index_view(&self) -> Result<Rc<dyn Tree>> {
        Ok(Rc::new(IndexView { listing: self.listing()?, store: Rc::clone(&self.objects) }))
    }

    /// Whether the judged index has conflicting stages of `path`.
    pub(crate) fn is_unmerged(&self, path: &RepoPath) -> Result<bool> {
        let listing = self.listing()?;
        for number in listing.at_path(path.as_bstr()) {
            if listing.entry(number).map_err(damaged)?.stage != 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the judged index has a file at `path`, also in conflict.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(crate) fn is_in_index(&self, path: &RepoPath) -> Result<bool> {
        Ok(self.listing()?.holds(path.as_bstr()))
    }

    /// Sets the function that reads the units of source files.
    pub fn read_units_by(&self, reader: UnitReader) {
        *self.history.units.borrow_mut() = reader;
    }

    /// The content of commits, for the engine.
    pub fn history(&self) -> Rc<dyn History> {
        Rc::clone(&self.history) as Rc<dyn History>
    }
}
