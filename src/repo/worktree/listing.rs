//! The files of the work tree: tracked files that still exist, and untracked ones that git does not ignore.

use super::{DiskContent, WorkTreeView};
use crate::error::Result;
use crate::repo::native::index::Tracked;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Listed, Want};
use bstr::{BString, ByteSlice};
use std::collections::BTreeMap;

pub(super) struct IndexByPath(pub(super) Vec<Tracked>);

impl IndexByPath {
    /// The entry of `path`, any side of a conflict.
    pub(super) fn get(&self, path: &RepoPath) -> Option<&Tracked> {
        self.at(self.position(path))
    }

    /// The position of the entry of `path`, for [`Self::at`].
    pub(super) fn position(&self, path: &RepoPath) -> Option<usize> {
        let position = position(&self.0, path.as_bstr());
        self.0.get(position).filter(|entry| entry.path == *path).map(|_| position)
    }

    pub(super) fn at(&self, position: Option<usize>) -> Option<&Tracked> {
        self.0.get(position?)
    }

    /// Our side: the entry itself, or stage 2 of a conflict.
    pub(super) fn ours(&self, path: &RepoPath) -> Option<&Tracked> {
        let sides = self.0[position(&self.0, path.as_bstr())..].iter().take_while(|entry| entry.path == *path);
        sides.into_iter().find(|entry| entry.entry.stage == 0 || entry.entry.stage == 2)
    }

    pub(super) fn has(&self, path: &RepoPath) -> bool {
        self.get(path).is_some()
    }

    /// The entries below a directory; all of them for the top.
    pub(super) fn below(&self, dir: &RepoPath) -> &[Tracked] {
        below(&self.0, dir)
    }

    pub(super) fn has_below(&self, dir: &RepoPath) -> bool {
        !self.below(dir).is_empty()
    }

    /// The first component of every path below `dir`, each once, without visiting every path.
    fn names_in(&self, dir: &RepoPath) -> Vec<BString> {
        let mut rest = self.below(dir);
        let mut names: Vec<BString> = Vec::new();
        while let Some(below) = rest.first().and_then(|entry| entry.path.below(dir)) {
            let name = below.split_str("/").next().unwrap_or_default();
            let (child, whole) = (dir.child(name), below.len() == name.len());
            let skip = |entry: &Tracked| if whole { entry.path == child } else { entry.path.is_within(&child) };
            rest = &rest[rest.partition_point(skip)..];
            names.push(name.into());
        }
        names
    }
}

fn position(entries: &[Tracked], path: &[u8]) -> usize {
    entries.partition_point(|entry| entry.path.as_bstr().as_bytes() < path)
}

/// The ones of the sorted `entries` below a directory.
pub(super) fn below<'e>(entries: &'e [Tracked], dir: &RepoPath) -> &'e [Tracked] {
    if dir.is_root() {
        return entries;
    }
    // `/` is followed by `0`, so every path below sorts between the two
    let dir = dir.as_bstr().as_bytes();
    let (start, end) = ([dir, b"/"].concat(), [dir, b"0"].concat());
    &entries[position(entries, &start)..position(entries, &end)]
}

impl WorkTreeView {
    pub(super) fn list_files(&self, dir: &RepoPath, want: Want<'_>) -> Result<Listed> {
        let mut files = BTreeMap::new();
        let own = self.index.get(dir).into_iter();
        let tracked = own.chain(self.index.below(dir)).map(|entry| &entry.path);
        let untracked = self.untracked(dir, want)?;
        let untracked = untracked.iter().filter(|path| path.is_within(dir));
        for path in tracked.chain(untracked).filter(|path| want(path)) {
            let kind = self.find(path)?.map(|found| found.kind).filter(|kind| *kind != Kind::Dir);
            if let Some(kind) = kind {
                files.insert(path.clone(), Entry { kind, id: None });
            }
        }
        Ok(files.into_iter().collect())
    }

    /// Whether git would find a file at or below the directory `dir`: an existing tracked file, or one that git does not
    /// ignore.
    pub(super) fn holds_files(&self, dir: &RepoPath) -> Result<bool> {
        if dir.is_root() {
            return Ok(true);
        }
        for tracked in self.index.below(dir) {
            if self.find(&tracked.path)?.is_some_and(|found| found.kind != Kind::Dir) {
                return Ok(true);
            }
        }
        Ok(self.untracked(dir, &|_| true)?.iter().any(|path| path.is_within(dir)))
    }

    /// The paths where the work tree differs from the index: edited, deleted, untracked, or of unknown content.
    pub(crate) fn dirty(&self) -> Result<Vec<RepoPath>> {
        let mut dirty = self.untracked(&RepoPath::root(), &|_| true)?.to_vec();
        for tracked in self.index.below(&RepoPath::root()) {
            let clean = match self.look(&tracked.path)? {
                Some(found) if found.kind == tracked.entry.mode.into() => {
                    *self.content_of(&tracked.path, &found)? == DiskContent::Known(tracked.entry.id)
                }
                _ => false,
            };
            if !clean {
                dirty.push(tracked.path.clone());
            }
        }
        Ok(dirty)
    }

    pub(super) fn list_children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        let mut names = self.index.names_in(dir);
        let new = |path: &RepoPath| first_name(path, dir).is_some_and(|name| names.iter().all(|known| known != name));
        let untracked = self.untracked(dir, &new)?;
        names.extend(untracked.iter().filter_map(|path| first_name(path, dir)).map(BString::from));
        names.sort();
        names.dedup();
        let mut children = Vec::with_capacity(names.len());
        for name in names {
            if let Some(found) = self.find(&dir.child(&name))? {
                children.push((name, Entry { kind: found.kind, id: None }));
            }
        }
        Ok(children)
    }
}

/// The component below `dir` that leads to `path`; `None` for `dir` itself and for other paths.
fn first_name<'p>(path: &'p RepoPath, dir: &RepoPath) -> Option<&'p [u8]> {
    path.below(dir)?.split_str("/").next().filter(|name| !name.is_empty())
}
