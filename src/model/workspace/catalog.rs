//! Finds the files of yatsu-hook in a view, by name and place alone; no file is opened.

use crate::error::Result;
use crate::model::config::Config;
use crate::names::{self, NEWER_LEDGER, NEWER_SCENARIOS, OLDER_LEDGER, OLDER_SCENARIOS, OUR_NAMES, SPEC};
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::BStr;
use std::collections::{BTreeMap, BTreeSet};

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
    /// The ledgers, the older name first.
    pub ledgers: Vec<File>,
    /// Files with an expected name except for case, or blanks and dots at its ends: they are not read.
    pub look_alikes: Vec<RepoPath>,
}

impl NodeFiles {
    /// Whether the directory is a node, and not only the place of a leftover ledger.
    pub(crate) fn is_node(&self) -> bool {
        self.spec.is_some() || self.yatsu.is_some() || self.eval.is_some()
    }
}

/// The role of a file by its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Spec,
    Yatsu,
    Eval,
    OldLedger,
    NewLedger,
    LookAlike,
}

impl Role {
    fn everywhere(name: &BStr) -> Option<Self> {
        Self::among(name, &[(OLDER_SCENARIOS, Self::Yatsu), (OLDER_LEDGER, Self::OldLedger)])
    }

    /// Names that count only under a root.
    fn under_roots(name: &BStr) -> Option<Self> {
        Self::among(name, &[(SPEC, Self::Spec), (NEWER_SCENARIOS, Self::Eval), (NEWER_LEDGER, Self::NewLedger)])
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
    OUR_NAMES.iter().any(|ours| path.name() == *ours)
}

/// Whether `name` is similar to one of these names, but not equal.
pub(crate) fn is_look_alike(name: &[u8]) -> bool {
    OUR_NAMES.iter().all(|ours| ours.as_bytes() != name) && names::is_like_ours(name)
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
    found.iter_mut().for_each(|files| files.ledgers.sort_by_key(|(path, _)| role(path, config)));
    Ok(found)
}

/// Stores a file under its role, once. A directory with such a name is found again with every file below it.
fn put(files: &mut NodeFiles, role: Role, file: File) {
    let slot = match role {
        Role::Spec => &mut files.spec,
        Role::Yatsu => &mut files.yatsu,
        Role::Eval => &mut files.eval,
        Role::OldLedger | Role::NewLedger if files.ledgers.iter().all(|(path, _)| *path != file.0) => {
            return files.ledgers.push(file);
        }
        Role::LookAlike if !files.look_alikes.contains(&file.0) => return files.look_alikes.push(file.0),
        Role::OldLedger | Role::NewLedger | Role::LookAlike => return,
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
            if OUR_NAMES.iter().all(|ours| name != *ours) && !is_look_alike(&name) {
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
    found.iter_mut().for_each(|files| files.ledgers.sort_by_key(|(path, _)| role(path, config)));
    Ok(Some(found))
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
