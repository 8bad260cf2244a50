//! Pure renames: a governed path that appeared counts as unchanged when what was measured holds the same content at a
//! path that the view no longer has (freshness.md, "Renames").

use crate::engine::content::{Contents, Memo, Place};
use crate::error::Result;
use crate::model::links::{End, Trace};
use crate::model::reading::Stamped;
use crate::model::stamp::{self, Expansion};
use crate::model::tree::{Entry, Kind, Tree};
use crate::repo::oid::Oid;
use crate::repo::path::RepoPath;
use bstr::ByteSlice;
use foldhash::HashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What was measured at paths that the view no longer has, by content.
#[derive(Default)]
pub(super) struct Gone(HashMap<Stamped, Vec<RepoPath>>);

/// The same of one directory, and of those below it.
#[derive(Default)]
struct GoneDir {
    here: Vec<(RepoPath, Stamped)>,
    below: Vec<Rc<GoneDir>>,
}

/// What each older tree had and the view has not. Directories that trees share are compared with the view once.
#[derive(Default)]
pub(super) struct GoneSince {
    trees: Memo<Oid, Rc<Gone>>,
    dirs: Memo<(Oid, RepoPath), Rc<GoneDir>>,
}

impl GoneSince {
    /// The files of `old` whose paths are absent from the view. Directories with one id on both sides are not read.
    pub(super) fn since(&self, old: &dyn Tree, contents: &Contents<'_>) -> Result<Rc<Gone>> {
        let top = RepoPath::root();
        let id = old.entry(&top)?.and_then(|entry| entry.id);
        let compare = || {
            let mut gone = Gone::default();
            gone.add_all(&*self.below((old, contents), &top, id)?);
            Ok(Rc::new(gone))
        };
        id.map_or_else(compare, |id| self.trees.get(&id, compare))
    }

    fn below(&self, sides: (&dyn Tree, &Contents<'_>), dir: &RepoPath, id: Option<Oid>) -> Result<Rc<GoneDir>> {
        let compare = || self.compare(sides, dir, id).map(Rc::new);
        id.map_or_else(compare, |id| self.dirs.get(&(id, dir.clone()), compare))
    }

    fn compare(&self, (old, contents): (&dyn Tree, &Contents<'_>), dir: &RepoPath, id: Option<Oid>) -> Result<GoneDir> {
        let mut gone = GoneDir::default();
        let now = contents.children(dir)?;
        for (name, was) in old.children_of(dir, id)? {
            let path = dir.child(&name);
            match (was.kind, now.get(&name)) {
                (_, None) => gone.add_all(old, contents.view, &path, was)?,
                (Kind::Dir, Some(is)) if is.kind != Kind::Dir => gone.add_all(old, contents.view, &path, was)?,
                (Kind::Dir, Some(is)) if was.id.is_none() || was.id != is.id => {
                    let below = self.below((old, contents), &path, was.id)?;
                    gone.below.extend(Some(below).filter(|below| !below.is_empty()));
                }
                _ => {}
            }
        }
        Ok(gone)
    }
}

impl GoneDir {
    fn add_all(&mut self, old: &dyn Tree, view: &dyn Tree, path: &RepoPath, entry: Entry) -> Result<()> {
        let files = match entry.kind {
            Kind::Dir => old.files(path, &|_| true)?,
            _ => vec![(path.clone(), entry)],
        };
        for (file, entry) in files {
            // A listing may leave out what a look at the path finds: an ignored file on disk.
            if view.entry(&file)?.is_none() {
                let stamped = stamp::stamped_entry(old, &file, entry)?;
                self.here.push((file, stamped));
            }
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.here.is_empty() && self.below.is_empty()
    }
}

impl Gone {
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

    fn add_all(&mut self, dir: &GoneDir) {
        dir.here.iter().for_each(|(path, content)| self.add(path.clone(), *content));
        dir.below.iter().for_each(|below| self.add_all(below));
    }

    fn add(&mut self, path: RepoPath, content: Stamped) {
        self.0.entry(content).or_default().push(path);
    }

    fn with(&self, content: Stamped) -> &[RepoPath] {
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
