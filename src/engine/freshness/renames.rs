//! Pure renames: an appeared governed path counts as unchanged if the same content was measured at a path that the view no
//! longer has (freshness.md, "Renames"). A directory or a glob came by a rename if all its files did, under the same names
//! below it, and none stayed behind. In the other direction, a measured path that left the list counts as unchanged if a path
//! that was absent at the measurement has its content now.

use crate::engine::content::{Contents, TreePlace, ViewMemo};
use crate::error::Result;
use crate::model::glob;
use crate::model::ledger::Stamped;
use crate::model::links::LinkEnd;
use crate::model::stamp::{self, Expansion};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::ByteSlice;
use foldhash::HashMap;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

/// Measured paths that the view no longer has, by content.
#[derive(Default)]
pub(super) struct Gone(HashMap<Stamped, Vec<RepoPath>>);

/// The lost paths of one directory and of its subdirectories.
#[derive(Default)]
struct GoneDir {
    here: Vec<(RepoPath, Stamped)>,
    below: Vec<Rc<GoneDir>>,
}

/// The lost paths of each older tree. A directory that several trees share is compared with the view once, and with the next
/// view only if it has another content there. So judges of several commits may share it, and it holds no more for a thousand of
/// them than for one. Views whose directories have no ids, as a disk has, must not.
#[derive(Default)]
pub(super) struct GoneSince {
    trees: LastMemo<Oid, Rc<Gone>>,
    dirs: LastMemo<(Oid, RepoPath), Rc<GoneDir>>,
    /// The last view that is known to have the paths of another one, and this other one.
    like: Cell<Option<(Oid, Oid)>>,
}

/// Answers about the last view that was asked about, each with the id of the directory of the view that it follows from.
type LastMemo<K, V> = RefCell<HashMap<K, (Option<Oid>, V)>>;

/// The remembered answer about the directory `now`, or the answer of `make`; a failure is not remembered.
fn last<K: Clone + Eq + Hash, V: Clone>(
    known: &LastMemo<K, V>,
    key: &K,
    now: Option<Oid>,
    make: impl FnOnce() -> Result<V>,
) -> Result<V> {
    if let Some((_, answer)) = known.borrow().get(key).filter(|(then, _)| *then == now) {
        return Ok(answer.clone());
    }
    let made = make()?;
    known.borrow_mut().insert(key.clone(), (now, made.clone()));
    Ok(made)
}

/// Files with their entries.
type Files = Rc<Vec<(RepoPath, Entry)>>;

/// The files of the view that each older tree lacks. A directory that several trees share is compared with the view once.
#[derive(Default)]
pub(super) struct ArrivedSince {
    trees: ViewMemo<Oid, Files>,
    dirs: ViewMemo<(Oid, RepoPath), Files>,
}

/// An older tree, and the view it is compared with.
#[derive(Clone, Copy)]
struct Sides<'s> {
    old: &'s dyn Tree,
    contents: &'s Contents<'s>,
}

impl GoneSince {
    /// Takes note that the view `tree` has files at the same paths as the view `like`, whatever they contain: both lack the
    /// same of an older tree.
    pub(super) fn has_paths_of(&self, tree: Oid, like: Oid) {
        self.like.set(Some((tree, self.paths_of(like))));
    }

    fn paths_of(&self, view: Oid) -> Oid {
        self.like.get().filter(|(tree, _)| *tree == view).map_or(view, |(_, like)| like)
    }

    /// The files of `old` at paths that are absent from the view. Directories with one id on both sides are not read.
    pub(super) fn since(&self, old: &dyn Tree, contents: &Contents<'_>) -> Result<Rc<Gone>> {
        let sides = Sides { old, contents };
        let top = RepoPath::root();
        let id = |tree: &dyn Tree| -> Result<Option<Oid>> { Ok(tree.entry(&top)?.and_then(|entry| entry.id)) };
        let (was, is) = (id(old)?, id(contents.view)?);
        let compare = || {
            let mut gone = Gone::default();
            gone.add_all(&*self.below(sides, &top, [was, is])?);
            Ok(Rc::new(gone))
        };
        was.map_or_else(compare, |was| last(&self.trees, &was, is.map(|is| self.paths_of(is)), compare))
    }

