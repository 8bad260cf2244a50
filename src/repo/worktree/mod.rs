//! The working tree as git would commit it: a directory and the index in, a [`Tree`] out. `scan`, `show` and the stamp use
//! it to judge and name the measured bytes. It follows no link, enters no other repository, and runs no filter. A file that
//! it cannot hash counts as unknown, never as different.
//!
//! A file on disk counts regardless of `assume-unchanged` and `skip-worktree`. Files that a sparse checkout left out count
//! with their content in the index.

mod convert;
mod disk;
mod hash;
mod listing;
mod settings;
mod stat;
mod unchanged_dirs;
mod untracked;

pub(crate) use hash::blob_id;
pub(crate) use settings::WorktreeSettings;
pub(crate) use stat::StatRules;

use super::mode::Mode;
use super::native::index::{Defect, Tracked};
use super::native::listing::Listing;
use super::native::objects::{Object, ObjectStore};
use crate::error::{Error, Result, remedy};
use crate::repo::program::{AttributeReader, AttributeValue, Git};
use crate::repo::{Backend, Repo};
use crate::sys::{self, MetadataExt};
use crate::text::shell;
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::RepoPath;
use crate::tree::{Entry, FileStamp, Ignored, Kind, Listed, ListedBefore, Tree, Want};
use bstr::BString;
use convert::{Census, Conversion};
use foldhash::HashMap;
use listing::IndexByPath;
use std::cell::{OnceCell, RefCell};
use std::fs::{self, Metadata};
use std::path::PathBuf;
use std::rc::Rc;

/// The id of the content at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiskContent {
    /// The id that git would give it.
    Known(Oid),
    /// Unknown: only another program could convert the file for git. Holds the attribute that requires this, e.g.
    /// `filter=lfs`. The text may come from the repository.
    External(String),
    /// A directory has no id before it is written as a tree.
    Directory,
}

/// The working tree as a [`Tree`]. Answers are cached: one view sees one state.
pub struct WorkTreeView {
    root: PathBuf,
    git: Git,
    attributes: AttributeReader,
    /// The attributes of GitHub's linguist.
    linguist: AttributeReader,
    objects: Rc<dyn ObjectStore>,
    index: IndexByPath,
    written: Option<(i64, i64)>,
    hash: HashKind,
    /// Read only if an answer depends on it; in a clean work tree with git's defaults none does.
    settings: OnceCell<WorktreeSettings>,
    /// Whether a directory is inside this work tree: a real directory, reached without links from the top and not in another
    /// repository.
    inside: RefCell<HashMap<RepoPath, bool>>,
    found: RefCell<HashMap<RepoPath, Option<Rc<DiskEntry>>>>,
    strays: RefCell<HashMap<RepoPath, Option<Rc<[RepoPath]>>>>,
    untracked: RefCell<HashMap<RepoPath, Rc<[RepoPath]>>>,
    /// The memory of earlier directory listings, if the caller has one.
    listings: OnceCell<Rc<dyn ListedBefore>>,
    /// The device with trustworthy directory times, computed once.
    telling_device: OnceCell<Option<u64>>,
}

/// The file, link or directory at a path.
struct DiskEntry {
    kind: Kind,
    /// Its metadata; `None` if a sparse checkout left it out.
    about: Option<Metadata>,
    /// The position of its index entry, if it has one.
    entry: Option<usize>,
    /// Its id, computed at the first request, because hashing is expensive.
    content: OnceCell<DiskContent>,
}

impl WorkTreeView {
    /// A view of the work tree with the top directory `root`; nothing is read yet. `git` is started in `root`. `index` is
    /// sorted by path and stage, sparse directories expanded. `written` is the time, in seconds and nanoseconds since 1970, at
    /// which the index file was written; without it no stat data is trusted.
    pub fn new(
        root: PathBuf,
        git: Git,
        objects: Rc<dyn ObjectStore>,
        index: Vec<Tracked>,
        written: Option<(i64, i64)>,
        hash: HashKind,
    ) -> Self {
        Self {
            root,
            attributes: AttributeReader::new(git.clone(), convert::ATTRIBUTES.to_vec()),
            linguist: AttributeReader::new(git.clone(), vec!["linguist-generated", "linguist-vendored"]),
            git,
            objects,
            index: IndexByPath(index),
            written,
            hash,
            settings: OnceCell::new(),
            inside: RefCell::default(),
            found: RefCell::default(),
            strays: RefCell::default(),
            untracked: RefCell::default(),
            listings: OnceCell::new(),
            telling_device: OnceCell::new(),
        }
    }

