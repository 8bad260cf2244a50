//! A tree that notes which of its paths were asked for. What was computed from it stays true in another tree that has the same
//! content at and below these paths.

use crate::error::Result;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{ContentKey, Entry, Listed, Tree, Want};
use bstr::BString;
use foldhash::{HashMap, HashSet};
use std::cell::RefCell;

/// Notes the paths of all questions. A question about a directory is one about all that lies below it.
pub(super) struct RecordingTree<'t> {
    tree: &'t dyn Tree,
    /// With the entries that were asked for: the same path is asked for by many readings.
    asked: RefCell<HashMap<RepoPath, Option<Option<Entry>>>>,
}

impl<'t> RecordingTree<'t> {
    pub(super) fn new(tree: &'t dyn Tree) -> Self {
        Self { tree, asked: RefCell::default() }
    }

    /// The paths that were asked for, also those where nothing was.
    pub(super) fn asked(self) -> HashSet<RepoPath> {
        self.asked.into_inner().into_keys().collect()
    }

    fn note(&self, path: &RepoPath) {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains_key(path) {
            asked.insert(path.clone(), None);
        }
    }
}

impl Tree for RecordingTree<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        // noted first: where the answer fails, a scenario is not judged, and has to be asked again in a tree that differs here
        self.note(path);
        if let Some(Some(known)) = self.asked.borrow().get(path) {
            return Ok(*known);
        }
        let entry = self.tree.entry(path)?;
        self.asked.borrow_mut().insert(path.clone(), Some(entry));
        Ok(entry)
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        self.note(dir);
        self.tree.children(dir)
    }

    fn children_of(&self, dir: &RepoPath, id: Option<Oid>) -> Result<Vec<(BString, Entry)>> {
        self.note(dir);
        self.tree.children_of(dir, id)
    }

    fn files(&self, dir: &RepoPath, want: Want<'_>) -> Result<Listed> {
        self.note(dir);
        self.tree.files(dir, want)
    }

    fn size_of(&self, path: &RepoPath, entry: &Entry) -> Result<Option<u64>> {
        self.note(path);
        self.tree.size_of(path, entry)
    }

    fn read_of(&self, path: &RepoPath, entry: &Entry) -> Result<Option<Vec<u8>>> {
        self.note(path);
        self.tree.read_of(path, entry)
    }

    // a commit's files have the ids of their contents; a file that is known already was asked for, too
    fn content_key(&self, path: &RepoPath, entry: &Entry, _: Option<&[u8]>) -> Option<ContentKey> {
        self.note(path);
        entry.id.map(ContentKey::Blob)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::tree::memory::MemoryTree;

    #[test]
    fn every_question_leaves_its_path_also_where_nothing_is() {
        let tree = MemoryTree::of_files(&[("src/a.rs", "a"), ("src/b.rs", "b")]);
        let recording = RecordingTree::new(&tree);
        let path = RepoPath::from_git;
        assert_eq!(recording.read(&path("src/a.rs")).unwrap().as_deref(), Some(&b"a"[..]));
        assert_eq!(recording.kind(&path("src/gone.rs")).unwrap(), None);
        assert_eq!(recording.files(&path("docs"), &|_| true).unwrap(), Vec::new());
        assert_eq!(recording.children(&RepoPath::root()).unwrap().len(), 1);
        let mut asked: Vec<_> = recording.asked().into_iter().map(|path| path.to_string()).collect();
        asked.sort();
        assert_eq!(asked, ["", "docs", "src/a.rs", "src/gone.rs"]);
    }

    /// A tree without its objects, as a partial clone may be.
    struct Absent;

    impl Tree for Absent {
        fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
            Err(Error::unchecked(format!("{path} is not here")))
        }

        fn children(&self, _: &RepoPath) -> Result<Vec<(BString, Entry)>> {
            Ok(Vec::new())
        }

        fn files(&self, _: &RepoPath, _: Want<'_>) -> Result<Listed> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn a_question_without_an_answer_leaves_its_path_too() {
        let recording = RecordingTree::new(&Absent);
        let path = RepoPath::from_git("src/a.rs");
        assert!(recording.entry(&path).is_err());
        assert!(recording.asked().contains(&path));
    }
}
