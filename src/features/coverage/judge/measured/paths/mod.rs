//! Which tracked file a name of a report is: `src/cart.py`, `/build/shop/src/cart.py`, `example.com/shop/cart.go`.
//!
//! A relative name counts from an absolute `<source>` of Cobertura below the top; else from the top, from the place where the
//! user stands, or from a relative `<source>`: from the one from which most names of the report fit, then from the first of
//! them. If none fits from there, all names count from the one directory from which most of them fit. A name that fits from
//! two absolute sources may be two files and is none. An absolute name is below this work tree, or else has the one prefix of
//! a container or another work tree (`foreign_prefix`).

use super::Ground;
use crate::features::coverage::model::reports::{Coverage, Format};
use crate::tree::path::{PathProblem, RepoPath};
use bstr::{BStr, ByteSlice};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// Directories of installed copies. Their files are not the files of this repository, even where names are equal.
const INSTALLED: [&str; 10] =
    ["site-packages", "dist-packages", "node_modules", ".cargo", ".rustup", ".venv", ".tox", "gems", ".m2", ".gradle"];
/// Deepest path that is looked for below a foreign prefix.
const MAX_PARTS: usize = 64;

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MeasuredName {
    Tracked(RepoPath),
    Untracked,
    /// It leaves the repository, holds a NUL, or lies in `.git`.
    Dropped,
}

/// A name, read but not yet looked up.
enum ReadName {
    /// The tracked files that it may be, each with the index of its base.
    Fits(Vec<(usize, RepoPath)>),
    /// Outside of this work tree: see [`Resolver::elsewhere`].
    Elsewhere,
    Untracked,
    Dropped,
}

pub(super) struct Resolver<'r> {
    report: &'r Coverage,
    ground: &'r dyn Ground,
    place: &'r RepoPath,
    /// The directories that a relative name may count from: absolute sources, the top, the place, relative sources.
    bases: Vec<RepoPath>,
    /// How many of them are absolute sources.
    sources: usize,
    /// The sources outside of this work tree.
    foreign: Vec<RepoPath>,
    /// How many names fit from each base. The names themselves are read again: stored, they would take the memory of all
    /// sources for each.
    fitting: BTreeMap<usize, usize>,
    /// The one prefix of the names outside of this work tree.
    prefix: Option<RepoPath>,
}

impl<'r> Resolver<'r> {
    pub(super) fn new(report: &'r Coverage, ground: &'r dyn Ground, place: &'r RepoPath) -> Self {
        let mut resolver = Self {
            report,
            ground,
            place,
            bases: Vec::new(),
            sources: 0,
            foreign: Vec::new(),
            fitting: BTreeMap::new(),
            prefix: None,
        };
        let mut relative = vec![RepoPath::root(), place.clone()];
        for source in &report.sources {
            let source = source.trim().replace('\\', "/");
            match (is_absolute(&source), resolver.below_top(&source)) {
                (true, Some(dir)) => resolver.bases.extend(dir),
                (true, None) => resolver.foreign.extend(outside(&source)),
                (false, _) => {
                    let dirs = [RepoPath::root(), place.clone()].map(|base| base.join(source.as_bytes()));
                    relative.extend(dirs.into_iter().flatten());
                }
            }
        }
        let mut seen = BTreeSet::new();
        resolver.bases.retain(|base| seen.insert(base.clone()));
        resolver.sources = resolver.bases.len();
        resolver.bases.extend(relative.into_iter().filter(|base| seen.insert(base.clone())));
        resolver.survey();
        resolver
    }

    /// Counts from which base the names fit, and finds the prefix of the names outside of this work tree.
    fn survey(&mut self) {
        let mut has_elsewhere = false;
        for file in &self.report.files {
            match self.read(&file.name) {
                ReadName::Fits(fits) => {
                    fits.iter().for_each(|(base, _)| *self.fitting.entry(*base).or_default() += 1);
                }
                ReadName::Elsewhere => has_elsewhere = true,
                ReadName::Untracked | ReadName::Dropped => {}
            }
        }
        let has_source = self.report.sources.iter().any(|source| !source.trim().is_empty());
        if self.fitting.is_empty() && !has_elsewhere && !has_source {
            self.bases.extend(self.package_dir());
        }
        // the other names show where the report was written; a source says it
        let may_guess = self.fitting.is_empty() || !self.foreign.is_empty();
        if has_elsewhere && may_guess {
            let is_file = |path: &RepoPath| self.ground.is_tracked(path);
            let prefix = self.foreign_prefix(&is_file);
            let linked = || self.foreign_prefix(&|path| self.tracked(path).is_some());
            self.prefix = prefix.or_else(|| self.ground.has_links().then(linked).flatten());
        }
    }