    fn settings(&self) -> Result<&WorktreeSettings> {
        if let Some(known) = self.settings.get() {
            return Ok(known);
        }
        let read = WorktreeSettings::from_config(&self.git.config()?)?;
        Ok(self.settings.get_or_init(|| read))
    }

    /// The id of the content at `path`, or the reason why it has none; `None` if nothing is there.
    pub fn content(&self, path: &RepoPath) -> Result<Option<DiskContent>> {
        self.find(path)?.map(|found| self.content_of(path, &found).cloned()).transpose()
    }

    fn is_inside(&self, dir: &RepoPath) -> Result<bool> {
        let Some(parent) = dir.parent() else { return Ok(true) };
        if let Some(known) = self.inside.borrow().get(dir) {
            return Ok(*known);
        }
        let inside = self.is_inside(&parent)?
            && disk::look(&self.root, dir)?.is_some_and(|about| about.is_dir())
            && !self.is_foreign(dir)?;
        self.inside.borrow_mut().insert(dir.clone(), inside);
        Ok(inside)
    }

    /// Whether `dir` is a submodule or a repository that was not added: it has a `.git`, and the index has nothing below it.
    fn is_foreign(&self, dir: &RepoPath) -> Result<bool> {
        if self.index.get(dir).is_some_and(Tracked::is_submodule) {
            return Ok(true);
        }
        Ok(!self.index.has_below(dir) && disk::look(&self.root, &dir.child(b".git"))?.is_some())
    }

    fn find(&self, path: &RepoPath) -> Result<Option<Rc<DiskEntry>>> {
        if let Some(known) = self.found.borrow().get(path) {
            return Ok(known.clone());
        }
        let found = self.look(path)?.map(Rc::new);
        self.found.borrow_mut().insert(path.clone(), found.clone());
        Ok(found)
    }

    /// Like `find` without the cache, for questions about every file.
    fn look(&self, path: &RepoPath) -> Result<Option<DiskEntry>> {
        let entry = self.index.position(path);
        let reachable = self.is_parent_inside(path)?;
        let about = if reachable { disk::look(&self.root, path)? } else { None };
        let kind = match &about {
            Some(about) => self.kind_on_disk(about, self.index.at(entry))?,
            None => self.kind_of_sparse(path, self.index.at(entry)),
        };
        // git knows a directory only by the files in it
        let kind = match kind {
            Some(Kind::Dir) if !self.holds_files(path)? => None,
            kind => kind,
        };
        Ok(kind.map(|kind| DiskEntry { kind, about, entry, content: OnceCell::new() }))
    }

    fn kind_of_sparse(&self, path: &RepoPath, entry: Option<&Tracked>) -> Option<Kind> {
        match entry {
            Some(entry) => entry.entry.skip_worktree.then(|| entry.entry.mode.into()),
            None => self.index.below(path).iter().any(|entry| entry.entry.skip_worktree).then_some(Kind::Dir),
        }
    }

    /// The kind that git would record; `None` for devices, pipes and sockets, which git ignores.
    fn kind_on_disk(&self, about: &Metadata, entry: Option<&Tracked>) -> Result<Option<Kind>> {
        if about.is_symlink() {
            return Ok(Some(Kind::Link));
        }
        if about.is_dir() {
            return Ok(Some(if entry.is_some_and(Tracked::is_submodule) { Kind::Submodule } else { Kind::Dir }));
        }
        if !about.is_file() {
            return Ok(None);
        }
        // without core.symlinks a link is checked out as a file that holds its target
        let mode = entry.map(|entry| entry.entry.mode);
        if mode == Some(Mode::LINK) && !self.settings()?.symlinks {
            return Ok(Some(Kind::Link));
        }
        let (on_disk, in_index) = (about.mode() & 0o100 != 0, mode == Some(Mode::EXEC));
        let counts = sys::HAS_MODES && on_disk != in_index && self.settings()?.file_mode;
        let executable = if counts { on_disk } else { in_index };
        Ok(Some(if executable { Kind::Exec } else { Kind::File }))
    }

