//! Finds the files of yatsu-hook in a view, by name and place alone; no file is opened.

use crate::error::Result;
use crate::model::config::Config;
use crate::names::{self, NEWER_LEDGER, NEWER_SCENARIOS, OLDER_LEDGER, OLDER_SCENARIOS, SPEC};
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::BStr;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A file with its entry in the tree.
pub(crate) type File = (RepoPath, Entry);

/// The files of yatsu-hook in one directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeFiles {
    /// The directory, from the top of the repository.
    pub dir: RepoPath,
    pub spec: Option<File>,
    pub yatsu: Option<File>,
    /// `eval.md`, the newer name.
    pub eval: Option<File>,
    /// The files of the ledger in their order: the trunk files, the older name first, then the segments by name.
    pub ledgers: Vec<File>,
    /// Files with an expected name except for case, or blanks and dots at its ends, and segments of a foreign name: they are
    /// not read.
    pub look_alikes: Vec<RepoPath>,
}

impl NodeFiles {
    /// Whether the directory is a node, and not only the place of a leftover ledger.
    pub(crate) fn is_node(&self) -> bool {
        self.spec.is_some() || self.yatsu.is_some() || self.eval.is_some()
    }

    /// Brings the files into their order, each once.
    fn sort(&mut self) {
        self.ledgers.sort_by(|(one, _), (other, _)| in_order(one, other));
        self.ledgers.dedup_by(|(one, _), (other, _)| one == other);
        self.look_alikes.sort_unstable();
        self.look_alikes.dedup();
    }
}

/// The order in which the files of one ledger are read. It breaks ties between readings of one time.
pub(crate) fn in_order(one: &RepoPath, other: &RepoPath) -> Ordering {
    names::ledger_order(one.name()).cmp(&names::ledger_order(other.name()))
}

/// The role of a file by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Spec,
    Yatsu,
    Eval,
    Ledger,
    LookAlike,
}

impl Role {
    fn everywhere(name: &BStr) -> Option<Self> {
        if names::is_segment(name) {
            return Some(Self::Ledger);
        }
        let one_name = Self::among(name, &[(OLDER_SCENARIOS, Self::Yatsu), (OLDER_LEDGER, Self::Ledger)]);
        one_name.or_else(|| names::is_like_segment(name).then_some(Self::LookAlike))
    }

    /// Names that count only under a root.
    fn under_roots(name: &BStr) -> Option<Self> {
        Self::among(name, &[(SPEC, Self::Spec), (NEWER_SCENARIOS, Self::Eval), (NEWER_LEDGER, Self::Ledger)])
    }

    /// The role of `name` among these. An exact name is never a look-alike of another.
    fn among(name: &BStr, ours: &[(&str, Self)]) -> Option<Self> {
        let exact = ours.iter().find(|(known, _)| name == *known).map(|(_, role)| *role);
        let look_alike = || ours.iter().any(|(known, _)| names::looks_like(name, known)).then_some(Self::LookAlike);
        exact.or_else(look_alike)
    }
}

/// Whether the file at `path` has a name that counts in some directory.
pub(crate) fn has_our_name(path: &RepoPath) -> bool {
    names::is_ours(path.name())
}

/// Whether `name` is similar to one of these names, but not equal.
pub(crate) fn is_look_alike(name: &[u8]) -> bool {
    !names::is_ours(name) && names::is_like_ours(name)
}

/// Whether `path` has one of these names, in a place where the name counts.
pub(crate) fn is_ours(path: &RepoPath, config: &Config) -> bool {
    role(path, config).is_some() && !config.exclude.covers(path)
}

/// Every directory with such files, sorted; the files are not read. An entry with such a name that is no regular file is
/// listed with its kind; so is a directory.
///
/// # Errors
/// When the tree cannot be listed.
pub(crate) fn catalog(tree: &dyn Tree, config: &Config) -> Result<Vec<NodeFiles>> {
    let mut found: BTreeMap<RepoPath, NodeFiles> = BTreeMap::new();
    let ours = Ours::new(config);
    for (path, entry) in tree.files_like_ours(&|path| ours.find(path).is_some())? {
        let Some((at, role)) = ours.find(&path) else { continue };
        let entry = if at == path { entry } else { Entry { kind: Kind::Dir, id: None } };
        let dir = at.parent().unwrap_or_default();
        let files = found.entry(dir.clone()).or_insert_with(|| NodeFiles { dir, ..NodeFiles::default() });
        put(files, role, (at, entry));
    }
    let mut found: Vec<NodeFiles> = found.into_values().collect();
    found.iter_mut().for_each(NodeFiles::sort);
    Ok(found)
}

/// Stores a file under its role, once. A directory with such a name is found again with every file below it.
fn put(files: &mut NodeFiles, role: Role, file: File) {
    let slot = match role {
        Role::Spec => &mut files.spec,
        Role::Yatsu => &mut files.yatsu,
        Role::Eval => &mut files.eval,
        // compared with the last one alone: a directory may hold thousands of segments
        Role::Ledger if files.ledgers.last().is_none_or(|(path, _)| *path != file.0) => {
            return files.ledgers.push(file);
        }
        Role::LookAlike if files.look_alikes.last() != Some(&file.0) => return files.look_alikes.push(file.0),
        Role::Ledger | Role::LookAlike => return,
    };
    slot.get_or_insert(file);
}

