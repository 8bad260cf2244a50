//! Pure renames: a governed path that appeared counts as unchanged when what was measured holds the same content at a
//! path that the view no longer has (freshness.md, "Renames").

use crate::engine::content::{Contents, Place};
use crate::error::Result;
use crate::model::links::{End, Trace};
use crate::model::reading::Stamped;
use crate::model::stamp::{self, Expansion};
use crate::model::tree::{Entry, Kind, Tree};
use crate::repo::path::RepoPath;
use bstr::{BString, ByteSlice};
use std::collections::{BTreeMap, HashMap};

/// What was measured at paths that the view no longer has, by content.
#[derive(Default)]
pub(super) struct Gone(HashMap<Stamped, Vec<RepoPath>>);

impl Gone {
    /// The files of `old` whose paths are absent from the view. Directories with one id on both sides are not read.
    pub(super) fn from_tree(old: &dyn Tree, view: &dyn Tree) -> Result<Self> {
        let mut gone = Self::default();
        let mut todo = vec![RepoPath::root()];
        while let Some(dir) = todo.pop() {
            let now: BTreeMap<BString, Entry> = view.children(&dir)?.into_iter().collect();
            for (name, was) in old.children(&dir)? {
                let path = dir.child(&name);
                match (was.kind, now.get(&name)) {
                    (_, None) => gone.add_all(old, view, &path, was)?,
                    (Kind::Dir, Some(is)) if is.kind != Kind::Dir => gone.add_all(old, view, &path, was)?,
                    (Kind::Dir, Some(is)) if was.id.is_none() || was.id != is.id => todo.push(path),
                    _ => {}
                }
            }
        }
        Ok(gone)
    }

    /// The stamped files whose paths are absent from the view.
    pub(super) fn from_stamp(stamp: &BTreeMap<RepoPath, Stamped>, view: &dyn Tree) -> Result<Self> {
        let mut gone = Self::default();
        for (path, stamped) in stamp {
            if *stamped != Stamped::Absent && view.entry(path)?.is_none() {
                gone.add(path.clone(), *stamped);
            }
        }
        Ok(gone)
    }

    fn add_all(&mut self, old: &dyn Tree, view: &dyn Tree, path: &RepoPath, entry: Entry) -> Result<()> {
        let files = match entry.kind {
            Kind::Dir => old.files(path, &|_| true)?,
            _ => vec![(path.clone(), entry)],
        };
        for (file, entry) in files {
            // A listing may leave out what a look at the path finds: an ignored file on disk.
            if view.entry(&file)?.is_none() {
                let stamped = stamp::stamped_entry(old, &file, entry)?;
                self.add(file, stamped);
            }
        }
        Ok(())
    }

    fn add(&mut self, path: RepoPath, content: Stamped) {
        self.0.entry(content).or_default().push(path);
    }

    pub(super) fn with(&self, content: Stamped) -> &[RepoPath] {
        self.0.get(&content).map_or(&[], Vec::as_slice)
    }
}

/// Whether `path`, which `old` does not have and the view expands to `now`, came there by a rename alone.
pub(super) fn came_from_tree(
    contents: &Contents<'_>,
    (old, gone): (&dyn Tree, &Gone),
    path: &RepoPath,
    now: &Expansion,
) -> Result<bool> {
    let way = contents.way(path)?;
    if now.glob {
        return Ok(now.files.values().all(|content| !gone.with(*content).is_empty()));
    }
    for from in candidates(contents.view, gone, &way, now)? {
        if contents.same(Place { tree: old, path: &from }, path)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The paths that may have become what the view has at the start of `way`.
fn candidates(view: &dyn Tree, gone: &Gone, way: &Trace, now: &Expansion) -> Result<Vec<RepoPath>> {
    if let Some((_, id)) = way.links.first() {
        return Ok(gone.with(Stamped::Link(*id)).to_vec());
    }
    match &way.end {
        End::At(dir, entry) if entry.kind == Kind::Dir => dirs_that_held(view, gone, dir, now),
        End::At(file, _) => Ok(now.files.get(file).map_or(Vec::new(), |content| gone.with(*content).to_vec())),
        _ => Ok(Vec::new()),
    }
}

/// The directories, absent from the view, that held the first file of `dir` under the same name.
fn dirs_that_held(view: &dyn Tree, gone: &Gone, dir: &RepoPath, now: &Expansion) -> Result<Vec<RepoPath>> {
    let Some((first, content)) = now.files.iter().next() else { return Ok(Vec::new()) };
    let Some(name) = first.below(dir) else { return Ok(Vec::new()) };
    let mut dirs = Vec::new();
    for from in gone.with(*content) {
        let Some(top) = from.as_bstr().strip_suffix(name.as_bytes()).and_then(|top| top.strip_suffix(b"/")) else {
            continue;
        };
        let top = RepoPath::from_git(top);
        if view.entry(&top)?.is_none() {
            dirs.push(top);
        }
    }
    Ok(dirs)
}

/// Whether what the view expands to as `now` stands in the stamp under other paths, which `gone` holds.
pub(super) fn came_from_stamp(
    contents: &Contents<'_>,
    (stamp, gone): (&BTreeMap<RepoPath, Stamped>, &Gone),
    path: &RepoPath,
    now: &Expansion,
) -> Result<bool> {
    let way = contents.way(path)?;
    if let (false, true, End::At(dir, Entry { kind: Kind::Dir, .. })) = (now.glob, way.links.is_empty(), &way.end) {
        let dirs = dirs_that_held(contents.view, gone, dir, now)?;
        let below = |top: &RepoPath, files: &BTreeMap<RepoPath, Stamped>| {
            files.iter().filter_map(|(file, content)| Some((file.below(top)?.to_owned(), *content))).collect::<Vec<_>>()
        };
        return Ok(dirs.iter().any(|from| below(from, stamp) == below(dir, &now.files)));
    }
    let known =
        |(file, content): (&RepoPath, &Stamped)| stamp.get(file) == Some(content) || !gone.with(*content).is_empty();
    Ok(now.files.iter().all(known))
}