    fn content_of<'f>(&self, path: &RepoPath, found: &'f DiskEntry) -> Result<&'f DiskContent> {
        if let Some(known) = found.content.get() {
            return Ok(known);
        }
        let content = self.name(path, found)?;
        Ok(found.content.get_or_init(|| content))
    }

    fn name(&self, path: &RepoPath, found: &DiskEntry) -> Result<DiskContent> {
        let entry = self.index.at(found.entry);
        let Some(about) = &found.about else {
            return Ok(entry.map_or(DiskContent::Directory, |entry| DiskContent::Known(entry.entry.id)));
        };
        match (found.kind, entry) {
            (Kind::Dir, _) => Ok(DiskContent::Directory),
            (Kind::Submodule, entry) => self.submodule(path, entry),
            // if the executable bit changed, git reads the file again: its content may now need conversion
            (kind, Some(entry)) if kind == entry.entry.mode.into() && self.is_clean(entry, about)? => {
                Ok(DiskContent::Known(entry.entry.id))
            }
            (Kind::Link, _) if about.is_symlink() => {
                let id = blob_id(self.hash, &disk::read_link(&self.root, path)?);
                id.map(DiskContent::Known).map_err(|error| error.context(path))
            }
            // a link that is checked out as a file is converted like a file
            _ => self.hash(path),
        }
    }

    fn is_clean(&self, entry: &Tracked, about: &Metadata) -> Result<bool> {
        let clean_by = |rules| stat::is_clean(entry, about, rules, self.written);
        Ok(clean_by(StatRules::STRICT) || clean_by(self.settings()?.stat))
    }

    /// The commit that is checked out, else the one in the index.
    fn submodule(&self, path: &RepoPath, entry: Option<&Tracked>) -> Result<DiskContent> {
        let recorded = || entry.map(|entry| entry.entry.id);
        let head = self.git.submodule_head(path)?.or_else(recorded);
        head.map(DiskContent::Known).ok_or_else(|| {
            Error::unchecked(format!("submodule {path} has no commit"))
                .hint(format!("check it out: git submodule update --init -- {}", shell::place(path)))
        })
    }

    fn hash(&self, path: &RepoPath) -> Result<DiskContent> {
        let rule = self.conversion(path, || disk::is_convertible(&self.root, path))?;
        if let Some(external) = rule.external {
            return Ok(DiskContent::External(external));
        }
        let id = disk::hash(&self.root, path, self.hash, &rule, || self.index_has_crlf(path));
        id.map(DiskContent::Known)
    }

    /// The conversion for `path`. If git's answer is ambiguous and one reading would change the content, git is asked again.
    fn conversion(&self, path: &RepoPath, is_convertible: impl FnOnce() -> Result<bool>) -> Result<Conversion> {
        let settings = self.settings()?;
        let rule = Conversion::of(path, &self.attributes, settings)?;
        if rule.in_doubt && rule.external.is_none() && is_convertible()? {
            return Conversion::exactly(path, &self.attributes, settings);
        }
        Ok(rule)
    }

    /// Whether the index's content of `path` is text with CR LF, which git then keeps.
    fn index_has_crlf(&self, path: &RepoPath) -> Result<bool> {
        let Some(entry) = self.index.ours(path).filter(|entry| !entry.is_submodule()) else { return Ok(false) };
        self.object(path, &entry.entry.id).map(|object| Census::of(&object.data).is_text_with_crlf())
    }

    fn object(&self, path: &RepoPath, id: &Oid) -> Result<Object> {
        self.objects.read(id)?.ok_or_else(|| {
            Error::unchecked(format!("the staged content of {path}, object {id}, is not in the object database"))
                .hint(remedy::MISSING)
        })
    }

    /// A file as git would store it, without external filters. git is not asked if there is nothing to convert.
    fn read_file(&self, path: &RepoPath) -> Result<Vec<u8>> {
        let content = disk::read(&self.root, path)?;
        if !convert::is_convertible(&content) {
            return Ok(content);
        }
        let rule = self.conversion(path, || Ok(true))?;
        if rule.external.is_some() {
            return Ok(content);
        }
        disk::convert(content, &rule, || self.index_has_crlf(path))
    }
}

fn has_bytes(kind: Kind) -> bool {
    matches!(kind, Kind::File | Kind::Exec | Kind::Link)
}