/// The same for these directories only. `None` if a subdirectory has one of these names or a similar one, because only the
/// whole catalog handles that case.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn catalog_of(
    tree: &dyn Tree,
    config: &Config,
    dirs: &BTreeSet<RepoPath>,
) -> Result<Option<Vec<NodeFiles>>> {
    let ours = Ours::new(config);
    let mut found = Vec::new();
    for dir in dirs {
        let mut files = NodeFiles { dir: dir.clone(), ..NodeFiles::default() };
        let mut is_empty = true;
        for (name, entry) in tree.children(dir)? {
            if !names::is_ours(&name) && !is_look_alike(&name) {
                continue;
            }
            if entry.kind == Kind::Dir {
                return Ok(None);
            }
            if let Some((at, role)) = ours.find(&dir.child(&name)) {
                put(&mut files, role, (at, entry));
                is_empty = false;
            }
        }
        if !is_empty {
            found.push(files);
        }
    }
    found.iter_mut().for_each(NodeFiles::sort);
    Ok(Some(found))
}

/// The catalog of `tree`, which differs at the `changed` paths alone from a tree of this configuration with the catalog `before`.
/// `None` where [`catalog_of`] has no answer.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn next(
    before: &[Rc<NodeFiles>],
    tree: &dyn Tree,
    config: &Config,
    changed: &[RepoPath],
) -> Result<Option<Vec<Rc<NodeFiles>>>> {
    let ours = Ours::new(config);
    let mut dirs = BTreeSet::new();
    for path in changed {
        match ours.find(path) {
            Some((at, _)) if at == *path => dirs.insert(path.parent().unwrap_or_default()),
            // below a directory with such a name, which is no file of the one above it
            Some(_) => return Ok(None),
            None => false,
        };
    }
    let Some(anew) = catalog_of(tree, config, &dirs)? else { return Ok(None) };
    let mut files: Vec<Rc<NodeFiles>> = anew.into_iter().map(Rc::new).collect();
    files.extend(before.iter().filter(|files| !dirs.contains(&files.dir)).cloned());
    files.sort_by(|one, other| one.dir.cmp(&other.dir));
    Ok(Some(files))
}

/// Decides which paths are files of yatsu-hook.
pub(super) struct Ours<'c> {
    config: &'c Config,
}

impl<'c> Ours<'c> {
    pub(super) fn new(config: &'c Config) -> Self {
        Self { config }
    }

    /// Whether a visible file at `path` is read.
    pub(super) fn is_read(&self, path: &RepoPath) -> bool {
        role(path, self.config).is_some_and(|role| role != Role::LookAlike) && !self.config.exclude.covers(path)
    }

    /// The path with its role, or the topmost directory on its way with such a name.
    fn find(&self, path: &RepoPath) -> Option<(RepoPath, Role)> {
        let found = match role(path, self.config) {
            Some(role) => (path.clone(), role),
            None if names::may_lie_below_ours(path.as_bstr()) => {
                let above = std::iter::successors(path.parent(), RepoPath::parent);
                above.filter_map(|dir| role(&dir, self.config).map(|role| (dir, role))).last()?
            }
            None => return None,
        };
        (!self.config.exclude.covers(path)).then_some(found)
    }
}

fn role(path: &RepoPath, config: &Config) -> Option<Role> {
    let name = path.name();
    Role::everywhere(name)
        .or_else(|| Role::under_roots(name).filter(|_| path.parent().is_some_and(|dir| config.root_of(&dir).is_some())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::memory::MemoryTree;

    /// A step from one tree to the next: the paths that it writes with these contents, and the paths that it removes.
    type Step<'s> = (&'s [(&'s str, &'s str)], &'s [&'s str]);

    #[test]
    fn the_next_catalog_is_the_one_of_the_tree() {
        let config = Config::default();
        let mut tree = MemoryTree::of_files(&[(".spec/a/spec.md", "1"), (".spec/a/yatsu.md", "1"), ("src/x", "1")]);
        let segment = ".spec/a/yatsu.0a1b.evals.ndjson";
        let steps: [(Step<'_>, bool); 11] = [
            ((&[(".spec/a/yatsu.md", "2")], &[]), true),
            ((&[("src/x", "2"), ("docs/spec.md", "no root")], &[]), true),
            ((&[(".spec/b/eval.md", "1"), (".spec/a/evals.ndjson", "1")], &[]), true),
            ((&[(".spec/a/Yatsu.md ", "like it"), (segment, "1")], &[]), true),
            ((&[(".spec/a/yatsu.md", "3")], &[".spec/a/Yatsu.md "]), true),
            ((&[], &[".spec/b/eval.md"]), true),
            ((&[], &[segment]), true),
            // a directory with the name of a file, beside others that change and then alone
            ((&[(".spec/c/yatsu.md/deep/x", "1"), (".spec/a/spec.md", "2")], &[]), false),
            ((&[(".spec/c/spec.md", "1")], &[]), false),
            ((&[(".spec/a/spec.md", "3")], &[]), true),
            ((&[], &[".spec/c/yatsu.md/deep/x", ".spec/c/spec.md"]), false),
        ];
        let all = |tree: &MemoryTree| catalog(tree, &config).unwrap().into_iter().map(Rc::new).collect::<Vec<_>>();
        let mut before = all(&tree);
        for ((written, removed), is_told) in steps {
            written.iter().for_each(|(path, content)| tree.put(path, Kind::File, content.as_bytes()));
            removed.iter().for_each(|path| tree.remove(path));
            let changed = written.iter().map(|(path, _)| *path).chain(removed.iter().copied());
            let changed: Vec<RepoPath> = changed.map(RepoPath::from_git).collect();
            let whole = all(&tree);
            let told = next(&before, &tree, &config, &changed).unwrap();
            assert_eq!(told.is_some(), is_told, "{changed:?}");
            assert!(told.is_none_or(|told| told == whole), "{changed:?}");
            before = whole;
        }
    }
}