    /// The one directory from which most of the names are tracked: `packages/shop` for `src/cart.js`, if the tests ran there.
    /// As for a foreign prefix, two names must fit, or one if the report names a single file. A tie is none.
    fn package_dir(&self) -> Option<RepoPath> {
        let mut found = BTreeMap::<RepoPath, usize>::new();
        for file in &self.report.files {
            let Ok(name) = RepoPath::root().join(file.name.replace('\\', "/").as_bytes()) else { continue };
            if !is_installed(&name) {
                self.ground.dirs_of(&name).into_iter().for_each(|dir| *found.entry(dir).or_default() += 1);
            }
        }
        let most = found.values().copied().max().filter(|most| *most > 1 || self.report.files.len() == 1)?;
        let mut best = found.into_iter().filter(|(_, names)| *names == most);
        best.next().filter(|_| best.next().is_none()).map(|(dir, _)| dir)
    }

    /// The meaning of every name, in the order of the report.
    pub(super) fn names(self) -> impl Iterator<Item = MeasuredName> + 'r {
        self.report.files.iter().map(move |file| match self.read(&file.name) {
            ReadName::Fits(fits) => self.meant(&fits).map_or(MeasuredName::Untracked, MeasuredName::Tracked),
            ReadName::Elsewhere => {
                let below = |path: RepoPath| path.below(self.prefix.as_ref()?).map(RepoPath::from_git);
                let mut found = self.elsewhere(&file.name).filter_map(below).filter_map(|path| self.tracked(&path));
                // below two sources it may be two files
                let only = found.next().filter(|first| found.all(|other| other == *first));
                only.map_or(MeasuredName::Untracked, MeasuredName::Tracked)
            }
            ReadName::Untracked => MeasuredName::Untracked,
            ReadName::Dropped => MeasuredName::Dropped,
        })
    }

    /// The tracked file that is meant by a name that fits from several bases; `None` if it may be two files.
    fn meant(&self, fits: &[(usize, RepoPath)]) -> Option<RepoPath> {
        let mut by_source = fits.iter().filter(|(base, _)| *base < self.sources);
        if let Some((_, first)) = by_source.next() {
            return by_source.all(|(_, path)| path == first).then(|| first.clone());
        }
        let best = fits.iter().max_by_key(|(base, _)| (self.fitting.get(base), std::cmp::Reverse(*base)));
        best.map(|(_, path)| path.clone())
    }

    fn foreign_prefix(&self, is_tracked: &dyn Fn(&RepoPath) -> bool) -> Option<RepoPath> {
        let names = || self.report.files.iter().map(|file| file.name.as_str());
        let outside = || names().filter(|name| matches!(self.read(name), ReadName::Elsewhere));
        foreign_prefix(|| outside().flat_map(|name| self.elsewhere(name)), self.report.files.len() == 1, is_tracked)
    }

    /// The paths that a name outside of this work tree may have, without drive and first `/`.
    fn elsewhere(&self, name: &str) -> impl Iterator<Item = RepoPath> + '_ {
        let name = name.replace('\\', "/");
        let own = if is_absolute(&name) { outside(&name) } else { None };
        let relative = (!is_absolute(&name)).then_some(name);
        let below = move |name: String| self.foreign.iter().filter_map(move |source| source.join(name.as_bytes()).ok());
        own.into_iter().chain(relative.into_iter().flat_map(below))
    }

    fn read(&self, name: &str) -> ReadName {
        let name = name.replace('\\', "/");
        if name.contains('\0') {
            return ReadName::Dropped;
        }
        if is_absolute(&name) {
            return match self.below_top(&name) {
                Some(Ok(path)) => self.fits(vec![(usize::MAX, path)]),
                Some(Err(_)) => ReadName::Dropped,
                None => outside(&name).map_or(ReadName::Dropped, |_| ReadName::Elsewhere),
            };
        }
        if let Some(path) = self.in_module(&name) {
            return path.map_or(ReadName::Dropped, |path| self.fits(vec![(usize::MAX, path)]));
        }
        let paths =
            self.bases.iter().enumerate().filter_map(|(base, dir)| Some((base, dir.join(name.as_bytes()).ok()?)));
        let paths: Vec<_> = paths.collect();
        let is_elsewhere = self.elsewhere(&name).next().is_some();
        if paths.is_empty() && !is_elsewhere {
            return ReadName::Dropped;
        }
        match self.fits(paths) {
            ReadName::Untracked if is_elsewhere => ReadName::Elsewhere,
            other => other,
        }
    }

    fn fits(&self, paths: Vec<(usize, RepoPath)>) -> ReadName {
        let tracked: Vec<_> = paths.into_iter().filter_map(|(base, path)| Some((base, self.tracked(&path)?))).collect();
        if tracked.is_empty() { ReadName::Untracked } else { ReadName::Fits(tracked) }
    }

    /// The tracked file at `path`, also behind a link.
    fn tracked(&self, path: &RepoPath) -> Option<RepoPath> {
        if self.ground.is_tracked(path) { Some(path.clone()) } else { self.ground.behind_link(path) }
    }

    /// An absolute path below the top of this work tree; `None` if it is elsewhere.
    fn below_top(&self, path: &str) -> Option<Result<RepoPath, PathProblem>> {
        let top = self.ground.top();
        let rest = path.strip_prefix(top).filter(|_| !top.is_empty())?;
        let rest = if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }?;
        Some(RepoPath::parse(rest.as_bytes()))
    }

    /// A name of a Go profile below the longest module that begins it. Of several modules of that name the nearest one
    /// around the place is meant; without one the name is dropped.
    fn in_module(&self, name: &str) -> Option<Result<RepoPath, PathProblem>> {
        let modules = self.ground.modules().iter().filter(|_| self.report.format == Format::Go);
        let below =
            modules.filter_map(|(dir, module)| Some((dir, module, name.strip_prefix(module)?.strip_prefix('/')?)));
        let below: Vec<_> = below.collect();
        let length = below.iter().map(|(_, module, _)| module.len()).max()?;
        let own: Vec<_> = below.into_iter().filter(|(_, module, _)| module.len() == length).collect();
        let around = own.iter().filter(|(dir, ..)| self.place.is_within(dir));
        let nearest = around.max_by_key(|(dir, ..)| dir.as_bstr().len());
        let meant = if let [only] = &own[..] { Some(only) } else { nearest };
        Some(meant.map_or(Err(PathProblem::LeavesRepository), |(dir, _, rest)| dir.join(rest.as_bytes())))
    }
}