    /// The lost paths at and below `dir`, which has these ids in the older tree and in the view.
    fn below(&self, sides: Sides<'_>, dir: &RepoPath, [was, is]: [Option<Oid>; 2]) -> Result<Rc<GoneDir>> {
        let compare = || self.compare(sides, dir, was).map(Rc::new);
        was.map_or_else(compare, |was| last(&self.dirs, &(was, dir.clone()), is, compare))
    }

    fn compare(&self, sides: Sides<'_>, dir: &RepoPath, id: Option<Oid>) -> Result<GoneDir> {
        let Sides { old, contents } = sides;
        let mut gone = GoneDir::default();
        let now = contents.children(dir)?;
        for (name, was) in old.children_of(dir, id)? {
            let path = dir.child(&name);
            match (was.kind, now.get(&name)) {
                // Only an absent path can have moved away: a path with other content was edited.
                (_, None) => gone.add_all(old, contents.view, &path, was)?,
                (Kind::Dir, Some(is)) if is.kind != Kind::Dir => gone.add_all(old, contents.view, &path, was)?,
                (Kind::Dir, Some(is)) if was.id.is_none() || was.id != is.id => {
                    let below = self.below(sides, &path, [was.id, is.id])?;
                    gone.below.extend(Some(below).filter(|below| !below.is_empty()));
                }
                _ => {}
            }
        }
        Ok(gone)
    }
}

impl ArrivedSince {
    /// The files of the view at paths that are absent from `old`. Directories with one id on both sides are not read.
    pub(super) fn since(&self, old: &dyn Tree, contents: &Contents<'_>) -> Result<Files> {
        let sides = Sides { old, contents };
        let top = RepoPath::root();
        let id = old.entry(&top)?.and_then(|entry| entry.id);
        let compare = || self.compare(sides, &top, id);
        id.map_or_else(compare, |id| self.trees.get(&id, compare))
    }

    fn below(&self, sides: Sides<'_>, dir: &RepoPath, id: Option<Oid>) -> Result<Files> {
        let compare = || self.compare(sides, dir, id);
        id.map_or_else(compare, |id| self.dirs.get(&(id, dir.clone()), compare))
    }

    fn compare(&self, sides: Sides<'_>, dir: &RepoPath, id: Option<Oid>) -> Result<Files> {
        let Sides { old, contents } = sides;
        let before: BTreeMap<_, _> = old.children_of(dir, id)?.into_iter().collect();
        let mut arrived = Vec::new();
        for (name, is) in &*contents.children(dir)? {
            let path = dir.child(name);
            match (is.kind, before.get(name)) {
                (Kind::Dir, Some(was)) if was.kind == Kind::Dir => {
                    if was.id.is_none() || was.id != is.id {
                        arrived.extend_from_slice(&self.below(sides, &path, was.id)?);
                    }
                }
                (Kind::Dir, _) => arrived.extend(contents.view.files(&path, &|_| true)?),
                (_, None) => arrived.push((path, *is)),
                (_, Some(_)) => {}
            }
        }
        Ok(Rc::new(arrived))
    }
}

