//! The base of a change, listed through the state after it. Both states are almost the same and one of them is cheap to
//! list: undoing the differences saves reading every tree of the base.

use super::change::PathChange;
use super::mode::Mode;
use crate::error::Result;
use crate::names;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Listed, Tree, Want};
use bstr::BString;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The base of a judged state. A path is looked up in the base's own tree; a listing takes the judged state and undoes the
/// change.
pub(crate) struct BaseView {
    own: Rc<dyn Tree>,
    after: Rc<dyn Tree>,
    /// The base's content of each path that differs.
    held: BTreeMap<RepoPath, Option<(Mode, Oid)>>,
    /// Whether single files are looked up in the later state, too.
    by_after: bool,
}

impl BaseView {
    /// The state `own`, which becomes `after` by exactly these changes.
    pub(crate) fn new(own: Rc<dyn Tree>, after: Rc<dyn Tree>, changes: &[PathChange]) -> Self {
        let held = changes.iter().map(|change| (change.path.clone(), change.old)).collect();
        Self { own, after, held, by_after: false }
    }

    /// The same view, for a later state that finds a file without reading a tree, as an index does.
    pub(crate) fn by_after(self) -> Self {
        Self { by_after: true, ..self }
    }

    /// The later state's entry of an unchanged file at `path`, which both states share. Directories always come from the own
    /// tree: the later state may have other content there, or not know its id.
    fn same_file(&self, path: &RepoPath) -> Result<Option<Entry>> {
        let after = if self.by_after && !self.held.contains_key(path) { self.after.entry(path)? } else { None };
        Ok(after.filter(|entry| entry.kind != Kind::Dir))
    }

    /// The base's files at paths that differ, at or below `dir`.
    fn undone(&self, dir: &RepoPath, want: Want<'_>) -> impl Iterator<Item = (RepoPath, Entry)> {
        let held = self.held.iter().filter(|(path, _)| path.is_within(dir) && want(path));
        held.filter_map(|(path, held)| {
            let (mode, id) = (*held)?;
            Some((path.clone(), Entry { kind: mode.into(), id: Some(id) }))
        })
    }
}

impl Tree for BaseView {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        Ok(match self.same_file(path)? {
            Some(entry) => Some(entry),
            None => self.own.entry(path)?,
        })
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        self.own.children(dir)
    }

    fn files(&self, dir: &RepoPath, want: Want<'_>) -> Result<Listed> {
        let mut files = self.after.files(dir, &|path| want(path) && !self.held.contains_key(path))?;
        files.extend(self.undone(dir, want));
        files.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(files)
    }

    fn files_like_ours(&self, want: Want<'_>) -> Result<Listed> {
        let mut files = self.after.files_like_ours(&|path| want(path) && !self.held.contains_key(path))?;
        let like_ours = |path: &RepoPath| names::may_be_ours(path.as_bstr()) && want(path);
        files.extend(self.undone(&RepoPath::root(), &like_ours));
        files.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(files)
    }

    fn size_of(&self, path: &RepoPath, entry: &Entry) -> Result<Option<u64>> {
        // without the file's id the entry from the later state does not identify its content
        entry.id.map_or_else(|| self.own.size(path), |_| self.own.size_of(path, entry))
    }

    fn read_of(&self, path: &RepoPath, entry: &Entry) -> Result<Option<Vec<u8>>> {
        entry.id.map_or_else(|| self.own.read(path), |_| self.own.read_of(path, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::memory::MemoryTree;
    use crate::tree::oid::HashKind;

    #[test]
    fn a_change_is_undone_in_listings() {
        let after = MemoryTree::of_files(&[("a", "1"), ("d/new", "2"), ("d/same", "3")]);
        let own = MemoryTree::of_files(&[("a", "0"), ("d/old", "4"), ("d/same", "3")]);
        let was = |path: &str| {
            let entry = own.entry(&RepoPath::from_git(path)).unwrap();
            entry.map(|entry| (Mode::FILE, entry.id.unwrap()))
        };
        let change =
            |path: &str| PathChange { path: RepoPath::from_git(path), old: was(path), new: None, unmerged: false };
        let changes = [change("a"), change("d/new"), change("d/old")];
        let expected = own.files(&RepoPath::root(), &|_| true).unwrap();
        let below = own.files(&RepoPath::from_git("d"), &|path| path.name() != "same").unwrap();
        assert!(was("d/new").is_none() && was("a").unwrap().1 != Oid::zero(HashKind::Sha1));
        let (own, after): (Rc<dyn Tree>, Rc<dyn Tree>) = (Rc::new(own), Rc::new(after));
        for path in ["a", "d", "d/new", "d/old", "d/same", "gone", ""].map(RepoPath::from_git) {
            let before = BaseView::new(Rc::clone(&own), Rc::clone(&after), &changes).by_after();
            assert_eq!(before.entry(&path).unwrap(), own.entry(&path).unwrap(), "{path}");
            assert_eq!(before.read(&path).unwrap(), own.read(&path).unwrap(), "{path}");
        }
        let before = BaseView::new(own, after, &changes);
        assert_eq!(before.files(&RepoPath::root(), &|_| true).unwrap(), expected);
        assert_eq!(before.files(&RepoPath::from_git("d"), &|path| path.name() != "same").unwrap(), below);
    }

    #[test]
    fn a_change_of_what_may_be_ours_is_undone_where_only_that_is_listed() {
        let after = MemoryTree::of_files(&[("a/spec.md", "1"), ("b/yatsu.md", "2"), ("c.md/x", "3"), ("f", "4")]);
        let own = MemoryTree::of_files(&[("a/spec.md", "0"), ("c.md/x", "3"), ("d/yatsu.md", "5"), ("g", "6")]);
        let paths = ["a/spec.md", "b/yatsu.md", "d/yatsu.md", "f", "g"].map(RepoPath::from_git);
        let was = |path: &RepoPath| own.entry(path).unwrap().map(|entry| (Mode::FILE, entry.id.unwrap()));
        let changes = paths.map(|path| PathChange { old: was(&path), path, new: None, unmerged: false });
        let expected = own.files_like_ours(&|_| true).unwrap();
        let before = BaseView::new(Rc::new(own), Rc::new(after), &changes);
        assert_eq!(expected.len(), 3);
        assert_eq!(before.files_like_ours(&|_| true).unwrap(), expected);
    }
}