fn is_installed(path: &RepoPath) -> bool {
    path.as_bstr().split_str("/").any(|part| INSTALLED.iter().any(|name| part == name.as_bytes()))
}

/// The directory from which `file` lies at `path`: `packages/shop` for `packages/shop/src/cart.js` and `src/cart.js`.
pub(crate) fn dir_before(file: &RepoPath, path: &RepoPath) -> Option<RepoPath> {
    let dir = file.as_bstr().strip_suffix(path.as_bstr().as_bytes())?.strip_suffix(b"/")?;
    (!path.is_root()).then(|| RepoPath::from_git(dir))
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || has_drive(path)
}

/// `C:/build`.
fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1..3) == Some(b":/")
}

/// An absolute path without its drive and its first `/`; `None` for a path that is dropped.
fn outside(path: &str) -> Option<RepoPath> {
    let path = if has_drive(path) { &path[2..] } else { path };
    RepoPath::parse(path.trim_start_matches('/').as_bytes()).ok()
}

/// The one directory below which most of the paths are tracked: `build/shop` for `build/shop/src/cart.py`. Two tracked paths
/// are needed, or one if the report names a single file. A tie is none. Prefixes are counted by their hashes: stored, they
/// would take the memory of all names once more.
fn foreign_prefix<I: Iterator<Item = RepoPath>>(
    paths: impl Fn() -> I,
    is_single: bool,
    is_tracked: &dyn Fn(&RepoPath) -> bool,
) -> Option<RepoPath> {
    let hasher = RandomState::new();
    let hash = |part: &BStr| hasher.hash_one(part);
    let (mut pairs, mut found) = (HashSet::new(), HashMap::<u64, usize>::new());
    for path in paths() {
        for (prefix, rest) in cuts(path.as_bstr()) {
            if is_tracked(&RepoPath::from_git(rest)) && pairs.insert((hash(prefix), hash(rest))) {
                *found.entry(hash(prefix)).or_default() += 1;
            }
        }
    }
    let most = found.values().copied().max()?;
    let mut best = found.into_iter().filter(|(_, paths)| *paths == most);
    let (prefix, _) = best.next()?;
    if best.next().is_some() || most < 2 && !is_single {
        return None;
    }
    paths().find_map(|path| {
        let mut cuts = cuts(path.as_bstr());
        cuts.find(|(cut, _)| hash(cut) == prefix).map(|(cut, _)| RepoPath::from_git(cut))
    })
}

/// The prefixes of a path, each with the rest, as long as the prefix is no installed copy. Each part costs the length of the
/// path, so the last parts are enough.
fn cuts(path: &BStr) -> impl Iterator<Item = (&BStr, &BStr)> {
    let starts = path.rfind_iter(b"/").map(|at| at + 1).chain([0]).take(MAX_PARTS);
    let mut at = 0;
    let installed = path.split_str("/").find_map(|part| {
        at += part.len() + 1;
        INSTALLED.iter().any(|name| part == name.as_bytes()).then_some(at)
    });
    let is_own = move |start: &usize| installed.is_none_or(|end| *start < end);
    starts.filter(is_own).map(|start| (&path[..start.saturating_sub(1)], &path[start..]))
}

#[cfg(test)]
mod tests;
