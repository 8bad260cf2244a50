//! A tree in memory, for tests.

use super::oid::Oid;
use super::path::RepoPath;
use super::{Anchor, Entry, History, Kind, MissingAnchor, Tree};
use crate::error::Result;
use crate::text::units::{self, Language, Units, UnreadUnits};
use bstr::BString;
use sha2::{Digest, Sha256};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Files, links and submodules by path; directories follow from the paths. Equal content has equal ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryTree {
    files: BTreeMap<RepoPath, (Kind, Vec<u8>)>,
    untracked: BTreeSet<RepoPath>,
}

impl MemoryTree {
    /// A tree of `(path, kind, content)`. The content of a link is its target; the content of a submodule is any text that
    /// stands for its commit. Paths are taken as git stores them.
    pub(crate) fn from<C: AsRef<[u8]>>(files: &[(&str, Kind, C)]) -> Self {
        let mut tree = Self::default();
        for (path, kind, content) in files {
            tree.put(path, *kind, content.as_ref());
        }
        tree
    }

    /// A tree of regular files.
    pub(crate) fn of_files(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        files.iter().for_each(|(path, content)| tree.put(path, Kind::File, content.as_bytes()));
        tree
    }

    /// Adds or replaces the entry at `path`.
    pub(crate) fn put(&mut self, path: &str, kind: Kind, content: &[u8]) {
        self.files.insert(RepoPath::from_git(path), (kind, content.to_vec()));
    }

    /// Removes the entry at `path`.
    pub(crate) fn remove(&mut self, path: &str) {
        self.files.remove(&RepoPath::from_git(path));
    }

    /// Makes `path` untracked: on disk, but unknown to git.
    pub(crate) fn untracked(mut self, path: &str) -> Self {
        self.untracked.insert(RepoPath::from_git(path));
        self
    }

    fn below(&self, dir: &RepoPath) -> impl Iterator<Item = (&RepoPath, &(Kind, Vec<u8>))> {
        let dir = dir.clone();
        self.files.iter().filter(move |(path, _)| path.is_within(&dir))
    }

    fn directory(&self, dir: &RepoPath) -> Option<Entry> {
        let mut hash = Sha256::new();
        let mut found = dir.is_root();
        for (path, (kind, content)) in self.below(dir) {
            found = true;
            hash.update(path.below(dir)?);
            hash.update([0, *kind as u8]);
            hash.update(Sha256::digest(content));
        }
        found.then(|| Entry { kind: Kind::Dir, id: Oid::from_bytes(&hash.finalize()[..20]) })
    }
}

/// A history without commits that stores single contents. It counts how often it parses one.
#[derive(Debug, Default)]
pub(crate) struct MemoryHistory {
    contents: RefCell<BTreeMap<Oid, Vec<u8>>>,
    parsed: Cell<usize>,
}

#[cfg(feature = "units")]
impl MemoryHistory {
    /// Stores a content and returns its id.
    pub(crate) fn keep(&self, content: &[u8]) -> Oid {
        let id = id_of(content);
        self.contents.borrow_mut().insert(id, content.to_vec());
        id
    }

    /// How often a content was parsed.
    pub(crate) fn parsed(&self) -> usize {
        self.parsed.get()
    }
}

impl History for MemoryHistory {
    fn anchor(&self, _: &Oid) -> Result<Anchor> {
        Ok(Anchor::Missing(MissingAnchor::Pruned))
    }

    fn content(&self, id: &Oid) -> Result<Option<Vec<u8>>> {
        Ok(self.contents.borrow().get(id).cloned())
    }

    fn content_id(&self, content: &[u8]) -> Result<Oid> {
        Ok(id_of(content))
    }

    fn units(&self, language: Language, source: &[u8]) -> Result<std::result::Result<Units, UnreadUnits>> {
        self.parsed.set(self.parsed.get() + 1);
        Ok(units::read(language, source, &mut || false))
    }
}

/// The id of a content in these trees.
pub(crate) fn id_of(content: &[u8]) -> Oid {
    Oid::from_bytes(&Sha256::digest(content)[..20]).expect("20 bytes")
}

fn entry_of((kind, content): &(Kind, Vec<u8>)) -> Entry {
    Entry { kind: *kind, id: Some(id_of(content)) }
}

impl Tree for MemoryTree {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        Ok(self.files.get(path).map(entry_of).or_else(|| self.directory(path)))
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        let names: BTreeSet<BString> = self
            .below(dir)
            .filter_map(|(path, _)| RepoPath::from_git(path.below(dir)?).components().next().map(Into::into))
            .collect();
        names.into_iter().map(|name| Ok((name.clone(), self.entry(&dir.child(&name))?.expect("a child")))).collect()
    }

    fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        Ok(self.below(dir).filter(|(path, _)| want(path)).map(|(path, file)| (path.clone(), entry_of(file))).collect())
    }

    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        Ok(self.files.get(path).map(|(_, content)| content.len() as u64))
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        let readable = |kind| matches!(kind, Kind::File | Kind::Exec | Kind::Link);
        Ok(self.files.get(path).filter(|(kind, _)| readable(*kind)).map(|(_, content)| content.clone()))
    }

    fn is_untracked(&self, path: &RepoPath) -> Result<bool> {
        Ok(self.untracked.contains(path))
    }
}