impl Tree for WorkTreeView {
    /// The id is `None` for a directory, and for a file with [`DiskContent::External`].
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        let Some(found) = self.find(path)? else { return Ok(None) };
        let id = match self.content_of(path, &found)? {
            DiskContent::Known(id) => Some(*id),
            DiskContent::External(_) | DiskContent::Directory => None,
        };
        Ok(Some(Entry { kind: found.kind, id }))
    }

    fn kind(&self, path: &RepoPath) -> Result<Option<Kind>> {
        Ok(self.find(path)?.map(|found| found.kind))
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        self.list_children(dir)
    }

    fn files(&self, dir: &RepoPath, want: Want<'_>) -> Result<Listed> {
        self.list_files(dir, want)
    }

    fn file_stamp(&self, path: &RepoPath, content: Option<&[u8]>) -> Option<FileStamp> {
        // git's conversion also depends on attributes and configuration
        if content.is_some_and(convert::is_convertible) {
            return None;
        }
        let found = self.find(path).ok()??;
        let about = found.about.as_ref().filter(|about| about.is_file())?;
        Some(disk::stamp_of(about))
    }

    fn know_listings(&self, before: Rc<dyn ListedBefore>) {
        // one view sees one state: only the first memory is kept
        let _ = self.listings.set(before);
    }

    /// The size on disk, before any conversion.
    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        let Some(found) = self.find(path)?.filter(|found| has_bytes(found.kind)) else { return Ok(None) };
        match (&found.about, self.index.at(found.entry)) {
            (Some(about), _) => Ok(Some(about.len())),
            (None, Some(entry)) => {
                let header = self.objects.header(&entry.entry.id)?;
                header.map(|(_, size)| Some(size)).ok_or_else(|| {
                    Error::unchecked(format!("the staged content of {path} is not in the object database"))
                        .hint(remedy::MISSING)
                })
            }
            (None, None) => Ok(None),
        }
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        let Some(found) = self.find(path)?.filter(|found| has_bytes(found.kind)) else { return Ok(None) };
        match (&found.about, self.index.at(found.entry)) {
            (Some(about), _) if about.is_symlink() => disk::read_link(&self.root, path).map(Some),
            (Some(_), _) => self.read_file(path).map(Some),
            (None, Some(entry)) => self.object(path, &entry.entry.id).map(|object| Some(object.data)),
            (None, None) => Ok(None),
        }
    }

    fn ignored(&self, paths: &[RepoPath]) -> Result<Vec<Ignored>> {
        self.git.ignored(paths)
    }

    fn hidden(&self, dirs: &[RepoPath], want: Want<'_>) -> Result<Vec<Ignored>> {
        self.hidden_files(dirs, want)
    }

    fn is_generated(&self, path: &RepoPath) -> Result<bool> {
        let is_on = |value: &AttributeValue| match value {
            AttributeValue::Set => true,
            AttributeValue::Value(text) => text == "true",
            AttributeValue::Unset | AttributeValue::Unspecified => false,
        };
        Ok(self.linguist.of(path)?.iter().any(is_on))
    }

    fn is_untracked(&self, path: &RepoPath) -> Result<bool> {
        let known = self.index.has(path) || self.index.has_below(path) || path.is_root();
        Ok(!known && (self.find(path)?.is_some() || self.holds_ignored(path)?))
    }
}

impl Repo {
    /// The working tree as git would commit it; an error in a bare repository.
    pub fn worktree_view(&self) -> Result<Rc<WorkTreeView>> {
        let Some(root) = &self.work_dir else {
            return Err(Error::usage("this repository has no working tree").hint("name a commit: --rev HEAD"));
        };
        let git = self.program_at_top()?;
        // before the index is read: with an older time less stat data is trusted
        let written = fs::metadata(&self.index_path).ok().map(|about| (about.mtime(), about.mtime_nsec()));
        let index = self.tracked(&git)?;
        Ok(Rc::new(WorkTreeView::new(root.clone(), git, Rc::clone(&self.objects), index, written, self.hash)))
    }

    /// Every entry of the judged index with its stat data.
    fn tracked(&self, git: &Git) -> Result<Vec<Tracked>> {
        let native = match self.backend {
            Backend::Native => self.read_index()?.and_then(Listing::new).and_then(|listing| tracked(&listing)).ok(),
            Backend::Program => None,
        };
        native.map_or_else(|| git.index_entries(), Ok)
    }
}

fn tracked(listing: &Listing) -> Result<Vec<Tracked>, Defect> {
    let one = |number| Ok(Tracked { path: RepoPath::from_git(listing.path(number)), entry: listing.entry(number)? });
    // preallocated: collecting results would grow by doubling, and hold twice the memory for many files
    let mut all = Vec::with_capacity(listing.len());
    for number in 0..listing.len() {
        all.push(one(number)?);
    }
    Ok(all)
}
