//! The ledger contents that a repository still reaches. Input: tips and an object store; output: the ids of all ledger blobs
//! in any tree of any commit below the tips. Each commit and each distinct tree is visited once, so the cost depends on the
//! number of changes and not on the number of branches. Writes nothing. An unexpectedly missing object is an error.

use super::native::objects::{Object, ObjectKind, ObjectStore};
use crate::error::{Error, Result};
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::RepoPath;
use std::collections::{BTreeSet, HashSet};

/// Whether to collect a file of that name.
pub(crate) type IsNamed<'s> = &'s dyn Fn(&[u8]) -> bool;

/// A walk; after more tips are added, it continues where it stopped.
pub(crate) struct Reach<'s> {
    store: &'s dyn ObjectStore,
    is_named: IsNamed<'s>,
    shallow: &'s HashSet<Oid>,
    seen: HashSet<Oid>,
    found: BTreeSet<Oid>,
}

impl<'s> Reach<'s> {
    /// A walk for files with names that satisfy `is_named`. `shallow`: commits with parents that were never fetched.
    pub(crate) fn new(store: &'s dyn ObjectStore, is_named: IsNamed<'s>, shallow: &'s HashSet<Oid>) -> Self {
        Self { store, is_named, shallow, seen: HashSet::new(), found: BTreeSet::new() }
    }

    /// Adds everything below `tip`: a commit with its history, a tag's target, a tree. A blob that is a tip itself has no
    /// name, so it may be a ledger and is added.
    ///
    /// # Errors
    /// Unchecked, if an object is missing or has an unexpected kind.
    pub(crate) fn add(&mut self, tip: Oid) -> Result<()> {
        let mut todo = vec![tip];
        while let Some(id) = todo.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            let object = self.read(&id)?;
            match object.kind {
                ObjectKind::Commit => self.commit(&id, &object.data, &mut todo)?,
                ObjectKind::Tag => todo.push(header_id(&object.data, b"object ").ok_or_else(|| malformed(&id))?),
                ObjectKind::Tree => self.tree(&id, &object.data, &mut todo)?,
                ObjectKind::Blob => drop(self.found.insert(id)),
            }
        }
        Ok(())
    }

    /// The ledger blobs found so far, sorted.
    pub(crate) fn found(&self) -> &BTreeSet<Oid> {
        &self.found
    }

    fn read(&self, id: &Oid) -> Result<Object> {
        self.store.read(id)?.ok_or_else(|| {
            Error::unchecked(format!("object {id} is missing, so the objects that it names are unknown"))
                .hint("a partial clone fetches it with `git fetch --refetch`; else `git fsck` says what is broken")
        })
    }

    fn commit(&self, id: &Oid, data: &[u8], todo: &mut Vec<Oid>) -> Result<()> {
        todo.push(header_id(data, b"tree ").ok_or_else(|| malformed(id))?);
        if self.shallow.contains(id) {
            return Ok(());
        }
        let header = data.split(|byte| *byte == b'\n').skip(1);
        for line in header.map_while(|line| line.strip_prefix(b"parent ")) {
            todo.push(Oid::from_hex(line).ok_or_else(|| malformed(id))?);
        }
        Ok(())
    }

    fn tree(&mut self, id: &Oid, data: &[u8], todo: &mut Vec<Oid>) -> Result<()> {
        let mut rest = data;
        while !rest.is_empty() {
            let (entry, after) = tree_entry(rest, id.kind()).ok_or_else(|| malformed(id))?;
            rest = after;
            match self.sort(&entry) {
                Sort::Dir => todo.push(entry.id),
                Sort::Ledger => drop(self.found.insert(entry.id)),
                Sort::Other => {}
            }
        }
        Ok(())
    }

    fn sort(&self, entry: &TreeEntry<'_>) -> Sort {
        // Old programs wrote directories as 040000.
        if entry.mode == b"40000" || entry.mode == b"040000" {
            return Sort::Dir;
        }
        let ours = entry.mode.starts_with(b"100") && (self.is_named)(entry.name);
        if ours { Sort::Ledger } else { Sort::Other }
    }
}

/// The content behind a tip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// The ledgers of a tree, by path.
    Ledgers(Vec<(RepoPath, Oid)>),
    /// A blob, which may be a ledger.
    Blob(Oid),
}

/// The ledgers in the tree of `tip`.
///
/// # Errors
/// As [`Reach::add`].
pub(crate) fn ledgers_of(store: &dyn ObjectStore, tip: Oid, is_named: IsNamed<'_>) -> Result<Held> {
    let shallow = HashSet::new();
    let walk = Reach::new(store, is_named, &shallow);
    let mut id = tip;
    let tree = loop {
        let object = walk.read(&id)?;
        id = match object.kind {
            ObjectKind::Tree => break id,
            ObjectKind::Blob => return Ok(Held::Blob(id)),
            ObjectKind::Commit => header_id(&object.data, b"tree ").ok_or_else(|| malformed(&id))?,
            ObjectKind::Tag => header_id(&object.data, b"object ").ok_or_else(|| malformed(&id))?,
        };
    };
    let (mut found, mut todo) = (Vec::new(), vec![(RepoPath::root(), tree)]);
    while let Some((dir, id)) = todo.pop() {
        let object = walk.read(&id)?;
        let mut rest = &*object.data;
        while !rest.is_empty() {
            let (entry, after) = tree_entry(rest, id.kind()).ok_or_else(|| malformed(&id))?;
            rest = after;
            let path = || dir.child(entry.name);
            match walk.sort(&entry) {
                Sort::Dir => todo.push((path(), entry.id)),
                Sort::Ledger => found.push((path(), entry.id)),
                Sort::Other => {}
            }
        }
    }
    found.sort();
    Ok(Held::Ledgers(found))
}

enum Sort {
    Dir,
    Ledger,
    Other,
}

pub(crate) struct TreeEntry<'t> {
    /// The mode in octal digits, as written.
    pub(crate) mode: &'t [u8],
    /// One component of a path, not validated.
    pub(crate) name: &'t [u8],
    pub(crate) id: Oid,
}

/// `<mode> <name>\0<raw id>`, and the bytes after it.
pub(crate) fn tree_entry(data: &[u8], kind: HashKind) -> Option<(TreeEntry<'_>, &[u8])> {
    let nul = data.iter().position(|byte| *byte == 0)?;
    let space = data[..nul].iter().position(|byte| *byte == b' ')?;
    let end = nul + 1 + kind.len();
    let id = Oid::from_bytes(data.get(nul + 1..end)?)?;
    Some((TreeEntry { mode: &data[..space], name: &data[space + 1..nul], id }, &data[end..]))
}

fn header_id(data: &[u8], key: &[u8]) -> Option<Oid> {
    let line = data.split(|byte| *byte == b'\n').next()?;
    Oid::from_hex(line.strip_prefix(key)?)
}

fn malformed(id: &Oid) -> Error {
    Error::unchecked(format!("object {id} is malformed")).hint("`git fsck` says what is broken")
}

#[cfg(test)]
mod tests;