impl GoneDir {
    fn add_all(&mut self, old: &dyn Tree, view: &dyn Tree, path: &RepoPath, entry: Entry) -> Result<()> {
        let files = match entry.kind {
            Kind::Dir => old.files(path, &|_| true)?,
            _ => vec![(path.clone(), entry)],
        };
        for (file, entry) in files {
            // A listing may omit an existing path, for example an ignored file on disk.
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
    /// The stamped files at paths that are absent from the view.
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

    /// The files that satisfy `want`.
    pub(super) fn named(&self, want: &dyn Fn(&RepoPath) -> bool) -> Vec<(RepoPath, Stamped)> {
        let all = self.0.iter().flat_map(|(content, paths)| paths.iter().map(|path| (path.clone(), *content)));
        all.filter(|(path, _)| want(path)).collect()
    }

    fn with(&self, content: Stamped) -> &[RepoPath] {
        self.0.get(&content).map_or(&[], Vec::as_slice)
    }
}

/// The pairs of lost files and new files. A file is in one pair only, because one lost file cannot have become two.
#[derive(Default)]
pub(super) struct Claims {
    became: HashMap<RepoPath, RepoPath>,
    came: HashMap<RepoPath, RepoPath>,
}

/// A lost file, and the file of the view that it may have become.
type Pair = (RepoPath, RepoPath);

impl Claims {
    /// Whether this lost file became a new file.
    pub(super) fn has_become(&self, lost: &RepoPath) -> bool {
        self.became.contains_key(lost)
    }

    /// Adds `pairs` unless one of the files is in another pair.
    pub(super) fn take(&mut self, pairs: Vec<Pair>) -> bool {
        // If half of a directory's pairs were taken, the next candidate would find its files paired with a rename that did
        // not happen.
        let is_free = |(from, to): &Pair| match (self.became.get(from), self.came.get(to)) {
            (None, None) => true,
            (became, _) => became == Some(to),
        };
        if !pairs.iter().all(is_free) {
            return false;
        }
        for (from, to) in pairs {
            self.became.insert(from.clone(), to.clone());
            self.came.insert(to, from);
        }
        true
    }
}

/// The measured tree, and its paths that the view lost.
#[derive(Clone, Copy)]
pub(super) struct Measured<'o> {
    pub(super) tree: &'o dyn Tree,
    pub(super) gone: &'o Gone,
}

/// A path that was absent at the measurement, with its expansion in the view.
#[derive(Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub(super) path: &'a RepoPath,
    pub(super) now: &'a Expansion,
}

/// Whether the arrival came by a rename alone, from files that `claims` has not paired with other files.
pub(super) fn came(
    contents: &Contents<'_>,
    old: Measured<'_>,
    arrival: Arrival<'_>,
    claims: &mut Claims,
) -> Result<bool> {
    let Arrival { path, now } = arrival;
    if now.glob {
        return glob_came(contents, old, arrival, claims);
    }
    let way = contents.way(path)?;
    if let Some((link, id)) = way.links.first() {
        return link_came(contents, old, path, link, *id, claims);
    }
    match &way.end {
        LinkEnd::At(dir, Entry { kind: Kind::Dir, .. }) => dir_came(contents, old, Arrival { path: dir, now }, claims),
        LinkEnd::At(file, _) => {
            let lost = now.files.get(file).map_or(&[][..], |content| old.gone.with(*content));
            Ok(lost.iter().any(|from| claims.take(vec![(from.clone(), file.clone())])))
        }
        _ => Ok(false),
    }
}

