//! A stamp as a tree, for code that works on trees, for example glob matching.

use crate::error::{Error, Result};
use crate::model::ledger::Stamped;
use crate::model::links::Trace;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::BString;
use std::collections::BTreeMap;

/// The files of a stamp: their names and content ids without bytes, except for links that the view has too.
pub(super) struct StampTree<'s> {
    files: &'s BTreeMap<RepoPath, Stamped>,
    targets: BTreeMap<Oid, Vec<u8>>,
}

impl<'s> StampTree<'s> {
    pub(super) fn new(stamp: &'s BTreeMap<RepoPath, Stamped>) -> Self {
        Self { files: stamp, targets: BTreeMap::new() }
    }

    /// The same with the targets of the links that `way` passes in `view`.
    pub(super) fn with_links(stamp: &'s BTreeMap<RepoPath, Stamped>, view: &dyn Tree, way: &Trace) -> Result<Self> {
        let mut targets = BTreeMap::new();
        for (link, id) in &way.links {
            targets.insert(*id, view.read(link)?.unwrap_or_default());
        }
        Ok(Self { files: stamp, targets })
    }

    fn files_below(&self, dir: &RepoPath) -> impl Iterator<Item = (&RepoPath, Entry)> {
        self.files
            .iter()
            .filter(|(path, _)| path.is_within(dir))
            .filter_map(|(path, stamped)| Some((path, entry(*stamped)?)))
    }
}

impl Tree for StampTree<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        if let Some(stamped) = self.files.get(path) {
            return Ok(entry(*stamped));
        }
        Ok(self.files_below(path).next().map(|_| Entry { kind: Kind::Dir, id: None }))
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        let mut children = BTreeMap::new();
        for (path, entry) in self.files_below(dir) {
            let Some(rest) = path.below(dir) else { continue };
            match rest.iter().position(|byte| *byte == b'/') {
                _ if rest.is_empty() => {}
                Some(end) => {
                    children.insert(BString::from(&rest[..end]), Entry { kind: Kind::Dir, id: None });
                }
                None => {
                    children.insert(rest.to_owned(), entry);
                }
            }
        }
        Ok(children.into_iter().collect())
    }

    fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        let files = self.files_below(dir).filter(|(path, _)| want(path));
        Ok(files.map(|(path, entry)| (path.clone(), entry)).collect())
    }

    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        Ok(self.read(path)?.map(|target| target.len() as u64))
    }

    /// The target of a link; empty for a link that the view lacks. Its id alone then differs from every link of the view.
    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        match self.files.get(path) {
            Some(Stamped::Link(id)) => Ok(Some(self.targets.get(id).cloned().unwrap_or_default())),
            _ => Err(without_bytes(path)),
        }
    }
}

fn without_bytes(path: &RepoPath) -> Error {
    Error::fault(format!("a stamp names the content of {path} and does not hold it"))
}

fn entry(stamped: Stamped) -> Option<Entry> {
    let (kind, id) = match stamped {
        Stamped::File(id) => (Kind::File, id),
        Stamped::Exec(id) => (Kind::Exec, id),
        Stamped::Link(id) => (Kind::Link, id),
        Stamped::Submodule(id) => (Kind::Submodule, id),
        Stamped::Absent => return None,
    };
    Some(Entry { kind, id: Some(id) })
}
