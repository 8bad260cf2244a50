//! The work tree with planned files added or replaced. All files in it count as tracked, because the next commit will
//! contain them.

use crate::error::Result;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::BString;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A view with additional files.
pub(super) struct PlannedTree {
    view: Rc<dyn Tree>,
    files: BTreeMap<RepoPath, Vec<u8>>,
}

/// The entry of a planned file. It has no id, like every file in a listing of the work tree.
const NEW_FILE: Entry = Entry { kind: Kind::File, id: None };

impl PlannedTree {
    /// `view` with `files` in place of files of the same names.
    pub(super) fn new(view: Rc<dyn Tree>, files: &[(RepoPath, Vec<u8>)]) -> Self {
        Self { view, files: files.iter().cloned().collect() }
    }
}

impl Tree for PlannedTree {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        if self.files.contains_key(path) {
            return Ok(Some(NEW_FILE));
        }
        let is_above = || self.files.keys().any(|file| file.is_within(path));
        Ok(self.view.entry(path)?.or_else(|| is_above().then_some(Entry { kind: Kind::Dir, id: None })))
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        let mut children: BTreeMap<BString, Entry> = self.view.children(dir)?.into_iter().collect();
        for file in self.files.keys().filter(|file| file.is_within(dir)) {
            let Some(first) = file.below(dir).map(RepoPath::from_git) else { continue };
            let Some(name) = first.components().next() else { continue };
            let entry = if first.components().count() == 1 { NEW_FILE } else { Entry { kind: Kind::Dir, id: None } };
            children.entry(name.into()).or_insert(entry);
        }
        Ok(children.into_iter().collect())
    }

    fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        let mut files = self.view.files(dir, &|path| !self.files.contains_key(path) && want(path))?;
        files.extend(
            self.files.keys().filter(|file| file.is_within(dir) && want(file)).map(|file| (file.clone(), NEW_FILE)),
        );
        files.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(files)
    }

    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        match self.files.get(path) {
            Some(content) => Ok(Some(content.len() as u64)),
            None => self.view.size(path),
        }
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        match self.files.get(path) {
            Some(content) => Ok(Some(content.clone())),
            None => self.view.read(path),
        }
    }
}