/// Whether a path came by a rename of the first link on its way, which may be the path itself.
fn link_came(
    contents: &Contents<'_>,
    old: Measured<'_>,
    path: &RepoPath,
    link: &RepoPath,
    id: Oid,
    claims: &mut Claims,
) -> Result<bool> {
    let behind = path.below(link).unwrap_or_default();
    for from in old.gone.with(Stamped::Link(id)) {
        let was = if behind.is_empty() { from.clone() } else { from.child(behind) };
        if contents.same(TreePlace { tree: old.tree, path: &was }, path)?
            && claims.take(vec![(from.clone(), link.clone())])
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn dir_came(
    contents: &Contents<'_>,
    old: Measured<'_>,
    Arrival { path: dir, now }: Arrival<'_>,
    claims: &mut Claims,
) -> Result<bool> {
    for from in dirs_that_held(old.gone, dir, now) {
        // A directory that is still there was copied, not moved, and the copy is new content to measure.
        let is_lost = !from.is_root() && contents.view.entry(&from)?.is_none();
        if is_lost
            && contents.same(TreePlace { tree: old.tree, path: &from }, dir)?
            && claims.take(pairs(&from, dir, now))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The files of a glob came from another directory if that directory had exactly the files that the glob would match there,
/// and has none of them now. Files that the glob does not match may have stayed.
fn glob_came(
    contents: &Contents<'_>,
    old: Measured<'_>,
    Arrival { path, now }: Arrival<'_>,
    claims: &mut Claims,
) -> Result<bool> {
    let compiled = std::str::from_utf8(path.as_bstr()).ok().and_then(|text| glob::compile(text).ok());
    let Some(matcher) = compiled else { return Ok(false) };
    let dir = glob::literal_base(path);
    for from in dirs_that_held(old.gone, &dir, now) {
        let moved = |file: &RepoPath| file.below(&from).map(|name| dir.child(name));
        let was_matched = |file: &RepoPath| moved(file).is_some_and(|file| glob::is_match(&matcher, &file));
        let mut before = BTreeMap::new();
        let mut all_lost = true;
        for (file, entry) in old.tree.files(&from, &was_matched)? {
            all_lost = all_lost && contents.view.entry(&file)?.is_none();
            before.extend(moved(&file).zip(Some(stamp::stamped_entry(old.tree, &file, entry)?)));
        }
        if all_lost && before == now.files && claims.take(pairs(&from, &dir, now)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Pairs every file of `now`, which lies below `dir`, with the file of its name below `from`.
fn pairs(from: &RepoPath, dir: &RepoPath, now: &Expansion) -> Vec<Pair> {
    now.files.keys().filter_map(|file| Some((from.child(file.below(dir)?), file.clone()))).collect()
}

/// The directories that lost one file of `now` under the name that the file has below `dir`. The file is the one with the
/// content that was lost at the fewest paths.
fn dirs_that_held(gone: &Gone, dir: &RepoPath, now: &Expansion) -> Vec<RepoPath> {
    let rarest = now.files.iter().min_by_key(|(_, content)| gone.with(**content).len());
    let Some((file, content)) = rarest else { return Vec::new() };
    let Some(name) = file.below(dir).filter(|name| !name.is_empty()) else { return Vec::new() };
    let holder = |from: &RepoPath| {
        let top = from.as_bstr().strip_suffix(name.as_bytes())?;
        if top.is_empty() { Some(RepoPath::root()) } else { top.strip_suffix(b"/").map(RepoPath::from_git) }
    };
    gone.with(*content).iter().filter_map(holder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::memory::MemoryTree;

    /// The files of a view with their contents, and what of the older tree it lacks.
    type View<'s> = (&'s [(&'s str, &'s str)], &'s [&'s str]);

    #[test]
    fn what_one_view_lost_is_not_said_of_another_view() {
        let old = MemoryTree::of_files(&[("src/a", "1"), ("src/deep/b", "2"), ("lib/c", "3")]);
        let views: [View<'_>; 5] = [
            (&[("src/a", "1"), ("src/deep/b", "2"), ("lib/c", "3")], &[]),
            (&[("src/a", "1"), ("lib/c", "3")], &["src/deep/b"]),
            (&[("src/a", "1"), ("src/deep/x", "2"), ("lib/c", "4")], &["src/deep/b"]),
            (&[("src/a", "2"), ("src/deep/b", "2")], &["lib/c"]),
            (&[("src/deep/x", "2"), ("lib", "no directory")], &["lib/c", "src/a", "src/deep/b"]),
        ];
        let shared = GoneSince::default();
        for (files, expected) in views.iter().chain(views.iter().rev()) {
            let view = MemoryTree::of_files(files);
            let gone = shared.since(&old, &Contents::new(&view)).unwrap();
            let mut lost: Vec<String> = gone.named(&|_| true).iter().map(|(path, _)| path.to_string()).collect();
            lost.sort();
            assert_eq!(lost, *expected, "{files:?}");
        }
    }

    #[test]
    fn a_view_with_the_same_paths_lacks_the_same() {
        let old = MemoryTree::of_files(&[("src/a", "1"), ("src/deep/b", "2")]);
        let shared = GoneSince::default();
        let told = |view: &MemoryTree| shared.since(&old, &Contents::new(view)).unwrap();
        let id = |view: &MemoryTree| view.entry(&RepoPath::root()).unwrap().unwrap().id.unwrap();
        let [first, second, third, fourth] = [("1", "3"), ("2", "3"), ("2", "4"), ("2", "5")]
            .map(|(a, c)| MemoryTree::of_files(&[("src/a", a), ("src/deep/c", c)]));
        let known = told(&first);
        // of a row of views, each like the one before
        shared.has_paths_of(id(&second), id(&first));
        shared.has_paths_of(id(&third), id(&second));
        assert!(Rc::ptr_eq(&known, &told(&third)), "nothing is compared again");
        assert!(!Rc::ptr_eq(&known, &told(&fourth)), "nothing is known of it");
        let moved = MemoryTree::of_files(&[("src/b", "2")]);
        assert_eq!(told(&moved).named(&|_| true).len(), 2);
    }
}
